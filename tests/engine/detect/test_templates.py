"""Rules over whole sentences: what they find, and what they leave alone."""

import re

import pytest

from deid_tasks.core.entities import Entity
from deid_tasks.core.span import Span
from deid_tasks.engine.detect.templates import Template, TemplateDetector, version_of
from deid_tasks.engine.text import Document

MARK = re.compile(r"\[([A-Z_]+):([^\]]*)\]")


def parse(marked: str) -> tuple[str, list[Span]]:
    text, spans, end = "", [], 0
    for match in MARK.finditer(marked):
        text += marked[end : match.start()]
        spans.append(Span(len(text), len(text) + len(match[2]), Entity(match[1])))
        text, end = text + match[2], match.end()
    return text + marked[end:], spans


def template(marked: str) -> Template:
    text, spans = parse(marked)
    found = Template.of(text, 0, len(text), spans)
    assert found is not None
    return found


RULES = [
    "Electronically signed by: [PROVIDER:SMITH, JOHN C] on [DATE:01/02/1980] at [TIME:12:12 PM] CST",
    "Room [LOCATION_OTHER:4B], bed [LOCATION_OTHER:2]",
    "Pt of [PROVIDER:Okafor] seen",
    "Pt of record seen",
    "Visit [OTHER_ID:A12]",
]
DETECTOR = TemplateDetector(map(template, RULES))
FOLLOWS = [
    "Electronically signed by: [PROVIDER:DEWEY, JONES K] on [DATE:3/14/2021] at [TIME:8:05 AM] CST",
    "Electronically signed by: [PROVIDER:Łoś, Zoë Q] on [DATE:3/14/21] at [TIME:08:05 pm] CST",
    "Electronically  signed by: [PROVIDER:DEWEY,  JONES K] on [DATE:3/14/2021] at [TIME:8:05 AM] CST",
    "Room [LOCATION_OTHER:12C], bed [LOCATION_OTHER:1]",
    "Room [LOCATION_OTHER:letters], bed [LOCATION_OTHER:77]",
    "Pt of [PROVIDER:May] seen",
    "Pt of record seen",
    "No fever. Pt of [PROVIDER:May] seen",
]
DOES_NOT = [
    "Electronically signed by: DEWEY, JONES on 3/14/2021 at 8:05 AM CST",
    "Electronically signed by: DEWEY, JONES K on 3/14/2021 at 8:05 AM CST by proxy",
    "Electronically signed by: DEWEY, JONES 4 on 3/14/2021 at 8:05 AM CST",
    "Electronically signed by DEWEY, JONES K on 3/14/2021 at 8:05 AM CST",
    "Electronically signed by: DEWEY, JONES K on 3 / 14 / 2021 at 8:05 AM CST",
    "Room 12C, bed A",
    "Pt of May, seen",
    "",
]


@pytest.mark.parametrize("case", [*FOLLOWS, *DOES_NOT])
def test_a_sentence_follows_a_rule_in_whole_or_not_at_all(case: str) -> None:
    text, spans = parse(case)
    found = DETECTOR.detect([Document("n", text)])[0]
    assert [(one.start, one.end, one.entity) for one in found] == [(one.start, one.end, one.entity) for one in spans]


def test_a_person_can_read_the_rule_and_its_labels() -> None:
    rule = template(RULES[0])
    assert rule.shown() == "Electronically signed by: [PROVIDER:W, W W] on [DATE:N/N/N] at [TIME:N:N W] CST"
    assert rule.labels[4:10] == ("B-PROVIDER", "I-PROVIDER", "I-PROVIDER", "I-PROVIDER", "O", "B-DATE")
    assert rule.literal_words == 6
    assert template(RULES[4]).shown() == "Visit [OTHER_ID:A]"
    assert "signed" not in repr(rule)


@pytest.mark.parametrize("spans", [[(3, 6)], [(0, 1)], [(3, 20)]])
def test_a_span_that_cuts_a_word_makes_no_template(spans: list[tuple[int, int]]) -> None:
    assert Template.of("DOB4/5/61 sex", 0, 13, [Span(a, b, Entity.DATE) for a, b in spans]) is None


def test_rules_survive_a_file_and_their_order_says_nothing() -> None:
    rules = list(map(template, RULES))
    assert [Template.of_document(rule.document()) for rule in rules] == rules
    assert version_of(rules) == version_of(reversed(rules)) != version_of(rules[1:])


def test_many_rules_and_a_long_note_take_time_in_line_with_the_note() -> None:
    rules = [
        template(f"Word{n} seen by [PROVIDER:Okafor] and [PROVIDER:May] on [DATE:3/14] in clinic {n}")
        for n in range(2_000)
    ]
    detector = TemplateDetector(rules)
    text = "Word7 seen by Ames and Ode on 4/15 in clinic 7\n\n" * 500
    spans = detector.detect([Document("n", text)])[0]
    assert len(spans) == 1_500
    assert detector.detect([Document("n", "W " * 100_000)])[0] == []
