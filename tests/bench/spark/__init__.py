"""Scoring on Spark beside one process that does the same from the same files."""
