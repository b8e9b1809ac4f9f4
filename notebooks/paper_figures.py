"""What to see in the figures of notebook 02: sentences with figures from the files in `results`."""

from __future__ import annotations

import numpy as np
import pandas as pd
from paper.sets import HIGH_DIMENSIONAL
from paper_results import (
    BETTER,
    COMPLETE,
    FIRST,
    OURS,
    SECOND,
    TABLED,
    TITLES,
    UNWEIGHTED,
    part,
    read,
    set_name,
    signed,
)


def _as_list(sentences: list[str]) -> str:
    return "<ul>" + "".join(f"<li>{sentence}</li>" for sentence in sentences) + "</ul>"


def _winners(name: str) -> tuple[pd.Series, pd.Series]:
    """Who is best at each point of a sweep, and how far results scatter along it."""
    lines = read(name)
    variable, metric = lines.columns[2], lines["metric"].iloc[0]
    lines["objective"] = BETTER[metric] * lines["mean"]
    best = lines.loc[lines.groupby(["data set", variable])["objective"].idxmax(), "method"]
    return best, lines.groupby(variable)["deviation"].mean()


def budgets(name: str) -> str:
    best, scatter = _winners(name)
    families = {
        "OA3 or a version": OURS,
        "a second-order rival": SECOND,
        "a first-order one": FIRST,
    }
    counts = ", ".join(f"{label} {best.isin(each).sum()}" for label, each in families.items())
    return (
        f"Of {len(best)} points, this is best: {counts}. Results scatter by "
        f"{scatter.iloc[0]:.1f} on average with the smallest budget and by "
        f"{scatter.iloc[-1]:.1f} with the largest."
    )


def biases(name: str) -> str:
    """What the biases are worth: the range over the map beside the scatter between orders."""
    lines = read(name)
    metric, sentences = lines.columns[-1], []
    for title, found in lines.groupby("data set", sort=False):
        best = found.loc[(BETTER[metric] * found[metric]).idxmax()]
        own = next(each for each in TITLES if set_name(each) == set_name(title))
        deviation = part(own, metric)["score_deviation"]["OA3"]
        sentences.append(
            f"{set_name(title)}: best at delta_pos {best['delta_pos']:g}, delta_neg "
            f"{best['delta_neg']:g}; from worst to best {np.ptp(found[metric]):.2f}, while OA3 "
            f"has a standard deviation of {deviation:.2f}"
        )
    return "The colours look strong, but mind their scales." + _as_list(sentences)


def weights(name: str) -> str:
    best, _ = _winners(name)
    plain = best.isin(UNWEIGHTED).sum()
    return f"Of {len(best)} points, a method without a weight for positives is best in {plain}."


def valleys(name: str) -> str:
    lines = read(name)
    lines = lines[~lines["data set"].str.contains("empty events")]
    top = lines.groupby(["data set", lines.columns[2]])["mean"].max().reset_index()
    constant = 100 * np.maximum(top.iloc[:, 1], 1 - top.iloc[:, 1])
    beaten = top[constant >= top["mean"]]
    return (
        f"{weights(name)} The valleys are no failure: at both ends one answer for all events "
        f"scores {constant.max():.0f}. It is at least as good as every method at {len(beaten)} of "
        f"{len(top)} points, w8a aside, where events without features count as mistakes."
    )


def _steps(name: str) -> pd.DataFrame:
    """Where each method is best, and what a factor of ten away from it costs at most."""
    lines = read(name)
    variable, metric = lines.columns[2], lines["metric"].iloc[0]
    rows = []
    for (title, method), found in lines.groupby(["data set", "method"], sort=False):
        values = (BETTER[metric] * found["mean"]).to_numpy()
        at = int(np.nanargmax(values))
        loss = values[at] - np.nanmin(values[max(0, at - 1) : at + 2])
        rows.append((set_name(title), method, found[variable].iloc[at], loss))
    return pd.DataFrame(rows, columns=["set", "method", "best", "loss"])


def _best_of_oa3(name: str) -> str:
    found = _steps(name)
    wanted = found[found["method"] == "OA3"]
    return ", ".join(f"{each.set} {each.best:g}" for each in wanted.itertuples())


def rates(name: str) -> str:
    found = _steps(name)
    worst = found.loc[found["loss"].idxmax()]
    return (
        f"OA3 is best at eta: {_best_of_oa3(name)}. A factor of ten away from the best eta of a "
        f"method costs up to {found['loss'].median():.1f} in the median, and {worst['loss']:.1f} "
        f"at worst ({worst['method']} on {worst['set']})."
    )


def regularisation(name: str) -> str:
    lines = read(name)
    metric = lines["metric"].iloc[0]
    lines = lines[lines["method"] == "OA3"]
    gains = []
    for title, found in lines.groupby("data set", sort=False):
        values = BETTER[metric] * found["mean"]
        usual = values[found.iloc[:, 2] == 1].iloc[0]
        gains.append(f"{set_name(title)} {signed(values.max() - usual)}")
    return (
        f"OA3 is best at gamma: {_best_of_oa3(name)}. The paper keeps gamma at 1 elsewhere. What "
        f"the best one in hindsight would gain OA3: {', '.join(gains)}."
    )


def strategies(name: str) -> str:
    """How far OA3 is ahead of the other two at the end of the stream."""
    lines, metric = read(name), name.split("-")[1]
    lines = lines[lines["metric"] == metric]
    sentences = []
    for title, found in lines.groupby("data set", sort=False):
        ends = found.groupby("method").last()
        objective = BETTER[metric] * ends["mean"]
        leads = ", ".join(
            f"of {rival} by {signed(objective['OA3'] - objective[rival])}"
            for rival in ("OA3-F", "OA3-R")
        )
        deviation = ends["deviation"]["OA3"]
        sentences.append(f"{set_name(title)}: {leads}; its standard deviation is {deviation:.1f}")
    return (
        "OA3 and first come, first served (OA3-F) lie upon each other or nearly so, and both are "
        "better than asking at random. OA3 is ahead" + _as_list(sentences)
    )


def leaders(_: str) -> str:
    """The first three methods of each table of a set with many features."""
    sentences = []
    for title, metric in COMPLETE:
        if set_name(title) in HIGH_DIMENSIONAL:
            scores = part(title, metric)["score"].reindex(TABLED)
            first = (BETTER[metric] * scores).nlargest(3).index
            places = ", ".join(f"{method} {scores[method]:.1f}" for method in first)
            sentences.append(f"{set_name(title)}, {metric}: {places}")
    return "OA3 and SOAL-CS end close together. In front are" + _as_list(sentences)
