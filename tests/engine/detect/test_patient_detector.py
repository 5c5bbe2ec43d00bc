import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_tasks.core.patient import PatientRecord, PatientTerm, TermKind
from deid_tasks.engine.detect.patient_detector import PatientDetector
from deid_tasks.engine.text import Document

MARK = re.compile(r"\[([A-Z_]+):([^\]]*)\]")


def record(patient_id: str, **terms: str) -> PatientRecord:
    pairs = ((TermKind(kind), value) for kind, values in terms.items() for value in values.split("|"))
    return PatientRecord(patient_id, terms=tuple(PatientTerm(kind, value) for kind, value in pairs))


RECORDS = {
    "p1": record(
        "p1",
        first="Robert",
        middle="Elias",
        last="Will",
        mrn="RH0042317",
        ssn="123-45-6789",
        phone="(415) 555-0133",
        email="bob.will@example.org",
        street="12 North Quail Street",
        city="Mobile",
        state="AL",
        zip="36602",
        relative_first="Grace",
        relative_last="Okonkwo",
    ),
    "p3": record("p3", first="Bartholomew", last="Wachnowski|Okafor"),
    "p4": record("p4", first="Comfort", last="Stillwater", preferred="Comfy"),
    "p5": record("p5", first="Will", last="Young", relative_first="Grace"),
    "p6": record("p6", first="Anna", middle="May", last="Stone"),
    "p2": record("p2", first="Siobhán", last="O'Rourke-Graves", preferred="Shiv", phone="617.555.0199"),
}
CASES = [
    (
        "p1",
        "[PATIENT:Bob] will return. Mr. [PATIENT:Will] came; [PATIENT:Will] reports pain. I saw [PATIENT:Will]. Will call.",
    ),
    ("p1", "[PATIENT:WILL, ROBERT E]. and [PATIENT:Robert Elias Will] and [PATIENT:R. Will] and [PATIENT:Rob] Smith"),
    ("p1", "PATIENT WILL BE SEEN WITH [PATIENT:ROBERT WILL] TODAY"),
    (
        "p1",
        "MRN [MRN:RH-0042317], [MRN:RH0042317], [MRN:0042317]; SSN [SSN:123 45 6789], xxx-xx-[SSN:6789], 6789 steps",
    ),
    ("p1", "[PHONE:415.555.0133] [PHONE:555-0133] [PHONE:4155550133] +1 [PHONE:(415)555-0133] not 415-555-0134"),
    (
        "p1",
        "[EMAIL:bob.will@example.org], [STREET:12 N. Quail St], [CITY:Mobile], [STATE:AL] [ZIP:36602]; a mobile phone",
    ),
    ("p1", "wife [RELATIVE:Grace Okonkwo]; [RELATIVE:Grace] is well, grace period"),
    ("p1", "lives at [STREET:12 North Quail], on [STREET:North Quail]; the quail"),
    ("p1", "wife [RELATIVE:Grace] [RELATIVE:Okonkow]; her wife [RELATIVE:Okonwko]. In [CITY:Moblie]"),
    ("p1", "[PATIENT:Robrt] came, [PATIENT:Roberrt] left, Robust did not"),
    (
        "p3",
        "[PATIENT:Bartholmew] and [PATIENT:Bartolomev] came; Mr. [PATIENT:Wachniowski]; Barthomw and Okafuru did not",
    ),
    ("p1", "[INITIALS:R.E.W.] is 45. Signed: [INITIALS:RW]. RW was low"),
    (
        "p2",
        "[PATIENT:siobhan o’rourke] came, [PATIENT:Shiv O'Rourke-Graves], Ms. [PATIENT:ORourke], Mrs. [PATIENT:Graves]",
    ),
    ("p4", "[PATIENT:comfort stillwater] seen in follow up, [PATIENT:comfy] rested well. comfort care was discussed."),
    ("p4", "Slept in a [PATIENT:comfy] chair; un-comfy. [PATIENT:COMFY] RESTED WELL AND WENT HOME"),
    (
        "p5",
        "[PATIENT:will] denies pain and will call. today [PATIENT:will] was seen in clinic; he will, reports or not.",
    ),
    (
        "p5",
        "mr. [PATIENT:young] agrees. told [PATIENT:will] that he is young. told will return. goes by [PATIENT:will].",
    ),
    (
        "p5",
        "a young man, young at heart. [PATIENT:young] will return. very young reports. [PATIENT:will young] is here",
    ),
    (
        "p5",
        "wife [RELATIVE:grace] and a grace period; with [RELATIVE:grace]'s help. WILL SAYS\n[PATIENT:WILL] DENIES PAIN. SHE WILL GO",
    ),
    (
        "p6",
        "a stone was seen, stone in ureter, stone removed. renal stone, may pass. [PATIENT:stone] reports flank pain.",
    ),
    ("p6", "may stone be seen? may return. In may she came. [PATIENT:anna stone] and spoke with [PATIENT:stone] today"),
    (
        "p6",
        "[PATIENT:a. stone] and [PATIENT:anna m. stone]; a stone. stone a few mm. vitamin a may help. hi [PATIENT:stone], dr. x is out",
    ),
    ("p5", "pt: [PATIENT:young], 44. pt: young in spirit. left msg for [PATIENT:will] 413-555-0199. called may 3"),
    ("p3", "comfy, will denies pain"),
    ("p3", "Bob Will is unknown here"),
    (None, "Bob Will is unknown here"),
]


@pytest.fixture(scope="module")
def detector() -> PatientDetector:
    return PatientDetector(RECORDS)


def marked(text: str, spans) -> str:
    for span in sorted(spans, reverse=True):
        text = f"{text[: span.start]}[{span.entity}:{text[span.start : span.end]}]{text[span.end :]}"
    return text


@pytest.mark.parametrize(("patient", "case"), CASES)
def test_detect(detector: PatientDetector, patient: str | None, case: str) -> None:
    text = MARK.sub(r"\2", case)
    (spans,) = detector.detect([Document("n", text, patient)])
    assert marked(text, spans) == case


def test_patients_of_one_batch_stay_apart(detector: PatientDetector) -> None:
    texts = [Document("a", "Saw Bob Will and Shiv.", "p1"), Document("b", "Saw Bob Will and Shiv.", "p2")]
    first, second = detector.detect(texts)
    assert marked(texts[0].text, first) == "Saw [PATIENT:Bob Will] and Shiv."
    assert marked(texts[1].text, second) == "Saw Bob Will and [PATIENT:Shiv]."
    documents = [Document(str(i), MARK.sub(r"\2", case), patient) for i, (patient, case) in enumerate(CASES)]
    assert detector.detect(documents) == [detector.detect([document])[0] for document in documents]


@given(st.lists(st.sampled_from(["", " ", "-", ".", ") ", " - "]), min_size=2, max_size=2))
def test_numbers_are_found_in_any_punctuation(separators: list[str]) -> None:
    text = f"call 415{separators[0]}555{separators[1]}0133 now"
    (spans,) = PatientDetector(RECORDS).detect([Document("n", text, "p1")])
    assert [(text[span.start : span.end].endswith("0133"), span.entity.value) for span in spans] == [(True, "PHONE")]
    assert spans[0].start == 5


@given(st.text(max_size=80))
def test_spans_lie_in_the_text_and_apart(text: str) -> None:
    position = len(text) + 1
    text = f"{text} Robert {text} Will"
    (spans,) = PatientDetector(RECORDS).detect([Document("n", text, "p1")])
    ends = [0, *(span.end for span in spans)]
    assert all(end <= span.start < span.end <= len(text) for end, span in zip(ends, spans, strict=False))
    assert any(span.start <= position < span.end for span in spans)
