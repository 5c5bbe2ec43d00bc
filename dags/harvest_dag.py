"""``harvest__<institution>``: sentences that hold nobody's data, and templates, verified by a person (an Airflow DAG each)."""

import datetime
from typing import Any

from airflow.sdk import DAG, Param, task

from deid_tasks.settings import InstitutionSettings
from wiring.assets import harvest_asset
from wiring.engine import engine
from wiring.institutions import usable_institutions
from wiring.policy import Kind, Pool, policy
from wiring.verification import Verification

DOC = """
### {title}: what its notes say over and over

**When.** By hand: once the dictionaries are built, and again when the notes have changed (new templates in the EHR, another department).

**What.** The sentences of up to {notes:,} notes are counted by distinct patient. Those in at least {min_patients} become candidates for the inclusion
list, which the transformers skip: the {top_sentences:,} commonest, and {medical_sentences:,} more that name a disease or a drug. The whole ensemble reads {template_notes:,}
notes, and sentences that always hold the same identifiers at the same places become candidates for templates. Both are tables in
`{work_dir}/harvest/<time>`: look through them, change `decision` where it is wrong, and answer in *review* (see *Required Actions*) within {hours} hours. Or clear
*ask* in the form, and run `deid harvest approve --institution {institution} --by NAME` when you are done. An approval is frozen with who and when, is another
fingerprint, and `evaluate__{institution}` follows by itself.

**When it fails.** *harvest*: clear it; nothing is in use before it is approved. *review*: rejected, or nobody answered; clear it to ask again. *approve*: the log names
the file and row that was changed in more than its decision; mend it and clear the task.
"""


@task(multiple_outputs=False)
def harvest(institution: str) -> dict[str, Any]:
    """Candidates, to files; returns counts and the folder."""
    with engine(institution) as (runs, *who):
        return runs.harvest_candidates(*who)


@task(multiple_outputs=False)
def approve(institution: str, harvested: dict[str, Any], answer: dict[str, Any]) -> dict[str, Any]:
    """The tables as they are now, frozen; the next engines use them."""
    with engine(institution) as (runs, *who):
        moment = datetime.datetime.fromisoformat(answer["approved_at"])
        return runs.approve_harvest(*who, answer["approved_by"], moment, harvested["harvest"])


def build(settings: InstitutionSettings) -> DAG:
    """The DAG of one institution."""
    name = settings.institution
    doc = DOC.format(
        title=settings.title,
        institution=name,
        work_dir=settings.work_dir,
        hours=Verification.HOURS,
        **settings.harvest.model_dump(),
    )
    params = {
        "ask": Param(
            True,  # noqa: FBT003
            type="boolean",
            title="Ask here",
            description="Wait for an answer in Airflow; else only write the tables, for `deid harvest approve`.",
        )
    }
    start = datetime.datetime.combine(settings.notes.start_date, datetime.time(), datetime.UTC)
    with DAG(
        **policy(Kind.HARVEST, settings),
        schedule=None,
        start_date=start,
        max_active_runs=1,
        params=params,
        doc_md=doc,
    ) as dag:
        harvested = harvest.override(pool=Pool.GPU)(name)
        review = Verification(institution=name, harvested_by="harvest")
        frozen = approve.override(outlets=[harvest_asset(name)])(name, harvested, review.output)
        harvested >> review >> frozen
    return dag


for _settings in usable_institutions():
    globals()[f"harvest__{_settings.institution}"] = build(_settings)
