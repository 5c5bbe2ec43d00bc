"""Occupations: behind works as and the like, and in passing: his sister, a teacher; 45F, landscaper."""

import re
from collections.abc import Iterator

from deid_tasks.core.entities import Entity
from deid_tasks.engine.detect.patterns.rule import Candidate, Strength
from deid_tasks.engine.detect.patterns.word_lists import alternation, word_set

PROFESSION_TRIGGER = (
    r"(?i)\b(?:works?|worked|working|employed|job|career|employment)(?: (?:full|part)[ -]time)?(?: currently)? as "
    r"(?:an? |the )?[a-z]"  # works part-time as a
    r"|\byears as (?:an? )?[a-z]"  # 30 years as a
    r"|\b(?:retired|semi-retired), was an? [a-z]"  # retired, was a
    r"|\b(?:occupation|profession|job title|vocation)(?: is|:| -)[ ]{1,3}(?:an? )?[a-z]"  # occupation:
    r"|\b(?:is|was|as) an? (?:retired|former|disabled) [a-z]"  # is a retired
    r"|\b(?:retired|former) [a-z]{3,20}\b"  # retired teacher
)
_PROFESSION_WORDS = re.compile(r"[A-Za-z][A-Za-z'\-/]{1,24}(?: [A-Za-z][A-Za-z'\-/]{1,24}){0,4}")
_WORD = re.compile(r"\S+")
_WORDS_BEHIND = word_set("organizations", "words_after_a_profession")
_NOT_PROFESSIONS = word_set("organizations", "not_professions")
_FORMER = ("years as", "retired ", "former ", "disabled ")
_FIRM_BEHIND = re.compile(r" (?:at|in|of|with|for) ")
_NOT_FORMER = frozenset({"after", "over", "later", "for", "consultant's", "never"})
_ENDING_OF_OCCUPATION = re.compile(
    r"(?:er|or|ist|ian|man|men|woman|ant|ent|eer|nurse|cook|chef|clerk|judge|pilot|coach|guard|aide|smith|person|keeper"
    r"|wright|maid|host|ess|ee|ic|ary)$"
)


def read_profession(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read works as an accountant, occupation: welder, retired teacher."""
    low = text[start:end].lower()
    begin = text.rfind(" ", start, end) + 1 if low.startswith(("retired", "former")) else end - 1
    match = _PROFESSION_WORDS.match(text, begin, begin + 90)
    if match is None:
        return
    value = _words_of_profession(match.group())
    if not value or value.lower().split()[0] in _NOT_PROFESSIONS:
        return
    if any(phrase in low for phrase in _FORMER):
        value = _words_of_former_profession(value)
    if value.lower() == "partner" and not _FIRM_BEHIND.match(text, begin + len(value)):
        return  # your former partner Dr. Okafor
    if value and value.lower().split()[-1] not in _NOT_PROFESSIONS:
        yield Candidate(begin, begin + len(value), Entity.PROFESSION)


def _words_of_profession(value: str) -> str:
    """Return up to four words, as far as they name a profession."""
    stop = 0
    for count, word in enumerate(_WORD.finditer(value)):
        if count == 4 or word.group().lower() in _WORDS_BEHIND:
            break
        stop = word.end()
    return value[:stop]


def _words_of_former_profession(value: str) -> str:
    """Return up to three words that end like an occupation; other words stand behind retired and former too."""
    words = list(_WORD.finditer(value))[:3]
    while words and not (_ENDING_OF_OCCUPATION.search(words[-1].group().lower()) and len(words[-1].group()) > 3):
        words.pop()
    if not words or words[0].group().lower() in _NOT_FORMER:
        return ""
    return value[: words[-1].end()]


_OCCUPATION = (
    rf"(?:{alternation('organizations', 'occupations_of_several_words')}|{alternation('organizations', 'occupations')})"
)
OCCUPATION_TRIGGER = (
    r"(?i)(?:, (?:an? |the )?|\((?:an? )?|[;:] ?"  # behind a mark: , a teacher
    r"|\b(?:is|was|as|worked as|became|being|i'm|i am) (?:now |currently |once |formerly )?an? "  # was a
    r"|years as (?:an? )?|\blifelong )"  # 30 years as a; lifelong dairyman
    r"(?:(?:retired|former|ex-?|part[ -]time|disabled|self-employed|freelance|high school|grade school) )?"
    rf"{_OCCUPATION}\b"
)
_OCCUPATION_AT_END = re.compile(rf"{_OCCUPATION}$", re.IGNORECASE)
_OCCUPATION_TAIL = re.compile(
    r"(?:[.,;)\"”\n]|$|\s?(?:by trade|who|at|in|for|with|until|from|and|since|x|before|but)\b)"
)
_END_OF_FIELD = re.compile(r"[.;\"”\n]|$")
_AT_A_NAME = re.compile(r" at (?:the )?[A-Z][A-Za-z.]+ [A-Z]")
"""Behind a semicolon, what makes an occupation somebody's: ; pastor at Mt Zion."""


def read_occupation(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read the occupation where it stands alone between two marks, or behind is a."""
    match = _OCCUPATION_AT_END.search(text, start, end)
    if match is None or not _OCCUPATION_TAIL.match(text, end, end + 12):
        return
    lead = text[start : match.start()].strip()
    if lead not in {":", ";"} or _END_OF_FIELD.match(text[end : end + 1]) or _AT_A_NAME.match(text, end):
        yield Candidate(match.start(), end, Entity.PROFESSION, Strength.WEAK)
