"""Keep the results of `python -m notebooks.paper all` beside notebook 02, and run notebooks again.

    python notebooks/keep_results.py --results FOLDER notebooks/02_the_paper_in_pictures.ipynb

Both parts can be done alone. Pictures are kept with fewer colours, which nobody sees and which
makes them a third of the size. The courses of whole streams (fig1, fig2, figC6) are kept as
pictures only. What the folder does not have stays as it is.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from PIL import Image

KEPT = Path(__file__).parent / "results"
TABLES = ("table2", "table3", "speedups")
WITHOUT_CSV = ("fig1", "fig2", "figC6")
COLORS = 128


def keep(folder: Path) -> None:
    """Copy tables, the figures' numbers and the pictures."""
    for path in sorted(folder.iterdir()):
        if path.stem in TABLES and path.suffix in (".txt", ".csv"):
            shutil.copy(path, KEPT)
    for picture in sorted(folder.glob("fig*.png")):
        if picture.stem.endswith("-quick"):
            continue
        with Image.open(picture) as image:
            small = image.convert("RGB").quantize(COLORS, dither=Image.Dither.NONE)
        small.save(KEPT / picture.name, optimize=True)
        if picture.stem not in WITHOUT_CSV:
            shutil.copy(picture.with_suffix(".csv"), KEPT)


def execute(path: Path) -> None:
    """Run a notebook and keep its output, without times and versions that differ each time."""
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook,
        timeout=300,
        record_timing=False,
        coalesce_streams=True,
        resources={"metadata": {"path": str(path.parent)}},
    )
    client.execute()
    notebook.metadata["language_info"] = {"name": "python"}
    nbformat.write(notebook, path)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--results", type=Path, help="a folder of results to keep first")
    parser.add_argument("notebooks", type=Path, nargs="*", help="notebooks to run again")
    options = parser.parse_args()
    if options.results:
        keep(options.results)
    for each in options.notebooks:
        execute(each)
