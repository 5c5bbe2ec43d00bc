"""``land__<institution>``: nightly extracts into the raw tables, where the settings have a section ``landing``."""

import datetime
from typing import Any

from airflow.sdk import DAG, CronTriggerTimetable, task
from airflow.sdk.exceptions import AirflowSkipException

from deid_tasks.settings import InstitutionSettings, LandingSettings
from wiring.assets import raw_tables_asset
from wiring.institutions import usable_institutions
from wiring.placement import dbt_task
from wiring.policy import Kind, dag_arguments
from wiring.start import upgrade_tables
from wiring.steps import run_step

_LOADING_HOURS = 12
"""Longest load: the first delivery of an institution may hold years of notes."""


@task(multiple_outputs=False)
def land(institution: str) -> dict[str, Any]:
    """Load the deliveries that are new; skip what follows where there is none."""
    from deid_tasks.platform import runs

    report = dict(run_step(runs.land_deliveries, institution))
    if not report["deliveries"]:
        raise AirflowSkipException("there is no new delivery")
    return report


def build(settings: InstitutionSettings, landing: LandingSettings) -> DAG:
    """Return the DAG of one institution."""
    name = settings.institution
    with DAG(
        **dag_arguments(
            Kind.LAND,
            settings,
            location=landing.location,
            schedule=landing.schedule,
            bad_share=landing.max_bad_share,
        ),
        schedule=CronTriggerTimetable(landing.schedule, timezone="UTC"),
        max_active_runs=1,
    ) as dag:
        loaded = land.override(
            outlets=[raw_tables_asset(name)], execution_timeout=datetime.timedelta(hours=_LOADING_HOURS)
        )
        upgrade_tables.override(**dbt_task(settings))(name) >> loaded(name)
    return dag


for _settings in usable_institutions():
    if _settings.landing:
        globals()[f"land__{_settings.institution}"] = build(_settings, _settings.landing)
