"""A machine that cannot start Spark is told what to install."""

import importlib.util

import pytest

from deid_tasks.core.errors import SparkError
from deid_tasks.spark.requirements import require_spark
from tests.test_boundaries import WITHOUT, run_python


def test_a_machine_without_pyspark_is_told_what_to_install():
    code = (
        WITHOUT
        + "from deid_tasks.core.errors import SparkError\n"
        + "from deid_tasks.spark.requirements import require_spark\n"
        + "try:\n    require_spark()\nexcept SparkError as error:\n    print(error)\n"
    )
    assert "pip install 'palimpsest-deid[platform,spark]'" in run_python(code).stdout


@pytest.mark.skipif(importlib.util.find_spec("pyspark") is None, reason="the package pyspark is not installed")
class TestJava:
    def test_none(self, monkeypatch, tmp_path):
        monkeypatch.delenv("JAVA_HOME", raising=False)
        monkeypatch.setenv("PATH", str(tmp_path))
        with pytest.raises(SparkError, match="not installed: apt-get install openjdk-17"):
            require_spark()

    def test_one_that_lacks_a_module_of_spark(self, monkeypatch, tmp_path):
        java = tmp_path / "bin" / "java"
        java.parent.mkdir()
        java.write_text("#!/bin/sh\nexit 1\n")
        java.chmod(0o755)
        monkeypatch.setenv("JAVA_HOME", str(tmp_path))
        with pytest.raises(SparkError, match=r"bin/java cannot start Spark 4: .*openjdk-17"):
            require_spark()
