"""Initials of people that show by their full stops, by a neighbour or by the words around them that somebody is meant.

Two capitals by themselves say nothing. "T.X. is cleared", "TH/NQ" below a note, "DK tearful, says" and "IB: no further
scans" speak of somebody, if the letters agree with a full name of the note.
"""

import re
from bisect import bisect_left
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from deid_tasks.core.entities import Entity
from deid_tasks.core.span import Span
from deid_tasks.engine.lexicon.public import medical_abbreviations

_DOTTED = re.compile(r"(?:[A-Z]\.){1,2}[A-Z]\.?")
_NOT_PEOPLE = re.compile(
    r"PO|IV|IM|AM|PM|BP|O[DSU]|SC|SL|AC|PC|HS|MD|DO|RN|NP|PA|US|UK|DC|SO|CC|ER|OR|ED|NS|RR|HR|PT|OT|NY|NJ|CA"
)
"""Letters that are written with full stops and stand for no person."""
_LABELLED_BEFORE = re.compile(r"\b(?:label(?:l?ed)?|marked|tagged|reads?)(?: as| with)?:? [\"“]$", re.IGNORECASE)
_REACH_OF_LABEL = 24
_DEGREES = re.compile(r"(?:[BM]\.[SAE]|[DM]\.[DO]|R\.[DN]|[DJ]\.D|[BM]\.S\.[NW]|O\.[TD]|P\.[TA])\.?")
_SURNAME_BEFORE = re.compile(r"[A-Z][a-z'’-]+,? ?$")
_CREDENTIAL_BEHIND = re.compile(r",? (?:[A-Z]{2,}|[A-Z]\.[A-Z])|[ \t]*(?:\n|$)")
"""What stands around a degree with full stops: Okafor, M.S., CCC-SLP."""
_CAPITALS = re.compile(r"[A-Z]{2,3}")
_CLAUSE_BEFORE = re.compile(r"(?:\A|[.;!?|)>\n]|\([0-9]\)|[-\u2013\u2014]\s)[ \t]*$")
_OF_PEOPLE_BEHIND = re.compile(
    r" (?:is |was |very |again |now )?(?:tearful|says|said|asks|asked|denies|denied|agrees|agreed|declines|declined"
    r"|states|stated|wants|wishes|prefers|thinks|feels|understands|cried|smiled|tells|told|recommends|favou?rs|explained"
    r"|suggests|suggested|proposed|queried"
    r"|raised (?:the|concerns?|whether|questions?|[a-z]{4,} (?:loss|risks?|concerns?|toxicity|issues?)))\b"
    r"(?! by\b)| to be (?:re-?)?(?:presented|discussed|seen|reviewed|called|contacted)\b"
)
"""What only people do, or is done with people."""
_WROTE_BEHIND = re.compile(
    r" ?[-\u2013\u2014:]{1,2} ?(?:called|spoke|left (?:message|msg|vm|lvm|voicemail)|lm\b|lvm|paged|d/w|discussed"
    r"|returned|ret call|notified|informed|faxed|tried|attempted|updated)\b",
    re.IGNORECASE,
)
"""What somebody did, behind a dash: DC - called wife back."""
_MYSELF_BEHIND = re.compile(
    r", (?:personally|attest|have|has|am|was|saw|did|agree|certify|performed|reviewed|examined|hereby|confirm|acted)\b"
)
_SENTENCE_BEFORE = re.compile(r"(?P<line>[^\n]*)[A-Za-z0-9%)][.!?] {1,3}$")
_MIN_WORDS_OF_LINE = 3
_REACH_OF_LINE = 160
_DASH_BEFORE = re.compile(r"[A-Za-z0-9.,!?)\]] ?(?:--|[–—~])[ \t]?$")
"""Behind a sentence a dash leads to who wrote it: at 4:30? -- ER."""
_LINE_ENDS = re.compile(r"[ \t]*(?:\n|$)")
_ABSENT_BEHIND = re.compile(
    r" (?:is |was |will be )?(?:out|off|away|on vacation|on leave|on PTO|on holiday)"
    r"(?: sick| of (?:the )?(?:office|town|country))?"
    r"(?:[.,;)\n]|$| (?:till?|until|thru|through|today|this|next|for the|from|on|til|w/|with|and)\b)"
    r"| (?:is |was )?(?:back on (?:mon|tue|wed|thu|fri|sat|sun|[0-9])|covering for|on call (?:till?|until|tonight))"
)
"""Who is not there: CR is out till July 8. A result is not out, and a drug that is off is not off till."""
_AT_BEDSIDE = re.compile(r" (?:now |was |is |here |back )?(?:at|@) (?:the )?(?:bedside|b/s|bs)\b")
_LINKS_BEFORE = re.compile(r"(?:\bas|\bwhile|\bsince|\bbecause|\bif|\bwhen|\bbut|\bthat|,|;) $")
_THINGS_AT_BEDSIDE = frozenset(
    ("US", "IV", "CT", "XR", "EKG", "ECG", "EEG", "CXR", "MRI", "TEE", "TTE", "HD", "BP", "RT", "PT", "OT", "ST", "SLP")
)
_SPEECH_BEHIND = re.compile(r": [a-z]")
_SEEN_BEFORE = re.compile(r"\b(?:to see|saw|met with|spoke (?:to|with)|told|informed|updated|reminded) $")
"""What is done with people: "in to see MX"."""
_REACH, _REACH_OF_VERB = 6, 16


def forms_of_double_surname(surname: str, name: str, letters: str) -> set[str]:
    """Return the initials that leave out a part of a name with a double surname.

    Little Owl, Delmar Ray is D.R.L. as well as DLO and D.L.O.

    Args:
        surname: the surname of a full name, or its last word.
        name: the full name.
        letters: the initials of all its words, the given names first.
    """
    is_double = len(surname.replace("-", " ").split()) == 2 or bool(re.search(r"[^\W\d_]-[^\W\d_]+$", name))
    if not is_double or len(letters) < 3:
        return set()
    outer = letters[0] + letters[-2:]
    return {"".join(f"{letter}." for letter in part) for part in (letters[:-1], outer)} | {outer}


def is_degree(text: str, start: int, end: int) -> bool:
    """Whether letters with full stops are a degree between a name and a further credential: Okafor, M.S., CCC-SLP."""
    if not _DEGREES.fullmatch(text, start, end):
        return False
    before = text[max(0, start - _REACH_OF_VERB) : start]
    return bool(_SURNAME_BEFORE.search(before) and _CREDENTIAL_BEHIND.match(text, end))


def is_on_label(text: str, start: int, end: int) -> bool:
    """Whether capitals open the label of a specimen, where a patient's initials are: Labeled "MO, SLN 1"."""
    if not _CAPITALS.fullmatch(text, start, end):
        return False
    return _LABELLED_BEFORE.search(text[max(0, start - _REACH_OF_LABEL) : start]) is not None


def is_dotted_person(form: str) -> bool:
    """Whether the initials of a full name are written with full stops, which no abbreviation of medicine is: T.X."""
    return _DOTTED.fullmatch(form) is not None and not _NOT_PEOPLE.fullmatch(form.replace(".", ""))


def is_beside_initials(text: str, spans: Sequence[Span], start: int, end: int, *, is_known: bool) -> bool:
    """Whether two or three capitals stand beside initials with a slash between: TH/NQ.

    Args:
        text: the note.
        spans: its spans, sorted and disjoint.
        start: start of the capitals.
        end: their end, exclusive.
        is_known: whether they agree with a full name, so that it does not matter what medicine calls so.
    """
    if not _CAPITALS.fullmatch(text, start, end) or not (is_known or not _is_of_medicine(text[start:end])):
        return False
    following = bisect_left(spans, end, key=lambda one: one.start)
    before = spans[following - 1] if following else None
    behind = spans[following] if following < len(spans) else None
    if behind is not None and behind.entity is Entity.INITIALS and behind.start == end + 1:
        is_typed = is_known and text[end] == ":" and text[behind.start : behind.end].islower()  # DO:phk
        return (text[end] == "/" or is_typed) and text[start - 1 : start] != "/"
    is_second = before is not None and before.entity is Entity.INITIALS and before.end == start - 1
    return is_second and text[start - 1] == "/" and text[end : end + 1] != "/"


def is_subject(text: str, start: int, end: int) -> bool:
    """Whether the initials of a full name do what only people do, are seen or told, or open what somebody said."""
    if not _CAPITALS.fullmatch(text, start, end):
        return False
    before = text[max(0, start - _REACH_OF_VERB) : start]
    if _SEEN_BEFORE.search(before) and not _is_of_medicine(text[start:end]):
        return True
    opens = _CLAUSE_BEFORE.search(before) or _LINKS_BEFORE.search(before)
    if opens and _ABSENT_BEHIND.match(text, end):
        return True
    if opens and _AT_BEDSIDE.match(text, end) and text[start:end] not in _THINGS_AT_BEDSIDE:
        return True
    if not _CLAUSE_BEFORE.search(text[max(0, start - _REACH) : start]):
        return False
    if _OF_PEOPLE_BEHIND.match(text, end):
        return True
    return _SPEECH_BEHIND.match(text, end) is not None and not _is_of_medicine(text[start:end])


def is_author(text: str, start: int, end: int) -> bool:
    """Whether the initials of a full name are of who wrote: I, AO, saw the patient; … by the wife. MD; DC - called."""
    if not _CAPITALS.fullmatch(text, start, end):
        return False
    if text[max(0, start - 3) : start] == "I, " and _MYSELF_BEHIND.match(text, end):
        return True
    before = text[max(0, start - _REACH) : start]
    if _CLAUSE_BEFORE.search(before) and _WROTE_BEHIND.match(text, end):
        return True
    if _DASH_BEFORE.search(before) and _LINE_ENDS.match(text, end):
        return True
    if text[end : end + 1] not in {"", "\n"}:
        return False
    sentence = _SENTENCE_BEFORE.search(text, max(0, start - _REACH_OF_LINE), start)
    return sentence is not None and len(sentence["line"].split()) >= _MIN_WORDS_OF_LINE


def _is_of_medicine(letters: str) -> bool:
    return letters.lower() in medical_abbreviations() or letters.lower() in _headings_and_services()


@cache
def _headings_and_services() -> frozenset[str]:
    lines = Path(__file__).with_name("letters_of_medicine.txt").read_text(encoding="utf-8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())
