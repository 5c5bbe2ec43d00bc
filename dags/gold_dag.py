"""``gold__<institution>``: annotators' finished work → agreement and adjudication → gold sets (an Airflow DAG each)."""

import datetime
from typing import Any

from airflow.sdk import DAG, Param, task
from airflow.sdk.exceptions import AirflowSkipException

from deid_tasks.settings import InstitutionSettings
from wiring.assets import gold_asset
from wiring.engine import engine
from wiring.institutions import usable_institutions
from wiring.policy import Kind, Pool, policy

DOC = """
### {title}: what the annotators finished becomes the gold sets

**When.** By hand, whenever annotators or the adjudicator have delivered; any number of times. The form takes the version of one sample;
left empty, it is the newest of each design.

**What.** Task lists that are not there yet are written for {annotators}, in the format {format}. What lies in their folders `done` under
`{work_dir}/annotation/<sample>` is read; every note's text must be the one that was drawn. Words on which the two agree give Cohen's
kappa; notes with conflicts become a task list for {adjudicator}, whose finished notes are read in the same way. Samples on which
nothing is open are frozen as gold sets in `{institution}_gold`, and `evaluate__{institution}` follows by itself.

**When it fails.** *freeze* is skipped while work is open: its log says whose, how many notes, and in which folder. *import_annotations* or
*adjudicate*: the log names the file and the note that was refused; mend the file and run this again. Nothing of a refused delivery
was stored. `deid annotate status --institution {institution}` shows the same from a shell.
"""


def _chosen(params: dict[str, Any]) -> list[str]:
    return [params["sample_version"]] if params["sample_version"] else []


@task(multiple_outputs=False)
def export_tasks(institution: str, params: dict[str, Any]) -> list[dict[str, Any]]:
    """The annotators' task lists, where they are not there yet."""
    with engine(institution) as (runs, *who):
        return runs.export_tasks(*who, _chosen(params))


@task(multiple_outputs=False)
def import_annotations(institution: str, params: dict[str, Any]) -> list[dict[str, Any]]:
    """What the annotators have finished so far; returns counts."""
    with engine(institution) as (runs, *who):
        return runs.import_annotations(*who, _chosen(params), reopen=params["reopen"])


@task(multiple_outputs=False)
def adjudicate(institution: str, params: dict[str, Any]) -> list[dict[str, Any]]:
    """Kappa, and conflicts to the adjudicator and back; returns counts and figures."""
    with engine(institution) as (runs, *who):
        return runs.adjudicate_samples(*who, _chosen(params))


@task(multiple_outputs=False)
def freeze(institution: str, params: dict[str, Any]) -> list[dict[str, Any]]:
    """The gold sets; skipped, with the reason, while work on any of the samples is open."""
    with engine(institution) as (runs, *who):
        reports = runs.freeze_gold_sets(*who, _chosen(params))
    waiting = [f"{r['design']} sample {r['sample_version']}: {r['waiting_for']}" for r in reports if r["waiting_for"]]
    if waiting:
        raise AirflowSkipException(f"work is open: {' | '.join(waiting)}")
    return reports


def build(settings: InstitutionSettings) -> DAG:
    """The DAG of one institution."""
    name, annotation = settings.institution, settings.annotation
    doc = DOC.format(
        title=settings.title,
        institution=name,
        annotators=" and ".join(annotation.annotators),
        adjudicator=annotation.adjudicator,
        format=annotation.format,
        work_dir=settings.work_dir,
    )
    params = {
        "sample_version": Param(
            "", type="string", title="Sample", description="A version; empty: the newest of each design."
        ),
        "reopen": Param(
            False,  # noqa: FBT003
            type="boolean",
            title="Reopen",
            description="Also take annotators' changes of notes that the adjudicator has; the answers on those are dropped.",
        ),
    }
    start = datetime.datetime.combine(settings.notes.start_date, datetime.time(), datetime.UTC)
    with DAG(
        **policy(Kind.GOLD, settings), schedule=None, start_date=start, max_active_runs=1, params=params, doc_md=doc
    ) as dag:
        # Only pre-annotation runs the detectors.
        pool = {"pool": Pool.GPU} if annotation.preannotate else {}
        exported = export_tasks.override(**pool)(name)
        imported = import_annotations(name)
        exported >> imported >> adjudicate(name) >> freeze.override(outlets=[gold_asset(name)])(name)
    return dag


for _settings in usable_institutions():
    globals()[f"gold__{_settings.institution}"] = build(_settings)
