"""All that is wrong with a table, at once."""

from __future__ import annotations

from collections.abc import Sequence

from river_oa3.datasets.errors import DataError


class Problems(DataError):
    """What is wrong with a table, each problem in a line of its own with what solves it.

    Examples
    --------

    >>> print(Problems("sales.csv", ["no label: name one", "no column 'x': check --drop"]))
    sales.csv cannot be used yet, 2 problems:
      1. no label: name one
      2. no column 'x': check --drop

    """

    def __init__(self, what: str, problems: Sequence[str]):
        # Somebody who has three problems should hear of all three before they start to solve one.
        self.what = what
        self.problems = [str(DataError(problem)) for problem in problems]
        if len(self.problems) == 1:
            (problem,) = self.problems
            # A place in a file names the file already.
            super().__init__(problem if f"{what}," in problem else f"{what}: {problem}")
            return
        lines = [f"  {number}. {problem}" for number, problem in enumerate(self.problems, 1)]
        head = str(DataError(f"{what} cannot be used yet, {len(lines)} problems:"))
        ValueError.__init__(self, "\n".join([head, *lines]))

    def __reduce__(self) -> tuple[type[Problems], tuple[str, list[str]]]:
        return Problems, (self.what, self.problems)
