"""The paper's tables and figures: `python -m notebooks.paper` in a clone."""
