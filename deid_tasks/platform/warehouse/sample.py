"""Draws samples in SQL: the text of every note is read once, and nothing but counts comes out of PostgreSQL."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from psycopg2.extensions import connection as Connection  # noqa: N812
from psycopg2.extensions import cursor as Cursor  # noqa: N812
from psycopg2.extras import execute_values

from deid_tasks.engine.text import Document
from deid_tasks.settings import Design, InstitutionSettings

_LEAST_NAME, _LEAST_PHONE = 2, 7
"""Characters of a name and digits of a phone number that are looked for."""
_FETCHED = 2_000
_READ = 100


@dataclass(frozen=True, slots=True)
class GroupRow:
    """One group as it is in the warehouse, and by its place among the periods."""

    note_type: str
    period: int
    notes: int
    mean_words: float


@dataclass(frozen=True, slots=True)
class DrawnGroup:
    """One group of a frozen sample."""

    note_type: str
    period: str
    notes: int
    mean_words: float
    weight: float
    allotted: int
    drawn: int


class SampleDraw:
    """One reading of the warehouse, from which samples of any design are drawn."""

    def __init__(self, connection: Connection, settings: InstitutionSettings) -> None:
        self._connection, self._settings = connection, settings
        self._gold = settings.schema_name("gold")
        self._staging = settings.schema_name("staging")
        self.too_long = 0
        """Notes left out because they exceed ``notes.max_characters``."""

    def groups(self, bounds: Sequence[object]) -> list[GroupRow]:
        """The groups, by note type and period; a note type that is missing is an empty one, a time that is missing the last period."""
        with self._connection.cursor() as cursor:
            cursor.execute(
                """
                select note_type, coalesce(width_bucket(note_datetime, %s::timestamp[]), %s) as period, count(*), avg(words)::float
                from sample_candidate group by 1, 2 order by 1, 2
                """,
                (list(bounds), len(bounds) + 1),
            )
            return [GroupRow(*row) for row in cursor]

    def rank(self, bounds: Sequence[object], allotted: Mapping[tuple[str, int], int], seed: int) -> None:
        """Put the notes of each group into the order in which they are drawn, and keep the first of each.

        Distinct patients come first: every patient's best note, then every patient's second, and so on. A patient's best note, and the
        first of those of equal rank, is one that holds the patient's own name, address, phone or e-mail; then a hash of seed and
        note decides, so that the same warehouse gives the same sample.
        """
        with self._connection.cursor() as cursor:
            self._empty_draw(cursor)
            cursor.execute(
                "create temporary table sample_allotted (note_type text, period int, notes int) on commit drop"
            )
            rows = [(note_type, period, notes) for (note_type, period), notes in allotted.items()]
            execute_values(cursor, "insert into sample_allotted values %s", rows)
            cursor.execute(
                """
                insert into sample_drawn
                select note_id, period, place from (
                    select note_id, note_type, period,
                        row_number() over (partition by note_type, period order by round, not holds_own_pii, chance, note_id) as place
                    from (
                        select *, row_number() over (
                                partition by note_type, period, patient order by not holds_own_pii, chance, note_id
                            ) as round
                        from (
                            select note_id, note_type, holds_own_pii, coalesce(patient_id, 'note ' || note_id) as patient,
                                coalesce(width_bucket(note_datetime, %(bounds)s::timestamp[]), %(last)s) as period,
                                md5(%(seed)s || '/stratified/' || note_id) as chance
                            from sample_candidate
                        ) as grouped
                    ) as by_patient
                ) as ranked
                join sample_allotted as a using (note_type, period)
                where place <= a.notes
                """,
                {"bounds": list(bounds), "last": len(bounds) + 1, "seed": str(seed)},
            )
            cursor.execute("drop table sample_allotted")

    def at_random(self, bounds: Sequence[object], size: int, seed: int) -> None:
        """Keep ``size`` notes, each with the same chance whatever its type, patient and content."""
        with self._connection.cursor() as cursor:
            self._empty_draw(cursor)
            cursor.execute(
                """
                insert into sample_drawn
                select note_id, coalesce(width_bucket(note_datetime, %(bounds)s::timestamp[]), %(last)s),
                    row_number() over (order by md5(%(seed)s || '/random/' || note_id), note_id) as place
                from sample_candidate
                order by place limit %(size)s
                """,
                {"bounds": list(bounds), "last": len(bounds) + 1, "seed": str(seed), "size": size},
            )

    def unsampled(self, seed: int) -> Iterator[tuple[str, str]]:
        """``(note id, patient)`` of the notes that are in no sample and in no gold set, each place in the order with the same chance."""
        with self._connection.cursor(name="unsampled") as cursor:
            cursor.execute(
                f"""
                select note_id, coalesce(patient_id, '') from sample_candidate as c
                where not exists (select from {self._gold}.sample_note as s where s.note_id = c.note_id)
                    and not exists (select from {self._gold}.gold_note as g where g.note_id = c.note_id)
                order by md5(%s || '/disputed/' || note_id), note_id
                """,
                (str(seed),),
            )
            yield from cursor

    def texts(self, note_ids: Sequence[str]) -> Iterator[Document]:
        """These notes, streamed, in no order."""
        with self._connection.cursor(name="texts") as cursor:
            cursor.itersize = _READ
            cursor.execute(
                "select note_id, coalesce(note_text, ''), patient_id, note_type"
                f" from {self._staging}.stg_note where note_id = any(%s)",
                (list(note_ids),),
            )
            for row in cursor:
                yield Document(*row)

    def keep(self, bounds: Sequence[object], note_ids: Sequence[str]) -> None:
        """Keep these notes, in this order."""
        with self._connection.cursor() as cursor:
            self._empty_draw(cursor)
            cursor.execute(
                """
                insert into sample_drawn
                select note_id, coalesce(width_bucket(note_datetime, %(bounds)s::timestamp[]), %(last)s), place
                from unnest(%(ids)s::text[]) with ordinality as kept (note_id, place)
                join sample_candidate using (note_id)
                """,
                {"bounds": list(bounds), "last": len(bounds) + 1, "ids": list(note_ids)},
            )

    def frozen(self, design: Design, drawn_as: Mapping[str, object]) -> tuple[str, int, list[DrawnGroup]] | None:
        """Version, notes and groups of the newest sample that was drawn so already; ``None`` where none was."""
        with self._connection.cursor() as cursor:
            cursor.execute(
                f"select sample_version, notes from {self._gold}.sample where design = %s and settings = %s::jsonb"
                " order by drawn_at desc limit 1",
                (design, json.dumps(dict(drawn_as), default=str)),
            )
            row = cursor.fetchone()
            if row is None:
                return None
            cursor.execute(
                "select note_type, period, notes, mean_words, weight, allotted, drawn"
                f" from {self._gold}.sample_group where sample_version = %s order by note_type, period",
                (row[0],),
            )
            return row[0], row[1], [DrawnGroup(*group) for group in cursor]

    def drawn(self) -> Iterator[tuple[str, str]]:
        """``(note id, digest of its text)`` of the drawn notes, by note id."""
        with self._connection.cursor() as cursor:
            cursor.execute(
                # Not in the order of the database's language: the version is a hash in this order.
                'select note_id, digest from sample_drawn join sample_candidate using (note_id) order by note_id collate "C"'
            )
            yield from cursor

    def freeze(
        self,
        version: str,
        design: Design,
        seed: int,
        size: int,
        drawn_as: Mapping[str, object],
        groups: Sequence[DrawnGroup],
        periods: Sequence[str],
    ) -> int:
        """Write the drawn notes under ``version`` and return how many; where the version is there already nothing is changed."""
        with self._connection.cursor() as cursor:
            cursor.execute(
                f"insert into {self._gold}.sample (sample_version, design, seed, size, settings, notes, drawn_at)"
                " select %s, %s, %s, %s, %s, count(*), clock_timestamp() from sample_drawn"
                " on conflict do nothing returning notes",
                (version, design, seed, size, json.dumps(dict(drawn_as), default=str)),
            )
            inserted = cursor.fetchone()
            if inserted is None:
                cursor.execute(f"select notes from {self._gold}.sample where sample_version = %s", (version,))
                row = cursor.fetchone()
                return int(row[0]) if row else 0
            execute_values(
                cursor,
                f"insert into {self._gold}.sample_group (sample_version, note_type, period, notes, mean_words, weight, allotted, drawn)"
                " values %s",
                [
                    (version, g.note_type, g.period, g.notes, g.mean_words, g.weight, g.allotted, g.drawn)
                    for g in groups
                ],
            )
            self._write_notes(cursor, version, periods)
            return int(inserted[0])

    def counts(self) -> dict[tuple[str, int], int]:
        """Drawn notes by note type and place of the period."""
        with self._connection.cursor() as cursor:
            cursor.execute(
                "select note_type, d.period, count(*)"
                " from sample_drawn d join sample_candidate using (note_id) group by 1, 2"
            )
            return {(note_type, period): count for note_type, period, count in cursor}

    def _write_notes(self, cursor: Cursor, version: str, periods: Sequence[str]) -> None:
        """Fetch the text of the drawn notes, by their ids, a few at a time."""
        cursor.execute("select note_id from sample_drawn order by note_id")
        ids = [row[0] for row in cursor.fetchall()]
        for first in range(0, len(ids), _FETCHED):
            cursor.execute(
                f"""
                insert into {self._gold}.sample_note
                    (sample_version, note_id, patient_id, note_type, note_datetime, author_id, period, text, place, holds_own_pii)
                select %(version)s, n.note_id, n.patient_id, c.note_type, n.note_datetime, n.author_id,
                    (%(periods)s::text[])[d.period + 1], coalesce(n.note_text, ''), d.place, c.holds_own_pii
                from {self._staging}.stg_note as n
                join sample_drawn as d using (note_id)
                join sample_candidate as c using (note_id)
                where n.note_id = any(%(ids)s)
                """,
                {"version": version, "periods": list(periods), "ids": ids[first : first + _FETCHED]},
            )

    @staticmethod
    def _empty_draw(cursor: Cursor) -> None:
        cursor.execute("drop table if exists pg_temp.sample_drawn")
        cursor.execute("create temporary table sample_drawn (note_id text, period int, place int) on commit drop")

    def _read(self) -> None:
        """The one pass over the text: what a draw needs to know of each note, without its text.

        A term is looked for as it is, and only where it stands is it asked whether it stands there as a word: a regular expression
        for each patient costs PostgreSQL a millisecond to compile.
        """
        dictionaries = self._settings.schema_name("dictionaries")
        with self._connection.cursor() as cursor:
            cursor.execute(
                f"""
                create temporary table sample_patient on commit drop as
                select patient_id,
                    coalesce(array_agg(term) filter (where not is_phone), '{{}}') as terms,
                    coalesce(array_agg(term) filter (where is_phone), '{{}}') as phones
                from (
                    select distinct patient_id, kind = 'phone' as is_phone,
                        case when kind = 'phone' then right(regexp_replace(term, '[^0-9]', '', 'g'), 10) else x.written end as term
                    from {dictionaries}.dict_patient
                    cross join lateral (values (normalised), (lower(term))) as x (written)
                    where kind in ('first', 'last', 'preferred', 'street', 'email', 'phone')
                ) as own
                where length(term) >= case when is_phone then {_LEAST_PHONE} else {_LEAST_NAME} end
                group by patient_id
                """
            )
            cursor.execute("create unique index on sample_patient (patient_id)")
            cursor.execute("analyze sample_patient")
            cursor.execute(
                f"""
                create temporary table sample_candidate on commit drop as
                select note_id, patient_id, note_type, note_datetime, characters, words, digest,
                    coalesce(
                        exists (
                            select from unnest(terms) as t (term)
                            where strpos(small, term) > 0 and exists (
                                select from (
                                    select right(part, 1) as before, left(lead(part) over (order by place), 1) as after
                                    from unnest(string_to_array(small, term)) with ordinality as p (part, place)
                                ) as around
                                where {_edge("before")} and {_edge("after")}
                            )
                        )
                        or exists (
                            select from unnest(phones) as t (phone)
                            where strpos(small, right(phone, 4)) > 0
                                and strpos(regexp_replace(small, '[^0-9]', '', 'g'), phone) > 0
                        ),
                        false
                    ) as holds_own_pii
                from (
                    select n.note_id, n.patient_id, coalesce(n.note_type, '') as note_type, n.note_datetime,
                        lower(t.note_text) as small, coalesce(length(t.note_text), %(most)s::bigint + 1) as characters, md5(t.note_text) as digest,
                        cardinality(array_remove(
                            string_to_array(replace(replace(t.note_text, E'\\n', ' '), E'\\t', ' '), ' '), ''
                        )) as words,
                        p.terms, p.phones
                    from {self._staging}.stg_note as n
                    -- The fences have a text that a view puts together, or that is stored compressed, made once and not for every
                    -- use. One that must be too long, by its bytes, is left unread.
                    cross join lateral (select n.note_text as written offset 0) as w
                    cross join lateral (
                        select case
                            when w.written is null then ''
                            when octet_length(w.written) <= 4 * %(most)s::bigint then w.written || ''
                        end as note_text
                        offset 0
                    ) as t
                    -- Looked up and not joined: a hash join too large for memory writes every text to disk.
                    left join lateral (
                        select own.terms, own.phones from sample_patient as own where own.patient_id = n.patient_id offset 0
                    ) as p on true
                    offset 0
                ) as read
                """,
                {"most": self._settings.notes.max_characters},
            )
            cursor.execute("delete from sample_candidate where characters > %s", (self._settings.notes.max_characters,))
            self.too_long = cursor.rowcount
            cursor.execute("create index on sample_candidate (note_id)")
            cursor.execute("analyze sample_candidate")


def _edge(character: str) -> str:
    """SQL: no letter and no digit, or the end of the text; null where nothing follows."""
    return f"upper({character}) = lower({character}) and {character} not between '0' and '9'"


@contextmanager
def open_draw(connection: Connection, settings: InstitutionSettings) -> Iterator[SampleDraw]:
    """Read the warehouse once; everything it leaves in PostgreSQL but frozen samples is gone when the transaction ends."""
    draw = SampleDraw(connection, settings)
    # The texts that are frozen are those that were read, whatever is loaded meanwhile.
    connection.set_session(isolation_level="REPEATABLE READ")
    with connection.cursor() as cursor:
        # Taken before the snapshot, so that of two draws at once the second sees what the first one froze.
        cursor.execute(f"lock table {settings.schema_name('gold')}.sample in share row exclusive mode")
        cursor.execute("set local work_mem = '64MB'")
    draw._read()
    yield draw
