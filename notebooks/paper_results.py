"""What notebook 02 shows: the files in `results` as tables, pictures and sentences.

The files are those of `python -m notebooks.paper all`. Every figure that the sentences quote is
read from them, so that the notebook stays true when they are made again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from IPython.display import HTML, Image, display
from paper.registry import EXPERIMENTS

from river_oa3 import datasets
from river_oa3.experiments.methods import of_families

RESULTS = Path(__file__).parent / "results"
FIRST, SECOND = of_families("first-order rival"), of_families("second-order rival")
OURS = of_families("OA3")
TABLED = (*FIRST, *SECOND, *OURS)
UNWEIGHTED = ("PAA", "OAAL", "SOAL")
DIGITS = {"sum": 2, "cost": 1}
BETTER = {"sum": 1.0, "cost": -1.0}
HEAD = re.compile(
    r'^"(?P<metric>sum|cost)" on (?P<title>.+?): (?P<events>[\d,]+) events, '
    r"(?P<positives>[\d,]+) positive .*, (?P<features>[\d,]+) features\n"
    r"budget (?P<budget>[\d,]+) labels.* over (?P<orders>\d+) (?:permutations|shuffles).*\n"
    r"rho = (?P<rho>[\d.e+]+) .*parameters chosen on other (?:permutations|shuffles) of the same "
    r"events"
    r"(?: cut to (?P<cut>[\d,]+) events)?"
    r"(?: \(grid .*, on (?P<stages>.+) events, finals (?:in|over) \d+ (?:orders|shuffles)\))?\n"
    r"accounting of the paper: all (?P<empty>[\d,]+) events",
    re.MULTILINE,
)


def show_table(rows: Any, title: str = "") -> None:
    """Rows of text as a table; a cell may hold HTML."""
    heading = f"<b>{title}</b>" if title else ""
    display(HTML(heading + pd.DataFrame(rows).to_html(index=False, escape=False, border=0)))


def show_figure(name: str, sentence: str | Callable[[str], str]) -> None:
    """A figure and what to see in it: a text, or a function that makes it from the results."""
    if not (RESULTS / f"{name}.png").exists():
        print(f"{name} is not among the results")
        return
    title = EXPERIMENTS[name.split("-")[0]].title
    display(Image(RESULTS / f"{name}.png", width=760, alt=f"{name}: {title}"))
    text = sentence if isinstance(sentence, str) else sentence(name)
    display(HTML(f"<p><b>{name}</b>, {title}. {text}</p>"))


def signed(value: float, unit: str = "") -> str:
    """With its sign, and without one where it is 0 when rounded."""
    if np.isnan(value):
        return "-"
    rounded = round(value, 1)
    return (f"{rounded:+,.1f}" if rounded else "0.0") + unit


def set_name(title: str) -> str:
    return re.split(r" \(|,", title)[0]


def read(name: str) -> pd.DataFrame:
    return pd.read_csv(RESULTS / f"{name}.csv")


NAMES = [name for name in ("table2", "table3") if (RESULTS / f"{name}.csv").exists()]
TABLES = pd.concat([read(name) for name in NAMES])
TEXTS = "\n".join((RESULTS / f"{name}.txt").read_text() for name in NAMES)
HEADS = {(found["title"], found["metric"]): found.groupdict() for found in HEAD.finditer(TEXTS)}
TITLES: list[str] = list(dict.fromkeys(TABLES["data"]))


def part(title: str, metric: str) -> pd.DataFrame:
    """The lines of one table, by method."""
    found = TABLES[(TABLES["data"] == title) & (TABLES["metric"] == metric)]
    return found.set_index("method")


def is_own(title: str) -> bool:
    """Whether it is the paper's own data: only then there are differences to it."""
    return bool(TABLES[TABLES["data"] == title]["difference"].notna().any())


def kind(title: str) -> str:
    if is_own(title):
        return "the paper's own data"
    if " in place of " in title:
        return "<i>a stand-in, other data</i>"
    if " part of " in title or " sample of " in title:
        return "<i>a part of the paper's data</i>"
    return "<i>not the rows and columns of the paper</i>"


def show_sets() -> None:
    rows = []
    for title in TITLES:
        head, paper = HEADS[title, "sum"], datasets.paper.SETS[set_name(title)]
        rows.append(
            {
                "set": set_name(title),
                "what it is here": kind(title),
                "note": title[len(set_name(title)) :].strip(" ()"),
                "events": head["events"],
                "in the paper": f"{paper.rows:,}",
                "positives": head["positives"],
                "features": head["features"],
                "without features": head["empty"],
                "budget": head["budget"],
                "orders": head["orders"],
                "tuned on": f"{head['stages'] or head['cut'] or 'all'} events",
            }
        )
    show_table(rows)


def _columns(title: str, metric: str) -> dict[str, dict[str, str]]:
    """Ours, the paper's and the difference, by method; the best of the paper's methods is bold."""
    lines = part(title, metric)
    found = {}
    for column, name in [("score", metric), ("paper_score", f"{metric}, paper")]:
        best = (BETTER[metric] * lines[column].reindex(TABLED)).idxmax()
        texts = {}
        for method, line in lines.iterrows():
            figures = (line[column], line[f"{column}_deviation"])
            text = " ± ".join(f"{figure:,.{DIGITS[metric]}f}" for figure in figures)
            texts[method] = f"<b>{text}</b>" if method == best else text
            if np.isnan(line[column]):
                texts[method] = "-"
        found[name] = texts
    if is_own(title):
        found[f"{metric}, difference"] = {
            method: signed(value, " sd") for method, value in lines["difference"].items()
        }
    return found


def show_scores() -> None:
    """Our figures beside the paper's, a table for each set."""
    for title in TITLES:
        found = {}
        for metric in BETTER:
            if (title, metric) in HEADS:
                found |= _columns(title, metric)
        frame = pd.DataFrame(found).rename_axis("method").reset_index()
        show_table(frame, f"{title}: {kind(title)}")


def _pairs(scores: dict[str, float], better: Iterable[str], worse: Iterable[str]) -> int:
    return sum(scores[a] > scores[b] for a in better for b in worse)


def _lead(lines: pd.DataFrame, column: str, metric: str, method: str, rival: str) -> float:
    """By how many of its standard deviations a method is ahead of another."""
    ahead = BETTER[metric] * (lines[column][method] - lines[column].get(rival, np.nan))
    return float(ahead / lines[f"{column}_deviation"][method])


def _claim(title: str, metric: str) -> dict[str, Any]:
    """What one table says about the claims, here and in the paper."""
    lines = part(title, metric)
    claim: dict[str, Any] = {"set": set_name(title), "metric": metric, "own": is_own(title)}
    for where, column in [("here", "score"), ("paper", "paper_score")]:
        scores = (BETTER[metric] * lines[column]).to_dict()
        order = sorted(TABLED, key=lambda method: -scores[method])
        claim[f"best {where}"] = order[0]
        claim[f"rank {where}"] = order.index("OA3") + 1
        claim[f"second {where}"] = _pairs(scores, SECOND + OURS, FIRST)
        claim[f"ours {where}"] = _pairs(scores, OURS, FIRST + SECOND)
        claim[f"sketch {where}"] = scores["SSOA3"] - scores["OA3"]
        for rival in ("CSOAL", "SOAL", "SOAL-CS", "OA3-R", "OA3-F"):
            claim[f"{rival} {where}"] = _lead(lines, column, metric, "OA3", rival)
    ranks = lines.loc[list(TABLED), ["score", "paper_score"]].rank()
    claim["same order"] = ranks["score"].equals(ranks["paper_score"])
    claim["rank correlation"] = ranks["score"].corr(ranks["paper_score"])
    return claim


# A run that was interrupted leaves a table without some of the methods.
COMPLETE = [key for key in HEADS if set(TABLED) <= set(part(*key).index)]
CLAIMS = pd.DataFrame([_claim(*key) for key in COMPLETE])
OF_SECOND, OF_OURS = len(SECOND + OURS) * len(FIRST), len(OURS) * len(FIRST + SECOND)


def show_claims() -> None:
    """A line for each table, the paper's figures in parentheses."""
    rows = []
    for each in CLAIMS.to_dict("records"):

        def both(name: str, write: Callable[[Any], str] = str, each: Any = each) -> str:
            return f"{write(each[f'{name} here'])} ({write(each[f'{name} paper'])})"

        rows.append(
            {
                "set": each["set"] if each["own"] else f"<i>{each['set']}</i>",
                "metric": each["metric"],
                "best": both("best"),
                "rank of OA3": both("rank"),
                "second order over first": f"{both('second')} of {OF_SECOND}",
                "OA3 and versions over rivals": f"{both('ours')} of {OF_OURS}",
                "OA3 over SOAL-CS, sd": both("SOAL-CS", signed),
                "OA3 over OA3-F, sd": signed(each["OA3-F here"]),
                "SSOA3 over OA3": both("sketch", signed),
            }
        )
    show_table(rows, "In italics: not the paper's own data")


def show_verdicts() -> None:
    """The claims counted over all tables."""
    total = len(CLAIMS)

    def ours_best(where: str) -> int:
        return int(CLAIMS[f"best {where}"].isin(OURS).sum())

    def ahead(rival: str, where: str) -> str:
        leads = CLAIMS[f"{rival} {where}"].dropna()
        return f"{(leads > 1).sum()} of {len(leads)}" if len(leads) else "-"

    sums = CLAIMS.groupby("own")["rank correlation"].mean()
    others = ", ".join(sorted(set(CLAIMS["best here"]) - set(OURS))) or "none"
    rows = [
        ("pairs with second order ahead of first, of", total * OF_SECOND, "second"),
        ("pairs with OA3 and its versions ahead of rivals, of", total * OF_OURS, "ours"),
    ]
    found = [
        {
            "claim": f"{claim} {of}",
            "here": str(CLAIMS[f"{name} here"].sum()),
            "paper": str(CLAIMS[f"{name} paper"].sum()),
        }
        for claim, of, name in rows
    ]
    found.append(
        {
            "claim": f"tables with OA3 or a version of it in front, of {total}",
            "here": f"{ours_best('here')} (else: {others})",
            "paper": str(ours_best("paper")),
        }
    )
    for rival in ("CSOAL", "SOAL", "SOAL-CS", "OA3-R", "OA3-F"):
        claim = f"tables with OA3 ahead of {rival} by more than one standard deviation"
        found.append({"claim": claim} | {each: ahead(rival, each) for each in ("here", "paper")})
    show_table(found)
    same = CLAIMS["same order"].sum()
    print(
        f"tables with the paper's order of methods: {same} of {total}; mean rank correlation with"
    )
    print(f"it: {sums.get(True, np.nan):.2f} on the paper's own data, ", end="")
    print(f"{sums.get(False, np.nan):.2f} elsewhere")


def show_cifar_tuning() -> None:
    """OA3's settings on few events and on all of them."""
    tried = read("cifar_tuning")
    setting = ["eta", "delta_pos", "delta_neg"]
    tuning = tried[tried["orders"] == "tuning"].set_index(setting)
    few, whole = (tuning[tuning["events"] == events] for events in (500, 10_000))
    both = few[["sum"]].join(whole[["sum"]], lsuffix=" few", rsuffix=" whole").dropna()
    reported = tried[tried["orders"] == "reported"].set_index(setting)
    finals = whole[whole["number of orders"] == whole["number of orders"].max()]
    looks = [
        (few["sum"].idxmax(), "best on 500 events", "#D55E00", "s"),
        (finals["sum"].idxmax(), "chosen on the whole stream", "#0072B2", "o"),
    ]
    figure, panel = plt.subplots(figsize=(6, 3.6), layout="constrained")
    panel.plot(both["sum few"], both["sum whole"], ".", color="#999999", label="other settings")
    for point, label, color, marker in looks:
        panel.plot(few["sum"][point], reported["sum"][point], marker, color=color, label=label)
    panel.set(xlabel="sum on 500 events (%)", ylabel="sum on the whole stream (%)")
    panel.grid(alpha=0.3)
    figure.legend(loc="outside lower center", ncols=3, frameon=False)
    plt.show()
    ranks = few["sum"].rank(ascending=False)
    rows = []
    for point, label, *_ in looks:
        found = reported.loc[point]
        rows.append(
            {"setting": label}
            | {name: f"{value:g}" for name, value in zip(setting, point, strict=True)}
            | {
                "rank on 500 events": f"{ranks[point]:.0f} of {len(few)}",
                "sum on the whole stream": f"{found['sum']:.1f}",
                "cost": f"{found['cost']:.1f}",
                "orders": str(found["number of orders"]),
            }
        )
    show_table(rows)
    together = both["sum few"].corr(both["sum whole"], method="spearman")
    cifar = datasets.paper.SETS["CIFAR-10"]
    print(f"rank correlation between few events and all: {together:.2f} ({len(both)} settings)")
    print(f"positives among 500 events: about {500 * cifar.positives / cifar.rows:.0f}")
    for metric in BETTER:
        for title in TITLES:
            if set_name(title) == "CIFAR-10" and (title, metric) in HEADS:
                line = part(title, metric).loc["OA3"]
                print(f"OA3's {metric} in the table above: ", end="")
                print(f"{line['score']:.1f} ± {line['score_deviation']:.1f}, ", end="")
                print(f"in the paper {line['paper_score']:.1f} ± ", end="")
                print(f"{line['paper_score_deviation']:.1f}")


def show_stand_in() -> None:
    """What the weight of a positive does where positives are rare."""
    rows = []
    for title, metric in HEADS:
        if " in place of " in title:
            for method in ("CSOAL", "SOAL", "SOAL-CS", "OA3", "OA3-diag", "SSOA3"):
                line = part(title, metric).loc[method]
                rho = "none" if method in UNWEIGHTED else HEADS[title, metric]["rho"]
                row = {"tuned for": metric, "rho": rho, "method": method}
                for name in ("score", "sensitivity", "specificity"):
                    row[name] = f"{line[name]:.1f} ± {line[f'{name}_deviation']:.1f}"
                rows.append(row)
    show_table(rows, "KDD Cup 2004 in place of KDDCUP08: a stand-in")


def show_losses() -> None:
    """OA3 beside the best rival, and beside one answer for all events."""
    rows = []
    for title, metric in COMPLETE:
        head = HEADS[title, metric]
        scores, digits = part(title, metric)["score"], DIGITS[metric]
        best = (BETTER[metric] * scores.reindex([*FIRST, *SECOND])).idxmax()
        events, positives, empty = (
            int(head[name].replace(",", "")) for name in ("events", "positives", "empty")
        )
        constant = 50.0 if metric == "sum" else min(0.9 * positives, 0.1 * (events - positives))
        rows.append(
            {
                "set": set_name(title),
                "metric": metric,
                "OA3": f"{scores['OA3']:,.{digits}f}",
                "best rival": f"{best} {scores[best]:,.{digits}f}",
                "OA3 ahead, sd": signed(_lead(part(title, metric), "score", metric, "OA3", best)),
                # It cannot be right about events that count as mistakes in any case.
                "one answer for all": "-" if empty else f"{constant:,.{digits}f}",
            }
        )
    show_table(rows, "Negative: the rival is ahead")


def show_speedups() -> None:
    rows = [
        {
            "set": set_name(each["data set"]),
            "features": each["features"],
            "method": each["method"],
            "seconds per run": each["s/run"],
            "times as fast as OA3": each["speed-up"],
            "in the paper": each["paper speed-up"],
        }
        for each in read("speedups").to_dict("records")
        if each["method"] != "OA3"
    ]
    show_table(rows, "What a sketch saves")
