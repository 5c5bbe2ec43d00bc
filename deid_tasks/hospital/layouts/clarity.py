"""Rows of the Epic-Clarity-like layout."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from deid_tasks.core.errors import InputError
from deid_tasks.hospital.layouts.copy import Table
from deid_tasks.hospital.records import Facility, GoldNote, Hospital, Patient, Person, Provider

_PIECE_CHARACTERS = 1_000
"""Longest piece of a note's text in one row."""

_SEXES = {"F": (1, "Female"), "M": (2, "Male"), "U": (3, "Unknown")}
_RACES = {
    "white": (1, "White"),
    "black": (2, "Black or African American"),
    "api": (3, "Asian or Pacific Islander"),
    "native": (4, "American Indian or Alaska Native"),
}
_HISPANIC, _NOT_HISPANIC = 1, 2
_IDENTITY_TYPES = {"mrn": (14, "MRN"), "health_plan": (90, "SUBSCRIBER ID")}
_MOBILE = 1
_UNIT = "unit"


class ClarityRows:
    """Turns one hospital's records into rows of the Clarity-like layout."""

    def __init__(self, hospital: Hospital) -> None:
        self._hospital = hospital
        self._patients = frozenset(patient.patient_id for patient in hospital.patients)
        self._types: dict[str, int] = {}
        self._written = 0

    def people(self) -> Iterator[Table]:
        """Yield every table but those of notes."""
        hospital = self._hospital
        states = _numbered(
            [p.address.state for p in hospital.patients] + [facility.address.state for facility in hospital.facilities]
        )
        relations = _numbered(relative.relation for patient in hospital.patients for relative in patient.relatives)
        yield Table("zc_sex", ("rcpt_mem_sex_c", "name"), _SEXES.values())
        yield Table("zc_patient_race", ("patient_race_c", "name"), _RACES.values())
        yield Table(
            "zc_ethnic_group",
            ("ethnic_group_c", "name"),
            ((_HISPANIC, "Hispanic or Latino"), (_NOT_HISPANIC, "Not Hispanic or Latino")),
        )
        yield Table("zc_state", ("state_c", "abbr"), ((number, state) for state, number in states.items()))
        yield Table(
            "zc_pat_relation", ("pat_relation_c", "name"), ((number, name) for name, number in relations.items())
        )
        yield Table("zc_other_communic", ("other_communic_c", "name"), ((_MOBILE, "Mobile"),))
        yield Table("identity_id_type", ("id_type", "id_type_name"), _IDENTITY_TYPES.values())
        yield from patient_tables(hospital.patients, states, relations)
        yield from staff_tables(hospital.providers)
        yield from facility_tables(hospital.facilities, states)

    def notes(self, batch: list[GoldNote]) -> Iterator[Table]:
        """Yield the encounters and notes of one batch, and the note types not seen before."""
        for note in batch:
            if note.patient_id not in self._patients:
                raise InputError(f"note {note.note_id}: its patient is not of this hospital")
        numbered = list(enumerate(batch, self._written + 1))
        self._written += len(batch)
        fresh = sorted({note.note_type for note in batch} - self._types.keys())
        self._types |= {name: number for number, name in enumerate(fresh, len(self._types) + 1)}
        yield Table("zc_note_type_ip", ("type_ip_c", "name"), ((self._types[name], name) for name in fresh))
        yield from encounter_tables(numbered, self._types)
        yield from version_tables(numbered, 1)


def encounter_tables(numbered: Sequence[tuple[int, GoldNote]], types: Mapping[str, int]) -> Iterator[Table]:
    """Yield the encounter and the head of each numbered note, as on the moment it was written."""
    yield Table(
        "pat_enc",
        ("pat_enc_csn_id", "pat_id", "contact_date", "visit_prov_id", "department_id"),
        ((n, note.patient_id, note.note_datetime.date(), note.author_id, note.facility_id) for n, note in numbered),
    )
    yield Table(
        "hno_info",
        (
            *("note_id", "pat_enc_csn_id", "ip_note_type_c", "create_instant_dttm", "current_author_id"),
            "update_date",
        ),
        (
            (note.note_id, n, types[note.note_type], note.note_datetime, note.author_id, note.note_datetime)
            for n, note in numbered
        ),
    )


def version_tables(numbered: Sequence[tuple[int, GoldNote]], version: int) -> Iterator[Table]:
    """Yield one version of the text of each numbered note."""
    yield Table(
        "note_enc_info",
        ("contact_serial_num", "note_id", "contact_num", "spec_note_time_dttm", "upd_dttm"),
        ((n, note.note_id, version, note.note_datetime, note.note_datetime) for n, note in numbered),
    )
    yield Table(
        "hno_note_text",
        ("note_csn_id", "line", "note_id", "note_text"),
        ((n, line, note.note_id, piece) for n, note in numbered for line, piece in enumerate(_pieces(note.text), 1)),
        verbatim=frozenset({"note_text"}),
    )


def patient_tables(
    patients: Sequence[Patient], states: Mapping[str, int], relations: Mapping[str, int]
) -> Iterator[Table]:
    """Yield the rows of ``patients``, whose states and relations are numbered."""
    yield Table(
        "patient",
        (
            *("pat_id", "pat_name", "pat_middle_name", "preferred_name", "birth_date", "sex_c", "ethnic_group_c"),
            *("ssn", "city", "state_c", "zip", "home_phone", "email_address"),
        ),
        (
            (
                *(p.patient_id, name_field(p.person), p.person.middle, p.person.nickname, p.birth_date),
                *(_SEXES.get(p.person.sex, _SEXES["U"])[0], _HISPANIC if p.ethnicity == "hispanic" else _NOT_HISPANIC),
                *(p.ssn, p.address.city, states.get(p.address.state), p.address.zip, p.phone, p.email),
            )
            for p in patients
        ),
    )
    yield Table(
        "patient_alias",
        ("pat_id", "line", "alias"),
        ((p.patient_id, 1, name_field(p.person, last=p.previous_last)) for p in patients if p.previous_last),
    )
    # Epic records one row for each race a patient states.
    stated = {"multiple": ("white", "black")} | {name: (name,) for name in _RACES}
    yield Table(
        "patient_race",
        ("pat_id", "line", "patient_race_c"),
        (
            (p.patient_id, line, _RACES[race][0])
            for p in patients
            for line, race in enumerate(stated.get(p.ethnicity, ()), 1)
        ),
    )
    yield Table(
        "pat_address",
        ("pat_id", "line", "address"),
        ((p.patient_id, 1, p.address.street) for p in patients if p.address.street),
    )
    yield Table(
        "identity_id",
        ("pat_id", "line", "identity_type_id", "identity_id"),
        (
            (p.patient_id, line, _IDENTITY_TYPES[kind][0], value)
            for p in patients
            for line, kind in enumerate(_IDENTITY_TYPES, 1)
            if (value := getattr(p, kind))
        ),
    )
    yield Table("hsp_account", ("hsp_account_id", "pat_id"), ((p.account, p.patient_id) for p in patients if p.account))
    yield Table(
        "other_communctn",
        ("pat_id", "line", "other_communic_c", "other_communic_num"),
        ((p.patient_id, 1, _MOBILE, p.mobile) for p in patients if p.mobile),
    )
    yield Table(
        "pat_relationships",
        ("pat_id", "line", "pat_rel_name", "pat_rel_relation_c", "pat_rel_home_phone"),
        (
            (p.patient_id, line, f"{r.person.last},{r.person.first}", relations.get(r.relation), r.phone)
            for p in patients
            for line, r in enumerate(p.relatives, 1)
        ),
    )


def staff_tables(staff: Sequence[Provider]) -> Iterator[Table]:
    """Yield the rows of clinicians."""
    yield Table(
        "clarity_ser",
        ("prov_id", "prov_name", "prov_type", "clinician_title", "user_id", "office_phone_num"),
        ((p.provider_id, name_field(p.person), p.specialty, p.credentials, p.user_id, p.phone) for p in staff),
    )
    yield Table(
        "clarity_ser_2",
        ("prov_id", "npi", "middle_name", "pager_num", "primary_loc_id"),
        ((p.provider_id, p.npi, p.person.middle, p.pager, p.facility_id) for p in staff),
    )
    yield Table(
        "clarity_emp",
        ("user_id", "name", "prov_id"),
        ((p.user_id, name_field(p.person), p.provider_id) for p in staff if p.user_id),
    )


def facility_tables(facilities: Sequence[Facility], states: Mapping[str, int]) -> Iterator[Table]:
    """Yield the rows of places, whose states are numbered."""

    def place(facility: Facility) -> tuple[object, ...]:
        at = facility.address
        return at.street, at.city, states.get(at.state), at.zip, facility.phone, facility.fax

    where = ("address_line", "city", "state_c", "zip", "phone_num", "fax_num")
    yield Table(
        "clarity_loc",
        ("loc_id", "loc_name", "location_abbr", "loc_type", *where),
        ((f.facility_id, f.name, f.short_name, f.kind, *place(f)) for f in facilities if f.kind != _UNIT),
    )
    yield Table(
        "clarity_dep",
        ("department_id", "department_name", "dept_abbreviation", *where),
        ((f.facility_id, f.name, f.short_name, *place(f)) for f in facilities if f.kind == _UNIT),
    )


def _pieces(text: str) -> list[str]:
    return [text[start : start + _PIECE_CHARACTERS] for start in range(0, max(1, len(text)), _PIECE_CHARACTERS)]


def name_field(person: Person, last: str = "") -> str:
    """Return a name as Clarity writes it: Last,First Middle; ``last`` in place of the person's own last name."""
    given = f"{person.first} {person.middle}".strip()
    return f"{last or person.last},{given}"


def _numbered(names: Iterable[str]) -> dict[str, int]:
    return {name: number for number, name in enumerate(sorted({name for name in names if name}), 1)}
