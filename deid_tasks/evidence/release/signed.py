"""A release report as signed JSON, and the expert's attestation on it.

The platform signs the report's content: it vouches for the figures and decides nothing. An expert signs, with a key of
their own, a statement that names the report by its hash. Both signatures are Ed25519 over canonical JSON.
"""

import datetime
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from deid_tasks.core.errors import GateError
from deid_tasks.evidence.gate.certificate import canonical
from deid_tasks.evidence.gate.signature import check_signature, public_key_of, sign

REPORT_VERSION = 1


@dataclass(frozen=True, slots=True)
class Attestation:
    """A person's signed statement about one report."""

    content: Mapping[str, Any]
    """``report_sha256``, ``name``, ``qualification``, ``opinion``, ``signed_at`` and ``public_key``."""
    signature: str


@dataclass(frozen=True, slots=True)
class SignedReport:
    """A report with the platform's signature, and the attestations on it."""

    content: Mapping[str, Any]
    signature: str
    attestations: tuple[Attestation, ...] = ()

    @property
    def sha256(self) -> str:
        """The hash by which attestations name the report."""
        return hashlib.sha256(canonical(self.content).encode()).hexdigest()

    def file(self) -> str:
        """Return the text of a report file: one JSON object."""
        held = {
            "report": self.content,
            "signature": self.signature,
            "attestations": [{"attestation": one.content, "signature": one.signature} for one in self.attestations],
        }
        return json.dumps(held, indent=1, sort_keys=True) + "\n"

    @classmethod
    def of_file(cls, text: str) -> "SignedReport":
        """Read what ``file`` wrote.

        Raises:
            GateError: it is not a report file.
        """
        try:
            held = json.loads(text)
            attestations = tuple(
                Attestation(dict(one["attestation"]), str(one["signature"])) for one in held["attestations"]
            )
            return cls(dict(held["report"]), str(held["signature"]), attestations)
        except (json.JSONDecodeError, KeyError, TypeError, ValueError):
            raise GateError("it is not a file of a release report") from None


def issue_report(content: Mapping[str, Any], signing_key: str) -> SignedReport:
    """Return a report that the platform has signed.

    Raises:
        SettingsError: The key is not an Ed25519 private key.
    """
    # As it is read again: tuples become lists, and keys become text.
    held = json.loads(canonical({**content, "report_version": REPORT_VERSION}))
    return SignedReport(held, sign(canonical(held), signing_key))


def attest(
    report: SignedReport,
    *,
    name: str,
    qualification: str,
    opinion: str,
    key: str,
    signed_at: datetime.datetime | None = None,
) -> SignedReport:
    """Return the report with one more attestation.

    Args:
        report: The report, whose own signature should have been verified.
        name: Who signs.
        qualification: Their knowledge of and experience with methods of de-identification (45 CFR 164.514(b)(1)).
        opinion: What they determine.
        key: Their Ed25519 private key, PEM.
        signed_at: The time; now by default.

    Raises:
        SettingsError: The key is not an Ed25519 private key.
    """
    moment = signed_at or datetime.datetime.now(datetime.UTC)
    content = {
        "report_sha256": report.sha256,
        "name": name,
        "qualification": qualification,
        "opinion": opinion,
        "signed_at": moment.isoformat(timespec="seconds"),
        "public_key": public_key_of(key, "the expert's key"),
    }
    added = Attestation(content, sign(canonical(content), key, "the expert's key"))
    return replace(report, attestations=(*report.attestations, added))


def verify_report(report: SignedReport, verification_key: str) -> None:
    """Check the platform's signature and every attestation.

    An attestation proves that the holder of the key in it signed; whose key it is, its owner must say by another way
    (``core.pem.key_fingerprint``).

    Raises:
        GateError: The report or an attestation was changed, or is of another report; the text says which.
        SettingsError: The verification key is not an Ed25519 public key.
    """
    try:
        check_signature(canonical(report.content), report.signature, verification_key)
    except GateError as error:
        raise GateError(f"the report: {error}") from None
    for one in report.attestations:
        who = f"the attestation of {one.content.get('name')}"
        if one.content.get("report_sha256") != report.sha256:
            raise GateError(f"{who} is of another report")
        try:
            check_signature(
                canonical(one.content), one.signature, str(one.content.get("public_key")), "the key in the attestation"
            )
        except GateError as error:
            raise GateError(f"{who}: {error}") from None
