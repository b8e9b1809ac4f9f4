from commands import compared, parts, small, stream

__all__ = ["compared", "parts", "small", "stream"]
