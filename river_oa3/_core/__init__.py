"""The compiled core: numbers in, numbers out. Nothing here knows of river."""
