"""Spark's properties in the settings hold no secret."""

import pytest
from pydantic import ValidationError

from deid_tasks.settings import SparkSettings


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("spark.executorEnv.PALIMPSEST_SECRET_RIVERSIDE_KEY", "AAAA"),
        ("spark.kubernetes.driverEnv.PALIMPSEST_SECRET_RIVERSIDE_KEY", "AAAA"),
        ("spark.ssl.keyPassword", "AAAA"),
        ("spark.hadoop.fs.s3a.access.key", "AAAA"),
        ("spark.executorEnv.EHR", "postgresql://reader:AAAA@ehr/clarity"),
    ],
)
def test_a_secret_is_refused_and_not_quoted(name, value):
    with pytest.raises(ValidationError, match="is a secret") as refused:
        SparkSettings(conf={name: value})
    assert "AAAA" not in refused.value.errors()[0]["msg"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("spark.executor.instances", "16"),
        ("spark.kubernetes.executor.secretKeyRef.PALIMPSEST_SECRET_RIVERSIDE_KEY", "palimpsest:riverside_key"),
    ],
)
def test_other_properties_are_accepted(name, value):
    assert SparkSettings(conf={name: value}).conf == {name: value}
