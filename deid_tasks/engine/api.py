"""The Python API: an engine that detects, de-identifies and explains, without Airflow, a database or an institution.

Texts go in, small typed objects come out. Their ``repr`` never shows text: read ``text``, or print
``explain(…).table()``. Everything runs through ``pipeline.deidentify``.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import Any, overload

from deid_tasks.core.entities import Entity
from deid_tasks.core.errors import InputError, SettingsError
from deid_tasks.core.forms import IdentifierForm
from deid_tasks.core.notes import Outcome, Reason, note_batch
from deid_tasks.core.patient import PatientRecord
from deid_tasks.core.span import Span
from deid_tasks.engine.build import build_engine
from deid_tasks.engine.explanation import NoteExplanation, explain_note
from deid_tasks.engine.failures import Failure
from deid_tasks.engine.note_arguments import Moment, PatientId, checked_patients, checked_value, note_columns
from deid_tasks.engine.parts import BatchContext, EngineParts
from deid_tasks.engine.pipeline import deidentify
from deid_tasks.settings import EngineSettings, load_engine_settings
from deid_tasks.settings.secrets import MIN_KEY_BYTES, decode_key

Key = bytes | str | None
"""A surrogate key of at least 32 bytes: the bytes, or base64."""

_BATCH_NOTES = 500


@dataclass(frozen=True, slots=True)
class DetectedNote:
    """The identifiers of one note; iterating over it yields its spans."""

    spans: tuple[Span, ...]
    """The identifiers under the engine's policy, sorted and disjoint; offsets are code points. Empty if the note is
    quarantined."""
    outcome: Outcome
    reason: Reason = Reason.NONE
    failure: Failure | None = None
    """Class and code location of the exception, if a step failed on the note."""
    forms: tuple[IdentifierForm, ...] = ()
    """The form of each span."""

    @property
    def is_quarantined(self) -> bool:
        """Whether the engine could not process the note, or withholds it; ``reason`` says why."""
        return self.outcome is Outcome.QUARANTINED

    def __iter__(self) -> Iterator[Span]:
        return iter(self.spans)

    def __len__(self) -> int:
        return len(self.spans)


@dataclass(frozen=True, slots=True)
class DeidentifiedNote(DetectedNote):
    """One note with surrogates."""

    text: str | None = field(default=None, repr=False)
    """The rewritten text; ``None`` if the note is quarantined."""
    replacements: tuple[tuple[int, int], ...] = ()
    """``(start, end)`` of each surrogate in ``text``."""


class Engine:
    """An engine for Python programs.

    Examples:
        engine = Engine.public(key=os.urandom(32))
        [note] = engine.deidentify(["Seen by Dr. Okafor on 3/14/2021."])
        note.text
    """

    def __init__(self, parts: EngineParts) -> None:
        """Wrap an engine that was built elsewhere, such as an institution's."""
        self.parts = parts

    @classmethod
    def public(cls, key: Key = None, *, policy: str | None = None) -> "Engine":
        """Return the engine on its public resources: patterns and the models that ship.

        Args:
            key: surrogate key. The same key gives the same patient the same surrogates, in every process. Without a
                key the engine can detect and explain only.
            policy: what is an identifier, and what becomes of it: ``safe-harbor``, ``limited-dataset``, … of
                ``policy.preset``; ``expert`` if not given.

        Raises:
            InputError: the key is neither bytes nor a string.
            SettingsError: the key is too short, or is not base64; or there is no such policy.
            ModelError: a model is missing or damaged.
        """
        return cls.from_settings(EngineSettings.public(policy), key)

    @classmethod
    def load(cls, path: str | PathLike[str], key: Key = None) -> "Engine":
        """Return the engine of a YAML file with any of the sections notes, detect, merge, recover, judge,
        policy and obfuscate.

        Args:
            path: the file; what it leaves out is as in ``public``.
            key: surrogate key, as in ``public``.

        Raises:
            InputError: the key is neither bytes nor a string.
            SettingsError: the file is missing or invalid, or the key is.
            ModelError: a model is missing or damaged.
        """
        return cls.from_settings(load_engine_settings(Path(path)), key)

    @classmethod
    def from_settings(cls, settings: EngineSettings, key: Key = None) -> "Engine":
        """Return the engine that ``settings`` describe; the arguments are as in ``load``."""
        return cls(build_engine(settings, _key_bytes(key)))

    @overload
    def detect(  # type: ignore[overload-overlap]
        self, texts: str, *, patient_ids: PatientId = ..., patients: Mapping[str, PatientRecord] | None = ...
    ) -> DetectedNote: ...
    @overload
    def detect(
        self,
        texts: Iterable[str],
        *,
        patient_ids: Iterable[PatientId] | None = ...,
        patients: Mapping[str, PatientRecord] | None = ...,
    ) -> list[DetectedNote]: ...

    def detect(
        self,
        texts: str | Iterable[str],
        *,
        patient_ids: PatientId | Iterable[PatientId] = None,
        patients: Mapping[str, PatientRecord] | None = None,
    ) -> DetectedNote | list[DetectedNote]:
        """Find the identifiers of notes.

        Args:
            texts: notes; for one string, one result is returned.
            patient_ids: of each note, if known.
            patients: what is known of patients, by id: for the detector ``patient``.

        Returns:
            One result a note, in order.

        Raises:
            InputError: an argument, or one of its values, is not of its type; the message names it.
        """
        if isinstance(texts, str):
            return self.detect([texts], patient_ids=_one(patient_ids), patients=patients)[0]
        rows = self._run(texts, patient_ids, None, patients, detect_only=True)
        return [DetectedNote(*self._common(note, row)) for note, row in rows]

    @overload
    def deidentify(  # type: ignore[overload-overlap]
        self,
        texts: str,
        *,
        patient_ids: PatientId = ...,
        note_datetimes: Moment = ...,
        patients: Mapping[str, PatientRecord] | None = ...,
    ) -> DeidentifiedNote: ...
    @overload
    def deidentify(
        self,
        texts: Iterable[str],
        *,
        patient_ids: Iterable[PatientId] | None = ...,
        note_datetimes: Iterable[Moment] | None = ...,
        patients: Mapping[str, PatientRecord] | None = ...,
    ) -> list[DeidentifiedNote]: ...

    def deidentify(
        self,
        texts: str | Iterable[str],
        *,
        patient_ids: PatientId | Iterable[PatientId] = None,
        note_datetimes: Moment | Iterable[Moment] = None,
        patients: Mapping[str, PatientRecord] | None = None,
    ) -> DeidentifiedNote | list[DeidentifiedNote]:
        """Replace the identifiers of notes by surrogates.

        Args:
            texts: notes; for one string, one result is returned.
            patient_ids: of each note. Notes of one patient get the same surrogates and the same date shift. A note
                without a patient (``None``) has people and a date shift of its own, which depend on its text.
            note_datetimes: when each note was written: dates without a year are read with it. A time zone is left out.
            patients: what is known of patients, by id: for the detector ``patient``, the surrogates and the audit.

        Returns:
            One result a note, in order.

        Raises:
            InputError: an argument, or one of its values, is not of its type; the message names it.
            SettingsError: the engine has no key, or its policy is for scores.
        """
        if self.parts.obfuscator is None:
            raise SettingsError(f"give the engine a key of {MIN_KEY_BYTES} bytes or more: Engine.public(key=…)")
        if isinstance(texts, str):
            ids, moments = _one(patient_ids), _one(note_datetimes)
            return self.deidentify([texts], patient_ids=ids, note_datetimes=moments, patients=patients)[0]
        rows = self._run(texts, patient_ids, note_datetimes, patients, detect_only=False)
        return [
            DeidentifiedNote(
                *self._common(note, row),
                text=row["deid_text"],
                replacements=tuple((one["start"], one["end"]) for one in row["replacements"]),
            )
            for note, row in rows
        ]

    def explain(self, text: str, *, patient: PatientRecord | None = None, word: str | None = None) -> NoteExplanation:
        """Explain each span of a note: detectors, models, dictionary terms, what merging and recovery made of it, and
        its surrogate if the engine has a key; and the unmarked words that came nearest, and every place of ``word``.

        ``print(engine.explain(text).table())`` shows the spans.

        Raises:
            InputError: an argument is not of its type; the message names it.
        """
        note: dict[str, Any] = {"note_id": "0", "text": checked_value(text, "text", str, "a string")}
        if word is not None:
            checked_value(word, "word", str, "a string or None")
        if patient is None:
            return explain_note(note, BatchContext(self.parts), word)
        checked_value(patient, "patient", PatientRecord, "a PatientRecord or None")
        context = BatchContext(self.parts, {patient.patient_id: patient})
        return explain_note(note | {"patient_id": patient.patient_id}, context, word)

    def __repr__(self) -> str:
        names = ", ".join(detector.name for detector in self.parts.detectors)
        return f"Engine({names}; {'with' if self.parts.obfuscator else 'without'} a key)"

    def _run(
        self,
        texts: Iterable[str],
        patient_ids: Any,
        note_datetimes: Any,
        patients: Mapping[str, PatientRecord] | None,
        *,
        detect_only: bool,
    ) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
        """Yield each note with its row, in batches of bounded size."""
        context = BatchContext(self.parts, checked_patients(patients))
        notes = note_columns(texts, patient_ids, note_datetimes)
        while rows := list(islice(notes, _BATCH_NOTES)):
            made = deidentify(note_batch(rows), context, detect_only=detect_only).to_pylist()
            yield from zip(rows, made, strict=True)

    def _common(
        self, note: dict[str, Any], row: dict[str, Any]
    ) -> tuple[tuple[Span, ...], Outcome, Reason, Failure | None, tuple[IdentifierForm, ...]]:
        found = [Span(s["start"], s["end"], Entity(s["entity"]), s["detector"], s["score"]) for s in row["spans"]]
        pieces = self.parts.policy.identifiers(str(note["text"]), found, note.get("note_datetime"))
        failure = Failure(row["error_class"], row["error_location"] or "") if row["error_class"] else None
        spans, forms = tuple(piece.span for piece in pieces), tuple(piece.form for piece in pieces)
        return spans, Outcome(row["outcome"]), Reason(row["reason"]), failure, forms


def _key_bytes(key: Key) -> bytes | None:
    if key is None:
        return None
    if isinstance(key, str):
        return decode_key(key, "key")
    if not isinstance(key, bytes | bytearray):
        raise InputError(f"key must be bytes, a string of base64 or None, not {type(key).__name__}")
    if len(key) < MIN_KEY_BYTES:
        raise SettingsError(f"key has {len(key)} bytes; at least {MIN_KEY_BYTES} are needed")
    return key


def _one(value: Any) -> list[Any] | None:
    """Return the value of a single note as that of a list of one; a list of one may be given as well."""
    if value is None:
        return None
    return list(value) if isinstance(value, list | tuple) else [value]
