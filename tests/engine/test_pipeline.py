"""The pure function from a batch of notes to a batch of results."""

import datetime
import random
import re
from dataclasses import replace

import pyarrow as pa
import pytest

from deid_tasks.core.entities import Entity
from deid_tasks.core.notes import NOTE_SCHEMA, RESULT_SCHEMA, Outcome, Reason
from deid_tasks.core.patient import PatientRecord, PatientTerm, TermKind
from deid_tasks.core.span import Span
from deid_tasks.engine.build import build_engine
from deid_tasks.engine.fingerprint import fingerprint
from deid_tasks.engine.parts import BatchContext
from deid_tasks.engine.pipeline import deidentify
from deid_tasks.settings import CacheSettings

KEY = bytes(range(32))
MOMENT = datetime.datetime(2024, 3, 5, 8, 30)
MARIA = PatientRecord(
    "p1",
    "F",
    terms=(
        PatientTerm(TermKind.FIRST, "Maria"),
        PatientTerm(TermKind.LAST, "Okafor"),
        PatientTerm(TermKind.MRN, "RH1234567"),
    ),
)
TEXTS = [
    "Maria Okafor (MRN RH1234567) seen 3/4/2024 by Dr. Lindqvist. Bruce protocol, BP 120/80.",
    "No complaints. Lungs clear.",
    "",
    "MRN: RH1234567\r\n\tpt. okafor, maria  üñï 🙂",
]


@pytest.fixture(scope="module")
def context(module_settings) -> BatchContext:
    return BatchContext(build_engine(module_settings, KEY), {"p1": MARIA})


@pytest.fixture(scope="module")
def module_settings():
    from deid_tasks.settings import EngineSettings

    settings = EngineSettings.public()
    detect = settings.detect.model_copy(update={"detectors": ("patterns", "patient")})
    notes = settings.notes.model_copy(update={"max_characters": 1_000})
    return settings.model_copy(update={"detect": detect, "notes": notes})


def batch(*texts: str | None, ids=None) -> pa.RecordBatch:
    rows = [
        {
            "note_id": str(i),
            "patient_id": "p1",
            "note_type": "progress",
            "note_datetime": MOMENT,
            "author_id": "d1",
            "text": text,
        }
        for i, text in zip(ids or range(len(texts)), texts, strict=True)
    ]
    return pa.RecordBatch.from_pylist(rows, schema=NOTE_SCHEMA)


def by_id(result: pa.RecordBatch) -> dict[str, dict]:
    return {row["note_id"]: {k: v for k, v in row.items() if k != "milliseconds"} for row in result.to_pylist()}


def test_rows_come_back_in_order_and_in_schema(context):
    result = deidentify(batch(*TEXTS), context)
    assert result.schema == RESULT_SCHEMA
    assert result["note_id"].to_pylist() == ["0", "1", "2", "3"]
    assert result["outcome"].to_pylist() == ["published", "unchanged", "unchanged", "published"]


def test_amounts_are_counted(context):
    rows = deidentify(batch(*TEXTS), context).to_pylist()
    for row, text in zip(rows, TEXTS, strict=True):
        assert row["words"] == len(re.findall(r"[^\W_]+", text))
        assert 0 <= row["agreed_spans"] <= len(row["spans"])
        # A word counts as changed where a span that was replaced touches it.
        touched = sum(
            any(span["start"] < word.end() and word.start() < span["end"] for span in row["spans"])
            for word in re.finditer(r"[^\W_]+", text)
        )
        assert row["changed_words"] <= touched
        assert (row["changed_words"] > 0) == (row["outcome"] == "published")


def test_identifiers_go_and_medicine_stays(context):
    text = deidentify(batch(*TEXTS), context)["deid_text"].to_pylist()[0]
    for gone in ("Maria", "Okafor", "RH1234567", "3/4/2024", "Lindqvist"):
        assert gone not in text
    assert text.endswith("Bruce protocol, BP 120/80.")


def test_a_note_whose_patient_is_not_identified_is_quarantined_where_a_record_is_needed(context):
    notes = batch(*TEXTS[:1] * 4)
    rows = notes.to_pylist()
    for row, patient in zip(rows, ("p1", "p2", "p3", None), strict=True):
        row["patient_id"] = patient
    rows.append({**rows[1], "note_id": "ward", "note_type": "ward_log"})
    notes = pa.RecordBatch.from_pylist(rows, schema=NOTE_SCHEMA)
    somewhere = PatientRecord("p3", terms=(PatientTerm(TermKind.CITY, "Lindqvist"),))
    known = {**context.patients, "p3": somewhere}
    needed = BatchContext(context.engine, known, types_without_patient=frozenset({"ward_log"}))
    missing = [Outcome.QUARANTINED, Reason.NO_PATIENT_RECORD, None]
    result = deidentify(notes, needed).to_pylist()
    assert [[row["outcome"], row["reason"], row["deid_text"]] for row in result[1:4]] == [missing] * 3
    assert [row["outcome"] for row in (result[0], result[4])] == [Outcome.PUBLISHED] * 2
    freely = deidentify(notes, BatchContext(context.engine, known)).to_pylist()
    assert {row["outcome"] for row in freely} == {Outcome.PUBLISHED}


def test_what_was_given_back_is_told_by_its_entity(context):
    class Eager:
        name = "transformer:eager"

        def detect(self, documents):
            found = [(d.text.find("Bruce"), d) for d in documents]
            return [[Span(at, at + 5, Entity.PATIENT, self.name)] if at >= 0 else [] for at, _ in found]

    engine = replace(context.engine, detectors=(*context.engine.detectors, Eager()))
    rows = deidentify(batch(*TEXTS), replace(context, engine=engine)).to_pylist()
    assert [row["recovered"] for row in rows] == [["PATIENT"], [], [], []]
    assert "Bruce protocol" in rows[0]["deid_text"]


def test_a_note_is_the_same_in_any_batch_and_order(context):
    texts = TEXTS * 5
    together = by_id(deidentify(batch(*texts), context))
    order = list(range(len(texts)))
    random.Random(1).shuffle(order)
    shuffled = by_id(deidentify(batch(*(texts[i] for i in order), ids=order), context))
    alone = {}
    for i, text in enumerate(texts):
        alone |= by_id(deidentify(batch(text, ids=[i]), context))
    assert together == shuffled == alone


@pytest.mark.parametrize(("text", "reason"), [(None, "not_text"), ("x" * 1_001, "too_long")])
def test_what_cannot_be_read_is_quarantined_and_the_rest_goes_on(context, text, reason):
    result = deidentify(batch(TEXTS[0], text, TEXTS[1]), context).to_pylist()
    assert [row["outcome"] for row in result] == ["published", "quarantined", "unchanged"]
    assert (result[1]["reason"], result[1]["deid_text"]) == (reason, None)


def test_a_detector_that_fails_on_one_note_costs_that_note_only(context, monkeypatch):
    detector = type(context.engine.detectors[0])
    original = detector.detect

    def failing(self, documents):
        if any("Lungs" in document.text for document in documents):
            raise RuntimeError("no way through")
        return original(self, documents)

    monkeypatch.setattr(detector, "detect", failing)
    result = deidentify(batch(*TEXTS), context).to_pylist()
    assert [row["reason"] for row in result] == ["", "engine_error", "", ""]


def test_an_identifier_left_in_the_output_quarantines_the_note(context, monkeypatch):
    monkeypatch.setattr("deid_tasks.engine.resolve.merge_spans", lambda document, spans, settings: [])
    result = deidentify(batch(TEXTS[0]), context).to_pylist()[0]
    assert (result["outcome"], result["reason"], result["deid_text"]) == ("quarantined", "audit_finding", None)
    assert {finding["kind"] for finding in result["findings"]} >= {"mrn"}


def test_wrong_columns_are_refused(context):
    with pytest.raises(ValueError, match="columns"):
        deidentify(batch("x").drop_columns(["author_id"]), context)


def test_an_engine_without_a_key_only_detects(module_settings):
    with pytest.raises(ValueError, match="key"):
        deidentify(batch("x"), BatchContext(build_engine(module_settings)))


def test_objects_with_text_do_not_print_it(context):
    from deid_tasks.engine.text import Document

    shown = repr(MARIA) + repr(MARIA.terms) + repr(Document("n", "Maria Okafor", "p1")) + repr(context)
    assert "Maria" not in shown
    assert "Okafor" not in shown
    assert "RH1234567" not in shown


def test_the_fingerprint_changes_with_what_changes_the_output_and_with_nothing_else(module_settings):
    def mark(settings=module_settings, lexicon="l", models=("m",)):
        return fingerprint(settings, "public", lexicon, models)

    def changed(section, **values):
        return module_settings.model_copy(update={section: getattr(module_settings, section).model_copy(update=values)})

    assert mark() == mark()
    assert len({mark(), mark(lexicon="k"), mark(models=()), mark(changed("policy", max_kept_age_years=80))}) == 4
    assert mark(changed("recover", enabled=False)) != mark()
    assert mark(changed("detect", cache=CacheSettings(enabled=False))) == mark()
