"""A database of the platform's own over a read-only EHR: the SQL of the how-to page, in two real databases."""

import datetime
import re
from pathlib import Path
from types import SimpleNamespace

import psycopg2
import pytest

from deid_tasks.core.errors import WarehouseError
from deid_tasks.hospital.layouts import load
from deid_tasks.platform import runs
from deid_tasks.platform.warehouse import Shard, connect, read_patients, read_shard
from deid_tasks.settings import NotesRequest, Secrets
from tests.support.dbt_models import build_models
from tests.support.small_hospital import PATIENTS, hospital, notes

PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "separate-database.md"
MORE = {
    "omop": """
        insert into ehr.person (person_id, gender_concept_id, year_of_birth, race_concept_id, ethnicity_concept_id,
            person_source_value)
        select 100000 + i, 8507, 1950, 0, 0, 'X' || i from generate_series(1, 60000) as i;
        insert into ehr.note (note_id, person_id, note_date, note_datetime, note_type_concept_id,
            note_class_concept_id, note_text, encoding_concept_id, language_concept_id, note_source_value, load_datetime)
        select 100000 + i, 100000 + i, date '2023-01-01' + i % 300,
            case when i % 9 > 0 then date '2023-01-01' + i % 300 + time '10:00' end, 0, 0, 'Seen.', 0, 0, 'X' || i, '2024-01-01'
        from generate_series(1, 2000) as i;
    """,
    "clarity": """
        insert into ehr.patient (pat_id, pat_name) select 'X' || i, 'Last,First' from generate_series(1, 2000) as i;
        insert into ehr.hno_info (note_id, pat_enc_csn_id, create_instant_dttm)
        select 'X' || i, 0, timestamp '2023-01-01 10:00' + i % 300 * interval '1 day'
        from generate_series(1, 2000) as i;
    """,
}
"""Enough rows that PostgreSQL would not rather read a table whole."""
NOTE_TABLE = {"omop": "note", "clarity": "hno_info"}
PATIENT_TABLE = {"omop": "person", "clarity": "patient"}


@pytest.fixture(scope="module", params=["omop", "clarity"])
def site(request, postgres, tmp_path_factory):
    """The page's SQL on two databases, and dbt's models in the platform's."""
    layout = request.param
    source, platform = f"replica_{layout}", f"platform_{layout}"
    for name in (source, platform):
        postgres.create_database(name)
    connection = psycopg2.connect(postgres.uri(source))
    load(connection, hospital("riverside"), notes(), "ehr", layout)
    for_source, for_platform = re.findall(r"```sql\n(.*?)```", PAGE.read_text(), re.DOTALL)
    with connection, connection.cursor() as cursor:
        cursor.execute(MORE[layout])
        cursor.execute("set local search_path to ehr")
        cursor.execute(for_source.replace("palimpsest_reader", f"reader_{layout}"))
    connection.autocommit = True
    connection.cursor().execute("analyze")
    connection.close()
    own = psycopg2.connect(postgres.uri(platform))
    with own, own.cursor() as cursor:
        replaced = {
            "replica.example.org": "127.0.0.1",
            "'5432'": f"'{postgres.port}'",
            "dbname 'ehr'": f"dbname '{source}'",
            "database platform": f"database {platform}",
            "palimpsest_reader": f"reader_{layout}",
        }
        for before, after in replaced.items():
            assert before in for_platform
            for_platform = for_platform.replace(before, after)
        # The server's superuser has the name of the page's role already.
        cursor.execute(re.sub(r"\bpalimpsest\b", f"platform_{layout}", for_platform))
    own.close()
    uri = re.sub(r"//[^@]+@", f"//platform_{layout}:PLATFORM_PASSWORD@", postgres.uri(platform))
    settings = _settings(layout)
    secrets = Secrets({"riverside_ehr": uri, "riverside_key": "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVowMTIzNDU="}.get)
    runs.upgrade_tables(settings, secrets)
    build_models(uri, "riverside", layout, tmp_path_factory.mktemp(layout), "path:models/staging", "+dict_patient")
    return SimpleNamespace(uri=uri, layout=layout, settings=settings, secrets=secrets, superuser=postgres.uri(platform))


def _settings(layout):
    from deid_tasks.settings import InstitutionSettings

    return InstitutionSettings.model_validate(
        {
            "institution": "riverside",
            "title": "Riverside Health",
            "warehouse": {"connection": "riverside_ehr", "layout": layout},
            "notes": {"start_date": "2024-01-01"},
            "obfuscate": {"key": "riverside_key"},
            "publish": {"bucket": "published", "object_store": "object_store", "catalog": "catalog"},
            "work_dir": "/nowhere",
        }
    )


def remote_statements(uri, statement, values=None):
    """What the replica is asked for a statement."""
    connection = psycopg2.connect(uri)
    try:
        with connection.cursor() as cursor:
            cursor.execute("explain (verbose, costs off) " + statement, values)
            plan = [line for (line,) in cursor.fetchall()]
    finally:
        connection.close()
    return [line.split("Remote SQL: ")[1] for line in plan if "Remote SQL: " in line]


def test_a_run_reads_the_notes_of_its_day(site):
    day = datetime.date(2024, 1, 2)
    start = datetime.datetime(2024, 1, 2, tzinfo=datetime.UTC)
    runs.plan_notes_run(site.settings, site.secrets, "run", start, start + datetime.timedelta(days=1), NotesRequest())
    with connect(site.uri) as connection:
        batches = list(read_shard(connection, site.settings, "run", day, Shard(0, 1)))
    read = [(row["note_id"], row["patient_id"], row["text"]) for one in batches for row in one.batch.to_pylist()]
    assert read == [(n.note_id, n.patient_id, n.text) for n in notes() if n.note_datetime.date() == day]


def test_the_day_is_sent_to_the_replica(site):
    asked = remote_statements(
        site.uri,
        "select * from riverside_staging.stg_note as n where n.note_datetime >= %s and n.note_datetime < %s"
        " and not n.is_deleted and exists (select 1 from riverside_results.run_note as w"
        " where w.run_id = 'run' and w.note_id = n.note_id and not w.is_removal)",
        (datetime.date(2024, 1, 2), datetime.date(2024, 1, 3)),
    )
    of_notes = [one for one in asked if re.search(rf"\behr\.{NOTE_TABLE[site.layout]}\b", one)]
    assert of_notes
    for one in of_notes:
        where = one.partition(" WHERE ")[2]
        assert "'2024-01-02" in where, one
        assert "'2024-01-03" in where, one


def test_a_lookup_of_patients_sends_their_ids(site):
    with connect(site.uri) as connection:
        records = read_patients(connection, site.settings, [patient.patient_id for patient in PATIENTS])
    assert set(records) == {patient.patient_id for patient in PATIENTS}
    assert any(term.term for term in records["P000001"].terms)
    asked = remote_statements(
        site.uri,
        "select patient_id, kind, term from riverside_dictionaries.dict_patient where patient_id = any(%s)",
        (["P000001", "P000002"],),
    )
    of_patients = [one for one in asked if re.search(rf"\behr\.{PATIENT_TABLE[site.layout]}\b", one)]
    assert of_patients
    # An id is a value, or a parameter that comes from another row of the plan.
    without = [one for one in of_patients if "P000001,P000002" not in one and not re.search(r"\$1", one)]
    assert without == []


def test_the_platform_cannot_write_to_the_ehr(site, postgres):
    table = PATIENT_TABLE[site.layout]
    with pytest.raises(WarehouseError, match="permission denied for table"), connect(site.uri) as connection:
        connection.cursor().execute(f"delete from riverside_ehr.{table}")
    # Nor where a superuser of the platform's database lets the foreign tables be written to.
    own = psycopg2.connect(site.superuser)
    with own, own.cursor() as cursor:
        cursor.execute("alter server riverside_replica options (set updatable 'true')")
    own.close()
    with pytest.raises(WarehouseError, match="permission denied for table"), connect(site.uri) as c:
        c.cursor().execute(f"delete from riverside_ehr.{table}")
