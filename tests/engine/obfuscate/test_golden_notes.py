"""Notes without a patient word for word, under a fixed key: people, kinds, files and places that agree with the note."""

from pathlib import Path

import pytest

from deid_tasks.engine.text import Document
from tests.support.markup import read_markup
from tests.support.surrogate_cases import WRITTEN_AT, obfuscator

CASES = [
    tuple(line.replace("\\n", "\n").split("\t"))
    for line in (Path(__file__).parent / "golden_notes.tsv").read_text(encoding="utf-8").splitlines()[2:]
]


def rewritten(marked: str, maker=None, note_id: str = "n1") -> str:
    text, spans = read_markup(marked)
    return (maker or obfuscator()).obfuscate(Document(note_id, text, None), spans, None, WRITTEN_AT).text


@pytest.mark.parametrize(("mechanism", "marked", "made"), CASES, ids=[marked for _, marked, _ in CASES])
def test_note(mechanism, marked, made):
    assert rewritten(marked) == made


def test_notes_do_not_depend_on_one_another():
    """One engine reads all notes forwards and another one backwards: each note comes out as it does alone."""
    forwards, backwards = obfuscator(), obfuscator()
    first = {marked: rewritten(marked, forwards, "a") for _, marked, _ in CASES}
    second = {marked: rewritten(marked, backwards, "b") for _, marked, _ in reversed(CASES)}
    assert first == second == {marked: made for _, marked, made in CASES}
