"""Memory does not grow with the notes that went by, and a note of 10 MB is a note like any other."""

import gc
import tracemalloc

import pytest

from deid_tasks.core.patient import PatientRecord, PatientTerm, TermKind
from deid_tasks.core.reference import read_tsv
from deid_tasks.core.span import Span
from deid_tasks.engine.obfuscate import obfuscator as notes
from deid_tasks.engine.obfuscate.people import name_scope
from deid_tasks.engine.text import Document
from tests.support.markup import read_markup
from tests.support.surrogate_cases import MARIA, WRITTEN_AT, obfuscator
from tests.support.work import executed_lines

SURNAMES = [row["surname"].title() for row in read_tsv("surnames.tsv")[:4_000]]


def test_memory_is_flat_over_patients_and_clinicians(monkeypatch):
    # Smaller bounds than those of a worker, which thousands of patients fill as well.
    monkeypatch.setattr(notes, "_MAX_NAME_SCOPES", 50)
    monkeypatch.setattr(name_scope, "_MAX_REMEMBERED", 200)
    hide = obfuscator()

    def read(numbers: range) -> int:
        for number in numbers:
            name, other = SURNAMES[number], SURNAMES[-1 - number]
            text, spans = read_markup(
                f"[PATIENT:Ann {name}] of [CITY:Boston], seen by Dr. [PROVIDER:{other}]"
                f" at [FACILITY:{other} Clinic] on [DATE:3/14]."
            )
            record = PatientRecord(str(number), "F", None, "unknown", (PatientTerm(TermKind.LAST, name),))
            hide.obfuscate(Document("n", text, str(number)), spans, record, WRITTEN_AT)
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    read(range(400))
    tracemalloc.start()
    try:
        some, many = read(range(400, 800)), read(range(800, 2_000))
    finally:
        tracemalloc.stop()
    assert many < some + 300_000, (some, many)


@pytest.mark.parametrize("gap", [120, 4_000], ids=["dense", "sparse"])
def test_a_note_of_ten_megabytes(gap):
    marked, spans = read_markup(
        "Seen by Dr. [PROVIDER:Chu] with wife [RELATIVE:Xandra] on [DATE:3/14/2021], [PHONE:617-555-0123],"
        " of [CITY:Boston], [STATE:MA]. "
    )
    piece = marked + "word " * (gap // 5)
    filler = "word " * 200_000

    def note(size: int) -> tuple[str, list[Span]]:
        count = min(size // len(piece), 2_000)
        found = [Span(s.start + i * len(piece), s.end + i * len(piece), s.entity) for i in range(count) for s in spans]
        body = piece * count
        return body + (filler * (size // len(filler) + 1))[: size - len(body)], found

    text, found = note(10_000_000)
    made = obfuscator().obfuscate(Document("n", text, "p1"), found, MARIA, WRITTEN_AT)
    assert len(made.replaced) == len(found) > 10_000
    assert made.text[-1_000_000:] == text[-1_000_000:]
    one, few = note(len(piece))
    assert made.text.startswith(obfuscator().obfuscate(Document("n", one, "p1"), few, MARIA, WRITTEN_AT).text)


def rewriting_lines(count: int) -> int:
    """How many lines of Python it takes to rewrite a note of ``count`` equal lines."""
    marked, spans = read_markup(
        "Seen by Dr. [PROVIDER:Chu] on [DATE:3/14/2021], [PHONE:617-555-0123], of [CITY:Boston]. "
    )
    shifts = [i * len(marked) for i in range(count)]
    found = [Span(s.start + shift, s.end + shift, s.entity) for shift in shifts for s in spans]
    document, rewriter = Document("n", marked * count, "p1"), obfuscator()
    return executed_lines(lambda: rewriter.obfuscate(document, found, MARIA, WRITTEN_AT))


def test_work_grows_with_the_length_of_a_note():
    assert rewriting_lines(800) < 12 * rewriting_lines(100)
