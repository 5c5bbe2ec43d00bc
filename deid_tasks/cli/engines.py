"""The engine that a command runs: an institution's, or the public one."""

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

from deid_tasks.cli.identity import operating_system_identity
from deid_tasks.cli.jsonl import Line
from deid_tasks.cli.options import engine_settings_of, policy_of
from deid_tasks.core.errors import InputError
from deid_tasks.core.notes import note_batch
from deid_tasks.engine.build import build_engine
from deid_tasks.engine.parts import BatchContext, EngineParts
from deid_tasks.settings import InstitutionSettings, Secrets, load_institution
from deid_tasks.settings.secrets import variable_of

if TYPE_CHECKING:
    from deid_tasks.core.patient import PatientRecord
    from deid_tasks.engine.explanation import TermSource

PUBLIC_KEY = "deid_key"
"""Name of the secret that holds the surrogate key of the public engine."""

_FIRST_BATCH_NOTES, _BATCH_NOTES = 32, 500
"""Notes of the first batch, small so that progress shows soon, and of the largest; each has twice those of the one
before. The more notes a batch has, the fuller a model's batches of sentences of one length."""
_BATCH_CHARACTERS = 2_000_000


class CommandBatch(NamedTuple):
    """Some lines of the input, as the pipeline takes them."""

    lines: list[Line]
    notes: pa.RecordBatch
    context: BatchContext


class CommandEngine:
    """An engine and, if an institution is given, what its warehouse knows of the patients."""

    def __init__(
        self,
        institution: str | None,
        folder: Path,
        *,
        needs_key: bool,
        settings_file: Path | None = None,
        policy: str | None = None,
        titles: str | None = None,
        age_units: str | None = None,
    ) -> None:
        self._secrets = Secrets()
        self._settings: InstitutionSettings | None = None
        self.parts: EngineParts
        if institution is not None and settings_file is not None:
            raise InputError("--settings is for an engine without an institution: leave out --institution, or it")
        if institution is None:
            settings = engine_settings_of(settings_file).with_policy(policy)
            settings = settings.model_copy(update={"policy": policy_of(None, titles, age_units, settings.policy)})
            self.parts = build_engine(settings, self._public_key() if needs_key else None)
            return
        from deid_tasks.platform.runs import load_engine

        loaded = load_institution(folder / f"{institution}.yaml").with_policy(policy)
        self._settings = loaded.model_copy(update={"policy": policy_of(None, titles, age_units, loaded.policy)})
        self.parts = load_engine(self._settings, self._secrets)

    def batches(self, lines: Iterable[Line]) -> Iterator[CommandBatch]:
        """Yield the lines in batches of bounded size, each with its patients' records."""
        with self._connect() as connection:
            for batch in _batches(lines):
                context = BatchContext(self.parts, self._patients(connection, batch))
                yield CommandBatch(batch, note_batch(map(_columns, batch)), context)

    def term_sources(self, phrases: Sequence[str], patient_id: str | None) -> "list[TermSource]":
        """Return where phrases stand in the institution's dictionaries; nothing without an institution."""
        if self._settings is None:
            return []
        from deid_tasks.platform.warehouse.dictionaries import read_term_sources

        with self._connect() as connection:
            return read_term_sources(connection, self._settings, phrases, patient_id)

    def _connect(self) -> Any:
        if self._settings is None:
            return nullcontext()
        from deid_tasks.platform.warehouse import connect

        # Its role writes nothing, so the audit log has no row: the server's own log tells the person from a task.
        person = operating_system_identity().name
        return connect(self._secrets.text(self._settings.warehouse.connection_of("engine")), person)

    def _patients(self, connection: Any, batch: Sequence[Line]) -> "dict[str, PatientRecord]":
        if self._settings is None:
            return {}
        from deid_tasks.platform.warehouse import read_patients

        return dict(read_patients(connection, self._settings, (line.patient_id for line in batch if line.patient_id)))

    def _public_key(self) -> bytes:
        if self._secrets.find(PUBLIC_KEY) is not None:
            return self._secrets.key(PUBLIC_KEY)
        print(
            "no key given: surrogates of this run will differ from those of any other;"
            f" set {variable_of(PUBLIC_KEY)} to 32 random bytes in base64, e.g. $(head -c 32 /dev/urandom | base64),"
            " to get the same ones again",
            file=sys.stderr,
        )
        return os.urandom(32)


def _columns(line: Line) -> dict[str, Any]:
    """Return a line as the columns of a note."""
    return {
        "note_id": line.note_id,
        "patient_id": line.patient_id,
        "note_type": line.note_type,
        "note_datetime": line.note_datetime,
        "text": line.text,
    }


def _batches(lines: Iterable[Line]) -> Iterator[list[Line]]:
    iterator, size = iter(lines), _FIRST_BATCH_NOTES
    while first := list(islice(iterator, 1)):
        batch, characters = first, len(first[0].text)
        while len(batch) < size and characters < _BATCH_CHARACTERS and (more := next(iterator, None)):
            batch.append(more)
            characters += len(more.text)
        yield batch
        size = min(2 * size, _BATCH_NOTES)
