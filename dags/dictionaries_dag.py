"""``dictionaries__<institution>``: warehouse → staging → dictionaries → compiled lexicon (an Airflow DAG each)."""

import datetime
from typing import Any

from airflow.sdk import DAG, CronTriggerTimetable, task

from deid_tasks.settings import InstitutionSettings
from wiring.assets import dictionaries_asset
from wiring.dbt import dbt_layers
from wiring.engine import engine
from wiring.institutions import usable_institutions
from wiring.policy import Kind, policy

DOC = """
### {title}: who its people and places are, and what its medical language is

**When.** Daily at `{schedule}` (UTC), before the day's notes; by hand after a change of the warehouse's layout or of `dbt/`.

**What.** dbt builds and tests the canonical staging views and the dictionaries in `{institution}_staging` and
`{institution}_dictionaries`; then the dictionaries are compiled into the lexicon that the detectors read. New content is a new
lexicon version, hence a new fingerprint: `evaluate__{institution}` follows by itself.

**When it fails.** *dbt*: the log names each model or test, its status and how many rows fail, never the rows: look at them in the
warehouse itself. *compile_dictionaries*: clear it; the lexicon in use stays until a new one is complete.
"""


@task(multiple_outputs=False)
def compile_dictionaries(institution: str) -> dict[str, Any]:
    """The lexicon artefact; returns its version and how many terms it holds."""
    with engine(institution) as (runs, *who):
        return runs.compile_dictionaries(*who)


def build(settings: InstitutionSettings) -> DAG:
    """The DAG of one institution."""
    name, schedule = settings.institution, settings.dictionaries.schedule
    start = datetime.datetime.combine(settings.notes.start_date, datetime.time(), datetime.UTC)
    with DAG(
        **policy(Kind.DICTIONARIES, settings),
        schedule=CronTriggerTimetable(schedule, timezone="UTC"),
        start_date=start,
        max_active_runs=1,
        doc_md=DOC.format(title=settings.title, institution=name, schedule=schedule),
    ) as dag:
        dbt_layers(settings) >> compile_dictionaries.override(outlets=[dictionaries_asset(name)])(name)
    return dag


for _settings in usable_institutions():
    globals()[f"dictionaries__{_settings.institution}"] = build(_settings)
