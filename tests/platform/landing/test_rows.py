"""Each way in which a row of a file can be bad, and rows that are good although they look odd."""

import datetime

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deid_tasks.core.errors import InputError, StorageError
from deid_tasks.platform.landing.checks import ColumnLimits, check_rows
from deid_tasks.platform.landing.location import LandingLocation
from deid_tasks.platform.landing.rows import read_rows_of
from deid_tasks.settings import LandedTableSettings, Secrets
from tests.support.deliveries import EVENTS, NOTES, PATIENTS, landing_settings
from tests.support.small_hospital import TEXTS

HEAD = b"PAT_ID,pat_name,birth_date,visits\n"


@pytest.fixture
def read(tmp_path):
    """Read a file by a contract; return its good rows and ``(line, column, reason)`` of the others."""

    def read(contract, content, name="file.csv", limits=None, **changed):
        table = LandedTableSettings.model_validate(contract | changed)
        if content is not None:
            (tmp_path / name).write_bytes(content)
        location = LandingLocation(landing_settings(tmp_path), Secrets({}.get))
        good, bad = [], []
        for rows in read_rows_of(location, name, table):
            checked = check_rows(rows, table, limits or ColumnLimits({}, table.not_null))
            assert len(checked.lines) == checked.batch.num_rows
            good += [tuple(row.values()) for row in checked.batch.to_pylist()]
            bad += checked.bad
        read.contents = [row.content for row in bad]
        return good, [(row.line, row.column, row.reason) for row in bad]

    return read


@pytest.mark.parametrize(
    ("line", "column", "reason"),
    [
        (b"P2,Ann,2024-02-30,1", "birth_date", "wrong_type"),
        (b"P2,Ann,today,1", "birth_date", "wrong_type"),
        (b"P2,Ann,0000-01-01,1", "birth_date", "wrong_type"),
        (b"P2,Ann,2024-01-01,1.5", "visits", "wrong_type"),
        (b"P2,Ann,2024-01-01,0x10", "visits", "wrong_type"),
        (b"P2,Ann,2024-01-01,2147483648", "visits", "wrong_type"),
        (b",Ann,2024-01-01,1", "pat_id", "missing_value"),
        (b"P2,Ann,2024-01-01,1,1", "", "too_many_columns"),
        (b"P2,Ann,2024-01-01", "", "too_few_columns"),
        (b"P2,A\x00n,2024-01-01,1", "pat_name", "nul_character"),
        (b"P2,A\xffn,2024-01-01,1", "pat_name", "not_utf8"),
        (b'P2,"Ann"a,2024-01-01,1', "", "broken_quoting"),
        (b"P2,Annnnnnnnnnnnn,2024-01-01,1", "pat_name", "too_long"),
    ],
)
def test_a_bad_row_of_csv_is_named_and_its_neighbours_are_read(read, line, column, reason):
    content = HEAD + b'P1,"Zo\xc3\xab\n""Z""",1950-01-01,1\n' + line + b"\nP3,,,\n"
    good, bad = read(PATIENTS, content, limits=ColumnLimits({"pat_name": 12}, {"pat_id"}))
    assert good == [("P1", 'Zoë\n"Z"', datetime.date(1950, 1, 1), 1), ("P3", None, None, None)]
    # The row before it takes two lines.
    assert bad == [(4, column, reason)]
    assert read.contents[0].isascii()


def test_a_quote_that_is_never_closed_is_one_bad_row(read):
    good, bad = read(PATIENTS, HEAD + b'P1,Ann,,1\nP2,"Bo,,2\nP3,Cy,,3\n')
    assert (good, bad) == ([("P1", "Ann", None, 1)], [(3, "", "broken_quoting")])


def test_csv_may_have_another_delimiter_null_and_a_byte_order_mark(read):
    good, bad = read(
        PATIENTS, b"\xef\xbb\xbf" + HEAD.replace(b",", b"|") + b"P1||\\N| 2 \r\n", delimiter="|", null_value="\\N"
    )
    assert (good, bad) == ([("P1", "", None, 2)], [])


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "column pat_id of table patient is missing"),
        (b"pat_id,pat_name,visits\n", "column birth_date of table patient is missing"),
        (HEAD.replace(b"\n", b",ssn\n"), "column 5 of the file is not in the contract of table patient"),
        (HEAD.replace(b"\n", b",visits\n"), "two columns have one name"),
        (b'"pat_id"x\n', "line 1 is not a line of column names"),
    ],
)
def test_other_columns_than_those_of_the_contract_are_one_error(read, content, said):
    with pytest.raises(InputError, match=said):
        read(PATIENTS, content)
    if b"ssn" in content:
        assert read(PATIENTS, content, ignored_columns=["SSN"]) == ([], [])


def test_a_file_without_line_ends_is_refused(read, monkeypatch):
    monkeypatch.setattr("deid_tasks.platform.landing.rows._MAX_CHARACTERS", 100)
    with pytest.raises(InputError, match="line 2 has more than 100 characters"):
        read(PATIENTS, HEAD + b"x" * 1_000)


def test_bad_lines_of_json(read):
    lines = [
        b'{"NOTE_ID": 1, "pat_id": "P1", "written": "2024-01-01T10:00:00.1234567", "note_text": "a\\nb"}',
        b'{"note_id": "2", "pat_id": "P1"}',
        b'{"note_id": 3, "pat_id": NaN}',
        b"[1, 2]",
        b"",
        b'{"note_id": 4, "note_text": {"a": 1}}',
        b'{"note_id": 5, "color": "red"}',
        b'{"note_id": null}',
        b'{"note_id": 6, "note_text": "\\ud800"}',
        b'{"note_id": 7, "note_text": "a\\u0000b"}',
        b'{"note_id": 8, "written": "2024-01-01 10:00:00Z"}',
        b'{"note_id": 9',
    ]
    good, bad = read(NOTES, b"\n".join(lines), "note.ndjson")
    moment = datetime.datetime(2024, 1, 1, 10, 0, 0, 123456)
    assert good == [(1, "P1", moment, "a\nb"), (2, "P1", None, None)]
    assert sorted(bad) == [
        (3, "", "not_json"),
        (4, "", "not_json"),
        (6, "note_text", "wrong_type"),
        (7, "", "unknown_column"),
        (8, "note_id", "missing_value"),
        (9, "note_text", "not_utf8"),
        (10, "note_text", "nul_character"),
        (11, "written", "wrong_type"),
        (12, "", "not_json"),
    ]


def test_parquet_has_types_of_its_own(read, tmp_path):
    broken = pa.Array.from_buffers(
        pa.string(), 2, [None, pa.py_buffer(b"\0\0\0\0\1\0\0\0\2\0\0\0"), pa.py_buffer(b"1\xff")]
    )
    table = pa.table({"EVENT_ID": pa.array([1, 1 << 40], pa.int64()), "amount": pa.array([1.5, 2.5])})
    pq.write_table(table, tmp_path / "event.parquet")
    assert read(EVENTS, None, "event.parquet") == ([(1, "1.5")], [(2, "event_id", "wrong_type")])
    pq.write_table(pa.table({"event_id": pa.array([1, 2]), "amount": broken}), tmp_path / "event.parquet")
    assert read(EVENTS, None, "event.parquet") == ([(1, "1")], [(2, "amount", "wrong_type")])
    pq.write_table(pa.table({"event_id": [[1]], "amount": [1]}), tmp_path / "event.parquet")
    with pytest.raises(InputError, match="column event_id is nested; the contract says integer"):
        read(EVENTS, None, "event.parquet")
    (tmp_path / "event.parquet").write_bytes(b"PAR1 no")
    with pytest.raises(InputError, match="not a whole Parquet file"):
        read(EVENTS, None, "event.parquet")


def test_a_compressed_file_that_was_cut_short_is_refused(read):
    import gzip

    with pytest.raises((StorageError, InputError)):
        read(PATIENTS, gzip.compress(HEAD + b"P1,Ann,,1\n" * 100_000)[:-20], "file.csv.gz")


def test_texts_of_notes_are_read_as_they_were_written(read):
    import json

    lines = [json.dumps({"note_id": number, "note_text": text}) for number, text in enumerate(TEXTS)]
    good, bad = read(NOTES, "\n".join(lines).encode(), "note.ndjson")
    assert ([row[3] for row in good], bad) == (list(TEXTS), [])


def test_a_file_is_read_in_batches(read, monkeypatch):
    monkeypatch.setattr("deid_tasks.platform.landing.rows._BATCH_ROWS", 10)
    good, bad = read(PATIENTS, HEAD + b"P1,Ann,,1\n" * 95)
    assert (len(good), bad) == (95, [])
