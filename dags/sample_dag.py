"""``sample__<institution>``: notes for people to annotate, drawn and frozen, and their task lists (an Airflow DAG each)."""

import datetime
from typing import Any

from airflow.sdk import DAG, Param, task

from deid_tasks.settings import DESIGNS, InstitutionSettings
from wiring.engine import engine
from wiring.institutions import usable_institutions
from wiring.policy import Kind, Pool, policy

DOC = """
### {title}: which notes people annotate

**When.** By hand, with a form: before the first evaluation, and again when the notes have changed (a new note type, a new system, a
new year); for a *disagreement* sample alone, before a training. The form starts from the settings.

**What.** Samples are drawn from one reading of `{institution}_staging.stg_note` and frozen under their versions in
`{institution}_gold.sample`: a *stratified* one, enriched in identifiers, a simple *random* one, whose figures stand for all notes, and, where the
form gives it a size, a *disagreement* sample of the notes on which the engine's parts differ most, for `train__{institution}` alone. Then the annotators' task lists are written to `{work_dir}/annotation/<sample>`. When they have finished, run `gold__{institution}`.

**When it fails.** *draw*: nothing was frozen; the log names the table or the setting; clear it. The same form over the same notes
draws the same sample. *export_tasks*: clear it; lists that are there stay as they are.
"""


@task(multiple_outputs=False)
def draw(institution: str, params: dict[str, Any]) -> list[dict[str, Any]]:
    """A sample of each design; returns versions, counts and groups."""
    with engine(institution) as (runs, *who):
        overrides = dict(params)
        return runs.draw_samples(*who, designs=overrides.pop("designs"), overrides=overrides)


@task(multiple_outputs=False)
def export_tasks(institution: str, drawn: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The annotators' task lists."""
    with engine(institution) as (runs, *who):
        return runs.export_tasks(*who, [sample["sample_version"] for sample in drawn])


def form(settings: InstitutionSettings) -> dict[str, Param]:
    """What the trigger form asks."""
    sampling = settings.sampling
    return {
        "size": Param(
            sampling.size,
            type="integer",
            minimum=1,
            title="Stratified sample",
            description="Notes, all groups together.",
        ),
        "min_notes_per_stratum": Param(
            sampling.min_notes_per_stratum,
            type="integer",
            minimum=1,
            title="Minimum notes of a stratum",
            description="Smaller groups are taken whole.",
        ),
        "weight": Param(
            sampling.weight,
            type="string",
            enum=["log10", "linear"],
            title="Weight",
            description="A group counts its notes times this function of their mean words.",
        ),
        "random_size": Param(
            sampling.random_size, type="integer", minimum=0, title="Random sample", description="Notes; 0 draws none."
        ),
        "disagreement_size": Param(
            sampling.disagreement_size,
            type="integer",
            minimum=0,
            title="Disagreement sample",
            description="Notes on which detectors differ most; 0 draws none.",
        ),
        "disagreement_pool": Param(
            sampling.disagreement_pool,
            type="integer",
            minimum=1,
            title="Notes read for it",
            description="Drawn at random; the engine reads them all.",
        ),
        "designs": Param(
            list(DESIGNS),
            type="array",
            items={"type": "string", "enum": list(DESIGNS)},
            examples=list(DESIGNS),
            title="Samples",
            description="Which to draw, of those whose size is not 0.",
        ),
        "seed": Param(sampling.seed, type="integer", minimum=0, title="Seed"),
    }


def build(settings: InstitutionSettings) -> DAG:
    """The DAG of one institution."""
    name = settings.institution
    start = datetime.datetime.combine(settings.notes.start_date, datetime.time(), datetime.UTC)
    with DAG(
        **policy(Kind.SAMPLE, settings),
        schedule=None,
        start_date=start,
        max_active_runs=1,
        params=form(settings),
        doc_md=DOC.format(title=settings.title, institution=name, work_dir=settings.work_dir),
    ) as dag:
        # Only pre-annotation and disagreement samples run the detectors.
        reads = {"pool": Pool.GPU} if settings.sampling.disagreement_size else {}
        shows = {"pool": Pool.GPU} if settings.annotation.preannotate else {}
        export_tasks.override(**shows)(name, draw.override(**reads)(name))
    return dag


for _settings in usable_institutions():
    globals()[f"sample__{_settings.institution}"] = build(_settings)
