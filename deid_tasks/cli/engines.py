"""The engine that a command runs on: an institution's, or the public one."""

import datetime
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from deid_tasks.cli.jsonl import Line
from deid_tasks.core.errors import SettingsError
from deid_tasks.engine.engine import Context, Engine, build_engine
from deid_tasks.engine.text import Document
from deid_tasks.settings import InstitutionSettings, Secrets, load_institution

PUBLIC_KEY = "deid_key"
"""Name of the secret that holds the surrogate key where no institution is given."""

_BATCH_NOTES = 500
"""As many as a run reads at once: the more there are, the fuller a model's batches of sentences of one length."""
_BATCH_CHARACTERS = 2_000_000


class CommandEngine:
    """An engine and, where an institution is given, its warehouse's knowledge of the patients."""

    def __init__(self, institution: str | None, folder: Path, *, needs_key: bool) -> None:
        self._secrets = Secrets()
        self._settings: InstitutionSettings | None = None
        self.engine: Engine
        if institution is None:
            self.engine = build_engine(public_settings(), None, self._public_key() if needs_key else None)
            return
        from deid_tasks.platform.runs import load_engine

        self._settings = load_institution(folder / f"{institution}.yaml")
        self.engine = load_engine(self._settings, self._secrets)

    def contexts(self, lines: Iterable[Line]) -> Iterator[tuple[list[Line], list[Document], Context]]:
        """The lines in batches of bounded size, each with its documents and its context."""
        if self._settings is None:
            for batch in _batches(lines):
                yield batch, _documents(batch), Context(self.engine)
            return
        from deid_tasks.platform.warehouse import connect, read_patients

        with connect(self._secrets.text(self._settings.warehouse.connection)) as connection:
            for batch in _batches(lines):
                patients = read_patients(connection, self._settings, (n.patient_id for n in batch if n.patient_id))
                yield batch, _documents(batch), Context(self.engine, patients)

    def _public_key(self) -> bytes:
        try:
            return self._secrets.key(PUBLIC_KEY)
        except SettingsError as error:
            if "is not set" not in str(error):
                raise
        key = os.urandom(32)
        print(
            "no key given: surrogates of this run will differ from those of any other;"
            f" set PALIMPSEST_SECRET_{PUBLIC_KEY.upper()} to 32 random bytes in base64, e.g."
            " $(head -c 32 /dev/urandom | base64), to keep them",
            file=sys.stderr,
        )
        return key


def public_settings() -> InstitutionSettings:
    """The settings of an engine that belongs to no institution."""
    return InstitutionSettings.model_validate(
        {
            "institution": "public",
            "title": "No institution",
            "warehouse": {"connection": "none", "layout": "none"},
            "notes": {"start_date": datetime.date(2000, 1, 1)},
            "detect": {"detectors": ("patterns", "transformer")},
            "obfuscate": {"key": PUBLIC_KEY},
            "publish": {"bucket": "none", "object_store": "none", "catalog": "none"},
            "work_dir": os.devnull,
        }
    )


def _batches(lines: Iterable[Line]) -> Iterator[list[Line]]:
    iterator = iter(lines)
    while first := list(islice(iterator, 1)):
        batch, characters = first, len(first[0].text)
        while len(batch) < _BATCH_NOTES and characters < _BATCH_CHARACTERS and (more := next(iterator, None)):
            batch.append(more)
            characters += len(more.text)
        yield batch


def _documents(batch: Sequence[Line]) -> list[Document]:
    return [Document(line.note_id, line.text, line.patient_id, line.note_type) for line in batch]
