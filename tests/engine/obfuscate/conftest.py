import datetime
import re
from collections.abc import Callable

import pytest

from deid_tasks.core.entities import Entity
from deid_tasks.core.patient import PatientRecord, PatientTerm, TermKind
from deid_tasks.core.span import Span
from deid_tasks.engine.obfuscate import Obfuscator
from deid_tasks.engine.text import Document
from deid_tasks.settings.model import ObfuscateSettings, PolicySettings

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


def parse(marked: str) -> tuple[str, list[Span]]:
    """Text and spans of inline markup: ``seen on [DATE:3/14]``."""
    text, spans, position = "", [], 0
    for match in re.finditer(r"\[([A-Z_]+):([^\]]*)\]", marked):
        text += marked[position : match.start()]
        spans.append(Span(len(text), len(text) + len(match[2]), Entity(match[1])))
        text += match[2]
        position = match.end()
    return text + marked[position:], spans


def obfuscator(shift: tuple[int, int] = (-15, -15), **policy: object) -> Obfuscator:
    """With a fixed key; every patient's dates move back fifteen days unless told otherwise."""
    settings = ObfuscateSettings(key="key", date_shift_days=shift)
    return Obfuscator(bytes(range(32)), "riverside", PolicySettings(**policy), settings)


@pytest.fixture
def rewrite() -> Callable[..., str]:
    def run(marked: str, patient: PatientRecord | None = MARIA, maker: Obfuscator | None = None) -> str:
        text, spans = parse(marked)
        document = Document("n1", text, patient.patient_id if patient else None)
        return (maker or obfuscator()).obfuscate(document, spans, patient, WRITTEN_AT).text

    return run
