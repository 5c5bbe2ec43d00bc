"""What a shard of notes sends to a collector of metrics: the figures of its report, and nothing of a note."""

import os
from collections import Counter
from types import SimpleNamespace

import pytest

from deid_tasks.platform import runs, telemetry
from deid_tasks.platform.runs.institution_engine import load_candidate
from tests.support.http_receiver import http_receiver
from tests.support.published_days import plan_day, read_shards, with_settings
from tests.support.sent_metrics import points

RUN = "measured__2024-01-01T00:00:00+00:00"
"""A run id as Airflow writes it, with the day of its notes."""


def forget_collector():
    telemetry._provider.cache_clear()
    telemetry._instruments.cache_clear()


@pytest.fixture(scope="module")
def measured(site, tmp_path_factory):
    """A shard that was processed twice by the public models: its reports, its rows, and what the collector got."""
    # A cache of its own: other runs of the site may have read all sentences before.
    cache = site.settings.detect.cache.model_copy(update={"folder": str(tmp_path_factory.mktemp("cache"))})
    detect = {"detectors": ("patterns", "lexicon", "patient", "transformer"), "cache": cache}
    # Some of the notes are too long, and quarantined for that.
    longest = sorted(len(note.text) for note in site.notes)[len(site.notes) * 3 // 4]
    settings = with_settings(site, detect=detect, notes={"shard_notes": 20, "max_characters": longest})
    engine, pin = load_candidate(settings, site.secrets)
    shard = plan_day(settings, site, RUN)[0]
    with pytest.MonkeyPatch.context() as patch, http_receiver() as receiver:
        patch.setattr("os.environ", {**os.environ, "OTEL_EXPORTER_OTLP_ENDPOINT": receiver.address})
        forget_collector()
        reports = [runs.process_shard(settings, site.secrets, RUN, pin, shard, engine) for _ in range(2)]
        telemetry._provider().shutdown()
        forget_collector()
    tables = read_shards(settings, site, RUN, [report["file"] for report in reports])
    rows = [row for table in tables for row in table.to_pylist()]
    return SimpleNamespace(settings=settings, engine=engine, reports=reports, rows=rows, received=receiver)


@pytest.fixture(scope="module")
def sums(measured):
    """The sum of each counter, by its name and attributes, without the institution."""
    found = Counter()
    for name, attributes, point in points(measured.received.bodies):
        assert attributes.pop("institution") == "riverside"
        if not name.endswith(".duration"):
            found[name, *attributes.values()] += point.as_int or point.as_double
    return found


def of(sums, name):
    return Counter({key[1:]: value for key, value in sums.items() if key[0] == name})


def test_notes_words_and_reasons_are_those_of_the_rows(measured, sums):
    assert sum(of(sums, "palimpsest.notes").values()) == sum(report["notes"] for report in measured.reports)
    assert of(sums, "palimpsest.notes") == Counter((str(row["outcome"]),) for row in measured.rows)
    assert of(sums, "palimpsest.words") == {(): sum(row["words"] for row in measured.rows)}
    reasons = of(sums, "palimpsest.notes.quarantined")
    assert reasons == Counter((row["reason"],) for row in measured.rows if row["reason"])
    assert reasons["too_long",] > 0


def test_spans_are_those_of_the_rows_by_entity_and_detector(measured, sums):
    spans = [span for row in measured.rows for span in row["spans"] or ()]
    counted = of(sums, "palimpsest.spans")
    assert counted == Counter((span["entity"], span["detector"]) for span in spans)
    assert {"patterns", "transformer"} <= {detector for _, detector in counted}
    assert {"DATE", "PATIENT"} <= {entity for entity, _ in counted}


def test_sentences_say_what_the_models_and_the_cache_answered(measured, sums):
    answered = of(sums, "palimpsest.sentences")
    reported = Counter()
    for report in measured.reports:
        reported.update({(name,): count for name, count in report["sentences"].items()})
    assert answered == reported
    assert answered["sentences",] > answered["read",] >= answered["second_stage",] > 0
    assert answered["cached",] > 0


def test_each_stage_has_one_time_for_each_shard(measured):
    stages, steps, seconds = Counter(), Counter(), Counter()
    for name, attributes, point in points(measured.received.bodies):
        if name == "palimpsest.stage.duration":
            stages[attributes["stage"]] += point.count
            seconds["stages"] += point.sum
        elif name == "palimpsest.step.duration":
            steps[attributes["step"], attributes["outcome"]] += point.count
            seconds["steps"] += point.sum
    assert steps == {("process_shard", "succeeded"): 2}
    names = {detector.name for detector in measured.engine.detectors}
    assert {"patterns", "lexicon", "transformer"} <= names
    assert {*names, "patient", "merge", "recover", "obfuscate", "second_search", "audit", "count"} <= set(stages)
    assert set(stages.values()) == {2}
    assert 0 < seconds["stages"] <= seconds["steps"]


def test_no_byte_is_of_a_note_a_patient_a_day_or_a_file(measured, site):
    said = b"".join(measured.received.bodies)
    assert b"process_shard" in said
    read = {row["note_id"] for row in measured.rows}
    assert read
    notes = [note for note in site.notes if note.note_id in read]
    assert len(notes) == len(read)
    words = {word for note in notes for word in note.text.split() if len(word) > 8}
    people = {
        value
        for one in site.hospital.patients
        for value in (one.person.first, one.person.last, one.mrn, one.ssn, one.phone, one.email, one.patient_id)
        if len(value) > 4
    }
    outside = {RUN, "2024-01-0", ".parquet", measured.settings.work_dir}
    assert not [one for one in read | words | people | outside if one.encode() in said]
