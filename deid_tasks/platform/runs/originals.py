"""Original texts of published notes: sealed while a shard is processed, stored in the vault, and re-identified."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from deid_tasks.core.errors import GateError, InputError, VaultError
from deid_tasks.core.files import atomic_path
from deid_tasks.core.identity import Identity
from deid_tasks.engine.parts import EngineParts
from deid_tasks.platform.audit_log import AuditEvent, AuditWriter, audited
from deid_tasks.platform.publish import read_published_notes
from deid_tasks.platform.runs.key_changes import record_key_changes
from deid_tasks.platform.runs.reports import GateReport
from deid_tasks.platform.runs.requests import check_alone, file_request, usable_request
from deid_tasks.platform.runs.step_log import logged_step
from deid_tasks.platform.vault import (
    EntryWriter,
    Opener,
    VaultEntry,
    VaultStore,
    check_shard,
    entries_of,
    parts_by_slice,
    restore_text,
    vault_opener,
    vault_recipient,
)
from deid_tasks.platform.warehouse import connect
from deid_tasks.platform.warehouse.approval_requests import ApprovalRequest
from deid_tasks.platform.warehouse.ledger import read_work
from deid_tasks.platform.warehouse.reidentification import record_reidentification
from deid_tasks.platform.warehouse.slices import published_keys, replaced_slices
from deid_tasks.platform.workspace import RunFiles, run_dir, vault_file
from deid_tasks.settings import InstitutionSettings, Secrets

_NOTE_KEY = re.compile(r"[a-z2-7]{26}")
"""Form of the pseudonyms of ``Obfuscator.pseudonym``; anything else is a real note id."""


class Original(NamedTuple):
    """A note as it was in the warehouse when it was published; its ``repr`` shows the key alone."""

    note_key: str
    note_id: str
    patient_id: str | None
    text: str

    def __repr__(self) -> str:
        return f"Original(note_key={self.note_key!r})"


@contextmanager
def sealed_originals(
    settings: InstitutionSettings, secrets: Secrets, engine: EngineParts, shard: Path
) -> Iterator[Callable[[pa.RecordBatch, pa.RecordBatch, str], None]]:
    """Yield a function that takes each batch as it entered and as it left the engine and its slice, and seals what was
    replaced.

    Without ``settings.vault`` the function does nothing.

    Args:
        settings: The institution.
        secrets: Its secrets.
        engine: The engine that processes the shard.
        shard: The shard's file; the sealed originals are written beside it.
    """
    if settings.vault is None:
        yield lambda _notes, _results, _slice: None
        return
    header = {"institution": settings.institution, "fingerprint": engine.fingerprint}
    recipient = vault_recipient(settings, secrets)
    with atomic_path(vault_file(shard)) as partial, partial.open("wb") as file:
        writer = EntryWriter(file, recipient, header)

        def seal_batch(notes: pa.RecordBatch, results: pa.RecordBatch, slice_key: str) -> None:
            for entry in entries_of(notes, results):
                writer.add(slice_key, entry)

        yield seal_batch


@logged_step
def store_vault(settings: InstitutionSettings, secrets: Secrets, run_id: str, released: GateReport) -> dict[str, Any]:
    """Replace the sealed originals of the notes that the run published or removed.

    All originals are checked against the published notes first. Running this again changes nothing.

    Args:
        settings: The institution, which must keep a vault.
        secrets: Its secrets.
        run_id: The run, which has been published.
        released: What ``reconcile_run`` returned.

    Raises:
        GateError: the shards are not the shards that were published.
        VaultError: originals are missing, truncated or of other notes, or the vault cannot be written; every published
            note can be restored as before.
    """
    shards = RunFiles(settings, secrets, run_dir(settings, run_id))
    with shards.opened(released["files"]) as files:
        if shards.fingerprint_of(files) != released["fingerprint"]:
            raise GateError(f"{settings.institution}: the shards changed after the gate; clear reconcile_and_gate")
        return {"notes": _store(settings, secrets, run_id, shards, files)}


def _store(settings: InstitutionSettings, secrets: Secrets, run_id: str, shards: RunFiles, files: list[Path]) -> int:
    """Replace the sealed originals of the run's notes; return the number of published ones."""
    store = VaultStore(settings, secrets)
    with connect(secrets.text(settings.warehouse.connection_of("publish"))) as connection:
        work = read_work(connection, settings, run_id)
        replaced = replaced_slices(connection, settings, run_id)
        whole = published_keys(connection, settings, run_id)
    written = {item.note_key for item in work if item.result == "written" and item.note_key}
    sealed = {key for path in files for key in _check_file(shards, path)}
    if missing := len(written - sealed):
        raise VaultError(f"{settings.institution}: {missing} published notes have no originals; clear the shards")
    former: defaultdict[str, set[str]] = defaultdict(set)
    for item in work:
        if item.result in {"written", "removed"} and item.former_slice_key and item.former_note_key:
            former[item.former_slice_key].add(item.former_note_key)
    for slice_key, keys in whole.items():
        former[slice_key] |= store.note_keys(slice_key) - keys
    by_slice = parts_by_slice([vault_file(path) for path in files], without=sealed - written)
    for slice_key in sorted(by_slice.keys() | former.keys()):
        store.replace_notes(slice_key, by_slice.get(slice_key, iter(())), former.get(slice_key, ()))
    for name in replaced:
        store.drop(name)
    return len(written)


@logged_step
def reidentify_notes(
    settings: InstitutionSettings, secrets: Secrets, notes: Sequence[str], reason: str, asked_by: Identity
) -> list[Original]:
    """Return the originals of published notes, all of them or none, in the order of the request.

    Who requests which notes, and why, is recorded and committed before anything is decrypted.

    Args:
        settings: The institution, which must keep a vault.
        secrets: Secrets of a role that has the private key.
        notes: Keys of published notes; real note ids too, where the role also has the surrogate key.
        reason: Why, for the people who read the log of requests.
        asked_by: Who requests the notes.

    Raises:
        InputError: no note or no reason is given.
        ApprovalError: these are more notes than one person may re-identify alone.
        VaultError: a note is not published or not in the vault, the key does not fit, or stored data was changed.
    """
    keys = _requested_keys(settings, secrets, notes, reason)
    with audited(settings, secrets, secrets.text(settings.warehouse.connection_of("reidentify"))) as audit:
        audit.lock()
        check_alone(audit.connection, settings, asked_by, len(keys))
        _record(audit, settings, asked_by, reason.strip(), keys)
    return _originals(settings, secrets, keys)


@logged_step
def reidentify_as_approved(
    settings: InstitutionSettings, secrets: Secrets, request_id: str, asked_by: Identity
) -> list[Original]:
    """Return the originals that an approved request asks for, once.

    The request is used up before anything is decrypted, also where decrypting then fails.

    Raises:
        ApprovalError: the request is not this person's, is not approved, has expired or was used.
        VaultError: as ``reidentify_notes``.
    """
    with audited(settings, secrets, secrets.text(settings.warehouse.connection_of("reidentify"))) as audit:
        asked = usable_request(audit, settings, secrets, request_id, "reidentification", asked_by)
        _record(audit, settings, asked_by, asked.reason, asked.note_keys, request_id)
    return _originals(settings, secrets, asked.note_keys)


@logged_step
def request_reidentification(
    settings: InstitutionSettings, secrets: Secrets, notes: Sequence[str], reason: str, asked_by: Identity
) -> ApprovalRequest:
    """Store a request to re-identify notes, which another person must approve; nothing is opened.

    Raises:
        InputError: no note or no reason is given.
    """
    keys = _requested_keys(settings, secrets, notes, reason)
    return file_request(settings, secrets, "reidentification", asked_by, reason, note_keys=keys)


def _requested_keys(settings: InstitutionSettings, secrets: Secrets, notes: Sequence[str], reason: str) -> list[str]:
    """Return the keys of the notes of a request, each once; raises ``InputError`` without a note or a reason."""
    if not notes or not reason.strip():
        raise InputError("give at least one note and a reason (--reason)")
    return list(dict.fromkeys(_note_key(settings, secrets, note) for note in notes))


def _record(
    audit: AuditWriter,
    settings: InstitutionSettings,
    asked_by: Identity,
    reason: str,
    keys: Sequence[str],
    request_id: str = "",
) -> None:
    record = record_reidentification(audit.connection, settings, asked_by.name, reason, keys)
    details = {"record": record, "notes": len(keys), "request": request_id}
    audit.append(AuditEvent("reidentification", "performed", asked_by, record, details))


def _originals(settings: InstitutionSettings, secrets: Secrets, keys: Sequence[str]) -> list[Original]:
    opener = vault_opener(settings, secrets)
    by_key = {row["note_key"]: row for row in read_published_notes(settings, secrets, list(keys))}
    if missing := [key for key in keys if key not in by_key]:
        raise VaultError(f"{settings.institution}: no published note {', '.join(missing)}")
    by_slice: dict[str, dict[str, str]] = defaultdict(dict)
    for key in keys:
        by_slice[by_key[key]["slice_key"]][key] = by_key[key]["text"]
    store = VaultStore(settings, secrets)
    found: dict[str, VaultEntry] = {}
    for slice_key, published in by_slice.items():
        found |= store.entries(slice_key, published, opener)
    return [_original(key, by_key[key]["text"], found[key]) for key in keys]


@logged_step
def rewrap_vault(
    settings: InstitutionSettings, secrets: Secrets, former: Opener, changed_by: Identity
) -> dict[str, int]:
    """Encrypt the data keys of every slice for the public key that the settings name now.

    A slice that is encrypted for it already stays as it is, so an interrupted change of keys continues where it
    stopped. The audit log says who did it, and how many slices were changed.

    Args:
        settings: The institution, which must keep a vault.
        secrets: Its secrets.
        former: Opens the data keys as they are encrypted until now.
        changed_by: Who changes the key.

    Returns:
        The number of slices, and of those that were changed.
    """
    uri = secrets.text(settings.warehouse.connection_of("reidentify"))
    # First, so that no slice is changed where the log cannot be written.
    with audited(settings, secrets, uri) as audit:
        record_key_changes(audit, settings, secrets, changed_by)
    store, recipient = VaultStore(settings, secrets), vault_recipient(settings, secrets)
    done = [store.rewrap(slice_key, former, recipient) for slice_key in store.slices()]
    counts = {"slices": len(done), "rewrapped": sum(done)}
    with audited(settings, secrets, uri) as audit:
        details = {"key": "vault", **counts}
        audit.append(AuditEvent("key_changed", "performed", changed_by, recipient.key_id, details))
    return counts


def _check_file(shards: RunFiles, shard: Path) -> set[str]:
    """Return the keys of the notes whose originals are sealed.

    Raises:
        VaultError: the sealed originals are not of exactly the notes in the shard's file.
    """
    keys: set[str] = set()

    def published() -> Iterator[tuple[str, str]]:
        for batch in shards.read_batches([shard]):
            for row in batch.select(["note_key", "deid_text"]).to_pylist():
                if row["deid_text"] is not None:
                    keys.add(row["note_key"])
                    yield row["note_key"], row["deid_text"]

    check_shard(vault_file(shard), published())
    return keys


def _original(key: str, published: str, entry: VaultEntry) -> Original:
    try:
        return Original(key, entry["note_id"], entry["patient_id"], restore_text(published, entry))
    except VaultError as error:
        raise VaultError(f"note {key}: {error}") from None


def _note_key(settings: InstitutionSettings, secrets: Secrets, note: str) -> str:
    if _NOTE_KEY.fullmatch(note):
        return note
    from deid_tasks.engine.obfuscate import Obfuscator

    key = secrets.key(settings.obfuscate.key)
    return Obfuscator(key, settings.institution, settings.policy, settings.obfuscate).pseudonym("note", note)
