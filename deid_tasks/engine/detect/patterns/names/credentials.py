"""Names beside a credential: Maria T. Okafor, MD; MD Okafor; seen by okafor np."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from deid_tasks.core.entities import Entity
from deid_tasks.engine.detect.patterns.forms import Form, FormTable, always, never
from deid_tasks.engine.detect.patterns.names.name_parts import (
    CAPS_WORD,
    INITIAL,
    PARTICLE,
    TITLE_WORD,
    WORDS_AND_GIVEN_NAMES,
    may_be_name,
)
from deid_tasks.engine.detect.patterns.reference_words import (
    given_name_rates,
    is_everyday_word,
    is_frequent_surname,
    is_plain_name,
    medical_term_words,
)
from deid_tasks.engine.detect.patterns.rule import Candidate, Strength, text_before
from deid_tasks.engine.detect.patterns.word_lists import alternation, as_word_set

CREDENTIAL = alternation("names", "credentials")
CREDENTIAL_TRIGGER = rf"[A-Za-z.],? {{1,2}}(?:{CREDENTIAL})(?:[^A-Za-z0-9]|\b)"
_CREDENTIAL = re.compile(CREDENTIAL)
_WORD_IN_FRONT = re.compile(
    rf"(?:^|(?<=[\s(:\[/,]))(?:{PARTICLE}{{0,2}}(?:{TITLE_WORD}|{CAPS_WORD})|{INITIAL})(?P<comma>,?)$"
)
_ROLE_BEFORE = re.compile(r"([A-Z]{2,5}) (?=[A-Z][a-z])")
"""WOCN Heather Cross, BSN: letters of a role in front of a name."""
_LOOSE_CREDENTIALS = as_word_set("PA DO MS MA OT PT RT OD DC SLP RD CNS ATC RN CDE EMT CNA NP MD LPN")
"""Credentials that are abbreviations of other things too."""
_ABBREVIATIONS_BEHIND_CAPITALS = as_word_set("PT OT MS MA PA DO RT DC MD")
_STATES_AND_ABBREVIATIONS = as_word_set("MA PA MS DC MD OD RT PT OT DO")
_NOT_CAPITAL = re.compile(r"[^A-Z]")
_LONG_CAPITALS = re.compile(r"[A-Z]{3,}")
_TOWN_BEFORE = re.compile(r"(?:^|[^a-z])(?:in|from|of|to|near|at|lives)\s$")


@dataclass(slots=True)
class _NameInFront:
    """The words in front of a credential that may be a name."""

    start: int
    words: int
    longest: int
    """Letters of the longest word that is not an initial."""


@dataclass(slots=True)
class _CreditedName:
    """A name, what separates it from its credential, and the capitals of the credential."""

    text: str
    start: int
    end: int
    words: int
    credential: str

    @property
    def value(self) -> str:
        return self.text[self.start : self.end]

    @property
    def has_comma(self) -> bool:
        return self.text[self.end : self.end + 1] == ","

    @property
    def is_loose(self) -> bool:
        return self.credential in _LOOSE_CREDENTIALS

    @property
    def opens_line(self) -> bool:
        return self.start == 0 or self.text[self.start - 1] == "\n"


def _is_words_in_capitals(name: _CreditedName) -> bool:
    if not name.is_loose or not name.value.isupper():
        return False
    words = (word for word in _LONG_CAPITALS.findall(name.value) if not is_frequent_surname(word))
    return any(is_everyday_word(word) or word.lower() in medical_term_words() for word in words)


def _lacks_comma(name: _CreditedName) -> bool:
    if name.has_comma or not name.is_loose:
        return False
    return name.words == 1 or (name.value.isupper() and not name.opens_line)


def _is_credential(name: _CreditedName) -> bool:
    """Whether the one word in front of a credential is a credential too, behind a comma: MS, RDN, LDN."""
    is_behind_comma = name.text[max(0, name.start - 2) : name.start] == ", "
    return name.words == 1 and is_behind_comma and _CREDENTIAL.fullmatch(name.value) is not None


def _is_list_of_abbreviations(name: _CreditedName) -> bool:
    is_short = name.value.isupper() and len(name.value) < 4
    return name.has_comma and name.words == 1 and is_short and name.credential in _ABBREVIATIONS_BEHIND_CAPITALS


def _is_town_and_state(name: _CreditedName) -> bool:
    if not name.has_comma or name.words != 1 or name.credential not in _STATES_AND_ABBREVIATIONS:
        return False
    return _TOWN_BEFORE.search(text_before(name.text, name.start)) is not None


def _is_speciality(name: _CreditedName) -> bool:
    """Whether the letters in front of a year of training are a speciality: OB PGY-3."""
    is_letters = name.words == 1 and name.value.isupper() and len(name.value) < 5
    return is_letters and name.credential.startswith("PGY") and not is_frequent_surname(name.value)


CREDITED_NAMES: FormTable[_CreditedName, bool] = FormTable(
    "names with a credential",
    Form("everyday words in capitals", "PLASTIC WINDOW, RN", _is_words_in_capitals, never),
    Form("one word without a comma", "Zestril PA", _lacks_comma, never),
    Form("list of abbreviations", "LLD, PT", _is_list_of_abbreviations, never),
    Form("credential", "[PROVIDER:Fiona Okafor], MS, RDN, LDN", _is_credential, never),
    Form("speciality", "OB PGY-3", _is_speciality, never),
    Form("town and state", "lives in [CITY:Boston], [STATE:MA]", _is_town_and_state, never),
    Form("name", "seen [PROVIDER:Maria T. Okafor], MD", always, always),
)
"""Which words in front of a credential are the name of a clinician."""


def read_credited_name(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read the words in front of a credential: Maria T. Okafor, MD."""
    last = start + 1
    name = _name_in_front(text, last)
    if name.words == 0 or name.longest < 2:
        return
    low = name.start
    role = _ROLE_BEFORE.match(text, low, last)
    if role and name.words > 1 and not is_plain_name(role[1]):
        low = role.end()
    if low > 0 and text[low - 1].isalnum():
        return
    if text[end : end + 1].isalnum() and text[end - 1].isalnum():
        return
    credential = _NOT_CAPITAL.sub("", text[last:end].upper())
    if CREDITED_NAMES.decide(_CreditedName(text, low, last, name.words, credential)):
        yield Candidate(low, last, Entity.PROVIDER, Strength.FORMAT)


def _name_in_front(text: str, last: int) -> _NameInFront:
    """Return the name that ends at ``last``, read from its end: up to four words, with a comma before the last."""
    floor = max(0, last - 70)
    start = stop = last
    words = longest = 0
    while words < 4:
        match = _WORD_IN_FRONT.search(text[floor:stop])
        if match is None or not _belongs_to_name(match, words):
            break
        word = match.group().rstrip(",")
        if len(word.rstrip(".")) > 1:
            longest = max(longest, len(word))
        words += 1
        start = floor + match.start()
        if match.group("comma") or start == 0 or text[start - 1] != " ":
            break
        stop = start - 1
    return _NameInFront(start, words, longest)


def _belongs_to_name(match: re.Match[str], words: int) -> bool:
    """Whether one more word belongs to a name of which ``words`` are read."""
    word = match.group().rstrip(",")
    if match.group("comma") and words == 0:
        return False
    if len(word.rstrip(".")) == 1:
        return not match.group("comma")
    parts = word.split()
    return len(parts) > 1 or may_be_name(word) or (words > 0 and word in WORDS_AND_GIVEN_NAMES)


LOWER_CREDITED_TRIGGER = (
    r"\b(?:w/|with|per|by|to|from|d/w|see|saw) ?[a-z]{3,15},? "
    r"(?:lcsw|licsw|rn|np|md|msw|lpn|pharmd|dnp|aprn|crna|pa-c)\b"
)
_LOWER_CREDITED_NAME = re.compile(r"(?:/| )([a-z]{3,15})(,?) [a-z\-]{2,6}$")


def read_credited_in_small_letters(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read group w/ hope, lcsw and seen by okafor np."""
    match = _LOWER_CREDITED_NAME.search(text[start:end])
    if match is None or not may_be_name(match[1]):
        return
    if is_plain_name(match[1]) or (match[2] and match[1] in given_name_rates()):
        yield Candidate(start + match.start(1), start + match.end(1), Entity.PROVIDER)


_WORD = r"[A-Za-z][A-Za-z'\-]{2,24}"
CREDENTIAL_FIRST_TRIGGER = rf"\b(?:MD|RN|NP|PA) {_WORD}(?:[^A-Za-z]|$)"
_WORD_AT = re.compile(_WORD)


def read_name_behind_credential(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read day 2  MD Okafor and BEDSIDE MD OKAFOR CALLED."""
    match = _WORD_AT.match(text, start + 3, end)
    if match is None or not match.group()[0].isupper() or not may_be_name(match.group()):
        return
    word = match.group()
    if is_plain_name(word) or is_frequent_surname(word):
        yield Candidate(*match.span(), Entity.PROVIDER)
    elif word[1:].islower() and not is_everyday_word(word) and word.lower() not in medical_term_words():
        yield Candidate(*match.span(), Entity.PROVIDER, Strength.WEAK)
