"""How Airflow runs the dbt project without a row of the warehouse reaching a log.

PostgreSQL's error texts quote values, and dbt prints them: an invalid date of a patient's row would reach Airflow's
log. So dbt is silent here; a layer's log line counts its nodes, and a failure names the node, its schema, its failing
rows and the command that shows them. This is also why a layer is one task and not one for each model: Cosmos' watcher
keeps dbt's events as XCom, and one process for each of 60 models and tests costs minutes on a small machine.
"""

from collections import Counter
from typing import Any, Literal

# Cosmos must find Airflow imported.
import airflow  # noqa: F401
from airflow.sdk import Context, TaskGroup, chain
from cosmos.config import ProfileConfig
from cosmos.constants import InvocationMode
from cosmos.operators.local import DbtBuildLocalOperator
from cosmos.profiles import PostgresUserPasswordProfileMapping

from deid_tasks.core.errors import InputError, WarehouseError
from deid_tasks.settings import InstitutionSettings
from wiring.paths import DBT_PROJECT
from wiring.secrets import airflow_secrets

LAYERS: dict[Literal["staging", "dictionaries", "quality"], list[str]] = {
    "staging": ["path:models/staging"],
    "dictionaries": ["path:seeds", "path:models/dictionaries"],
    "quality": ["path:models/quality"],
}
_SILENT = {"DBT_LOG_LEVEL": "none", "DBT_LOG_LEVEL_FILE": "none", "DBT_SEND_ANONYMOUS_USAGE_STATS": "False"}
_GOOD = {"success", "pass", "warn", "skipped", "no-op"}
_SHOWN_FAILURES = 10


class DbtLayer(DbtBuildLocalOperator):
    """`dbt build` of one layer: its models and their tests."""

    def __init__(self, *, connection_name: str, schema_name: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.connection_name, self.schema_name = connection_name, schema_name

    def execute(self, context: Context, **kwargs: Any) -> Any:
        """Build the layer; raise ``SettingsError`` where the warehouse's connection is not set."""
        airflow_secrets().text(self.connection_name)
        return super().execute(context, **kwargs)

    def handle_exception_dbt_runner(self, result: Any) -> None:
        """Log how many nodes succeeded and failed.

        Raises:
            InputError: tests failed, and nothing else did; another try would fail in the same way.
            WarehouseError: a model could not be built, or dbt could not run.
        """
        outcomes = getattr(result.result, "results", None) or []
        counts = Counter(str(outcome.status) for outcome in outcomes)
        seconds = sum(outcome.execution_time for outcome in outcomes)
        shown = ", ".join(f"{count} {status}" for status, count in sorted(counts.items())) or "nothing"
        self.log.info("dbt built %d models and tests in %.1f s: %s", len(outcomes), seconds, shown)
        failed = [outcome for outcome in outcomes if outcome.status not in _GOOD]
        if failed:
            kind = InputError if all(outcome.status == "fail" for outcome in failed) else WarehouseError
            raise kind(self._describe(failed))
        if not result.success:
            raise WarehouseError(
                f"dbt could not run: {type(result.exception).__name__};"
                f" in a shell that may read the warehouse, this shows its text: {self._command('build', '')}"
            )

    def _describe(self, failed: list[Any]) -> str:
        """Return what failed, where, and the commands that show the rows; it quotes no value of a row."""
        shown = "; ".join(_describe_node(outcome) for outcome in failed[:_SHOWN_FAILURES])
        more = len(failed) - _SHOWN_FAILURES
        first = failed[0]
        verb = "show" if first.status == "fail" else "build"
        return (
            f"dbt: in schema {self.schema_name}: {shown}{f'; and {more} more' if more > 0 else ''};"
            " to see the rows or the error, run in a shell that may read the warehouse:"
            f" {self._command(verb, first.node.name)}"
        )

    def _command(self, verb: str, node: str) -> str:
        select = f" --select {node}" if node else ""
        given = ", ".join(f"{name}: {value}" for name, value in (self.vars or {}).items())
        return f"dbt {verb} --project-dir dbt --profiles-dir dbt{select} --vars '{{{given}}}'"


def dbt_layers(settings: InstitutionSettings) -> TaskGroup:
    """Return one group of tasks: staging, then dictionaries, then the views on quality."""
    profile = PostgresUserPasswordProfileMapping(
        conn_id=settings.warehouse.connection, profile_args={"schema": "palimpsest_unused", "threads": 2}
    )
    with TaskGroup("dbt") as group:
        chain(
            *(
                DbtLayer(
                    task_id=layer,
                    connection_name=settings.warehouse.connection,
                    schema_name=settings.schema_name(layer),
                    project_dir=str(DBT_PROJECT),
                    profile_config=ProfileConfig("palimpsest", "warehouse", profile_mapping=profile),
                    select=select,
                    # Also the tests that look back at an earlier layer.
                    indirect_selection="buildable",
                    vars={"institution": settings.institution, "layout": settings.warehouse.layout},
                    invocation_mode=InvocationMode.DBT_RUNNER,
                    install_deps=False,
                    emit_datasets=False,
                    # Compiled SQL would be stored in Airflow's database.
                    should_store_compiled_sql=False,
                    append_env=True,
                    env=_SILENT,
                )
                for layer, select in LAYERS.items()
            )
        )
    return group


def _describe_node(outcome: Any) -> str:
    node = outcome.node
    if outcome.status != "fail":
        return f"{node.resource_type} {node.name} ended with status {outcome.status}"
    model = (getattr(node, "attached_node", None) or "").rpartition(".")[2]
    rows = "1 row" if outcome.failures == 1 else f"{outcome.failures} rows"
    return f"test {node.name}{f' of {model}' if model else ''} failed for {rows}"
