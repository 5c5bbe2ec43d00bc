"""How Airflow runs the dbt project, without a row of the warehouse reaching a log.

PostgreSQL's error texts quote values, and dbt prints them: an invalid date in a patient's row would stand in Airflow's log. So
dbt is silent here, and what each node came to is told by its name, status and number of failing rows. That is also why a layer
is one task and not one a model: Cosmos' watcher keeps dbt's events as XCom, and a process for each of 60 models and tests costs
minutes on a small machine.
"""

from pathlib import Path
from typing import Any

# Cosmos must find Airflow imported.
import airflow  # noqa: F401
from airflow.sdk import TaskGroup, chain
from cosmos.config import ProfileConfig
from cosmos.constants import InvocationMode
from cosmos.operators.local import DbtBuildLocalOperator
from cosmos.profiles import PostgresUserPasswordProfileMapping

from deid_tasks.core.errors import WarehouseError
from deid_tasks.settings import InstitutionSettings

PROJECT = Path(__file__).resolve().parents[2] / "dbt"
LAYERS = {
    "staging": ["path:models/staging"],
    "dictionaries": ["path:seeds", "path:models/dictionaries"],
    "quality": ["path:models/quality"],
}
_SILENT = {"DBT_LOG_LEVEL": "none", "DBT_LOG_LEVEL_FILE": "none", "DBT_SEND_ANONYMOUS_USAGE_STATS": "False"}
_GOOD = {"success", "pass", "warn", "skipped", "no-op"}


class DbtLayer(DbtBuildLocalOperator):
    """`dbt build` of one layer: its models and their tests."""

    def handle_exception_dbt_runner(self, result: Any) -> None:
        """Log what became of every node; raise ``WarehouseError`` with the names of those that failed."""
        outcomes = getattr(result.result, "results", None) or []
        for outcome in outcomes:
            self.log.info("%s: %s in %.1f s", outcome.node.unique_id, outcome.status, outcome.execution_time)
        failed = [_told(outcome) for outcome in outcomes if outcome.status not in _GOOD]
        if failed:
            raise WarehouseError(f"dbt: {'; '.join(failed)}; the warehouse knows more")
        if not result.success:
            raise WarehouseError(f"dbt: {type(result.exception).__name__}; run `dbt build` by hand to see its text")


def dbt_layers(settings: InstitutionSettings) -> TaskGroup:
    """Staging, then dictionaries, then the views on quality, as the tasks of one group."""
    profile = PostgresUserPasswordProfileMapping(
        conn_id=settings.warehouse.connection, profile_args={"schema": "palimpsest_unused", "threads": 2}
    )
    with TaskGroup("dbt") as group:
        chain(
            *(
                DbtLayer(
                    task_id=layer,
                    project_dir=str(PROJECT),
                    profile_config=ProfileConfig("palimpsest", "warehouse", profile_mapping=profile),
                    select=select,
                    # Also the tests that look back at an earlier layer.
                    indirect_selection="buildable",
                    vars={"institution": settings.institution, "layout": settings.warehouse.layout},
                    invocation_mode=InvocationMode.DBT_RUNNER,
                    install_deps=False,
                    emit_datasets=False,
                    # Compiled SQL would go to Airflow's database.
                    should_store_compiled_sql=False,
                    append_env=True,
                    env=_SILENT,
                )
                for layer, select in LAYERS.items()
            )
        )
    return group


def _told(outcome: Any) -> str:
    rows = f", {outcome.failures} rows" if outcome.failures else ""
    return f"{outcome.node.unique_id} {outcome.status}{rows}"
