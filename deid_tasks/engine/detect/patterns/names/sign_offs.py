"""Initials at the end of a note, a message or a dictation: -K, thx, H, WQ:kz, Dict WQ 3/14/2021, -W.Q. RN, /s/ MTO.

What makes letters initials here is where they stand: behind a closing word or a dash at the end of a line with nothing
but a blank line behind it, behind the word for a dictation and in front of its day, or in front of a credential.
"""

import re
from collections.abc import Iterator

from deid_tasks.core.entities import Entity
from deid_tasks.engine.detect.patterns.names.initial_words import (
    DAY,
    LETTERS,
    NEVER,
    initials_candidate,
    is_abbreviation,
    is_in_capitals,
    line_around,
)
from deid_tasks.engine.detect.patterns.names.name_parts import may_be_name
from deid_tasks.engine.detect.patterns.reference_words import (
    is_everyday_word,
    is_frequent_word,
    is_given_name,
    medical_term_words,
)
from deid_tasks.engine.detect.patterns.rule import Candidate, Strength
from deid_tasks.engine.detect.patterns.word_lists import as_word_set

_LINE_END = r"[ \t.]{0,4}$"

CLOSING_TRIGGER = (
    r"(?mi)\b(?:(?:thx|thanks|thank you|thnx|tks|cheers|regards|rgds|sincerely|respectfully|take care)"
    r"(?: (?:again|so much|all|you|everyone))?[,.!]{0,2}|(?:best|love|yours|truly|tia|ty)[,!])"
    r"(?: ?- ?| {1,2}|[ \t]{0,2}\n{1,3}[ \t]{0,4}-? ?)"
    rf"(?-i:[A-Z](?:\.?[A-Z]){{0,2}}|[a-z]{{1,3}})\.?{_LINE_END}"
)
_LAST_LETTERS = re.compile(r"[A-Za-z](?:\.?[A-Za-z]){0,2}(?=\.?[ \t.]*$)")


def read_closing_initials(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read thx, H and Thanks! mk at the end of a line."""
    match = _LAST_LETTERS.search(text, start, end)
    if match is None or text[match.start() - 1].isalnum():
        return
    low = match.group().lower()
    is_word = match.group().islower() and len(low) > 1 and (is_frequent_word(low) or is_abbreviation(low))
    if is_word or low in NEVER or not low.strip("x"):
        return
    if match.group().isupper() and len(low) > 1 and is_in_capitals(line_around(text, start)):
        return
    yield initials_candidate(*match.span(), Strength.LABELLED)


NAMED_TRIGGER = (
    r"(?m)\b(?:[Tt]hx|[Tt]hanks|[Tt]hank you|THX|[Tt]hnx|[Tt]ks|[Cc]heers|[Rr]egards"
    r"|[Ss]incerely|[Tt]ake care|[Tt]ia|[Tt]y)"
    r"(?: (?:again|so much|all|you|everyone))?(?:[,!.]{1,2} ?| ?- ?| ?~ ?)[A-Z][a-z]{2,14}[ \t.]{0,4}$"
)
_NAME_AT_END = re.compile(r"[A-Z][a-z]{2,14}(?=[ \t.]*$)")


def read_name_behind_thanks(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read thx, Yesi at the end of a line; not Thanks, Doctor."""
    match = _NAME_AT_END.search(text, start, end)
    if match is None or not may_be_name(match.group()):
        return
    low = match.group().lower()
    if is_given_name(match.group()) or not (is_everyday_word(low) or low in medical_term_words()):
        yield Candidate(*match.span(), Entity.PATIENT, Strength.WEAK)


DASH_TRIGGER = r"(?m)(?:[.!?)\]\w\"]|^)[ \t]{0,4}(?:-{1,2}|~) ?[A-Z](?:\.?[A-Z]\.?)?\.?" + _LINE_END
_DASHED = re.compile(r"(?:-{1,2}|~) ?(?P<letters>[A-Z](?:\.?[A-Z])?)\.?[ \t.]*$")
_PARAGRAPH_ENDS = re.compile(r"[ \t.]{0,4}(?:\n[ \t]*\n|\n?[ \t\n]*$)")
_BLOOD_OR_VITAMIN = as_word_set("A B O C D E K AB T S P X N Y")
_MARK_BEFORE = frozenset('.!?)]"')


def read_dashed_initials(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read -K and ~ MT where a line and its paragraph end."""
    match = _DASHED.search(text, start, end)
    if match is None or not _PARAGRAPH_ENDS.match(text, match.end("letters"), end + 80):
        return
    line = text[text.rfind("\n", 0, match.start()) + 1 : match.start()].rstrip()
    letters = match["letters"].replace(".", "")
    if line and line[-1] not in _MARK_BEFORE and letters in _BLOOD_OR_VITAMIN:
        return  # type A-B, hepatitis -C
    if line and (line[-1].isalnum() and text[match.start() - 1] not in " \t"):
        return  # ANTI-A
    is_first_line = not line and not text[: match.start()].strip()
    if not is_first_line and letters.lower() not in NEVER and not is_abbreviation(letters.lower()):
        yield initials_candidate(*match.span("letters"), Strength.LABELLED)


DICTATED_TRIGGER = (
    r"(?i)\b(?:dict(?:ated|ation|\.)?|trans(?:cribed|cription|cr|\.)?|typed|t(?:ype|rans)d)[:.]? {1,2}"
    r"(?:(?-i:[A-Z]{2,4}|[a-z]{2,4})(?:[/:](?-i:[a-z]{2,3}|[A-Z]{2,3}))?) {1,3}"
    rf"{DAY}"
    r"|(?:dictation|dictated|transcribed|end)[.:]? {1,3}(?-i:[A-Z]{2,4}[/:][a-z]{2,3})\b"
)
_DICTATED = re.compile(r"([A-Za-z]{2,4})(?:[/:]([A-Za-z]{2,3}))?(?= {1,3}[0-9]|$)")


def read_dictated_by(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read Dict WQ 3/14/2021 and END OF DICTATION. WQ:kz, where a dictation's author and typist stand."""
    label = LETTERS.match(text, start)
    match = _DICTATED.search(text, start + 3 if label is None else max(start + 3, label.end()), end)
    if match is None:
        return
    for group in (1, 2):
        letters: str | None = match.group(group)
        if letters and letters.lower() not in NEVER and (letters.isupper() or not is_frequent_word(letters.lower())):
            yield initials_candidate(*match.span(group), Strength.LABELLED)


PAIR_TRIGGER = (
    r"(?m)(?:^|[.!?)\]]\s|\t| {2})[A-Z]{2,4}[/:][a-z]{2,3}(?:[ \t]{0,4}$| {2}| (?:[DTR]{1,2}:|JOB|Job|job|[0-9]))"
)
_PAIR = re.compile(r"([A-Z]{2,4})[/:]([a-z]{2,3})")


def read_pair_at_end(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read WQP/kz, who dictated and who typed, behind a sentence, on a line or in front of the number of a job."""
    match = _PAIR.search(text, start, end)
    if match is None:
        return
    one, two = match[1].lower(), match[2]
    is_word = is_everyday_word(two) or is_abbreviation(two) or is_frequent_word(two)
    if one in NEVER or two in NEVER or is_word or is_abbreviation(one):
        return
    yield initials_candidate(*match.span(1))
    yield initials_candidate(*match.span(2))


SPOKEN_TRIGGER = r"\b[a-z]{2,3} slash [a-z]{2,3}(?:$|\n|[. ]{1,2}(?:d|t|job)[ :])"
_SPOKEN = re.compile(r"([a-z]{2,3}) slash ([a-z]{2,3})")


def read_spoken_pair(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read tq slash mlo, who dictated and who typed, where the dictation itself was typed."""
    match = _SPOKEN.search(text, start, end)
    if match and not any(is_frequent_word(letters) or is_abbreviation(letters) for letters in match.groups()):
        yield initials_candidate(*match.span(1))
        yield initials_candidate(*match.span(2))


CREDITED_TRIGGER = (
    r"(?:^|[\s(\-/,;:])(?:[A-Z]\.){1,3}[A-Z]?\.?,? ?"
    r"(?:RN|LPN|LVN|CNA|CMA|RMA|NP|FNP|PA-C|MD|DO|PharmD|RPh|LCSW|LMSW|RD|RT|PT|OT|SLP|EMT|MA)\b"
)
_DOTTED = re.compile(r"[A-Z]\.(?:[A-Z]\.?){1,2}(?=,? ?[A-Z])")


def read_credited_initials(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read -W.Q. RN: initials with points in front of a credential."""
    match = _DOTTED.search(text, start, end)
    if match and match.group().replace(".", "").lower() not in NEVER:
        yield initials_candidate(*match.span(), Strength.LABELLED)


SLASHED_TRIGGER = r"/[sS]/:? ?[A-Za-z]{2,3}\b"


def read_slashed_initials(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read /s/ MTO, where somebody signed by letters."""
    low = max(text.rfind(" ", start, end), text.rfind("/", start, end), text.rfind(":", start, end)) + 1
    if text[low:end].lower() not in NEVER:
        yield initials_candidate(low, end, Strength.LABELLED)


SPELLED_TRIGGER = (
    r"\b(?:end(?: of)? dictation|dictated by|dictating) [a-z] [a-z](?: [a-z])?(?:[.,]|\s?$|\n| (?:transcribed|typed)\b)"
)
_SPELLED = re.compile(r" (?P<letters>[a-z] [a-z](?: [a-z])?)(?![a-z])")


def read_spelled_initials(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read end dictation c a w, who spoke the letters of a name one by one."""
    match = _SPELLED.search(text, start, end)
    if match:
        yield initials_candidate(*match.span("letters"), Strength.LABELLED)


BEHALF_TRIGGER = (
    r"\b(?i:entered|charted|documented|recorded|given|drawn|hung|checked|signed|cosigned|covered|wasted|done|taken|filed"
    r"|initialed|completed|pulled)(?: [a-z]{2,8}){0,2} by (?:[a-z]{2,3} for [a-z]{2,3}|[A-Z]{2,3} for [A-Z]{2,3})"
    r"(?:[,.;)\n]|$| (?:at|on|who|while)\b)"
)
_BEHALF = re.compile(r" by (?P<one>[A-Za-z]{2,3}) for (?P<two>[A-Za-z]{2,3})(?![A-Za-z])")


def read_initials_on_behalf(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read entered late by lq for mzt: who did it, and for whom."""
    match = _BEHALF.search(text, start, end)
    if match is None:
        return
    letters = [match["one"].lower(), match["two"].lower()]
    is_word = any(low in NEVER or (match["one"].islower() and is_frequent_word(low)) for low in letters)
    if not is_word and not is_abbreviation(letters[0]):
        yield initials_candidate(*match.span("one"), Strength.LABELLED)
        yield initials_candidate(*match.span("two"), Strength.LABELLED)


LEADER_TRIGGER = r"(?m)\.{4,40} ?(?:[A-Za-z]\.[A-Za-z]\.(?:[A-Za-z]\.)?|[A-Z]{2,3})[ \t]{0,4}$"
_BEHIND_LEADER = re.compile(r"[A-Za-z](?:\.?[A-Za-z]){1,2}\.?(?=[ \t]*$)")


def read_initials_behind_leader(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read tol well........r.o., where dots lead to who signs."""
    match = _BEHIND_LEADER.search(text, start, end)
    if match is None or not text[start : match.start()].rstrip().endswith("."):
        return
    low = match.group().replace(".", "").lower()
    if low not in NEVER and not is_abbreviation(low) and not is_in_capitals(line_around(text, start)):
        yield initials_candidate(*match.span(), Strength.LABELLED)


CHECKED_TRIGGER = (
    r"(?mi)\b(?:2nd|second|double|dual|rn|independent) (?:rn )?(?:check|verif|witness|sign)[^\n]{0,48}[-:] ?(?-i:"
    r"[A-Z]\. ?[A-Z][a-z'\-]{1,20} ?/ ?[A-Z]{2,3})[ \t]{0,4}$"
)
_CHECKED = re.compile(r"/ ?(?P<letters>[A-Z]{2,3})[ \t]*$")


def read_second_checker(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read 2nd RN check -- D. Okafor / PQ: one of two who checked signs with the name, the other with letters."""
    match = _CHECKED.search(text, start, end)
    if match and match["letters"].lower() not in NEVER - {"pt"}:
        yield initials_candidate(*match.span("letters"), Strength.LABELLED)


SERVICE_TRIGGER = (
    r"(?m)(?:^|[.;] )[ \t]{0,4}[A-Z]{2}(?: from (?:speech|lab|pharmacy|dietary|nutrition|radiology|transport|admitting"
    r"|registration|housekeeping|micro|blood bank|case management|social work|respiratory|spiritual care|wound care"
    r"|billing|scheduling|central supply|biomed|rehab|home health|hospice)| did the )"
)
_TWO_CAPITALS = re.compile(r"[A-Z]{2}(?= )")


def read_initials_from_service(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read EJ from speech rec thick liquids, at the beginning of a sentence."""
    match = _TWO_CAPITALS.search(text, start, end)
    if match and not is_abbreviation(match.group().lower()) and match.group().lower() not in NEVER:
        yield initials_candidate(*match.span())
