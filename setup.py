"""The compiled core: one extension per .pyx file of the package, compiled side by side."""

import os
import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

# No fast-math: the core relies on NaN and infinity being what they are. No contraction either,
# so that a model gives the same numbers on machines with and without fused multiply-add.
FLAGS = ["/O2", "/fp:precise"] if sys.platform == "win32" else ["-O3", "-ffp-contract=off"]

JOBS = os.cpu_count() or 1

# What every extension that takes arrays would otherwise hold a copy of.
SHARED = "river_oa3._core._shared"


class ParallelBuild(build_ext):
    def finalize_options(self) -> None:
        super().finalize_options()
        self.parallel = self.parallel or JOBS


def module_name(path: Path) -> str:
    return ".".join(path.with_suffix("").parts)


extensions = cythonize(
    [
        Extension(SHARED, [], extra_compile_args=FLAGS),
        *(
            Extension(module_name(path), [path.as_posix()], extra_compile_args=FLAGS)
            for path in sorted(Path("river_oa3").rglob("*.pyx"))
        ),
    ],
    nthreads=0 if sys.platform == "win32" else JOBS,
    shared_utility_qualified_name=SHARED,
    compiler_directives={
        "language_level": 3,
        "boundscheck": False,
        "wraparound": False,
        "cdivision": True,
        "initializedcheck": False,
    },
)

setup(ext_modules=extensions, cmdclass={"build_ext": ParallelBuild})
