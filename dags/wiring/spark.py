"""The task that submits the shards of a run to a Spark cluster, in place of one Airflow task a shard."""

import datetime
import json
import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from airflow.providers.apache.spark.operators.spark_submit import SparkSubmitOperator
from airflow.sdk import Connection, Context
from airflow.sdk.exceptions import AirflowSkipException

from deid_tasks.settings import InstitutionSettings, SparkSettings
from deid_tasks.settings.secrets import variable_of
from wiring.institutions import FOLDER, settings_of
from wiring.secrets import airflow_secrets
from wiring.steps import run_name

if TYPE_CHECKING:
    from deid_tasks.platform.runs.reports import ShardReport

_HOURS = 24
"""Hours after which an application is ended: it reads all shards of a run, not one."""


class SparkShards(SparkSubmitOperator):  # type: ignore[misc,unused-ignore]
    """Submits one Spark application that processes the shards of a run, and returns the reports of all.

    Where the cluster runs the driver, the application's id is stored before the task waits: a task that lost its worker
    finds the application again. The id is deleted once the reports are read: Airflow 3.3 keeps it when a task is
    cleared, and a cleared task must process the shards again.
    """

    def __init__(
        self, *, settings: InstitutionSettings, kind: str, plan_task: str, pin_task: str, **kwargs: Any
    ) -> None:
        spark = settings.notes.spark
        super().__init__(
            application=_application(spark),
            conn_id=spark.connection,
            conf=dict(spark.conf),
            name=f"deid-{settings.institution}-{kind}",
            deploy_mode="client" if spark.mode == "client" else "cluster",
            yarn_track_via_rm_api=spark.mode == "yarn-cluster",
            track_driver_via_k8s_api=spark.mode == "kubernetes-cluster",
            execution_timeout=datetime.timedelta(hours=_HOURS),
            **kwargs,
        )
        self.institution, self.kind, self.plan_task, self.pin_task = settings.institution, kind, plan_task, pin_task

    def execute(self, context: Context) -> "list[ShardReport]":
        """Run the application, or find it again, and return its reports; skip a run that has no shard."""
        from deid_tasks.platform.workspace import SharedFiles
        from deid_tasks.spark.reports import read_shard_reports, reports_file

        plan, pin = (context["ti"].xcom_pull(task_ids=one) for one in (self.plan_task, self.pin_task))
        if not plan:
            raise AirflowSkipException("no note is to be processed")
        settings, run_id = settings_of(self.institution), run_name(self.kind, context["run_id"])
        self.application_args = ["--settings", str(FOLDER / f"{self.institution}.yaml"), "--run-id", run_id]
        self.application_args += ["--pin", json.dumps(pin), "--shards", str(len(plan))]
        self._prepare(settings)
        super().execute(context)
        file = SharedFiles(settings, airflow_secrets()).fetch(reports_file(settings, run_id))
        reports = read_shard_reports(file, pin, len(plan))
        self._forget_application(context)
        return reports

    def _prepare(self, settings: InstitutionSettings) -> None:
        """Give the processes of this machine its Python, and the secrets if executors are among them.

        On a cluster executors have their secrets from the cluster: what is given here would be in the command line.
        """
        from deid_tasks.spark.requirements import require_spark
        from deid_tasks.spark.run_shards import shard_secrets

        require_spark()
        given: dict[str, str] = {}
        if settings.notes.spark.mode == "client":
            given["spark.pyspark.driver.python"] = sys.executable
        if (Connection.get(settings.notes.spark.connection).host or "").startswith("local"):
            given["spark.pyspark.python"] = sys.executable
            secrets = airflow_secrets()
            self.env_vars = {variable_of(name): secrets.text(name) for name in shard_secrets(settings)}
        self.conf = given | dict(settings.notes.spark.conf)

    def _forget_application(self, context: Context) -> None:
        stored: Any = context.get("task_state_store")
        if stored is not None:
            stored.delete(self.external_id_key)
            stored.delete(self._K8S_DRIVER_STATUS_KEY)


def _application(spark: SparkSettings) -> str:
    """Return the path of the application; the one in the driver's image where Kubernetes runs the driver."""
    found = find_spec("deid_tasks.spark.run_shards")
    assert found is not None
    prefix = "local://" if spark.mode == "kubernetes-cluster" else ""
    return f"{prefix}{found.origin}"
