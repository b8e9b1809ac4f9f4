"""The first step of a model: from a row of a table to the features of an event."""

from __future__ import annotations

import json
import typing
from collections.abc import Iterable, Mapping

from river import base
from river.utils import dataframe

from river_oa3.schema.column import Column
from river_oa3.schema.features import base_names, features
from river_oa3.schema.values import UnreadableError

if typing.TYPE_CHECKING:
    from narwhals.stable.v2.typing import IntoDataFrame

__all__ = ["Schema", "no_known_column", "unreadable"]


class Schema(base.MiniBatchTransformer):
    """What each column of a table is, as the first step of a model that takes the table's rows.

    A row is a dict of column and value: texts, as `csv` gives them, or typed values. It becomes
    the features that `AutoOA3Classifier` takes:

    - a number or a boolean is a number; one that is missing is None;
    - a category is a text, "(missing)" where there is none, be the values few or very many;
    - a date is the day of its week and its hour, and never its age, which no later date repeats;
    - a time of day is its hours since midnight, and its hour as a category;
    - a text is a feature for each of its words;
    - a column that is left out, or that the schema does not name, is nothing.

    It has no statistics of the rows, and learns nothing from them. So it gives the same features
    in an experiment on a file and in production, wherever the row comes from.

    Parameters
    ----------
    columns
        The kind of each column, or a `Column`, which has options too.

    Examples
    --------

    >>> from river_oa3 import ActiveLearner, AutoOA3Classifier, Schema

    >>> schema = Schema({"amount": "number", "merchant": "category", "opened": "date"})
    >>> schema.transform_one({"amount": "12.50", "merchant": "m7", "opened": "2024-01-31 18:05"})
    {'amount': 12.5, 'merchant': 'm7', 'opened.weekday': 'Wednesday', 'opened.hour': '18'}
    >>> schema.transform_one({"amount": None, "id": 17})
    {'amount': None, 'merchant': '(missing)', 'opened.weekday': '(missing)'}
    >>> schema.transform_one({"amount": "much"})
    Traceback (most recent call last):
        ...
    ValueError: column 'amount' holds 'much', not a number

    >>> model = ActiveLearner(schema | AutoOA3Classifier(), budget=100)
    >>> label, ask = model.predict_one({"amount": "12.50", "merchant": "m7"})

    """

    def __init__(self, columns: Mapping[str, Column | str]):
        self.columns = {name: _column(name, column) for name, column in columns.items()}
        names = base_names(self.columns)
        self._features = tuple(
            (name, column, names[name])
            for name, column in self.columns.items()
            if column.kind != "left out"
        )
        if not self._features:
            raise ValueError("a schema must have a column that is not left out")
        # Where every column may be absent, so may all of them.
        self._takes_empty_rows = all(column.sparse for _, column, _ in self._features)

    def transform_one(
        self, x: Mapping[typing.Any, typing.Any]
    ) -> dict[base.typing.FeatureName, typing.Any]:
        """The features of a row.

        Parameters
        ----------
        x
            A row: a dict of column and value.

        """
        made: dict[base.typing.FeatureName, typing.Any] = {}
        # Of a row with columns, one must be among those that the schema names.
        is_known = self._takes_empty_rows and (not x or not self.columns.keys().isdisjoint(x))
        for name, column, to in self._features:
            if name in x:
                is_known = True
                value = x[name]
            elif column.sparse:
                continue
            else:
                value = None
            try:
                made.update(features(value, column, to))
            except UnreadableError as error:
                raise unreadable(name, value, error) from None
        if not is_known:
            raise no_known_column(self, x)
        return made

    def transform_many(self, X: IntoDataFrame) -> IntoDataFrame:
        """The features of the rows of a data frame; None where a row does not have a feature.

        Parameters
        ----------
        X
            A data frame, of any library that narwhals knows.

        """
        frame = dataframe.into_frame(X)
        rows = [self.transform_one(row) for row in frame.iter_rows(named=True)]
        names = dict.fromkeys(name for row in rows for name in row)
        columns = {name: [row.get(name) for row in rows] for name in names}
        return dataframe.to_native_frame(columns, like=frame)

    def to_json(self) -> str:
        """The schema as JSON, which a person may edit.

        Examples
        --------

        >>> from river_oa3 import Schema
        >>> from river_oa3.schema import Column

        >>> print(Schema({"size": "number", "opened": Column("date", day_first=True)}).to_json())
        {
          "size": "number",
          "opened": {
            "kind": "date",
            "day_first": true
          }
        }

        """
        content = {name: column.as_json() for name, column in self.columns.items()}
        return json.dumps(content, indent=2, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Schema:
        """The schema that `to_json` gave.

        Parameters
        ----------
        text
            An object with the kind of each column, or an object with its kind and options.

        """
        try:
            content = json.loads(text, object_pairs_hook=_each_once)
        except json.JSONDecodeError as error:
            raise ValueError(f"a schema that is no JSON: {error}") from None
        if not isinstance(content, dict):
            raise ValueError('a schema is an object such as {"amount": "number"}')
        return cls(content)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Schema) and self.columns == other.columns

    __hash__ = None  # type: ignore[assignment]  # `columns` can be changed

    def __repr__(self) -> str:
        columns = {name: _shown(column) for name, column in self.columns.items()}
        return f"{type(self).__name__}({columns!r})"

    @classmethod
    def _unit_test_params(cls) -> typing.Iterator[dict[str, typing.Any]]:
        polls = ("ordinal_date", "gallup", "ipsos", "morning_consult", "rasmussen", "you_gov")
        yield {"columns": dict.fromkeys(polls, "number")}


def unreadable(name: str, value: typing.Any, error: UnreadableError) -> ValueError:
    """What to say of a value that is not what its column says."""
    text = repr(value)
    shown = text if len(text) <= 80 else f"{text[:77]}..."
    return ValueError(f"column {name!r} holds {shown}, not {error}")


def no_known_column(schema: Schema, row: Iterable[typing.Any]) -> ValueError:
    """What to say of a row that must come from another table."""
    expected = [name for name, column in schema.columns.items() if column.kind != "left out"]
    return ValueError(
        "this row has none of the columns that the model knows: "
        f"{_some(expected)}. It has: {_some(list(row)) or 'nothing'}"
    )


def _some(names: list[typing.Any]) -> str:
    shown = ", ".join(map(repr, names[:10]))
    return shown if len(names) <= 10 else f"{shown} and {len(names) - 10} more"


def _column(name: typing.Any, column: typing.Any) -> Column:
    if not isinstance(name, str):
        raise TypeError(f"the name of a column is a text, not {name!r}")
    if isinstance(column, Column):
        return column
    try:
        return Column.from_json(column)
    except (TypeError, ValueError) as error:
        raise ValueError(f"column {name!r}: {error}") from None


def _shown(column: Column) -> typing.Any:
    return column if column.options() else column.kind


def _each_once(pairs: list[tuple[str, typing.Any]]) -> dict[str, typing.Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"a schema that names {twice!r} twice: leave one of them out")
    return found
