"""Entity types of spans, their categories, and the policy groups that decide what is transformed.

Names follow the i2b2-2014 annotation guideline, so that scores compare with the literature.
Groups A, B and C are those of Murugadoss et al., Patterns 2021, Table 1.
"""

from enum import StrEnum


class Category(StrEnum):
    """The coarse classes that scores are reported by."""

    NAME = "NAME"
    PROFESSION = "PROFESSION"
    LOCATION = "LOCATION"
    ORGANIZATION = "ORGANIZATION"
    AGE = "AGE"
    DATE = "DATE"
    CONTACT = "CONTACT"
    ID = "ID"


class Entity(StrEnum):
    """The fine types; each lies in exactly one category."""

    PATIENT = "PATIENT"
    PROVIDER = "PROVIDER"
    RELATIVE = "RELATIVE"
    USERNAME = "USERNAME"
    INITIALS = "INITIALS"
    PROFESSION = "PROFESSION"
    STREET = "STREET"
    CITY = "CITY"
    STATE = "STATE"
    COUNTRY = "COUNTRY"
    ZIP = "ZIP"
    LOCATION_OTHER = "LOCATION_OTHER"
    FACILITY = "FACILITY"
    ORGANIZATION = "ORGANIZATION"
    AGE = "AGE"
    DATE = "DATE"
    TIME = "TIME"
    PHONE = "PHONE"
    FAX = "FAX"
    PAGER = "PAGER"
    EMAIL = "EMAIL"
    URL = "URL"
    IP = "IP"
    SSN = "SSN"
    MRN = "MRN"
    HEALTH_PLAN = "HEALTH_PLAN"
    ACCOUNT = "ACCOUNT"
    LICENSE = "LICENSE"
    VEHICLE = "VEHICLE"
    DEVICE = "DEVICE"
    BIOMETRIC = "BIOMETRIC"
    OTHER_ID = "OTHER_ID"


class Group(StrEnum):
    """The policy groups: A (HIPAA Safe Harbor), B (A + providers, user ids), C (B + facilities, state, country)."""

    A = "A"
    B = "B"
    C = "C"


CATEGORY: dict[Entity, Category] = {
    **dict.fromkeys(
        (Entity.PATIENT, Entity.PROVIDER, Entity.RELATIVE, Entity.USERNAME, Entity.INITIALS), Category.NAME
    ),
    Entity.PROFESSION: Category.PROFESSION,
    **dict.fromkeys(
        (Entity.STREET, Entity.CITY, Entity.STATE, Entity.COUNTRY, Entity.ZIP, Entity.LOCATION_OTHER),
        Category.LOCATION,
    ),
    **dict.fromkeys((Entity.FACILITY, Entity.ORGANIZATION), Category.ORGANIZATION),
    Entity.AGE: Category.AGE,
    **dict.fromkeys((Entity.DATE, Entity.TIME), Category.DATE),
    **dict.fromkeys((Entity.PHONE, Entity.FAX, Entity.PAGER, Entity.EMAIL, Entity.URL, Entity.IP), Category.CONTACT),
    **dict.fromkeys(
        (
            Entity.SSN,
            Entity.MRN,
            Entity.HEALTH_PLAN,
            Entity.ACCOUNT,
            Entity.LICENSE,
            Entity.VEHICLE,
            Entity.DEVICE,
            Entity.BIOMETRIC,
            Entity.OTHER_ID,
        ),
        Category.ID,
    ),
}

_ONLY_C = frozenset({Entity.FACILITY, Entity.STATE, Entity.COUNTRY})
_ONLY_B = frozenset({Entity.PROVIDER, Entity.USERNAME, Entity.INITIALS})

GROUP_ENTITIES: dict[Group, frozenset[Entity]] = {
    Group.A: frozenset(Entity) - _ONLY_B - _ONLY_C,
    Group.B: frozenset(Entity) - _ONLY_C,
    Group.C: frozenset(Entity),
}


def category_of(entity: Entity) -> Category:
    """Return the category of ``entity``."""
    return CATEGORY[entity]
