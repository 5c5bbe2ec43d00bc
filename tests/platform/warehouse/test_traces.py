"""Traces of a day of notes: the steps of a run in one trace, shards with the engine's stages, and nothing of a note."""

import os
from collections import Counter
from types import SimpleNamespace

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from deid_tasks.core.errors import GateError
from deid_tasks.platform import tracing
from deid_tasks.platform.tracing import StepOfRun, traced_step
from tests.support.http_receiver import http_receiver
from tests.support.role_logins import CANARY


def spans_of(received):
    found = []
    for path, body in received.requests:
        assert path == "/v1/traces"
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
            found += [one for scope in resource.scope_spans for one in scope.spans]
    return found


def attributes(span):
    return {one.key: getattr(one.value, one.value.WhichOneof("value")) for one in span.attributes}


@pytest.fixture(scope="module")
def spans(observed):
    return spans_of(observed.traces)


@pytest.fixture
def named():
    """The environment, in which a test names a receiver."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("os.environ", {})
        tracing._provider.cache_clear()
        yield os.environ
    tracing._provider.cache_clear()


def test_all_steps_of_a_run_are_one_trace_below_one_span(spans, observed):
    [run] = [one for one in spans if one.name == "run"]
    steps = [one for one in spans if one.parent_span_id == run.span_id]
    assert {one.trace_id for one in steps} == {run.trace_id}
    names = Counter(one.name for one in steps)
    assert names == {
        "plan_notes_run": 1,
        "remove_notes": 1,
        "process_shard": len(observed.shards),
        "reconcile_run": 1,
        "publish_notes": 1,
    }
    shards = [attributes(one) for one in steps if one.name == "process_shard"]
    assert {one["palimpsest.shard"] for one in shards} == set(range(len(observed.shards)))
    assert sum(one["palimpsest.notes"] for one in shards) == observed.released["notes_read"]
    assert {one["palimpsest.kind"] for one in shards} == {"notes"}


def test_a_shard_has_the_stages_of_the_engine(spans):
    shards = [one for one in spans if one.name == "process_shard"]
    for shard in shards:
        stages = [one for one in spans if one.parent_span_id == shard.span_id]
        names = {one.name for one in stages}
        assert {
            "stage patterns",
            "stage lexicon",
            "stage patient",
            "stage merge",
            "stage obfuscate",
            "stage audit",
        } <= names
        for one in stages:
            assert shard.start_time_unix_nano <= one.start_time_unix_nano <= one.end_time_unix_nano
            assert one.end_time_unix_nano <= shard.end_time_unix_nano
            assert attributes(one)["palimpsest.calls"] > 0


def test_a_step_without_a_run_is_a_trace_of_its_own(spans):
    [compiled] = [one for one in spans if one.name == "compile_dictionaries"]
    assert compiled.parent_span_id == b""
    [run] = [one for one in spans if one.name == "run"]
    assert compiled.trace_id != run.trace_id


def test_no_span_holds_text_an_id_a_date_of_notes_or_a_name_of_a_file(observed, role_site):
    said = b"".join(observed.traces.bodies)
    people = {one.person.last for one in role_site.hospital.patients if len(one.person.last) > 5}
    forbidden = {CANARY, observed.run_id, "2024-01-0", ".parquet", role_site.settings.work_dir, *people}
    assert not [one for one in forbidden if one.encode() in said]


def test_a_failed_step_says_where_and_not_what(role_site, named):
    with http_receiver() as receiver:
        named["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"] = f"{receiver.address}/v1/traces"
        called = StepOfRun("changes/x", 3)
        with (
            pytest.raises(GateError),
            traced_step(role_site.settings, role_site.secrets, "process_shard", called),
        ):
            raise GateError("seen: Marigold Stillwater")
    [span] = spans_of(receiver)
    assert span.status.code == 2
    assert span.status.message.startswith("deid_tasks.core.errors.GateError at ")
    assert not span.events
    assert attributes(span)["palimpsest.kind"] == "changes"
    assert b"Stillwater" not in b"".join(receiver.bodies)


def test_every_process_finds_the_trace_of_a_run_and_no_other_run_s(role_site, named):
    with http_receiver() as receiver:
        named["OTEL_EXPORTER_OTLP_ENDPOINT"] = receiver.address
        named["OTEL_TRACES_EXPORTER"] = "otlp"
        for run_id in ("one", "one", "two"):
            tracing._provider.cache_clear()
            with traced_step(role_site.settings, role_site.secrets, "reconcile_run", StepOfRun(run_id)) as step:
                step.counts({"notes": 1})
    first, second, third = spans_of(receiver)
    assert (first.trace_id, first.parent_span_id) == (second.trace_id, second.parent_span_id)
    assert third.trace_id != first.trace_id
    assert first.span_id != second.span_id


@pytest.mark.parametrize("endpoint", ["http://127.0.0.1:9/v1/traces", ""])
def test_a_receiver_that_cannot_be_reached_fails_no_step(role_site, named, endpoint):
    named["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"] = endpoint
    with traced_step(role_site.settings, role_site.secrets, "reconcile_run", StepOfRun("one")):
        done = SimpleNamespace()
    assert done == SimpleNamespace()


def test_metrics_alone_send_no_traces(role_site, named):
    with http_receiver() as receiver:
        named["OTEL_EXPORTER_OTLP_ENDPOINT"] = receiver.address
        with traced_step(role_site.settings, role_site.secrets, "reconcile_run", StepOfRun("one")):
            pass
    assert receiver.requests == []
