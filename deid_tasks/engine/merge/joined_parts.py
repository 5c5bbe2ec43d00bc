"""Parts that are one identifier: the two words of a town, the halves of an organization, a surname in capitals and the
given names behind its comma. And spans whose kind the words beside them tell: a shop by its number, a time of day.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from deid_tasks.core.entities import Entity
from deid_tasks.core.reference import fold, read_columns
from deid_tasks.core.span import Span
from deid_tasks.engine.merge.endings import is_ending_of_name
from deid_tasks.engine.merge.given_names import given_names
from deid_tasks.engine.merge.repair import NAMES

_ORGANIZATIONS = frozenset({Entity.FACILITY, Entity.ORGANIZATION})
_PLACES = frozenset({Entity.CITY, Entity.STATE})
_SAINTS = frozenset({"St", "Ste", "Saint"})
_BLANKS = frozenset({" ", ". "})
_OF = re.compile(r"(?:^|.* )of(?: (?:North|South|East|West|Central|Southwest|Northwest|Southeast|Northeast)(?:ern)?)?")
"""The end of an organization's name in front of its region: Legal Services of Eastern."""
_KINDS = re.compile(
    r"(?:Home (?:Care|Health|Hospice)|Hospice|Health (?:Care|Services|Plan)|Senior (?:Living|Care|Rides))"
)
_POSTCODE_BEHIND = re.compile(r",? \d{5}")
_INSURER_BEFORE = re.compile(
    r"\b(?:[Ii]nsurance|[Ii]nsurer|Ins|MCO|HMO|PPO|[Pp]ay[eo]r|Medicaid|Medicare(?: Advantage)?|[Hh]ealth [Pp]lan)"
    r"(?: plan)?[:,] {1,2}$"
)
_EMPLOYERS = frozenset(
    ("Tyson", "Cargill", "Perdue", "Hormel", "Deere", "Cummins", "Caterpillar", "Kohler", "Whirlpool", "Goodyear")
)
"""Employers of one word that models take for towns: home from Tyson."""
_ANSWER_BEFORE = re.compile(r"\b(?:oriented to|orientation|place|city|town)\b[^.\n]{0,40}[\"“]$", re.IGNORECASE)
_QUOTE_BEHIND = re.compile(r"[.,]?[\"”]")
_CREDENTIAL_BEHIND = re.compile(
    r",? (?:CNM|RN|LPN|NP|FNP(?:-C|-BC)?|APRN|CRNA|PharmD|RPh|DPT|LCSW|MSW|PhD|MBBS|DDS|DMD|DPM|CNA|RRT|LMFT|LPC)$"
)
_CLINICIAN = re.compile(r"(?:[A-Z]\. ?)?[A-Z][a-z]+(?:[-'][A-Z][a-z]+)?")
"""A midwife with her credential, whom a model takes for a clinic: Okafor CNM."""
_LABEL_BEFORE = re.compile(
    r"(?:\A|\n|\b(?:Pt|PT|Patient|PATIENT|Name|NAME|Resident|RESIDENT|Client|CLIENT|Inmate|INMATE|Veteran|VETERAN|Re|RE"
    r"|Subject|labell?ed):? {0,8}[\"“]?)[ \t]*$"
)
"""What stands in front of a patient's surname in a header."""
_SURNAME_IN_CAPITALS = re.compile(r"(?:^|\n|: {0,8})[ \t]*(?P<surname>[A-Z][A-Z'’-]{1,20}), {1,2}$")
_GIVEN_NAMES = re.compile(r"[A-Z][a-z]+(?: [A-Z][a-z]*\.?){0,2}|[A-Z]{2,}(?: [A-Z]+\.?){0,2}")
_LABEL_OF_UNIT = re.compile(r"\b(?:[Uu]nit|UNIT|[Ww]ard|WARD|[Ll]oc(?:ation)?|LOCATION):[ \t]{1,6}$")
_NUMBER = re.compile(r"\d{1,2}[A-Z]?")
_FIELD_ENDS = re.compile(r"[ \t]{2,}|[ \t]*\n|[,;]|$")
_OF_COUNTY = re.compile(r"of (?=[A-Z][a-z]+(?: [A-Z][a-z]+)? County$)")
"""In front of the county that is left of a facility's name: Okafor Hospice of Tuscola County."""
_SECOND_WORDS = frozenset(
    [
        *("Springs", "Spring", "Falls", "Valley", "Creek", "City", "Beach", "Heights", "Hills", "Hill"),
        *("Grove", "Lake", "Lakes", "Park", "Harbor", "Point", "Ridge", "Island", "Junction", "Center"),
        *("Bay", "Rapids", "Mills", "Cove", "Village", "Crossing", "Gap", "Bluff", "Bluffs", "Hollow"),
        *("Landing", "Station", "Corner", "Corners", "Rock", "Fork", "Forks", "Mountain", "Prairie"),
        *("Meadows", "Plains", "Pass", "Flats", "Bend", "Town", "Ferry", "Ford"),
    ]
)
"""Words that end the names of towns, though some are towns by themselves: Dunmore Falls."""
_NUMBER_OF_SHOP = re.compile(r" #\d{2,5}\b")
"""Behind the name of a chain: Osco #3190."""
_MILITARY = r"(?:[01]\d|2[0-3])[0-5]\d"
_MILITARY_TIME, _MILITARY_TIMES = re.compile(_MILITARY), re.compile(rf"(?P<first>{_MILITARY})-(?P<last>{_MILITARY})")
_LONGEST_RELIEF = 400
"""Hours and minutes, as figures, that two times of a relief are apart at most: 0945-1010."""
_SENT_BEFORE = re.compile(r"\b(?:faxed|sent|signed) $")
_TELEPHONE_BEFORE = re.compile(
    r"\b(?:call\w*|ph|phone|tel\w*|cell|mobile|ext\w*|fax|pager|pgr|no)\b[^\n]{0,16}$|#$", re.IGNORECASE
)
_REACH, _LONGEST_SURNAME = 48, 34


def join_parts(text: str, spans: Sequence[Span]) -> list[Span]:
    """Return ``spans`` with the parts of one identifier joined, and the kinds that its neighbours tell. O(n).

    Args:
        text: the note.
        spans: its spans, sorted and disjoint.
    """
    joined: list[Span] = []
    for span in spans:
        last = joined[-1] if joined else None
        one = _joined(text, last, span) if last is not None else None
        if one is not None:
            joined[-1] = one
        else:
            floor = last.end if last is not None else 0
            joined.append(_with_surname(text, _told_by_neighbours(text, span), floor))
    return joined


def _joined(text: str, last: Span, span: Span) -> Span | None:
    """Return the identifier that two spans are the parts of, or ``None`` where they are two."""
    between = text[last.end : span.start]
    score = max(last.score, span.score)
    if between in _BLANKS and _is_saint(text, last, span):
        return replace(last, end=span.end, entity=Entity.FACILITY, score=score)
    if between == " ":
        if _is_veterans_hospital(text, last, span):
            return replace(last, end=span.end, entity=Entity.FACILITY, score=score)
        if last.entity is span.entity and (_is_town(text, last, span) or _are_halves(text, last, span)):
            return replace(last, end=span.end, score=score)
        if last.entity in _ORGANIZATIONS and span.entity in _PLACES and _OF.fullmatch(text, last.start, last.end):
            return replace(last, end=span.end, score=score)
        if _is_number_of_unit(text, last, span):
            return replace(last, end=span.end, score=score)
        if _is_named_service(text, last, span):
            return replace(span, start=last.start, score=score)
    if between in {", ", ","} and _is_turned(text, last, span):
        return replace(span, start=last.start, entity=Entity.PATIENT, score=score)
    return None


def _is_saint(text: str, last: Span, span: Span) -> bool:
    """Whether a name is the rest of a hospital's of a saint: "St" and "Odile"."""
    return last.entity in _ORGANIZATIONS and text[last.start : last.end] in _SAINTS and span.entity in NAMES


def _is_veterans_hospital(text: str, last: Span, span: Span) -> bool:
    """Whether VA behind a town is the Veterans Affairs: Mesa Verde VA; Virginia has no such town."""
    if last.entity is not Entity.CITY or span.entity is not Entity.STATE or text[span.start : span.end] != "VA":
        return False
    is_virginia = (fold(text[last.start : last.end]), "VA") in _towns_and_states()
    return not is_virginia and _POSTCODE_BEHIND.match(text, span.end) is None


def _is_town(text: str, last: Span, span: Span) -> bool:
    """Whether two spans are the words of one town: "Alamo" and "Seco"; not of two towns that the tables have."""
    if last.entity is not Entity.CITY or text[last.start : span.end].isupper() or not text[span.start].isupper():
        return False
    second = text[span.start : span.end]
    return second in _SECOND_WORDS or not (_is_listed(text[last.start : last.end]) and _is_listed(second))


def _are_halves(text: str, last: Span, span: Span) -> bool:
    """Whether two spans are the halves of an organization: "Good" and "Harbor Hospital"."""
    if last.entity not in _ORGANIZATIONS or not text[last.start].isupper():
        return False
    first, rest = text[last.start : last.end], text[span.start : span.end]
    if rest in {"of", "of the"}:
        return True
    if not rest[0].isupper() or first.isupper():
        return False
    return not is_ending_of_name(first.split()[-1]) or " " not in rest


def _is_number_of_unit(text: str, last: Span, span: Span) -> bool:
    """Whether a number is the rest of a unit's name behind its label: Unit: Larch House 3."""
    if last.entity is not Entity.FACILITY or not _NUMBER.fullmatch(text, span.start, span.end):
        return False
    is_unit = _LABEL_OF_UNIT.search(text, max(0, last.start - _REACH), last.start) is not None
    return is_unit and _FIELD_ENDS.match(text, span.end) is not None


def _is_named_service(text: str, last: Span, span: Span) -> bool:
    """Whether words that no person has are in front of what an organization does: "Three Rivers" and "Home Care"."""
    if last.entity not in NAMES or span.entity not in _ORGANIZATIONS:
        return False
    if not _KINDS.fullmatch(text, span.start, span.end):
        return False
    return fold(text[last.start : last.end].split()[0]) not in given_names()


def _is_turned(text: str, last: Span, span: Span) -> bool:
    """Whether two names are a surname and given names in the header of a note: INMATE: OKAFOR, MARIA LEE."""
    if last.entity not in NAMES or span.entity not in NAMES or Entity.PATIENT not in {last.entity, span.entity}:
        return False
    surname = text[last.start : last.end]
    if " " in surname or not _GIVEN_NAMES.fullmatch(text, span.start, span.end):
        return False
    is_told = surname.isupper() or fold(text[span.start : span.end].split()[0]) in given_names()
    return is_told and _LABEL_BEFORE.search(text, max(0, last.start - _REACH), last.start) is not None


def _with_surname(text: str, span: Span, floor: int) -> Span:
    """Return a patient's given names with the surname in capitals that an everyday word hid: HER, Mai Nhia."""
    if span.entity is not Entity.PATIENT or not _GIVEN_NAMES.fullmatch(text, span.start, span.end):
        return span
    before = _SURNAME_IN_CAPITALS.search(text, max(0, floor, span.start - _LONGEST_SURNAME), span.start)
    if before is None or fold(before["surname"]) not in _surnames():
        return span
    return replace(span, start=before.start("surname"))


def _told_by_neighbours(text: str, span: Span) -> Span:
    """Return a span with the kind that stands in front of it: a health plan, or the town of an answer."""
    credential = _CREDENTIAL_BEHIND.search(text, span.start, span.end) if span.entity in _ORGANIZATIONS else None
    if credential and _CLINICIAN.fullmatch(text, span.start, credential.start()):
        return replace(span, end=credential.start(), entity=Entity.PROVIDER)
    of = _OF_COUNTY.match(text, span.start, span.end) if span.entity in _ORGANIZATIONS else None
    if of is not None:
        return replace(span, start=of.end(), entity=Entity.LOCATION_OTHER)
    value = text[span.start : span.end]
    ahead = max(0, span.start - _REACH)
    if span.entity in {Entity.FAX, Entity.PHONE} and _is_time(text, span, value):
        return replace(span, entity=Entity.TIME)
    if span.entity is Entity.CITY and _NUMBER_OF_SHOP.match(text, span.end):
        return replace(span, entity=Entity.ORGANIZATION)
    if span.entity is Entity.CITY and value in _EMPLOYERS and not _is_listed(value):
        return replace(span, entity=Entity.ORGANIZATION)
    if span.entity is Entity.CITY and _INSURER_BEFORE.search(text, ahead, span.start) and not _is_listed(value):
        return replace(span, entity=Entity.ORGANIZATION)
    is_name = span.entity in NAMES and " " not in value and _QUOTE_BEHIND.match(text, span.end) is not None
    if is_name and _is_listed(value) and fold(value) not in given_names() and text.count(value) == 1:
        return replace(span, entity=Entity.CITY) if _ANSWER_BEFORE.search(text, ahead, span.start) else span
    return span


def _is_time(text: str, span: Span, value: str) -> bool:
    """Whether a telephone number is a time of day: a form is faxed 1010, somebody relieves 0945-1010.

    Behind the label of a telephone it is none: what is a time may stay in the text.
    """
    before = text[max(0, span.start - _REACH) : span.start]
    if _MILITARY_TIME.fullmatch(value):
        return span.entity is Entity.FAX and _SENT_BEFORE.search(before) is not None
    times = _MILITARY_TIMES.fullmatch(value)
    if times is None or not 0 < int(times["last"]) - int(times["first"]) <= _LONGEST_RELIEF:
        return False
    return _TELEPHONE_BEFORE.search(before) is None


@cache
def _surnames() -> frozenset[str]:
    return frozenset(fold(name) for (name,) in read_columns("surnames.tsv", "surname"))


@cache
def _towns_and_states() -> frozenset[tuple[str, str]]:
    return frozenset((fold(city), state) for city, state in read_columns("places.tsv", "city", "state"))


@cache
def _towns() -> frozenset[str]:
    return frozenset(town for town, _ in _towns_and_states())


def _is_listed(town: str) -> bool:
    return fold(town) in _towns()
