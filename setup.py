"""The compiled core: one extension per file of `river_oa3/_core`."""

import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.sdist import sdist

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


class SourceArchive(sdist):
    """All that builds and tests the package, in the words of a MANIFEST.in."""

    def make_distribution(self) -> None:
        for line in (
            "recursive-include river_oa3 *.pyx *.pxd *.pyi",
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


setup(
    cmdclass={"sdist": SourceArchive},
    ext_modules=cythonize(
        extensions,
        compiler_directives={
            "language_level": 3,
            "boundscheck": False,
            "wraparound": False,
            "cdivision": True,
            "initializedcheck": False,
        },
    ),
)
