"""River's pipelines and the steps in them, and the two steps of this package.

A `compose.Select` gives features in the order of a set, which is another one in each process.
"""

from __future__ import annotations

import typing
from collections.abc import Hashable, Iterable, Mapping

import numpy as np
from river import base, compose, preprocessing, stats
from river.preprocessing.impute import Constant

from river_oa3.files.errors import FileError
from river_oa3.files.fields import Fields, Json
from river_oa3.files.parts import (
    ANOTHER_WAY,
    Writer,
    check_attributes,
    full_name,
    register,
    register_remedy,
)
from river_oa3.fixed_scaler import FixedColumn, FixedScaler
from river_oa3.schema import Column, Schema
from river_oa3.state import LARGEST_COUNT, shown

_CACHES = ("_plan", "_inference_transformers", "_last_step_cached", "_last_step_params")
_STEPS = (base.Transformer, compose.Pipeline)


def _encode_pipeline(pipeline: compose.Pipeline, writer: Writer) -> Json:
    check_attributes(pipeline, ("steps", *_CACHES))
    return {"steps": _encode_steps(pipeline.steps, writer)}


def _decode_pipeline(fields: Fields) -> compose.Pipeline:
    pipeline = compose.Pipeline()
    n_before = len(steps := fields.items("steps")) - 1
    for number, content in enumerate(steps):
        kinds = _STEPS if number < n_before else (*_STEPS, base.Classifier)
        name, step = _decode_step(fields.inside(content, f"steps[{number}]"), kinds)
        if name in pipeline.steps:
            fields.refuse("steps", f"has two called {shown(name)}")
        pipeline.steps[name] = step
    if not steps:
        fields.refuse("steps", "is empty")
    return pipeline


def _encode_union(union: compose.TransformerUnion, writer: Writer) -> Json:
    check_attributes(union, ("transformers",))
    return {"transformers": _encode_steps(union.transformers, writer)}


def _decode_union(fields: Fields) -> compose.TransformerUnion:
    union = compose.TransformerUnion()
    for number, content in enumerate(fields.items("transformers")):
        inside = fields.inside(content, f"transformers[{number}]")
        name, transformer = _decode_step(inside, _STEPS)
        if name in union.transformers:
            fields.refuse("transformers", f"has two called {shown(name)}")
        union.transformers[name] = transformer
    if not union.transformers:
        fields.refuse("transformers", "is empty")
    return union


def _encode_steps(steps: dict[typing.Any, typing.Any], writer: Writer) -> list[Json]:
    if not steps:
        raise FileError("a pipeline without steps cannot be stored in a file: there is nothing")
    for name in steps:
        if type(name) is not str:
            raise FileError(f"a step called {shown(name)} cannot be stored: give it a text's name")
    return [{"name": name, "step": writer.part(step)} for name, step in steps.items()]


def _decode_step(fields: Fields, kinds: tuple[type, ...]) -> tuple[str, typing.Any]:
    step = fields.text("name"), fields.part("step", kinds)
    fields.check_all_taken()
    return step


def _encode_standard(scaler: preprocessing.StandardScaler, writer: Writer) -> Json:
    check_attributes(scaler, ("with_std", "window_size", "counts", "means", "vars"))
    _check_no_window(scaler)
    # A feature that is missing in one of them counts as 0 there, and so does a variance that is
    # below 0: batches leave such ones by rounding, and nothing can be divided by their root.
    names = list({**scaler.counts, **scaler.means, **scaler.vars})
    means = [_number_of(scaler, scaler.means.get(name, 0.0)) for name in names]
    variances = [_number_of(scaler, scaler.vars.get(name, 0.0)) for name in names]
    variances = [0.0 if variance < 0.0 else variance for variance in variances]
    return {
        "with_std": bool(scaler.with_std),
        "names": writer.names(names),
        "counts": writer.numbers("counts", map(writer.count, [scaler.counts[n] for n in names])),
        "means": writer.numbers("means", means),
        "variances": writer.numbers("variances", variances),
    }


def _decode_standard(fields: Fields) -> preprocessing.StandardScaler:
    scaler = preprocessing.StandardScaler(fields.flag("with_std"))
    names = fields.names("names")
    counts = fields.numbers("counts", len(names))
    if not ((counts >= 0.0) & (counts <= LARGEST_COUNT) & (counts == np.floor(counts))).all():
        fields.refuse("counts", "are not whole numbers, or too large")
    # Neither need be finite: river takes what it is taught.
    means = fields.numbers("means", len(names))
    variances = fields.numbers("variances", len(names))
    if (variances < 0.0).any():
        fields.refuse("variances", "are below 0")
    scaler.counts.update(dict(zip(names, counts.astype(np.int64).tolist(), strict=True)))
    scaler.means.update(zip(names, means.tolist(), strict=True))
    scaler.vars.update(zip(names, variances.tolist(), strict=True))
    return scaler


def _encode_min_max(scaler: preprocessing.MinMaxScaler, writer: Writer) -> Json:
    check_attributes(scaler, ("window_size", "min", "max"))
    _check_no_window(scaler)
    names = list({**scaler.min, **scaler.max})
    fresh = preprocessing.MinMaxScaler()
    return {
        "names": writer.names(names),
        "min": _encode_extremes(scaler, [scaler.min.get(n, fresh.min[n]) for n in names], writer),
        "max": _encode_extremes(scaler, [scaler.max.get(n, fresh.max[n]) for n in names], writer),
    }


def _decode_min_max(fields: Fields) -> preprocessing.MinMaxScaler:
    scaler = preprocessing.MinMaxScaler()
    names = fields.names("names")
    for name, lowest in zip(names, _decode_extremes(fields, "min", len(names)), strict=True):
        scaler.min[name].min = lowest
    for name, highest in zip(names, _decode_extremes(fields, "max", len(names)), strict=True):
        scaler.max[name].max = highest
    return scaler


def _encode_max_abs(scaler: preprocessing.MaxAbsScaler, writer: Writer) -> Json:
    check_attributes(scaler, ("window_size", "abs_max"))
    _check_no_window(scaler)
    return {
        "names": writer.names(scaler.abs_max),
        "max": _encode_extremes(scaler, scaler.abs_max.values(), writer),
    }


def _decode_max_abs(fields: Fields) -> preprocessing.MaxAbsScaler:
    scaler = preprocessing.MaxAbsScaler()
    names = fields.names("names")
    for name, highest in zip(names, _decode_extremes(fields, "max", len(names)), strict=True):
        scaler.abs_max[name].abs_max = highest
    return scaler


def _encode_extremes(
    scaler: base.Transformer, extremes: Iterable[typing.Any], writer: Writer
) -> list[typing.Any]:
    """As they came, integers too: as floats they would be rounded."""
    return [writer.value(_number_of(scaler, extreme.get())) for extreme in extremes]


def _decode_extremes(fields: Fields, name: str, size: int) -> list[float]:
    extremes = fields.value(name)
    if type(extremes) is not list or len(extremes) != size:
        fields.refuse(name, f"is not a list of {size} numbers")
    for number in extremes:
        if type(number) not in (int, float) or number != number:
            fields.refuse(name, f"holds {shown(number)}, which is not a number")
    return extremes


def _encode_normalizer(step: preprocessing.Normalizer, writer: Writer) -> Json:
    check_attributes(step, ("order",))
    if step.order is None:
        return {"order": None}
    return {"order": writer.value(_number_of(step, step.order))}


def _decode_normalizer(fields: Fields) -> preprocessing.Normalizer:
    order = fields.value("order")
    if order is not None and not (type(order) in (int, float) and order >= 0):
        fields.refuse("order", f"is {shown(order)}, which is no order of a norm")
    return preprocessing.Normalizer(order)


def _encode_keys(step: compose.Select | compose.Discard, writer: Writer) -> Json:
    check_attributes(step, ("keys",))
    return {"names": writer.names(_in_order(step.keys, writer))}


def _encode_schema(schema: Schema, writer: Writer) -> Json:
    check_attributes(schema, vars(schema.clone()))
    columns = schema.columns.items()
    return {"columns": [{"name": name, "is": column.as_json()} for name, column in columns]}


def _decode_schema(fields: Fields) -> Schema:
    columns = {}
    for number, content in enumerate(fields.items("columns")):
        column = fields.inside(content, f"columns[{number}]")
        name = column.text("name")
        if name in columns:
            fields.refuse("columns", f"has two called {shown(name)}")
        columns[name] = Column.from_json(column.take("is"))
        column.check_all_taken()
    return Schema(columns)


def _encode_fixed_scaler(scaler: FixedScaler, writer: Writer) -> Json:
    check_attributes(scaler, vars(scaler.clone()))
    return {
        "columns": _encode_fixed_columns(scaler.columns, writer),
        "missing": _encode_fixed_columns(scaler.missing, writer),
        "intercept": bool(scaler.intercept),
        "unit_rows": bool(scaler.unit_rows),
    }


def _decode_fixed_scaler(fields: Fields) -> FixedScaler:
    return FixedScaler(
        _decode_fixed_columns(fields.inner("columns")),
        _decode_fixed_columns(fields.inner("missing")),
        fields.flag("intercept"),
        fields.flag("unit_rows"),
    )


def _encode_fixed_columns(columns: Mapping[Hashable, FixedColumn], writer: Writer) -> Json:
    given = list(columns.values())
    return {
        "features": writer.names(columns),
        "names": writer.names([column.name for column in given]),
        "centres": writer.numbers("centres", [column.centre for column in given]),
        "scales": writer.numbers("scales", [column.scale for column in given]),
        "is_dense": writer.numbers("is_dense", [float(column.is_dense) for column in given]),
        "fills": writer.numbers("fills", [column.fill for column in given]),
    }


def _decode_fixed_columns(fields: Fields) -> dict[Hashable, FixedColumn]:
    features = fields.names("features")
    names, size = fields.names("names"), len(features)
    if len(names) != size:
        fields.refuse("names", f"are not {size}")
    centres, scales, is_dense, fills = (
        fields.numbers(name, size) for name in ("centres", "scales", "is_dense", "fills")
    )
    for name, numbers in (("centres", centres), ("fills", fills)):
        if not np.isfinite(numbers).all():
            fields.refuse(name, "are not finite numbers")
    # A constant is divided by infinity.
    if not (scales > 0.0).all():
        fields.refuse("scales", "are not numbers above 0")
    if not np.isin(is_dense, (0.0, 1.0)).all():
        fields.refuse("is_dense", "are neither 0 nor 1")
    fields.check_all_taken()
    columns = zip(
        names,
        centres.tolist(),
        scales.tolist(),
        (is_dense > 0).tolist(),
        fills.tolist(),
        strict=True,
    )
    return dict(zip(features, (FixedColumn(*each) for each in columns), strict=True))


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
        "values": [writer.names(_in_order(each, writer)) for each in step.values.values()],
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
    if len(set(map(id, step.stats.values()))) < len(step.stats):
        raise FileError(
            f"a {full_name(type(step))} whose features share a statistic cannot be stored in a "
            "file: give each its own"
        )
    return {
        "names": writer.names(step.stats),
        "fill": [_encode_fill(step, fill, writer) for fill in step.stats.values()],
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
            "mean": writer.value(float(_number_of(step, fill._mean))),
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


def _in_order(names: Iterable[Hashable], writer: Writer) -> list[Hashable]:
    """The members of a set in an order that is the same in every process."""
    return sorted(names, key=lambda name: str(writer.names([name])))


def _number_of(step: base.Transformer, number: typing.Any) -> typing.Any:
    """A number that a step has kept, as it is: in another precision it would go on otherwise."""
    if type(number) in (int, float):
        return number
    if isinstance(number, (bool, np.bool_, np.integer)):
        return int(number)
    if type(number) is np.float64:
        return float(number)
    raise FileError(
        f"a {full_name(type(step))} that has been taught {shown(number)}, a "
        f"{full_name(type(number))}, cannot be stored in a file: give it Python's own numbers"
    )


def _check_no_window(scaler: typing.Any) -> None:
    if scaler.window_size is not None:
        raise FileError(
            f"a {full_name(type(scaler))} with a window_size cannot be stored in a file: use one "
            "without"
        )


register(compose.Pipeline, _encode_pipeline, _decode_pipeline)
register(compose.TransformerUnion, _encode_union, _decode_union)
register(compose.Select, _encode_keys, lambda fields: compose.Select(*fields.names("names")))
register(compose.Discard, _encode_keys, lambda fields: compose.Discard(*fields.names("names")))
register(preprocessing.StandardScaler, _encode_standard, _decode_standard)
register(preprocessing.MinMaxScaler, _encode_min_max, _decode_min_max)
register(preprocessing.MaxAbsScaler, _encode_max_abs, _decode_max_abs)
register(preprocessing.Normalizer, _encode_normalizer, _decode_normalizer)
register(preprocessing.OneHotEncoder, _encode_one_hot, _decode_one_hot)
register(preprocessing.StatImputer, _encode_imputer, _decode_imputer)
register(Schema, _encode_schema, _decode_schema)
register(FixedScaler, _encode_fixed_scaler, _decode_fixed_scaler)
register_remedy(
    compose.FuncTransformer,
    "it is code. Take the function out of the pipeline and call it on the event before "
    f"predict_one and learn_one, or {ANOTHER_WAY}",
)
