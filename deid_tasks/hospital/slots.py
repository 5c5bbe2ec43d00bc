"""Slots: what each `{…}` of a skeleton writes, and which of it is an identifier. Grammar: `skeletons/README.md`."""

import datetime
import difflib
import random
import re
from collections.abc import Callable
from functools import cache

from deid_tasks.core.entities import Entity
from deid_tasks.core.us_states import STATE_NAMES
from deid_tasks.hospital import dates, names, numbers, vocabulary
from deid_tasks.hospital.records import Address, Facility, Person
from deid_tasks.hospital.scene import OfIdentity, Piece, Scene

Write = Callable[[Scene], None]
Get = Callable[[Scene], str]


class SlotError(ValueError):
    """The text of a slot is not one the grammar knows; the message is the reason."""


def compile_slot(body: str) -> Write:
    """Return the function that writes slot ``{body}`` into a scene.

    Slots in capitals give their value in capitals: ``{patient.LAST}``, ``{CITY}``. Raises ``SlotError``.
    """
    body = body.strip()
    if write := _DIRECT.get(body) or _date(body) or _range(body):
        return write
    subject, dot, attribute = body.partition(".")
    if write := _attribute(subject, attribute) if dot else None:
        return write
    if body.isupper() and body.lower() in _DIRECT:
        return _upper(_DIRECT[body.lower()])
    subject = subject.lower() if body.isupper() else subject
    if dot and attribute.isupper() and (write := _attribute(subject, attribute.lower())):
        return _upper(write)
    if dot and attribute.endswith("_lower") and (write := _attribute(subject, attribute.removesuffix("_lower"))):
        return _lower(write)
    near = difflib.get_close_matches(body, known_slots(), n=1)
    raise SlotError("no such slot" + (f"; did you mean {{{near[0]}}}?" if near else ""))


@cache
def known_slots() -> tuple[str, ...]:
    """Return every slot that stands for one value, as it is written: the dates by their styles, the people by their
    forms.
    """
    styles = [f"date:{style}" for style in (*dates.STYLES, "stamp")]
    people = [f"{who}.{what}" for who in _PEOPLE for what in (*names.FORMS, *_DESCRIBED)]
    extra = [f"{who}.{what}" for who, table in _ALSO.items() for what in table]
    places = [f"{who}.{what}" for who in _FACILITIES for what in _OF_FACILITY]
    return (*_DIRECT, "date", "dob", *styles, *people, *extra, *places)


def _plant(get: Get, entity: Entity | None, whose: Get | None = None) -> Write:
    def write(scene: Scene) -> None:
        value = get(scene)
        if not value:
            scene.trim()
        elif entity is None or whose is None:
            scene.pieces.append((value, entity))
        else:
            scene.pieces.append((value, OfIdentity(entity, whose(scene))))

    return write


def _draw(draw: Callable[[random.Random], str], entity: Entity | None = None) -> Write:
    def write(scene: Scene) -> None:
        scene.pieces.append((draw(scene.rng), entity))

    return write


def _changed(write: Write, change: Callable[[str], str]) -> Write:
    def changed(scene: Scene) -> None:
        start = len(scene.pieces)
        write(scene)
        scene.pieces[start:] = [(change(text), entity) for text, entity in scene.pieces[start:]]

    return changed


def _upper(write: Write) -> Write:
    return _changed(write, str.upper)


def _lower(write: Write) -> Write:
    return _changed(write, str.lower)


# People

_PEOPLE: dict[str, tuple[Callable[[Scene], Person], Entity]] = {
    "patient": (lambda scene: scene.patient.person, Entity.PATIENT),
    "relative": (lambda scene: scene.relatives[0].person, Entity.RELATIVE),
    "relative2": (lambda scene: scene.relatives[1].person, Entity.RELATIVE),
    "author": (lambda scene: scene.author.person, Entity.PROVIDER),
    "provider": (lambda scene: scene.providers[0].person, Entity.PROVIDER),
    "provider2": (lambda scene: scene.providers[1].person, Entity.PROVIDER),
    "provider3": (lambda scene: scene.providers[2].person, Entity.PROVIDER),
}

_WHOSE: dict[str, Get] = {
    "patient": lambda scene: scene.patient.patient_id,
    "relative": lambda scene: _relative_id(scene, 0),
    "relative2": lambda scene: _relative_id(scene, 1),
    "author": lambda scene: scene.author.provider_id,
    "provider": lambda scene: scene.providers[0].provider_id,
    "provider2": lambda scene: scene.providers[1].provider_id,
    "provider3": lambda scene: scene.providers[2].provider_id,
}
"""Who each of these people is."""


def _relative_id(scene: Scene, number: int) -> str:
    person = scene.relatives[number].person
    return f"{scene.patient.patient_id}/{person.first} {person.last}"


_WORDS = {
    "he": ("he", "she"), "He": ("He", "She"), "HE": ("HE", "SHE"),
    "his": ("his", "her"), "His": ("His", "Her"), "HIS": ("HIS", "HER"),
    "him": ("him", "her"), "himself": ("himself", "herself"),
    "man": ("man", "woman"), "Mr": ("Mr", "Ms"), "gentleman": ("gentleman", "lady"),
    "male": ("male", "female"), "Male": ("Male", "Female"), "MALE": ("MALE", "FEMALE"),
    "sex": ("M", "F"),
}  # fmt: skip


def _title(person: Person) -> str:
    return "Mr." if person.sex == "M" else "Mrs." if len(person.first) % 3 == 0 else "Ms."


_DESCRIBED: dict[str, Callable[[Person], str]] = {
    "title": _title,
    **{word: lambda person, pair=pair: pair[person.sex == "F"] for word, pair in _WORDS.items()},  # type: ignore[misc]
}
"""Words about a person that do not identify them."""


def _provider(number: int | None) -> dict[str, Write]:
    def get(attribute: str) -> Get:
        if number is None:
            return lambda scene: str(getattr(scene.author, attribute))
        return lambda scene: str(getattr(scene.providers[number], attribute))

    def signoff(scene: Scene) -> str:
        return names.signoff((scene.author if number is None else scene.providers[number]).person, scene.rng)

    whose = _WHOSE["author" if number is None else "provider" if number == 0 else f"provider{number + 1}"]
    return {
        "credentials": _plant(get("credentials"), None),
        "specialty": _plant(get("specialty"), None),
        "user_id": _plant(get("user_id"), Entity.USERNAME, whose),
        "npi": _plant(get("npi"), Entity.LICENSE),
        "pager": _plant(get("pager"), Entity.PAGER),
        "phone": _telephone(get("phone"), Entity.PHONE),
        "signoff": _plant(signoff, Entity.INITIALS, whose),
    }


def _telephone(get: Get, entity: Entity) -> Write:
    return _plant(lambda scene: numbers.write_telephone(get(scene), scene.rng), entity)


def _patient(attribute: str, entity: Entity) -> Write:
    return _plant(lambda scene: str(getattr(scene.patient, attribute)), entity)


def _boy_or_man(scene: Scene) -> str:
    return _WORDS["man"][scene.patient.person.sex == "F"] if scene.age() >= 18 else _boy(scene)


def _boy(scene: Scene) -> str:
    return "girl" if scene.patient.person.sex == "F" else "boy"


def _relative(number: int) -> dict[str, Write]:
    return {
        "relation": _plant(lambda scene: scene.relatives[number].relation, None),
        "phone": _telephone(lambda scene: scene.relatives[number].phone, Entity.PHONE),
        "age": _draw(lambda rng: str(18 + int(rng.random() * 70)), Entity.AGE),
    }


_ALSO: dict[str, dict[str, Write]] = {
    "patient": {
        "age": _plant(lambda scene: str(scene.age()), Entity.AGE),
        "phone": _telephone(lambda scene: scene.patient.phone, Entity.PHONE),
        "mobile": _telephone(lambda scene: scene.patient.mobile, Entity.PHONE),
        "email": _patient("email", Entity.EMAIL),
        "mrn": _patient("mrn", Entity.MRN),
        "ssn": _patient("ssn", Entity.SSN),
        "health_plan": _patient("health_plan", Entity.HEALTH_PLAN),
        "account": _patient("account", Entity.ACCOUNT),
        "employer": _patient("employer", Entity.ORGANIZATION),
        "profession": _patient("profession", Entity.PROFESSION),
        "previous_last": _plant(lambda scene: scene.patient.previous_last or scene.patient.person.last, Entity.PATIENT),
    },
    "relative": _relative(0),
    "relative2": _relative(1),
    "author": _provider(None),
    "provider": _provider(0),
    "provider2": _provider(1),
    "provider3": _provider(2),
}


def _form(subject: str, form: str) -> Write:
    person, entity = _PEOPLE[subject]
    write = names.FORMS[form]
    if form == "initials" and entity is Entity.PROVIDER:
        entity = Entity.INITIALS
    return _plant(lambda scene: write(person(scene), scene.rng), entity, _WHOSE[subject])


def _attribute(subject: str, attribute: str) -> Write | None:
    if subject in _PEOPLE:
        if attribute in names.FORMS:
            return _form(subject, attribute)
        if attribute in _DESCRIBED:
            tell, person = _DESCRIBED[attribute], _PEOPLE[subject][0]
            return _plant(lambda scene: tell(person(scene)), None)
        return _ALSO[subject].get(attribute)
    if subject in _FACILITIES and attribute in _OF_FACILITY:
        return _of_facility(subject, attribute)
    return None


# Places

_FACILITIES: dict[str, tuple[Callable[[Scene], Facility], Entity]] = {
    "facility": (lambda scene: scene.facility, Entity.FACILITY),
    "other_facility": (lambda scene: scene.other_facility, Entity.FACILITY),
    "nursing_home": (lambda scene: scene.nursing_home, Entity.FACILITY),
    "pharmacy": (lambda scene: scene.pharmacy, Entity.ORGANIZATION),
}

_OF_FACILITY: dict[str, tuple[Callable[[Facility], str], Entity | None]] = {
    "name": (lambda facility: facility.name, None),
    "short": (lambda facility: facility.short_name, None),
    "phone": (lambda facility: facility.phone, Entity.PHONE),
    "fax": (lambda facility: facility.fax, Entity.FAX),
    "street": (lambda facility: facility.address.street, Entity.STREET),
    "city": (lambda facility: facility.address.city, Entity.CITY),
    "state": (lambda facility: facility.address.state, Entity.STATE),
    "zip": (lambda facility: facility.address.zip, Entity.ZIP),
    "room": (lambda _: "", Entity.LOCATION_OTHER),
}


def _of_facility(subject: str, attribute: str) -> Write:
    facility, own = _FACILITIES[subject]
    get, entity = _OF_FACILITY[attribute]
    if attribute == "room":
        return _plant(lambda scene: _one(facility(scene).rooms, scene.rng), entity)
    if entity in (Entity.PHONE, Entity.FAX):
        return _telephone(lambda scene: get(facility(scene)), entity)
    return _plant(
        lambda scene: get(facility(scene)), entity or own, None if entity else lambda scene: facility(scene).facility_id
    )


def _one(options: tuple[str, ...], rng: random.Random) -> str:
    return options[int(rng.random() * len(options))] if options else ""


def _write_address(address: Address, scene: Scene) -> None:
    pieces: tuple[Piece, ...] = (
        (address.street, Entity.STREET),
        (", ", None),
        (address.city, Entity.CITY),
        (", ", None),
        (address.state, Entity.STATE),
        (" ", None),
        (address.zip, Entity.ZIP),
    )
    scene.pieces.extend(pieces)


def _town(attribute: str, entity: Entity) -> Write:
    def get(scene: Scene) -> str:
        towns = scene.gazetteer.towns
        return str(getattr(towns[int(scene.rng.random() * len(towns))], attribute))

    return _plant(get, entity)


def _public(attribute: str, entity: Entity | None) -> Write:
    return _plant(lambda scene: _one(getattr(scene.gazetteer, attribute), scene.rng), entity)


def _local_number(scene: Scene) -> str:
    return numbers.telephone(scene.patient.phone[:3], scene.rng)


def _email(scene: Scene) -> str:
    person, towns = scene.author.person, scene.gazetteer.domains
    local = re.sub(r"[^a-z]", "", f"{person.first[0]}{person.last}".lower()) or "frontdesk"
    return f"{local if scene.rng.random() < 0.6 else 'info'}@{_one(towns, scene.rng)}"


def _url(scene: Scene) -> str:
    head = _one(("www.", "https://www.", "https://", "mychart.", "https://portal.", "http://"), scene.rng)
    tail = _one(
        ("", "", "/portal", "/patients", "/forms/intake", "/results?id=" + numbers.digits(6, scene.rng)), scene.rng
    )
    return head + _one(scene.gazetteer.domains, scene.rng) + tail


# Dates

_DATE = re.compile(r"(dob|date(?:(?P<shift>[+-]\d+)|~(?P<low>[+-]?\d+)\.\.(?P<high>[+-]?\d+))?)(?::(?P<style>\w+))?")


def _date(body: str) -> Write | None:
    match = _DATE.fullmatch(body)
    if not match:
        return None
    style = match["style"]
    if style is not None and style != "stamp" and style not in dates.STYLES:
        near = difflib.get_close_matches(style, [*dates.STYLES, "stamp"], n=1)
        raise SlotError(f"no date style {style!r}" + (f"; did you mean {near[0]!r}?" if near else ""))
    low, high = int(match["low"] or match["shift"] or 0), int(match["high"] or match["shift"] or 0)
    if low > high:
        raise SlotError(f"the range {low}..{high} is empty")
    is_birth = match[1].startswith("dob")

    def write(scene: Scene) -> None:
        rng = scene.rng
        if is_birth:
            day = scene.patient.birth_date
        else:
            shift = low if low == high else low + int(rng.random() * (high - low + 1))
            day = scene.moment.date() + datetime.timedelta(days=shift)
        if style == "stamp":
            scene.pieces.append((dates.STYLES["mmddyyyy"](day, rng), Entity.DATE))
            scene.pieces.append((" ", None))
            scene.pieces.append((f"{scene.moment:%H:%M}", Entity.TIME))
            return
        form = dates.STYLES[style or (scene.date_style if rng.random() < 0.7 else _one(dates.COMMON, rng))]
        scene.pieces.append((form(day, rng), Entity.DATE))

    return write


def _time(scene: Scene) -> None:
    shift = datetime.timedelta(minutes=-int(scene.rng.random() * 180))
    scene.pieces.append((dates.time_of_day(scene.moment + shift, scene.rng), Entity.TIME))


# Numbers in a range

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
        return _draw(lambda rng: f"{first + rng.random() * width:.{places}f}")
    if "." in low + high:
        raise SlotError("whole numbers are expected")
    start, count = int(low), int(high) - int(low) + 1
    return _draw(lambda rng: str(start + int(rng.random() * count)), Entity.AGE if kind == "age" else None)


def _copied_forward(scene: Scene) -> None:
    scene.pieces.extend(scene.carried)


def _describe(describe: Callable[[Person], str]) -> Write:
    return _plant(lambda scene: describe(scene.patient.person), None)


_DIRECT: dict[str, Write] = {
    **{word: _describe(describe) for word, describe in _DESCRIBED.items()},
    "boy_or_man": _plant(_boy_or_man, None),
    "boy": _plant(_boy, None),
    "time": _time,
    "age": _draw(lambda rng: str(1 + int(rng.random() * 95)), Entity.AGE),
    "street": _plant(lambda scene: scene.patient.address.street, Entity.STREET),
    "city": _plant(lambda scene: scene.patient.address.city, Entity.CITY),
    "state": _plant(lambda scene: scene.patient.address.state, Entity.STATE),
    "state_name": _plant(lambda scene: STATE_NAMES[scene.patient.address.state], Entity.STATE),
    "zip": _plant(lambda scene: scene.patient.address.zip, Entity.ZIP),
    "address": lambda scene: _write_address(scene.patient.address, scene),
    "other_city": _town("city", Entity.CITY),
    "other_state": _plant(lambda scene: STATE_NAMES[_one(tuple(STATE_NAMES), scene.rng)], Entity.STATE),
    "country": _public("countries", Entity.COUNTRY),
    "place": _public("places", Entity.LOCATION_OTHER),
    "nursing_home": _of_facility("nursing_home", "name"),
    "pharmacy": _of_facility("pharmacy", "name"),
    "organization": _public("organizations", Entity.ORGANIZATION),
    "profession": _public("professions", Entity.PROFESSION),
    "clinic_abbr": _public("clinic_abbreviations", None),
    "phone": _telephone(_local_number, Entity.PHONE),
    "fax": _telephone(_local_number, Entity.FAX),
    "pager": _draw(numbers.pager, Entity.PAGER),
    "email": _plant(_email, Entity.EMAIL),
    "url": _plant(_url, Entity.URL),
    "ip": _draw(numbers.internet_address, Entity.IP),
    "copied_forward": _copied_forward,
    **{
        kind: _draw(lambda rng, kind=kind: numbers.number(kind, rng), entity)  # type: ignore[misc]
        for kind, entity in {
            "account": Entity.ACCOUNT,
            "license": Entity.LICENSE,
            "vehicle": Entity.VEHICLE,
            "device": Entity.DEVICE,
            "biometric": Entity.BIOMETRIC,
            "accession": Entity.OTHER_ID,
        }.items()
    },
    **{slot: _draw(draw) for slot, draw in vocabulary.draws().items()},
}
