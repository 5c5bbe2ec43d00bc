"""Names behind a title: Dr. Okafor, Mrs. Okafor, Baby Okafor."""

import re
from collections.abc import Iterator

from deid_tasks.core.entities import Entity
from deid_tasks.engine.detect.patterns.names.name_parts import (
    LOWER_WORD,
    PARTICLE,
    may_be_name,
    name_candidates,
    name_in_small_letters,
    take_name,
)
from deid_tasks.engine.detect.patterns.reference_words import is_frequent_surname, is_plain_name
from deid_tasks.engine.detect.patterns.rule import Candidate, Strength, text_before
from deid_tasks.engine.detect.patterns.word_lists import as_word_set

DOCTOR_TRIGGER = (
    r"\b(?:D[Rr]s?\b\.?|dr\.|dr\b|Dep\.|DEP\.|Deputy|Trooper|Sgt\.|SGT\.|Cst\.|Const\.|Supt\.|Insp\.|Ofc\.?|OFC\.?"
    r"|Capt\.|CAPT\.|Cpl\.|CPL\.|Lt\.|Det\.|Doctor|DOCTOR|Doctors|Prof\.?|Professor|Attending|Nurse Practitioner|Nurse"
    r"|Chaplain|Rev\.|Reverend|Fr\.|Pastor|Sister|Judge|Officer|Detective|Coach) ?[A-Za-z]"
)
_ONE_LETTER = re.compile(r"[B-HJ-W]\.?(?:[,;:)(']| [(a-z]|\s?$|\n)")
"""A letter that stands for a name. Dr. X, Dr. Y and Dr. Z stand for nobody."""
_OFFICE_BEFORE = re.compile(r"(?:sheriff(?:'s)?|office|county|police|escort(?:ed)?(?: by)?)\W{1,3}$")
_WORDS_TOO = frozenset({"dep.", "lt.", "det."})
"""Titles that are abbreviations of other words too: Dep. Anxiety, Lt. Knee."""
_NEEDS_BLANK = as_word_set(
    "fr. ofc deputy trooper sister judge officer detective coach attending nurse practitioner doctor doctors dr drs"
)
"""Titles without a point: glued to the next letter they are the beginning of a word."""
_NOT_DOCTORS = as_word_set(
    "office appointment visit said told who today about again wants advised ordered note aware orders notes prescribed"
    " gave called recommends"
)
_CATHETER_BEFORE = re.compile(r"(?:foley|drain|cath(?:eter)?|sheath|tube|blake|stent)\W{1,3}[0-9]{1,2} $")
_LOWER_NAME = re.compile(LOWER_WORD)
_PARTICLE_AT = re.compile(PARTICLE)
_CREDENTIAL_OR_END = re.compile(r",? (?:MD|DO|NP|RN|PA)\b|\s*(?:[.,;)\n]|$)")
_BLANKS = re.compile(r"\s*")
_NEXT_DOCTOR = re.compile(r"(?:,| and|, and| &|/) ?(?:D[Rr]\.? )?(?=[A-Z])")


def read_doctor(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read Dr. Okafor, Drs. Okafor and Lim, DR OKAFOR, dr. okafor."""
    begin = end - 1
    title = text[start:begin].strip().lower()
    if title in _NEEDS_BLANK and text[begin - 1] != " ":
        return
    if title == "fr." and _CATHETER_BEFORE.search(text_before(text, start)):
        return  # "Foley 16 Fr."
    if text[begin].islower() and not _PARTICLE_AT.match(text[begin : begin + 8]):
        yield from _doctor_in_small_letters(text, start, begin, title)
        return
    span = take_name(text, begin, 3)
    if span is None:
        is_letter = title in {"dr", "dr."} and text[start : start + 2] == "Dr"
        if is_letter and _ONE_LETTER.match(text, begin, begin + 4):
            yield Candidate(begin, begin + 1, Entity.PROVIDER, Strength.LABELLED)
        return
    span = (begin, _end_of_capitals(text, begin, span[1]))
    is_title = title not in _WORDS_TOO or is_plain_name(text[slice(*span)])
    if not is_title and not _OFFICE_BEFORE.search(text_before(text, start)):
        return
    yield Candidate(*span, Entity.PROVIDER, Strength.LABELLED)
    more = _NEXT_DOCTOR.match(text, span[1], span[1] + 10)
    if more and title.startswith(("drs", "doctors")):
        yield from name_candidates(take_name(text, more.end(), 2), Entity.PROVIDER)


def _doctor_in_small_letters(text: str, start: int, begin: int, title: str) -> Iterator[Candidate]:
    word = _LOWER_NAME.match(text, begin, begin + 24)
    if word is None or title not in {"dr.", "dr"} or text[start] != "d":
        return
    value = word.group()
    if may_be_name(value) and value not in _NOT_DOCTORS and not value.endswith(("ed", "ing")):
        yield name_in_small_letters(word, Entity.PROVIDER)


def _end_of_capitals(text: str, begin: int, end: int) -> int:
    """Return the end of the first word where a line in capitals continues behind a name in capitals."""
    value, opening = text[begin:end], text[begin : begin + 3]
    if not (opening.isupper() and opening.isalpha()):
        return end
    blanks = _BLANKS.match(text, end)
    behind = blanks.end() if blanks else end
    if value.isupper() and not text[behind : behind + 1].isupper():
        return end
    if " " in value and not _CREDENTIAL_OR_END.match(text[end : end + 6]):
        return begin + len(value.split()[0])
    return end


MISTER_TRIGGER = (
    r"\b(?:M[Rr]s?|M[Ss]|Mme|Mlle|Madame|Monsieur|Mx|MX|Miss|MISS|Mister|Master|Sra?|Se[nx]ora?)\b\.? ?[A-Z]"
    r"|\b(?:Smt|Shri|Shrimati|Kum)\b\.? ?[A-Z]"
    r"|\b(?:Baby|BABY|Babyboy|Babygirl)(?: (?:[Bb]oy|[Gg]irl|BOY|GIRL|[A-B] ))?(?: of)? [A-Z]"
    r"|\b(?:mr|mrs|ms)\b\.? [a-z]"
)
BLANK_TRIGGER = r"\b(?:Dr|Mr|Mrs|Ms|Miss)\.? _{2,8}[a-z]{2,12}\b"


def read_half_of_name(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read the end of a name whose beginning the typist did not hear: Dr. ____man."""
    entity = Entity.PROVIDER if text.startswith("Dr", start) else Entity.PATIENT
    yield Candidate(text.rindex("_", start, end) + 1, end, entity, Strength.LABELLED)


_BRAND = re.compile(
    r"(?:Grass|Butterworth|Dash|Fields)(?:['’]?s)? (?:noodle|soup|onion|dip|syrup|season|herb|spice|cookie)"
)
_SEASONING = re.compile(r"Dash\b(?! [A-Z])")
_FOOD_BEFORE = re.compile(r"(?:salt|sodium|season\w*|spices?|herbs?|soup|rice|noodles?|ham|flavou?r\w*)[^\n]{0,24}$")
"""Mrs. Dash is a seasoning, and Mrs. Grass a soup, where food stands beside them."""
_WORD_OR_TITLE = frozenset({"MS", "MR", "Ms", "Sr", "SR", "Master", "Miss", "MISS"})
_FINDING_OR_TITLE = frozenset({"Sr", "SR", "MS", "MR"})
"""Titles that are also multiple sclerosis, mitral regurgitation, or senior behind a name."""


def read_mister(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read Mrs. Okafor, who is the patient as far as a title says."""
    begin = end - 1
    if text[begin].islower():
        word = _LOWER_NAME.match(text, begin, begin + 24)
        if word and may_be_name(word.group()):
            yield name_in_small_letters(word, Entity.PATIENT)
        return
    title = text[start:begin].strip()
    if title[:4].lower() == "baby":
        yield from _baby(text, begin)
        return
    if _is_word_or_finding(text, start, begin, title) or _is_brand(text, start, begin):
        return
    span = take_name(text, begin, 3)
    value = text[slice(*span)] if span else ""
    if title in {"MS", "MR", "MRS"} and " " in value and value.isupper():
        first = value.split()[0]
        span = (begin, begin + len(first)) if len(first.rstrip(".")) > 1 else span
    yield from name_candidates(span, Entity.PATIENT)


def _is_brand(text: str, start: int, begin: int) -> bool:
    """Whether a title opens the brand of a food."""
    if _BRAND.match(text, begin):
        return True
    return bool(_SEASONING.match(text, begin) and _FOOD_BEFORE.search(text_before(text, start)))


def _is_word_or_finding(text: str, start: int, begin: int, title: str) -> bool:
    """Whether a title is the beginning of a word, or a finding or a suffix in a list in capitals."""
    if title in {"MX", "MX."} and not text[begin : begin + 3].isupper():
        return True  # initials at the end of a sentence: "in to see MX. Rocephin 1 g"
    if title not in _WORD_OR_TITLE:
        return False
    if text[begin - 1] != " ":
        return True
    is_listed = text_before(text, start, 30)[-2:] in {", ", "/ "}
    return title in _FINDING_OR_TITLE and text[begin : begin + 4].isupper() and is_listed


def _baby(text: str, begin: int) -> Iterator[Candidate]:
    """Read Baby Okafor, where the last word is a name."""
    span = take_name(text, begin, 2)
    last = text[slice(*span)].split()[-1] if span else ""
    if span and (is_plain_name(last) or is_frequent_surname(last)):
        yield Candidate(*span, Entity.PATIENT)
