"""Forms: what the text of a span is within its entity, such as a year alone or a full date.

Rules of privacy treat the forms of one entity differently: Safe Harbor lets a year stay, and no date. ``FORMS`` is the
table of all forms, each with an example. ``engine.obfuscate.policy`` reads the form of a text.
"""

from enum import StrEnum
from typing import NamedTuple

from deid_tasks.core.entities import Entity


class IdentifierForm(StrEnum):
    """The forms; each belongs to one entity, and an entity without forms of its own is one form."""

    PATIENT = "patient"
    RELATIVE = "relative"
    CLINICIAN = "clinician"
    USERNAME = "username"
    INITIALS = "initials"
    PROFESSION = "profession"
    STREET = "street"
    CITY = "city"
    STATE = "state"
    REGION_UNCLEAR = "region_unclear"
    COUNTRY = "country"
    COUNTRY_UNCLEAR = "country_unclear"
    ZIP = "zip"
    POSTAL_CODE = "postal_code"
    ZIP_3 = "zip_3"
    RESTRICTED_ZIP_3 = "restricted_zip_3"
    LANDMARK = "landmark"
    FACILITY = "facility"
    ORGANIZATION = "organization"
    AGE_UNDER_90 = "age_under_90"
    AGE_90_OR_OVER = "age_90_or_over"
    AGE_UNCLEAR = "age_unclear"
    YEAR = "year"
    BIRTH_YEAR_OVER_89 = "birth_year_over_89"
    SEASON = "season"
    MONTH = "month"
    MONTH_AND_YEAR = "month_and_year"
    FULL_DATE = "full_date"
    WEEKDAY = "weekday"
    RELATIVE_DATE = "relative_date"
    RELATIVE_DAY = "relative_day"
    HOLIDAY = "holiday"
    DATE_UNCLEAR = "date_unclear"
    TIME_OF_DAY = "time_of_day"
    TIME_UNCLEAR = "time_unclear"
    PHONE = "phone"
    FAX = "fax"
    PAGER = "pager"
    EMAIL = "email"
    URL = "url"
    IP = "ip"
    SSN = "ssn"
    MRN = "mrn"
    HEALTH_PLAN = "health_plan"
    ACCOUNT = "account"
    LICENSE = "license"
    VEHICLE = "vehicle"
    DEVICE = "device"
    BIOMETRIC = "biometric"
    OTHER_ID = "other_id"


class FormEntry(NamedTuple):
    """A row of the table of forms."""

    entity: Entity
    example: str
    means: str


FORMS: dict[IdentifierForm, FormEntry] = {
    IdentifierForm.PATIENT: FormEntry(Entity.PATIENT, "Maria Okafor", "name of the patient"),
    IdentifierForm.RELATIVE: FormEntry(Entity.RELATIVE, "Paul Okafor", "name of a relative or a friend"),
    IdentifierForm.CLINICIAN: FormEntry(Entity.PROVIDER, "Dr. Lee", "name of a clinician or another member of staff"),
    IdentifierForm.USERNAME: FormEntry(Entity.USERNAME, "mokafor2", "account of a computer"),
    IdentifierForm.INITIALS: FormEntry(Entity.INITIALS, "JKL", "initials of a person"),
    IdentifierForm.PROFESSION: FormEntry(Entity.PROFESSION, "welder", "profession"),
    IdentifierForm.STREET: FormEntry(Entity.STREET, "12 Elm Street", "street address"),
    IdentifierForm.CITY: FormEntry(Entity.CITY, "Springfield", "town"),
    IdentifierForm.STATE: FormEntry(Entity.STATE, "OH", "state of the USA"),
    IdentifierForm.REGION_UNCLEAR: FormEntry(
        Entity.STATE, "Bavaria", "marked as a state, and not known as one of the USA"
    ),
    IdentifierForm.COUNTRY: FormEntry(Entity.COUNTRY, "Canada", "country"),
    IdentifierForm.COUNTRY_UNCLEAR: FormEntry(Entity.COUNTRY, "Ruritania", "marked as a country, and not known as one"),
    IdentifierForm.ZIP: FormEntry(Entity.ZIP, "45502", "ZIP of five or nine digits"),
    IdentifierForm.POSTAL_CODE: FormEntry(Entity.ZIP, "SW1A 1AA", "any other postal code"),
    IdentifierForm.ZIP_3: FormEntry(Entity.ZIP, "455", "first three digits of a ZIP, of more than 20,000 people"),
    IdentifierForm.RESTRICTED_ZIP_3: FormEntry(
        Entity.ZIP, "036", "first three digits of a ZIP, of 20,000 people or fewer"
    ),
    IdentifierForm.LANDMARK: FormEntry(
        Entity.LOCATION_OTHER, "Mill Pond Park", "county, landmark, room or other place"
    ),
    IdentifierForm.FACILITY: FormEntry(Entity.FACILITY, "Mercy Hospital", "place of care"),
    IdentifierForm.ORGANIZATION: FormEntry(Entity.ORGANIZATION, "Acme Foundry", "employer or other organization"),
    IdentifierForm.AGE_UNDER_90: FormEntry(
        Entity.AGE, "54", "age up to the policy's max_kept_age_years, by default 89"
    ),
    IdentifierForm.AGE_90_OR_OVER: FormEntry(Entity.AGE, "94", "higher age"),
    IdentifierForm.AGE_UNCLEAR: FormEntry(Entity.AGE, "LXXII", "marked as an age, and no number that can be read"),
    IdentifierForm.YEAR: FormEntry(Entity.DATE, "2019", "years or a decade alone"),
    IdentifierForm.BIRTH_YEAR_OVER_89: FormEntry(Entity.DATE, "1928", "year alone; someone born in it may be over 89"),
    IdentifierForm.SEASON: FormEntry(Entity.DATE, "spring 2019", "season or quarter, with or without its year"),
    IdentifierForm.MONTH: FormEntry(Entity.DATE, "March", "month alone"),
    IdentifierForm.MONTH_AND_YEAR: FormEntry(Entity.DATE, "March 2019", "month and year"),
    IdentifierForm.FULL_DATE: FormEntry(Entity.DATE, "3/14/2021", "day of a month, with or without month and year"),
    IdentifierForm.WEEKDAY: FormEntry(Entity.DATE, "Thursday", "day of the week"),
    IdentifierForm.RELATIVE_DATE: FormEntry(
        Entity.DATE, "last Thursday", "weekday, month or season that counts from the note's date"
    ),
    IdentifierForm.RELATIVE_DAY: FormEntry(
        Entity.DATE, "two weeks ago", "time that counts from the note's date in numbers"
    ),
    IdentifierForm.HOLIDAY: FormEntry(Entity.DATE, "Christmas", "holiday, with or without its year"),
    IdentifierForm.DATE_UNCLEAR: FormEntry(Entity.DATE, "99/99/9999", "marked as a date, and none that can be read"),
    IdentifierForm.TIME_OF_DAY: FormEntry(Entity.TIME, "14:35", "time of day"),
    IdentifierForm.TIME_UNCLEAR: FormEntry(Entity.TIME, "Okafor", "marked as a time, and none that can be read"),
    IdentifierForm.PHONE: FormEntry(Entity.PHONE, "413-555-0134", "telephone number"),
    IdentifierForm.FAX: FormEntry(Entity.FAX, "413-555-0135", "fax number"),
    IdentifierForm.PAGER: FormEntry(Entity.PAGER, "30412", "pager number"),
    IdentifierForm.EMAIL: FormEntry(Entity.EMAIL, "m.okafor@example.org", "e-mail address"),
    IdentifierForm.URL: FormEntry(Entity.URL, "www.example.org/maria", "web address"),
    IdentifierForm.IP: FormEntry(Entity.IP, "192.0.2.7", "network address"),
    IdentifierForm.SSN: FormEntry(Entity.SSN, "078-05-1120", "social security number"),
    IdentifierForm.MRN: FormEntry(Entity.MRN, "RH1234567", "medical record number"),
    IdentifierForm.HEALTH_PLAN: FormEntry(Entity.HEALTH_PLAN, "A12345678", "number at a health plan"),
    IdentifierForm.ACCOUNT: FormEntry(Entity.ACCOUNT, "4417-2203", "account number"),
    IdentifierForm.LICENSE: FormEntry(Entity.LICENSE, "S123-4567", "certificate or license number"),
    IdentifierForm.VEHICLE: FormEntry(Entity.VEHICLE, "7ABC123", "number of a vehicle or its plate"),
    IdentifierForm.DEVICE: FormEntry(Entity.DEVICE, "SN 883120", "number of a device"),
    IdentifierForm.BIOMETRIC: FormEntry(
        Entity.BIOMETRIC, "FP-20931", "number of a fingerprint or another biometric record"
    ),
    IdentifierForm.OTHER_ID: FormEntry(Entity.OTHER_ID, "case 2231-B", "any other number or code"),
}
"""What each form belongs to, one text that has it, and what it is."""


def forms_of(entity: Entity) -> tuple[IdentifierForm, ...]:
    """Return the forms that the text of ``entity`` may have."""
    return tuple(form for form, entry in FORMS.items() if entry.entity is entity)
