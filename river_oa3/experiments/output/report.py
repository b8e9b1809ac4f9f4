"""What was compared in a few lines, and the comparison as CSV and JSON to work with."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import math
import typing
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from river_oa3.experiments.comparison import Comparison
from river_oa3.experiments.findings import Findings
from river_oa3.experiments.output.files import write_text
from river_oa3.experiments.output.table import figures, figures_of, table
from river_oa3.experiments.output.text import mean_and_deviation, named_values, visible
from river_oa3.experiments.output.versions import versions
from river_oa3.experiments.output.words import in_words
from river_oa3.experiments.scores import METRICS, Counts, Goal
from river_oa3.experiments.tuning import Search

__all__ = ["as_csv", "as_json", "describe", "findings_as_json", "table", "write"]


def describe(comparison: Comparison) -> str:
    """What was compared on what, in a few lines."""
    stream, plan, setting = comparison.as_it_came, comparison.plan, comparison.setting
    share = plan.budget / comparison.events
    orders = "one shuffle" if plan.permutations else "events in the order in which they came"
    if plan.runs > 1:
        kind = "shuffles" if plan.permutations else "runs in the order in which they came"
        orders = f"mean +- standard deviation over {plan.runs} {kind}"
    is_part = comparison.events < len(stream) and plan.runs > 1 and not plan.permutations
    each = ", a different window in each run" if is_part else ""
    source = plan.goal.measure.rho_source if plan.rho is None else "given"
    lines = [
        f"{visible(stream.title)}: {len(stream):,} events, {stream.positives:,} positive "
        f"(1 in {len(stream) / stream.positives:.1f}), {stream.n_features:,} features",
        f"budget {plan.budget:,} labels ({share:.2%} of {comparison.events:,} events{each}), "
        f"{orders}, seed {plan.seed}",
        f"rho = {setting.rho:.4g} ({source}), {_parameters(comparison)}",
    ]
    if plan.paper_accounting:
        lines.append(
            f"accounting of the paper: all {stream.n_empty:,} events without features count as "
            "mistakes"
        )
    if not comparison.is_complete:
        left = [method for method in plan.methods if method not in comparison.failed]
        done = min(len(comparison.runs.get(method, ())) for method in left)
        kind = "shuffles" if plan.permutations else "runs"
        lines.append(f"INTERRUPTED: {done} of {plan.runs} {kind} finished")
    lines += [f"{method} {reason}" for method, reason in comparison.failed.items()]
    return "\n".join(lines)


def _parameters(comparison: Comparison) -> str:
    plan = comparison.plan
    if plan.tuning is None:
        return "default parameters" if not plan.parameters else "parameters as given"
    cut = "" if plan.tuning_events is None else f" cut to {plan.tuning_events:,} events"
    if plan.search is not None:
        cut += _stages(plan.search)
    if plan.tuning == "prefix":
        return f"parameters chosen on the first fifth of the stream{cut}, reported on the rest"
    if not plan.permutations:
        return f"parameters chosen on the same events{cut}, with other random numbers"
    return f"parameters chosen on other permutations of the same events{cut}"


def _stages(search: Search) -> str:
    """How the search for parameters differs from the one over all events and the whole grid."""
    stages = (search.coarse, search.fine, search.final)
    events = dict.fromkeys("all" if each.events is None else f"{each.events:,}" for each in stages)
    return (
        f" (grid 10^{search.exponents[0]} to 10^{search.exponents[-1]}, on "
        f"{', then '.join(events)} events, finals in {search.final.orders} orders)"
    )


def as_csv(comparison: Comparison) -> str:
    """A line per method: mean and standard deviation of each column, and the parameters."""
    lines = []
    for method in comparison.runs:
        line: dict[str, typing.Any] = {"data": visible(comparison.stream.title), "method": method}
        for key, values in figures(comparison, method).items():
            line[key], line[f"{key}_deviation"] = mean_and_deviation(values)
        line["permutations"] = len(comparison.runs[method])
        line["parameters"] = named_values(comparison.parameters[method])
        lines.append(line)
    text = io.StringIO()
    writer = csv.DictWriter(text, list(lines[0]) if lines else ["data", "method"])
    writer.writeheader()
    writer.writerows(lines)
    return text.getvalue()


def as_json(comparison: Comparison) -> dict[str, typing.Any]:
    """Everything: settings, versions, each run of each method, and the mean curves."""
    stream, plan = comparison.as_it_came, comparison.plan
    return {
        "data": {
            "name": stream.name,
            "note": stream.note,
            "events": len(stream),
            "features": stream.n_features,
            "positives": stream.positives,
        },
        "plan": dataclasses.asdict(plan),
        "setting": dataclasses.asdict(comparison.setting),
        "complete": comparison.is_complete,
        "failed": comparison.failed,
        "versions": versions(),
        "methods": {
            method: {
                "parameters": comparison.parameters[method],
                "permutations": sorted(comparison.runs[method]),
                "runs": {
                    key: values.tolist() for key, values in figures(comparison, method).items()
                },
                "exhausted": [
                    comparison.runs[method][k].exhausted for k in sorted(comparison.runs[method])
                ],
                "curve": _curve(plan.goal, comparison.curves(method)),
            }
            for method in comparison.runs
        },
        "checkpoints": comparison.checkpoints.tolist(),
    }


def _curve(goal: Goal, counts: Counts) -> dict[str, list[float]]:
    return {
        **{
            name: metric.score(goal, counts).mean(axis=0).tolist()
            for name, metric in METRICS.items()
        },
        "labels": np.asarray(counts.labels).mean(axis=0).tolist(),
    }


def findings_as_json(findings: Findings) -> dict[str, typing.Any]:
    """What `as_json` does not have: the verdict, the ceiling, the curve, and all of it in words."""
    verdict, ceiling, curve = findings.verdict, findings.ceiling, findings.curve
    content = {
        "verdict": {
            **verdict._asdict(),
            "differences": [each._asdict() for each in verdict.differences],
        },
        "ceiling": ceiling
        and {
            key: values.tolist()
            for key, values in figures_of(findings.comparison.plan.goal, ceiling).items()
        },
        "curve": curve
        and {
            "method": curve.method,
            "metric": curve.goal.metric,
            "budgets": list(curve.budgets),
            "scores": curve.scores.tolist(),
            "gains": [each._asdict() for each in curve.gains],
            "gaps": [each._asdict() for each in curve.gaps],
            "enough": curve.enough,
        },
        "words": in_words(findings),
    }
    return typing.cast("dict[str, typing.Any]", finite(content))


def finite(content: typing.Any) -> typing.Any:
    """Content for JSON, which has no word for what is infinite or not a number: they are null."""
    if isinstance(content, Mapping):
        return {key: finite(each) for key, each in content.items()}
    if isinstance(content, list | tuple):
        return [finite(each) for each in content]
    return None if isinstance(content, float) and not math.isfinite(content) else content


def write(
    comparison: Comparison,
    folder: Path,
    name: str,
    more: Mapping[str, typing.Any] | None = None,
) -> list[Path]:
    """Write a comparison as CSV and JSON, the JSON with `more` in it."""
    paths = [folder / f"{name}.csv", folder / f"{name}.json"]
    write_text(paths[0], as_csv(comparison))
    content = finite({**as_json(comparison), **(more or {})})
    write_text(paths[1], json.dumps(content, indent=1, allow_nan=False) + "\n")
    return paths
