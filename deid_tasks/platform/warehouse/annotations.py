"""Drawn notes and what people marked in them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from psycopg2.extensions import connection as Connection  # noqa: N812
from psycopg2.extras import execute_values

from deid_tasks.core.entities import Entity
from deid_tasks.core.errors import InputError
from deid_tasks.core.span import Span
from deid_tasks.settings import Design, InstitutionSettings

_BATCH_NOTES = 200


@dataclass(frozen=True, slots=True)
class DrawnSample:
    """One frozen sample."""

    version: str
    design: Design
    notes: int


@dataclass(frozen=True, slots=True)
class Marked:
    """One person's finished work on one note."""

    spans: tuple[Span, ...]
    preannotated_by: str
    handed_over: str
    """The adjudicator's task list that the note is in; empty where it is in none."""


@dataclass(frozen=True, slots=True)
class DrawnNote:
    """One note of a sample, and everyone's finished work on it, by pseudonym."""

    note_id: str
    patient_id: str | None
    note_type: str
    note_datetime: datetime | None
    author_id: str | None
    period: str
    text: str = field(repr=False)
    marked: Mapping[str, Marked]


@dataclass(frozen=True, slots=True)
class Stored:
    """What became of a delivery, in notes."""

    new: int = 0
    changed: int = 0
    unchanged: int = 0
    closed: int = 0
    """Differ from what is stored, and were left out since the note is with the adjudicator."""

    def __add__(self, other: "Stored") -> "Stored":
        return Stored(
            self.new + other.new,
            self.changed + other.changed,
            self.unchanged + other.unchanged,
            self.closed + other.closed,
        )


def drawn_samples(
    connection: Connection, settings: InstitutionSettings, versions: Sequence[str] = ()
) -> list[DrawnSample]:
    """The samples of these versions; where none is named, the newest of each design.

    Raises:
        InputError: there is no sample, or none of a version named.
    """
    schema, name = settings.schema_name("gold"), settings.institution
    with connection.cursor() as cursor:
        if versions:
            cursor.execute(
                f"select sample_version, design, notes from {schema}.sample where sample_version = any(%s) order by design",
                (list(versions),),
            )
        else:
            cursor.execute(
                f"select distinct on (design) sample_version, design, notes from {schema}.sample"
                " order by design, drawn_at desc, sample_version"
            )
        found = [DrawnSample(*row) for row in cursor]
    missing = sorted(set(versions) - {sample.version for sample in found})
    if missing or not found:
        what = f"sample {', '.join(missing)}" if missing else "sample"
        raise InputError(f"{name}: there is no {what}; run sample__{name}")
    return found


def read_drawn(connection: Connection, settings: InstitutionSettings, sample_version: str) -> Iterator[DrawnNote]:
    """The notes of one sample in the order they were drawn, streamed, each with all that people marked in it."""
    schema = settings.schema_name("gold")
    with connection.cursor(name="drawn") as cursor:
        cursor.itersize = _BATCH_NOTES
        cursor.execute(
            f"""
            select n.note_id, n.patient_id, n.note_type, n.note_datetime, n.author_id, n.period, n.text, (
                select json_agg(json_build_array(a.annotator, a.preannotated_by, coalesce(a.handed_over, ''), (
                    select json_agg(json_build_array(s.start_offset, s.end_offset, s.entity)
                                    order by s.start_offset, s.end_offset, s.entity)
                    from {schema}.annotation s
                    where (s.sample_version, s.note_id, s.annotator) = (a.sample_version, a.note_id, a.annotator))))
                from {schema}.annotated_note a
                where (a.sample_version, a.note_id) = (n.sample_version, n.note_id))
            from {schema}.sample_note n where n.sample_version = %s order by n.place, n.note_id
            """,
            (sample_version,),
        )
        for note_id, patient_id, note_type, note_datetime, author_id, period, text, people in cursor:
            marked = {
                who: Marked(_spans(spans, who), preannotated_by, handed_over)
                for who, preannotated_by, handed_over, spans in people or ()
            }
            yield DrawnNote(note_id, patient_id, note_type, note_datetime, author_id, period, text, marked)


def drawn_texts(
    connection: Connection, settings: InstitutionSettings, sample_version: str, note_ids: Sequence[str]
) -> dict[str, str]:
    """The texts of these notes; notes that are not in the sample are left out."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"select note_id, text from {settings.schema_name('gold')}.sample_note"
            " where sample_version = %s and note_id = any(%s)",
            (sample_version, list(note_ids)),
        )
        return dict(cursor)


def delivered(connection: Connection, settings: InstitutionSettings, sample_version: str, annotator: str) -> int:
    """Notes that this person has finished."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"select count(*) from {settings.schema_name('gold')}.annotated_note"
            " where sample_version = %s and annotator = %s",
            (sample_version, annotator),
        )
        row = cursor.fetchone()
    return int(row[0]) if row else 0


def store_annotations(
    connection: Connection,
    settings: InstitutionSettings,
    sample_version: str,
    annotator: str,
    notes: Mapping[str, Sequence[Span]],
    *,
    tool: str,
    preannotated_by: str = "",
    reopen: bool = False,
) -> Stored:
    """Keep one person's finished work on these notes, in place of that person's earlier work on them.

    The same spans again change nothing. Where an annotator's spans differ on a note that is with the adjudicator, they are left
    out, or with ``reopen`` taken, and the adjudicator's answer on the note is dropped.
    """
    schema = settings.schema_name("gold")
    with connection.cursor() as cursor:
        before = _stored(cursor, schema, sample_version, annotator, list(notes))
        fresh: list[str] = []
        counts = {"new": 0, "changed": 0, "unchanged": 0, "closed": 0}
        for note_id, spans in notes.items():
            marks = sorted({(span.start, span.end, str(span.entity)) for span in spans})
            known = before.get(note_id)
            if known is not None and known[1] == marks:
                counts["unchanged"] += 1
            elif known is not None and known[0] and not reopen:
                counts["closed"] += 1
            else:
                counts["changed" if known is not None else "new"] += 1
                fresh.append(note_id)
        handed = [note_id for note_id in fresh if note_id in before and before[note_id][0]]
        key = (sample_version, settings.annotation.adjudicator, handed)
        cursor.execute(
            f"delete from {schema}.annotated_note where sample_version = %s and annotator = %s and note_id = any(%s)",
            key,
        )
        cursor.execute(
            f"update {schema}.annotated_note set handed_over = null where sample_version = %s and note_id = any(%s)",
            (sample_version, handed),
        )
        cursor.execute(
            f"delete from {schema}.annotated_note where sample_version = %s and annotator = %s and note_id = any(%s)",
            (sample_version, annotator, fresh),
        )
        execute_values(
            cursor,
            f"insert into {schema}.annotated_note"
            " (sample_version, note_id, annotator, tool, preannotated_by, imported_at) values %s",
            [(sample_version, note_id, annotator, tool, preannotated_by) for note_id in fresh],
            template="(%s, %s, %s, %s, %s, clock_timestamp())",
        )
        execute_values(
            cursor,
            f"insert into {schema}.annotation (sample_version, note_id, annotator, start_offset, end_offset, entity) values %s",
            [
                (sample_version, note_id, annotator, *mark)
                for note_id in fresh
                for mark in sorted({(span.start, span.end, str(span.entity)) for span in notes[note_id]})
            ],
        )
    return Stored(**counts)


def handed_over(connection: Connection, settings: InstitutionSettings, sample_version: str) -> dict[str, str]:
    """The notes that are with the adjudicator, and the name of the task list that each is in."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"select distinct note_id, handed_over from {settings.schema_name('gold')}.annotated_note"
            " where sample_version = %s and handed_over is not null",
            (sample_version,),
        )
        return dict(cursor)


def hand_over(
    connection: Connection, settings: InstitutionSettings, sample_version: str, note_ids: Sequence[str], task_list: str
) -> None:
    """Write down that these notes are with the adjudicator from now on."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"update {settings.schema_name('gold')}.annotated_note set handed_over = %s"
            " where sample_version = %s and note_id = any(%s) and annotator = any(%s)",
            (task_list, sample_version, list(note_ids), list(settings.annotation.annotators)),
        )


def _stored(
    cursor: Any, schema: str, sample_version: str, annotator: str, note_ids: list[str]
) -> dict[str, tuple[bool, list[tuple[int, int, str]]]]:
    """By note: whether it is with the adjudicator, and the marks, in order."""
    cursor.execute(
        f"""
        select a.note_id, a.handed_over is not null, s.start_offset, s.end_offset, s.entity
        from {schema}.annotated_note a left join {schema}.annotation s using (sample_version, note_id, annotator)
        where a.sample_version = %s and a.annotator = %s and a.note_id = any(%s)
        """,
        (sample_version, annotator, note_ids),
    )
    found: dict[str, tuple[bool, list[tuple[int, int, str]]]] = {}
    for note_id, handed, *mark in cursor:
        marks = found.setdefault(note_id, (handed, []))[1]
        if mark[0] is not None:
            marks.append((mark[0], mark[1], mark[2]))
    for _, marks in found.values():
        marks.sort()
    return found


def _spans(rows: list[list[Any]] | None, who: str) -> tuple[Span, ...]:
    return tuple(Span(start, end, Entity(entity), who) for start, end, entity in rows or ())
