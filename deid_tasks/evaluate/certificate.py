"""The certificate: a passed evaluation of exactly one fingerprint on one gold set."""

import datetime
import hashlib
import json
from dataclasses import asdict, dataclass

from deid_tasks.evaluate.evaluation import Evaluation
from deid_tasks.settings.model import GateSettings


@dataclass(frozen=True, slots=True)
class Certificate:
    """What a published snapshot names as the reason that it may be published."""

    certificate_id: str
    institution: str
    fingerprint: str
    gold_version: str
    sample: str
    """How the gold notes were drawn: ``random`` figures are unbiased, ``stratified`` ones are enriched."""
    gold_notes: int
    gold_words: int
    recall: float
    recall_lower_bound: float
    recall_min: float
    precision: float
    precision_min: float
    confidence: float
    passed: bool
    issued_at: str

    def document(self) -> str:
        """The certificate as JSON with sorted keys."""
        return json.dumps(asdict(self), sort_keys=True)


def issue_certificate(
    institution: str,
    fingerprint: str,
    gold_version: str,
    sample: str,
    evaluation: Evaluation,
    gate: GateSettings,
    failures: tuple[str, ...],
) -> Certificate:
    """Write down an evaluation and its verdict; it passes where the gate reported no failures."""
    fields = {
        "institution": institution,
        "fingerprint": fingerprint,
        "gold_version": gold_version,
        "sample": sample,
        "gold_notes": evaluation.notes,
        "gold_words": evaluation.words,
        "recall": evaluation.recall,
        "recall_lower_bound": evaluation.recall_lower_bound,
        "recall_min": gate.recall_min,
        "precision": evaluation.precision,
        "precision_min": gate.precision_min,
        "confidence": gate.confidence,
        "passed": not failures,
    }
    digest = hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()
    issued_at = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    return Certificate(certificate_id=digest[:16], issued_at=issued_at, **fields)  # type: ignore[arg-type]
