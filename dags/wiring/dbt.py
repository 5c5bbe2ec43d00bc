"""How Airflow runs the dbt project: one graph a layout, one set of schemas an institution."""

import os
from pathlib import Path

# Cosmos must find Airflow imported.
import airflow  # noqa: F401
from airflow.sdk import conf
from cosmos import ExecutionConfig, ProfileConfig, ProjectConfig, RenderConfig
from cosmos.constants import ExecutionMode, InvocationMode, LoadMode
from cosmos.profiles import PostgresUserPasswordProfileMapping

from deid_tasks.settings import InstitutionSettings

PROJECT = Path(__file__).resolve().parents[2] / "dbt"


def manifest_of(layout: str) -> Path:
    """The parsed graph of a layout, made at deployment by ``dbt parse``: parsing a DAG file then needs neither dbt nor database."""
    return Path(os.environ.get("PALIMPSEST_DBT_TARGET", PROJECT / "target")) / layout / "manifest.json"


def missing_manifest(settings: InstitutionSettings) -> str | None:
    """What to do where the layout has no manifest yet; ``None`` where it has one."""
    layout = settings.warehouse.layout
    manifest = manifest_of(layout)
    if manifest.is_file():
        return None
    variables = f"{{institution: {settings.institution}, layout: {layout}}}"
    return (
        f"{settings.institution}.yaml: warehouse.layout: {layout!r} has no manifest; run"
        f" dbt parse --project-dir {PROJECT} --target-path {manifest.parent} --vars '{variables}'"
    )


def dbt_arguments(settings: InstitutionSettings) -> dict[str, object]:
    """The arguments of Cosmos' ``DbtTaskGroup`` for one institution.

    The scheduler watches a single ``dbt build`` and shows each model as a task (mode ``watcher``); ``airflow dags test``, which
    has no triggerer, needs ``[palimpsest] dbt_execution_mode = local``.
    """
    watched = conf.get("palimpsest", "dbt_execution_mode", fallback="watcher") == "watcher"
    variables = {"institution": settings.institution, "layout": settings.warehouse.layout}
    return {
        "project_config": ProjectConfig(
            dbt_project_path=PROJECT,
            manifest_path=manifest_of(settings.warehouse.layout),
            dbt_vars=variables,
            install_dbt_deps=False,
        ),
        "profile_config": ProfileConfig(
            profile_name="palimpsest",
            target_name="warehouse",
            profile_mapping=PostgresUserPasswordProfileMapping(
                conn_id=settings.warehouse.connection, profile_args={"schema": "palimpsest_unused", "threads": 2}
            ),
        ),
        "render_config": RenderConfig(load_method=LoadMode.DBT_MANIFEST, emit_datasets=False),
        "execution_config": ExecutionConfig(
            execution_mode=ExecutionMode.WATCHER if watched else ExecutionMode.LOCAL,
            invocation_mode=InvocationMode.DBT_RUNNER,
        ),
        # Compiled SQL would go to Airflow's database as a rendered template.
        "operator_args": {"should_store_compiled_sql": False},
    }
