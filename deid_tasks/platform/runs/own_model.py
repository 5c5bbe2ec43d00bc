"""An institution's own model, trained on its gold notes and on simulated notes.

A keyed hash divides the patients once (``patient_split``): the training reads the notes of one part, and evaluations
count only the notes of the held-out part. A registered model changes nothing by itself: the settings must name it,
which gives a new fingerprint, and the fingerprint needs a certificate.
"""

import hashlib
import json
import logging
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from deid_tasks.core.errors import InputError
from deid_tasks.core.files import atomic_path
from deid_tasks.engine.detect.model_files import find_model
from deid_tasks.engine.detect.transformer import TransformerDetector
from deid_tasks.engine.text import Document
from deid_tasks.evidence.evaluate import Scorer
from deid_tasks.learning.train.configuration import write_config
from deid_tasks.learning.train.mixture import MixtureSettings, build_mixture
from deid_tasks.learning.train.run import train
from deid_tasks.learning.train.sample import Mark, Sample, sentences_of
from deid_tasks.learning.train.settings import FitSettings, NetworkSettings, TrainSettings
from deid_tasks.learning.train.weights import what_is_read
from deid_tasks.platform.runs.patient_split import TRAINED_ON, training_split
from deid_tasks.platform.runs.step_log import logged_step
from deid_tasks.platform.warehouse import connect
from deid_tasks.platform.warehouse.gold import GoldRow, gold_sets, newest_gold_set, read_gold
from deid_tasks.platform.workspace import SharedFiles, work_dir
from deid_tasks.settings import DISAGREEMENT, InstitutionSettings, Secrets, TransformerSettings

Progress = Callable[[str], None]

logger = logging.getLogger(__name__)


@logged_step
def train_on_gold(settings: InstitutionSettings, secrets: Secrets, report: Progress = logger.info) -> dict[str, Any]:
    """Train a model on the gold sets, score it on the held-out patients' notes, and register it.

    The newest gold set of each design and all gold sets of disagreement samples are used; disagreement notes are never
    scored. A training that was interrupted is resumed.

    Args:
        settings: The institution.
        secrets: Its secrets.
        report: Receives one line of progress at a time.

    Returns:
        The folder that the settings may name, the model's hash, counts, and scores on the held-out notes.

    Raises:
        WarehouseError: there is no gold set.
        InputError: there are no gold notes of training patients, or none of held-out patients.
        ModelError: the encoder, or the model to start from, is missing or does not fit.
    """
    wanted = settings.training
    split = training_split(settings)
    measured, disagreement, versions = _read_gold_notes(settings, secrets)
    held = [row for row in measured if split.is_held_out(row.patient_id, row.note_id)]
    seen = [row for row in (*measured, *disagreement) if not split.is_held_out(row.patient_id, row.note_id)]
    if not held or not seen:
        raise InputError(
            f"{settings.institution}: {len(held)} of {len(measured)} gold notes are of held-out patients, but both"
            " parts need notes; annotate more patients, or change training.held_out before the first training"
        )
    samples = [sentence for row in seen for sentence in sentences_of(_sample(row))]
    mixture = MixtureSettings(
        skeleton_rounds=wanted.simulated_rounds,
        context_rounds=wanted.simulated_rounds,
        hospital_notes=wanted.simulated_notes,
        negatives=wanted.simulated_notes * 10,
    )
    base = build_mixture(mixture, report) if wanted.simulated_notes else []
    start = None if wanted.start is None else find_model(wanted.start)
    planned = TrainSettings(
        Path(),
        mixture,
        FitSettings(steps=wanted.steps, threads=wanted.threads, is_bfloat16=wanted.is_bfloat16, device=wanted.device),
        NetworkSettings(
            encoder=wanted.encoder, layers=wanted.layers, reads="word_pieces" if start is None else what_is_read(start)
        ),
        start=start,
        has_safetensors=True,
    )
    name = json.dumps([planned.document(), versions, wanted.held_out, wanted.gold_repeats], sort_keys=True)
    folder = work_dir(settings) / "training" / hashlib.sha256(name.encode()).hexdigest()[:16]
    planned = replace(planned, folder=folder)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    report(f"{len(seen)} gold notes to train on, {len(held)} held out, {len(base)} simulated samples")
    tagger = train(planned, report, [*base, *samples * wanted.gold_repeats])
    write_config(tagger, planned.exported, planned.model, **{TRAINED_ON: split.document()})
    detector = TransformerDetector(TransformerSettings(model=str(planned.exported), outside_bias=wanted.outside_bias))
    scores = _score(settings, detector, held)
    record = {
        "gold_versions": versions,
        "trained_notes": len(seen),
        "held_out_notes": len(held),
        "simulated_samples": len(base),
        **scores,
    }
    target = _register(settings, planned, detector.sha256, record)
    SharedFiles(settings, secrets).share(target)
    # Weights and checkpoints of the training can reveal its notes, so they are deleted as soon as they are not needed.
    shutil.rmtree(folder, ignore_errors=True)
    return {"model": str(target), "sha256": detector.sha256, **record}


def _read_gold_notes(settings: InstitutionSettings, secrets: Secrets) -> tuple[list[GoldRow], list[GoldRow], list[str]]:
    """Return the gold notes that may be scored, further notes of disagreement samples, and the versions of both."""
    needed = settings.training.designs or settings.gate.designs
    measured: dict[str, GoldRow] = {}
    disagreement: dict[str, GoldRow] = {}
    with connect(secrets.text(settings.warehouse.connection_of("evidence"))) as connection:
        golds = [
            gold for design in needed if (gold := newest_gold_set(connection, settings, design)).design != DISAGREEMENT
        ]
        if settings.training.designs is None or DISAGREEMENT in needed:
            # Each sample holds other notes. Of two gold sets of one sample the newer counts, and the older is not read:
            # notes that must be erased were deleted from it.
            newest = {
                gold.sample_version or gold.version: gold
                for gold in reversed(gold_sets(connection, settings))
                if gold.design == DISAGREEMENT
            }
            golds += newest.values()
        for gold in golds:
            rows = disagreement if gold.design == DISAGREEMENT else measured
            rows.update((row.note_id, row) for row in read_gold(connection, settings, gold))
    more = {note_id: row for note_id, row in disagreement.items() if note_id not in measured}
    return _in_order(measured), _in_order(more), sorted(gold.version for gold in golds)


def _in_order(rows: dict[str, GoldRow]) -> list[GoldRow]:
    return [rows[note_id] for note_id in sorted(rows)]


def _sample(row: GoldRow) -> Sample:
    return Sample(row.text, tuple(Mark(s.start, s.end, str(s.entity)) for s in row.spans), "gold", row.note_id)


def _score(settings: InstitutionSettings, detector: TransformerDetector, rows: list[GoldRow]) -> dict[str, float]:
    scorer = Scorer(settings.policy.group, settings.gate.confidence, settings.gate.resamples, policy=settings.policy)
    for row in rows:
        [found] = detector.detect([Document(row.note_id, row.text)])
        scorer.add(row.text, row.spans, found, row.patient_id or f"note {row.note_id}", row.note_type)
    evaluation = scorer.finish()
    return {"recall": round(evaluation.recall, 5), "precision": round(evaluation.precision, 5)}


def _register(settings: InstitutionSettings, planned: TrainSettings, sha256: str, record: dict[str, Any]) -> Path:
    """Copy the model to ``<work_dir>/models/<version>`` in one step; the version is the hash of its files."""
    models = work_dir(settings) / "models"
    models.mkdir(mode=0o700, exist_ok=True)
    target = models / sha256[:16]
    with atomic_path(target) as partial:
        shutil.copytree(planned.exported, partial)
        (partial / "training.json").write_text(
            json.dumps({**planned.document(), "record": record}, indent=1) + "\n", encoding="utf-8"
        )
    return target
