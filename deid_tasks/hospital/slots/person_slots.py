"""Slots of people: the patient, relatives and clinicians, with their names, numbers and words about them."""

from collections.abc import Callable

from deid_tasks.core.entities import Entity
from deid_tasks.hospital import names
from deid_tasks.hospital.records import Person
from deid_tasks.hospital.scene import Scene
from deid_tasks.hospital.slots.writers import Get, Write, plant, telephone_slot, write_drawn

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
        "credentials": plant(get("credentials"), None),
        "specialty": plant(get("specialty"), None),
        "user_id": plant(get("user_id"), Entity.USERNAME, whose),
        "npi": plant(get("npi"), Entity.LICENSE),
        "pager": plant(get("pager"), Entity.PAGER),
        "phone": telephone_slot(get("phone"), Entity.PHONE),
        "signoff": plant(signoff, Entity.INITIALS, whose),
    }


def _patient(attribute: str, entity: Entity) -> Write:
    return plant(lambda scene: str(getattr(scene.patient, attribute)), entity)


def _boy_or_man(scene: Scene) -> str:
    return _WORDS["man"][scene.patient.person.sex == "F"] if scene.age() >= 18 else _boy(scene)


def _boy(scene: Scene) -> str:
    return "girl" if scene.patient.person.sex == "F" else "boy"


def _relative(number: int) -> dict[str, Write]:
    return {
        "relation": plant(lambda scene: scene.relatives[number].relation, None),
        "phone": telephone_slot(lambda scene: scene.relatives[number].phone, Entity.PHONE),
        "age": write_drawn(lambda rng: str(18 + int(rng.random() * 70)), Entity.AGE),
    }


_OF_PERSON: dict[str, dict[str, Write]] = {
    "patient": {
        "age": plant(lambda scene: str(scene.age()), Entity.AGE),
        "phone": telephone_slot(lambda scene: scene.patient.phone, Entity.PHONE),
        "mobile": telephone_slot(lambda scene: scene.patient.mobile, Entity.PHONE),
        "email": _patient("email", Entity.EMAIL),
        "mrn": _patient("mrn", Entity.MRN),
        "ssn": _patient("ssn", Entity.SSN),
        "health_plan": _patient("health_plan", Entity.HEALTH_PLAN),
        "account": _patient("account", Entity.ACCOUNT),
        "employer": _patient("employer", Entity.ORGANIZATION),
        "profession": _patient("profession", Entity.PROFESSION),
        "previous_last": plant(lambda scene: scene.patient.previous_last or scene.patient.person.last, Entity.PATIENT),
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
    return plant(lambda scene: write(person(scene), scene.rng), entity, _WHOSE[subject])


def person_slot(subject: str, attribute: str) -> Write | None:
    """Return the function that writes an attribute of a person, such as ``provider2`` and ``last``; or ``None``."""
    if subject not in _PEOPLE:
        return None
    if attribute in names.FORMS:
        return _form(subject, attribute)
    if attribute in _DESCRIBED:
        tell, person = _DESCRIBED[attribute], _PEOPLE[subject][0]
        return plant(lambda scene: tell(person(scene)), None)
    return _OF_PERSON[subject].get(attribute)


def known_person_slots() -> list[str]:
    """Return every slot of a person."""
    forms = [f"{who}.{what}" for who in _PEOPLE for what in (*names.FORMS, *_DESCRIBED)]
    return forms + [f"{who}.{what}" for who, table in _OF_PERSON.items() for what in table]


def _describe(describe: Callable[[Person], str]) -> Write:
    return plant(lambda scene: describe(scene.patient.person), None)


PATIENT_WORDS: dict[str, Write] = {
    **{word: _describe(describe) for word, describe in _DESCRIBED.items()},
    "boy_or_man": plant(_boy_or_man, None),
    "boy": plant(_boy, None),
}
"""Slots of words about the patient that identify nobody."""
