"""Names in other scripts than Latin are found where they stand alone, and symbols are not."""

import re

import pytest

from deid_tasks.core.entities import Entity
from deid_tasks.core.span import Span
from deid_tasks.engine.merge import merge_spans
from deid_tasks.engine.text import Document
from deid_tasks.settings import MergeSettings
from tests.engine.detect.test_patterns import mark

CASES = [
    "[PATIENT:Петрова Анна] was seen today and feels well.",
    "Seen today with [PATIENT:王美玲] who feels well and will come again.",
    "The patient [PATIENT:박서연] lives alone and walks with a cane.",
    "[PATIENT:سارة حسن] came with pain of the left knee.",
    "The son [PATIENT:דוד לוי] was told of the plan for next week.",
    "[PATIENT:सुनीता शर्मा] came with pain of the left knee.",
    "[PATIENT:たなか・はなこ] came with pain of the left knee.",
    "[PATIENT:Γιώργος Νίκου] came with pain of the left knee.",
    "She was born in [CITY:Одесса] and lives with her son.",
    "Name: [PATIENT:Петрова Анна], seen for pain of the left knee",
    "Dr. [PROVIDER:Петрова] saw the patient for pain of the left knee.",
    "β-blocker, 5 μg, 3 μmol/l, ΔF508, α2 and TNF-α, Σ of all, IFN-γ, π, °C and Ω",
    "Пациентка поступила с болью в груди and is well",
]


@pytest.mark.parametrize("expected", CASES)
def test_names_in_other_scripts(expected):
    assert mark(re.sub(r"\[[A-Z]+:([^\[\]]*)\]", r"\1", expected)) == expected


def test_a_vowel_sign_at_the_end_stays_with_its_letter():
    text = "शर्मा came"
    spans = merge_spans(Document("n", text), {"patterns": [Span(0, 5, Entity.PATIENT, "patterns")]}, MergeSettings())
    assert [(span.start, span.end) for span in spans] == [(0, 5)]
