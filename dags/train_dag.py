"""``train__<institution>``: a model trained on the institution's own adjudicated notes, and registered (an Airflow DAG each)."""

import datetime
from typing import Any

from airflow.sdk import DAG, task

from deid_tasks.settings import InstitutionSettings
from wiring.engine import engine
from wiring.institutions import usable_institutions
from wiring.policy import Kind, Pool, policy

DOC = """
### {title}: a model of its own

**When.** By hand, once gold sets are frozen, and again when errors have been annotated: `sample__{institution}` draws the notes
on which the engine's parts differ most as a disagreement sample.

**What.** The newest gold set of each design, with every one of disputed notes, is divided by patient. A share of {held_out:.0%} of the patients is held
out; the notes of the others, beside simulated ones, train a model from the encoder {encoder} in {steps:,} steps. It is scored on the held-out notes (disputed ones left out) and registered as a folder of
`{work_dir}/models`, which the log and the task's result name. Nothing changes yet: to use it, write the folder as `model` under `detect.transformers` of
`{institution}.yaml`. That is another fingerprint: run `evaluate__{institution}`, which counts the held-out patients' notes alone; until a certificate
names the new fingerprint, nothing is published. The folder stays restricted, as the notes are.

**When it fails.** *train*: clear it; it goes on from its last checkpoint. The log names a setting, a missing encoder, or that one part of the patients is empty.
"""


@task(multiple_outputs=False, execution_timeout=datetime.timedelta(hours=20))
def train(institution: str) -> dict[str, Any]:
    """Train and register; returns counts, scores on held-out notes, and the model's folder."""
    with engine(institution) as (_, *who):
        from deid_tasks.platform.runs.own_model import train_on_gold

        return train_on_gold(*who)


def build(settings: InstitutionSettings) -> DAG:
    """The DAG of one institution."""
    name = settings.institution
    doc = DOC.format(
        title=settings.title, institution=name, work_dir=settings.work_dir, **settings.training.model_dump()
    )
    start = datetime.datetime.combine(settings.notes.start_date, datetime.time(), datetime.UTC)
    with DAG(**policy(Kind.TRAIN, settings), schedule=None, start_date=start, max_active_runs=1, doc_md=doc) as dag:
        train.override(pool=Pool.GPU)(name)
    return dag


for _settings in usable_institutions():
    globals()[f"train__{_settings.institution}"] = build(_settings)
