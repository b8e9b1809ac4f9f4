from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys

from pyspark.sql import SparkSession

__all__ = ["is_connect", "java_problem", "local_session"]

LEAST_JAVA = 17


def local_session(master: str = "local[2]", memory: str = "2g", **settings: str) -> SparkSession:
    """A session of Spark on this machine alone, with what this package wants set.

    Workers run this Python with one thread of arithmetic each, and everything is bound to loopback.

    Parameters
    ----------
    master
        What Spark runs on: `local[2]` for two threads, or `local-cluster[2,1,1024]` for two
        executors of their own with a core and 1,024 MB each.
    memory
        The memory of the driver.
    settings
        Further settings of Spark, with two underscores for a dot: `spark__ui__enabled="true"`.

    """
    problem = java_problem()
    if problem is not None:
        raise RuntimeError(problem)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    wanted = {
        "spark.master": master,
        "spark.driver.memory": memory,
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "10000",
        **{f"spark.executorEnv.{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")},
        **{name.replace("__", "."): value for name, value in settings.items()},
    }
    builder = SparkSession.builder.appName("river_oa3")
    for name, value in wanted.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def is_connect(session: SparkSession) -> bool:
    """Whether a session is one of Spark Connect, which lets nobody at the driver's Java."""
    return type(session).__module__.startswith("pyspark.sql.connect.")


def java_problem() -> str | None:
    """Why Spark cannot run here; None if it can."""
    home = os.environ.get("JAVA_HOME")
    java = os.path.join(home, "bin", "java") if home else shutil.which("java")
    if java is None or not os.path.exists(java):
        return f"Spark needs Java {LEAST_JAVA} or newer: install it, or set JAVA_HOME"
    try:
        said = subprocess.run([java, "-version"], capture_output=True, text=True).stderr
    except OSError as error:
        return f"Spark needs Java {LEAST_JAVA} or newer, and {java} cannot be run: {error.strerror}"
    found = re.search(r'version "(?:1\.)?(\d+)', said)
    if found is None or int(found.group(1)) < LEAST_JAVA:
        version = found.group(1) if found else "of no version that is known"
        return f"Spark needs Java {LEAST_JAVA} or newer, and {java} is Java {version}"
    return None
