"""Whatever a note holds, the engine's work grows with its length, and not with the square of it.

The work is counted in executed lines of Python, for two notes of which one is eight times as long: a linear step
executes 8 times as many lines, a quadratic one 64 times. What regular expressions do inside one call is not counted; a
long note of each kind goes through the engine for that, and would keep a quadratic expression busy for many minutes.
"""

import random
from collections.abc import Callable

import pyarrow as pa
import pytest

from deid_tasks.core.entities import Entity
from deid_tasks.core.notes import NOTE_SCHEMA
from deid_tasks.core.patient import PatientRecord, PatientTerm, TermKind
from deid_tasks.core.span import Span
from deid_tasks.engine.detect.lexicon_detector import LexiconDetector
from deid_tasks.engine.detect.patient_detector import PatientDetector
from deid_tasks.engine.detect.patterns import PatternDetector
from deid_tasks.engine.lexicon import Lexicon, LexiconTerm
from deid_tasks.engine.obfuscate import Obfuscator
from deid_tasks.engine.parts import BatchContext, EngineParts
from deid_tasks.engine.pipeline import deidentify
from deid_tasks.engine.resolve import resolve_spans
from deid_tasks.engine.text import Document
from deid_tasks.settings import EngineSettings
from tests.support.small_notes import small_notes
from tests.support.work import executed_lines

CHARACTERS = 4_000
TIMES = 8
REFUSED = 12
LONG_CHARACTERS = 250_000
RECORD = PatientRecord(
    "p",
    terms=(
        PatientTerm(TermKind.FIRST, "Maria"),
        PatientTerm(TermKind.LAST, "Okafor"),
        PatientTerm(TermKind.PHONE, "617-555-0123"),
        PatientTerm(TermKind.MRN, "RH1234567"),
        PatientTerm(TermKind.STREET, "12 Oak Street"),
    ),
)


def repeated(piece: str) -> Callable[[int], str]:
    return lambda size: (piece * (size // len(piece) + 1))[:size]


def numbers(size: int) -> str:
    chance = random.Random(1)
    return " ".join(str(chance.randint(0, 10 ** chance.randint(1, 10))) for _ in range(size // 7))


PROSE = "\n".join(note.text for note in small_notes(12))
NOTES: dict[str, Callable[[int], str]] = {
    "a long note": repeated(PROSE),
    "one line": repeated(PROSE.replace("\n", " ")),
    "numbers": numbers,
    "the patient's own terms": repeated("Maria Okafor 617-555-0123 RH1234567 "),
    "names of the dictionaries": repeated("seen by Abel Teshome at Brendan Clinic, "),
    "one long word": repeated("a"),
    "one long number": repeated("1"),
    "capitals": repeated("A "),
    "marks": repeated("-"),
    "lines": repeated(" \n"),
    "initials": repeated("A. "),
    "register": repeated("Smith, "),
}


@pytest.fixture(scope="module")
def context() -> BatchContext:
    settings = EngineSettings.public()
    lexicon = Lexicon.build(
        [LexiconTerm("provider", "full", "Abel Teshome"), LexiconTerm("facility", "name", "Brendan Clinic")]
    )
    obfuscator = Obfuscator(bytes(32), "public", settings.policy, settings.obfuscate)
    detectors = (PatternDetector(), LexiconDetector(lexicon), PatientDetector({"p": RECORD}))
    engine = EngineParts(detectors, lexicon, obfuscator, settings.merge, settings.recover, 10**9, "", frozenset())
    made = BatchContext(engine, {"p": RECORD})
    run(PROSE, made)
    return made


def run(text: str, context: BatchContext) -> None:
    note = {
        "note_id": "n",
        "patient_id": "p",
        "note_type": None,
        "note_datetime": None,
        "author_id": None,
        "text": text,
    }
    batch = pa.RecordBatch.from_pylist([note], schema=NOTE_SCHEMA)
    result = deidentify(batch, context).to_pylist()[0]
    assert result["reason"] in {"", "audit_finding"}


def growth(work: Callable[[int], object]) -> float:
    """How many times as many lines the longer note takes."""
    short, long = (executed_lines(lambda size=size: work(size)) for size in (CHARACTERS, CHARACTERS * TIMES))
    return long / short


@pytest.mark.parametrize("kind", NOTES)
def test_work_grows_with_the_length_of_a_note(kind: str, context: BatchContext) -> None:
    texts = {size: NOTES[kind](size) for size in (CHARACTERS, CHARACTERS * TIMES)}
    # Public lists are read on first use, some by the longer note alone.
    run(texts[CHARACTERS * TIMES], context)
    assert growth(lambda size: run(texts[size], context)) < REFUSED


@pytest.mark.parametrize("kind", NOTES)
def test_a_long_note_goes_through(kind: str, context: BatchContext) -> None:
    run(NOTES[kind](LONG_CHARACTERS), context)


def test_work_grows_with_the_number_of_overlapping_spans(context: BatchContext) -> None:
    """Every word is a span of a model, and every second pair of words a longer one."""

    def work(size: int) -> None:
        document = Document("n", NOTES["a long note"](size))
        tokens = document.tokens
        spans = [Span(start, end, Entity.PATIENT, "transformer", 0.9) for start, end in tokens]
        pairs = zip(tokens[::2], tokens[1::2], strict=False)
        spans += [Span(one.start, two.end, Entity.CITY, "transformer", 0.8) for one, two in pairs]
        resolve_spans(document, {"transformer": spans, "patient": spans[: len(tokens) : 3]}, context.engine)

    assert growth(work) < REFUSED


def test_quadratic_work_is_noticed() -> None:
    def work(size: int) -> int:
        return sum(1 for one in range(size // 40) for other in range(size // 40) if one == other)

    assert growth(work) > 2 * REFUSED
