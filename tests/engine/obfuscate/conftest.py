from collections.abc import Callable

import pytest

from deid_tasks.core.patient import PatientRecord
from deid_tasks.engine.obfuscate import Obfuscator
from deid_tasks.engine.text import Document
from tests.support.markup import read_markup
from tests.support.surrogate_cases import MARIA, WRITTEN_AT, obfuscator


@pytest.fixture
def rewrite() -> Callable[..., str]:
    def run(marked: str, patient: PatientRecord | None = MARIA, maker: Obfuscator | None = None) -> str:
        text, spans = read_markup(marked)
        document = Document("n1", text, patient.patient_id if patient else None)
        return (maker or obfuscator()).obfuscate(document, spans, patient, WRITTEN_AT).text

    return run
