"""``dictionaries__<institution>``: warehouse to staging, dictionaries and compiled lexicon (one Airflow DAG each)."""

from typing import Any

from airflow.sdk import DAG, CronTriggerTimetable, task

from deid_tasks.settings import InstitutionSettings
from wiring.assets import dictionaries_asset
from wiring.dbt import dbt_layers
from wiring.institutions import usable_institutions
from wiring.policy import Kind, dag_arguments
from wiring.steps import run_step


@task(multiple_outputs=False)
def upgrade_tables(institution: str) -> dict[str, str]:
    """Create or upgrade the tables that the engine writes; return the revision of each schema."""
    from deid_tasks.platform import runs

    return run_step(runs.upgrade_tables, institution)


@task(multiple_outputs=False)
def compile_dictionaries(institution: str) -> dict[str, Any]:
    """Compile the lexicon; return its version and its number of terms."""
    from deid_tasks.platform import runs

    return run_step(runs.compile_dictionaries, institution)


def build(settings: InstitutionSettings) -> DAG:
    """Return the DAG of one institution."""
    name, schedule = settings.institution, settings.dictionaries.schedule
    with DAG(
        **dag_arguments(Kind.DICTIONARIES, settings, schedule=schedule),
        schedule=CronTriggerTimetable(schedule, timezone="UTC"),
        max_active_runs=1,
    ) as dag:
        layers = dbt_layers(settings)
        upgrade_tables(name) >> layers["staging"]
        layers["dictionaries"] >> compile_dictionaries.override(outlets=[dictionaries_asset(name)])(name)
    return dag


for _settings in usable_institutions():
    globals()[f"dictionaries__{_settings.institution}"] = build(_settings)
