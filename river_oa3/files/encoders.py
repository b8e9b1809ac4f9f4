"""River's steps that encode categories and fill gaps."""

from __future__ import annotations

import typing
from collections.abc import Hashable

from river import preprocessing, stats
from river.preprocessing.impute import Constant

from river_oa3.files.errors import FileError
from river_oa3.files.fields import Fields, Json
from river_oa3.files.parts import Writer, check_attributes, full_name, register
from river_oa3.files.steps import in_order, number_of
from river_oa3.files.values import LARGEST_COUNT, shown


def _encode_one_hot(step: preprocessing.OneHotEncoder, writer: Writer) -> Json:
    check_attributes(step, ("categories", "drop_zeros", "drop_first", "values", "_zero_dict"))
    for name, categories in step.values.items():
        if type(categories) is not set:
            raise FileError(
                f"a {full_name(type(step))} whose categories of {shown(name)} are a "
                f"{type(categories).__name__} cannot be stored in a file: give a set"
            )
    return {
        "drop_zeros": bool(step.drop_zeros),
        "drop_first": bool(step.drop_first),
        "fixed": step.categories is not None,
        "names": writer.names(step.values),
        "values": [writer.names(in_order(each, writer)) for each in step.values.values()],
        # In the order in which they come out.
        "zeros": writer.names(step._zero_dict),
    }


def _decode_one_hot(fields: Fields) -> preprocessing.OneHotEncoder:
    names, lists = fields.names("names"), fields.items("values")
    if len(lists) != len(names):
        fields.refuse("values", f"are not those of {len(names)} features")
    known = {
        name: set(fields.inside({"values": values}, f"values[{number}]").names("values"))
        for number, (name, values) in enumerate(zip(names, lists, strict=True))
    }
    flags = fields.flag("drop_zeros"), fields.flag("drop_first")
    is_fixed = fields.flag("fixed")
    step = preprocessing.OneHotEncoder(known if is_fixed else None, *flags)
    zeros = fields.names("zeros")
    if not all(type(name) is str for name in zeros):
        fields.refuse("zeros", "are not all texts")
    if not is_fixed:
        step.values.update(known)
    step._zero_dict = dict.fromkeys(zeros, 0)
    return step


def _encode_imputer(step: preprocessing.StatImputer, writer: Writer) -> Json:
    check_attributes(step, ("imputers", "stats"))
    return {
        "names": writer.names(name for name, _ in step.imputers),
        "fill": [_encode_fill(step, step.stats[name], writer) for name, _ in step.imputers],
    }


def _encode_fill(step: preprocessing.StatImputer, fill: typing.Any, writer: Writer) -> Json:
    kind = type(fill)
    if kind is Constant:
        return {"with": "value", "value": writer.value(fill.value)}
    if kind is stats.Mean:
        check_attributes(fill, ("n", "_mean"))
        return {
            "with": "mean",
            "n": float(fill.n),
            "mean": writer.value(float(number_of(step, fill._mean))),
        }
    if kind is stats.Mode:
        check_attributes(fill, ("k", "counts"))
        counts = [writer.count(count) for count in fill.counts.values()]
        values = writer.names(fill.counts)
        return {"with": "mode", "k": writer.value(fill.k), "values": values, "counts": counts}
    raise FileError(
        f"a {full_name(type(step))} with a {full_name(kind)} cannot be stored in a file: fill with "
        "stats.Mean(), stats.Mode() or a value"
    )


def _decode_imputer(fields: Fields) -> preprocessing.StatImputer:
    names, fills = fields.names("names"), fields.items("fill")
    if len(fills) != len(names):
        fields.refuse("fill", f"is not that of {len(names)} features")
    return preprocessing.StatImputer(
        *[
            (name, _decode_fill(fields.inside(fill, f"fill[{number}]")))
            for number, (name, fill) in enumerate(zip(names, fills, strict=True))
        ]
    )


def _decode_fill(fields: Fields) -> typing.Any:
    kind = fields.text("with")
    if kind == "value":
        fill = fields.value("value")
    elif kind == "mean":
        fill = stats.Mean._from_state(fields.number("n", 0.0), fields.any_number("mean"))
    elif kind == "mode":
        fill = stats.Mode(fields.integer("k", -1))
        fill.counts.update(_decode_counts(fields))
    else:
        fields.refuse("with", f"is {shown(kind)}, which is not known")
    fields.check_all_taken()
    return fill


def _decode_counts(fields: Fields) -> dict[Hashable, int]:
    values, counts = fields.names("values"), fields.items("counts")
    if len(counts) != len(values) or not all(
        type(n) is int and 0 <= n <= LARGEST_COUNT for n in counts
    ):
        fields.refuse("counts", f"are not the counts of {len(values)} values")
    return dict(zip(values, counts, strict=True))


register(preprocessing.OneHotEncoder, _encode_one_hot, _decode_one_hot)
register(preprocessing.StatImputer, _encode_imputer, _decode_imputer)
