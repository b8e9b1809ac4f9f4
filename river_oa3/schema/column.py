"""What one column of a table is, by the word for it and a few options."""

from __future__ import annotations

import dataclasses
import typing

__all__ = ["KINDS", "Column"]

Kind = typing.Literal["number", "category", "text", "date", "time", "boolean", "left out"]
KINDS: tuple[Kind, ...] = typing.get_args(Kind)

# Which kinds an option is for.
_OPTIONS: dict[str, tuple[Kind, ...]] = {
    "decimal": ("number",),
    "day_first": ("date",),
    "form": ("date",),
    "hours": ("date",),
    "gaps": ("number", "category", "text", "date", "time", "boolean"),
    "sparse": ("number", "category", "text", "date", "time", "boolean"),
}


@dataclasses.dataclass(frozen=True, repr=False)
class Column:
    """What a column is, and how its values are written.

    Parameters
    ----------
    kind
        "number", "category" (one of some values, be they very many), "text" (in free words), "date"
        (with or without a time), "time" (of day), "boolean" or "left out".
    decimal
        The sign before the decimals of a number: "." or ",". With a comma, points may separate
        thousands.
    day_first
        Whether 3/4/2024 is in April (True) or in March (False). None refuses such dates.
    form
        How dates are written where it is another way: "seconds" or "milliseconds" since 1970, or a
        format of `datetime.strptime`, such as "%d-%b-%Y".
    hours
        Whether the hour of a date is a feature.
    gaps
        Words that stand for a gap, besides the usual ones.
    sparse
        Whether a row without the column says nothing, as in JSON lines with many optional keys.
        Otherwise that is a gap.

    Examples
    --------

    >>> from river_oa3.schema import Column

    >>> Column("number", decimal=",")
    Column('number', decimal=',')
    >>> Column("date", decimal=",")
    Traceback (most recent call last):
        ...
    ValueError: decimal is no option of a column that is a date: leave it out

    """

    kind: Kind
    _: dataclasses.KW_ONLY
    decimal: str = "."
    day_first: bool | None = None
    form: str | None = None
    hours: bool = True
    gaps: tuple[str, ...] = ()
    sparse: bool = False

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"no kind of column is called {self.kind!r}: use {_one_of(KINDS)}")
        options = self.options()
        for name in options:
            if self.kind not in _OPTIONS[name]:
                raise ValueError(
                    f"{name} is no option of a column that is {_a(self.kind)}: leave it out"
                )
        if self.decimal not in (".", ","):
            raise ValueError(f"decimal must be '.' or ',', not {self.decimal!r}")
        if self.day_first not in (None, True, False) or not isinstance(self.hours, bool):
            raise ValueError("day_first must be True, False or None, and hours True or False")
        if not isinstance(self.sparse, bool):
            raise ValueError(f"sparse must be True or False, not {self.sparse!r}")
        if self.form is not None and not (isinstance(self.form, str) and self.form):
            raise ValueError(f"form must be a text such as '%d-%b-%Y', not {self.form!r}")
        if isinstance(self.gaps, str) or not all(isinstance(word, str) for word in self.gaps):
            raise ValueError(f"gaps must be words such as ['unknown'], not {self.gaps!r}")
        object.__setattr__(self, "gaps", tuple(word.strip().lower() for word in self.gaps))

    def options(self) -> dict[str, typing.Any]:
        """The options that are not as they are by default."""
        return {
            field.name: getattr(self, field.name)
            for field in dataclasses.fields(self)
            if field.name != "kind" and getattr(self, field.name) != field.default
        }

    def as_json(self) -> str | dict[str, typing.Any]:
        """What JSON holds of it: the kind alone where there are no options."""
        options = self.options()
        if "gaps" in options:
            options["gaps"] = list(options["gaps"])
        return {"kind": self.kind, **options} if options else self.kind

    @classmethod
    def from_json(cls, content: typing.Any) -> Column:
        """The column that `as_json` gave this for."""
        if isinstance(content, str):
            return cls(typing.cast(Kind, content))
        known = {field.name for field in dataclasses.fields(cls)}
        if not isinstance(content, dict) or "kind" not in content:
            raise ValueError(f"a column is a kind, or an object with a kind, not {content!r}")
        if unknown := sorted(content.keys() - known):
            raise ValueError(f"no option of a column is called {unknown[0]!r}: leave it out")
        if not isinstance(content.get("gaps", []), list):
            raise ValueError(f"gaps must be a list of words, not {content['gaps']!r}")
        return cls(**content)

    def __repr__(self) -> str:
        parts = [repr(self.kind), *(f"{name}={value!r}" for name, value in self.options().items())]
        return f"{type(self).__name__}({', '.join(parts)})"


def _a(kind: Kind) -> str:
    return kind if kind == "left out" else f"a {kind}"


def _one_of(words: typing.Sequence[str]) -> str:
    *first, last = map(repr, words)
    return f"{', '.join(first)} or {last}"
