import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_tasks.core.patient import PatientRecord, PatientTerm, TermKind
from deid_tasks.engine.audit import Finding, FindingKind, audit

RECORD = PatientRecord(
    "p",
    terms=tuple(
        PatientTerm(TermKind(kind), term)
        for kind, term in (
            ("first", "José"),
            ("preferred", "Pepe"),
            ("middle", "Luis"),
            ("last", "Will-Núñez"),
            ("relative_first", "Ana"),
            ("mrn", "RH0042317"),
            ("ssn", "123-45-6789"),
            ("health_plan", "XKQ-ABCDE"),
            ("account", "9900112"),
            ("phone", "(415) 555-0133"),
            ("email", "jose.w@example.org"),
            ("street", "12 North Quail Street"),
            ("city", "Mobile"),
            ("state", "AL"),
            ("zip", "36602"),
        )
    ),
)

CASES = [
    ("MRN RH-004 2317", [("mrn", "004 2317")]),
    ("ssn 123.45.6789 and 123456789", [("ssn", "123.45.6789"), ("ssn", "123456789")]),
    ("call 415/555-0133 or +1 (415) 555 0133", [("phone", "415/555-0133"), ("phone", "415) 555 0133")]),
    ("415-555-0134 on 1/23/45, 6789 units", []),
    ("plan xkq abcde, acct 990-0112", [("health_plan", "xkq abcde"), ("account", "990-0112")]),
    ("JOSE.W@EXAMPLE.ORG", [("email", "JOSE.W@EXAMPLE.ORG")]),
    ("Will-Nunez, Jose; PEPE L. WILL NÚÑEZ", [("full_name", "Will-Nunez, Jose"), ("full_name", "PEPE L. WILL NÚÑEZ")]),
    ("José came; Will-Núñez left; Ana", []),
    ("jose will nunez", [("full_name", "jose will nunez")]),
    ("at 12 N Quail St or 12 North Quail Street", [("street", "12 N Quail St"), ("street", "12 North Quail Street")]),
    ("lives in Mobile, AL 36602", []),
    ("", []),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_audit(text: str, expected: list[tuple[str, str]]) -> None:
    found = audit(text, RECORD)
    assert [(finding.kind.value, text[finding.start : finding.end]) for finding in found] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("comfort stillwater seen, comfy rested well.", [("full_name", 0, 18), ("name", 25, 30)]),
        ("will denies pain and will call; told will that she left", [("name", 0, 4), ("name", 37, 41)]),
        ("she will call. comfort care only. WILL CALL.", []),
    ],
)
def test_names_that_are_everyday_words_are_found_by_the_rule_of_the_detector(
    text: str, expected: list[tuple[str, int, int]]
) -> None:
    names = (("first", "Comfort"), ("preferred", "Comfy"), ("preferred", "Will"), ("last", "Stillwater"))
    record = PatientRecord("p", terms=tuple(PatientTerm(TermKind(kind), term) for kind, term in names))
    assert [(finding.kind.value, finding.start, finding.end) for finding in audit(text, record)] == expected


def test_a_surrogate_that_equals_the_original_is_found_and_marked() -> None:
    text = "Jose Will-Nunez, 123-45-6789"
    assert audit(text, RECORD, [(0, 15)]) == [
        Finding(FindingKind.FULL_NAME, 0, 15, in_surrogate=True),
        Finding(FindingKind.SSN, 17, 28),
    ]


@pytest.mark.parametrize(
    ("original", "expected"),
    [("KATE OSEI", []), ("KATE MOODY", [(FindingKind.NAME, 8, 13)])],
)
def test_an_everyday_word_in_a_surrogate_is_a_finding_where_the_original_has_it(
    original: str, expected: list[tuple[FindingKind, int, int]]
) -> None:
    record = PatientRecord("p", terms=(PatientTerm(TermKind.FIRST, "Ida"), PatientTerm(TermKind.LAST, "Moody")))
    text = "SEEN BY MOODY, RN"
    found = audit(text, record, [(8, 13)], [original])
    assert [(finding.kind, finding.start, finding.end) for finding in found] == expected
    outside = audit("PT MOODY SEEN BY MOODY, RN", record, [(17, 22)], [original])
    assert (FindingKind.NAME, 3, 8) in {(finding.kind, finding.start, finding.end) for finding in outside}


def test_no_record_no_finding() -> None:
    assert audit("123-45-6789", None) == []
    assert audit("123-45-6789", PatientRecord("p")) == []


def test_repr_holds_no_text() -> None:
    (finding,) = audit("123-45-6789", RECORD)
    assert "123" not in repr(finding)


@given(
    st.text(st.characters(exclude_categories=("Nd",)), max_size=30),
    st.text(st.characters(exclude_categories=("Nd",)), max_size=30),
)
def test_a_planted_number_is_always_found(before: str, after: str) -> None:
    text = f"{before}123-45-6789{after}"
    assert (FindingKind.SSN, len(before), len(before) + 11) in {(f.kind, f.start, f.end) for f in audit(text, RECORD)}
