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
    "FHx: mother w/ [RELATIVE:Graves], father MI",
    "EF 40%, [PROVIDER:Simpson] biplane",
    "COPD ([PROVIDER:GOLD] 2) a/w failure",
    "stridor w/ crying. [PATIENT:Westley] 1",
    "Achilles: Matles sym. [RELATIVE:Thompson]: good plantarflexion",
    "Inked per [PROVIDER:Davidson] code: blue sup",
    "GH mobs [PROVIDER:Maitland] gr III inf",
    "DFU [PATIENT:R hallux, Wagner] gr 2",
    "RN Triage ([PROVIDER:Schmitt-Thompson]: Sore Throat)",
    "UA w C&S if sx per [PROVIDER:McGeer]. Family",
    "so per [PROVIDER:AFIRE/EPIC-CAD] he can stop",
    "Cipro - [INITIALS:QT]\nMeds",
    "6 wks, given at [FACILITY:HD] (no PICC",
    "PROM 90\n  AROM flex         [INITIALS:NT]        104",
    "LVM w/o [RELATIVE:PHI] to call",
    "[PATIENT:NED] 17 mo from surgery",
    "rpt 24-0388 to [PROVIDER:DON]. Seen",
    "P: ([INITIALS:T.O.] J. Redcloud NP)",
    "strep test at [FACILITY:UC]. Fluids",
    "NICU: Beyfortus per [PROVIDER:Neo]\n",
    "From: RN [PROVIDER:Pool]   To: Patient",
    "Roth net. [PROVIDER:Jar A]. Next",
    "[RELATIVE:Agent] = nephew",
    "Hospitalist, Team [PROVIDER:Gold]  pgr",
    "Svc: General Surgery ([PROVIDER:Blue])",
    "at Breast Tumor [FACILITY:Board].",
    "Rehab [FACILITY:day program], group",
    "FAMILY/DC: [ORGANIZATION:Target] 4/25, home",
    "home w/ Corinne and [RELATIVE:Lifeline].",
    "[PROVIDER:Bridges] app re-filed",
    "via [ORGANIZATION:Lilly Insulin Value Program] $35",
    "Supplies ordered from [ORGANIZATION:Medline].",
    "mattress from [ORGANIZATION:Invacare rep].",
    "Norco #11 in [CITY:Deterra], wit.",
    "interpreter ([PROVIDER:Martti]) used",
    "RPh per [PROVIDER:Amion].",
    "Meds reviewed in [CITY:Epic]. Sulfa",
    "BGs 140-210 per [PROVIDER:Libre]. Missed",
    "Ancef -> [PROVIDER:Clinda/Gent] (PCN)",
    "question / [PROVIDER:Humira Pen]\n",
    "SCD L, [PROVIDER:TED R. Lovenox] @ HS",
    "w/ [RELATIVE:Legos] & [RELATIVE:Polly Pocket], mom",
    "since the [PROVIDER:Carter] administration",
    "a 61 y/o male, [PATIENT:Lumbee], former finisher",
    "home for [RELATIVE:Tet] on Feb 17",
    "FAM: [PROFESSION:mat] aunt bipolar",
    "dose. [DATE:Decadron] 4 AM",
    "D/C [RELATIVE:Arnuity]. PA form done",
    "Pt [PATIENT:HOH], hearing aids out",
]
GIVEN_BACK_OF_PATTERNS = [
    "FH: brother [RELATIVE:Parkinson], no dementia",
    "Fam hx: father [RELATIVE:Parkinson]'s, mom [RELATIVE:Hashimoto]",
    "TV on [PATIENT:Andy Griffith], settled",
    "w/ Mr. [PATIENT:Bones] poster, spacer",
    "R hip hemi ([PATIENT:Austin Moore]? cemented)",
    "gave the [ORGANIZATION:Parkinson's Foundation] booklet",
    "Northgate Hospital, [CITY:Main] [STATE:OR]\nSURGEON",
    "10a. [INITIALS:HH] RN/PT - start",
    "No [PROVIDER:HH] PTA. DME: walker",
    "SUPPORTS: Mother, [PROFESSION:pastor]. Alone",
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
    "in [PATIENT:Charlotte]'s web of lies",
    "[PATIENT:Elmo] at bedside",
    "[RELATIVE:Welch]'s wife called",
    "works at [ORGANIZATION:Netflix] in sales",
    "works for [ORGANIZATION:Target] as a clerk",
    "per Dr [PROVIDER:Osei] forceps were used",
    "brother is a [PROFESSION:priest] in town",
    "[PATIENT:Marcus Lamont L] came",
    "[PATIENT:Okafor Takotsubo] came",
    "Contact: brother [RELATIVE:Graves] at work",
    "EF read by [PROVIDER:Simpson] today",
    "[PATIENT:Westley] 4 yo w/ croup",
    "Inked per [PROVIDER:Davidson]. Margins free",
    "seen by [PROVIDER:Maitland] for knee",
    "d/w [PROVIDER:Pool] at noon",
    "mobs per [INITIALS:NT]\n",
    "spoke with [PROVIDER:Neo] at noon",
    "student at [ORGANIZATION:UC] Davis",
    "lives in [CITY:Epic]. Works nights",
    "works at [ORGANIZATION:Target] as a clerk",
    "Surgery ([PROVIDER:Brown]) following",
    "the [PATIENT:Carter] family came",
    "plays with [RELATIVE:Barbie] after school",
    "[PROVIDER:Sok Pen] called",
    "Seen by [PROVIDER:HH] RN",
    "lives in Salem, [STATE:OR] 97301",
]
KEPT_OF_PATTERNS = [
    "Contact: brother [RELATIVE:Graves], next door",
    "with Mr. [PATIENT:Bones] at bedside",
    "works at the [ORGANIZATION:Parkinson's Foundation] now",
    "Main St, Salem, [STATE:OR] 97301",
    "seen today. [INITIALS:HH] RN",
    "visited by [PATIENT:Andy Griffith], settled",
    "strep test at [FACILITY:UC]. Fluids",
]
_MARK = re.compile(r"\[([A-Z_]+):([^\]]+)\]")


def parse(marked: str, detector: str = "transformer") -> tuple[str, list[Span]]:
    """Return the text without its marks, and what they mark, as a model or another detector would."""
    text, spans, position = "", [], 0
    for mark in _MARK.finditer(marked):
        text += marked[position : mark.start()]
        end = len(text) + len(mark[2])
        spans.append(Span(len(text), end, Entity(mark[1]), detector, 0.5))
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


@pytest.mark.parametrize("marked", GIVEN_BACK_OF_PATTERNS)
def test_given_back_of_patterns(marked: str) -> None:
    text, spans = parse(marked, "patterns")
    assert recover(Document("n", text), spans).kept == ()


@pytest.mark.parametrize("marked", KEPT_OF_PATTERNS)
def test_kept_of_patterns(marked: str) -> None:
    text, spans = parse(marked, "patterns")
    assert recover(Document("n", text), spans).kept == tuple(spans)
