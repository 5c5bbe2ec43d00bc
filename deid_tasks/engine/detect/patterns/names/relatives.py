"""Names of relatives and contacts: daughter Maria; Ann (wife); Mother: Ann Okafor; wife dawn called."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from deid_tasks.core.entities import Entity
from deid_tasks.engine.detect.patterns.forms import Form, FormTable, always, never
from deid_tasks.engine.detect.patterns.names.name_parts import may_be_name, take_name
from deid_tasks.engine.detect.patterns.reference_words import (
    FREQUENT_GIVEN_PER_100K,
    given_name_rates,
    is_frequent_word,
    is_given_name,
    is_plain_name,
    medical_term_words,
)
from deid_tasks.engine.detect.patterns.rule import Candidate, Strength
from deid_tasks.engine.detect.patterns.word_lists import alternation

RELATION_TRIGGER = (
    rf"(?i)\b(?:{alternation('names', 'relations')})"
    r"(?:,? ?\(|, | is | named | - |: {0,6}|'s name is |,? whose name is | )(?:an? )?[a-z]"
)
_FAMILY_TITLE = re.compile(r"(?:Helper|Maid|Nanny|Aunty|Auntie|Aunt|Uncle|Mama|Mme|Mrs?|Ms|Dr)\.? (?=[A-Z])")
_FINDING_BEHIND = re.compile(r"['\s]*(?:cancer|disease|syndrome|diabetes|type|stroke|mi\b)", re.IGNORECASE)
_RICE_BEHIND = re.compile(r"['’]?s? (?:[a-z]+ )?rice")
_COLON_BEHIND = re.compile(r"\s?:")
_CONTACT = re.compile(r"contact|kin|nok|hcp|proxy|poa|agent|informant|guardian|surrogate|caregiver")
_NUMBER_OR_RELATION_BEHIND = re.compile(r"\s*(?:\(|[0-9]|,? ?[0-9]{3}-|,? [a-z]+ ?[:(]|@)")
_MARK_BEHIND = re.compile(r"\W|$")
_SEVERAL = re.compile(r"(?:sons|daughters|sisters|brothers|children|parents)\b")
_NEXT_RELATIVE = re.compile(r"(?:,| and|, and| &) (?=[A-Z])")


@dataclass
class _Relative:
    """A name behind a relation."""

    text: str
    relation: str
    """As it is written, without what links it to the name."""
    link: str
    """The relation and what links it to the name, in lower case."""
    value: str
    behind: str

    @cached_property
    def is_contact(self) -> bool:
        return _CONTACT.search(self.link) is not None

    @property
    def has_colon(self) -> bool:
        return ":" in self.link

    @property
    def has_two_words(self) -> bool:
        return " " in self.value


def _is_word_in_capitals(relative: _Relative) -> bool:
    is_field = relative.is_contact and relative.has_colon and relative.has_two_words
    return relative.value.isupper() and not is_field


def _is_reflex(relative: _Relative) -> bool:
    """Whether dtr are the deep tendon reflexes and not a daughter."""
    is_reflex = relative.relation.isupper() or not is_plain_name(relative.value.split()[0])
    return relative.link[:3] == "dtr" and is_reflex


def _is_finding_or_field(relative: _Relative) -> bool:
    if _FINDING_BEHIND.match(relative.behind):
        return True
    return not relative.has_two_words and _COLON_BEHIND.match(relative.behind) is not None


def _is_brand(relative: _Relative) -> bool:
    return relative.value == "Ben" and relative.link[:5] == "uncle" and bool(_RICE_BEHIND.match(relative.behind))


def _is_value_of_field(relative: _Relative) -> bool:
    """Whether a colon introduces what a relative has, and not who the relative is."""
    if not relative.has_colon or relative.has_two_words or relative.is_contact:
        return False
    return not is_given_name(relative.value) and not _NUMBER_OR_RELATION_BEHIND.match(relative.behind)


def _is_remark(relative: _Relative) -> bool:
    return " - " in relative.link and not (relative.has_two_words or relative.is_contact)


RELATIVES: FormTable[_Relative, bool] = FormTable(
    "relatives",
    Form("capitals", "mother TOBACCO", _is_word_in_capitals, never),
    Form("two letters", "son Al", lambda relative: len(relative.value) < 3 and "(" not in relative.link, never),
    Form("deep tendon reflexes", "DTR Brisk", _is_reflex, never),
    Form("finding or next field", "father Crohn disease", _is_finding_or_field, never),
    Form("brand of rice", "Uncle Ben's boxed rice", _is_brand, never),
    Form("what a relative has", "Mother: Asthmatic since", _is_value_of_field, never),
    Form("remark", "mother - Deaf", _is_remark, never),
    Form(
        "sentence",
        "son is Maria5",
        lambda relative: relative.link.endswith(" is ") and not _MARK_BEHIND.match(relative.behind),
        never,
    ),
    Form("name", "daughter [RELATIVE:Maria]", always, always),
)
"""Which words behind a relation are the name of a relative."""


def read_relative(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read daughter Maria, his wife (Ann) and Mother: Ann Okafor."""
    begin = end - 1
    if not text[begin].isupper():
        return
    link = text[start:begin].lower()
    title = _FAMILY_TITLE.match(text, begin, begin + 12)
    begin = title.end() if title else begin
    span = take_name(text, begin, 3, comma=":" in link)
    if span is None:
        return
    relative = _Relative(text, text[start : start + 3], link, text[slice(*span)], text[span[1] : span[1] + 14])
    if not RELATIVES.decide(relative):
        return
    yield Candidate(*span, Entity.RELATIVE, Strength.LABELLED)
    if _SEVERAL.match(link):
        yield from _more_relatives(text, span[1])


def _more_relatives(text: str, end: int) -> Iterator[Candidate]:
    """Read the names behind the first: sons John, Peter and Paul."""
    while more := _NEXT_RELATIVE.match(text, end, end + 8):
        span = take_name(text, more.end(), 2)
        if span is None or not is_plain_name(text[slice(*span)].split()[0]):
            return
        yield Candidate(*span, Entity.RELATIVE)
        end = span[1]


LOWER_RELATION_TRIGGER = (
    r"\b(?:wife|husband|daughter|dtr|son|mom|mother|dad|father|sister|brother|girlfriend|boyfriend|fiancee?|partner"
    r"|niece|nephew|neighbor|friend|spouse|aunt|uncle) [a-z]{3,14} "
    r"(?:called|phoned|texted|here|at (?:bs|bedside)|@ ?bs|states|stated|reports|reported|aware|updated|notified"
    r"|present|says|said|visiting|arrived|left|came)\b"
)


def read_relative_in_small_letters(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read wife dawn called for an update."""
    begin = text.index(" ", start, end) + 1
    stop = text.index(" ", begin, end)
    word = text[begin:stop]
    is_rare_word = given_name_rates().get(word, 0.0) >= FREQUENT_GIVEN_PER_100K and not is_frequent_word(word)
    if may_be_name(word) and word not in medical_term_words() and (is_given_name(word) or is_rare_word):
        yield Candidate(begin, stop, Entity.RELATIVE)


NAME_AND_RELATION_TRIGGER = (
    r"\b[A-Z][a-z]{2,15}(?: [A-Z][a-z'\-]{2,20}){0,2}(?:,? \(|, )(?:(?:his|her|the|their|patient's|pt's) )?"
    r"(?:daughter|son|wife|husband|mother|father|sister|brother|spouse|partner|niece|nephew|granddaughter|grandson"
    r"|friend|neighbor|caregiver|guardian|aunt|uncle|HCP|POA)\b"
)
_COMMA_OR_BRACKET = re.compile(r",? ?\(|,")
_OWNER = re.compile(r"(?:his|her|their|patient's|pt's) ")


def read_name_and_relation(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read Ann (wife) and Maria Okafor, his daughter."""
    span = take_name(text, start, 3)
    if span and _COMMA_OR_BRACKET.match(text[span[1] : span[1] + 3]):
        is_bracketed = "(" in text[span[1] : span[1] + 3]
        if is_bracketed or _OWNER.search(text[span[1] : end]):
            yield Candidate(*span, Entity.RELATIVE)
