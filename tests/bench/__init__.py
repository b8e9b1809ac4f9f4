"""Benchmarks, which nothing else needs: `python -m tests.bench` in a clone."""

from . import extensions

extensions.build()
