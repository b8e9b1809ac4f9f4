"""The compiled core, one extension per .pyx file, built side by side; and the source archive."""

import os
import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.sdist import sdist

# No fast-math: the core relies on NaN and infinity being what they are. No contraction either,
# so that a model gives the same numbers on machines with and without fused multiply-add.
FLAGS = ["/O2", "/fp:precise"] if sys.platform == "win32" else ["-O3", "-ffp-contract=off"]
if sys.platform != "win32" and "CFLAGS" not in os.environ:
    FLAGS.append("-g0")  # line numbers for a debugger take a fifth of the build's time

JOBS = os.cpu_count() or 1

# Holds what every extension that takes arrays would otherwise have a copy of.
SHARED = "river_oa3._core._shared"


class ParallelBuild(build_ext):
    def finalize_options(self) -> None:
        super().finalize_options()
        self.parallel = self.parallel or JOBS


class SourceArchive(sdist):
    """All that builds and tests the package, in the words of a MANIFEST.in."""

    def make_distribution(self) -> None:
        for line in (
            "recursive-include river_oa3 *.pyx *.pxd *.pyi",
            "include river_oa3/experiments/output/page.html",
            "graft river_oa3/service/page",
            "graft tests",
            "graft notebooks",
            "graft .ci",
            "graft .github",
            "include CHANGELOG.md .pre-commit-config.yaml",
            # What Cython, the compiler, the tests and the notebooks leave behind.
            "prune build",
            "prune notebooks/.ipynb_checkpoints",
            "global-exclude *.c *.so *.pyd *.py[co]",
        ):
            self.filelist.process_template_line(line)
        super().make_distribution()


def module_name(path: Path) -> str:
    return ".".join(path.with_suffix("").parts)


def extensions() -> list[Extension]:
    found = sorted(Path("river_oa3").rglob("*.pyx"))
    sources = {SHARED: [], **{module_name(path): [path.as_posix()] for path in found}}
    return cythonize(
        [Extension(name, files, extra_compile_args=FLAGS) for name, files in sources.items()],
        # On Windows its worker processes would run this file again.
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


# An archive of the sources needs nothing compiled.
needs_core = "sdist" not in sys.argv
setup(
    ext_modules=extensions() if needs_core else [],
    cmdclass={"build_ext": ParallelBuild, "sdist": SourceArchive},
)
