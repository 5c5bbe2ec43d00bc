"""Puts a surrogate in the place of every span that the policy transforms."""

import datetime
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from deid_tasks.entities import GROUP_ENTITIES, Entity
from deid_tasks.obfuscate.ages import cap_age
from deid_tasks.obfuscate.contacts import replace_email, replace_ip, replace_phone, replace_url
from deid_tasks.obfuscate.dates import shift_date
from deid_tasks.obfuscate.keyed import Keyed
from deid_tasks.obfuscate.names import replace_initials, replace_name
from deid_tasks.obfuscate.numbers import replace_number
from deid_tasks.obfuscate.organizations import replace_organization, replace_profession
from deid_tasks.obfuscate.places import replace_country, replace_landmark, replace_place, replace_street
from deid_tasks.obfuscate.scope import Scope
from deid_tasks.obfuscate.times import replace_time
from deid_tasks.patient import PatientRecord
from deid_tasks.settings.model import ObfuscateSettings, PolicySettings
from deid_tasks.span import Span, check_spans
from deid_tasks.text import Document

Family = Callable[[str, Scope], str]

FAMILIES: dict[Entity, Family] = {
    **dict.fromkeys((Entity.PHONE, Entity.FAX, Entity.PAGER), replace_phone),
    **dict.fromkeys((Entity.FACILITY, Entity.ORGANIZATION), replace_organization),
    Entity.INITIALS: replace_initials,
    Entity.DATE: shift_date,
    Entity.TIME: replace_time,
    Entity.STREET: replace_street,
    Entity.COUNTRY: replace_country,
    Entity.LOCATION_OTHER: replace_landmark,
    Entity.EMAIL: replace_email,
    Entity.URL: replace_url,
    Entity.IP: replace_ip,
    Entity.PROFESSION: replace_profession,
}
"""Entities whose surrogate needs nothing but the value and the note's scope."""

_NAMES = frozenset({Entity.PATIENT, Entity.PROVIDER, Entity.RELATIVE})
_PLACES = {Entity.CITY: "city", Entity.STATE: "state", Entity.ZIP: "zip"}
_ADDRESS_GAP = 4
"""City, state and ZIP with at most this many characters between them belong to one address."""


@dataclass(frozen=True, slots=True)
class Obfuscated:
    """A note with surrogates; ``replaced`` are their ``(start, end)`` in this text, in order."""

    text: str = field(repr=False)
    replaced: tuple[tuple[int, int], ...]
    originals: tuple[tuple[int, int], ...] = ()
    """Of each surrogate, the ``(start, end)`` of what it replaced in the original text."""


class Obfuscator:
    """Surrogates of one institution, each a pure function of the key, the patient, the entity and the value.

    No table is kept and no order matters: any worker gives any note the same text at any time.
    """

    def __init__(self, key: bytes, institution: str, policy: PolicySettings, settings: ObfuscateSettings) -> None:
        self._keyed = Keyed(key, institution)
        self._transformed = GROUP_ENTITIES[policy.group] - frozenset(policy.keep)
        self._highest_age = policy.max_kept_age_years
        low, high = settings.date_shift_days
        shifts = [days for days in range(low, high + 1) if days]
        self._shifts = [days for days in shifts if not _is_whole_years(days)] or shifts

    def obfuscate(
        self,
        document: Document,
        spans: Sequence[Span],
        patient: PatientRecord | None,
        note_datetime: datetime.datetime | None,
    ) -> Obfuscated:
        """``document`` with the spans that the policy transforms replaced; everything else stays to the byte.

        Raises:
            ValueError: the spans are out of order, overlap, or lie outside the text.
        """
        text = document.text
        check_spans(spans, len(text))
        scope = Scope(
            self._keyed,
            document.patient_id or "",
            patient,
            self.shift_days(document.patient_id),
            note_datetime,
            Entity.STATE not in self._transformed,
            Entity.TIME not in self._transformed,
        )
        known: dict[tuple[Entity, str], str] = {}
        pieces: list[str] = []
        replaced: list[tuple[int, int]] = []
        originals: list[tuple[int, int]] = []
        position = length = 0
        for index, span in enumerate(spans):
            if span.entity not in self._transformed:
                continue
            original = text[span.start : span.end]
            # A place depends on what stands beside it, every other value on itself.
            if span.entity in _PLACES:
                surrogate = replace_place(original, _PLACES[span.entity], scope, *_address(text, spans, index))
            elif (surrogate := known.get((span.entity, original), "")) == "":
                surrogate = known[span.entity, original] = self._surrogate(original, span.entity, scope)
            if surrogate == original:
                continue
            between = text[position : span.start]
            pieces += (between, surrogate)
            length += len(between)
            replaced.append((length, length + len(surrogate)))
            length += len(surrogate)
            originals.append((span.start, span.end))
            position = span.end
        return Obfuscated("".join((*pieces, text[position:])), tuple(replaced), tuple(originals))

    def shift_days(self, patient_id: str | None) -> int:
        """Days by which the patient's dates move; never 0. Notes without a patient share one shift."""
        return self._keyed.choice(self._shifts, "shift", patient_id or "")

    def shift_datetime(self, moment: datetime.datetime | None, patient_id: str | None) -> datetime.datetime | None:
        """``moment`` moved as the patient's dates are."""
        return None if moment is None else moment + datetime.timedelta(days=self.shift_days(patient_id))

    def pseudonym(self, kind: str, value: str) -> str:
        """The identifier that stands for ``value`` in published tables: 26 characters of base 32."""
        return self._keyed.token("pseudonym", kind, value)

    def _surrogate(self, value: str, entity: Entity, scope: Scope) -> str:
        if entity in _NAMES:
            return replace_name(value, entity, scope)
        if entity is Entity.AGE:
            return cap_age(value, self._highest_age)
        family = FAMILIES.get(entity)
        return family(value, scope) if family else replace_number(value, entity, scope)


def _is_whole_years(days: int) -> bool:
    """Whether a shift leaves day and month as they are, in leap years or others."""
    years = abs(days) // 365
    return years > 0 and abs(days) % 365 <= years


def _address(text: str, spans: Sequence[Span], index: int) -> tuple[str, str]:
    """The city and the state that stand beside the span, empty where there are none."""
    found = {Entity.CITY: "", Entity.STATE: ""}
    for step in (-1, 1):
        here = index
        while 0 <= here + step < len(spans):
            first, second = sorted((spans[here], spans[here + step]))
            if spans[here + step].entity not in _PLACES or second.start - first.end > _ADDRESS_GAP:
                break
            here += step
            other = spans[here]
            if other.entity in found and not found[other.entity]:
                found[other.entity] = text[other.start : other.end]
    own = spans[index]
    if own.entity in found:
        found[own.entity] = text[own.start : own.end]
    return found[Entity.CITY], found[Entity.STATE]
