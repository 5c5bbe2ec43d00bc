"""What building the dictionaries costs, model by model: from nothing, without changes, and with 1 % new.

    python -m benchmarks.changes.dictionaries       # 12 minutes beside other work
    python -m benchmarks.changes.dictionaries --patients 30000 --notes 100000

The warehouse is simulated in SQL: patients with names, numbers, addresses and a relative, and short notes. Tests of
dbt are left out. Runs on a private PostgreSQL.
"""

import json
import shutil
import tempfile
import time
from pathlib import Path

import psycopg2
from psycopg2.extensions import connection as Connection  # noqa: N812

from benchmarks.changes.living_site import NAME, site_secrets, site_settings
from benchmarks.support.institution import build_dictionaries
from benchmarks.support.results import Results, parser_of, results
from deid_tasks.hospital import build_hospital, write_notes
from deid_tasks.hospital.layouts import load
from deid_tasks.hospital.postgres import EmbeddedPostgres
from deid_tasks.hospital.records import HospitalSpec, World
from deid_tasks.platform import runs

_PATIENTS = """
insert into location (location_id, address_1, city, state, zip)
select 1000000 + i, i || ' Street' || i %% 9000, 'City' || i %% 800, 'OH', lpad((i %% 90000)::text, 5, '0')
from generate_series(%(first)s, %(last)s) as i;
insert into person (
    person_id, gender_concept_id, year_of_birth, month_of_birth, day_of_birth, race_concept_id, ethnicity_concept_id,
    location_id, person_source_value
)
select 1000000 + i, 8507, 1940 + i %% 70, 1 + i %% 12, 1 + i %% 28, 0, 0, 1000000 + i, 'P' || i
from generate_series(%(first)s, %(last)s) as i;
insert into person_name (person_id, name_use, first_name, middle_name, last_name)
select 1000000 + i, 'official', 'First' || i %% 5000, chr(65 + i %% 26), 'Last' || i %% 90000
from generate_series(%(first)s, %(last)s) as i;
insert into person_identifier
select 1000000 + i, 'mrn', 'RH' || 1000000 + i from generate_series(%(first)s, %(last)s) as i;
insert into person_contact
select 1000000 + i, 'phone', 'home', '555-' || i from generate_series(%(first)s, %(last)s) as i;
insert into person_relation
select 1000000 + i, 'spouse', 'First' || i %% 4000, 'Last' || i %% 90000, '555-' || i
from generate_series(%(first)s, %(last)s) as i;
"""
_NOTES = """
insert into note (
    note_id, person_id, note_date, note_datetime, note_type_concept_id, note_class_concept_id, note_title, note_text,
    encoding_concept_id, language_concept_id, note_source_value, load_datetime
)
select
    1000000 + i, 1000000 + 1 + i %% %(patients)s, date '2024-01-01' + i %% 365,
    date '2024-01-01' + i %% 365 + interval '1 minute' * (i %% 1440), 0, 0, 'Progress note',
    (
        select string_agg(t.phrases[1 + abs(hashtextextended(i::text, n)) %% cardinality(t.phrases)], ', ')
        from generate_series(1, 12) as n
    ) || '. Reference ' || md5(i::text),
    0, 0, 'N' || i, timestamp '2024-01-01' + interval '1 minute' * (i %% 1440) + i %% 365 * interval '1 day'
from generate_series(%(first)s, %(last)s) as i
cross join (select array_agg(term order by term) as phrases from phrase) as t
"""
_CHANGES = """
update person_name set last_name = 'Renamed' || person_id where person_id %% 100 = 7;
update note set note_text = note_text || ' Amended.', load_datetime = now() where note_id %% 300 = 11;
delete from note where note_id %% 300 = 12;
"""
_PHRASES = 2_000


def main() -> None:
    """Simulate the warehouse, and time three builds."""
    parser = parser_of(__doc__)
    parser.add_argument("--patients", type=int, default=300_000)
    parser.add_argument("--notes", type=int, default=1_000_000)
    arguments = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="palimpsest-dictionaries-"))
    folder.chmod(0o755)
    try:
        with (
            EmbeddedPostgres(folder / "pg", settings={"fsync": "off", "full_page_writes": "off"}) as server,
            results("dictionaries", "Building the dictionaries", arguments) as made,
        ):
            server.create_database("ehr")
            uri = server.uri("ehr")
            _time_builds(made, uri, folder, arguments.patients, arguments.notes)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _time_builds(made: Results, uri: str, folder: Path, patients: int, notes: int) -> None:
    began = time.monotonic()
    simulate_warehouse(uri, folder, patients, notes)
    made.table("Warehouse", {"what": "", "count": ",.0f"})
    made.add("patients", patients)
    made.add("notes", notes)
    made.add("seconds to simulate them", time.monotonic() - began)
    builds = [_seconds_of_nodes(uri, folder), _seconds_of_nodes(uri, folder)]
    add_one_percent(uri, patients, notes)
    builds.append(_seconds_of_nodes(uri, folder))
    columns = {"from nothing": ".1f", "nothing new": ".1f", "1 % new": ".1f"}
    made.table("Seconds of each model", {"model": "", **columns})
    for name in sorted(builds[0], key=lambda one: -max(build.get(one, 0.0) for build in builds)):
        if max(build.get(name, 0.0) for build in builds) >= 0.5:
            made.add(name, *(build.get(name) for build in builds))
    made.add("all", *(sum(build.values()) for build in builds))


def simulate_warehouse(uri: str, folder: Path, patients: int, notes: int) -> None:
    """Fill the raw tables at ``uri``, which is empty, and the tables that the platform writes."""
    spec = HospitalSpec(NAME, World.DEV, seed=3, patients=30, providers=12, notes=60, days=2)
    hospital = build_hospital(spec)
    connection = psycopg2.connect(uri)
    try:
        load(connection, hospital, write_notes(hospital), f"{NAME}_ehr", "omop")
        runs.upgrade_tables(site_settings("omop", folder), site_secrets({"ehr": uri, "catalog": uri}))
        _write(connection, (1, patients), (1, notes), patients)
    finally:
        connection.close()


def add_one_percent(uri: str, patients: int, notes: int) -> None:
    """Add 1 % of patients and notes, rename 1 % of the patients, amend and delete a third of a percent of the notes."""
    connection = psycopg2.connect(uri)
    try:
        _write(connection, (patients + 1, patients + patients // 100), (notes + 1, notes + notes // 100), patients)
        with connection, connection.cursor() as cursor:
            cursor.execute(f"set local search_path to {NAME}_ehr")
            cursor.execute(_CHANGES, {})
    finally:
        connection.close()


def _write(connection: Connection, people: tuple[int, int], written: tuple[int, int], patients: int) -> None:
    phrases = [f"finding{number % 400} of organ{number}" for number in range(_PHRASES)]
    with connection, connection.cursor() as cursor:
        cursor.execute(f"set local search_path to {NAME}_ehr")
        cursor.execute("create temporary table phrase on commit drop as select unnest(%s) as term", (phrases,))
        cursor.execute(_PATIENTS, {"first": people[0], "last": people[1]})
        cursor.execute(_NOTES, {"first": written[0], "last": written[1], "patients": patients})
    connection.autocommit = True
    with connection.cursor() as cursor:
        cursor.execute("vacuum analyze")
    connection.autocommit = False


def _seconds_of_nodes(uri: str, folder: Path) -> dict[str, float]:
    """Build everything; return the seconds of each seed, snapshot and model."""
    build_dictionaries(uri, NAME, "omop", folder)
    report = json.loads((folder / "target" / "run_results.json").read_text(encoding="utf-8"))
    return {one["unique_id"].rpartition(".")[2]: one["execution_time"] for one in report["results"]}


if __name__ == "__main__":
    main()
