"""Gold sets to scores, and scores to the signed certificate."""

import datetime
import hashlib
import json
import logging
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.core.errors import GateError
from deid_tasks.core.files import write_atomically
from deid_tasks.core.identity import PLATFORM, Identity
from deid_tasks.core.notes import Amounts
from deid_tasks.core.patient import PatientRecord
from deid_tasks.engine.failures import Failure, is_fault_of_note
from deid_tasks.engine.judge import JudgeDecision
from deid_tasks.engine.parts import BatchContext, EngineParts
from deid_tasks.engine.pipeline import count_amounts, run_detectors
from deid_tasks.engine.resolve import Detection
from deid_tasks.engine.text import Document
from deid_tasks.evidence.evaluate import Evaluation, Scorer
from deid_tasks.evidence.gate import Verdict, baseline, check_tables, evaluation_checks, issue_certificate
from deid_tasks.evidence.report import write_report
from deid_tasks.platform.kms import certificate_signer
from deid_tasks.platform.runs.ablation import FULL, Variant, without_dictionaries
from deid_tasks.platform.runs.annotation_files import SIMULATED_BY
from deid_tasks.platform.runs.batches import batched
from deid_tasks.platform.runs.certificates import store_certificate
from deid_tasks.platform.runs.dictionaries import compiled_at
from deid_tasks.platform.runs.evaluation_records import describe_worst, evaluated_on, evaluation_rows, history
from deid_tasks.platform.runs.gold_sets import audited_gold_set
from deid_tasks.platform.runs.institution_engine import load_candidate
from deid_tasks.platform.runs.operating_points import choose_point
from deid_tasks.platform.runs.patient_split import is_unseen_by_models, model_splits
from deid_tasks.platform.runs.promotion import promote_engine
from deid_tasks.platform.runs.step_log import logged_step
from deid_tasks.platform.warehouse import connect, read_patients
from deid_tasks.platform.warehouse.certificates import CertificateRow, certificate_documents, sample_drawn
from deid_tasks.platform.warehouse.gold import GoldRow, GoldSet, read_gold
from deid_tasks.platform.warehouse.results import replace_evaluation
from deid_tasks.platform.workspace import SharedFiles, work_dir
from deid_tasks.settings import InstitutionSettings, Secrets

logger = logging.getLogger(__name__)

_GOLD_BATCH = 100
_HISTORY = 50
_AGE_GROUPS = ((18, "0-17"), (65, "18-64"), (90, "65-89"), (float("inf"), "90 and older"))
WITHOUT = "without_dictionaries"


@dataclass(frozen=True)
class _Measured:
    """One gold set, the scores of the engine's variants on it, and the amounts of each note."""

    gold: GoldSet
    evaluations: dict[str, Evaluation]
    amounts: dict[str, list[Amounts]] = field(repr=False)
    unjudged: int = 0
    """Uncertain spans that are redacted because the judge did not answer."""
    """Amounts of each note, by note type."""


@logged_step
def evaluate_and_certify(
    settings: InstitutionSettings, secrets: Secrets, triggered_by: Identity = PLATFORM
) -> dict[str, Any]:
    """Score the candidate on the newest gold set of each design that the gate asks for, issue the certificate, and
    promote an engine that passed.

    The engine is scored with and without the institution's dictionaries. All figures are rows of
    ``_results.evaluation``, and a report is written to ``<work_dir>/evaluation``. The audit log names the certificate.

    Args:
        settings: The institution.
        secrets: Its secrets.
        triggered_by: Who asked for the evaluation.

    Returns:
        Ids of the certificate and the evaluation, the fingerprint, warnings, the report's path, and the main figures by
        design.

    Raises:
        GateError: a gold set is missing or not the one that the audit log names, or a figure falls short; the
            certificate is then stored as failed, and runs continue with the engine that was promoted before. Also if
            the judge did not answer for a span: then there is no certificate, because the figures are of an engine that
            redacts more.
        WarehouseError: the content of a gold set was changed after it was frozen.
        SettingsError: the signing key is missing or invalid.
    """
    signing_key = certificate_signer(settings, secrets)
    uri = secrets.text(settings.warehouse.connection_of("evidence"))
    point = choose_point(settings, secrets)
    engine, candidate = load_candidate(settings, secrets, point and point["outside_bias"])
    compiled = compiled_at(settings, secrets, candidate["lexicon"])
    with connect(uri) as reader, connect(uri) as lookup:
        golds = [audited_gold_set(reader, settings, secrets, design) for design in settings.gate.designs]
        measured = [_measure(reader, lookup, settings, engine, gold) for gold in golds]
        drawn = {gold.version: sample_drawn(reader, settings, gold.sample_version) for gold in golds}
    _check_judged(settings, measured)
    name = "/".join((engine.fingerprint, *sorted(gold.version for gold in golds)))
    evaluation_id = hashlib.sha256(name.encode()).hexdigest()[:16]
    with connect(uri) as connection:
        replace_evaluation(
            connection,
            settings,
            [
                row
                for one in measured
                for row in evaluation_rows(evaluation_id, engine.fingerprint, one.gold, one.evaluations)
            ],
        )
    # Great Expectations reads committed rows only.
    verdict = _check(settings, uri, evaluation_id, measured)
    certificate = issue_certificate(
        settings.institution,
        engine.fingerprint,
        evaluation_id,
        [
            evaluated_on(one.gold, drawn[one.gold.version], one.evaluations[FULL], one.evaluations[WITHOUT])
            for one in measured
        ],
        baseline({one.gold.design: one.amounts for one in measured}),
        settings.gate,
        verdict.failures,
        verdict.warnings,
        signing_key,
        policy=settings.policy.name,
        operating_point=point,
    )
    content = certificate.content
    with connect(uri) as connection:
        earlier = history(certificate_documents(connection, settings, _HISTORY))
    store_certificate(
        settings,
        secrets,
        CertificateRow(
            certificate.certificate_id,
            engine.fingerprint,
            " ".join(sorted(gold.version for gold in golds)),
            content["verdict"],
            certificate.document,
            datetime.datetime.fromisoformat(content["issued_at"]),
            certificate.signature,
        ),
        triggered_by,
    )
    report = _write_report(settings, secrets, evaluation_id, measured, content, earlier)
    if verdict.failures:
        recall_min = settings.gate.stratum_recall_min
        worst = [describe_worst(one.gold.design, one.evaluations[FULL], recall_min) for one in measured]
        shortfalls = "; ".join((*verdict.failures, *worst))
        raise GateError(f"{settings.institution}: no certificate: {shortfalls}")
    promote_engine(settings, secrets, engine, candidate, compiled, certificate.certificate_id)
    return {
        "certificate": certificate.certificate_id,
        "evaluation_id": evaluation_id,
        "fingerprint": engine.fingerprint,
        "warnings": list(verdict.warnings),
        **({"operating_point": point} if point else {}),
        "report": str(report),
        "designs": {one.gold.design: _headline(one) for one in measured},
    }


def _measure(
    reader: Connection, lookup: Connection, settings: InstitutionSettings, engine: EngineParts, gold: GoldSet
) -> _Measured:
    # The detectors read each note once; each variant merges and recovers their spans.
    variants = (Variant(FULL, engine), without_dictionaries(engine))
    scorers = {
        one.name: Scorer(
            settings.policy.group, settings.gate.confidence, settings.gate.resamples, policy=settings.policy
        )
        for one in variants
    }
    amounts: defaultdict[str, list[Amounts]] = defaultdict(list)
    unjudged = 0
    splits = model_splits(settings)
    # Notes that a model was trained on do not show how it reads other notes.
    rows = (
        row for row in read_gold(reader, settings, gold) if is_unseen_by_models(splits, row.patient_id, row.note_id)
    )
    for notes in batched(rows, _GOLD_BATCH):
        patients = read_patients(lookup, settings, (note.patient_id for note in notes if note.patient_id))
        documents = [Document(n.note_id, n.text, n.patient_id or None, n.note_type) for n in notes]
        context = BatchContext(engine, patients)
        found = run_detectors(documents, context)
        for variant in variants:
            for note, document, detection in zip(notes, documents, variant.detections(documents, found), strict=True):
                # Notes without a patient are independent of each other.
                patient = note.patient_id or f"note {note.note_id}"
                scorers[variant.name].add(
                    note.text, note.spans, detection.spans, patient, note.note_type, note.period,
                    demographic_groups(patients.get(note.patient_id), note.note_datetime),
                )  # fmt: skip
                unjudged += sum(one.decision is JudgeDecision.FAILED for one in detection.judged)
                if variant.name == FULL and (counted := _amounts(note, document, detection, context)):
                    amounts[note.note_type].append(counted)
    return _Measured(gold, {name: scorer.finish() for name, scorer in scorers.items()}, dict(amounts), unjudged)


def _check_judged(settings: InstitutionSettings, measured: Sequence[_Measured]) -> None:
    if unjudged := sum(one.unjudged for one in measured):
        raise GateError(
            f"{settings.institution}: no certificate: for {unjudged} uncertain spans the judge gave no usable answer."
            " They were redacted, so recall would look higher than it is. See judge.base_url, and run the evaluation"
            " again"
        )


def demographic_groups(patient: PatientRecord | None, written_at: datetime.datetime | None) -> dict[str, str]:
    """Return sex, age group and origin of the name of a note's patient, as far as the warehouse has them."""
    if patient is None:
        return {}
    groups = {"sex": patient.sex if patient.sex in {"F", "M"} else ""}
    groups["name_origin"] = "" if patient.ethnicity_hint == "unknown" else patient.ethnicity_hint
    if patient.birth_date and written_at:
        years = (written_at.date() - patient.birth_date).days / 365.25
        groups["age"] = next(name for highest, name in _AGE_GROUPS if years < highest)
    return groups


def _amounts(note: GoldRow, document: Document, detection: Detection, context: BatchContext) -> Amounts | None:
    """Return the note's amounts as a run would count them; ``None`` for a note that a run would quarantine."""
    obfuscator = context.engine.obfuscator
    assert obfuscator is not None
    try:
        rewritten = obfuscator.obfuscate(document, detection.spans, context.patients.get(note.patient_id), None)
    except Exception as error:
        if not is_fault_of_note(error):
            raise
        failure = Failure.of(error)
        logger.warning("note %s is not counted: %s at %s", note.note_id, failure.error_class, failure.location)
        return None
    return count_amounts(document, detection, rewritten)


def _check(settings: InstitutionSettings, uri: str, evaluation_id: str, measured: list[_Measured]) -> Verdict:
    checks = {
        "evaluation": [
            check
            for one in measured
            for check in evaluation_checks(settings.gate, evaluation_id, one.gold.design, one.gold.version)
        ]
    }
    docs = Path(settings.gate.data_docs) if settings.gate.data_docs else None
    verdict = check_tables(f"{settings.institution} evaluation", uri, settings.schema_name("results"), checks, docs)
    shown = {one.gold.design: one.gold.preannotated_by for one in measured if one.gold.preannotated_by}
    simulated = [design for design, by in shown.items() if SIMULATED_BY in by]
    return verdict + Verdict(
        tuple(
            f"the labels of the {design} gold set are an engine's own answers: draw a new sample for real annotators"
            for design in simulated
        ),
        tuple(
            f"the annotators of the {design} gold set saw the spans of an engine"
            for design in shown
            if design not in simulated
        ),
    )


def _write_report(
    settings: InstitutionSettings,
    secrets: Secrets,
    evaluation_id: str,
    measured: list[_Measured],
    content: Mapping[str, Any],
    earlier: list[dict[str, Any]],
) -> Path:
    """Write the certificate and all figures, without note text, as a page and as JSON; return the page's path."""
    folder = work_dir(settings) / "evaluation"
    folder.mkdir(mode=0o700, exist_ok=True)
    target = folder / f"{evaluation_id}.json"
    document = {
        "certificate": content,
        "evaluations": [
            {
                "design": one.gold.design,
                "gold_version": one.gold.version,
                "variants": {name: evaluation.document() for name, evaluation in one.evaluations.items()},
            }
            for one in measured
        ],
        "history": earlier,
    }
    write_atomically(target, json.dumps(document, indent=1) + "\n")
    page = target.with_suffix(".html")
    write_report(document, page, title=settings.title)
    shared = SharedFiles(settings, secrets)
    shared.share(target)
    shared.share(page)
    return page


def _headline(measured: _Measured) -> dict[str, Any]:
    full = measured.evaluations[FULL]
    return {
        "gold_version": measured.gold.version,
        "gold_notes": full.notes,
        **{
            f"{metric}_{name}": round(getattr(evaluation, metric), 5)
            for name, evaluation in measured.evaluations.items()
            for metric in ("recall", "precision")
        },
        "recall_lower_bound": round(full.recall_lower_bound, 5),
    }
