"""Words that a model takes for a name and that are a title, a greeting, a degree, a drug or letters of a program."""

import re

from deid_tasks.core.entities import Category
from deid_tasks.core.span import Span
from deid_tasks.engine.recover.eponyms import is_asked_for

_TABLET = re.compile(r"(?:T|C|Tab|Cap|Inj|Syp)\.? [A-Z][a-z]+")
_DOSE_BEHIND = re.compile(
    r" (?:[A-Z]{1,3}\d? )?(?:\d{1,4}(?:\.\d)? ?)?(?:[0-4½]-[0-4½]-[0-4½]|m?c?g\b|ml\b|OD\b|BD\b|TDS\b|HS\b|SOS\b)"
)
"""Behind a drug in an Indian prescription: "T. Ciplar LA 40 1-0-0"."""
_DRUGS = re.compile(
    r"(?:(?:T|C|Tab|Cap|Inj|Syp|Syr|Inf)\.? )?[A-Z][A-Za-z]+(?:, (?:T|C|Tab|Cap|Inj|Syp)\.? [A-Z][a-z]+)*"
)
_DRUGS_BEFORE = re.compile(r"\bInj\.? (?:[A-Z][A-Za-z]+[\w ]{0,12}, (?:(?:Inj|T|C|Tab|Cap|Syp)\.? )?){0,3}$")
"""In front of a drug in a list of injections and tablets: "Inj. Pan 40, Inj. Emeset, T. Dolo"."""
_CAPITALS = re.compile(r"[A-Z]{3,6}")
_LOWER_BESIDE = re.compile(r"[a-z]{3}")
_DEGREE_BEFORE = re.compile(r"(?:yr|year|doing|studying|completed|did) $", re.IGNORECASE)
_DEGREE = re.compile(r"[BM]\.?(?:E|Tech|Sc|Com|A)\.?")
_TITLES = frozenset(("smt", "late smt", "shri", "sri", "kum", "d.no", "d. no", "door no"))
"""Titles and labels in India, of which models take some for names."""
_GREETING = re.compile(
    r"(?:diolch|yn gywir|yn$|cofion|go raibh|le meas|is mise|kia ora|ng[aā] mihi|n[aā]ku noa)\b", re.IGNORECASE
)
_NAME_IN_GREETING = re.compile(r"[,\n]")
_LETTERS_OF_NOBODY = frozenset(("LASID", "SASID", "NIHB", "NDIS", "EPOA", "FWIW", "NIAS", "LSCS", "WINZ"))
"""Letters that stand for a label, a program or a service, and for nobody; three letters may be somebody's initials."""
_SHORT_LETTERS = re.compile(
    r"LMP:? ?\d|(?:w/|with|signed|an|no) ROI\b|# GOC\b|GOC (?:discussion|meeting|talk)"
    r"|SV[BD] (?:live|of|at|male|female)"
    r"|OIF/OEF|OEF/OIF|(?:in|of|during) O[IE]F\b|,? ?by IR,? (?:Dr\b|consult|suite|team|guided|procedure)"
)
"""A last menstrual period, a release of information, goals of care, a birth, wars and a department in their words."""
_SENSOR_BEHIND = re.compile(r" (?:2|3|says?|reads?|shows?|avg|average|sensor|reader|data|report|alarm|app)\b")
"""Behind Libre, which measures glucose."""
_COUNTS_BEHIND = re.compile(r" (?:were |was )?correct\b")
_SERVICES = frozenset(
    ("endo", "neuro", "ortho", "care", "clinic", "nursing", "triage", "front", "pharmacy", "cardiology", "peds", "icu")
)
_GROUPS = frozenset(("nurses", "team", "staff", "desk"))
"""Whom a message is sent to: "Endo Nurses"."""
_TELEPHONE_BEHIND = re.compile(r"[:.]? ?[89]\d{3} \d{4}")
"""Behind HP, a handphone of Singapore."""
_MASS_BEFORE = re.compile(r"(?:at|after|daily|Sunday|morning) $")
_REACH, _REACH_OF_DRUGS = 12, 64
_SHORT = 3
_NAMED = frozenset((Category.NAME, Category.LOCATION, Category.ORGANIZATION))


def is_no_name(text: str, span: Span, value: str) -> bool:
    """Whether a name is a title, a greeting, a degree, a drug, a diagnosis asked for or the count of instruments."""
    if (
        value.lower() in _TITLES
        or (_GREETING.match(value) and not _NAME_IN_GREETING.search(value))
        or (value == "Counts" and _COUNTS_BEHIND.match(text, span.end))
    ):
        return True
    if _DEGREE.fullmatch(value) and _DEGREE_BEFORE.search(text[max(0, span.start - _REACH) : span.start]):
        return True
    words = value.lower().split()
    if len(words) > 1 and words[0] in _SERVICES and words[-1] in _GROUPS:
        return True
    if value in {"Libre", "Dexcom"} and _SENSOR_BEHIND.match(text, span.end):
        return True
    if _DRUGS.fullmatch(value) and _DRUGS_BEFORE.search(text[max(0, span.start - _REACH_OF_DRUGS) : span.start]):
        return True
    if _CAPITALS.fullmatch(value) and _is_asked_for(text, span):
        return True
    return bool(_TABLET.fullmatch(value) and _DOSE_BEHIND.match(text, span.end))


def _is_asked_for(text: str, span: Span) -> bool:
    """Whether capitals are a diagnosis behind its question mark, in a line with small letters: "? TBM, ?IRIS"."""
    if not is_asked_for(text, span.start):
        return False
    line = text[text.rfind("\n", 0, span.start) + 1 : span.start]
    return _LOWER_BESIDE.search(line) is not None


def are_letters_of_nobody(text: str, span: Span, value: str) -> bool:
    """Whether capitals stand for a form, a program or a war, or for the Mass that somebody went to."""
    if span.category not in _NAMED:
        return False
    if value == "HP" and _TELEPHONE_BEHIND.match(text, span.end):
        return True
    before = text[max(0, span.start - _REACH) : span.start]
    if value == "Mass" and _MASS_BEFORE.search(before):
        return not text[span.end + 1 : span.end + 2].isupper()
    if value in _LETTERS_OF_NOBODY or value == "WhatsApp":
        return True
    found = (
        _SHORT_LETTERS.finditer(text, max(0, span.start - _REACH), span.end + _REACH) if len(value) <= _SHORT else ()
    )
    return any(one.start() <= span.start and span.end <= one.end() for one in found)
