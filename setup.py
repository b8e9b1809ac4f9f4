"""The compiled core: one extension per file of `river_oa3/_core`."""

import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

# No fast-math: the core relies on NaN and infinity being what they are. No contraction either,
# so that a model gives the same numbers on machines with and without fused multiply-add.
FLAGS = ["/O2", "/fp:precise"] if sys.platform == "win32" else ["-O3", "-ffp-contract=off"]

extensions = [
    Extension(
        f"river_oa3._core.{path.stem}",
        [path.as_posix()],
        extra_compile_args=FLAGS,
    )
    for path in sorted(Path("river_oa3/_core").glob("*.pyx"))
]

setup(
    ext_modules=cythonize(
        extensions,
        compiler_directives={
            "language_level": 3,
            "boundscheck": False,
            "wraparound": False,
            "cdivision": True,
            "initializedcheck": False,
        },
    )
)
