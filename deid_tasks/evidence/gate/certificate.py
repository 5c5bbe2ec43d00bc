"""The certificate: what was measured of exactly one fingerprint, the verdict, and a signature over both."""

import datetime
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from deid_tasks.core.errors import GateError
from deid_tasks.evidence.gate.signature import check_signature, sign
from deid_tasks.settings import GateSettings

SCHEMA_VERSION = 1
DESIGNS = {
    "stratified": "enriched: drawn by note type and period, notes with the patient's own identifiers first; not representative",
    "random": "unbiased: drawn at random from all notes",
}
"""What the figures of a sampling design stand for."""
_THRESHOLDS = ("recall_min", "precision_min", "stratum_recall_min", "confidence")


@dataclass(frozen=True, slots=True)
class Certificate:
    """A document as it was signed, to the byte."""

    document: str
    """Canonical JSON: keys sorted, no blanks, ASCII."""
    signature: str
    """Ed25519, over the document's bytes, in base64."""

    @property
    def content(self) -> dict[str, Any]:
        """What the document says; raises ``GateError`` where it is no JSON object."""
        try:
            content = json.loads(self.document)
        except json.JSONDecodeError:
            content = None
        if not isinstance(content, dict):
            raise GateError("it is no JSON object")
        return content

    @property
    def certificate_id(self) -> str:
        """Hash of what was measured and of the verdict, whenever it was issued."""
        return str(self.content.get("certificate_id", ""))

    @property
    def passed(self) -> bool:
        """Whether the verdict is good; says nothing of the signature."""
        return self.content.get("verdict") == "passed"

    def file(self) -> str:
        """The certificate as a file: one JSON object of content and signature."""
        return json.dumps({"certificate": self.content, "signature": self.signature}, indent=1, sort_keys=True) + "\n"

    @classmethod
    def of_file(cls, text: str) -> "Certificate":
        """Read what ``file`` wrote; raises ``GateError`` where it is none."""
        try:
            held = json.loads(text)
            return cls(canonical(held["certificate"]), str(held["signature"]))
        except (json.JSONDecodeError, KeyError, TypeError):
            raise GateError("it is no certificate file") from None


def canonical(content: Mapping[str, Any]) -> str:
    """The one JSON text of ``content`` that is signed."""
    return json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)


def thresholds(gate: GateSettings) -> dict[str, Any]:
    """What had to be reached, as the certificate records it."""
    return {**{name: getattr(gate, name) for name in _THRESHOLDS}, "designs": list(gate.designs)}


def issue_certificate(
    institution: str,
    fingerprint: str,
    evaluation_id: str,
    evaluated: Sequence[Mapping[str, Any]],
    baseline: Mapping[str, Any],
    gate: GateSettings,
    failures: Sequence[str],
    warnings: Sequence[str],
    signing_key: str,
    issued_at: datetime.datetime | None = None,
) -> Certificate:
    """Write an evaluation and its verdict down and sign them; it passes where the gate reported no failure.

    Args:
        institution: whose.
        fingerprint: of the engine that was evaluated.
        evaluation_id: under which the figures stand in ``_results.evaluation``.
        evaluated: of each gold set its design, version, how it was drawn, and the figures on it.
        baseline: amounts by note type, which later runs are compared with.
        gate: the thresholds.
        failures: what fell short.
        warnings: what a reader should know and what stops nothing.
        signing_key: Ed25519 private key, PEM.
        issued_at: now, where not given.

    Raises:
        SettingsError: the key cannot sign.
    """
    measured = {
        "schema_version": SCHEMA_VERSION,
        "institution": institution,
        "fingerprint": fingerprint,
        "evaluation_id": evaluation_id,
        "evaluated": [
            {**one, "design_means": DESIGNS[str(one["design"])]}
            for one in sorted(evaluated, key=lambda o: str(o["design"]))
        ],
        "baseline": baseline,
        "thresholds": thresholds(gate),
        "verdict": "failed" if failures else "passed",
        "failures": list(failures),
        "warnings": list(warnings),
    }
    # The verdict's time is no part of its name: the same figures again are the same certificate.
    name = hashlib.sha256(canonical(measured).encode()).hexdigest()[:16]
    moment = issued_at or datetime.datetime.now(datetime.UTC)
    document = canonical({**measured, "certificate_id": name, "issued_at": moment.isoformat(timespec="microseconds")})
    return Certificate(document, sign(document, signing_key))


def verify_certificate(
    certificate: Certificate | None,
    institution: str,
    fingerprint: str,
    gate: GateSettings,
    verification_key: str,
) -> dict[str, Any]:
    """What the certificate says, where it lets exactly this fingerprint of this institution publish.

    Raises:
        GateError: there is none, it failed, it was tampered with or signed with another key, it is of another fingerprint or
            institution, or was issued under weaker thresholds than the settings now ask for. The text says what to run.
        SettingsError: the verification key is none.
    """
    try:
        if certificate is None:
            raise GateError("there is none")
        check_signature(certificate.document, certificate.signature, verification_key)
        content = certificate.content
        _check_content(content, institution, fingerprint, gate)
    except GateError as error:
        raise GateError(
            f"{institution}: no valid certificate for fingerprint {fingerprint}: {error}; run evaluate__{institution}"
        ) from None
    return content


def _check_content(content: Mapping[str, Any], institution: str, fingerprint: str, gate: GateSettings) -> None:
    if content.get("schema_version") != SCHEMA_VERSION:
        raise GateError(f"its schema version is {content.get('schema_version')}, not {SCHEMA_VERSION}")
    for name, wanted in (("institution", institution), ("fingerprint", fingerprint)):
        if content.get(name) != wanted:
            raise GateError(f"it is of {name} {content.get(name)}")
    if content.get("verdict") != "passed":
        raise GateError(f"the evaluation failed: {'; '.join(content.get('failures', ()))}")
    held = content.get("thresholds", {})
    weaker = [name for name in _THRESHOLDS if held.get(name, 0) < getattr(gate, name)]
    if weaker:
        raise GateError(f"it was issued under a lower {' and '.join(weaker)} than the settings now ask for")
    lacking = sorted(set(gate.designs) - {one["design"] for one in content.get("evaluated", ())})
    if lacking:
        raise GateError(f"it has no figures on a {' or '.join(lacking)} gold set")
