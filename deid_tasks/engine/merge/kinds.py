"""Kinds that agree: what is a part of a person's full name in a note is no organization in it, what is the beginning of
an organization's name is no person, and a town of the note is no person elsewhere in it.
"""

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from deid_tasks.core.entities import Category, Entity
from deid_tasks.core.reference import fold, read_columns
from deid_tasks.core.span import Span
from deid_tasks.engine.lexicon.everyday_names import is_rare_word
from deid_tasks.engine.merge.endings import is_ending_of_name
from deid_tasks.engine.merge.given_names import given_names
from deid_tasks.engine.merge.propagate import everyday_words
from deid_tasks.engine.merge.repair import NAMES

_WORD = re.compile(r"[^\W\d_]+")
_ORGANIZATIONS = frozenset({Entity.FACILITY, Entity.ORGANIZATION})
_TITLE_BEFORE = re.compile(r"\b(?:drs?|mr|mrs|ms|miss|prof|mdm|mme)\.?\s$", re.IGNORECASE)
_TITLE_REACH = 8
_SAINTS = frozenset({"St", "Ste", "Ft", "Mt"})
_DOCTOR = re.compile(r"Dr\.? ")
_TOWNS = frozenset({Entity.CITY})
_BEHIND_TOWN = frozenset({Entity.STATE, Entity.COUNTRY, Entity.ZIP})
_PLACE_BEFORE = re.compile(r"\b(?:in|at|from|of|to|near|outside|around|via|town|city)[: ]{1,2}$", re.IGNORECASE)
_PLACES = frozenset({Entity.CITY, Entity.STATE})
_UNIVERSITY_OF = re.compile(r"Univ(?:\.|ersity)? of (?:North|South|East|West|Central|Southwest)(?:ern)?")
_SCHOOL = re.compile(r"(?:Ysgol|Scoil|Col[aá]iste|Gaelscoil|Bunscoil)\b")
_PREFIX = re.compile(r"[A-Z]{2,4}")
_LABEL_BEFORE = re.compile(r"(?:\bis|\bID|[Cc]ard|[Mm]ember|[Pp]olicy|[Nn]umber|\b[Nn]o\.?|#)[: ]{0,2}$")
_REACH_OF_LABEL = 10
_MIN_LETTERS_OF_ACCOUNT = 5
_FIGURES = re.compile(r"\d{1,4}(?![\w-])")
_PRACTICE = re.compile(
    r"[a-z] (?:Family|Internal|Sports|Primary|Urgent) (?:Med|Medicine|Care|Practice|Health)$", re.ASCII
)
_FULL_NAME = re.compile(r"[A-Z][a-z]+(?:[- ][A-Z][a-z]+){1,2}")
_CREDENTIAL_BEHIND = re.compile(
    r",? (?:MD|DO|RN|LPN|NP|PA-C|FNP(?:-C|-BC)?|APRN|CRNA|CNM|MLS|MLT|RRT|PharmD|RPh|DPT|LCSW|MSW|PhD|MBBS)(?![\w-])"
)
_MIN_LETTERS = 4
"""Shorter words are parts of names and abbreviations of organizations alike."""


def join_divided_organizations(text: str, spans: Sequence[Span]) -> list[Span]:
    """Return ``spans`` with an organization whose first words were taken for a person as one organization.

    A rule reads "From: Torrens Vale" as a name and a model "Torrens Vale Hospital" as a facility, of which merging
    leaves the last word. A person with a title, and several words before an organization of several words, stay a
    person. O(n).

    Args:
        text: the note.
        spans: its spans, sorted and disjoint.
    """
    joined: list[Span] = []
    for span in spans:
        last = joined[-1] if joined else None
        if last is not None and _is_of_person(text, last, span):
            before = joined[-2] if len(joined) > 1 else None
            has_title = before is not None and _DOCTOR.fullmatch(text, before.start, last.start) is not None
            start = before.start if before and has_title else last.start
            del joined[-2 if has_title else -1 :]
            joined.append(replace(span, start=start))
            continue
        if last is not None and (_is_divided(text, last, span) or _is_in_capitals(text, last, span)):
            joined[-1] = replace(span, start=last.start, score=max(last.score, span.score))
        elif last is not None and (_is_university(text, last, span) or _is_town_of_saint(text, last, span)):
            joined[-1] = replace(last, end=span.end)
        elif last is not None and _is_school(text, last, span):
            joined[-1] = replace(last, end=span.end, entity=Entity.ORGANIZATION)
        elif last is not None and _is_prefix_of_number(text, last, span):
            joined[-1] = replace(span, start=last.start)
        else:
            joined.append(_with_figures(text, span))
    return joined


def _is_in_capitals(text: str, last: Span, span: Span) -> bool:
    """Whether two detectors found the halves of a facility in capitals: "EASTERN SNAKE" and "RIVER MED CTR"."""
    if not last.entity is span.entity is Entity.FACILITY or text[last.end : span.start] != " ":
        return False
    first = text[last.start : last.end]
    return (
        first.isupper() and text[span.start : span.end].isupper() and not is_ending_of_name(first.split()[-1].title())
    )


def _is_of_person(text: str, person: Span, rest: Span) -> bool:
    """Whether an organization is named after a person, and begins in front of it: "Dr Mackessack" and "s Hospital".

    The s may be of neither: "Pearl" and "Oyster House", which are an organization each, or behind at.
    """
    if rest.entity not in _ORGANIZATIONS:
        return False
    if text[person.end : rest.start] in {"'s ", "’s "} and text[rest.start].isupper():
        is_employer = text[max(0, person.start - 3) : person.start].lower() == "at " and person.entity in NAMES
        return is_employer or person.entity is Entity.ORGANIZATION
    if person.entity not in NAMES:
        return False
    return text[person.end : rest.start] in {"'", "’"} and text.startswith("s ", rest.start)


def _is_town_of_saint(text: str, last: Span, span: Span) -> bool:
    """Whether a name is the rest of a town's: "St" and "Louis Park"."""
    if last.entity is not Entity.CITY or span.entity not in NAMES | _TOWNS:
        return False
    return text[last.start : last.end] in _SAINTS and text[last.end : span.start] in {" ", ". "}


def _is_school(text: str, last: Span, span: Span) -> bool:
    """Whether a name goes on a school's in Irish or Welsh: "Scoil Naomh" and "Cormac"."""
    if span.entity not in NAMES | _ORGANIZATIONS | _PLACES or text[last.end : span.start] != " ":
        return False
    return _SCHOOL.match(text, last.start, last.end) is not None


def _is_prefix_of_number(text: str, last: Span, span: Span) -> bool:
    """Whether capitals that were taken for a name are the beginning of a number behind its label: "ID is WAX 4091"."""
    if last.category is not Category.NAME or span.category is not Category.ID or text[last.end : span.start] != " ":
        return False
    if not _PREFIX.fullmatch(text, last.start, last.end) or not text[span.start].isdigit():
        return False
    return _LABEL_BEFORE.search(text, max(0, last.start - _REACH_OF_LABEL), last.start) is not None


def _with_figures(text: str, span: Span) -> Span:
    """Return a name grown over the figures that are glued to it, which make it an account: HPATEL7."""
    value = text[span.start : span.end]
    if span.entity not in NAMES or not text[span.end : span.end + 1].isdigit() or not value.isalpha():
        return span
    if len(value) < _MIN_LETTERS_OF_ACCOUNT:
        return span
    figures = _FIGURES.match(text, span.end)
    is_account = figures is not None and (value.isupper() or value.islower())
    return replace(span, end=figures.end(), entity=Entity.USERNAME) if figures and is_account else span


def _is_university(text: str, last: Span, span: Span) -> bool:
    """Whether a state or a town is the end of a university's name: "Univ. of Western" and "Nevada"."""
    if last.entity not in _ORGANIZATIONS or span.entity not in _PLACES or text[last.end : span.start] != " ":
        return False
    return _UNIVERSITY_OF.fullmatch(text, last.start, last.end) is not None


def _is_divided(text: str, person: Span, rest: Span) -> bool:
    """Whether a person and the organization behind it are one organization."""
    if person.entity not in NAMES or rest.entity not in _ORGANIZATIONS or text[person.end : rest.start] != " ":
        return False
    if not text[rest.start].isupper() or "," in text[person.start : person.end]:
        return False
    if _has_title(text, person):
        return False
    # A full name in front of an organization of several words may be somebody there: Maria Okafor Mercy Clinic.
    return " " not in text[person.start : person.end] or " " not in text[rest.start : rest.end]


def follow_full_names(text: str, spans: Sequence[Span]) -> list[Span]:
    """Return ``spans`` with organizations that consist of words of one full name marked as that person is.

    Models read "per Balcazar:" as an organization although "Jose Balcazar, MD" signs the note. O(n).

    Args:
        text: the note.
        spans: its spans, sorted and disjoint.
    """
    if not any(span.entity in _ORGANIZATIONS for span in spans):
        return list(spans)
    people: dict[str, Span] = {}
    for span in spans:
        if span.entity in NAMES and len(words := _WORD.findall(text, span.start, span.end)) > 1:
            for word in map(fold, words):
                if len(word) >= _MIN_LETTERS and (word not in everyday_words() or is_rare_word(word)):
                    people.setdefault(word, span)
    return [_followed(text, span, people) if span.entity in _ORGANIZATIONS else span for span in spans]


def _followed(text: str, span: Span, people: dict[str, Span]) -> Span:
    owners = [people.get(fold(word)) for word in _WORD.findall(text, span.start, span.end)]
    person = owners[0] if owners else None
    if person is None or any(one is not person for one in owners):
        return span
    return replace(span, entity=person.entity)


def follow_credentials(text: str, spans: Sequence[Span]) -> list[Span]:
    """Return ``spans`` with an organization of two or three words that a credential follows marked as a clinician.

    A model reads "Blood bank, Mariam Khachatryan MLS" as an organization. What ends as a practice does is no person
    either: "Tidewater Family Med". O(n).

    Args:
        text: the note.
        spans: its spans, sorted and disjoint.
    """
    return [
        replace(span, entity=Entity.FACILITY)
        if span.entity in NAMES and _PRACTICE.search(text, span.start, span.end)
        else replace(span, entity=Entity.PROVIDER)
        if span.entity in _ORGANIZATIONS
        and not _PRACTICE.search(text, span.start, span.end)
        and _CREDENTIAL_BEHIND.match(text, span.end)
        and _FULL_NAME.fullmatch(text, span.start, span.end)
        and not is_ending_of_name(text[text.rfind(" ", span.start, span.end) + 1 : span.end])
        else span
        for span in spans
    ]


def follow_places(text: str, spans: Sequence[Span]) -> list[Span]:
    """Return ``spans`` with single names that are a town of the note marked as that town.

    Models read "Disembark Ketchikan" as a name although "off Ketchikan, AK" stands above. A name that has a title, or
    is a part of a full name of the note, stays one. O(n).

    Args:
        text: the note.
        spans: its spans, sorted and disjoint.
    """
    towns: dict[str, Entity] = {}
    people: set[str] = set()
    for span in spans:
        if span.entity in _TOWNS and _is_told_as_place(text, span, spans):
            towns.setdefault(fold(text[span.start : span.end]), span.entity)
        elif span.entity in NAMES and (_has_title(text, span) or " " in text[span.start : span.end]):
            people |= set(map(fold, _WORD.findall(text, span.start, span.end)))
    if not towns:
        return list(spans)
    return [
        replace(span, entity=town)
        if span.entity in NAMES
        and (word := fold(text[span.start : span.end])) not in people
        and (town := towns.get(word)) is not None
        else span
        for span in spans
    ]


def follow_lists(text: str, spans: Sequence[Span]) -> list[Span]:
    """Return ``spans`` with towns that no list has, and that people are called, marked as people.

    A model reads "Lemhi Home Nursing, Bev, 208-555-0187" as an address. O(n).

    Args:
        text: the note.
        spans: its spans, sorted and disjoint.
    """
    return [
        replace(span, entity=Entity.PROVIDER)
        if span.entity in _TOWNS
        and text[span.start : span.end].istitle()
        and (word := fold(text[span.start : span.end])) in _called()
        and word not in _listed_towns()
        and not _is_told_as_place(text, span, spans)
        and not _PLACE_BEFORE.search(text, max(0, span.start - _REACH_OF_LABEL), span.start)
        else span
        for span in spans
    ]


@cache
def _called() -> frozenset[str]:
    """Return the given names of the public list and their short forms, folded."""
    return given_names() | {fold(name) for (name,) in read_columns("nicknames.tsv", "nickname")}


@cache
def _listed_towns() -> frozenset[str]:
    """Return the towns of the public tables, folded, and each of their words: "Clemens" may be Mount Clemens."""
    tables = (("places.tsv", "city"), ("towns.tsv", "town"))
    names = {fold(name) for table, column in tables for (name,) in read_columns(table, column)}
    return frozenset(word for name in names for word in (name, *name.split()))


def _is_told_as_place(text: str, span: Span, spans: Sequence[Span]) -> bool:
    """Whether a state, a country or a postcode of the note stands behind a town."""
    index = bisect_left(spans, span.end, key=lambda one: one.start)
    rest = spans[index] if index < len(spans) else None
    if rest is None or rest.entity not in _BEHIND_TOWN:
        return False
    return text[span.end : rest.start].strip(" ,") == ""


def _has_title(text: str, span: Span) -> bool:
    return _TITLE_BEFORE.search(text, max(0, span.start - _TITLE_REACH), span.start) is not None
