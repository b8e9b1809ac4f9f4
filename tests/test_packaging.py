"""What is shipped: a source archive that can build and test itself, a wheel without C files."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PYTHONS = ["3.11", "3.12", "3.13", "3.14"]
LEFT_BEHIND = ("__pycache__", "*.py[co]", "*.so", "*.pyd", "*.c", "*.egg-info", "build", "dist")


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """A copy of the sources: building must not change those that are tested."""
    folder = tmp_path_factory.mktemp("packaging") / "source"
    folder.mkdir()
    for name in ("river_oa3", "tests", "notebooks", ".ci", ".github"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns(*LEFT_BEHIND))
    for path in ROOT.iterdir():
        if path.suffix in (".md", ".py", ".toml", ".yaml") or path.name == "LICENSE":
            shutil.copy(path, folder)
    return folder


def run_in(folder, *command):
    done = subprocess.run([sys.executable, *command], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]


@pytest.fixture(scope="module")
def archived(source):
    """The files of the source archive, by their paths in it."""
    for name in ("river_oa3/_core/old.c", "tests/__pycache__/old.pyc", "build/old.c"):
        (source / name).parent.mkdir(exist_ok=True)
        (source / name).write_text("left behind by a build")
    run_in(source, "-m", "build", "--sdist", "--no-isolation", "--outdir", "dist")
    (path,) = (source / "dist").glob("*.tar.gz")
    with tarfile.open(path) as archive:
        return {name.partition("/")[2] for name in archive.getnames()}


def sources_below(*folders):
    return {
        path.relative_to(ROOT).as_posix()
        for folder in folders
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and not any(path.match(pattern) for pattern in LEFT_BEHIND)
    }


@pytest.mark.slow  # builds an archive
@pytest.mark.parametrize("folder", ["river_oa3", "tests", ".ci"])
def test_the_source_archive_holds_every_file_of(archived, folder):
    assert sources_below(folder) <= archived


@pytest.mark.slow
def test_the_source_archive_holds_nothing_that_a_build_made(archived):
    assert not [name for name in archived if re.search(r"\.(c|so|pyd|pyc)$|^build/", name)]


@pytest.mark.slow
def test_a_wheel_holds_what_others_compile_and_check_against_and_no_generated_c(archived, source):
    run_in(source, "setup.py", "build_py", "--build-lib", "wheel")
    shipped = {path.relative_to(source / "wheel") for path in (source / "wheel").rglob("*.*")}
    suffixes = {path.suffix for path in shipped if path.parent.name == "_core"}
    assert suffixes == {".py", ".pxd", ".pyi"}
    assert Path("river_oa3", "py.typed") in shipped
    assert Path("river_oa3", "experiments", "output", "page.html") in shipped


def test_sources_that_are_not_compiled_say_what_to_do(source):
    """As whoever installs the package and stays in the folder of the clone finds them."""
    done = subprocess.run(
        [sys.executable, "-c", "import river_oa3"], cwd=source, capture_output=True, text=True
    )
    assert "pip install -e ." in done.stderr.splitlines()[-1]
    assert str(source) in done.stderr.splitlines()[-1]


def test_the_readme_installs_in_place_what_it_runs_in_the_folder_of_the_clone():
    commands = re.findall(r"pip install (.*?)'", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert commands[0] == "-e "


def test_wheels_are_built_for_every_python_that_is_promised():
    promised = [
        line.rpartition(" ")[2]
        for line in PROJECT["project"]["classifiers"]
        if re.search(r"Python :: 3\.\d", line)
    ]
    assert promised == PYTHONS
    wheels = PROJECT["tool"]["cibuildwheel"]["build"].split()
    assert wheels == [f"cp{python.replace('.', '')}-*" for python in PYTHONS]


def test_every_python_that_is_promised_is_tested():
    workflow = (ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8")
    (versions,) = re.findall(r"python: \[(.*)\]", workflow)
    assert versions.replace('"', "").split(", ") == PYTHONS


def test_the_workflows_find_their_commands_in_the_readme():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len([line for line in readme.splitlines() if "'.[test]'" in line]) == 1
    assert len(re.findall(r"pip install '\.\[docs\]'[^`\n]*-o site", readme)) == 1


def test_what_the_package_imports_is_declared():
    declared = {re.split(r"[<>=\[; ]", line)[0] for line in PROJECT["project"]["dependencies"]}
    assert declared == {"river", "narwhals", "numpy", "scipy"}


def test_river_is_capped_below_its_next_minor_version():
    (river,) = [line for line in PROJECT["project"]["dependencies"] if line.startswith("river")]
    lowest, capped = re.fullmatch(r"river>=0\.(\d+),<0\.(\d+)", river).groups()
    assert int(capped) == int(lowest) + 1


def test_the_changelog_has_the_version():
    version = PROJECT["project"]["version"].partition(".dev")[0]
    assert f"\n## {version} " in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_command_starts_with_what_is_needed_at_run_time_alone():
    extras = ["pandas", "polars", "pyarrow", "pyspark", "sqlalchemy", "starlette", "uvicorn"]
    extras += ["jinja2", "matplotlib", "psutil", "pooch"]
    code = f"""
import sys
for name in {extras!r}:
    sys.modules[name] = None  # which an import takes for missing
from river_oa3 import cli
sys.exit(cli.main(["show", "--help"]))
"""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "usage: river-oa3 show" in ended.stdout, ended.stderr
    assert ended.returncode == 0
