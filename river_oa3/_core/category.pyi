from collections.abc import Hashable

class Category:
    name: Hashable
    value: str
    def __init__(self, name: Hashable, value: str) -> None: ...

def kept_text(text: str) -> str: ...
