"""The paper's published tables, and everything that reproduces them."""
