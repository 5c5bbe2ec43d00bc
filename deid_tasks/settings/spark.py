"""How the shards of an institution's runs are submitted to a Spark cluster."""

import re
from typing import Literal

from pydantic import Field, field_validator

from deid_tasks.settings.section import Section

_SECRET_IN_CONF = re.compile(r"Env\.PALIMPSEST_SECRET_|password|token$|access\.key$", re.IGNORECASE)
_PASSWORD_IN_VALUE = re.compile(r"://[^/@\s]*:[^/@\s]*@")


class SparkSettings(Section):
    """Where the shards run if `notes.engine` is `spark`."""

    connection: str = Field(
        default="spark_default",
        min_length=1,
        description="Airflow connection of type `spark` that names the master, such as yarn, k8s://… or spark://….",
    )
    mode: Literal["client", "yarn-cluster", "kubernetes-cluster"] = Field(
        default="client",
        description="Where the driver runs. client: in the Airflow task, and ends with it. In the two others the"
        " cluster runs it, and a task that lost its worker finds it again.",
    )
    conf: dict[str, str] = Field(
        default_factory=dict,
        description="Spark's own properties, such as spark.executor.instances. Never a secret: Spark shows them.",
    )

    @field_validator("conf")
    @classmethod
    def _no_secrets_in_conf(cls, value: dict[str, str]) -> dict[str, str]:
        for name, text in value.items():
            if _SECRET_IN_CONF.search(name) or _PASSWORD_IN_VALUE.search(text):
                raise ValueError(
                    f"{name} is a secret, which Spark's pages and logs would show: give it to the executors as the"
                    " cluster gives secrets, such as spark.kubernetes.executor.secretKeyRef"
                )
        return value
