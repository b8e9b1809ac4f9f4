"""The small parts of which the page is made; whatever comes from data goes through `escaped`."""

from __future__ import annotations

import base64
import html
import re
from collections.abc import Iterable, Sequence

from river_oa3.experiments.output.text import visible

__all__ = [
    "bullets",
    "code",
    "escaped",
    "figure",
    "paragraphs",
    "plain",
    "section",
    "table",
]


def escaped(text: object) -> str:
    """A text as text: no mark-up, no control characters, and its direction kept to itself."""
    # A number and its percent sign stay on one line.
    return f"<bdi>{re.sub(r'(?<=[0-9]) %', '&nbsp;%', plain(str(text)))}</bdi>"


def plain(text: str, keep: str = "") -> str:
    """A text for an attribute, or where no element can stand."""
    return html.escape(visible(text, keep), quote=True)


def section(name: str, title: str, content: str) -> str:
    """A section with its heading, to which a link can lead."""
    return f'<section id="{name}">\n<h2>{plain(title)}</h2>\n{content}\n</section>'


def paragraphs(texts: Iterable[str], kind: str = "") -> str:
    """Sentences as paragraphs; those that are empty are left out."""
    start = f'<p class="{kind}">' if kind else "<p>"
    return "\n".join(f"{start}{escaped(text)}</p>" for text in texts if text)


def bullets(texts: Sequence[str], kind: str = "") -> str:
    """Texts as a list."""
    if not texts:
        return ""
    start = f'<ul class="{kind}">' if kind else "<ul>"
    items = "\n".join(f"<li>{escaped(text)}</li>" for text in texts)
    return f"{start}\n{items}\n</ul>"


def code(text: str, wrap: bool = False) -> str:
    """Lines of code, as they are, or broken where they are too long to be seen."""
    start = '<pre class="wrap">' if wrap else '<pre tabindex="0">'
    return f"{start}<code>{plain(text, keep=chr(10) + chr(9))}</code></pre>"


def table(
    caption: str,
    heads: Sequence[str],
    bodies: Iterable[Sequence[Sequence[str]]],
    *,
    kind: str = "texts",
    marked: Iterable[tuple[int, int]] = (),
    chosen: str | None = None,
) -> str:
    """A table in a box of its own, which scrolls where the page is too narrow for it.

    The first cell of a row names it. Marked cells of the first body, by row and column, are strong,
    and the rows with the chosen name are set off.
    """
    marked = set(marked)
    head = "".join(f'<th scope="col">{escaped(each)}</th>' for each in heads)
    parts = []
    for number, body in enumerate(bodies):
        rows = []
        for i, (name, *cells) in enumerate(body):
            start = '<tr class="chosen">' if name == chosen else "<tr>"
            row = [f'<th scope="row">{escaped(name)}</th>']
            for j, cell in enumerate(cells, start=1):
                strong = number == 0 and (i, j) in marked
                shown = f"<strong>{escaped(cell)}</strong>" if strong else escaped(cell)
                row.append(f"<td>{shown if cell else ''}</td>")
            rows.append(f"{start}{''.join(row)}</tr>")
        parts.append("<tbody>\n" + "\n".join(rows) + "\n</tbody>")
    return (
        f'<div class="box" tabindex="0" role="region" aria-label="{plain(caption)}">\n'
        f'<table class="{kind}">\n<caption>{escaped(caption)}</caption>\n'
        f"<thead><tr>{head}</tr></thead>\n" + "\n".join(parts) + "\n</table>\n</div>"
    )


def figure(caption: str, picture: bytes) -> str:
    """A picture, PNG or SVG, inside the page."""
    kind = "png" if picture.startswith(b"\x89PNG") else "svg+xml"
    data = base64.b64encode(picture).decode()
    return (
        f'<figure>\n<img src="data:image/{kind};base64,{data}" alt="{plain(caption)}">\n'
        f"<figcaption>{escaped(caption)}</figcaption>\n</figure>"
    )
