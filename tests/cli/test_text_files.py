"""Notes in plain text files, on the command line."""

import csv
import json

import pytest

from tests.support.command_line import NOTE, deid, lines, write

KEY = {"PALIMPSEST_SECRET_DEID_KEY": "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="}


@pytest.mark.parametrize("name", ["note.txt", "note", "note.text"])
def test_one_text_file_is_one_note(tmp_path, name):
    note = tmp_path / name
    note.write_bytes(b"\r\n" + NOTE.encode() + b"\r\nstable\r\n")
    result = deid("detect", note)
    assert result.returncode == 0, result.stderr
    found = json.loads(result.stdout)
    assert found["id"] == "note", "as the readers of annotation formats call it"
    text = note.read_bytes().decode()
    assert any(text[s["start"] : s["end"]] == "Okafor" for s in found["spans"]), "line ends count in offsets"


def test_text_in_text_out_keeps_every_other_byte(tmp_path):
    note, target = tmp_path / "note.txt", tmp_path / "out.txt"
    note.write_bytes(b"\xef\xbb\xbfBP 120/80\r\nSeen by Dr. Okafor.\r\n\tstable\x0c")
    result = deid("obfuscate", note, "-o", target, **KEY)
    assert result.returncode == 0, result.stderr
    written = target.read_bytes()
    assert written.startswith(b"\xef\xbb\xbfBP 120/80\r\nSeen by Dr. ")
    assert written.endswith(b".\r\n\tstable\x0c")
    assert b"Okafor" not in written
    text = json.loads(deid("obfuscate", note, **KEY).stdout)["text"]
    assert b"\xef\xbb\xbf" + text.encode() == written, "a byte order mark is no part of the text"


@pytest.mark.parametrize("command", ["detect", "obfuscate"])
def test_an_empty_note_is_a_note(tmp_path, command):
    note = tmp_path / "empty.txt"
    note.touch()
    result = deid(command, note, **KEY)
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout) in ({"id": "empty", "spans": []}, {"id": "empty", "text": ""})


def test_a_file_that_is_no_text_is_named_and_not_quoted(tmp_path):
    (tmp_path / "good.txt").write_text(NOTE)
    (tmp_path / "bad.txt").write_bytes(b"Marigold \xff\xfe Featherstone")
    single = deid("obfuscate", tmp_path / "bad.txt", **KEY)
    assert (single.returncode, single.stdout) == (1, b"")
    assert b"bad.txt: is not valid UTF-8 from byte 9 on" in single.stderr
    assert b"Marigold" not in single.stderr
    folder = deid("detect", tmp_path)
    assert folder.returncode == 1
    assert json.loads(folder.stdout)["id"] == "good"


@pytest.mark.parametrize(("name", "delimiter"), [("n.csv", ","), ("n.tsv", "\t")])
def test_a_table_has_one_note_a_row(tmp_path, name, delimiter):
    table = tmp_path / name
    with table.open("w", encoding="utf-8-sig", newline="") as stream:
        rows = csv.writer(stream, delimiter=delimiter)
        rows.writerows(
            [["text", "id", "patient_id", "ward"], [f"{NOTE}\r\nstable, so", "a", "", "7"], ["", "b", "p", ""]]
        )
        stream.write("short\r\n")
    result = deid("detect", table)
    assert result.returncode == 1
    first, second = map(json.loads, result.stdout.splitlines())
    assert (first["id"], first["ward"], second) == ("a", "7", {"id": "b", "spans": []})
    assert any(NOTE[s["start"] : s["end"]] == "Okafor" for s in first["spans"])
    assert b"has another number of cells than the first line" in result.stderr
    assert b"short" not in result.stderr


def test_a_table_without_a_heading_is_an_error_that_quotes_nothing(tmp_path):
    table = tmp_path / "n.csv"
    table.write_text(f"1,{NOTE}\n")
    for command in (["detect", table], ["evaluate", table]):
        result = deid(*command)
        assert (result.returncode, result.stdout) == (2, b"")
        assert b"Okafor" not in result.stderr
    assert b"a table holds no spans" in result.stderr


def test_files_of_a_folder_that_are_no_notes_are_counted(tmp_path):
    for name in ("a.TXT", "b.txt", "c.pdf", ".hidden"):
        (tmp_path / name).write_text(NOTE)
    result = deid("detect", tmp_path)
    assert result.returncode == 0, result.stderr
    assert [json.loads(line)["id"] for line in result.stdout.splitlines()] == ["a", "b"]
    assert result.stderr.splitlines()[-1] == b"2 notes, 1 files skipped (not .txt)"


def test_a_note_longer_than_the_settings_allow_is_quarantined(tmp_path):
    notes = write(tmp_path / "n.jsonl", {"id": "long", "text": "x" * 10_000_001}, {"id": "a", "text": NOTE})
    result = deid("detect", notes, "-o", tmp_path / "s.jsonl")
    assert result.returncode == 1
    long, other = lines(tmp_path / "s.jsonl")
    assert long == {"id": "long", "outcome": "quarantined", "reason": "too_long"}
    assert (other["id"], "spans" in other) == ("a", True)
    assert b"note long was quarantined: too_long" in result.stderr
    assert b"1 notes quarantined" in result.stderr


@pytest.mark.parametrize("command", ["detect", "obfuscate"])
def test_a_note_that_no_file_can_hold_is_an_outcome(tmp_path, command):
    """Half of a surrogate pair is valid JSON and no valid text; such a note once ended the whole file."""
    notes = tmp_path / "n.jsonl"
    bad = b'{"id": "b", "text": "Marigold a\\ud800b", "ward": "\\udfff"}\n'
    good = (json.dumps({"id": "a", "text": NOTE}) + "\n").encode()
    notes.write_bytes(good + bad + b'{"id": "\\ud800", "text": "x"}\n' + b'{"id": "c", "text": ""}\n' + good)
    result = deid(command, notes, "-o", tmp_path / "s.jsonl", **KEY)
    assert result.returncode == 1
    written = lines(tmp_path / "s.jsonl")
    assert [record["id"] for record in written] == ["a", "b", "c", "a"]
    assert written[1] == {"id": "b", "ward": "\udfff", "outcome": "quarantined", "reason": "not_text"}
    assert written[0] == written[3]
    assert b"n.jsonl:3: id is not valid Unicode" in result.stderr
    assert b"1 problems, 1 notes quarantined" in result.stderr
    assert b"Marigold" not in result.stderr
    assert b"Traceback" not in result.stderr
