"""The benchmarks' own extensions, compiled beside their sources when those have changed."""

from __future__ import annotations

import os
import sys
import sysconfig
import tempfile
from pathlib import Path

__all__ = ["build"]

FOLDER = Path(__file__).parent
DIRECTIVES = {
    "language_level": 3,
    "boundscheck": False,
    "wraparound": False,
    "cdivision": True,
    "initializedcheck": False,
}
# As the package's own are compiled.
FLAGS = ["/O2", "/fp:precise"] if sys.platform == "win32" else ["-O3", "-ffp-contract=off", "-w"]


def build() -> None:
    """Compile what is not compiled, or older than its source."""
    for source in sorted(FOLDER.glob("*.pyx")):
        compiled = source.with_suffix(sysconfig.get_config_var("EXT_SUFFIX"))
        if not compiled.exists() or compiled.stat().st_mtime < source.stat().st_mtime:
            _compile(source, compiled)


def _compile(source: Path, compiled: Path) -> None:
    from Cython.Build import cythonize
    from setuptools import Distribution, Extension

    # Elsewhere first: other processes may import, or compile, the same at this moment.
    with tempfile.TemporaryDirectory(dir=FOLDER) as folder:
        extension = Extension(source.stem, [str(source)], extra_compile_args=FLAGS)
        modules = cythonize(
            [extension], build_dir=folder, compiler_directives=DIRECTIVES, quiet=True
        )
        command = Distribution({"ext_modules": modules}).get_command_obj("build_ext")
        command.build_lib = command.build_temp = folder
        command.ensure_finalized()
        command.run()
        os.replace(Path(folder, compiled.name), compiled)
