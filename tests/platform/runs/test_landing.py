"""Deliveries into a real PostgreSQL: whole or not at all, once, and only what differs is written."""

import io
import json
import re

import boto3
import psycopg2
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deid_tasks.core.errors import InputError, SettingsError, StorageError
from deid_tasks.platform import runs
from deid_tasks.settings import LandingSettings
from tests.support.deliveries import EVENTS, NOTES, PATIENTS, deliver, landing_settings
from tests.support.small_hospital import TEXTS

HEAD = b"pat_id,pat_name,birth_date,visits\n"


def parquet(*ids: int) -> bytes:
    stream = io.BytesIO()
    pq.write_table(pa.table({"event_id": pa.array(ids, pa.int32()), "amount": pa.array([1.25] * len(ids))}), stream)
    return stream.getvalue()


def ndjson(*notes: tuple[int, str]) -> bytes:
    rows = ({"note_id": n, "pat_id": "P1", "written": "2024-01-01 10:00:00", "note_text": text} for n, text in notes)
    return "\n".join(map(json.dumps, rows)).encode()


@pytest.fixture
def ask(database):
    def run(statement):
        connection = psycopg2.connect(database)
        try:
            with connection, connection.cursor() as cursor:
                cursor.execute(statement)
                return cursor.fetchall() if cursor.description else []
        finally:
            connection.close()

    return run


@pytest.fixture
def land(institution, platform_secrets, tmp_path):
    """Land what lies in ``land.folder``; keywords change the section ``landing``."""
    runs.upgrade_tables(institution, platform_secrets)

    def run(*tables, dry_run=False, **changed):
        landing = landing_settings(changed.pop("location", run.folder), *tables, **changed)
        return runs.land_deliveries(
            institution.model_copy(update={"landing": landing}), platform_secrets, dry_run=dry_run
        )

    run.folder = tmp_path / "deliveries"
    run.folder.mkdir()
    return run


def first_delivery(folder, name="2024-01-01"):
    files = {
        "patient.csv.gz": (HEAD + b"P1,Ann,1950-01-01,1\nP2,Bo,,\nP3,Cy,,3\n", 3),
        "note.ndjson": (ndjson(*enumerate(TEXTS)), len(TEXTS)),
        "event_1.parquet": (parquet(1, 2), 2),
        "event_2.parquet": (parquet(3), 1),
    }
    return deliver(folder, name, files)


def test_a_delivery_is_landed_once(land, ask):
    first_delivery(land.folder)
    report = land()
    assert {name: report[name] for name in ("deliveries", "files", "rows", "quarantined", "unlisted")} == {
        "deliveries": 1,
        "files": 4,
        "rows": 6 + len(TEXTS),
        "quarantined": 0,
        "unlisted": 0,
    }
    assert [one["inserted"] for one in report["tables"]] == [3, len(TEXTS), 3]
    stored = dict(ask("select note_id, note_text from riverside_ehr.note"))
    assert stored == dict(enumerate(TEXTS))
    assert ask("select count(*), count(load_datetime) from riverside_ehr.note") == [(len(TEXTS), len(TEXTS))]
    assert ask("select event_id, amount::text from riverside_ehr.event order by 1") == [
        (1, "1.25"),
        (2, "1.25"),
        (3, "1.25"),
    ]
    assert land()["deliveries"] == 0
    assert ask("select count(*) from riverside_ehr.event") == [(3,)]
    assert ask("select sum(row_count)::int, count(*) from riverside_results.landed_file") == [(6 + len(TEXTS), 4)]


def test_a_dry_run_reports_the_same_and_changes_nothing(land, ask):
    first_delivery(land.folder)
    assert land(dry_run=True)["rows"] == 6 + len(TEXTS)
    assert ask("select nspname from pg_namespace where nspname = 'riverside_ehr'") == []
    assert ask("select * from riverside_results.landed_file") == []


def test_the_next_delivery_writes_only_what_differs(land, ask):
    first_delivery(land.folder)
    land()
    ask("create table public.before as select pat_id, xmin::text as version from riverside_ehr.patient")
    ask("update riverside_ehr.note set load_datetime = '2024-01-01'")
    deliver(
        land.folder,
        "2024-01-02",
        {
            "patient.csv": (HEAD + b"P1,Ann,1950-01-01,1\nP2,Bob,,\nP4,Di,,\n", 3),
            "note.ndjson": (ndjson((0, TEXTS[0]), (1, "amended"), (99, "new")), 3),
            "event_3.parquet": (parquet(4), 1),
        },
    )
    changes = {one["table"]: (one["inserted"], one["updated"], one["deleted"]) for one in land()["tables"]}
    assert changes == {"patient": (1, 1, 1), "note": (1, 1, 0), "event": (1, 0, 0)}
    assert ask("select pat_id, pat_name from riverside_ehr.patient order by 1") == [
        ("P1", "Ann"),
        ("P2", "Bob"),
        ("P4", "Di"),
    ]
    # A row that does not differ is not written again.
    assert ask("select pat_id from riverside_ehr.patient as p natural join before where p.xmin::text = version") == [
        ("P1",)
    ]
    fresh = "select note_id from riverside_ehr.note where load_datetime > '2024-01-02' order by 1"
    assert ask(fresh) == [(1,), (99,)]


def test_an_appended_file_is_not_loaded_again_under_another_name(land, ask):
    deliver(land.folder, "a", {"event.parquet": (parquet(1, 2), 2)})
    land()
    deliver(land.folder, "b", {"event_again.parquet": (parquet(1, 2), 2), "event_new.parquet": (parquet(3), 1)})
    assert [one["files"] for one in land()["tables"]] == [1]
    assert ask("select event_id from riverside_ehr.event order by 1") == [(1,), (2,), (3,)]


def test_an_appended_row_whose_key_is_there_is_bad(land, ask):
    keyed = EVENTS | {"key": ["event_id"]}
    deliver(land.folder, "a", {"event.parquet": (parquet(1, 2), 2)})
    land(keyed)
    deliver(land.folder, "b", {"event.parquet": (parquet(2, 3, 3), 3)})
    assert land(keyed, max_bad_share=0.7)["quarantined"] == 2
    assert ask("select event_id from riverside_ehr.event order by 1") == [(1,), (2,), (3,)]
    assert ask("select line, reason from riverside_ehr.landing_quarantine order by 1") == [
        (1, "duplicate_key"),
        (3, "duplicate_key"),
    ]


def test_a_table_without_a_key_is_replaced_whole(land, ask):
    whole = EVENTS | {"mode": "replace"}
    deliver(land.folder, "a", {"event_1.parquet": (parquet(1, 1), 2), "event_2.parquet": (parquet(2), 1)})
    land(whole)
    deliver(land.folder, "b", {"event_1.parquet": (parquet(1, 1, 4), 3)})
    assert land(whole)["tables"][0]["deleted"] == 3
    assert ask("select event_id from riverside_ehr.event order by 1") == [(1,), (1,), (4,)]


def test_what_a_delivery_lacks_is_one_error_and_nothing_is_loaded(land, ask):
    manifest = first_delivery(land.folder)
    document = json.loads(manifest.read_text())

    def rewrite(position, **changed):
        files = [dict(one) for one in document["files"]]
        files[position] |= changed
        manifest.write_text(json.dumps(document | {"files": files}))

    rewrite(1, sha256="0" * 64)
    with pytest.raises(InputError, match=r"2024-01-01/note.ndjson: its SHA-256 is not the one in the manifest"):
        land()
    rewrite(2, rows=5)
    with pytest.raises(InputError, match=r"2024-01-01/event_1.parquet: it has 2 rows, and the manifest .* says 5"):
        land()
    rewrite(1, file="note_later.ndjson")
    with pytest.raises(InputError, match=r"note_later.ndjson: the manifest .* names this file, and it is missing"):
        land()
    rewrite(1, file="../note.ndjson")
    with pytest.raises(InputError, match=r"files\[1\].file must be below the manifest's folder"):
        land()
    rewrite(1, file="scan.pdf")
    with pytest.raises(InputError, match=r"scan.pdf: exactly one entry of landing.tables must match"):
        land()
    manifest.write_text('{"delivery": "2024-')
    with pytest.raises(InputError, match=r"2024-01-01/manifest.json: not a manifest \(file: json_invalid\)"):
        land()
    assert ask("select nspname from pg_namespace where nspname = 'riverside_ehr'") == []
    manifest.unlink()
    report = land()
    assert (report["deliveries"], report["unlisted"]) == (0, 4)
    manifest.write_text(json.dumps(document))
    assert land()["deliveries"] == 1


def test_bad_rows_are_quarantined_up_to_a_share(land, ask, caplog):
    rows = b"".join(b"P%d,Name,,%d\n" % (number, number) for number in range(98))
    content = HEAD + rows + b"P0,Twice,,1\nP98,Secretname,,many\n"
    deliver(land.folder, "2024-01-01", {"patient.csv": (content, 100)})
    caplog.set_level("DEBUG")
    with pytest.raises(InputError) as error:
        land(max_bad_share=0.01)
    assert re.search(r"2 or more of 100 rows are bad \(.*\), and landing.max_bad_share allows 1;", str(error.value))
    # Nothing was loaded, but what is bad can be seen.
    assert ask("select to_regclass('riverside_ehr.patient')") == [(None,)]
    found = "select line, column_name, reason, content from riverside_ehr.landing_quarantine order by line"
    assert [row[:3] for row in ask(found)] == [(100, "pat_id", "duplicate_key"), (101, "visits", "wrong_type")]
    report = land(max_bad_share=0.02)
    assert (report["rows"], report["quarantined"], report["tables"][0]["inserted"]) == (100, 2, 98)
    assert len(ask(found)) == 2
    assert "Secretname" in ask(found)[1][3]
    assert ask("select pat_name from riverside_ehr.patient where pat_id = 'P0'") == [("Name",)]
    for text in (caplog.text, str(error.value)):
        assert "Secretname" not in text
        assert "many" not in text


def test_broken_quoting_counts_as_the_rows_that_it_takes_along(land, ask):
    rows = b"".join(b"P%d,Name,,%d\n" % (number, number) for number in range(96))
    content = HEAD + rows + b'P96,"open,,1\nP97,lost,,1\nP98,lost,,1\n'
    deliver(land.folder, "2024-01-01", {"patient.csv": (content, 99)})
    with pytest.raises(InputError, match=r"3 or more of 99 rows are bad \(broken_quoting 1\)"):
        land(max_bad_share=0.02)
    assert land(max_bad_share=0.04)["quarantined"] == 3
    assert ask("select quarantined from riverside_results.landed_file") == [(3,)]


def test_an_extract_that_is_much_smaller_than_the_table_is_refused(land, ask):
    first_delivery(land.folder)
    land()
    deliver(land.folder, "2024-01-02", {"patient.csv": (HEAD + b"P1,Ann,,\n", 1)})
    with pytest.raises(InputError, match=r"table patient: delivery '2024-01-02' would delete 2 of 3 rows"):
        land()
    assert ask("select count(*) from riverside_ehr.patient") == [(3,)]
    assert land(max_deleted_share=1)["tables"][0]["deleted"] == 2


def test_an_older_delivery_never_overwrites_a_newer_one(land, ask):
    deliver(land.folder, "2024-01-02", {"patient.csv": (HEAD + b"P1,New,,\n", 1)})
    land()
    late = deliver(land.folder, "2024-01-01", {"patient.csv": (HEAD + b"P1,Old,,\n", 1)})
    with pytest.raises(InputError, match=r"delivery '2024-01-01' came after '2024-01-02', which was landed"):
        land()
    late.unlink()
    deliver(land.folder, "2023-12-31", {"event.parquet": (parquet(1), 1)})
    assert land()["tables"][0]["inserted"] == 1
    assert ask("select pat_name from riverside_ehr.patient") == [("New",)]


def test_a_table_that_is_there_already_stays_as_it_is(land, ask):
    ask(
        "create schema riverside_ehr; create table riverside_ehr.patient (pat_id varchar(5) primary key,"
        " pat_name varchar(6) not null, birth_date timestamp, visits bigint, extra text);"
        " create view public.reader as select * from riverside_ehr.patient"
    )
    rows = HEAD + b"P1,Ann,1950-01-01,1\nP2,,,\nP3,Tolonglong,,\nP4,Di,,\n"
    deliver(land.folder, "a", {"patient.csv": (rows, 4)})
    assert land(max_bad_share=0.5)["quarantined"] == 2
    assert ask("select pat_id, birth_date::text from reader order by 1") == [
        ("P1", "1950-01-01 00:00:00"),
        ("P4", None),
    ]
    assert ask("select line, reason from riverside_ehr.landing_quarantine order by 1") == [
        (3, "missing_value"),
        (4, "too_long"),
    ]
    deliver(land.folder, "b", {"patient.csv": (HEAD + b"P1,Ann,,\nP5,E,,\n", 2)})
    ask("drop view public.reader; alter table riverside_ehr.patient alter column visits type text")
    with pytest.raises(InputError, match="table patient: column visits is text, and the contract says integer"):
        land()
    ask("alter table riverside_ehr.patient drop column visits")
    with pytest.raises(InputError, match="table patient has no column visits"):
        land()


def test_an_object_store_is_read_like_a_folder(land, ask, object_store, tmp_path):
    first_delivery(tmp_path / "local")
    client = boto3.client(
        "s3",
        endpoint_url=object_store["endpoint"],
        aws_access_key_id=object_store["access_key"],
        aws_secret_access_key=object_store["secret_key"],
        region_name="us-east-1",
    )
    client.create_bucket(Bucket="extracts")
    for path in (tmp_path / "local").rglob("*.*"):
        client.upload_file(str(path), "extracts", f"nightly/{path.relative_to(tmp_path / 'local')}")
    report = land(location="s3://extracts/nightly", object_store="object_store")
    assert (report["deliveries"], report["rows"]) == (1, 6 + len(TEXTS))
    assert ask("select count(*) from riverside_ehr.note") == [(len(TEXTS),)]
    with pytest.raises(SettingsError, match=r"landing.object_store is missing"):
        land(location="s3://extracts/nightly")
    with pytest.raises(StorageError, match=r"cannot list s3://nowhere/: .*; check the secret 'object_store'"):
        land(location="s3://nowhere", object_store="object_store")


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (PATIENTS | {"key": ["mrn"]}, "key and required name 'mrn'"),
        (NOTES | {"key": []}, "mode merge needs key"),
        (NOTES | {"loaded_at": "written"}, "loaded_at names 'written', which the files hold"),
        (EVENTS | {"ignored_columns": ["AMOUNT"]}, "both in columns and in ignored_columns"),
        (EVENTS | {"columns": {"a b": "text"}}, "should match pattern"),
    ],
)
def test_a_contract_that_contradicts_itself_is_refused(table, said):
    with pytest.raises(ValueError, match=said):
        LandingSettings.model_validate({"location": "/deliveries", "tables": [table]})


def test_an_institution_without_deliveries_says_so(institution, platform_secrets):
    with pytest.raises(SettingsError, match="the settings have no section landing"):
        runs.land_deliveries(institution, platform_secrets)
