"""Short forms of a name and user names made of it are marked where the name stands in full, and nowhere else."""

from dataclasses import replace

import pytest

from deid_tasks.engine.merge.derived_names import mark_derived_names
from deid_tasks.engine.merge.propagate import DETECTOR
from tests.support.markup import read_markup, write_markup

FOUND = [
    "Pt [PATIENT:WARSAME, ABDIRAHMAN] | M\n{PATIENT:Abdi} climbed out",
    "[PROVIDER:Christopher Bell] came. Chris-Ann no, {PROVIDER:Chris} yes",
    "[RELATIVE:Susan Pace] drove. Her sister {RELATIVE:Sue} will call",
    "[PROVIDER:Aroha Parata] RM\nEntered {USERNAME:AParata} / checked",
    "[PROVIDER:Kerry Birch]\n08-Jan 11:40  {USERNAME:KBIRCH}",
    "[PROVIDER:Hohenberg, Ansel T]   ({USERNAME:athohenb})",
    "İnci. [PROVIDER:Aroha Parata] entered {USERNAME:aparata}",
]
FOUND += [
    "[PATIENT:Cox-Rua, Margaret]. Concerns: {PATIENT:Marge} more short of breath",
]
NOT_FOUND = [
    "[PATIENT:Russell Ames] coughs. Rusty sputum",
    "[PATIENT:Deborah Hope Snow]. seen by Deb",  # an abbreviation of medicine
    "[PATIENT:Patrick Snow] slept. Pat the wound dry. rick",  # where its capital says nothing
    "[PATIENT:Carol Lever] is clever",  # another word that ends with a surname
    "[PATIENT:Carol Lever] was seen, zlever",  # somebody else's initial
    "[PATIENT:Hernandez]. Hern repair",  # the beginning of a surname
    "[PATIENT:Abdirahman Warsame] abdi@example.org /abdi/ x.Abdi",  # parts of an address or a path
    "[PATIENT:Mel Anoma]. melanoma",  # a term of medicine
    "[PROVIDER:Birch] asked, kbirch",  # one name has no initials
    "Nothing to see here, Abdi",
]


@pytest.mark.parametrize("marked", FOUND)
def test_what_is_made_of_a_name_is_marked(marked: str) -> None:
    text, spans = read_markup(marked.replace("{", "[").replace("}", "]"))
    full = [span for span in spans if f"[{span.entity}:{text[span.start : span.end]}]" in marked]
    found = mark_derived_names(text, full, 0.9)
    assert write_markup(text, found) == write_markup(text, spans)
    assert {span.detector for span in found if span not in full} == {DETECTOR}
    assert mark_derived_names(text, found, 0.9) == found


@pytest.mark.parametrize("marked", NOT_FOUND)
def test_other_words_stay(marked: str) -> None:
    text, spans = read_markup(marked)
    assert mark_derived_names(text, spans, 0.9) == spans


def test_nothing_is_made_of_a_name_that_is_not_certain() -> None:
    text, spans = read_markup("[PATIENT:Abdirahman Warsame]. Abdi")
    uncertain = [replace(span, score=0.6) for span in spans]
    assert mark_derived_names(text, uncertain, 0.9) == uncertain
