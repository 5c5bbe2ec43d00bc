"""Spans that agree with one another: one name in several pieces is one span, and one thing has one kind.

Detection decides span by span. Here the spans of a note are read together, with what stands beside them: pieces of one
name are joined, a person who is named as a clinic is one, a street that was taken for a clinic becomes a street. No
span is left out, and a kind changes only to one that the policy treats alike: what detection marked, and an evaluation
therefore counts as found, is replaced.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from deid_tasks.core.entities import CATEGORY, Category, Entity
from deid_tasks.core.reference import fold
from deid_tasks.core.span import Span
from deid_tasks.engine.obfuscate.dates.calendar_terms import PREFIXES, WEEKDAYS
from deid_tasks.engine.obfuscate.dates.holidays import HOLIDAY
from deid_tasks.engine.obfuscate.entity_groups import NAMES, ORGANIZATIONS, PLACES
from deid_tasks.engine.obfuscate.organizations.organization_words import INSTITUTIONS, KINDS, SPECIALTIES
from deid_tasks.engine.obfuscate.people.name_text import fold_name
from deid_tasks.engine.obfuscate.people.public_names import UNKNOWN_NAME, given_name_table
from deid_tasks.engine.obfuscate.places.landmarks import country_named
from deid_tasks.engine.obfuscate.places.states import state_code_of
from deid_tasks.engine.obfuscate.places.streets import STREET_KINDS
from deid_tasks.engine.obfuscate.places.town_table import country_of_region
from deid_tasks.engine.obfuscate.span_joining import IsTreatedAlike, SpanJoiner
from deid_tasks.engine.obfuscate.span_kinds import has_state, is_region, is_town, kinds_of_names

_NATIONS = frozenset(["wales", "england", "scotland"])
_STATE_BEHIND = re.compile(r",? [A-Z]{2}\b")
"""The code of a state behind a town: Wales, MA."""
_OF_PLACE = frozenset({Entity.CITY, Entity.LOCATION_OTHER})
_ZIP = re.compile(r"\d{5}(?:-\d{4})?|\d{3} \d{3}", re.ASCII)
_TITLE_BEFORE = re.compile(r"\b(?:drs?|mr|mrs|ms|miss|prof|mdm|mme)\.?\s$", re.IGNORECASE)
_WORD_BEHIND = re.compile(r" ([A-Z][A-Za-z]+)")
_SHORT_STREET = re.compile(r"\s[Ss]t\.?$")
_CLINIC_BEHIND = re.compile(
    r" (?:Urgent Care|Family (?:Medicine|Practice|Health)|Internal Medicine|Pediatrics|Clinic|Hospital|Medical)\b"
)
_INITIALS_BELOW = re.compile(r"\s*\n\s*(?P<letters>[A-Z](?:[.-]{1,2}[A-Z])+\.?)$")
"""Who signed, in the line below a number."""
_DISTRICT_AT_END = re.compile(r"\s(?:Dist|Tq|Taluka?|Tal|Tehsil|Mandal)\b\.?$")
"""What stands behind the name of a district in India, which is that of its main town."""
_STATE_AT_END = re.compile(r"(?P<city>.*[^\W\d_])(?P<between>,?[ ]+)(?P<state>[A-Z][A-Za-z]{1,4}\.?)", re.DOTALL)
_APOSTROPHES = frozenset("'’")
_WORD_BEFORE = re.compile(r"[^\W\d_]+['’]$")
_INSTITUTION_BEHIND = re.compile(r"['’]s?(?: [A-Z][a-z]+['’]?s?){0,2} (?P<last>[A-Z][a-z]+)")
_TELEPHONES = frozenset({Entity.PHONE, Entity.FAX, Entity.PAGER})
_AREA_BEFORE = re.compile(r"(?<![\w/])\(?0\d{2,4}\)?[ -]$", re.ASCII)
_INITIAL_FIRST = re.compile(r"[^\W\d_]\. ")
_FULL_NAME = re.compile(r"[A-Z][\w'’-]+(?: [A-Z][\w'’.-]*)+$")
_FOUR_DIGITS = re.compile(r"\d{4}", re.ASCII)
_DAY_OR_YEAR = r"(?:(?:19|20)\d\d|(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])|(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-2]))"
_OF_FORM = {
    Entity.AGE: (_FOUR_DIGITS, Entity.OTHER_ID),
    Entity.PHONE: (re.compile(r"(?:19|20)\d\d-[01]\d-[0-3]\d", re.ASCII), Entity.DATE),
    Entity.DATE: (
        re.compile(rf"(?!{_DAY_OR_YEAR}/)\d{{4,5}}/\d\d|(?:19|20)\d\d/\d\d/\d{{3,6}}", re.ASCII),
        Entity.OTHER_ID,
    ),
    Entity.FACILITY: (
        re.compile(r"(?:Medic|Engine|Truck|Ladder|Rescue|Squad|Ambulance|Battalion|Tanker|Tower) ?#?\d{1,3}", re.ASCII),
        Entity.VEHICLE,
    ),
    Entity.CITY: (re.compile(r"[^\W\d_]+ (?:House|Cottage|Lodge|Farm|Bungalow|Villa)"), Entity.STREET),
}
"""What a value of a form is that no value of another kind has: 2291/14 is no date, "Rose Cottage" no town."""
_SENTENCE_END = re.compile(r"(?<![^\W\d_])[^\W\d_]{4,}(\.\s+)(?=[A-Z][a-z]{2})")
_MAX_CODE = 3
_STATES_IN_SHORT = frozenset(
    [
        *("ala", "ariz", "ark", "calif", "colo", "conn", "fla", "ill", "kan", "kans", "mass", "mich", "minn", "mont"),
        *("neb", "nebr", "nev", "okla", "ore", "oreg", "penn", "penna", "tenn", "tex", "wash", "wis", "wisc", "wyo"),
    ]
)
"""States as they were written in short before they had two letters, folded."""
_MAX_STATE_GAP = 3
_MAX_GAP = 8
"""Characters between two spans that may belong together."""
_AREA_REACH = 8
_ENDS_OF_HOLIDAYS = frozenset(["day", "eve", "ter", "mas", "ing", "een", "ali"])
_READ = frozenset(
    {*NAMES, *ORGANIZATIONS, *PLACES, Entity.LOCATION_OTHER, Entity.COUNTRY, Entity.PROFESSION, Entity.AGE}
    | {Entity.PHONE, Entity.FAX, Entity.PAGER, Entity.EMAIL}
)
"""Entities whose spans are read by themselves."""
_DIVISIBLE = frozenset(
    {*NAMES, *ORGANIZATIONS, *_OF_PLACE} | {entity for entity, category in CATEGORY.items() if category is Category.ID}
)
"""Entities of which one span may hold two things."""
_SURE_INSTITUTIONS = frozenset({"elem", "elementary", "engg"})
"""Words that end the names of schools, and of no person."""
_MAX_BEARERS = 5.0
"""A word that more people in 100,000 have as their given name begins a person's name."""


def agree_spans(
    text: str, spans: Sequence[Span], is_treated_alike: IsTreatedAlike, own_names: frozenset[str] = frozenset()
) -> list[Span]:
    """Return the spans of a note as surrogates are made for them.

    Args:
        text: the note.
        spans: its spans, in order.
        is_treated_alike: whether the policy treats two entities alike.
        own_names: the folded words of the names in the patient's record; empty without one.
    """
    return SpanAgreement(text, is_treated_alike, own_names).agree(spans)


class SpanAgreement:
    """The rules by which the spans of one note agree.

    Args:
        text: the note.
        is_treated_alike: whether the policy treats two entities alike.
        own_names: the folded words of the names in the patient's record.
    """

    def __init__(self, text: str, is_treated_alike: IsTreatedAlike, own_names: frozenset[str]) -> None:
        self._text = text
        self._is_treated_alike = is_treated_alike
        self._own_names = own_names
        self._spans: Sequence[Span] = ()

    def agree(self, spans: Sequence[Span]) -> list[Span]:
        """Return the spans joined, with the kinds that they have together."""
        agreed: list[Span] = []
        self._spans = spans
        joiner = SpanJoiner(self._text, spans, self._is_treated_alike)
        before: Span | None = None
        for index, span in enumerate(spans):
            if before is not None and span.start < before.end:
                # What was joined before holds it, as a date holds the year behind it.
                if span.end <= before.end:
                    continue
                span = replace(span, start=before.end)
            if span.entity in _READ:
                following = spans[index + 1].start if index + 1 < len(spans) else len(self._text)
                span = self._whole_words(span, before.end if before else 0, following)
                of_form = self._by_form(span)
                # A town may be named as streets are: "Green Lane, PA 18054".
                if of_form.entity is not Entity.STREET or not has_state(spans, index):
                    span = of_form
            elif span.entity is Entity.DATE and (by_form := _kind_of_form(span.entity, self._value(span))):
                span = self._as(span, by_form)
            if before is not None and span.start - before.end <= _MAX_GAP:
                if (joined := joiner.joined(before, span)) is not None:
                    agreed[-1] = before = joined
                    continue
                span = self._by_span_before(before, span)
            if span.entity in _DIVISIBLE:
                agreed += self._divided(span)
            else:
                agreed.append(span)
            before = agreed[-1]
        kinds = kinds_of_names(self._text, agreed)
        return [self._as(span, kinds.get((span.start, span.end), span.entity)) for span in agreed] if kinds else agreed

    def _value(self, span: Span) -> str:
        return self._text[span.start : span.end]

    def _whole_words(self, span: Span, first: int, last: int) -> Span:
        """Return a profession or an institution that was cut at an apostrophe, whole.

        Args:
            span: the span.
            first: where the span before it ends.
            last: where the span behind it begins.
        """
        text = self._text
        if span.entity is Entity.PROFESSION and text[span.start - 1 : span.start] in _APOSTROPHES:
            if found := _WORD_BEFORE.search(text, first, span.start):
                return replace(span, start=found.start())
        elif span.entity in _TELEPHONES and text[span.start - 1 : span.start] in {" ", "-"}:
            if found := _AREA_BEFORE.search(text, max(first, span.start - _AREA_REACH), span.start):
                return replace(span, start=found.start())
        elif span.entity in ORGANIZATIONS and text[span.end : span.end + 1] in _APOSTROPHES:
            found = _INSTITUTION_BEHIND.match(text, span.end, last)
            if found is not None and fold(found["last"]) in INSTITUTIONS:
                return replace(span, end=found.end())
        return span

    def _as(self, span: Span, entity: Entity) -> Span:
        if entity is span.entity or not self._is_treated_alike(span.entity, entity):
            return span
        return replace(span, entity=entity)

    def _by_form(self, span: Span) -> Span:
        """Return a span with the kind that its own form and the word behind it show."""
        value = self._value(span)
        if span.entity in NAMES:
            if self._is_weekday(span) or (
                " " in value and value[-3:].lower() in _ENDS_OF_HOLIDAYS and HOLIDAY.fullmatch(value)
            ):
                return self._as(span, Entity.DATE)
            return self._as(span, Entity.ORGANIZATION) if self._is_institution(span) else span
        if span.entity is Entity.EMAIL and "@" not in value and (value.isalpha() or _FULL_NAME.match(value)):
            return self._as(span, Entity.USERNAME if value.isalpha() else Entity.PROVIDER)
        if span.entity is Entity.CITY and fold(value) in _NATIONS and not _STATE_BEHIND.match(self._text, span.end):
            return self._as(span, Entity.COUNTRY)
        if span.entity is Entity.STATE and state_code_of(value) is None:
            return self._state_by_form(span, value)
        if (by_form := _kind_of_form(span.entity, value)) is not None:
            return self._as(span, by_form)
        if (
            span.entity in {Entity.COUNTRY, Entity.LOCATION_OTHER}
            and len(value) > _MAX_CODE
            and country_of_region(fold(value))
        ):
            return self._as(span, Entity.STATE)
        if span.entity is Entity.CITY and is_region(value) and not is_town(value):
            return self._as(span, Entity.STATE)
        if span.entity in ORGANIZATIONS or span.entity in _OF_PLACE:
            is_street = _is_street(value) and not self._is_in_organization(value)
            return self._as(span, Entity.STREET) if is_street else span
        return span

    def _is_in_organization(self, value: str) -> bool:
        """Whether an organization of the note begins with a value and has further words."""
        start = f"{fold(value)} "
        return any(one.entity in ORGANIZATIONS and fold(self._value(one)).startswith(start) for one in self._spans)

    def _state_by_form(self, span: Span, value: str) -> Span:
        """Return a state that is none of the United States with its kind: a town and a country may stand so, too."""
        if is_town(value) and not is_region(value):
            return self._as(span, Entity.CITY)
        return self._as(span, Entity.COUNTRY) if country_named(value) else span

    def _is_weekday(self, span: Span) -> bool:
        """Whether a name is a weekday in brackets: "07/03/2025 (Fri)"."""
        return self._text[span.start - 1 : span.start] == "(" and fold(self._value(span)) in PREFIXES[WEEKDAYS]

    def _by_span_before(self, before: Span, span: Span) -> Span:
        """Return a span with the kind that the span before it shows."""
        if before.entity is not Entity.CITY and before.entity is not Entity.STATE:
            return span
        if self._is_zip_behind(before, span):
            return self._as(span, Entity.ZIP)
        gap, value = self._text[before.end : span.start], self._value(span)
        is_code = len(value) <= _MAX_CODE and value.isupper() and span.entity in ORGANIZATIONS
        if (
            before.entity is Entity.CITY
            and gap in {", ", " "}
            and is_code
            and (state_code_of(value) or is_region(value))
        ):
            return self._as(span, Entity.STATE)
        return span

    def _is_institution(self, span: Span) -> bool:
        """Whether a name is one of an institution: "Little Acorns Montessori", "Prairie Rose" before "Pediatrics"."""
        value, text = self._value(span), self._text
        behind = _WORD_BEHIND.match(text, span.end) if text[span.end : span.end + 1] == " " else None
        if behind is None and " " not in value:
            return False
        kind = "" if behind is None else fold(behind[1])
        words = value.split()
        first, last = (fold_name(words[0]), fold_name(words[-1])) if words else ("", "")
        is_sure = len(words) > 1 and last in _SURE_INSTITUTIONS
        is_named = len(words) > 1 and (last in INSTITUTIONS or first in INSTITUTIONS)
        if not (is_sure or is_named or kind in INSTITUTIONS or kind in SPECIALTIES):
            # So are most names.
            return False
        if not words or "," in value or "^" in value or _INITIAL_FIRST.match(value):
            return False
        if not self._own_names.isdisjoint(map(fold_name, words)):
            return False
        if is_sure:
            return True
        bearers = given_name_table().get(first, UNKNOWN_NAME).bearers
        if not is_named and kind not in INSTITUTIONS and not (bearers == 0 and len(words) > 1):
            return False
        if bearers > _MAX_BEARERS:
            return False
        return _TITLE_BEFORE.search(text, max(0, span.start - 8), span.start) is None

    def _is_zip_behind(self, before: Span, span: Span) -> bool:
        """Whether a number is the ZIP of the town or the state before it."""
        return (
            (CATEGORY[span.entity] is Category.ID or span.entity is Entity.PHONE)
            and span.start - before.end <= _MAX_STATE_GAP
            and not self._text[before.end : span.start].strip(" ,.-–")
            and _ZIP.fullmatch(self._value(span)) is not None
        )

    def _without_street(self, span: Span, value: str) -> list[Span]:
        """Return an organization and the street behind it: "Medical Centre, Main St"."""
        name, _, last = value.rpartition(", ")
        if not _is_street(_SHORT_STREET.sub(" street", last)) or not self._is_treated_alike(span.entity, Entity.STREET):
            return [span]
        start = span.end - len(last)
        return [replace(span, end=span.start + len(name)), replace(span, start=start, entity=Entity.STREET)]

    def _divided(self, span: Span) -> list[Span]:
        """Return two names in two sentences, or a town and its state, as two spans where they were detected as one."""
        value = self._value(span)
        if span.entity in NAMES and ", " in value and _CLINIC_BEHIND.match(self._text, span.end):
            # "Dr. Quillfeather, Organ Vista Urgent Care".
            comma = value.index(", ")
            clinic = replace(span, start=span.start + comma + len(", "))
            return [replace(span, end=span.start + comma), self._as(clinic, Entity.FACILITY)]
        if span.entity in NAMES and ". " in value and (found := _SENTENCE_END.search(value)):
            first, second = (
                replace(span, end=span.start + found.start(1)),
                replace(span, start=span.start + found.end()),
            )
            return [first, second]
        if "\n" in value and CATEGORY[span.entity] is Category.ID and (below := _INITIALS_BELOW.search(value)):
            initials = replace(span, start=span.start + below.start("letters"))
            return [replace(span, end=span.start + below.start()), self._as(initials, Entity.INITIALS)]
        if span.entity in ORGANIZATIONS and ", " in value:
            return self._without_street(span, value)
        if span.entity in _OF_PLACE and (district := _DISTRICT_AT_END.search(value)):
            return [self._as(replace(span, end=span.start + district.start()), Entity.CITY)]
        if span.entity is not Entity.CITY or " " not in value:
            return [span]
        found = _STATE_AT_END.fullmatch(value)
        if found is None or not self._is_treated_alike(Entity.CITY, Entity.STATE):
            return [span]
        state = found["state"]
        if not state.isupper() and fold(state).rstrip(".") not in _STATES_IN_SHORT and "," not in found["between"]:
            return [span]
        if state_code_of(state) is None:
            return [span]
        city = replace(span, end=span.start + found.end("city"))
        return [city, replace(span, start=span.start + found.start("state"), entity=Entity.STATE)]


def _kind_of_form(entity: Entity, value: str) -> Entity | None:
    """Return the kind of a value whose form no value of ``entity`` has; ``None`` for others."""
    of_form = _OF_FORM.get(entity)
    return of_form[1] if of_form is not None and of_form[0].fullmatch(value) else None


def _is_street(value: str) -> bool:
    """Whether a value is named as streets are: its last word is a kind of street, and no word a kind of institution."""
    if value[value.rfind(" ") + 1 :].lower().rstrip(".") not in STREET_KINDS:
        return False
    words = [fold(word) for word in re.findall(r"[^\W_]+", value)]
    if len(words) < 2 or words[-1] not in STREET_KINDS:
        return False
    return not any(word in KINDS and word not in STREET_KINDS for word in words)
