"""What a changes run costs that has nothing to do: seconds of planning over a large ledger, statement by statement.

The warehouse is simulated in SQL: short notes of a year, each patient with a record. Runs on a private PostgreSQL.
"""

import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import psycopg2

from benchmarks.changes.living_site import NAME, site_secrets, site_settings
from benchmarks.support.institution import build_dictionaries
from benchmarks.support.results import parser_of, results
from deid_tasks.hospital import build_hospital, write_notes
from deid_tasks.hospital.layouts import load
from deid_tasks.hospital.postgres import EmbeddedPostgres
from deid_tasks.hospital.records import HospitalSpec, World
from deid_tasks.platform import runs
from deid_tasks.platform.runs.content_hashes import amended_without_time
from deid_tasks.platform.runs.institution_engine import institution_obfuscator
from deid_tasks.platform.runs.pseudonyms import digest_seed
from deid_tasks.platform.warehouse import connect
from deid_tasks.platform.warehouse.merges import refresh_merges
from deid_tasks.platform.warehouse.record_digests import digest_table
from deid_tasks.platform.warehouse.statements import compose
from deid_tasks.platform.warehouse.work_list import begin_work_list, count_causes, count_work, plan_changes
from deid_tasks.settings import InstitutionSettings, Secrets

_PATIENTS = """
insert into location (location_id, address_1, city, state, zip)
select 1000000 + i, i || ' Main Street', 'Springfield', 'OH', lpad((i %% 90000)::text, 5, '0')
from generate_series(1, %(patients)s) as i;
insert into person (
    person_id, gender_concept_id, year_of_birth, month_of_birth, day_of_birth, race_concept_id, ethnicity_concept_id,
    location_id, person_source_value
)
select 1000000 + i, 8507, 1940 + i %% 70, 1 + i %% 12, 1 + i %% 28, 0, 0, 1000000 + i, 'P' || i
from generate_series(1, %(patients)s) as i;
insert into person_name (person_id, name_use, first_name, last_name)
select 1000000 + i, 'official', 'First' || i %% 5000, 'Last' || i from generate_series(1, %(patients)s) as i;
insert into person_identifier select 1000000 + i, 'mrn', 'RH' || 1000000 + i from generate_series(1, %(patients)s) as i;
insert into person_contact select 1000000 + i, 'phone', 'home', '555-' || i from generate_series(1, %(patients)s) as i;
insert into person_relation
select 1000000 + i, 'spouse', 'First' || i %% 4000, 'Last' || i, '555-' || i from generate_series(1, %(patients)s) as i;
"""
_NOTES = """
insert into note (
    note_id, person_id, note_date, note_datetime, note_type_concept_id, note_class_concept_id, note_title, note_text,
    encoding_concept_id, language_concept_id, note_source_value, load_datetime
)
select
    1000000 + i, 1000000 + 1 + i %% %(patients)s, date '2024-01-01' + i %% 365,
    date '2024-01-01' + i %% 365 + interval '1 minute' * (i %% 1440), 0, 0, 'Progress note',
    'Patient seen today, resting comfortably. Continue present management. ' || md5(i::text),
    0, 0, 'N' || i, timestamp '2024-01-01' + interval '1 minute' * (i %% 1440) + i %% 365 * interval '1 day'
from generate_series(1, %(notes)s) as i
"""
_LEDGER = """
with {record}
insert into {results}.note_ledger (
    note_id, patient_id, note_type, note_datetime, note_day, modified_at, content_hash, record_digest, outcome,
    fingerprint, made_by, output_hash, slice_key, note_key, run_id
)
select
    n.note_id, n.patient_id, n.note_type, n.note_datetime, n.note_datetime::date, n.modified_at, md5(n.note_id),
    coalesce(r.digest, ''), 'published', 'simulated', 'simulated', md5(n.note_id),
    md5(n.note_datetime::date::text), md5(n.note_id), 'simulated'
from {staging}.stg_note as n left join record as r on n.patient_id = r.patient_id
"""
_SLICES = """
insert into {results}.published_slice (slice_key, slice_start, slice_end, note_day, key_id, run_id, notes, published_at)
select
    slice_key, note_day, note_day + 1, note_day, %s, 'simulated', count(*), now()
from {results}.note_ledger group by slice_key, note_day
"""


def main() -> None:
    """Simulate the warehouse, and time the planning."""
    parser = parser_of(__doc__)
    parser.add_argument("--notes", type=int, default=1_000_000, help="notes of the ledger")
    parser.add_argument("--repeat", type=int, default=3, help="times that planning is repeated")
    arguments = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="palimpsest-idle-"))
    folder.chmod(0o755)
    try:
        with (
            EmbeddedPostgres(folder / "pg", settings={"fsync": "off", "full_page_writes": "off"}) as server,
            results("changes-idle", "A changes run with nothing to do", arguments) as made,
        ):
            server.create_database("ehr")
            settings = site_settings("omop", folder)
            secrets = site_secrets({"ehr": server.uri("ehr"), "catalog": server.uri("ehr")})
            began = time.monotonic()
            _simulate(settings, secrets, server.uri("ehr"), folder, arguments.notes)
            made.table("Warehouse", {"what": "", "count": ",.0f"})
            made.add("notes in source and ledger", arguments.notes)
            made.add("patients", arguments.notes // 10)
            made.add("seconds to simulate them", time.monotonic() - began)
            made.table("Planning", {"step": "", "repeat": "d", "seconds": ".2f"})
            for repeat in range(1, arguments.repeat + 1):
                for name, seconds in _time_steps(settings, secrets):
                    made.add(name, repeat, seconds)
                began = time.monotonic()
                plan = runs.plan_changes_run(settings, secrets, f"idle{repeat}")
                made.add("plan_changes_run", repeat, time.monotonic() - began)
                assert not plan["causes"], plan["causes"]
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _simulate(settings: InstitutionSettings, secrets: Secrets, uri: str, folder: Path, notes: int) -> None:
    spec = HospitalSpec(NAME, World.DEV, seed=3, patients=30, providers=12, notes=60, days=2)
    hospital = build_hospital(spec)
    connection = psycopg2.connect(uri)
    try:
        load(connection, hospital, write_notes(hospital), f"{NAME}_ehr", "omop")
        runs.upgrade_tables(settings, secrets)
        build_dictionaries(uri, NAME, "omop", folder)
        with connection, connection.cursor() as cursor:
            cursor.execute(f"set local search_path to {NAME}_ehr; delete from note")
            cursor.execute(_PATIENTS, {"patients": notes // 10})
            cursor.execute(_NOTES, {"patients": notes // 10, "notes": notes})
        connection.autocommit = True
        with connection.cursor() as cursor:
            cursor.execute("analyze")
            seed = digest_seed(settings, secrets)
            cursor.execute(compose(_LEDGER, settings, record=digest_table(settings, seed)))
            key_id = institution_obfuscator(settings, secrets).pseudonym("key", "")
            cursor.execute(compose(_SLICES, settings), (key_id,))
            cursor.execute("vacuum analyze")
    finally:
        connection.close()


def _time_steps(settings: InstitutionSettings, secrets: Secrets) -> list[tuple[str, float]]:
    """Return the seconds of each step of planning, each in a transaction of its own."""
    seed, run_id = digest_seed(settings, secrets), "idle"
    uri = secrets.text(settings.warehouse.connection)
    most = settings.changes.max_notes
    steps: list[tuple[str, Callable[..., object]]] = [
        ("refresh_merges", lambda c: refresh_merges(c, settings)),
        ("begin_work_list", lambda c: begin_work_list(c, settings, run_id)),
        ("plan_changes", lambda c: plan_changes(c, settings, run_id, seed, most)),
        ("amended_without_time", lambda c: list(amended_without_time(c, settings, secrets, most))),
        ("count_causes", lambda c: count_causes(c, settings, run_id)),
        ("count_work", lambda c: count_work(c, settings, run_id)),
    ]
    timed = []
    for name, do in steps:
        with connect(uri) as connection:
            began = time.monotonic()
            do(connection)
            timed.append((name, time.monotonic() - began))
    return timed


if __name__ == "__main__":
    main()
