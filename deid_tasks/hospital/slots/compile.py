"""The function of a slot, from its text."""

import difflib
import re
from functools import cache

from deid_tasks.core.entities import Entity
from deid_tasks.core.us_states import STATE_NAMES
from deid_tasks.hospital import numbers, vocabulary
from deid_tasks.hospital.errors import SlotError
from deid_tasks.hospital.scene import Scene
from deid_tasks.hospital.slots.date_slots import date_slot, known_date_slots, write_time
from deid_tasks.hospital.slots.person_slots import PATIENT_WORDS, known_person_slots, person_slot
from deid_tasks.hospital.slots.place_slots import FACILITY_SLOTS, public_slot, town_slot, write_address
from deid_tasks.hospital.slots.writers import (
    Write,
    in_capitals,
    in_small_letters,
    one_of,
    plant,
    telephone_slot,
    write_drawn,
)


def compile_slot(body: str) -> Write:
    """Return the function that writes slot ``{body}`` into a scene.

    Slots in capitals give their value in capitals: ``{patient.LAST}``, ``{CITY}``. Raises ``SlotError``.
    """
    body = body.strip()
    if write := _DIRECT.get(body) or date_slot(body) or _range(body):
        return write
    subject, dot, attribute = body.partition(".")
    if write := _attribute(subject, attribute) if dot else None:
        return write
    if body.isupper() and body.lower() in _DIRECT:
        return in_capitals(_DIRECT[body.lower()])
    subject = subject.lower() if body.isupper() else subject
    if dot and attribute.isupper() and (write := _attribute(subject, attribute.lower())):
        return in_capitals(write)
    if dot and attribute.endswith("_lower") and (write := _attribute(subject, attribute.removesuffix("_lower"))):
        return in_small_letters(write)
    near = difflib.get_close_matches(body, known_slots(), n=1)
    raise SlotError("no such slot" + (f"; did you mean {{{near[0]}}}?" if near else ""))


@cache
def known_slots() -> tuple[str, ...]:
    """Return every slot that stands for one value, as it is written: the dates by their styles, the people by their
    forms.
    """
    return (*_DIRECT, *known_date_slots(), *known_person_slots(), *FACILITY_SLOTS)


def _attribute(subject: str, attribute: str) -> Write | None:
    return person_slot(subject, attribute) or FACILITY_SLOTS.get(f"{subject}.{attribute}")


_RANGE = re.compile(r"(n|f|age):(-?\d+(?:\.\d+)?)\.\.(-?\d+(?:\.\d+)?)")


def _range(body: str) -> Write | None:
    match = _RANGE.fullmatch(body)
    if not match:
        if body.startswith(("n:", "f:", "age:")):
            raise SlotError("expected a range such as n:1..10, f:0.5..4.2 or age:2..90")
        return None
    kind, low, high = match.groups()
    if float(low) > float(high):
        raise SlotError(f"the range {low}..{high} is empty")
    if kind == "f":
        places = max(len(bound.partition(".")[2]) for bound in (low, high)) or 1
        first, width = float(low), float(high) - float(low)
        return write_drawn(lambda rng: f"{first + rng.random() * width:.{places}f}")
    if "." in low + high:
        raise SlotError("whole numbers are expected")
    start, count = int(low), int(high) - int(low) + 1
    return write_drawn(lambda rng: str(start + int(rng.random() * count)), Entity.AGE if kind == "age" else None)


def _local_number(scene: Scene) -> str:
    return numbers.telephone(scene.patient.phone[:3], scene.rng)


def _email(scene: Scene) -> str:
    person, towns = scene.author.person, scene.gazetteer.domains
    local = re.sub(r"[^a-z]", "", f"{person.first[0]}{person.last}".lower()) or "frontdesk"
    return f"{local if scene.rng.random() < 0.6 else 'info'}@{one_of(towns, scene.rng)}"


def _url(scene: Scene) -> str:
    head = one_of(("www.", "https://www.", "https://", "mychart.", "https://portal.", "http://"), scene.rng)
    tail = one_of(
        ("", "", "/portal", "/patients", "/forms/intake", "/results?id=" + numbers.digits(6, scene.rng)), scene.rng
    )
    return head + one_of(scene.gazetteer.domains, scene.rng) + tail


def _copied_forward(scene: Scene) -> None:
    scene.pieces.extend(scene.carried)


_DIRECT: dict[str, Write] = {
    **PATIENT_WORDS,
    "time": write_time,
    "age": write_drawn(lambda rng: str(1 + int(rng.random() * 95)), Entity.AGE),
    "street": plant(lambda scene: scene.patient.address.street, Entity.STREET),
    "city": plant(lambda scene: scene.patient.address.city, Entity.CITY),
    "state": plant(lambda scene: scene.patient.address.state, Entity.STATE),
    "state_name": plant(lambda scene: STATE_NAMES[scene.patient.address.state], Entity.STATE),
    "zip": plant(lambda scene: scene.patient.address.zip, Entity.ZIP),
    "address": lambda scene: write_address(scene.patient.address, scene),
    "other_city": town_slot("city", Entity.CITY),
    "other_state": plant(lambda scene: STATE_NAMES[one_of(tuple(STATE_NAMES), scene.rng)], Entity.STATE),
    "country": public_slot("countries", Entity.COUNTRY),
    "place": public_slot("places", Entity.LOCATION_OTHER),
    "nursing_home": FACILITY_SLOTS["nursing_home.name"],
    "pharmacy": FACILITY_SLOTS["pharmacy.name"],
    "organization": public_slot("organizations", Entity.ORGANIZATION),
    "profession": public_slot("professions", Entity.PROFESSION),
    "clinic_abbr": public_slot("clinic_abbreviations", None),
    "phone": telephone_slot(_local_number, Entity.PHONE),
    "fax": telephone_slot(_local_number, Entity.FAX),
    "pager": write_drawn(numbers.pager, Entity.PAGER),
    "email": plant(_email, Entity.EMAIL),
    "url": plant(_url, Entity.URL),
    "ip": write_drawn(numbers.internet_address, Entity.IP),
    "copied_forward": _copied_forward,
    **{
        kind: write_drawn(lambda rng, kind=kind: numbers.number(kind, rng), entity)  # type: ignore[misc]
        for kind, entity in {
            "account": Entity.ACCOUNT,
            "license": Entity.LICENSE,
            "vehicle": Entity.VEHICLE,
            "device": Entity.DEVICE,
            "biometric": Entity.BIOMETRIC,
            "accession": Entity.OTHER_ID,
        }.items()
    },
    **{slot: write_drawn(draw) for slot, draw in vocabulary.draws().items()},
}
