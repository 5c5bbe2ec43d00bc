"""Originals to the vault, and back."""

import datetime
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from deid_tasks.core.errors import GateError, InputError, VaultError
from deid_tasks.engine.engine import Engine
from deid_tasks.platform.publish import read_notes
from deid_tasks.platform.runs.institution_engine import load_engine
from deid_tasks.platform.runs.pseudonyms import slice_pseudonym
from deid_tasks.platform.vault import (
    Opener,
    PartWriter,
    VaultStore,
    check_part,
    entries_of,
    read_parts,
    restore,
    vault_opener,
    vault_recipient,
)
from deid_tasks.platform.warehouse import connect
from deid_tasks.platform.warehouse.reidentification import record_reidentification
from deid_tasks.platform.warehouse.slices import former_slices
from deid_tasks.platform.workspace import fingerprint_of, read_batches, shard_files, vault_file, whole_file
from deid_tasks.settings import InstitutionSettings, Secrets

_NOTE_KEY = re.compile(r"[a-z2-7]{26}")
"""What ``Obfuscator.pseudonym`` makes."""


class Original(NamedTuple):
    """A note as the warehouse held it when it was published."""

    note_key: str
    note_id: str
    patient_id: str | None
    text: str

    def __repr__(self) -> str:
        return f"Original(note_key={self.note_key!r})"


@contextmanager
def sealed_originals(
    settings: InstitutionSettings, secrets: Secrets, engine: Engine, shard: Path, slice_key: str
) -> Iterator[Callable[[pa.RecordBatch, pa.RecordBatch], None]]:
    """Takes each batch as it entered the engine and as it left it, and seals what was replaced; nothing without a vault."""
    if settings.vault is None:
        yield lambda _notes, _results: None
        return
    header = {"institution": settings.institution, "slice": slice_key, "fingerprint": engine.fingerprint}
    recipient = vault_recipient(settings, secrets)
    with whole_file(vault_file(shard)) as partial, partial.open("wb") as file:
        writer = PartWriter(file, recipient, header)
        yield lambda notes, results: writer.add(entries_of(notes, results))
        writer.close()


def store_vault(
    settings: InstitutionSettings,
    secrets: Secrets,
    run_id: str,
    start: datetime.datetime,
    end: datetime.datetime,
    released: dict[str, Any],
    published: dict[str, Any],
) -> dict[str, Any]:
    """Put the sealed originals of the run's slice in the place of the slice's former ones, once the slice is published.

    ``released`` and ``published`` are what ``reconcile`` and ``publish`` returned. The slice in the vault changes whole, when all its
    parts were checked against the published notes; repeating this changes nothing.

    Raises:
        GateError: the shards are not those that were published.
        VaultError: a part is missing, cut short or of other notes, or the vault cannot be written; the vault is as it was.
    """
    files = shard_files(settings, run_id, released["shards"])
    if fingerprint_of(files) != released["fingerprint"]:
        raise GateError(f"{settings.institution}: the shards changed after the gate; clear reconcile_and_gate")
    slice_key = slice_pseudonym(load_engine(settings, secrets), start, end)
    store = VaultStore(settings, secrets)
    if (notes := sum(map(_check_file, files))) != published["notes"]:
        raise VaultError(
            f"{settings.institution}: {notes} originals for {published['notes']} published notes; clear the shards"
        )
    parts = (part for path in files for part in read_parts(vault_file(path)))
    store.replace(slice_key, parts, vault_recipient(settings, secrets))
    with connect(secrets.text(settings.warehouse.connection)) as connection:
        former = former_slices(connection, settings, (start, end), slice_key)
    for name in former:
        store.drop(name)
    return {"notes": notes}


def reidentify_notes(
    settings: InstitutionSettings, secrets: Secrets, notes: Sequence[str], reason: str, asked_by: str
) -> list[Original]:
    """The originals of published notes, all of them or none, in the order asked for.

    Who asks for which notes, and why, is written down and committed before anything is opened.

    Args:
        settings: the institution, which must keep a vault.
        secrets: of a role that has the key that opens.
        notes: keys of published notes; real note ids too, where the role also has the surrogate key.
        reason: why, for whoever reads the log of these requests.
        asked_by: who.

    Raises:
        InputError: no note or no reason is given.
        VaultError: a note is not published or has no row in the vault, the key is another, or something was changed.
    """
    if not notes or not reason.strip():
        raise InputError("name one note at least, and a reason (--reason)")
    keys = list(dict.fromkeys(_note_key(settings, secrets, note) for note in notes))
    with connect(secrets.text(settings.warehouse.connection)) as connection:
        record_reidentification(connection, settings, asked_by, reason.strip(), keys)
    opener = vault_opener(settings, secrets)
    by_key = {row["note_key"]: row for row in read_notes(settings, secrets, keys)}
    if missing := [key for key in keys if key not in by_key]:
        raise VaultError(f"{settings.institution}: no published note {', '.join(missing)}")
    by_slice: dict[str, list[str]] = defaultdict(list)
    for key in keys:
        by_slice[by_key[key]["slice_key"]].append(key)
    store = VaultStore(settings, secrets)
    found: dict[str, dict[str, Any]] = {}
    for slice_key, members in by_slice.items():
        found |= store.entries(slice_key, members, opener)
    return [_original(key, by_key[key]["text"], found[key]) for key in keys]


def rewrap_vault(settings: InstitutionSettings, secrets: Secrets, former: Opener) -> dict[str, int]:
    """Wrap the data keys of every slice for the key that the settings name now; ``former`` opens them until then.

    A slice that is wrapped already is left as it is, so an interrupted change of keys goes on where it stopped.
    """
    store, recipient = VaultStore(settings, secrets), vault_recipient(settings, secrets)
    done = [store.rewrap(slice_key, former, recipient) for slice_key in store.slices()]
    return {"slices": len(done), "rewrapped": sum(done)}


def _check_file(shard: Path) -> int:
    """How many notes' originals are sealed; raises ``VaultError`` unless they are of exactly the notes in the shard's file."""
    notes = 0
    published = (
        (row["note_key"], row["deid_text"])
        for batch in read_batches([shard])
        for row in batch.select(["note_key", "deid_text"]).to_pylist()
        if row["deid_text"] is not None
    )
    for part in read_parts(vault_file(shard)):
        check_part(part, islice(published, int(part.header.get("notes", 0))))
        notes += int(part.header.get("notes", 0))
    if next(published, None) is not None:
        raise VaultError(f"{vault_file(shard).name} lacks notes of its shard; clear the shard")
    return notes


def _original(key: str, published: str, entry: dict[str, Any]) -> Original:
    try:
        return Original(key, entry["note_id"], entry["patient_id"], restore(published, entry))
    except VaultError as error:
        raise VaultError(f"note {key}: {error}") from None


def _note_key(settings: InstitutionSettings, secrets: Secrets, note: str) -> str:
    if _NOTE_KEY.fullmatch(note):
        return note
    from deid_tasks.engine.obfuscate import Obfuscator

    key = secrets.key(settings.obfuscate.key)
    return Obfuscator(key, settings.institution, settings.policy, settings.obfuscate).pseudonym("note", note)
