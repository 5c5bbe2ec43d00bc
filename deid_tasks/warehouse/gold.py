"""The gold set: notes with adjudicated spans."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.entities import Entity
from deid_tasks.errors import WarehouseError
from deid_tasks.settings.model import InstitutionSettings
from deid_tasks.span import Span


@dataclass(frozen=True, slots=True)
class GoldSet:
    """Which gold notes: their version and how they were drawn."""

    version: str
    sample: str


@dataclass(frozen=True, slots=True)
class GoldRow:
    """One gold note."""

    note_id: str
    patient_id: str
    note_type: str
    text: str = field(repr=False)
    spans: tuple[Span, ...]


def newest_gold_set(connection: Connection, settings: InstitutionSettings) -> GoldSet:
    """The gold set of the highest version; raises ``WarehouseError`` where there is none."""
    schema = settings.schema_name("gold")
    with connection.cursor() as cursor:
        cursor.execute(
            f"select gold_version, sample from {schema}.gold_note order by gold_version desc, sample limit 1"
        )
        row = cursor.fetchone()
    if row is None:
        raise WarehouseError(f"{schema}.gold_note is empty: there is nothing to evaluate on")
    return GoldSet(*row)


def read_gold(connection: Connection, settings: InstitutionSettings, gold: GoldSet) -> Iterator[GoldRow]:
    """The notes of one gold set, by note id, with their spans in order."""
    schema = settings.schema_name("gold")
    with connection.cursor(name="gold") as cursor:
        cursor.itersize = 500
        cursor.execute(
            f"""
            select n.note_id, n.patient_id, n.note_type, n.text,
                array_agg(s.start_offset order by s.start_offset) filter (where s.note_id is not null),
                array_agg(s.end_offset order by s.start_offset) filter (where s.note_id is not null),
                array_agg(s.entity order by s.start_offset) filter (where s.note_id is not null)
            from {schema}.gold_note n left join {schema}.gold_span s using (note_id)
            where n.gold_version = %s and n.sample = %s
            group by n.note_id, n.patient_id, n.note_type, n.text
            order by n.note_id
            """,
            (gold.version, gold.sample),
        )
        for note_id, patient_id, note_type, text, starts, ends, entities in cursor:
            spans = zip(starts or (), ends or (), entities or (), strict=True)
            yield GoldRow(
                note_id, patient_id, note_type, text, tuple(Span(a, b, Entity(e), "gold") for a, b, e in spans)
            )
