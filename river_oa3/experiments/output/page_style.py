"""How the page looks: light and dark, on a desk and on a phone, without anything from outside."""

from __future__ import annotations

__all__ = ["STYLE"]

STYLE = """\
:root {
  color-scheme: light dark;
  --paper: #fbfaf7; --card: #ffffff; --ink: #1c2127; --soft: #57606b; --line: #dcdad3;
  --accent: #005a8f; --tint: #e4eff6; --warn: #8a3b00; --warn-tint: #fdf0e3;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14171b; --card: #1c2026; --ink: #e8e6e1; --soft: #a4abb4; --line: #363c45;
    --accent: #7cc0ea; --tint: #1d3343; --warn: #ffb37a; --warn-tint: #38261a;
  }
  /* The pictures are drawn on white; turned round, their hues stay what they were. */
  figure img { filter: invert(0.9) hue-rotate(180deg); }
  figure { --card: #1a1a1a; }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0; background: var(--paper); color: var(--ink);
  font: 1rem/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
  overflow-wrap: anywhere;
}
main, header, footer { max-width: 66rem; margin: 0 auto; padding: 0 1.25rem; }
header { padding-top: 2.5rem; }
p, li { max-width: 46rem; }
h1 { font-size: clamp(1.6rem, 5vw, 2.2rem); line-height: 1.2; margin: 0 0 1rem;
  text-wrap: balance; }
h2 { font-size: 1.3rem; margin: 3rem 0 0.75rem; padding-top: 1rem;
  border-top: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 1.75rem 0 0.5rem; }
a { color: var(--accent); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.above { margin: 0 0 0.5rem; color: var(--soft); }
.soft, footer { color: var(--soft); font-size: 0.92rem; }
footer { padding-top: 2rem; padding-bottom: 3rem; }
.lead { font-size: 1.12rem; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: 0.75rem;
  margin: 1.5rem 0; padding: 0; }
.tiles div { background: var(--card); border: 1px solid var(--line); border-radius: 0.6rem;
  padding: 0.8rem 1rem; display: flex; flex-direction: column-reverse; justify-content: flex-end; }
.tiles dt { color: var(--soft); font-size: 0.88rem; line-height: 1.35; }
.tiles dd { margin: 0; font-size: 1.6rem; font-weight: 650; line-height: 1.3;
  font-variant-numeric: tabular-nums; }
.way { margin: 1.5rem 0; max-width: 46rem; }
.way .track { height: 0.75rem; border-radius: 1rem; background: var(--line); overflow: hidden; }
.way .done { display: block; height: 100%; background: var(--accent); }
.way .ends { display: flex; justify-content: space-between; gap: 1rem; color: var(--soft);
  font-size: 0.88rem; }
nav ul { display: flex; flex-wrap: wrap; gap: 0.25rem 1.1rem; list-style: none; padding: 0;
  margin: 1.5rem 0 0; max-width: none; font-size: 0.95rem; }
/* Phones show no bar where a table scrolls: a shadow says so, which the end of the table covers. */
.box { overflow-x: auto; border: 1px solid var(--line); border-radius: 0.6rem;
  margin: 0.75rem 0 1.25rem; background:
  linear-gradient(to left, var(--card) 40%, transparent) right / 3rem 100% no-repeat local,
  linear-gradient(to left, var(--line), transparent) right / 0.8rem 100% no-repeat scroll,
  var(--card); }
/* Borders that are not shared go along with the names of the rows. */
table { border-collapse: separate; border-spacing: 0; width: 100%; font-size: 0.92rem;
  overflow-wrap: normal; }
caption { text-align: left; padding: 0.7rem 0.9rem; color: var(--soft); caption-side: top; }
/* Where a table scrolls, its caption and the names of its rows stay. */
caption bdi { display: block; position: sticky; left: 0.9rem; width: fit-content;
  max-width: calc(100vw - 4.5rem); }
thead th:first-child, tbody th { position: sticky; left: 0; background: var(--card); }
th, td { padding: 0.42rem 0.9rem; text-align: left; vertical-align: top;
  border-top: 1px solid var(--line); }
thead th { white-space: nowrap; color: var(--soft); font-weight: 600; }
tbody th { font-weight: 600; }
.figures td, .figures thead th + th { text-align: right; white-space: nowrap;
  font-variant-numeric: tabular-nums; }
.figures tbody th { white-space: nowrap; }
.figures tbody + tbody tr:first-child > * { border-top: 4px double var(--line); }
.figures tbody + tbody th, .figures tbody + tbody td { color: var(--soft); font-weight: 400; }
.chosen th, .chosen td { background: var(--tint); }
.texts th, .texts td { overflow-wrap: anywhere; }
.profile { min-width: 56rem; }
.profile th:first-child { width: 12rem; }
.profile td { max-width: 20rem; overflow-wrap: break-word; }
.pictures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr));
  gap: 1rem; }
figure { margin: 0; background: var(--card); border: 1px solid var(--line); border-radius: 0.6rem;
  padding: 0.75rem; }
/* One that is left over has the row for itself. */
.pictures figure:last-child:nth-child(odd) { grid-column: 1 / -1; }
figure img, figcaption { max-width: 46rem; margin: 0 auto; }
figure img { display: block; width: 100%; height: auto; border-radius: 0.3rem; }
figcaption { color: var(--soft); font-size: 0.9rem; padding: 0.6rem 0.25rem 0; }
.warnings { background: var(--warn-tint); border-left: 4px solid var(--warn); border-radius: 0.3rem;
  padding: 0.8rem 1.2rem 0.8rem 2.2rem; margin: 1rem 0; max-width: 50rem; }
p.warnings { padding-left: 1.2rem; }
.warnings li::marker { color: var(--warn); }
pre { overflow-x: auto; background: var(--card); border: 1px solid var(--line);
  border-radius: 0.6rem; padding: 0.9rem 1rem; font-size: 0.88rem; line-height: 1.5; tab-size: 4; }
code { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
.wrap { white-space: pre-wrap; }
summary { cursor: pointer; color: var(--accent); padding: 0.3rem 0; }
@media (max-width: 40rem) {
  main, header, footer { padding-left: 1rem; padding-right: 1rem; }
  th, td { padding: 0.42rem 0.5rem; }
  .figures thead th, .figures thead th + th { white-space: normal; vertical-align: bottom; }
  /* A column of the file is a block of lines: of six cells in a row three would be hidden. */
  .profile { min-width: 0; }
  .profile, .profile caption, .profile tbody, .profile tr, .profile tbody th { display: block; }
  .profile thead { display: none; }
  .profile tr { border-top: 1px solid var(--line); padding: 0.5rem 0.9rem; }
  .profile th, .profile td { border: 0; padding: 0; max-width: none; }
  .profile td { display: inline; }
  .profile td:nth-child(n + 5) { display: block; }
  .profile td:nth-child(3)::before { content: ", gaps "; }
  .profile td:nth-child(4)::before { content: ", distinct "; }
  .profile td:empty { display: none; }
  .profile td:nth-child(6) { color: var(--soft); }
}
@media print { body { background: none; } .box, pre { overflow: visible; } }
"""
