"""The certificate: the figures of exactly one fingerprint, the verdict, and a signature over both.

The keys of a certificate's JSON are a stable format, and its text is signed byte for byte: renaming a key would
invalidate every certificate that was issued before. A new key needs no new schema version; a changed meaning does.
"""

import datetime
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from deid_tasks.core.errors import GateError
from deid_tasks.core.policies import EXPERT
from deid_tasks.evidence.gate.signature import Signer, check_signature, sign
from deid_tasks.settings import GateSettings

SCHEMA_VERSION = 1
DESIGNS = {
    "stratified": (
        "enriched: drawn by note type and period, notes with the patient's own identifiers first; not representative"
    ),
    "random": "unbiased: drawn at random from all notes",
}
"""What the figures on a gold set of each sampling design say."""
_THRESHOLDS = ("recall_min", "precision_min", "category_min", "stratum_recall_min", "confidence")


@dataclass(frozen=True, slots=True)
class Certificate:
    """A signed document, byte for byte."""

    document: str
    """Canonical JSON: sorted keys, no blanks, ASCII."""
    signature: str
    """Ed25519 signature of the document's bytes, in base64."""

    @property
    def content(self) -> dict[str, Any]:
        """The document as a mapping; raises ``GateError`` if it is not a JSON object."""
        try:
            content = json.loads(self.document)
        except (ValueError, RecursionError):
            content = None
        if not isinstance(content, dict):
            raise GateError("it is not a JSON object")
        return content

    @property
    def certificate_id(self) -> str:
        """Hash of the figures and the verdict, independent of the time of issue."""
        return str(self.content.get("certificate_id", ""))

    @property
    def passed(self) -> bool:
        """Whether the verdict is ``passed``; the signature is not checked."""
        return self.content.get("verdict") == "passed"

    def file(self) -> str:
        """Return the text of a certificate file: one JSON object with content and signature."""
        return json.dumps({"certificate": self.content, "signature": self.signature}, indent=1, sort_keys=True) + "\n"

    @classmethod
    def of_file(cls, text: str) -> "Certificate":
        """Read the text that ``file`` wrote; raises ``GateError`` if it is not a certificate file."""
        try:
            held = json.loads(text)
            return cls(canonical(held["certificate"]), str(held["signature"]))
        except (ValueError, KeyError, TypeError, RecursionError):
            raise GateError("it is not a certificate file") from None


def canonical(content: Mapping[str, Any]) -> str:
    """Return the JSON text of ``content`` that is signed."""
    return json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)


def thresholds(gate: GateSettings) -> dict[str, Any]:
    """Return the thresholds as the certificate records them."""
    return {**{name: getattr(gate, name) for name in _THRESHOLDS}, "designs": list(gate.designs)}


def named_thresholds(content: Mapping[str, Any]) -> GateSettings:
    """Return the thresholds that a certificate names; one of an early release names no share of categories.

    Raises:
        GateError: it names thresholds that no settings can have.
    """
    try:
        return GateSettings.model_validate({"category_min": 0, **content.get("thresholds", {})})
    except (ValidationError, TypeError):
        raise GateError("it names thresholds that no settings can have") from None


def issue_certificate(
    institution: str,
    fingerprint: str,
    evaluation_id: str,
    evaluated: Sequence[Mapping[str, Any]],
    baseline: Mapping[str, Any],
    gate: GateSettings,
    failures: Sequence[str],
    warnings: Sequence[str],
    signing_key: str | Signer,
    issued_at: datetime.datetime | None = None,
    *,
    policy: str = EXPERT,
    operating_point: Mapping[str, Any] | None = None,
) -> Certificate:
    """Return the signed certificate of an evaluation; its verdict is ``passed`` if there are no failures.

    Args:
        institution: The evaluated institution.
        fingerprint: Of the evaluated engine.
        evaluation_id: Of the rows in ``_results.evaluation``.
        evaluated: For each gold set its design, version, how it was drawn, and the figures on it.
        baseline: Figures by note type, with which later runs are compared.
        gate: The thresholds.
        failures: Critical checks that failed.
        warnings: Other checks that failed.
        signing_key: Ed25519 private key, PEM, or what signs with a key that it does not show.
        issued_at: The time of issue; now by default.
        policy: The name of the policy that the engine follows and the figures count by.
        operating_point: The bias that the evaluation chose for the engine's models, and how; ``None`` where the
            settings set it.

    Raises:
        SettingsError: The key is not an Ed25519 private key.
    """
    measured = {
        "schema_version": SCHEMA_VERSION,
        "institution": institution,
        "fingerprint": fingerprint,
        "policy": policy,
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
        **({"operating_point": dict(operating_point)} if operating_point else {}),
    }
    # The time is not a part of the id: the same figures again have the same certificate id.
    certificate_id = hashlib.sha256(canonical(measured).encode()).hexdigest()[:16]
    moment = issued_at or datetime.datetime.now(datetime.UTC)
    document = canonical(
        {**measured, "certificate_id": certificate_id, "issued_at": moment.isoformat(timespec="microseconds")}
    )
    signature = sign(document, signing_key) if isinstance(signing_key, str) else signing_key.sign(document)
    return Certificate(document, signature)


def verify_certificate(
    certificate: Certificate | None,
    institution: str,
    fingerprint: str,
    gate: GateSettings,
    verification_key: str,
    now: datetime.datetime | None = None,
) -> dict[str, Any]:
    """Return the content of a certificate that allows exactly this fingerprint of this institution to publish.

    Args:
        certificate: The certificate; ``None`` if none was found.
        institution: That wants to publish.
        fingerprint: Of the engine that wants to publish.
        gate: The thresholds in the settings.
        verification_key: Public key, PEM: Ed25519, or P-256 of a KMS.
        now: The time at which its age is judged; the present by default.

    Raises:
        GateError: There is no certificate, it failed, it was changed or signed with another key, it belongs to another
            fingerprint or institution, it was issued under lower thresholds than the settings have, or it is older than
            they allow. The text says what to run.
        SettingsError: The verification key is neither an Ed25519 nor a P-256 public key.
    """
    try:
        if certificate is None:
            raise GateError("none was issued")
        check_signature(certificate.document, certificate.signature, verification_key)
        content = certificate.content
        _check_content(content, institution, fingerprint, gate)
        _check_age(content, gate.certificate_max_age_days, now or datetime.datetime.now(datetime.UTC))
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
            raise GateError(f"it belongs to {name} {content.get(name)}")
    if content.get("verdict") != "passed":
        raise GateError(f"the evaluation failed: {'; '.join(content.get('failures', ()))}")
    held = content.get("thresholds", {})
    weaker = [name for name in _THRESHOLDS if held.get(name, 0) < getattr(gate, name)]
    if weaker:
        raise GateError(f"it was issued under a lower {' and '.join(weaker)} than the settings now require")
    lacking = sorted(set(gate.designs) - {one["design"] for one in content.get("evaluated", ())})
    if lacking:
        raise GateError(f"it has no figures on the {' and '.join(lacking)} gold set that the settings require")


def _check_age(content: Mapping[str, Any], days: float | None, now: datetime.datetime) -> None:
    if days is None:
        return
    age = (now - datetime.datetime.fromisoformat(str(content["issued_at"]))) / datetime.timedelta(days=1)
    if age > days:
        raise GateError(f"it was issued {age:.1f} days ago, and gate.certificate_max_age_days is {days:g}")
