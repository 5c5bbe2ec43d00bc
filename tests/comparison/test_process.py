"""A system as a process: the protocol, and every way in which a system can break it."""

import os
import tempfile

import pytest

from deid_tasks.comparison.environments import SystemUnavailableError
from deid_tasks.comparison.process import delete_abandoned_folders
from deid_tasks.comparison.protocol import SystemNote
from tests.support.small_systems import adapter, process_of, raw_adapter

NOTES = [SystemNote("n1", "seen by Maria"), SystemNote("n2", "no one 🙂 here"), SystemNote("n3", "🙂 Amara called")]


def read(path, notes=NOTES, **more):
    process = process_of(path, **more)
    try:
        return process.read(notes)
    finally:
        process.stop()


def marked(answers, notes=NOTES):
    return [[note.text[s.start : s.end] for s in answer.spans] for note, answer in zip(notes, answers, strict=True)]


def test_a_sound_system_answers_in_code_points_and_its_printing_breaks_nothing(tmp_path):
    process = process_of(adapter(tmp_path))
    announcement = process.start()
    assert (announcement.system, announcement.version, announcement.window) == ("names", "1", 1)
    answers = process.read(NOTES)
    process.stop()
    assert marked(answers) == [["Maria"], [], ["Amara"]]
    assert all(answer.error is None and answer.cpu_seconds is not None for answer in answers)


def test_options_reach_the_system(tmp_path):
    path = adapter(tmp_path, load="self.version = options['flavour']")
    process = process_of(path, options={"flavour": "mint"})
    assert process.start().version == "mint"
    process.stop()


def test_a_failing_note_has_the_class_of_the_error_and_not_its_text(tmp_path):
    answers = read(adapter(tmp_path, "if 'Maria' in note.text: raise KeyError(note.text)"))
    assert [answer.error for answer in answers] == ["KeyError", None, None]
    assert marked(answers) == [[], [], ["Amara"]]


def test_a_system_that_dies_fails_the_note_it_held_and_reads_the_rest(tmp_path):
    answers = read(adapter(tmp_path, "if 'Maria' in note.text: os._exit(3)"))
    assert [answer.error for answer in answers] == ["ProcessDied", None, None]
    assert marked(answers)[2] == ["Amara"]


def test_of_notes_held_together_only_the_one_to_blame_fails(tmp_path):
    notes = [SystemNote(f"n{number}", f"Note {number}") for number in range(6)]
    answers = read(adapter(tmp_path, "if note.text == 'Note 3': os._exit(3)", window=4), notes)
    assert [answer.error for answer in answers] == [None, None, None, "ProcessDied", None, None]


def test_a_slow_note_is_given_up_after_its_time(tmp_path):
    answers = read(adapter(tmp_path, "if 'Maria' in note.text: time.sleep(3600)"), note_seconds=3.0)
    assert [answer.error for answer in answers] == ["Timeout", None, None]


_WRITES_ITS_NOTE = """
import pathlib, tempfile
folder = pathlib.Path(tempfile.mkdtemp())
(folder / "note.text").write_text(note.text)
"""


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """The folder of temporary files of this process."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def test_a_killed_system_leaves_no_file_with_a_note(tmp_path, temporary):
    process = process_of(adapter(tmp_path, f"{_WRITES_ITS_NOTE}\nif 'Maria' in note.text: time.sleep(3600)"), 3.0)
    [answer] = process.read(NOTES[:1])
    assert answer.error == "Timeout"
    process.read(NOTES[1:])
    assert any(path.read_text() == NOTES[1].text for path in temporary.rglob("note.text"))
    process.stop()
    assert list(temporary.rglob("note.text")) == []


def test_what_a_system_of_a_killed_worker_left_is_deleted_later(tmp_path, temporary):
    process = process_of(adapter(tmp_path, _WRITES_ITS_NOTE))
    process.read(NOTES[:1])
    [folder] = temporary.glob("palimpsest-system-*")
    assert delete_abandoned_folders(folder.stat().st_mtime) == 0
    os.utime(folder, (0, 0))
    assert delete_abandoned_folders(1.0) == 1
    assert list(temporary.rglob("note.text")) == []
    process.stop()


def test_answers_may_come_in_another_order_within_the_window(tmp_path):
    body = """
held = [json.loads(sys.stdin.readline()) for _ in range(3)]
for note in reversed(held):
    start = len(note["text"]) - 1
    print(json.dumps({"id": note["id"], "spans": [{"start": start, "end": start + 1, "label": "X"}]}), flush=True)
"""
    answers = read(raw_adapter(tmp_path, body, window=3))
    assert [answer.id for answer in answers] == ["n1", "n2", "n3"]
    assert [answer.spans[0].start for answer in answers] == [len(note.text) - 1 for note in NOTES]


@pytest.mark.parametrize(
    "line",
    [
        "not json",
        "[]",
        '{"spans": []}',
        '{"id": "n1", "spans": [{"start": 3, "end": 2, "label": "X"}]}',
        '{"id": "n1", "spans": [{"start": 0, "end": 2}]}',
        '{"id": "another", "spans": []}',
    ],
)
def test_a_malformed_answer_fails_its_note(tmp_path, line):
    body = f"""
for note in map(json.loads, sys.stdin):
    print({line!r} if note["id"] == "n1" else json.dumps({{"id": note["id"], "spans": []}}), flush=True)
"""
    assert [answer.error for answer in read(raw_adapter(tmp_path, body))] == ["MalformedAnswer", None, None]


def test_a_span_outside_its_text_fails_its_note(tmp_path):
    body = """
for note in map(json.loads, sys.stdin):
    print(json.dumps({"id": note["id"], "spans": [{"start": 0, "end": 14, "label": "X"}]}), flush=True)
"""
    expected = [None if len(note.text) >= 14 else "SpanOutsideText" for note in NOTES]
    assert set(expected) == {None, "SpanOutsideText"}
    assert [answer.error for answer in read(raw_adapter(tmp_path, body))] == expected


def test_an_error_that_is_no_class_name_is_not_repeated(tmp_path):
    body = """
for note in map(json.loads, sys.stdin):
    print(json.dumps({"id": note["id"], "spans": [], "error": "could not read " + note["text"]}), flush=True)
"""
    assert [answer.error for answer in read(raw_adapter(tmp_path, body))] == ["Error"] * 3


def test_a_system_that_only_dies_is_given_up(tmp_path):
    notes = [SystemNote(f"n{number}", "text") for number in range(9)]
    answers = read(adapter(tmp_path, "os._exit(1)"), notes)
    assert [answer.error for answer in answers] == ["ProcessDied"] * 5 + ["TooManyFailures"] * 4


def test_a_system_that_cannot_load_says_why(tmp_path):
    process = process_of(adapter(tmp_path, load="import a_package_that_is_not_there"))
    with pytest.raises(SystemUnavailableError, match="ModuleNotFoundError: No module named 'a_package") as raised:
        process.start()
    assert raised.value.reason == "StartFailed"


def test_a_program_that_speaks_no_protocol_is_not_started(tmp_path):
    path = tmp_path / "adapter.py"
    path.write_text("import sys; sys.stderr.write('broken build\\n')")
    with pytest.raises(SystemUnavailableError, match="broken build"):
        process_of(path).start()


def test_long_notes_do_not_block(tmp_path):
    notes = [SystemNote(f"n{number}", "word " * 100_000 + "Maria") for number in range(3)]
    answers = read(adapter(tmp_path, window=3), notes)
    assert [len(answer.spans) for answer in answers] == [1, 1, 1]
