"""Instruments, tools, labels, pastimes and everyday words that the words around them show to be no identifier."""

import re

import pytest

from deid_tasks.core.entities import Entity
from deid_tasks.core.span import Span
from deid_tasks.engine.recover import recover
from deid_tasks.engine.text import Document

GIVEN_BACK = [
    "LP L3-4 22G [PATIENT:Whitacre], OP 31",
    "chest closed, CTs 3 [PATIENT:Blake] to suction",
    "keep elevated in [CITY:Jones] w/ ice",
    "the [PROVIDER:Szymanski] rongeur was used",
    "gr III [PROVIDER:Maitland] to C5",
    "[PATIENT:McKenzie] REIL x 10",
    "sEMG; [PATIENT:Masako], Shaker, CTAR",
    "[CITY:Sydney]: act 2 chron 2 atrophy 1",
    "serotonin toxidrome by [PROVIDER:Hunter]: clonus",
    "HME [PROVIDER:Luna] at night",
    "Stereo EEG: [PATIENT:ROSA], 14 leads",
    "@[PROVIDER:CAPHE]@ remained; .[PROVIDER:rosneg] pulled in",
    "Cosign [PROVIDER:Required]",
    "Signed: Attending [PROVIDER:Surgeon]. Status",
    "won a [ORGANIZATION:Target] gift card",
    "watching Wheel of [ORGANIZATION:Fortune].",
    "dad reads [DATE:Goodnight Moon] by phone",
    "ice cream (Ben & [ORGANIZATION:Jerry's] pint)",
    "Hamburger [PROFESSION:Helper]",
    "captions on [FACILITY:YouTube]",
    "Wife and [PROFESSION:parish priest] present",
    "by the door. [PROVIDER:Blood] tests were normal",
    "[PATIENT:Sandy] feeling in both eyes",
    "on the iPad. [RELATIVE:Hope] is to be walking again",
    "[PROVIDER:Art] line dampened",
    "with [PATIENT:Marcus Gunn L], disc pale",
    "angina, [PROVIDER:kudos Takotsubo] today",
]
KEPT = [
    "spoke with [PROVIDER:Whitacre] at noon",
    "seen by [PROVIDER:Blake] today",
    "Dr. [PROVIDER:Maitland] to see",
    "[PATIENT:McKenzie] called back",
    "moved to [CITY:Sydney] in May",
    "reviewed by [PROVIDER:Hunter] today",
    "[RELATIVE:Hope] is her sister",
    "[PATIENT:Sandy] feeling better today",
    "works at [ORGANIZATION:Netflix] in sales",
    "works for [ORGANIZATION:Target] as a clerk",
    "per Dr [PROVIDER:Osei] forceps were used",
    "brother is a [PROFESSION:priest] in town",
    "[PATIENT:Marcus Lamont L] came",
    "[PATIENT:Okafor Takotsubo] came",
]
_MARK = re.compile(r"\[([A-Z_]+):([^\]]+)\]")


def parse(marked: str) -> tuple[str, list[Span]]:
    """Return the text without its marks, and what they mark, as a model would."""
    text, spans, position = "", [], 0
    for mark in _MARK.finditer(marked):
        text += marked[position : mark.start()]
        end = len(text) + len(mark[2])
        spans.append(Span(len(text), end, Entity(mark[1]), "transformer", 0.5))
        text, position = text + mark[2], mark.end()
    return text + marked[position:], spans


@pytest.mark.parametrize("marked", GIVEN_BACK)
def test_given_back(marked: str) -> None:
    text, spans = parse(marked)
    assert recover(Document("n", text), spans).kept == ()


@pytest.mark.parametrize("marked", KEPT)
def test_kept(marked: str) -> None:
    text, spans = parse(marked)
    assert recover(Document("n", text), spans).kept == tuple(spans)
