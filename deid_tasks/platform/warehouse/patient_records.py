"""The digest of every patient's record, kept up to date by computing only those whose values may be others than before.

A digest is over values of now and of all times, each once, which is slow for all patients of a hospital. A stamp is the
sum over the values of now, and over those of all times, of which dbt has the sum: patients with another stamp than last
time get a new digest.
"""

from psycopg2 import sql
from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.platform.warehouse.record_digests import PRESENT_TABLES, digest_table, hashed_rows
from deid_tasks.platform.warehouse.statements import compose
from deid_tasks.settings import InstitutionSettings

_FEW = 5_000
"""Patients whose records are looked up; of more, the tables are read as a whole."""

_CHANGED = """
create temporary table changed_patient on commit drop as
with {stamp}
select coalesce(s.patient_id, r.patient_id) as patient_id, s.patient_id is null as is_gone
from stamp as s
full join {results}.patient_record as r on s.patient_id = r.patient_id
where s.stamp is distinct from r.stamp
"""
# Stamp and digest are of one statement, and so of one moment.
_RENEW = """
with {stamp}, {record}
insert into {results}.patient_record (patient_id, stamp, digest)
select s.patient_id, s.stamp, coalesce(r.digest, '')
from stamp as s
left join record as r on s.patient_id = r.patient_id
order by s.patient_id
on conflict (patient_id) do update set stamp = excluded.stamp, digest = excluded.digest
"""
_HISTORY = """
select patient_id, hashtextextended('history ' || value_sum::text, {seed}) as hash
from {history}.patient_history_sum as h
where not exists (select 1 from {staging}.stg_patient_merge as m where m.former_id = h.patient_id) {own}
union all
select m.surviving_id as patient_id, hashtextextended(h.patient_id || ' ' || h.value_sum::text, {seed}) as hash
from {staging}.stg_patient_merge as m
inner join {history}.patient_history_sum as h on m.former_id = h.patient_id
where true {merged}
"""


def refresh_records(connection: Connection, settings: InstitutionSettings, seed: int) -> int:
    """Bring ``patient_record`` up to date with the warehouse, and return the number of patients whose values changed.

    Args:
        connection: A connection to the warehouse.
        settings: The institution.
        seed: Seed of the digests.
    """
    with connection.cursor() as cursor:
        cursor.execute("drop table if exists changed_patient")
        cursor.execute(compose(_CHANGED, settings, stamp=_stamp_table(settings, seed, is_looked_up=False)))
        cursor.execute("select count(*), count(*) filter (where is_gone) from changed_patient")
        changed, gone = cursor.fetchone() or (0, 0)
        if gone:
            cursor.execute(
                compose(
                    "delete from {results}.patient_record as r using changed_patient as c"
                    " where c.is_gone and c.patient_id = r.patient_id",
                    settings,
                )
            )
        if changed > gone:
            is_looked_up = changed - gone <= _FEW
            cursor.execute(
                "select coalesce(array_agg(patient_id), '{}') from changed_patient where not is_gone and %s",
                (is_looked_up,),
            )
            (patients,) = cursor.fetchone() or ([],)
            where = "where patient_id = any(%(patients)s)" if is_looked_up else ""
            cursor.execute(
                compose(
                    _RENEW,
                    settings,
                    stamp=_stamp_table(settings, seed, is_looked_up=is_looked_up),
                    record=digest_table(settings, seed, where),
                ),
                {"patients": patients},
            )
    return int(changed)


def _stamp_table(settings: InstitutionSettings, seed: int, *, is_looked_up: bool) -> sql.Composed:
    """Return the table ``stamp`` of a WITH clause: the id and the stamp of each patient who has or had values."""
    wanted = "= any(%(patients)s)"
    present = hashed_rows(settings, seed, PRESENT_TABLES, f"where patient_id {wanted}" if is_looked_up else "")
    history = compose(
        _HISTORY,
        settings,
        seed=sql.Literal(seed),
        own=sql.SQL(f"and patient_id {wanted}" if is_looked_up else ""),
        merged=sql.SQL(f"and m.surviving_id {wanted}" if is_looked_up else ""),
    )
    return sql.SQL(
        "stamp as (select patient_id, sum(hash)::text as stamp from ({} union all {}) as x"
        " where patient_id is not null group by 1)"
    ).format(present, history)
