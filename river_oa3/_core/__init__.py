"""The compiled core: numbers in, numbers out. Nothing here knows of river."""

from importlib.util import find_spec
from pathlib import Path

if find_spec(f"{__name__}.features") is None:
    raise ImportError(
        f"river_oa3 is imported from {Path(__file__).parents[1]}, its sources, which are not "
        "compiled: install it in place with `pip install -e .` there, or start Python in another "
        "folder"
    )
