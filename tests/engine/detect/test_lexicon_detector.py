import re

import pytest

from deid_tasks.engine.detect.lexicon_detector import LexiconDetector
from deid_tasks.engine.lexicon import Lexicon, LexiconTerm
from deid_tasks.engine.text import Document

ROWS = [
    ("patient_name", "first", "Will"),
    ("patient_name", "first", "Grace"),
    ("patient_name", "first", "May"),
    ("patient_name", "last", "Long"),
    ("patient_name", "last", "Young"),
    ("patient_name", "last", "Li"),
    ("patient_name", "last", "Okafor"),
    ("patient_name", "last", "Graves"),
    ("patient_name", "last", "O'Brien"),
    ("patient_name", "last", "Austin"),
    ("patient_name", "full", "Mary Ann Okafor"),
    ("provider", "full", "Rosa Ibañez-Kline"),
    ("provider", "last", "Parkinson"),
    ("provider", "user_id", "rkline7"),
    ("provider", "pager", "555-0142"),
    ("provider", "phone", "(415) 555-0133"),
    ("facility", "name", "St. Brendan Medical Center"),
    ("facility", "short_name", "SBMC"),
    ("address", "city", "Austin"),
    ("address", "city", "Mobile"),
    ("address", "state", "TX"),
    ("address", "state", "AL"),
    ("address", "state", "OR"),
    ("address", "zip", "78701"),
    ("address", "street", "12 North Quail Street"),
]
MARK = re.compile(r"\[([A-Z_]+):([^\]]*)\]")

CASES = [
    # names that are words
    "She will see [PATIENT:Will] tomorrow. Will call. May repeat in May.",
    "Long QT with a long history; will try. LONG TERM CARE WILL BE NEEDED",
    "PT [PATIENT:GRACE] [PATIENT:LONG] WAS SEEN AND WILL RETURN",
    "seen by Dr [PROVIDER:Long] today. Young man, [PATIENT:Young] [PATIENT:Li]. The LI was 3.",
    # names that are diseases
    "Graves disease, seen by Dr. [PROVIDER:Graves]; Mr. [PATIENT:Graves] is well.",
    "Dr. [PROVIDER:Parkinson] treats Parkinson's disease",
    # order, initials, marks
    "[PATIENT:OKAFOR, MARY A] and [PATIENT:M. Okafor] and [PATIENT:mary okafor]; Ms. [PATIENT:Okafor]'s son",
    "Ann [PATIENT:Okafor], M.D. and [PATIENT:Okafor, M]. came",
    "by [PROVIDER:Rosa Ibanez Kline] MD; [PATIENT:O’Brien] and [PATIENT:OBrien]",
    # places
    "lives in [CITY:Mobile], [STATE:AL] and her mobile phone; [CITY:Austin], [STATE:TX] [ZIP:78701] or 78701 units",
    "at [FACILITY:St Brendan Medical Center] ([FACILITY:SBMC]), [STREET:12 N Quail St].",
    # numbers
    "pager [PAGER:555-0142], call [PHONE:415.555.0133] or [PHONE:4155550133], [USERNAME:rkline7]",
    "nothing here",
    "",
]


def marked(text: str, spans) -> str:
    for span in sorted(spans, reverse=True):
        text = f"{text[: span.start]}[{span.entity}:{text[span.start : span.end]}]{text[span.end :]}"
    return text


@pytest.fixture(scope="module")
def detector() -> LexiconDetector:
    return LexiconDetector(Lexicon.build(LexiconTerm(*row) for row in ROWS))


@pytest.mark.parametrize("case", CASES)
def test_detect(detector: LexiconDetector, case: str) -> None:
    text = MARK.sub(r"\2", case)
    (spans,) = detector.detect([Document("n", text)])
    assert marked(text, spans) == case
    assert all(span.detector == "lexicon" for span in spans)


def test_same_spans_in_any_batch(detector: LexiconDetector) -> None:
    documents = [Document(str(number), MARK.sub(r"\2", case)) for number, case in enumerate(CASES)]
    together = detector.detect(documents * 3)
    alone = [detector.detect([document])[0] for document in documents]
    assert together == alone * 3
    assert detector.detect([]) == []


@pytest.mark.parametrize(("before", "text"), [("lives in Austin", "OR at noon"), ("She was seen at", "Dialysis today")])
def test_words_of_another_note_decide_nothing(before: str, text: str) -> None:
    rows = [*ROWS, ("facility", "short_name", "Dialysis")]
    detector = LexiconDetector(Lexicon.build(LexiconTerm(*row) for row in rows))
    together = detector.detect([Document("1", before), Document("2", text)])
    assert together[1] == detector.detect([Document("2", text)])[0] == []
