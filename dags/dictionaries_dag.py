"""``dictionaries__<institution>``: warehouse to staging, dictionaries and compiled lexicon (one Airflow DAG each)."""

from typing import Any

from airflow.sdk import DAG, CronTriggerTimetable, task

from deid_tasks.settings import InstitutionSettings
from wiring.assets import dictionaries_asset, raw_tables_asset
from wiring.dbt import dbt_layers
from wiring.institutions import usable_institutions
from wiring.placement import dbt_task
from wiring.policy import Kind, dag_arguments
from wiring.start import upgrade_tables
from wiring.steps import run_step


@task(multiple_outputs=False)
def compile_dictionaries(institution: str) -> dict[str, Any]:
    """Compile the lexicon; return its version and its number of terms."""
    from deid_tasks.platform import runs

    return run_step(runs.compile_dictionaries, institution)


@task(multiple_outputs=False)
def open_audit_log(institution: str) -> dict[str, int]:
    """Let the audit log take over what was recorded before it knew a table; return the number of these tables."""
    from deid_tasks.platform import runs

    return run_step(runs.open_audit_log, institution)


def build(settings: InstitutionSettings) -> DAG:
    """Return the DAG of one institution."""
    name, cron = settings.institution, settings.dictionaries.schedule
    when = f"After each landed delivery (`land__{name}`)" if settings.landing else f"Daily at `{cron}` (UTC)"
    with DAG(
        **dag_arguments(Kind.DICTIONARIES, settings, when=when),
        schedule=[raw_tables_asset(name)] if settings.landing else CronTriggerTimetable(cron, timezone="UTC"),
        max_active_runs=1,
    ) as dag:
        layers = dbt_layers(settings)
        # Where dbt runs: no other task needs the role that owns the tables.
        upgraded = upgrade_tables.override(**dbt_task(settings))(name)
        upgraded >> layers["staging"]
        # Not there: dbt's workers have no audit key, and rows without a signature cannot be signed later.
        upgraded >> open_audit_log(name)
        layers["dictionaries"] >> compile_dictionaries.override(outlets=[dictionaries_asset(name)])(name)
    return dag


for _settings in usable_institutions():
    globals()[f"dictionaries__{_settings.institution}"] = build(_settings)
