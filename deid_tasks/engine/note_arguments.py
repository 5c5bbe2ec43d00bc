"""The arguments of the Python API as columns of notes: each is checked, and named where it is not what it should be."""

import datetime
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

from deid_tasks.core.errors import InputError
from deid_tasks.core.patient import PatientRecord

PatientId = str | int | None
"""The id of a note's patient; a number is read as its digits."""
Moment = datetime.datetime | datetime.date | str | None
"""When a note was written; a string is read as ISO 8601."""

_MISSING = object()
_Checked = TypeVar("_Checked")


def note_columns(texts: Any, patient_ids: Any = None, note_datetimes: Any = None) -> Iterator[dict[str, Any]]:
    """Yield the columns of each note; its id is its position.

    Args:
        texts: strings; ``None`` is a note without text, which the engine quarantines.
        patient_ids: one ``PatientId`` a note, or ``None`` for none at all.
        note_datetimes: one ``Moment`` a note, or ``None`` for none at all.

    Raises:
        InputError: an argument, or one of its values, has another type, or there are fewer or more values than notes.
            The message names the argument and the note, and never a value.
    """
    # At once, and not when the first note is asked for.
    columns = {"text": _values(texts, "texts", "strings")}
    if patient_ids is not None:
        columns["patient_id"] = _values(patient_ids, "patient_ids", "ids, one a note")
    if note_datetimes is not None:
        columns["note_datetime"] = _values(note_datetimes, "note_datetimes", "moments, one a note")
    return _rows(columns)


def _values(values: Any, argument: str, of_what: str) -> Iterator[Any]:
    # A mapping would be read as its keys, and a string letter by letter.
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise InputError(f"{argument} must be a list of {of_what}, not {_type(values)}")
    return iter(values)


def _rows(columns: Mapping[str, Iterator[Any]]) -> Iterator[dict[str, Any]]:
    for number, text in enumerate(columns["text"]):
        row: dict[str, Any] = {"note_id": str(number), "text": _text(text, number)}
        for name, read in (("patient_id", _patient_id), ("note_datetime", _moment)):
            if name not in columns:
                continue
            value = next(columns[name], _MISSING)
            if value is _MISSING:
                raise InputError(f"{name}s ends at note {number}: give one value a note")
            row[name] = read(value, number)
        yield row
    for name, values in columns.items():
        # Of two lists that do not fit, nobody knows which values belong to which notes.
        if next(values, _MISSING) is not _MISSING:
            raise InputError(f"{name}s has more values than there are texts: give one value a note")


def _text(value: Any, number: int) -> str | None:
    if value is None or isinstance(value, str):
        return value
    raise InputError(f"texts: note {number} must be a string, not {_type(value)}")


def _patient_id(value: Any, number: int) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise InputError(f"patient_ids: that of note {number} must be a string, an int or None, not {_type(value)}")


def _moment(value: Any, number: int) -> datetime.datetime | None:
    if isinstance(value, str):
        try:
            value = datetime.datetime.fromisoformat(value)
        except ValueError:
            raise InputError(f"note_datetimes: the string of note {number} is not an ISO 8601 date or time") from None
    if isinstance(value, datetime.datetime) and not _is_not_a_time(value):
        # Dates move by whole days of the place where the note was written.
        return value.replace(tzinfo=None)
    if isinstance(value, datetime.date) and not _is_not_a_time(value):
        return datetime.datetime(value.year, value.month, value.day)  # noqa: DTZ001 - as above
    if value is None:
        return None
    raise InputError(
        f"note_datetimes: that of note {number} must be a datetime, a date, an ISO 8601 string or None,"
        f" not {_type(value)}"
    )


def _is_not_a_time(value: datetime.date) -> bool:
    """Whether a value is the ``NaT`` of pandas, which is a datetime that no method works on."""
    return value != value


def checked_patients(patients: Any) -> Mapping[str, PatientRecord]:
    """Return what is known of patients by their ids; nothing for ``None``.

    Raises:
        InputError: it is not a mapping of ids to records. The message names no patient.
    """
    if patients is None:
        return {}
    if not isinstance(patients, Mapping):
        raise InputError(f"patients must be a mapping of ids to PatientRecord, not {_type(patients)}")
    for key, value in patients.items():
        if not isinstance(key, str) or not isinstance(value, PatientRecord):
            raise InputError(f"patients must map strings to PatientRecord, not {_type(key)} to {_type(value)}")
    return patients


def checked_value(value: Any, argument: str, kind: type[_Checked], of_what: str) -> _Checked:
    """Return a value of its type; raises ``InputError``, which names the argument and never the value."""
    if not isinstance(value, kind):
        raise InputError(f"{argument} must be {of_what}, not {_type(value)}")
    return value


def _type(value: Any) -> str:
    return "None" if value is None else type(value).__name__
