"""How Airflow runs the dbt project without a row of the warehouse reaching a log.

PostgreSQL's error texts quote values, and dbt prints them: an invalid date of a patient's row would reach Airflow's
log. So dbt is silent here; a layer's log line counts its nodes, and a failure names the node, its schema, its failing
rows and the command that shows them. This is also why a layer is one task and not one for each model: Cosmos' watcher
keeps dbt's events as XCom, and one process for each of 60 models and tests costs minutes on a small machine.
"""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

# Cosmos must find Airflow imported.
import airflow  # noqa: F401
from airflow.sdk import Context, TaskGroup
from cosmos.config import ProfileConfig
from cosmos.constants import InvocationMode
from cosmos.operators.local import DbtBuildLocalOperator, DbtSourceLocalOperator
from cosmos.profiles import PostgresUserPasswordProfileMapping

from deid_tasks.core.errors import InputError, WarehouseError
from deid_tasks.platform.layouts import link_models, note_state_variables, own_layout
from deid_tasks.settings import DatabaseTask, InstitutionSettings
from wiring.institutions import FOLDER, settings_of
from wiring.paths import DBT_PROJECT
from wiring.placement import dbt_task
from wiring.secrets import airflow_secrets

if TYPE_CHECKING:
    from deid_tasks.platform.lineage import LineageRecord

Layer = Literal["staging", "history", "dictionaries", "quality"]

LAYERS: dict[Layer, list[str]] = {
    "staging": ["path:models/staging"],
    "history": ["path:snapshots", "path:models/history"],
    "dictionaries": ["path:seeds", "path:models/dictionaries"],
    "quality": ["path:models/quality"],
}
_SILENT = {"DBT_LOG_LEVEL": "none", "DBT_LOG_LEVEL_FILE": "none", "DBT_SEND_ANONYMOUS_USAGE_STATS": "False"}
_GOOD = {"success", "pass", "warn", "skipped", "no-op"}
_SHOWN_FAILURES = 10


class _WithOwnLayout:
    """What Cosmos' operators need to build an institution's own layout, which lies outside of the dbt project."""

    _own: Path | None = None
    vars: dict[str, Any] | None

    def find_layout(self) -> None:
        """Look for the layout; raise ``SettingsError`` where there is none of its name, or two."""
        variables = self.vars or {}
        self._own = own_layout(DBT_PROJECT, FOLDER, variables["layout"])
        self.vars = variables | note_state_variables(self._own)

    def _clone_project(self, tmp_dir_path: Path) -> None:
        """Link the dbt project into the folder in which Cosmos runs dbt, and the own layout's models with it."""
        super()._clone_project(tmp_dir_path)  # type: ignore[misc]
        if self._own is not None:
            link_models(DBT_PROJECT, tmp_dir_path, self._own)


class DbtLayer(_WithOwnLayout, DbtBuildLocalOperator):  # type: ignore[misc]
    """`dbt build` of one layer: its models and snapshots, and their tests."""

    def __init__(self, *, connection_name: str, schema_name: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.connection_name, self.schema_name = connection_name, schema_name
        self._lineage: LineageRecord | None = None

    def execute(self, context: Context, **kwargs: Any) -> Any:
        """Build the layer; raise ``SettingsError`` where the warehouse's connection or layout is missing."""
        from deid_tasks.platform.lineage import recorded_lineage

        airflow_secrets().text(self.connection_name)
        self.find_layout()
        layer = self.task_id.rpartition(".")[2]
        with recorded_lineage(settings_of((self.vars or {})["institution"]), f"dbt_{layer}") as self._lineage:
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
        self._record_lineage(outcomes)
        warned = [outcome for outcome in outcomes if outcome.status == "warn"]
        if warned:
            self.log.warning(
                "dbt: rows that break the contract: %s; quality_rows counts what was left out",
                "; ".join(_describe_node(outcome) for outcome in warned),
            )
        failed = [outcome for outcome in outcomes if outcome.status not in _GOOD]
        if failed:
            kind = InputError if all(outcome.status == "fail" for outcome in failed) else WarehouseError
            raise kind(self._describe(failed))
        if not result.success:
            raise WarehouseError(
                f"dbt could not run: {type(result.exception).__name__};"
                f" in a shell that may read the warehouse, this shows its text: {self._command('build', '')}"
            )

    def _record_lineage(self, outcomes: list[Any]) -> None:
        """Add the models' tables and columns to the lineage of this task, where the environment names a consumer."""
        from deid_tasks.platform.lineage import is_configured, models_lineage

        if self._lineage is not None and is_configured():
            settings, uri = settings_of((self.vars or {})["institution"]), airflow_secrets().text(self.connection_name)
            try:
                self._lineage.inputs, self._lineage.outputs = models_lineage(settings, uri, outcomes)
            except Exception as error:
                # SQL that the parser of lineage does not read is no reason to stop.
                self.log.warning("the columns' lineage is not known: %s", type(error).__name__)
            self._lineage.counts = {"nodes": len(outcomes)}

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
        return dbt_command(verb, self.vars, node)


class DbtFreshness(_WithOwnLayout, DbtSourceLocalOperator):  # type: ignore[misc]
    """`dbt source freshness`: fails where a raw table was last loaded too long ago."""

    def __init__(self, *, connection_name: str, max_age_hours: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.connection_name, self.max_age_hours = connection_name, max_age_hours

    def execute(self, context: Context, **kwargs: Any) -> Any:
        """Measure; raise ``SettingsError`` where the warehouse's connection or layout is missing."""
        airflow_secrets().text(self.connection_name)
        self.find_layout()
        return super().execute(context, **kwargs)

    def handle_exception_dbt_runner(self, result: Any) -> None:
        """Log the age of each source.

        Raises:
            WarehouseError: a source is too old, or dbt could not measure. Another try may find it loaded.
        """
        measured = getattr(result.result, "results", None) or []
        for source in measured:
            if (age := getattr(source, "age", None)) is not None:
                self.log.info("table %s: loaded %.1f hours ago (%s)", source.node.name, age / 3600, source.status)
        stale = sorted(source.node.name for source in measured if source.status == "error")
        if stale:
            raise WarehouseError(
                f"table {', '.join(stale)}: last loaded more than {self.max_age_hours} hours ago"
                " (warehouse.max_source_age_hours); load the warehouse, then clear this task"
            )
        if not result.success:
            failed = ", ".join(sorted(source.node.name for source in measured if source.status == "runtime error"))
            raise WarehouseError(
                f"dbt source freshness could not measure {failed or 'the sources'}; in a shell that may read the"
                f" warehouse, this shows why: {dbt_command('source freshness', self.vars)}"
            )


def freshness_task(settings: InstitutionSettings) -> DbtFreshness | None:
    """Return the task ``source_freshness``; ``None`` where ``warehouse.max_source_age_hours`` is null."""
    hours = settings.warehouse.max_source_age_hours
    if hours is None:
        return None
    arguments = _silent_dbt(settings, "source")
    arguments["vars"] |= {"freshness_error_hours": hours, "freshness_warn_hours": hours}
    return DbtFreshness(
        task_id="source_freshness",
        connection_name=settings.warehouse.connection_of("source"),
        max_age_hours=hours,
        **arguments,
    )


def dbt_layers(settings: InstitutionSettings) -> dict[Layer, DbtLayer]:
    """Return the task of each layer, in one group: staging, then history, dictionaries, and the views on quality.

    The history takes its snapshots of what staging shows, and dictionaries hold what either knows.
    What compiles the dictionaries follows the task ``dictionaries``; quality is beside it and stops nothing.
    """
    with TaskGroup("dbt"):
        layers = {
            layer: DbtLayer(
                task_id=layer,
                connection_name=settings.warehouse.connection_of("build"),
                schema_name=settings.schema_name(layer),
                select=select,
                # Unit tests are for those who change the SQL.
                exclude=["resource_type:unit_test"],
                # Also the tests that look back at an earlier layer.
                indirect_selection="buildable",
                **_silent_dbt(settings, "build"),
            )
            for layer, select in LAYERS.items()
        }
        layers["staging"] >> layers["history"] >> layers["dictionaries"] >> layers["quality"]
    return layers


def _silent_dbt(settings: InstitutionSettings, task: DatabaseTask) -> dict[str, Any]:
    """Return the arguments that every dbt task of an institution has; it connects as ``task``."""
    profile = PostgresUserPasswordProfileMapping(
        conn_id=settings.warehouse.connection_of(task), profile_args={"schema": "palimpsest_unused", "threads": 2}
    )
    return {
        "project_dir": str(DBT_PROJECT),
        "profile_config": ProfileConfig("palimpsest", "warehouse", profile_mapping=profile),
        "vars": settings.dbt_variables,
        "invocation_mode": InvocationMode.DBT_RUNNER,
        "install_deps": False,
        "emit_datasets": False,
        # Compiled SQL would be stored in Airflow's database.
        "should_store_compiled_sql": False,
        "append_env": True,
        "env": _SILENT,
        **dbt_task(settings),
    }


def dbt_command(verb: str, variables: dict[str, Any] | None, node: str = "") -> str:
    """Return the command that a person runs in the checkout to see what an Airflow task must not log."""
    select = f" --select {node}" if node else ""
    return f"deid dbt {verb}{select} --institution {(variables or {})['institution']}"


def _describe_node(outcome: Any) -> str:
    node = outcome.node
    if outcome.status not in {"fail", "warn"}:
        return f"{node.resource_type} {node.name} ended with status {outcome.status}"
    model = (getattr(node, "attached_node", None) or "").rpartition(".")[2]
    rows = "1 row" if outcome.failures == 1 else f"{outcome.failures} rows"
    return f"test {node.name}{f' of {model}' if model else ''} failed for {rows}"
