"""The audit key: Ed25519 signatures of rows and of heads."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.core.errors import GateError, SettingsError
from deid_tasks.core.pem import key_fingerprint
from deid_tasks.evidence.gate import check_signature, public_key_of, sign
from deid_tasks.platform.audit_log.chain import LogFinding, details_of, hash_of_row
from deid_tasks.platform.warehouse.audit_log import AuditLogRow, audit_rows_of, has_signed_rows, read_audit_rows
from deid_tasks.settings import InstitutionSettings, Secrets

_PUBLIC_PEM = re.compile(r"-----BEGIN PUBLIC KEY-----.*?-----END PUBLIC KEY-----", re.DOTALL)
ACCEPTED = "unsigned_accepted"
"""The event with which a person who has the audit key accepts rows that lack a signature."""
_SIGNING, _VERIFICATION = "audit_log.signing_key", "audit_log.verification_key"


class AuditSigner:
    """Signs with the audit key, where the secrets hold it; the ``repr`` does not show it."""

    def __init__(self, settings: InstitutionSettings, secrets: Secrets) -> None:
        self._pem = secrets.find(settings.audit_log.signing_key)
        self.key_id = key_fingerprint(public_key_of(self._pem, _SIGNING)) if self._pem else ""
        """The fingerprint of the key; empty without a key."""

    def sign_row(self, row_hash: str) -> str:
        """Return the signature of a row's hash; empty without a key."""
        return self._sign(_row_text(row_hash))

    def sign_head(self, institution: str, seq: int, row_hash: str) -> str:
        """Return the signature of a head; empty without a key."""
        return self._sign(_head_text(institution, seq, row_hash))

    def _sign(self, text: str) -> str:
        return sign(text, self._pem, _SIGNING) if self._pem else ""


@dataclass(frozen=True)
class AuditKeys:
    """The public audit keys: that of now, and former ones."""

    pems: dict[str, str] = field(default_factory=dict)
    """PEM by fingerprint; empty where none is configured."""

    @classmethod
    def of(cls, settings: InstitutionSettings, secrets: Secrets) -> "AuditKeys":
        """Return the keys in the institution's secret; none where it is not set.

        Raises:
            SettingsError: the secret is set and holds no public key.
        """
        text = secrets.find(settings.audit_log.verification_key)
        return cls() if text is None else cls.of_text(text, f"secret {settings.audit_log.verification_key!r}")

    @classmethod
    def of_text(cls, text: str, label: str) -> "AuditKeys":
        """Return the keys in PEM, one below the other; raises ``SettingsError``, which names ``label``."""
        pems = _PUBLIC_PEM.findall(text)
        try:
            found = {key_fingerprint(pem): pem for pem in pems}
        except ValueError:
            found = {}
        if not found:
            raise SettingsError(f"{label} holds no Ed25519 public key in PEM")
        return cls(found)

    def has_signed_row(self, row: AuditLogRow) -> bool:
        """Whether one of the keys made the row's signature."""
        return self._has_signed(_row_text(row.row_hash), row.key_id, row.signature)

    def has_signed_head(self, institution: str, seq: int, row_hash: str, key_id: str, signature: str) -> bool:
        """Whether one of the keys made the signature of a head."""
        return self._has_signed(_head_text(institution, seq, row_hash), key_id, signature)

    def _has_signed(self, text: str, key_id: str, signature: str) -> bool:
        if key_id not in self.pems:
            return False
        try:
            check_signature(text, signature, self.pems[key_id], _VERIFICATION)
        except GateError:
            return False
        return True


def is_trusted_row(connection: Connection, settings: InstitutionSettings, secrets: Secrets, row: AuditLogRow) -> bool:
    """Whether a row says what was written: it has its hash and, where a key is configured, a valid signature.

    Rows from before there was a key have none: no signed row stands before them, and they are linked to the first one.
    A signed row may accept others.

    Raises:
        SettingsError: the secret of the verification key holds none.
    """
    if hash_of_row(settings.institution, row) != row.row_hash:
        return False
    keys = AuditKeys.of(settings, secrets)
    if not keys.pems or keys.has_signed_row(row):
        return True
    if row.signature or row.key_id:
        return False
    if not has_signed_rows(connection, settings, before=row.seq):
        return _leads_to_signed_row(connection, settings, keys, row)
    accepting = audit_rows_of(connection, settings, ACCEPTED)
    is_genuine = {one.seq: hash_of_row(settings.institution, one) == one.row_hash for one in accepting}
    return row.row_hash in accepted_rows([one for one in accepting if is_genuine[one.seq]], keys)


def _leads_to_signed_row(
    connection: Connection, settings: InstitutionSettings, keys: AuditKeys, row: AuditLogRow
) -> bool:
    """Whether the rows from this one to the first signed one, or to the end, are linked by their hashes.

    The hash of a row that lacks a signature proves nothing: whoever changes the row computes it again.
    """
    expected = row.previous_hash
    for one in read_audit_rows(connection, settings, first=row.seq):
        if one.previous_hash != expected or hash_of_row(settings.institution, one) != one.row_hash:
            return False
        if one.signature:
            return keys.has_signed_row(one)
        expected = one.row_hash
    return True


def accepted_rows(rows: Iterable[AuditLogRow], keys: AuditKeys) -> dict[str, AuditLogRow]:
    """Return the hashes of unsigned rows that a signed row accepts, with that row."""
    found: dict[str, AuditLogRow] = {}
    for row in rows:
        if row.event == ACCEPTED and row.signature and (not keys.pems or keys.has_signed_row(row)):
            hashes = details_of(row).get("rows")
            found.update(dict.fromkeys(map(str, hashes.values() if isinstance(hashes, dict) else ()), row))
    return found


def check_signatures(rows: Sequence[AuditLogRow], keys: AuditKeys) -> Iterator[LogFinding]:
    """Yield the rows that no key has signed, from the first signed row on; all rows where none is signed.

    Rows before the first signed one were written before there was a key; its hash covers them. Rows that a signed row
    accepts are left out.
    """
    accepted = accepted_rows(rows, keys)
    unsigned, is_begun = 0, False
    for row in rows:
        if not row.signature and not row.key_id:
            unsigned += 1
            if is_begun and row.row_hash not in accepted:
                yield LogFinding(
                    row.seq, "not signed", "earlier rows are signed; give its writer the audit key, and find out"
                    " whether the row is genuine: then `deid audit accept-unsigned` accepts it",
                )  # fmt: skip
            continue
        is_begun = True
        if keys.pems and not keys.has_signed_row(row):
            yield LogFinding(
                row.seq, "wrong signature", "no configured audit key made its signature: it was forged, or the key's"
                " public half is missing",
            )  # fmt: skip
    if keys.pems and unsigned and not is_begun:
        yield LogFinding(None, "not signed", "a verification key is configured, and no row is signed")


def _row_text(row_hash: str) -> str:
    return f"palimpsest audit row {row_hash}"


def _head_text(institution: str, seq: int, row_hash: str) -> str:
    return f"palimpsest audit head {institution} {seq} {row_hash}"
