"""The notes of samples and people's annotations of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from psycopg2.extensions import connection as Connection  # noqa: N812
from psycopg2.extras import execute_values

from deid_tasks.core.entities import Entity
from deid_tasks.core.errors import InputError
from deid_tasks.core.span import Span
from deid_tasks.platform.warehouse.statements import compose
from deid_tasks.settings import Design, InstitutionSettings

_BATCH_NOTES = 200
_Mark = tuple[int, int, str]
"""Start, end and entity of one annotation."""


@dataclass(frozen=True, slots=True)
class DrawnSample:
    """One frozen sample."""

    version: str
    design: Design
    notes: int


@dataclass(frozen=True, slots=True)
class FinishedWork:
    """One person's finished work on one note."""

    spans: tuple[Span, ...]
    preannotated_by: str
    handed_over: str
    """Name of the adjudicator's task list that holds the note; empty when none does."""


@dataclass(frozen=True, slots=True)
class DrawnNote:
    """One note of a sample, with each person's finished work on it by the person's pseudonym."""

    note_id: str
    patient_id: str | None
    note_type: str
    note_datetime: datetime | None
    author_id: str | None
    period: str
    text: str = field(repr=False)
    marked: Mapping[str, FinishedWork]


@dataclass(frozen=True, slots=True)
class DeliveryCounts:
    """Counts of delivered notes by what was done with them."""

    new: int = 0
    changed: int = 0
    unchanged: int = 0
    closed: int = 0
    """Notes left out: they differ from the stored work, and the adjudicator has them already."""

    def __add__(self, other: "DeliveryCounts") -> "DeliveryCounts":
        return DeliveryCounts(
            self.new + other.new,
            self.changed + other.changed,
            self.unchanged + other.unchanged,
            self.closed + other.closed,
        )


def drawn_samples(
    connection: Connection, settings: InstitutionSettings, versions: Sequence[str] = ()
) -> list[DrawnSample]:
    """Return the samples of these versions; without versions, the newest sample of each design.

    Raises:
        InputError: There is no sample, or none of a given version.
    """
    name = settings.institution
    with connection.cursor() as cursor:
        if versions:
            cursor.execute(
                compose(
                    """
                    select sample_version, design, notes from {gold}.sample
                    where sample_version = any(%s) order by design
                    """,
                    settings,
                ),
                (list(versions),),
            )
        else:
            cursor.execute(
                compose(
                    """
                    select distinct on (design) sample_version, design, notes from {gold}.sample
                    order by design, drawn_at desc, sample_version
                    """,
                    settings,
                )
            )
        found = [DrawnSample(*row) for row in cursor]
    missing = sorted(set(versions) - {sample.version for sample in found})
    if missing or not found:
        what = f"sample {', '.join(missing)}" if missing else "sample"
        raise InputError(f"{name}: there is no {what}; run sample__{name}")
    return found


def read_drawn(connection: Connection, settings: InstitutionSettings, sample_version: str) -> Iterator[DrawnNote]:
    """Yield the notes of one sample in the order of the draw, each with everyone's annotations."""
    with connection.cursor(name="drawn") as cursor:
        cursor.itersize = _BATCH_NOTES
        cursor.execute(
            compose(
                """
                select n.note_id, n.patient_id, n.note_type, n.note_datetime, n.author_id, n.period, n.text, (
                    select json_agg(json_build_array(a.annotator, a.preannotated_by, coalesce(a.handed_over, ''), (
                        select json_agg(json_build_array(s.start_offset, s.end_offset, s.entity)
                                        order by s.start_offset, s.end_offset, s.entity)
                        from {gold}.annotation as s
                        where (s.sample_version, s.note_id, s.annotator) = (a.sample_version, a.note_id, a.annotator))))
                    from {gold}.annotated_note as a
                    where (a.sample_version, a.note_id) = (n.sample_version, n.note_id))
                from {gold}.sample_note as n where n.sample_version = %s order by n.draw_order, n.note_id
                """,
                settings,
            ),
            (sample_version,),
        )
        for note_id, patient_id, note_type, note_datetime, author_id, period, text, people in cursor:
            marked = {
                who: FinishedWork(_spans(spans, who), preannotated_by, handed_over)
                for who, preannotated_by, handed_over, spans in people or ()
            }
            yield DrawnNote(note_id, patient_id, note_type, note_datetime, author_id, period, text, marked)


def drawn_texts(
    connection: Connection, settings: InstitutionSettings, sample_version: str, note_ids: Sequence[str]
) -> dict[str, str]:
    """Return the texts of these notes by id; notes that are not in the sample are left out."""
    with connection.cursor() as cursor:
        cursor.execute(
            compose(
                "select note_id, text from {gold}.sample_note where sample_version = %s and note_id = any(%s)", settings
            ),
            (sample_version, list(note_ids)),
        )
        return dict(cursor)


def count_finished(connection: Connection, settings: InstitutionSettings, sample_version: str, annotator: str) -> int:
    """Return the number of notes that this person has finished."""
    with connection.cursor() as cursor:
        cursor.execute(
            compose(
                "select count(*) from {gold}.annotated_note where sample_version = %s and annotator = %s", settings
            ),
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
) -> DeliveryCounts:
    """Store one person's finished work on these notes, in place of that person's earlier work on them.

    The same spans again change nothing. An annotator's changed spans on a note that the adjudicator has are left out.
    With ``reopen`` they are stored, and the adjudicator's answer on the note is deleted.
    """
    marks = {note_id: _marks(spans) for note_id, spans in notes.items()}
    with connection.cursor() as cursor:
        before = _stored(cursor, settings, sample_version, annotator, list(notes))
        counts, written = _sort_delivery(marks, before, reopen=reopen)
        reopened = [note_id for note_id in written if note_id in before and before[note_id][0]]
        adjudicator = settings.annotation.adjudicator
        _delete_work(cursor, settings, sample_version, adjudicator, reopened)
        cursor.execute(
            compose(
                """
                update {gold}.annotated_note set handed_over = null
                where sample_version = %s and note_id = any(%s)
                """,
                settings,
            ),
            (sample_version, reopened),
        )
        _delete_work(cursor, settings, sample_version, annotator, written)
        execute_values(
            cursor,
            compose(
                """
                insert into {gold}.annotated_note
                    (sample_version, note_id, annotator, tool, preannotated_by, imported_at)
                values %s
                """,
                settings,
            ),
            [(sample_version, note_id, annotator, tool, preannotated_by) for note_id in written],
            template="(%s, %s, %s, %s, %s, clock_timestamp())",
        )
        execute_values(
            cursor,
            compose(
                """
                insert into {gold}.annotation
                    (sample_version, note_id, annotator, start_offset, end_offset, entity)
                values %s
                """,
                settings,
            ),
            [(sample_version, note_id, annotator, *mark) for note_id in written for mark in marks[note_id]],
        )
    return counts


def _sort_delivery(
    marks: Mapping[str, list[_Mark]], before: Mapping[str, tuple[bool, list[_Mark]]], *, reopen: bool
) -> tuple[DeliveryCounts, list[str]]:
    """Return the counts of a delivery, and the ids of the notes to write."""
    counts = {"new": 0, "changed": 0, "unchanged": 0, "closed": 0}
    written: list[str] = []
    for note_id, delivered_marks in marks.items():
        is_with_adjudicator, stored_marks = before.get(note_id, (False, None))
        if stored_marks is None:
            kind = "new"
        elif stored_marks == delivered_marks:
            kind = "unchanged"
        elif is_with_adjudicator and not reopen:
            kind = "closed"
        else:
            kind = "changed"
        counts[kind] += 1
        if kind in {"new", "changed"}:
            written.append(note_id)
    return DeliveryCounts(**counts), written


def _delete_work(
    cursor: Any, settings: InstitutionSettings, sample_version: str, annotator: str, note_ids: list[str]
) -> None:
    cursor.execute(
        compose(
            """
            delete from {gold}.annotated_note
            where sample_version = %s and annotator = %s and note_id = any(%s)
            """,
            settings,
        ),
        (sample_version, annotator, note_ids),
    )


def handed_over(connection: Connection, settings: InstitutionSettings, sample_version: str) -> dict[str, str]:
    """Return the notes that the adjudicator has, each with the name of its task list."""
    with connection.cursor() as cursor:
        cursor.execute(
            compose(
                """
                select distinct note_id, handed_over from {gold}.annotated_note
                where sample_version = %s and handed_over is not null
                """,
                settings,
            ),
            (sample_version,),
        )
        return dict(cursor)


def hand_over(
    connection: Connection, settings: InstitutionSettings, sample_version: str, note_ids: Sequence[str], task_list: str
) -> None:
    """Record that the adjudicator has these notes from now on, in this task list."""
    with connection.cursor() as cursor:
        cursor.execute(
            compose(
                """
                update {gold}.annotated_note set handed_over = %s
                where sample_version = %s and note_id = any(%s) and annotator = any(%s)
                """,
                settings,
            ),
            (task_list, sample_version, list(note_ids), list(settings.annotation.annotators)),
        )


def _stored(
    cursor: Any, settings: InstitutionSettings, sample_version: str, annotator: str, note_ids: list[str]
) -> dict[str, tuple[bool, list[_Mark]]]:
    """Return, by note, whether the adjudicator has it, and one person's marks in order."""
    cursor.execute(
        compose(
            """
            select a.note_id, a.handed_over is not null, s.start_offset, s.end_offset, s.entity
            from {gold}.annotated_note as a
            left join {gold}.annotation as s using (sample_version, note_id, annotator)
            where a.sample_version = %s and a.annotator = %s and a.note_id = any(%s)
            """,
            settings,
        ),
        (sample_version, annotator, note_ids),
    )
    found: dict[str, tuple[bool, list[_Mark]]] = {}
    for note_id, handed, *mark in cursor:
        marks = found.setdefault(note_id, (handed, []))[1]
        if mark[0] is not None:
            marks.append((mark[0], mark[1], mark[2]))
    for _, marks in found.values():
        marks.sort()
    return found


def _marks(spans: Sequence[Span]) -> list[_Mark]:
    """Return the distinct annotations of one note, in order."""
    return sorted({(span.start, span.end, str(span.entity)) for span in spans})


def _spans(rows: list[list[Any]] | None, who: str) -> tuple[Span, ...]:
    return tuple(Span(start, end, Entity(entity), who) for start, end, entity in rows or ())
