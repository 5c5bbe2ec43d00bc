"""A warehouse of many short notes, made in SQL, and a ledger that says that all of them are published.

Each patient has a name, an address, two numbers and a relative, and ten notes spread over a year. Some patients were
merged into another.
"""

from contextlib import closing

import psycopg2
import pyarrow as pa
from psycopg2 import sql
from psycopg2.extensions import connection as Connection  # noqa: N812

from benchmarks.changes.living_site import NAME
from deid_tasks.platform.publish import PUBLISHED_SCHEMA, RemovedRows, replace_notes
from deid_tasks.platform.runs.institution_engine import institution_obfuscator
from deid_tasks.platform.runs.pseudonyms import digest_seed
from deid_tasks.platform.warehouse import connect
from deid_tasks.platform.warehouse.merges import refresh_merges
from deid_tasks.platform.warehouse.record_digests import digest_table
from deid_tasks.platform.warehouse.statements import compose
from deid_tasks.settings import InstitutionSettings, Secrets

NOTES_PER_PATIENT = 10
_TEXT = "'Patient seen today, resting comfortably. Continue present management. ' || md5(i::text)"
_AT = "timestamp '2024-01-01' + interval '1 day' * (i %% 365) + interval '1 minute' * (i %% 1440)"

_OMOP = (
    """
    insert into location (location_id, address_1, city, state, zip)
    select 1000000 + i, i || ' Main Street', 'Springfield', 'OH', lpad((i %% 90000)::text, 5, '0')
    from generate_series(1, %(patients)s) as i
    """,
    """
    insert into person (
        person_id, gender_concept_id, year_of_birth, month_of_birth, day_of_birth, race_concept_id,
        ethnicity_concept_id, location_id, person_source_value
    )
    select 1000000 + i, 8507, 1940 + i %% 70, 1 + i %% 12, 1 + i %% 28, 0, 0, 1000000 + i, 'P' || 1000000 + i
    from generate_series(1, %(patients)s) as i
    """,
    """
    insert into person_name (person_id, name_use, first_name, last_name)
    select 1000000 + i, 'official', 'First' || i %% 5000, 'Last' || i from generate_series(1, %(patients)s) as i
    """,
    """
    insert into person_identifier
    select 1000000 + i, 'mrn', 'RH' || 1000000 + i from generate_series(1, %(patients)s) as i
    """,
    """
    insert into person_contact
    select 1000000 + i, 'phone', 'home', '555-' || i from generate_series(1, %(patients)s) as i
    """,
    """
    insert into person_relation
    select 1000000 + i, 'spouse', 'First' || i %% 4000, 'Last' || i, '555-' || i
    from generate_series(1, %(patients)s) as i
    """,
    """
    insert into person_merge
    select 1000000 + i, 1000001 + i, timestamp '2024-01-01'
    from generate_series(1, %(patients)s) as i where i %% %(patients_per_merge)s = 1 and i < %(patients)s
    """,
    f"""
    insert into note (
        note_id, person_id, note_date, note_datetime, note_type_concept_id, note_class_concept_id, note_title,
        note_text, encoding_concept_id, language_concept_id, note_source_value, load_datetime
    )
    select
        1000000 + i, 1000000 + 1 + i %% %(patients)s, ({_AT})::date, {_AT}, 0, 0, 'Progress note', {_TEXT},
        0, 0, 'N' || 1000000 + i, {_AT} + interval '1 hour'
    from generate_series(1, %(notes)s) as i
    """,
)
_CLARITY = (
    """
    insert into patient (pat_id, pat_name, birth_date, sex_c, city, zip, home_phone)
    select
        'P' || 1000000 + i, 'Last' || i || ',First' || i %% 5000, date '1940-01-01' + i %% 25000,
        (select min(rcpt_mem_sex_c) from zc_sex), 'Springfield', lpad((i %% 90000)::text, 5, '0'), '555-' || i
    from generate_series(1, %(patients)s) as i
    """,
    """
    insert into pat_address
    select 'P' || 1000000 + i, 1, i || ' Main Street' from generate_series(1, %(patients)s) as i
    """,
    """
    insert into identity_id
    select 'P' || 1000000 + i, 1, (select min(id_type) from identity_id_type), 'RH' || 1000000 + i
    from generate_series(1, %(patients)s) as i
    """,
    """
    insert into pat_relationships
    select
        'P' || 1000000 + i, 1, 'Last' || i || ',First' || i %% 4000,
        (select min(pat_relation_c) from zc_pat_relation), '555-' || i
    from generate_series(1, %(patients)s) as i
    """,
    """
    insert into pat_merge_history
    select 'P' || 1000000 + i, 'P' || 1000001 + i, timestamp '2024-01-01'
    from generate_series(1, %(patients)s) as i where i %% %(patients_per_merge)s = 1 and i < %(patients)s
    """,
    f"""
    insert into pat_enc (pat_enc_csn_id, pat_id, contact_date)
    select 1000000 + i, 'P' || 1000000 + 1 + i %% %(patients)s, ({_AT})::date
    from generate_series(1, %(notes)s) as i
    """,
    f"""
    insert into hno_info (note_id, pat_enc_csn_id, ip_note_type_c, create_instant_dttm, update_date)
    select
        'N' || 1000000 + i, 1000000 + i, (select min(type_ip_c) from zc_note_type_ip), {_AT},
        {_AT} + interval '1 hour'
    from generate_series(1, %(notes)s) as i
    """,
    f"""
    insert into note_enc_info (contact_serial_num, note_id, contact_num, spec_note_time_dttm, upd_dttm)
    select 1000000 + i, 'N' || 1000000 + i, 1, {_AT}, {_AT} from generate_series(1, %(notes)s) as i
    """,
    f"""
    insert into hno_note_text
    select 1000000 + i, 1, 'N' || 1000000 + i, {_TEXT} from generate_series(1, %(notes)s) as i
    """,
)
_LAYOUTS = {"omop": _OMOP, "clarity": _CLARITY}
_EMPTIED = {"omop": "truncate note", "clarity": "truncate hno_info, note_enc_info, hno_note_text, pat_enc"}
_LEDGER = """
with {record}
insert into {results}.note_ledger (
    note_id, patient_id, note_type, note_datetime, note_day, modified_at, content_hash, record_digest, outcome,
    fingerprint, made_by, output_hash, entities, slice_key, note_key, run_id
)
select
    n.note_id, n.patient_id, n.note_type, n.note_datetime, n.note_datetime::date, n.modified_at, md5(n.note_id),
    coalesce(r.digest, ''), 'published', {engine}, {engine}, md5(n.note_id), array['DATE', 'PATIENT'],
    md5(n.note_datetime::date::text), md5('key' || n.note_id), 'scheduled__2024-01-01T00:00:00+00:00'
from {staging}.stg_note as n left join record as r on n.patient_id = r.patient_id
"""
_SLICES = """
insert into {results}.published_slice (slice_key, slice_start, slice_end, note_day, key_id, run_id, notes, published_at)
select slice_key, note_day, note_day + 1, note_day, %s, 'simulated', count(*), now()
from {results}.note_ledger group by slice_key, note_day
"""


def fill_warehouse(
    settings: InstitutionSettings,
    secrets: Secrets,
    notes: int,
    *,
    fingerprint: str = "simulated",
    patients_per_merge: int = 100,
) -> None:
    """Put many notes in place of those of an institution, and a ledger that says that they are all published.

    Args:
        settings: The institution.
        secrets: Its secrets.
        notes: Notes of the source and of the ledger.
        fingerprint: The engine that the ledger names.
        patients_per_merge: Of so many patients one was merged into another.
    """
    layout = settings.warehouse.layout
    values = {
        "patients": notes // NOTES_PER_PATIENT,
        "notes": notes,
        "patients_per_merge": patients_per_merge,
    }
    with closing(psycopg2.connect(secrets.text(settings.warehouse.connection))) as connection:
        with connection, connection.cursor() as cursor:
            cursor.execute(sql.SQL("set local search_path to {}").format(sql.Identifier(f"{NAME}_ehr")))
            cursor.execute(_EMPTIED[layout])
            for statement in _LAYOUTS[layout]:
                cursor.execute(statement, values)
        _analyze(connection)
        with connection, connection.cursor() as cursor:
            refresh_merges(connection, settings)
            cursor.execute(compose("truncate {results}.note_ledger, {results}.published_slice", settings))
            record = digest_table(settings, digest_seed(settings, secrets))
            cursor.execute(compose(_LEDGER, settings, record=record, engine=sql.Literal(fingerprint)))
            key_id = institution_obfuscator(settings, secrets).pseudonym("key", "")
            cursor.execute(compose(_SLICES, settings), (key_id,))
        _analyze(connection)


def publish_ledger(settings: InstitutionSettings, secrets: Secrets) -> None:
    """Write a row of the published table for each note of the ledger."""
    with connect(secrets.text(settings.warehouse.connection)) as connection, connection.cursor() as cursor:
        cursor.execute(
            compose("select slice_key, note_key, note_type, note_datetime from {results}.note_ledger", settings)
        )
        slices, keys, types, times = zip(*cursor.fetchall(), strict=True)
    count = len(keys)
    columns = {
        "institution": [settings.institution] * count,
        "slice_key": slices,
        "note_key": keys,
        "patient_key": [None] * count,
        "author_key": [None] * count,
        "note_type": types,
        "note_datetime": times,
        "text": ["Patient seen today."] * count,
    }
    rows = pa.table({name: pa.array(values, PUBLISHED_SCHEMA.field(name).type) for name, values in columns.items()})
    replace_notes(settings, secrets, rows.cast(PUBLISHED_SCHEMA).to_batches(), RemovedRows(), {})


def _analyze(connection: Connection) -> None:
    connection.autocommit = True
    with connection.cursor() as cursor:
        cursor.execute("vacuum analyze")
    connection.autocommit = False
