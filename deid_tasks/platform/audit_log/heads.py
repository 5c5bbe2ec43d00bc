"""Heads of the audit log outside the database: how far it reached, and with which hash.

Each head is an object of its own, ``<prefix>/<institution>/<seq>-<hash>.json``. Nothing is overwritten, so that a
bucket with an object lock holds every head for good.
"""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from deid_tasks.core.errors import StorageError
from deid_tasks.platform.audit_log.chain import LogFinding
from deid_tasks.platform.audit_log.signing import AuditKeys, AuditSigner
from deid_tasks.platform.bucket import Bucket
from deid_tasks.platform.warehouse.audit_log import AuditLogRow
from deid_tasks.settings import InstitutionSettings, Secrets

_NAME = re.compile(r"(?P<seq>\d{12})-(?P<hash>[0-9a-f]{64})\.json")


@dataclass(frozen=True, slots=True)
class AuditHead:
    """A row of the log as the bucket names it."""

    seq: int
    row_hash: str


class HeadStore:
    """The heads of one institution's log.

    Raises:
        SettingsError: the bucket's secret is not set.
    """

    def __init__(self, settings: InstitutionSettings, secrets: Secrets) -> None:
        chosen = settings.audit_log
        self._institution, self._name = settings.institution, chosen.bucket or settings.publish.bucket
        self._secret = chosen.object_store or settings.publish.object_store
        self._bucket = Bucket(self._name, secrets.mapping(self._secret))
        top = chosen.prefix if chosen.bucket else f"{settings.publish.prefix}/{chosen.prefix}"
        self._prefix = f"{top}/{settings.institution}/"

    def put(self, row: AuditLogRow, signer: AuditSigner) -> None:
        """Store a row as head; raises ``StorageError`` where the bucket refuses it."""
        signature = signer.sign_head(self._institution, row.seq, row.row_hash)
        content = {
            "institution": self._institution,
            "seq": row.seq,
            "row_hash": row.row_hash,
            "key_id": signer.key_id,
            "signature": signature,
        }
        with self._errors("write to"):
            self._bucket.add(f"{self._prefix}{row.seq:012d}-{row.row_hash}.json", json.dumps(content).encode())

    def heads(self) -> list[AuditHead]:
        """Return all heads by their names, in the order of their numbers."""
        with self._errors("list"):
            names = [found.key.removeprefix(self._prefix) for found in self._bucket.list(self._prefix)]
        matches = [match for name in names if (match := _NAME.fullmatch(name))]
        return [AuditHead(int(match["seq"]), match["hash"]) for match in matches]

    def is_signed(self, head: AuditHead, keys: AuditKeys) -> bool:
        """Whether a head's object has the signature of an audit key."""
        with self._errors("read"):
            content = self._bucket.get(f"{self._prefix}{head.seq:012d}-{head.row_hash}.json")
        try:
            held = json.loads(content or b"{}")
            return keys.has_signed_head(
                self._institution, head.seq, head.row_hash, str(held["key_id"]), str(held["signature"])
            )
        except (ValueError, KeyError, TypeError):
            return False

    @contextmanager
    def _errors(self, verb: str) -> Iterator[None]:
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            yield
        except (ClientError, BotoCoreError) as error:
            code = error.response["Error"]["Code"] if isinstance(error, ClientError) else type(error).__name__
            raise StorageError(
                f"cannot {verb} the heads of {self._institution}'s audit log in bucket {self._name!r}: {code};"
                f" check the secret {self._secret!r} and its rights"
            ) from None


def check_heads(heads: list[AuditHead], hashes: Mapping[int, str], is_newest_signed: bool) -> Iterator[LogFinding]:  # noqa: FBT001
    """Yield where the log is not the one whose heads were stored.

    Args:
        heads: All heads.
        hashes: The hash of each row of the log by its number.
        is_newest_signed: Whether the newest head has a valid signature, or needs none.
    """
    end = max(hashes, default=0)
    newest = max(heads, key=lambda head: head.seq, default=None)
    if newest is not None and newest.seq > end:
        yield LogFinding(end, "log truncated", f"row {newest.seq} was written, and the log ends here")
    for head in heads:
        if head.seq in hashes and hashes[head.seq] != head.row_hash:
            yield LogFinding(head.seq, "log rewritten", "it is not the row whose hash was stored when it was written")
    if newest is not None and not is_newest_signed:
        yield LogFinding(newest.seq, "head forged", "the stored head of this row has no valid signature")
