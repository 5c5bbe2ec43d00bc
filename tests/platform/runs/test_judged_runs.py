"""An institution whose settings have a judge: evaluation, shards, counts, and an endpoint that fails."""

import json
import logging

import pyarrow as pa
import pytest

from deid_tasks.core.errors import GateError
from deid_tasks.core.notes import NOTE_SCHEMA
from deid_tasks.endpoints.rest import EndpointError
from deid_tasks.platform import runs
from deid_tasks.platform.runs.ablation import variants_of
from deid_tasks.settings import JudgeSettings
from deid_tasks.spark.frames import EngineReference, deidentify_batches
from tests.support.chat_server import note_of, running_chat_server
from tests.support.published_days import plan_day, release


@pytest.fixture(scope="module")
def server():
    with running_chat_server() as running:
        yield running


@pytest.fixture(scope="module")
def judged(site, server):
    """The settings with a model, which proposes, and a judge."""
    detect = site.settings.detect.model_copy(update={"detectors": ("patterns", "lexicon", "patient", "transformer")})
    judge = JudgeSettings(base_url=server.url, model="deciding", max_score=0.999, attempts=1, max_wait_seconds=0.01)
    return site.settings.model_copy(update={"detect": detect, "judge": judge})


@pytest.fixture(scope="module")
def certified(site, judged, server):
    """The figures of a passed evaluation, and the questions that it asked."""
    figures = runs.evaluate_and_certify(judged, site.secrets)
    return figures, list(map(note_of, server.bodies))


def test_an_evaluation_measures_the_engine_with_its_judge(certified, site, judged):
    figures, questions = certified
    assert questions
    assert len(set(questions)) == len(questions)
    without = judged.model_copy(update={"judge": None})
    assert runs.load_engine(without, site.secrets).fingerprint != figures["fingerprint"]
    with pytest.raises(GateError):
        runs.load_engine(without, site.secrets, runs.pin_engine(judged, site.secrets))


def test_no_question_shows_the_record_of_a_patient(certified, site):
    """Not those about the baseline without dictionaries either."""
    _, questions = certified
    sent = "\n".join(questions)
    for patient in site.hospital.patients:
        for value in (
            patient.mrn,
            patient.ssn,
            patient.phone,
            patient.email,
            f"{patient.person.first} {patient.person.last}",
        ):
            assert value not in sent


def test_a_run_counts_what_was_judged_and_publishes(certified, site, judged, server):
    _, released, publication = release(judged, site, "judged")
    assert publication["notes"] == released["published"] > 0
    counted = site.rows(
        "select measure, entity, value from riverside_results.run_count"
        " where run_id = 'judged' and measure like 'judged%' order by 1, 2"
    )
    measures = {measure for measure, _, _ in counted}
    assert {"judged_kept", "judged_redacted", "judged_cached", "judged_tokens_in", "judged_tokens_out"} == measures
    assert all(entity == "" for measure, entity, _ in counted if "tokens" in measure or "cached" in measure)
    assert {entity for measure, entity, _ in counted if measure == "judged_kept"} <= {
        "NAME", "DATE", "LOCATION", "ORGANIZATION", "AGE", "ID", "CONTACT", "PROFESSION",
    }  # fmt: skip
    assert sum(value for measure, _, value in counted if measure == "judged_tokens_in") > 0


def test_spark_s_executors_ask_the_same_judge(certified, site, judged):
    pin = runs.pin_engine(judged, site.secrets)
    texts = [note.text for note in site.notes[:20]]

    rows = [dict.fromkeys(NOTE_SCHEMA.names) | {"note_id": str(n), "text": text} for n, text in enumerate(texts)]
    batch = pa.RecordBatch.from_pylist(rows, schema=NOTE_SCHEMA)
    [result] = deidentify_batches([batch], EngineReference(judged, pin), site.secrets)
    assert any(result["judged"].to_pylist())


def test_a_shard_fails_whole_where_the_endpoint_is_gone_and_a_later_try_succeeds(
    certified, site, judged, server, caplog
):
    pin = runs.pin_engine(judged, site.secrets)
    (shard, *_) = plan_day(judged, site, "gone")
    gone = judged.judge.model_copy(update={"base_url": "http://127.0.0.1:9/v1", "max_failures_in_a_row": 2})
    with caplog.at_level(logging.DEBUG), pytest.raises(EndpointError, match=r"127\.0\.0\.1:9.*judge\.base_url"):
        runs.process_shard(judged.model_copy(update={"judge": gone}), site.secrets, "gone", pin, shard)
    words = {word for note in site.notes for word in note.text.split() if len(word) > 11}
    assert not [word for word in words if word in caplog.text]
    done = runs.process_shard(judged, site.secrets, "gone", pin, shard)
    assert done["notes"] > 0
    assert json.dumps(done["judged"])
    assert {"kept", "redacted"} >= {name.partition(":")[0] for name in done["judged"] if ":" in name}


def test_an_ablation_shows_what_the_judge_is_worth(certified, site, judged):
    variants = {one.name: one.engine.judge for one in variants_of(runs.load_engine(judged, site.secrets))}
    assert variants["without_judge"] is None
    assert variants["without_recovery"] is not None
    assert "without_judge" not in {one.name for one in variants_of(runs.load_engine(site.settings, site.secrets))}


def test_spans_without_an_answer_give_no_certificate(certified, site, judged):
    with running_chat_server(failures=[(400, {})]) as failing:
        chosen = judged.judge.model_copy(update={"base_url": failing.url, "constraint": "none"})
        with pytest.raises(GateError, match="no certificate: for 1 uncertain spans the judge gave no usable answer"):
            runs.evaluate_and_certify(judged.model_copy(update={"judge": chosen}), site.secrets)
