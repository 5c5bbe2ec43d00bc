"""A patient's names that are everyday words, where the letter case does not show that they are names.

``Will denies pain`` is found by its capital letter. In ``will denies pain`` and ``WILL DENIES PAIN`` only the words
around it show that it is a name, and in ``comfy rested well`` the rarity of the word does. The patient detector and the
audit use the same rule, so that the audit passes nothing that the detector has to find.

A word needs the less context, the rarer it is:

- a rare word (``comfy``, ``moody``) is a name wherever it stands in the patient's own notes;
- an everyday word (``grace``, ``stone``) is one where a person stands: after a title, ``goes by`` or ``spoke with``, or
  at the beginning of a clause before what only a person does (``denies``, ``was seen``), or has (``grace's``);
- the most frequent words (``will``, ``long``) need words on both sides after ``told``, and no possessive is enough.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from deid_tasks.core.reference import read_columns
from deid_tasks.engine.lexicon.normalise import normalise
from deid_tasks.engine.lexicon.public import FREQUENT_ZIPF, common_word_frequencies, more_common_words

RARE_ZIPF = 4.0
"""Words below this frequency (Zipf scale) stand in general English less than once in 100,000 words: about 400 notes."""
MIN_RARE = 4
"""Letters of the shortest word that is a name wherever it stands."""
MIN_IN_CONTEXT = 3
"""Letters of the shortest word that is a name beside the words of a person."""
_BEDSIDE_WORDS = frozenset(
    (
        "bump",
        "crook",
        "dial",
        "dull",
        "freshwater",
        "gran",
        "locker",
        "pastor",
        "porch",
        "puff",
        "rusty",
        "sage",
        "slough",
        "sober",
        "spoon",
        "stacks",
        "tester",
        "wight",
    )
)
"""Words that are rare in general English, and stand in clinical notes of the train world or in the external notes that
rules may be written from."""
_MODALS = frozenset(("will", "may"))
_BEFORE_CHARACTERS, _AFTER_CHARACTERS = 32, 48

_TITLE = re.compile(r"(?<!\w)(?:(?:mr|mrs|mister|mx)\.?|ms\.|miss|ms)\s\Z", re.IGNORECASE)
_CERTAIN_TITLE = re.compile(r"(?<!\w)(?:(?:mr|mrs|mister|mx)\.?|ms\.)\s\Z", re.IGNORECASE)
_NAMED = re.compile(
    r"(?<!\w)(?:goes\ by|(?:likes|prefers|wishes|wants)\ to\ be\ called:?|known\ as|named|nicknamed|nickname:?"
    r"|preferred\ name:?|name\ is|name:|aka|dear|hi|hello)\s{1,3}[\"'“‘]?\Z",
    re.IGNORECASE,
)
_ADDRESSED = re.compile(
    r"(?<!\w)(?:told|informed|reminded|advised|instructed|counsell?ed|asked|reassured|thanked|greeted"
    r"|(?:met|spoke|talked|discussed)\ (?:with|w/)|(?:spoke|talked)\ to|d/w|called"
    r"|left\ (?:an?\ )?(?:msg|message|vm|voicemail)\ for|(?:pt|patient|client):)\s\Z",
    re.IGNORECASE,
)
_RELATION = re.compile(
    r"(?<!\w)(?:wife|husband|son|daughter|mother|father|mom|dad|brother|sister|partner|fianc[eé]e?|spouse|cousin|aunt"
    r"|uncle|niece|nephew|grandson|granddaughter|grandmother|grandfather),?\s\Z",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"(?:\A|\n|[.;:!?,(•*>-]|(?<!\w)(?:and|but|that|because|while|when|since|if|after|before|until|although|though"
    r"|today|yesterday|overnight))\s*\Z",
    re.IGNORECASE,
)
_PREPOSITION = re.compile(r"(?<!\w)(?:with|for|by|about|regarding|of|to|from|in)\s\Z", re.IGNORECASE)
_ADVERB = r"(?:\s(?:also|still|now|again|not|\w{2,}ly))?"
_PERSON_VERB = re.compile(
    _ADVERB + r"\s(?:denie[sd]|report(?:s|ed)|state[sd]|say?s|said|complain(?:s|ed)|agree[sd]|understands|understood"
    r"|verbali[sz]e[sd]|endorse[sd]|feels|felt|decline[sd]|refuse[sd]|rested|slept|ate|ambulated|voided|walked"
    r"|tolerated|lives|arrived|came|went|return(?:s|ed)|present(?:s|ed)|asks|asked|wants|wanted|needs|likes|thinks"
    r"|smiled|cried|met\ with|spoke|called|told|doing|sleeping|resting|feeling|asking)\b"
    r"|,\syou\b",
    re.IGNORECASE,
)
_PERSON_STATE = re.compile(
    rf"{_ADVERB}\s(?:(?:will|would|can)\s(?:call|come|follow|go|return|see|try)|(?:is|was|has\ been|had\ been){_ADVERB}"
    r"\s(?:an?\ \d|seen|admitted|discharged|evaluated|examined|told|brought|transferred|doing|feeling|resting|sleeping"
    r"|asleep|alert|awake|able|unable|accompanied|ambulating|here|referred|asked|encouraged|intubated|extubated"
    r"|taken\ to|afebrile|tearful|pleasant|happy|anxious|married))\b",
    re.IGNORECASE,
)
_POSSESSIVE = re.compile(r"['’]s\s", re.IGNORECASE)
_AFTER_ADDRESSED = re.compile(
    r"\s*(?:[.,;:)@(]|\Z|\n|[0-9]{3}|\s(?:that|to|about|and|of|not|regarding|re)\b)", re.IGNORECASE
)
_MIN_LINE_WORDS = 3


@dataclass(frozen=True, eq=False)
class EverydayNames:
    """The names of one patient that are everyday words; its ``repr`` shows none."""

    patterns: tuple[re.Pattern[str], ...] = field(repr=False)
    """Match names of several words and names of one word, whole and in any letter case."""
    bits: dict[str, int] = field(repr=False)
    """The payload bit of each name, by its words in lower case."""


def everyday_names(names: Iterable[tuple[str, int]]) -> EverydayNames | None:
    """Return those of ``names``, normalised and each with its payload bit, of which every word is an everyday word.

    ``None`` if there are none. Of a name that is given twice, the first bit counts.
    """
    bits: dict[str, int] = {}
    for name, bit in names:
        *before, last = name.split()
        words = [word for word in (*before, last) if len(word) > 1 or word is last]
        if all(len(word) >= MIN_IN_CONTEXT and is_public_word(word) for word in words):
            bits.setdefault(name, bit)
    if not bits:
        return None
    full = [name for name in bits if " " in name]
    single = [name for name in bits if " " not in name]
    return EverydayNames(tuple(_pattern(forms) for forms in (full, single) if forms), bits)


def _pattern(forms: Iterable[str]) -> re.Pattern[str]:
    longest_first = sorted(forms, key=len, reverse=True)
    # An initial has its full stop, and stands before a name: "a stone" is prose in the notes of Anna Stone.
    alternatives = "|".join(re.sub(r"\b(\w) ", r"\1\\. ", form).replace(" ", r",?[ ]+") for form in longest_first)
    return re.compile(rf"(?<!\w)(?<!\w[-'’])(?:{alternatives})(?![\w-])", re.IGNORECASE)


def find_everyday_names(text: str, names: EverydayNames, own: int) -> Iterator[tuple[int, int, int]]:
    """Yield start, end and payload bit of each mention whose letter case does not show that it is a name.

    Args:
        text: a note.
        names: the everyday words among the names of its patient.
        own: the payload bits of the patient's own names; the others are names of relatives.
    """
    found: list[tuple[int, int]] = []
    for match in (match for pattern in names.patterns for match in pattern.finditer(text)):
        start, end = match.span()
        written = match.group()
        if not (written.islower() or written.isupper()):
            continue
        if any(first <= start and end <= last for first, last in found):
            continue  # a part of a full name
        words = tuple(re.findall(r"\w+", written.lower()))
        bit = names.bits[" ".join(words)]
        is_case_uninformative = written.islower() or _is_in_capitals(text, start)
        if _is_plain(words) or (is_case_uninformative and _is_person(text, start, end, words, is_own=bool(bit & own))):
            found.append((start, end))
            yield start, end, bit


def is_rare_word(word: str) -> bool:
    """Whether an everyday word in lower case is so rare in clinical prose that beside no other word it is a name."""
    zipf = common_word_frequencies().get(word, FREQUENT_ZIPF)
    is_clinical = word in _BEDSIDE_WORDS or word in _medical_words()[1]
    return zipf < RARE_ZIPF and len(word) >= MIN_RARE and not is_clinical


@lru_cache(maxsize=1 << 16)
def is_public_word(word: str) -> bool:
    """Whether ``word``, normalised, is an everyday or a medical word of the public lists."""
    return word in common_word_frequencies() or word in more_common_words() or word in _medical_words()[0]


def is_medical_term(word: str) -> bool:
    """Whether ``word``, normalised, is a medical term of one word, such as a drug."""
    return word in _medical_words()[0]


def is_medical_word(word: str) -> bool:
    """Whether ``word``, normalised, stands in a medical term."""
    return word in _medical_words()[1]


@lru_cache(maxsize=1)
def _medical_words() -> tuple[frozenset[str], frozenset[str]]:
    """Return the medical terms of one word, and the words of all medical terms."""
    terms = [normalise(term).split() for (term,) in read_columns("medical_terms.tsv", "term")]
    return (
        frozenset(words[0] for words in terms if len(words) == 1),
        frozenset(word for words in terms for word in words),
    )


def _is_plain(words: tuple[str, ...]) -> bool:
    """Whether the words are a name without any context."""
    if len(words) == 1:
        return is_rare_word(words[0])
    # "may long", "young son" and "hep c. will" are prose; "grace young" and "g. young" are names of Grace Young.
    return _MODALS.isdisjoint(words) and not all(_is_frequent(word) and len(word) > 1 for word in words)


def _is_frequent(word: str) -> bool:
    return common_word_frequencies().get(word, 0.0) >= FREQUENT_ZIPF


def _is_person(text: str, start: int, end: int, words: tuple[str, ...], *, is_own: bool) -> bool:
    """Whether the words around an everyday word are those around a person."""
    before, after = text[max(0, start - _BEFORE_CHARACTERS) : start], text[end : end + _AFTER_CHARACTERS]
    is_frequent = all(_is_frequent(word) for word in words)
    if (_CERTAIN_TITLE if is_frequent else _TITLE).search(before) or _NAMED.search(before):
        return True
    if _ADDRESSED.search(before) and (not is_frequent or _AFTER_ADDRESSED.match(after)):
        return True
    if not is_own and not is_frequent and _RELATION.search(before):
        return True
    begins_clause = _CLAUSE.search(before) is not None
    if begins_clause and (_PERSON_VERB.match(after) or _PERSON_STATE.match(after)):
        return True
    has_possessive = not is_frequent and _POSSESSIVE.match(after) is not None
    return has_possessive and (begins_clause or _PREPOSITION.search(before) is not None)


def _is_in_capitals(text: str, start: int) -> bool:
    """Whether the line at ``start`` is written in capitals."""
    line = text[text.rfind("\n", 0, start) + 1 : _line_end(text, start)]
    return line.isupper() and len(line.split()) >= _MIN_LINE_WORDS


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end
