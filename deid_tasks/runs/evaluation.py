"""Gold set to scores, and scores to the certificate."""

import hashlib
from collections.abc import Iterator
from typing import Any

from deid_tasks.engine import Context
from deid_tasks.errors import GateError
from deid_tasks.evaluate import Evaluation, Scorer, issue_certificate
from deid_tasks.gate import check_figures, evaluation_checks
from deid_tasks.pipeline import detect
from deid_tasks.runs.dictionaries import load_engine
from deid_tasks.settings import InstitutionSettings, Secrets
from deid_tasks.text import Document
from deid_tasks.warehouse import connect, read_patients
from deid_tasks.warehouse.gold import GoldRow, newest_gold_set, read_gold
from deid_tasks.warehouse.results import EvaluationRow, replace_evaluation, write_certificate

_GOLD_BATCH = 100


def evaluate(settings: InstitutionSettings, secrets: Secrets) -> dict[str, Any]:
    """Score the engine on the newest gold set, with and without the institution's dictionaries, and issue the certificate.

    Raises:
        GateError: a figure falls short; the certificate is written down as failed.
    """
    engine = load_engine(settings, secrets)
    variants = {"full": engine, "without_dictionaries": engine.without_dictionaries()}
    with (
        connect(secrets.text(settings.warehouse.connection)) as reader,
        connect(secrets.text(settings.warehouse.connection)) as connection,
    ):
        gold = newest_gold_set(reader, settings)
        scorers = {name: Scorer(settings.policy.group, settings.gate.confidence) for name in variants}
        for notes in _chunks(read_gold(reader, settings, gold)):
            patients = read_patients(connection, settings, (note.patient_id for note in notes))
            documents = [Document(n.note_id, n.text, n.patient_id, n.note_type) for n in notes]
            for name, variant in variants.items():
                for note, found in zip(notes, detect(documents, Context(variant, patients)), strict=True):
                    scorers[name].add(note.text, note.spans, found.spans, note.patient_id)
        evaluations = {name: scorer.finish() for name, scorer in scorers.items()}
        evaluation_id = hashlib.sha256(f"{engine.fingerprint}/{gold.version}/{gold.sample}".encode()).hexdigest()[:16]
        rows = [
            EvaluationRow(
                evaluation_id,
                engine.fingerprint,
                gold.version,
                gold.sample,
                variant,
                metric,
                entity,
                score.value,
                score.interval.lower,
                score.interval.upper,
                score.counts.true_positives,
                score.counts.false_positives,
                score.counts.false_negatives,
            )
            for variant, evaluation in evaluations.items()
            for metric, entity, score in evaluation.rows()
        ]
        replace_evaluation(connection, settings, rows)
        full = evaluations["full"]
        failures = check_figures(
            f"{settings.institution} evaluation", evaluation_checks(settings.gate), _evaluation_figures(full)
        )
        certificate = issue_certificate(
            settings.institution, engine.fingerprint, gold.version, gold.sample, full, settings.gate, failures
        )
        write_certificate(
            connection,
            settings,
            certificate.certificate_id,
            engine.fingerprint,
            gold.version,
            "passed" if certificate.passed else "failed",
            certificate.document(),
        )
    if failures:
        raise GateError(f"{settings.institution}: no certificate: {'; '.join(failures)}")
    return {
        "certificate": certificate.certificate_id,
        "fingerprint": engine.fingerprint,
        "gold_notes": full.notes,
        **{
            f"{metric}_{name}": round(getattr(evaluation, metric), 5)
            for name, evaluation in evaluations.items()
            for metric in ("recall", "precision")
        },
        "recall_lower_bound": round(full.recall_lower_bound, 5),
    }


def _evaluation_figures(evaluation: Evaluation) -> dict[str, float]:
    counts = evaluation.scores["recall", "ALL"].counts
    return {
        "recall_lower_bound": evaluation.recall_lower_bound,
        "precision": evaluation.precision,
        "gold_words": counts.true_positives + counts.false_negatives,
    }


def _chunks(rows: Iterator[GoldRow]) -> Iterator[list[GoldRow]]:
    chunk: list[GoldRow] = []
    for row in rows:
        chunk.append(row)
        if len(chunk) == _GOLD_BATCH:
            yield chunk
            chunk = []
    if chunk:
        yield chunk
