"""Draw samples in SQL: the text of every note is read once, and only ids and counts leave PostgreSQL."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from psycopg2.extensions import connection as Connection  # noqa: N812
from psycopg2.extensions import cursor as Cursor  # noqa: N812
from psycopg2.extras import execute_values

from deid_tasks.engine.text import Document
from deid_tasks.platform.warehouse.sample_candidates import read_candidates
from deid_tasks.platform.warehouse.statements import compose
from deid_tasks.settings import Design, InstitutionSettings

_NOTES_A_STATEMENT = 2_000
"""Number of notes whose text one statement copies."""
_BATCH_NOTES = 100


@dataclass(frozen=True, slots=True)
class Stratum:
    """One stratum of the warehouse's notes: a note type in a period."""

    note_type: str
    period: int
    """Position of the period in order of time, from 0; notes without a time are in the last one."""
    notes: int
    mean_words: float


@dataclass(frozen=True, slots=True)
class DrawnStratum:
    """One stratum of a frozen sample."""

    note_type: str
    period: str
    notes: int
    mean_words: float
    weight: float
    allotted: int
    drawn: int


class SampleDraw:
    """One reading of the warehouse, from which samples of any design are drawn.

    ``open_draw`` makes it. A draw fills the temporary table ``sample_drawn``; ``freeze`` writes it under a version.
    """

    def __init__(self, connection: Connection, settings: InstitutionSettings, too_long: int = 0) -> None:
        self._connection, self._settings = connection, settings
        self.too_long = too_long
        """Number of notes left out because they exceed ``notes.max_characters``."""

    def groups(self, bounds: Sequence[object]) -> list[Stratum]:
        """Return the strata by note type and period.

        Args:
            bounds: The first day of each period but the first. A missing note type counts as the empty one, and notes
                without
                a time are in a period of their own, the last.
        """
        with self._connection.cursor() as cursor:
            cursor.execute(
                """
                select note_type, coalesce(width_bucket(note_datetime, %s::timestamp[]), %s) as period,
                    count(*), avg(words)::float
                from sample_candidate group by 1, 2 order by 1, 2
                """,
                (list(bounds), len(bounds) + 1),
            )
            return [Stratum(*row) for row in cursor]

    def draw_by_stratum(self, bounds: Sequence[object], allotted: Mapping[tuple[str, int], int], seed: int) -> None:
        """Draw the first notes of each stratum, in an order that puts distinct patients first.

        Every patient's best note comes first, then every patient's second, and so on. Notes that hold the patient's own
        name, address, phone number or e-mail address come before others. A hash of seed and note decides among equals,
        so the same warehouse gives the same sample.

        Args:
            bounds: The first day of each period but the first.
            allotted: The number of notes to draw by note type and period.
            seed: Chooses among notes of equal rank.
        """
        with self._connection.cursor() as cursor:
            _empty_draw(cursor)
            cursor.execute(
                "create temporary table sample_allotted (note_type text, period int, notes int) on commit drop"
            )
            rows = [(note_type, period, notes) for (note_type, period), notes in allotted.items()]
            execute_values(cursor, "insert into sample_allotted values %s", rows)
            cursor.execute(
                """
                insert into sample_drawn
                select note_id, period, draw_order from (
                    select note_id, note_type, period,
                        row_number() over (
                            partition by note_type, period order by round, not has_own_pii, seeded_hash, note_id
                        ) as draw_order
                    from (
                        select *, row_number() over (
                                partition by note_type, period, patient order by not has_own_pii, seeded_hash, note_id
                            ) as round
                        from (
                            select note_id, note_type, has_own_pii,
                                coalesce(patient_id, 'note ' || note_id) as patient,
                                coalesce(width_bucket(note_datetime, %(bounds)s::timestamp[]), %(last)s) as period,
                                md5(%(seed)s || '/stratified/' || note_id) as seeded_hash
                            from sample_candidate
                        ) as by_stratum
                    ) as by_patient
                ) as ranked
                join sample_allotted as a using (note_type, period)
                where draw_order <= a.notes
                """,
                {"bounds": list(bounds), "last": len(bounds) + 1, "seed": str(seed)},
            )
            cursor.execute("drop table sample_allotted")

    def draw_at_random(self, bounds: Sequence[object], size: int, seed: int) -> None:
        """Draw ``size`` notes, each with the same probability whatever its type, patient and content."""
        with self._connection.cursor() as cursor:
            _empty_draw(cursor)
            cursor.execute(
                """
                insert into sample_drawn
                select note_id, coalesce(width_bucket(note_datetime, %(bounds)s::timestamp[]), %(last)s),
                    row_number() over (order by md5(%(seed)s || '/random/' || note_id), note_id) as draw_order
                from sample_candidate
                order by draw_order limit %(size)s
                """,
                {"bounds": list(bounds), "last": len(bounds) + 1, "seed": str(seed), "size": size},
            )

    def unsampled(self, seed: int) -> Iterator[tuple[str, str]]:
        """Yield ``(note id, patient id)`` of notes that no sample and no gold set holds, in the seed's order."""
        with self._connection.cursor(name="unsampled") as cursor:
            # The hash keeps the design's former name: the same seed gives the same order in every release.
            cursor.execute(
                compose(
                    """
                    select note_id, coalesce(patient_id, '') from sample_candidate as c
                    where not exists (select from {gold}.sample_note as s where s.note_id = c.note_id)
                        and not exists (select from {gold}.gold_note as g where g.note_id = c.note_id)
                    order by md5(%s || '/disputed/' || note_id), note_id
                    """,
                    self._settings,
                ),
                (str(seed),),
            )
            yield from cursor

    def texts(self, note_ids: Sequence[str]) -> Iterator[Document]:
        """Yield these notes in no particular order, streamed."""
        with self._connection.cursor(name="texts") as cursor:
            cursor.itersize = _BATCH_NOTES
            cursor.execute(
                compose(
                    """
                    select note_id, coalesce(note_text, ''), patient_id, note_type
                    from {staging}.stg_note where note_id = any(%s)
                    """,
                    self._settings,
                ),
                (list(note_ids),),
            )
            for row in cursor:
                yield Document(*row)

    def draw_listed(self, bounds: Sequence[object], note_ids: Sequence[str]) -> None:
        """Draw exactly these notes, in this order."""
        with self._connection.cursor() as cursor:
            _empty_draw(cursor)
            cursor.execute(
                """
                insert into sample_drawn
                select note_id, coalesce(width_bucket(note_datetime, %(bounds)s::timestamp[]), %(last)s), draw_order
                from unnest(%(ids)s::text[]) with ordinality as chosen (note_id, draw_order)
                join sample_candidate using (note_id)
                """,
                {"bounds": list(bounds), "last": len(bounds) + 1, "ids": list(note_ids)},
            )

    def find_frozen(self, design: Design, drawn_as: Mapping[str, object]) -> tuple[str, int, list[DrawnStratum]] | None:
        """Return version, notes and strata of the newest sample drawn with these settings; ``None`` without one."""
        with self._connection.cursor() as cursor:
            cursor.execute(
                compose(
                    """
                    select sample_version, notes from {gold}.sample where design = %s and settings = %s::jsonb
                    order by drawn_at desc limit 1
                    """,
                    self._settings,
                ),
                (design, json.dumps(dict(drawn_as), default=str)),
            )
            row = cursor.fetchone()
            if row is None:
                return None
            cursor.execute(
                compose(
                    """
                    select note_type, period, notes, mean_words, weight, allotted, drawn
                    from {gold}.sample_group where sample_version = %s order by note_type, period
                    """,
                    self._settings,
                ),
                (row[0],),
            )
            return row[0], row[1], [DrawnStratum(*group) for group in cursor]

    def drawn(self) -> Iterator[tuple[str, str]]:
        """Yield ``(note id, digest of its text)`` of the drawn notes, by note id."""
        with self._connection.cursor() as cursor:
            # The version is a hash in this order, which therefore must not depend on the database's collation.
            cursor.execute(
                """
                select note_id, digest from sample_drawn join sample_candidate using (note_id)
                order by note_id collate "C"
                """
            )
            yield from cursor

    def freeze(
        self,
        version: str,
        design: Design,
        seed: int,
        size: int,
        drawn_as: Mapping[str, object],
        groups: Sequence[DrawnStratum],
        periods: Sequence[str],
    ) -> int:
        """Write the drawn notes under ``version`` and return their number; an existing version stays as it is.

        Args:
            version: Hash of the design, the settings and the drawn notes.
            design: How the notes were drawn.
            seed: The seed of the draw.
            size: The number of notes that was asked for.
            drawn_as: The settings of the draw.
            groups: The strata, with the number of notes drawn from each.
            periods: The name of each period, in order.
        """
        with self._connection.cursor() as cursor:
            cursor.execute(
                compose(
                    """
                    insert into {gold}.sample (sample_version, design, seed, size, settings, notes, drawn_at)
                    select %s, %s, %s, %s, %s, count(*), clock_timestamp() from sample_drawn
                    on conflict do nothing returning notes
                    """,
                    self._settings,
                ),
                (version, design, seed, size, json.dumps(dict(drawn_as), default=str)),
            )
            inserted = cursor.fetchone()
            if inserted is None:
                cursor.execute(
                    compose("select notes from {gold}.sample where sample_version = %s", self._settings), (version,)
                )
                row = cursor.fetchone()
                return int(row[0]) if row else 0
            execute_values(
                cursor,
                compose(
                    """
                    insert into {gold}.sample_group
                        (sample_version, note_type, period, notes, mean_words, weight, allotted, drawn)
                    values %s
                    """,
                    self._settings,
                ),
                [
                    (version, g.note_type, g.period, g.notes, g.mean_words, g.weight, g.allotted, g.drawn)
                    for g in groups
                ],
            )
            self._write_notes(cursor, version, periods)
            return int(inserted[0])

    def shared_notes(self, versions: Sequence[str]) -> int:
        """Return how many notes are in more than one of the frozen samples."""
        with self._connection.cursor() as cursor:
            cursor.execute(
                compose(
                    """
                    select count(*) from (
                        select note_id from {gold}.sample_note where sample_version = any(%s)
                        group by note_id having count(*) > 1
                    ) as shared
                    """,
                    self._settings,
                ),
                (list(versions),),
            )
            (notes,) = cursor.fetchone() or (0,)
        return int(notes)

    def counts(self) -> dict[tuple[str, int], int]:
        """Return the number of drawn notes by note type and position of the period."""
        with self._connection.cursor() as cursor:
            cursor.execute(
                """
                select note_type, d.period, count(*)
                from sample_drawn as d join sample_candidate using (note_id) group by 1, 2
                """
            )
            return {(note_type, period): count for note_type, period, count in cursor}

    def _write_notes(self, cursor: Cursor, version: str, periods: Sequence[str]) -> None:
        """Copy the drawn notes with their text, by their ids, some thousands at a time."""
        cursor.execute("select note_id from sample_drawn order by note_id")
        ids = [row[0] for row in cursor.fetchall()]
        for first in range(0, len(ids), _NOTES_A_STATEMENT):
            cursor.execute(
                compose(
                    """
                    insert into {gold}.sample_note (
                        sample_version, note_id, patient_id, note_type, note_datetime, author_id, period, text,
                        draw_order, has_own_pii
                    )
                    select %(version)s, n.note_id, n.patient_id, c.note_type, n.note_datetime, n.author_id,
                        (%(periods)s::text[])[d.period + 1], coalesce(n.note_text, ''), d.draw_order, c.has_own_pii
                    from {staging}.stg_note as n
                    join sample_drawn as d using (note_id)
                    join sample_candidate as c using (note_id)
                    where n.note_id = any(%(ids)s)
                    """,
                    self._settings,
                ),
                {"version": version, "periods": list(periods), "ids": ids[first : first + _NOTES_A_STATEMENT]},
            )


def _empty_draw(cursor: Cursor) -> None:
    cursor.execute("drop table if exists pg_temp.sample_drawn")
    cursor.execute("create temporary table sample_drawn (note_id text, period int, draw_order int) on commit drop")


@contextmanager
def open_draw(connection: Connection, settings: InstitutionSettings) -> Iterator[SampleDraw]:
    """Read the warehouse once and yield the draw; only frozen samples outlive the transaction."""
    # The frozen texts are those that were read, even when notes are loaded meanwhile.
    connection.set_session(isolation_level="REPEATABLE READ")
    with connection.cursor() as cursor:
        # Locked before the snapshot begins: the second of two draws sees what the first one froze.
        cursor.execute(compose("lock table {gold}.sample in share row exclusive mode", settings))
        cursor.execute("set local work_mem = '64MB'")
    yield SampleDraw(connection, settings, too_long=read_candidates(connection, settings))
