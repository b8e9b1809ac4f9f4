"""One page with all that a comparison found, which needs no network, no script and no other file.

Names and values of the data are text and nothing else, whatever they contain; and a policy in the
page lets it load nothing and run nothing, should that ever fail.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from river_oa3.experiments.findings import Findings
from river_oa3.experiments.output import page_sections as contents
from river_oa3.experiments.output import words
from river_oa3.experiments.output.page_parts import bullets, paragraphs, plain, section
from river_oa3.experiments.output.page_sections import Handover
from river_oa3.experiments.output.page_style import STYLE

__all__ = ["Handover", "page"]

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
PAGE = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
{style}</style>
</head>
<body>
<header>
{header}
</header>
<main>
{sections}
</main>
<footer>
<p>Written by river-oa3. This page loads nothing and runs nothing.</p>
</footer>
</body>
</html>
"""


def page(
    findings: Findings,
    *,
    command: str,
    profile: Sequence[Sequence[str]] | None = None,
    notes: Sequence[str] = (),
    warnings: Sequence[str] = (),
    handover: Handover | None = None,
    not_exported: str = "",
    pictures: Mapping[str, bytes] | None = None,
) -> str:
    """All that a comparison found, as HTML.

    Parameters
    ----------
    findings
        What it found.
    command
        The command line that made it.
    profile
        The columns of the file, a row each, below a row of heads.
    notes
        What was done to the file.
    warnings
        What to look at before trusting the numbers.
    handover
        What puts the model to use.
    not_exported
        Why there is no model, where there is none.
    pictures
        PNG or SVG by caption.

    """
    parts = {
        "results": ("Results", contents.results(findings)),
        "pictures": ("Pictures", contents.pictures(pictures or {})),
        "labels": ("How many labels", contents.labels(findings)),
        "file": ("The file", contents.file(profile, notes)),
        "warnings": ("Warnings", bullets(warnings, "warnings")),
        "use": ("Use it", contents.use(handover) if handover else paragraphs([not_exported])),
        "settings": ("Settings and versions", contents.settings(findings, command)),
    }
    filled = {name: part for name, part in parts.items() if part[1]}
    links = {
        name: f"{title} ({len(warnings)})" if name == "warnings" else title
        for name, (title, _) in filled.items()
    }
    return PAGE.format(
        policy=POLICY,
        title=plain(f"{findings.comparison.stream.title}: {words.decision(findings)}"),
        style=STYLE,
        header=contents.header(findings, links),
        sections="\n".join(section(name, *part) for name, part in filled.items()),
    )
