"""A patient, a time, and notes with inline markup, for tests of surrogates."""

import datetime

from deid_tasks.core.patient import PatientRecord, PatientTerm, TermKind
from deid_tasks.engine.obfuscate import Obfuscator
from deid_tasks.settings import ObfuscateSettings, PolicySettings

WRITTEN_AT = datetime.datetime(2021, 3, 20, 9, 0)
MARIA = PatientRecord(
    "p1",
    "F",
    datetime.date(1961, 4, 5),
    "black",
    tuple(
        PatientTerm(kind, term)
        for kind, term in (
            (TermKind.FIRST, "Maria"),
            (TermKind.MIDDLE, "Tess"),
            (TermKind.LAST, "Okafor"),
            (TermKind.RELATIVE_FIRST, "John"),
            (TermKind.RELATIVE_LAST, "Okafor"),
            (TermKind.MRN, "RH1234567"),
            (TermKind.CITY, "Springfield"),
            (TermKind.STATE, "MA"),
            (TermKind.ZIP, "01103"),
        )
    ),
)


def obfuscator(shift: tuple[int, int] = (-15, -15), **policy: object) -> Obfuscator:
    """With a fixed key; every patient's dates move back fifteen days unless told otherwise."""
    settings = ObfuscateSettings(key="key", date_shift_days=shift)
    return Obfuscator(bytes(range(32)), "riverside", PolicySettings(**policy), settings)
