"""Short names: initials and acronyms of names that stand in full in the same note.

``Corio Bay Imaging (CBI)`` says what CBI is, and the note of Gail Pemberton, RN, is signed ``GP``. Two or three
capitals by themselves say nothing: they are marked where they agree with a full name, and where such letters stand.
"""

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import replace

from deid_tasks.core.detectors import SHORT_NAMES
from deid_tasks.core.entities import Category, Entity
from deid_tasks.core.span import Span
from deid_tasks.engine.lexicon.public import medical_abbreviations
from deid_tasks.engine.merge.letters_of_people import (
    forms_of_double_surname,
    is_author,
    is_beside_initials,
    is_degree,
    is_dotted_person,
    is_on_label,
    is_subject,
)
from deid_tasks.engine.merge.repair import NAMES

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_WORD_OR_SIGN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*|&")
_SMALL_WORDS = frozenset(("of", "the", "for", "and", "in", "at", "de", "la", "del", "du", "&"))
_IN_BRACKETS = re.compile(r"\s{0,3}\(\s?(?:the )?[\"“]?([A-Z][A-Za-z]{1,7})[\"”]?(?:\s?[),;]| [^()\n]{1,20}\))")
_MIN_LETTERS, _MAX_LETTERS = 2, 6
_SIGNED_BEFORE = re.compile(
    r"(?:^|\n|[ \t]{2}|\|[ \t]?|,\"|(?<=[A-Za-z0-9.]) ?\(|\([A-Z]{2,3}/"
    r"|(?<![A-Za-z])(?:initials?|init\.?|signed|sig|by|dict|typed|scribe|entered|reviewed):? ?"
    r"|(?:MD|DO|RN|NP|PA|PA-C|LPN|BSN|CNA|FNP-C|CHPN|MSW|PT|OT),? {1,3}\(? ?)$"
)
"""What stands in front of letters by which somebody signs; the line or a wide gap, mostly."""
_SIGNED_BEHIND = re.compile(
    r"[ \t]*(?:\)|$|\n|\|)|/[A-Z]{2,3}\)|\",|[ \t]{2,}|[ ,]{1,2}(?:RN|MD|NP|LPN|PA)\b| (?:via|at [0-9])"
    r"| [0-9]{1,2}[/.][0-9]|, (?:typed|transcribed|ext|bleep|pager|[0-9])"
)
_ADDRESSED_BEFORE = re.compile(
    r"\b(?:report(?:s|ed|ing)? to|d/w|discuss(?:ed)? with|per|reviewed (?:by|with)|seen by|hand(?:ed )?over (?:to|from)"
    r"|inform(?:ed)?|told|tell|ask(?:ed)?|cc:?|call(?:ed)?|paged|covered by|back to) $",
    re.IGNORECASE,
)
"""What stands in front of letters that mean somebody, and no service: report to LN."""
_OF_ORGANIZATION_BEHIND = re.compile(
    r" (?:[Nn]urse|[Cc]linic|[Pp]harmacy|[Ss]taff|[Ff]ront [Dd]esk|[Pp]ortal|[Rr]eception"
    r"|[MSNPC]ICU|CVICU|ICU|CCU|ER|ED|PACU|[Tt]ransfer [Cc]enter|[Cc]ardiology|[Rr]adiology)\b"
)
"""What makes letters that medicine uses those of an organization of the note: CVC Nurse."""
_ACTS_BEHIND = re.compile(
    r" (?:to|will|can) (?:call|ring|phone|fax|see|check|review|chase|send|order|schedule|discuss)\b"
)
"""What somebody does: NC to call her."""
_SERVICES = frozenset(("PT", "OT", "ST", "RN", "MD", "PA", "NP", "SW", "CM", "RT", "EP", "ID", "GI", "IR", "ED", "ER"))
_SHORT = re.compile(
    r"(?<![\w-])(?:(?:[A-Z]\.){1,2}[A-Z](?:-[A-Z])?\.?|[A-Z]{1,2}O['’][A-Z]|[A-Z]-[A-Z]|[A-Z][A-Za-z]{1,7})"
    r"(?:(?=-[A-Z]\))|(?![\w-]))"
)
"""Behind the letters of a facility its branch may stand: (TPKC-O)."""
_PREFIXED = re.compile(r"(?P<prefix>Ma?c|O['’])(?P<letter>[A-Z])")
"""The beginning of a surname that initials may keep: AMcK, SO'D."""
_HYPHENED_GIVEN = re.compile(r"[^\W\d_]{2,}-[^\W\d_]{2,} ")
_SIGNED_IN_SMALL_LETTERS = re.compile(
    r"(?m)^[ \t]*(?P<day>[a-z]{2,3})(?= \d{1,2}/\d{1,2}/\d{2})"  # gpo 10/18/23
    r"|^[ \t]*(?:\d{4}|\d{1,2}:\d{2}(?: ?[AaPp][Mm]?)?)[ \t]{1,4}(?P<time>[a-z]{2,3})(?=:[ \t])"  # 0815 ntc: C/C/+1
    r"|^[ \t]*[-/]?(?P<line>[a-z]{2,3})(?=[ \t]*$)"  # mob, below the name of who dictated
)
"""Initials in small letters in front of the day on which somebody signs, behind a time, and alone on a line."""
_MIN_COLUMNS = 4
_BEFORE, _REACH = 16, 24
_TITLE_BEFORE = re.compile(r"\b(?:drs?|mrs?|ms|miss|mdm|prof)\.? $", re.IGNORECASE)
_MIN_ANYWHERE = 3
_OF_PEOPLE = NAMES | {Entity.INITIALS}
_MIN_WORDS = 3
_TAILS = ("H", "MC", "C", "HC", "HS", "HSC")
"""Letters of what a facility is, behind those of its name: CRCH of Coulee Ridge Children's, a hospital."""
_INITIAL_BEFORE = re.compile(
    r"(?:[\"“‘'(\[:,/|]\s?|\.{2,} ?|(?<!\S)(?:--?|[–—])\s?"
    r"|\b(?:by|with|to|from|and|labell?ed|for|[Dd]r\.?|Mr\.?|Mrs\.?|Ms\.?) )"
    r"(?P<initial>[A-Z]\. ?)$"
)
"""An initial in front of a surname: labeled "G. Holloway". Behind any other word it may end a sentence: hepatitis B."""


def grow_over_initials(text: str, spans: Sequence[Span]) -> list[Span]:
    """Return the spans with people's names grown over the initial in front of them, sorted and disjoint.

    Args:
        text: the note.
        spans: its spans, sorted and disjoint.
    """
    grown: list[Span] = []
    for span in spans:
        initial = _INITIAL_BEFORE.search(text[max(0, span.start - _BEFORE) : span.start])
        if span.entity in NAMES and initial:
            start = span.start - len(initial["initial"])
            inside = [one for one in grown[-1:] if one.start >= start]
            before = grown[: len(grown) - len(inside)][-1:]
            if not before or before[0].end <= start:
                del grown[len(grown) - len(inside) :]
                span = replace(span, start=start)
        grown.append(span)
    return grown


def mark_short_names(text: str, spans: Sequence[Span], min_score: float) -> list[Span]:
    """Return ``spans`` with the initials of people and the acronyms of organizations that stand in full, sorted. O(n).

    Args:
        text: the note.
        spans: spans of the note, sorted and disjoint.
        min_score: the lowest score of a full name.
    """
    certain = [span for span in spans if span.score >= min_score]
    acronyms, medical = _acronyms(text, certain)
    initials = initials_of_people(text, certain)
    signed = _signed_elsewhere(text, certain) - acronyms.keys() - initials
    called = _called(text, certain) - acronyms.keys()
    if not (acronyms or medical or initials or signed):
        return list(spans)
    starts, ends = [span.start for span in spans], [span.end for span in spans]
    kept, found = dict(enumerate(spans)), list[Span]()
    for match in _SHORT.finditer(text):
        start, end = match.span()
        marked = range(bisect_left(ends, start + 1), bisect_left(starts, end))
        if any(starts[index] < start or end < ends[index] for index in marked):
            continue
        start, form = _without_my(match, acronyms)
        known = medical if _OF_ORGANIZATION_BEHIND.match(text, end) else {}
        if (source := acronyms.get(form) or known.get(form)) is not None:
            if not marked:
                found.append(Span(start, end, source.entity, SHORT_NAMES, source.score))
            elif (starts[marked[0]], ends[marked[0]]) == (start, end):
                # "Blackstone Medical Group (BMG)": no state or somebody's initials.
                kept[marked[0]] = Span(start, end, source.entity, SHORT_NAMES, source.score)
            continue
        is_new = form in called or (form in signed and _is_signed(text, start, end))
        is_known = form in initials and form not in _SERVICES
        if not marked and (is_new or is_beside_initials(text, spans, start, end, is_known=is_known)):
            found.append(Span(start, end, Entity.INITIALS, SHORT_NAMES, 1.0))
        if form in initials and _is_of_person(text, spans, marked, start, end):
            for index in marked:
                # Recovery would take RT for a therapist; the full name says that it is Rose Tannenbaum.
                del kept[index]
            found.append(Span(start, end, Entity.INITIALS, SHORT_NAMES, 1.0))
    small = _in_small_letters(text, initials)
    found += (one for one in small if bisect_left(ends, one.start + 1) == bisect_left(starts, one.end))
    return sorted((*kept.values(), *found))


def _without_my(match: re.Match[str], acronyms: Mapping[str, Span]) -> tuple[int, str]:
    """Return letters and where they begin, without the My of a portal: MyTRUH of TRUH."""
    form = match.group()
    if form.startswith("My") and form[2:] in acronyms:
        return match.start() + 2, form[2:]
    return match.start(), form


def _in_small_letters(text: str, initials: frozenset[str]) -> list[Span]:
    """Return the initials in small letters that stand where somebody signs."""
    found = (match.span(match.lastgroup or 0) for match in _SIGNED_IN_SMALL_LETTERS.finditer(text))
    letters = ((start, end) for start, end in found if text[start:end].upper() in initials)
    return [Span(start, end, Entity.INITIALS, SHORT_NAMES, 1.0) for start, end in letters]


def _is_of_person(text: str, spans: Sequence[Span], marked: range, start: int, end: int) -> bool:
    """Whether letters that may be the initials of a full name are such where they stand."""
    if not all(spans[index].entity in _OF_PEOPLE for index in marked):
        return False
    if is_degree(text, start, end):
        return False
    form = text[start:end]
    is_exact = _is_exactly(text, spans, marked, start, end)
    if is_exact or _is_signed(text, start, end) or _is_telling(form) or is_dotted_person(form):
        return True
    if is_author(text, start, end) or is_on_label(text, start, end):
        return True
    has_title = _TITLE_BEFORE.search(text[max(0, start - _BEFORE) : start])
    return form not in _SERVICES and not has_title and is_subject(text, start, end)


def _is_exactly(text: str, spans: Sequence[Span], marked: range, start: int, end: int) -> bool:
    """Whether letters are all of a name that a detector found: the surgeon DO is Dean Okafor, and Dr. NG is not."""
    is_whole = len(marked) == 1 and (spans[marked[0]].start, spans[marked[0]].end) == (start, end)
    return is_whole and _TITLE_BEFORE.search(text[max(0, start - _BEFORE) : start]) is None


def _acronyms(text: str, spans: Sequence[Span]) -> tuple[dict[str, Span], dict[str, Span]]:
    """Return the acronyms of the note's organizations, each with its organization; and those that medicine uses.

    They are introduced in brackets behind the name, or made of three words or more: TRUH of Three Rivers University
    Hospital, unless medicine uses the letters otherwise.
    """
    known: dict[str, Span] = {}
    medical: dict[str, Span] = {}
    for span in spans:
        if span.category is Category.ORGANIZATION:
            name = text[span.start : span.end]
            match = _IN_BRACKETS.match(text, span.end, span.end + _BEFORE)
            if match and _is_acronym(match[1], name):
                known.setdefault(match[1], span)
            made = _acronym_of(name)
            if _MIN_ANYWHERE <= len(made) <= _MAX_LETTERS:
                (medical if made.lower() in medical_abbreviations() else known).setdefault(made, span)
            for form in (f"{made}{tail}" for tail in _TAILS if len(made) >= _MIN_ANYWHERE):
                if span.entity is Entity.FACILITY and form.lower() not in medical_abbreviations():
                    known.setdefault(form, span)
    return known, medical


def _acronym_of(name: str) -> str:
    """Return the acronym of a name of three words or more, in which short words in capitals stand whole: VA, MC."""
    words = [word for word in _WORD.findall(name) if word.lower() not in _SMALL_WORDS]
    if len(words) < _MIN_WORDS:
        return ""
    is_upper = name.isupper()
    return "".join(
        word if word.isupper() and len(word) <= _MIN_WORDS and not is_upper else word[0] for word in words
    ).upper()


def _is_acronym(letters: str, name: str) -> bool:
    words = [word for word in _WORD_OR_SIGN.findall(name) if word.lower() not in _SMALL_WORDS]
    first = "".join(word[0] for word in words).upper()
    return _MIN_LETTERS <= len(letters) <= _MAX_LETTERS and letters.upper() == first


def initials_of_people(text: str, spans: Sequence[Span]) -> frozenset[str]:
    """Return the letters by which the people may sign who are named in full."""
    return frozenset(form for span in spans if span.entity in NAMES for form in _forms(text[span.start : span.end]))


def _signed_elsewhere(text: str, spans: Sequence[Span]) -> frozenset[str]:
    """Return the letters in capitals of the initials in the note: OT and KJB of OT/kjb."""
    found = (text[span.start : span.end] for span in spans if span.entity is Entity.INITIALS)
    parts = (part for value in found for part in _WORD.findall(value))
    return frozenset(part.upper() for part in parts if _MIN_LETTERS <= len(part) <= _MAX_LETTERS and part.isascii())


def _called(text: str, spans: Sequence[Span]) -> frozenset[str]:
    """Return the initials by which somebody is called, which quotes tell: Cassius Jr. ("CJ," 24)."""
    return frozenset(
        letters
        for span in spans
        if span.entity is Entity.INITIALS and text[span.start - 1 : span.start] in {'"', "“"}
        if (letters := text[span.start : span.end]).isupper() and letters.lower() not in medical_abbreviations()
    )


def _is_signed(text: str, start: int, end: int) -> bool:
    """Whether letters stand where somebody signs, or is told something."""
    before = text[max(0, start - _REACH) : start]
    if text[start:end] not in _SERVICES and (_ADDRESSED_BEFORE.search(before) or _ACTS_BEHIND.match(text, end)):
        return True
    line = text[text.rfind("\n", 0, start) + 1 : text.find("\n", end) if "\n" in text[end:] else len(text)]
    if line.isupper() and len(line.split()) >= _MIN_COLUMNS and not any(map(str.isdigit, line)):
        return False  # the columns of a table
    is_announced = _SIGNED_BEFORE.search(before[-_BEFORE:])
    return bool(is_announced) and _SIGNED_BEHIND.match(text, end) is not None


def _is_telling(form: str) -> bool:
    """Whether letters that agree with a whole name are somebody's wherever they stand: RBM was seen."""
    letters = form.replace(".", "")
    return len(letters) >= _MIN_ANYWHERE and letters.lower() not in medical_abbreviations()


def _forms(name: str) -> set[str]:
    """Return the initials of a full name: of all its words, and of the first given name with the surname."""
    surname, comma, given = name.partition(",")
    words = [match.group() for match in _WORD.finditer(f"{given} {surname}" if comma else name)]
    letters = "".join(word[0] for word in words).upper()
    last = _PREFIXED.match(words[-1]) if len(words) > 1 else None
    prefixed = {f"{words[0][0]}{last['prefix']}{end}" for end in (last["letter"], "")} if last else set[str]()
    if not _MIN_LETTERS <= len(letters) <= _MAX_LETTERS or not letters.isascii():
        return prefixed
    ends = letters[0] + letters[-1]
    halves = words[-1 if not comma else 0].split("-")
    if len(halves) == 1 and "-" in name:
        # "P.O-T" of Priscille Ouellon-Tait.
        prefixed |= {f"{letters[0]}.{letters[-2]}-{letters[-1]}{stop}" for stop in ("", ".")}
    if not comma and _HYPHENED_GIVEN.match(name):
        prefixed.add(f"{letters[0]}-{letters[1]}")  # "M-J" of Marie-Josée
    forms = {form for one in (letters, ends) for form in (one, "".join(f"{letter}." for letter in one))}
    return prefixed | forms | forms_of_double_surname(surname if comma else words[-1], name, letters)
