"""``evaluate__<institution>``: gold sets → scores → signed certificate (an Airflow DAG each)."""

import datetime
from typing import Any

from airflow.sdk import DAG, task

from deid_tasks.settings import InstitutionSettings
from wiring.assets import dictionaries_asset, gold_asset, harvest_asset, quality_asset
from wiring.engine import engine
from wiring.institutions import usable_institutions
from wiring.policy import Kind, Pool, policy

DOC = """
### {title}: how well is it done, and may it be published?

**When.** After every `dictionaries__{institution}`, every approval in `harvest__{institution}` and every new gold set of `gold__{institution}`; by hand after a
change of model or settings, and after an approval with `deid harvest approve`.

**What.** The notes of the newest gold set of each design ({shown_designs}) are detected with and without the institution's dictionaries
and scored. On each, recall counts by its lower {confidence:.0%} confidence bound, which must reach {recall_min}; precision must reach
{precision_min}; no note type's recall may be below {stratum_recall_min} for certain. Reaching all issues the signed certificate that
`notes__{institution}` asks for.

**When it fails.** The log names the figure that fell short, and the note types and entities where most was missed; what was
published stays as it is, and nothing more is published under this fingerprint. Where a gold set is missing, the log says what to run.
The figures are rows of `{institution}_results.evaluation`. Mend the detector or the dictionaries, then run this again.
"""


@task(multiple_outputs=False)
def evaluate_and_certify(institution: str) -> dict[str, Any]:
    """Scores on the gold sets, with and without dictionaries; fails where the thresholds are missed."""
    with engine(institution) as (runs, *who):
        return runs.evaluate_and_certify(*who)


def build(settings: InstitutionSettings) -> DAG:
    """The DAG of one institution."""
    name = settings.institution
    designs = " and ".join(settings.gate.designs)
    doc = DOC.format(title=settings.title, institution=name, shown_designs=designs, **settings.gate.model_dump())
    start = datetime.datetime.combine(settings.notes.start_date, datetime.time(), datetime.UTC)
    with DAG(
        **policy(Kind.EVALUATE, settings),
        schedule=dictionaries_asset(name) | harvest_asset(name) | gold_asset(name),
        start_date=start,
        max_active_runs=1,
        doc_md=doc,
    ) as dag:
        evaluate_and_certify.override(pool=Pool.GPU, outlets=[quality_asset(name)])(name)
    return dag


for _settings in usable_institutions():
    globals()[f"evaluate__{_settings.institution}"] = build(_settings)
