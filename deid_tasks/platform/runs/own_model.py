"""An institution's own model: trained on its adjudicated notes, and on simulated ones so that it forgets nothing.

The patients are divided once and for good by a keyed hash: those of the training share are read here, the others alone are
counted by evaluations (``runs.patient_split``). A model that is registered publishes nothing: the settings must name it, which is
another fingerprint, and that needs a certificate of its own.
"""

import hashlib
import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from deid_tasks.core.errors import InputError
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
from deid_tasks.platform.warehouse import connect
from deid_tasks.platform.warehouse.gold import GoldRow, gold_sets, newest_gold_set, read_gold
from deid_tasks.platform.workspace import whole_target, work_dir
from deid_tasks.settings import DISAGREEMENT, InstitutionSettings, Secrets, TransformerSettings

Report = Callable[[str], None]


def train_on_gold(settings: InstitutionSettings, secrets: Secrets, report: Report = print) -> dict[str, Any]:
    """Train on the newest gold set of each design and on every disputed one, score the held-out patients, and register the model.

    Disputed notes are trained on and never scored. A stopped training is gone on with. Returns counts, scores, and the folder that the settings may name.

    Raises:
        WarehouseError: there is no gold set.
        InputError: no gold note of a training patient, or none of a held-out one, is there.
        ModelError: the encoder, or the model to start from, is missing or does not fit.
    """
    wanted = settings.training
    split = training_split(settings)
    measured, disputed, versions = _read(settings, secrets)
    held = [row for row in measured if split.is_held_out(row.patient_id, row.note_id)]
    seen = [row for row in (*measured, *disputed) if not split.is_held_out(row.patient_id, row.note_id)]
    if not held or not seen:
        raise InputError(
            f"{settings.institution}: of {len(measured)} gold notes {len(held)} are of held-out patients; both parts need some"
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
    # Weights in training know the notes they were shown; they are not kept longer than needed.
    shutil.rmtree(folder, ignore_errors=True)
    return {"model": str(target), "sha256": detector.sha256, **record}


def _read(settings: InstitutionSettings, secrets: Secrets) -> tuple[list[GoldRow], list[GoldRow], list[str]]:
    """The gold notes that figures may stand on, the disputed ones, each note once, and the versions they come from."""
    needed = settings.training.designs or settings.gate.designs
    measured: dict[str, GoldRow] = {}
    disputed: dict[str, GoldRow] = {}
    with connect(secrets.text(settings.warehouse.connection)) as connection:
        golds = [
            gold for design in needed if (gold := newest_gold_set(connection, settings, design)).design != DISAGREEMENT
        ]
        if settings.training.designs is None or DISAGREEMENT in needed:
            # All of them, since each sample holds other notes; of two of one sample the newer one comes last and counts.
            golds += [gold for gold in reversed(gold_sets(connection, settings)) if gold.design == DISAGREEMENT]
        for gold in golds:
            rows = disputed if gold.design == DISAGREEMENT else measured
            rows.update((row.note_id, row) for row in read_gold(connection, settings, gold))
    more = {note_id: row for note_id, row in disputed.items() if note_id not in measured}
    return _in_order(measured), _in_order(more), sorted(gold.version for gold in golds)


def _in_order(rows: dict[str, GoldRow]) -> list[GoldRow]:
    return [rows[note_id] for note_id in sorted(rows)]


def _sample(row: GoldRow) -> Sample:
    return Sample(row.text, tuple(Mark(s.start, s.end, str(s.entity)) for s in row.spans), "gold", row.note_id)


def _score(settings: InstitutionSettings, detector: TransformerDetector, rows: list[GoldRow]) -> dict[str, float]:
    scorer = Scorer(settings.policy.group, settings.gate.confidence, settings.gate.resamples)
    for row in rows:
        [found] = detector.detect([Document(row.note_id, row.text)])
        scorer.add(row.text, row.spans, found, row.patient_id or f"note {row.note_id}", row.note_type)
    evaluation = scorer.finish()
    return {"recall": round(evaluation.recall, 5), "precision": round(evaluation.precision, 5)}


def _register(settings: InstitutionSettings, planned: TrainSettings, sha256: str, record: dict[str, Any]) -> Path:
    """Copy the model to ``<work_dir>/models/<version>``, whole or not at all; a version is the hash of its files."""
    models = work_dir(settings) / "models"
    models.mkdir(mode=0o700, exist_ok=True)
    target = models / sha256[:16]
    with whole_target(target) as partial:
        shutil.copytree(planned.exported, partial)
        (partial / "training.json").write_text(
            json.dumps({**planned.document(), "record": record}, indent=1) + "\n", encoding="utf-8"
        )
    return target
