"""Five invented patients with difficult names, and notes with difficult texts."""

import datetime

from deid_tasks.core.entities import Entity
from deid_tasks.core.span import Span
from deid_tasks.hospital.records import (
    Address,
    Facility,
    GoldNote,
    Hospital,
    HospitalSpec,
    Patient,
    Person,
    Provider,
    Relative,
)


def _patient(number: int, person: Person, ethnicity: str, **more: object) -> Patient:
    fields: dict[str, object] = {
        "patient_id": f"P{number:06d}",
        "person": person,
        "birth_date": datetime.date(1950 + number, 2, 28),
        "ethnicity": ethnicity,
        "mrn": f"RH{number:07d}",
        "ssn": f"900-45-{number:04d}",
        "health_plan": f"XQ{number:09d}",
        "account": f"40{number:08d}",
        "phone": f"(617) 555-01{number:02d}",
        "mobile": f"617-555-02{number:02d}",
        "email": f"someone{number}@example.org",
        "address": Address(f"{number} Birchwood Hill Rd", "Northam Falls", "MA", f"0213{number}", "Essex"),
        "employer": "",
        "profession": "welder",
    }
    return Patient(**(fields | more))  # type: ignore[arg-type]


PATIENTS = (
    _patient(1, Person("Zoë", "Anaïs", "Łukaszewska-Öztürk", "F", "Zo"), "white", previous_last="O’Brien"),
    _patient(
        2,
        Person("Mary Ann", "", "de la Cruz", "F"),
        "hispanic",
        relatives=(
            Relative("daughter", Person("José", "", "de la Cruz Jr.", "M"), "617-555-0301"),
            Relative("spouse", Person("Will", "B", "Young", "M"), ""),
        ),
    ),
    _patient(3, Person("Will", "Ray", "Young", "M", "Bill"), "black", email="", mobile=""),
    _patient(4, Person("D'Andre", "T", "King Jr.", "M"), "multiple", ssn="", account=""),
    _patient(5, Person("Nguyễn", "Văn % _", "O'Hára\\Smith", "U"), "api", address=Address("", "", "", "")),
)
PROVIDERS = (
    Provider(
        "D001",
        Person("Chidi", "Emeka", "Okafor", "M"),
        "MD",
        "cardiology",
        "cokafor",
        "1234567893",
        "617-555-0401",
        "50021",
        "F01",
    ),
    Provider("D002", Person("Grace Lee", "", "May", "F"), "RN", "nursing", "gmay7", "", "", "", "F02"),
)
FACILITIES = (
    Facility(
        "F01",
        "Birchwood General Hospital",
        "BGH",
        "hospital",
        Address("1 Birchwood Sq", "Northam Falls", "MA", "02139"),
        "617-555-0500",
        "617-555-0501",
    ),
    Facility(
        "F02",
        "North Tower 5",
        "NT5",
        "unit",
        Address("1 Birchwood Sq", "Northam Falls", "MA", "02139"),
        "617-555-0502",
        "",
    ),
)

TEXTS = (
    "Seen by Dr. Okafor on 3/14.\nBP 120/80\tHR 72\r\nback\\slash \\n \\N and \\.\r\n\r\n",
    "  leading and trailing blanks \n\n\t",
    "\\.",
    "Zoë Łukaszewska-Öztürk — “quoted” 𝔘𝔫𝔦 👩‍⚕️ e\u0301 \u00a0 \u200b \u2028 \ufeff end\x0b\x0c\x08\x7f",
    "x" * 999 + "\n" + " " * 1_001 + "\t" + "Ä" * 1_000,
    "ab\r\nc é\\ " * 12_500,
    "",
    " ",
    "NULL",
    "a,\"b\",'c',$$d$$;--%s{{ }}",
)


def notes() -> list[GoldNote]:
    """One note for each text, over all patients."""
    planted = {0: (Span(12, 18, Entity.PROVIDER), Span(22, 26, Entity.DATE)), 3: (Span(0, 22, Entity.PATIENT),)}
    return [
        GoldNote(
            note_id=f"N{number:04d}",
            patient_id=PATIENTS[number % 5].patient_id,
            note_type=("progress_note", "discharge_summary", "radiology_report")[number % 3],
            note_datetime=datetime.datetime(2024, 1, 1 + number, 23, 59, 59, 123456),
            author_id=PROVIDERS[number % 2].provider_id,
            facility_id=FACILITIES[number % 2].facility_id,
            skeleton="none",
            text=text,
            spans=planted.get(number, ()),
        )
        for number, text in enumerate(TEXTS)
    ]


def hospital(institution: str = "riverside") -> Hospital:
    """The whole of it, without notes."""
    return Hospital(
        HospitalSpec(institution, patients=5, providers=2, notes=len(TEXTS)), PATIENTS, PROVIDERS, FACILITIES
    )
