"""Replaced values that stand elsewhere are repaired, withheld or counted, as the settings say."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from deid_tasks.core.entities import Entity
from deid_tasks.core.notes import note_batch
from deid_tasks.core.span import Span
from deid_tasks.engine.build import build_engine
from deid_tasks.engine.parts import BatchContext, EngineParts
from deid_tasks.engine.pipeline import deidentify
from deid_tasks.engine.text import Document
from deid_tasks.settings import DetectSettings, EngineSettings, MergeSettings, PropagationSettings, SecondSearchSettings

KEY = bytes(range(32))


class Marked:
    """Finds what a note marks: the first mention after ``@`` of each value."""

    name = "patterns"

    def __init__(self, *values: tuple[str, Entity]) -> None:
        self._values = values

    def detect(self, documents: Sequence[Document]) -> list[list[Span]]:
        found = []
        for document in documents:
            spans = []
            for value, entity in self._values:
                start = document.text.find(f"@{value}")
                if start >= 0:
                    spans.append(Span(start + 1, start + 1 + len(value), entity, self.name))
            found.append(sorted(spans))
        return found


@pytest.fixture(scope="module")
def engine() -> EngineParts:
    merge = MergeSettings(propagation=PropagationSettings(enabled=False))
    settings = EngineSettings(detect=DetectSettings(detectors=("patterns",)), merge=merge)
    detector = Marked(
        ("Lindqvist", Entity.PROVIDER),
        ("Sushmita Okafor", Entity.PATIENT),
        ("RH0042317", Entity.MRN),
        ("Jackson Pratt", Entity.PROVIDER),
        ("08:15", Entity.TIME),
    )
    return replace(build_engine(settings, KEY), detectors=(detector,), batch_detectors=frozenset())


def run(engine: EngineParts, *texts: str, within: str = "repair", across: str = "count", known=None) -> list[dict]:
    settings = SecondSearchSettings(within_note=within, across_notes=across)
    context = BatchContext(replace(engine, second_search=settings), **({"replaced": known} if known else {}))
    notes = note_batch({"note_id": str(i), "patient_id": "p", "text": text} for i, text in enumerate(texts))
    return deidentify(notes, context).to_pylist()


def seen(row: dict) -> list[tuple[str, str, str]]:
    return [(one["scope"], one["status"], one["category"]) for one in row["repeats"]]


NOTE = "Dr. @Lindqvist, MRN @RH0042317. Later lindqvist wrote 004-2317."


def test_a_value_of_the_note_is_replaced_wherever_it_stands(engine):
    [row] = run(engine, NOTE)
    assert row["outcome"] == "published"
    assert seen(row) == [("note", "repaired", "NAME"), ("note", "repaired", "ID")]
    assert "lindqvist" not in row["deid_text"].lower()
    assert "2317" not in row["deid_text"]
    assert [span["detector"] for span in row["spans"]].count("second_search") == 2
    # The same surrogate, in the letter case of the place.
    surrogate = row["deid_text"].split("@")[1].split(",")[0]
    assert f"Later {surrogate.lower()} wrote" in row["deid_text"]


def test_a_note_is_withheld_where_the_settings_say_so(engine):
    [row] = run(engine, NOTE, within="quarantine")
    assert (row["outcome"], row["reason"], row["deid_text"]) == ("quarantined", "repeated_value", None)
    assert [finding["kind"] for finding in row["findings"]] == ["repeated_name", "repeated_id"]
    assert {status for _, status, _ in seen(row)} == {"quarantined"}


@pytest.mark.parametrize(("within", "expected"), [("count", ["counted", "counted"]), ("off", [])])
def test_a_note_is_published_as_it_is_where_the_settings_say_so(engine, within, expected):
    [row] = run(engine, NOTE, within=within)
    assert row["outcome"] == "published"
    assert [status for _, status, _ in seen(row)] == expected
    assert "lindqvist" in row["deid_text"]


def test_medical_terms_and_retained_words_stay(engine):
    [row] = run(engine, "Dr @Jackson Pratt, MD came at @08:15. Jackson Pratt drain in place.")
    assert row["outcome"] == "published"
    assert "Jackson Pratt drain" in row["deid_text"]
    assert ("note", "medical", "NAME") in seen(row)


NOTES = ("Seen by @Sushmita Okafor.", "Okafor called.", "Nothing.")


def test_values_of_the_patients_other_notes_are_counted(engine):
    rows = run(engine, *NOTES)
    assert [seen(row) for row in rows] == [[], [("patient", "counted", "NAME")], []]
    assert rows[1]["outcome"] == "unchanged"
    assert [seen(row) for row in run(engine, *reversed(NOTES))] == [[], [("patient", "counted", "NAME")], []]


def test_values_of_other_notes_are_replaced_or_withheld_where_the_settings_say_so(engine):
    repaired = run(engine, *NOTES, across="repair")
    assert "Okafor" not in repaired[1]["deid_text"]
    withheld = run(engine, *NOTES, across="quarantine")
    assert [row["reason"] for row in withheld] == ["", "repeated_value", ""]
    assert [seen(row) for row in run(engine, *NOTES, across="off")] == [[], [], []]


def test_values_of_earlier_batches_are_known(engine):
    from deid_tasks.engine.audit import PatientValues

    known = PatientValues()
    run(engine, NOTES[0], known=known)
    [row] = run(engine, NOTES[1], known=known)
    assert seen(row) == [("patient", "counted", "NAME")]


def test_another_patients_notes_are_not_searched(engine):
    notes = note_batch({"note_id": str(i), "patient_id": f"p{i}", "text": text} for i, text in enumerate(NOTES))
    rows = deidentify(notes, BatchContext(engine)).to_pylist()
    assert [seen(row) for row in rows] == [[], [], []]


def test_nothing_is_searched_where_nothing_is_rewritten(engine):
    [row] = deidentify(note_batch([{"note_id": "1", "text": NOTE}]), BatchContext(engine), detect_only=True).to_pylist()
    assert (row["outcome"], row["repeats"]) == ("detected", [])
