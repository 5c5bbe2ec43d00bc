"""Rows of the OMOP CDM 5.4 layout. Concept ids are those of the OHDSI standard vocabularies."""

from collections.abc import Iterator, Mapping, Sequence

from deid_tasks.core.errors import InputError
from deid_tasks.hospital.layouts.copy import Table
from deid_tasks.hospital.records import Address, Facility, GoldNote, Hospital, Patient, Provider

_EHR, _NO_MATCH = 32817, 0
_UTF_8, _ENGLISH = 32678, 4180186
_OUTPATIENT = 9202
_HISPANIC, _NOT_HISPANIC = 38003563, 38003564
_GENDERS = {"M": 8507, "F": 8532}
_RACES = {"white": 8527, "black": 8516, "api": 8515, "native": 8657}
_NOTE, _NOTE_CLASSES = (
    44814645,
    {
        "discharge": 44814637,
        "admission": 44814638,
        "radiology": 44814641,
        "pathology": 44814642,
        "nursing": 44814644,
        "emergency": 44814646,
        "triage": 44814646,
    },
)
_CONCEPTS = (
    (8507, "MALE", "Gender", "Gender", "Gender", "M"),
    (8532, "FEMALE", "Gender", "Gender", "Gender", "F"),
    (8527, "White", "Race", "Race", "Race", "5"),
    (8516, "Black or African American", "Race", "Race", "Race", "3"),
    (8515, "Asian", "Race", "Race", "Race", "2"),
    (8557, "Native Hawaiian or Other Pacific Islander", "Race", "Race", "Race", "4"),
    (8657, "American Indian or Alaska Native", "Race", "Race", "Race", "1"),
    (_HISPANIC, "Hispanic or Latino", "Ethnicity", "Ethnicity", "Ethnicity", "Hispanic"),
    (_NOT_HISPANIC, "Not Hispanic or Latino", "Ethnicity", "Ethnicity", "Ethnicity", "Not Hispanic"),
    (_OUTPATIENT, "Outpatient Visit", "Visit", "Visit", "Visit", "OP"),
    (_EHR, "EHR", "Type Concept", "Type Concept", "Type Concept", "OMOP4976890"),
    (44814637, "Discharge summary", "Type Concept", "Note Type", "Note Type", "OMOP generated"),
    (44814638, "Admission note", "Type Concept", "Note Type", "Note Type", "OMOP generated"),
    (44814641, "Radiology report", "Type Concept", "Note Type", "Note Type", "OMOP generated"),
    (44814642, "Pathology report", "Type Concept", "Note Type", "Note Type", "OMOP generated"),
    (44814644, "Nursing report", "Type Concept", "Note Type", "Note Type", "OMOP generated"),
    (_NOTE, "Note", "Type Concept", "Note Type", "Note Type", "OMOP generated"),
    (44814646, "Emergency department note", "Type Concept", "Note Type", "Note Type", "OMOP generated"),
    (_NO_MATCH, "No matching concept", "Metadata", "None", "Undefined", "No matching concept"),
)


_IDENTIFIERS = ("mrn", "ssn", "health_plan", "account")


class OmopRows:
    """Turns one hospital's records into OMOP rows; keys are numbered in the order of the records."""

    def __init__(self, hospital: Hospital) -> None:
        self._hospital = hospital
        self._persons = {patient.patient_id: number for number, patient in enumerate(hospital.patients, 1)}
        self._providers = {author.provider_id: number for number, author in enumerate(hospital.providers, 1)}
        self._sites = {facility.facility_id: number for number, facility in enumerate(hospital.facilities, 1)}
        self._written = 0

    def people(self) -> Iterator[Table]:
        """Yield every table but those of notes."""
        hospital = self._hospital
        yield Table(
            "concept",
            ("concept_id", "concept_name", "domain_id", "vocabulary_id", "concept_class_id", "concept_code"),
            _CONCEPTS,
        )
        yield Table(
            "cdm_source",
            (
                *("cdm_source_name", "cdm_source_abbreviation", "cdm_holder", "source_release_date"),
                *("cdm_version", "cdm_version_concept_id", "vocabulary_version"),
            ),
            (
                (
                    *(hospital.spec.institution, "simulated", hospital.spec.institution, hospital.spec.start),
                    *("v5.4", 756265, "none"),
                ),
            ),
        )
        yield from care_site_tables([(n, n, facility) for n, facility in enumerate(hospital.facilities, 1)])
        yield from provider_tables(list(enumerate(hospital.providers, 1)), self._sites)
        of_patient = len(hospital.facilities)
        yield from person_tables([(n, of_patient + n, patient) for n, patient in enumerate(hospital.patients, 1)])

    def notes(self, batch: list[GoldNote]) -> Iterator[Table]:
        """Yield the visits and notes of one batch."""
        for note in batch:
            if note.patient_id not in self._persons:
                raise InputError(f"note {note.note_id}: its patient is not of this hospital")
        numbered = list(enumerate(batch, self._written + 1))
        self._written += len(batch)
        yield from note_tables(numbered, self._persons, self._providers, self._sites)


def note_tables(
    numbered: Sequence[tuple[int, GoldNote]],
    persons: Mapping[str, int],
    providers: Mapping[str, int],
    sites: Mapping[str, int],
) -> Iterator[Table]:
    """Yield the visit and the row of each numbered note, as on the moment it was written.

    ``persons``, ``providers`` and ``sites`` are the keys of the ids that the notes name.
    """
    yield Table(
        "visit_occurrence",
        (
            *("visit_occurrence_id", "person_id", "visit_concept_id", "visit_start_date", "visit_start_datetime"),
            *("visit_end_date", "visit_end_datetime", "visit_type_concept_id", "provider_id", "care_site_id"),
        ),
        (
            (
                *(n, persons[note.patient_id], _OUTPATIENT, note.note_datetime.date(), note.note_datetime),
                *(note.note_datetime.date(), note.note_datetime, _EHR, providers.get(note.author_id)),
                sites.get(note.facility_id),
            )
            for n, note in numbered
        ),
    )
    yield Table(
        "note",
        (
            *(
                "note_id",
                "person_id",
                "note_date",
                "note_datetime",
                "note_type_concept_id",
                "note_class_concept_id",
            ),
            *("note_title", "note_text", "encoding_concept_id", "language_concept_id", "provider_id"),
            *("visit_occurrence_id", "note_source_value", "load_datetime"),
        ),
        (
            (
                *(n, persons[note.patient_id], note.note_datetime.date(), note.note_datetime, _EHR),
                *(_note_class(note.note_type), note.note_type, note.text, _UTF_8, _ENGLISH),
                *(providers.get(note.author_id), n, note.note_id, note.note_datetime),
            )
            for n, note in numbered
        ),
        verbatim=frozenset({"note_text"}),
    )


def care_site_tables(numbered: Sequence[tuple[int, int, Facility]]) -> Iterator[Table]:
    """Yield the rows of places, each after its own key and that of its location."""
    yield Table(
        "location",
        ("location_id", "address_1", "city", "state", "zip", "county"),
        (_location(location, one.address) for _, location, one in numbered),
    )
    yield Table(
        "care_site",
        (
            "care_site_id",
            "care_site_name",
            "location_id",
            "care_site_source_value",
            "place_of_service_source_value",
        ),
        ((n, f.name, location, f.facility_id, f.kind) for n, location, f in numbered),
    )
    yield Table(
        "care_site_contact",
        ("care_site_id", "short_name", "phone", "fax"),
        ((n, f.short_name, f.phone, f.fax) for n, _, f in numbered),
    )


def provider_tables(numbered: Sequence[tuple[int, Provider]], sites: Mapping[str, int]) -> Iterator[Table]:
    """Yield the rows of numbered clinicians, who work at ``sites``."""
    yield Table(
        "provider",
        ("provider_id", "provider_name", "npi", "care_site_id", "provider_source_value", "specialty_source_value"),
        (
            (
                n,
                f"{p.person.first} {p.person.last}",
                p.npi,
                sites.get(p.facility_id),
                p.provider_id,
                p.specialty,
            )
            for n, p in numbered
        ),
    )
    yield Table(
        "provider_identity",
        ("provider_id", "first_name", "middle_name", "last_name", "credentials", "user_id", "phone", "pager"),
        (
            (n, p.person.first, p.person.middle, p.person.last, p.credentials, p.user_id, p.phone, p.pager)
            for n, p in numbered
        ),
    )


def person_tables(numbered: Sequence[tuple[int, int, Patient]]) -> Iterator[Table]:
    """Yield the rows of patients, each after its own key and that of its location."""
    yield Table(
        "location",
        ("location_id", "address_1", "city", "state", "zip", "county"),
        (_location(location, one.address) for _, location, one in numbered),
    )
    yield Table(
        "person",
        (
            *(
                "person_id",
                "gender_concept_id",
                "year_of_birth",
                "month_of_birth",
                "day_of_birth",
                "birth_datetime",
            ),
            *("race_concept_id", "ethnicity_concept_id", "location_id", "person_source_value"),
            *("gender_source_value", "race_source_value"),
        ),
        (
            (
                *(
                    n,
                    _GENDERS.get(p.person.sex, _NO_MATCH),
                    p.birth_date.year,
                    p.birth_date.month,
                    p.birth_date.day,
                ),
                *(p.birth_date, _RACES.get(p.ethnicity, _NO_MATCH)),
                *(_HISPANIC if p.ethnicity == "hispanic" else _NOT_HISPANIC, location, p.patient_id),
                *(p.person.sex, p.ethnicity),
            )
            for n, location, p in numbered
        ),
    )
    yield Table(
        "person_name",
        ("person_id", "name_use", "first_name", "middle_name", "last_name", "preferred_name"),
        (
            row
            for n, _, p in numbered
            for row in (
                (n, "official", p.person.first, p.person.middle, p.person.last, p.person.nickname),
                *([(n, "former", p.person.first, p.person.middle, p.previous_last, "")] if p.previous_last else []),
            )
        ),
    )
    yield Table(
        "person_identifier",
        ("person_id", "identifier_type", "identifier_value"),
        ((n, kind, value) for n, _, p in numbered for kind in _IDENTIFIERS if (value := getattr(p, kind))),
    )
    yield Table(
        "person_contact",
        ("person_id", "contact_system", "contact_use", "contact_value"),
        (
            (n, system, use, value)
            for n, _, p in numbered
            for system, use, value in (
                ("phone", "home", p.phone),
                ("phone", "mobile", p.mobile),
                ("email", "home", p.email),
            )
            if value
        ),
    )
    yield Table(
        "person_relation",
        ("person_id", "relationship", "first_name", "last_name", "phone"),
        ((n, r.relation, r.person.first, r.person.last, r.phone) for n, _, p in numbered for r in p.relatives),
    )


def _note_class(note_type: str) -> int:
    lowered = note_type.lower()
    return next((concept for word, concept in _NOTE_CLASSES.items() if word in lowered), _NOTE)


def _location(number: int, address: Address) -> tuple[object, ...]:
    return number, address.street, address.city, address.state, address.zip, address.county
