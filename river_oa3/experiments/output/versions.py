"""What made the numbers: versions, and the machine."""

from __future__ import annotations

import importlib.metadata
import platform

__all__ = ["processor", "versions"]


def versions() -> dict[str, str]:
    """The versions of the packages, and the kind of machine."""
    packages = ("river-oa3", "river", "numpy", "scipy")
    return {
        **{name: importlib.metadata.version(name) for name in packages},
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}",
    }


def processor() -> str:
    """The name of the processor, where the system tells."""
    try:
        with open("/proc/cpuinfo") as lines:
            for line in lines:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or "unknown"
