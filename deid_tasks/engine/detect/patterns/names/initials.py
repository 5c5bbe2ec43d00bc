"""Initials of those who wrote a note or a line: alone on a line, behind a sentence, in the last column of a table."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from deid_tasks.engine.detect.patterns.names.initial_words import (
    CLOCK,
    DAY,
    HEADINGS,
    LETTERS,
    NEVER,
    PAIR,
    UNITS,
    initials_candidate,
    is_abbreviation,
    is_in_capitals,
    line_around,
    may_sign,
)
from deid_tasks.engine.detect.patterns.reference_words import is_frequent_word
from deid_tasks.engine.detect.patterns.rule import Candidate
from deid_tasks.engine.detect.patterns.word_lists import NOT_NAMES, word_set
from deid_tasks.engine.lexicon.public import medical_abbreviations

_LINE_END = r"[ \t.]{0,4}$"

OWN_LINE_TRIGGER = (
    rf"(?m)^[ \t]{{0,60}}(?:- ?|~ ?|-- ?)?{PAIR}"  # - MTO, /mto, MTO:jd
    rf"(?: {{1,3}}{DAY}(?: {{1,2}}{CLOCK})?)?{_LINE_END}"  # with the day and the time
)
_BEFORE_A_DAY = frozenset({"on", "in", "by", "to", "at", "of", "til", "the", "and", "or", "due", "as", "for", "ref"})
_HEADINGS_AS_WRITTEN = frozenset({"Ix", "Mx", "Px"})
"""Headings that are somebody's initials in capitals: investigations, management, MX."""
_PAIRS_OF_WORDS = frozenset({"hi/si", "si/hi", "ot/pt", "pt/ot", "am/pm", "cp/sob"})


def read_initials_on_line(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read a line that holds nothing but initials, and perhaps the day: MTO, /mto, MTO:jd, jd 3/14/21."""
    stretch = text[start:end].strip()
    if stretch.strip("~-. /").lower() in _PAIRS_OF_WORDS:
        return
    words = list(LETTERS.finditer(text, start, end))[:2]
    if not words or (words[0].start() - start > 8 and len(stretch) > 8):
        return
    is_pair = len(words) == 2 and any(mark in stretch for mark in ":/")
    if is_pair or (stretch[:1] in {"/", "~", "-"} and len(words[0].group()) < 4):
        if not all(word.group().lower() in HEADINGS | UNITS for word in words):
            yield from (initials_candidate(*word.span()) for word in words)
    elif _signs_note(text, start, end, words[0].group()):
        yield initials_candidate(*words[0].span())


def _signs_note(text: str, start: int, end: int, word: str) -> bool:
    """Whether letters alone on a line sign what stands above."""
    low = word.lower()
    above = text[max(0, start - 160) : start].rstrip("\n ")
    line_above = above[above.rfind("\n") + 1 :]
    if len(word) > 3 or low in HEADINGS or word in _HEADINGS_AS_WRITTEN or not line_above:
        return False
    is_dated = any(character.isdigit() for character in text[start:end].strip())
    ends_sentence = line_above[-1:] in {".", "!", "?", ")", "]"} or line_above[-1:].isdigit()
    if is_dated and word.islower() and low not in medical_abbreviations() | UNITS | _BEFORE_A_DAY:
        return True  # be 3/14/21, who has the initials of a word
    if is_frequent_word(low) or low in medical_abbreviations() or low in UNITS:
        is_last = text[end : end + 2] in {"", "\n", "\n\n"}
        is_signed = word.isupper() and (ends_sentence or is_dated or is_last)
        return is_signed and not is_in_capitals(line_above) and (is_dated or low not in medical_abbreviations())
    return ends_sentence or is_dated or word.islower() or len(line_above) > 2 or text[end:].strip() == ""


AFTER_SENTENCE_TRIGGER = (
    r"(?m)[.!?)\]] {1,4}/?\(?/?[A-Za-z]{2,3}(?:/{1,2}[A-Za-z]{2,3})?\)?"  # … with her daughter. mto
    rf"(?: {{1,2}}{DAY})?{_LINE_END}"
    r"|[.!?)] {1,3}[A-Z]{2,3},? (?:RN|LPN|CNA|CMA|RT|RPh|RMA)\b"  # … slept well. MTO, RN
)
_ABBREVIATION_BEFORE = re.compile(r"(?i:dr|mr|ms|st|vs)$|(?:^|\s)[0-9]{1,2}$|^[A-Z]-[A-Z]$")
"""An abbreviation, the number of an item, or the blocks of a specimen: "remainder B-F. AE."."""
_TWO_OR_THREE = re.compile(r"[A-Za-z]{2,3}(?![A-Za-z])")
_NURSES = frozenset({"RN", "LPN", "CNA", "CMA", "RT", "RPh", "RMA"})
_ITEM_BEFORE = re.compile(r"^\s*\W?[0-9A-Za-z]{0,2}$")
"""The number of an item in front of its mark, or nothing in front of a mark at the beginning of a line."""
_SENTENCES_OF_ONE_WORD = word_set("names", "sentences_of_one_word")
_DAY_BEHIND = re.compile(r":? {0,2}\d")
_LINE_END_BEHIND = re.compile(r"[ \t.]{0,4}(?:\n|$)| \d")


@dataclass(slots=True)
class _Sentence:
    """The end of a sentence with letters behind it."""

    text: str
    mark: int
    """Where the mark of the sentence stands."""
    in_capitals: bool
    """Whether its line is in capitals."""
    is_dated: bool
    """Whether a day stands behind the letters."""


def read_initials_after_sentence(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read … with her daughter. mto"""
    if text[start] == "." and _ABBREVIATION_BEFORE.search(text[max(0, start - 3) : start]):
        return
    sentence = _Sentence(text, start, is_in_capitals(line_around(text, start)), text[end - 1].isdigit())
    begin = start + 1
    while text[begin] in " /(":
        begin += 1
    for match in _TWO_OR_THREE.finditer(text[begin:end]):
        low, high, word = begin + match.start(), begin + match.end(), match.group()
        if word not in _NURSES and not _continues(text, high) and _signs_sentence(sentence, word, low):
            yield initials_candidate(low, high)


def _continues(text: str, end: int) -> bool:
    """Whether the next line continues the sentence."""
    return text[end : end + 1] == "\n" and text[end + 1 : end + 2].islower() and text[end + 1 : end + 4].isalpha()


def _signs_sentence(sentence: _Sentence, word: str, start: int) -> bool:
    low = word.lower()
    if low == "lmp" and _DAY_BEHIND.match(sentence.text, start + len(word)):
        return False  # the day of a last menstrual period
    if may_sign(word, in_capitals=sentence.in_capitals):
        return True
    if sentence.in_capitals or low in NEVER or not (sentence.is_dated or word.isupper()):
        return False
    if not is_abbreviation(low):
        return True
    line = sentence.text[max(0, sentence.mark - 40) : sentence.mark]
    is_item = _ITEM_BEFORE.search(line[line.rfind("\n") + 1 :])
    return not is_item and _stands_only_at_ends(sentence.text, word, start)


def _stands_only_at_ends(text: str, word: str, start: int) -> bool:
    """Whether letters that are also an abbreviation stand at the ends of lines only, as initials do."""
    low = word.lower()
    if low in _SENTENCES_OF_ONE_WORD or low in HEADINGS:
        return False
    window = text[max(0, start - 2_000) : start + 2_000]
    return all(_LINE_END_BEHIND.match(window[one.end() : one.end() + 6]) for one in re.finditer(rf"\b{word}\b", window))


COLUMN_TRIGGER = (
    rf"(?m)^[ \t]{{0,4}}{DAY}[^\n]{{3,90}} {{3}}/?[A-Za-z]{{2,3}}[ \t]{{0,4}}$"  # a row that begins with a day
    rf"|(?:(?-i:[A-Za-z0-9]) {{3,40}}|\bok |\b(?:{DAY}|{CLOCK}) {{1,3}})"  # a column, ok, a day or a time
    r"/?[A-Za-z]{2,3}(?:[:/]{1,2}[A-Za-z]{2,4})?[ \t]{0,4}$"
    r"|(?m)\| {0,4}[A-Za-z]{2,3}/[A-Za-z]{2,3} {0,4}\|?[ \t]{0,4}$"  # the last cell of a row
)
_LAST_COLUMN = re.compile(r"/?([A-Za-z]{2,3})(?:[:/]{1,2}([A-Za-z]{2,4}))?[ \t]*\|?[ \t]*$")


def read_initials_in_column(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read the last column of a table, or letters behind a date or a time at the end of a line."""
    match = _LAST_COLUMN.search(text[start:end])
    if match is None:
        return
    lead = text[start : start + match.start()]
    has_figure = any(character.isdigit() for character in line_around(text, start))
    for group in (1, 2):
        letters: str | None = match.group(group)
        if letters is None:
            continue
        if not _fills_column(letters, lead) or not (has_figure or lead.endswith("ok ")):
            return
        yield initials_candidate(start + match.start(group), start + match.end(group))


def _fills_column(letters: str, lead: str) -> bool:
    low = letters.lower()
    if low in NEVER or low in HEADINGS:
        return False
    is_known = low in UNITS or low in medical_abbreviations() or low in NOT_NAMES
    if is_known and not (letters.isupper() and lead.endswith("ok ")):
        return False
    return not letters.islower() or not (is_frequent_word(low) or lead.endswith("   "))
