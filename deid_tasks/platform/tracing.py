"""Traces of runs for OpenTelemetry: a run, its steps and shards, and the stages of the engine within a shard.

Spans leave the process where the environment names a receiver of traces (``OTEL_EXPORTER_OTLP_TRACES_ENDPOINT``, or
``OTEL_TRACES_EXPORTER=otlp`` with ``OTEL_EXPORTER_OTLP_ENDPOINT``), over HTTP, when a step ends. A receiver that does
not answer never fails a step. Attributes are names, numbers and classes of errors: never text, ids, dates or files.

Every step is a process of its own. Trace and first span of a run have ids that are made from the run's, with the
surrogate key, so that all steps find them without a message.
"""

import logging
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache

from opentelemetry.context import Context
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.trace import (
    NonRecordingSpan,
    Span,
    SpanContext,
    Status,
    StatusCode,
    TraceFlags,
    set_span_in_context,
)

from deid_tasks.core.errors import DeidError
from deid_tasks.engine.failures import Failure
from deid_tasks.platform.run_identity import kind_of, run_digest
from deid_tasks.settings import InstitutionSettings, Secrets

logger = logging.getLogger(__name__)

_TIMEOUT_SECONDS = 5
_NANOSECONDS = 1_000_000_000
_PLANS = "plan_"
"""Steps that begin a run."""


@dataclass(frozen=True, slots=True)
class StepOfRun:
    """What a step's call says of its run."""

    run_id: str = ""
    shard: int | None = None


class TracedStep:
    """The span of a step that runs; without a receiver it holds nothing."""

    def __init__(self, span: Span | None = None) -> None:
        self._span = span

    def counts(self, counts: Mapping[str, int]) -> None:
        """Add the counts of the step's report."""
        if self._span is not None:
            self._span.set_attributes({f"palimpsest.{name}": value for name, value in counts.items()})


def traces_are_sent() -> bool:
    """Whether the environment names a receiver of traces."""
    if os.environ.get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"):
        return True
    return bool(os.environ.get("OTEL_EXPORTER_OTLP_ENDPOINT")) and os.environ.get("OTEL_TRACES_EXPORTER") == "otlp"


@contextmanager
def traced_step(settings: InstitutionSettings, secrets: Secrets, name: str, called: StepOfRun) -> Iterator[TracedStep]:
    """Trace a step as a part of its run, and send its spans when it ends."""
    if not traces_are_sent():
        yield TracedStep()
        return
    tracer = _provider().get_tracer("palimpsest")
    parent, root = _run_context(settings, secrets, name, called)
    attributes: dict[str, str | int] = {"palimpsest.institution": settings.institution, "palimpsest.step": name}
    if called.run_id:
        attributes["palimpsest.kind"] = kind_of(called.run_id)
    if called.shard is not None:
        attributes["palimpsest.shard"] = called.shard
    try:
        with tracer.start_as_current_span(
            name, parent, attributes=attributes, record_exception=False, set_status_on_exception=False
        ) as span:
            try:
                yield TracedStep(span)
            except BaseException as error:
                failure = Failure.of(error)
                span.set_status(Status(StatusCode.ERROR, f"{failure.error_class} at {failure.location}"))
                raise
    finally:
        if root is not None:
            root.end()
        with suppress(Exception):
            _provider().force_flush(_TIMEOUT_SECONDS * 1_000)


@dataclass(slots=True)
class StageTime:
    """When a stage of the engine ran within a shard, in nanoseconds."""

    began: int
    """The begin of its first call."""
    ended: int
    """The end of its last one."""
    busy: int = 0
    """The time of all calls."""
    calls: int = 0

    @property
    def busy_seconds(self) -> float:
        """The time of all calls, in seconds."""
        return self.busy / _NANOSECONDS


def add_stage_spans(times: Mapping[str, StageTime]) -> None:
    """Add a span for each stage to the current span, from its first call to the end of its last; stages alternate."""
    tracer = _provider().get_tracer("palimpsest")
    for name, time in times.items():
        attributes = {"palimpsest.busy_seconds": time.busy_seconds, "palimpsest.calls": time.calls}
        span = tracer.start_span(f"stage {name}", attributes=attributes, start_time=time.began)
        span.end(time.ended)


class _Ids(RandomIdGenerator):
    """Random ids, but for the first span of a run."""

    def __init__(self) -> None:
        self.next: tuple[int, int] | None = None
        """Trace and span id of the next span without a parent."""

    def generate_trace_id(self) -> int:
        return self.next[0] if self.next else super().generate_trace_id()

    def generate_span_id(self) -> int:
        return self.next[1] if self.next else super().generate_span_id()


_IDS = _Ids()


def _run_context(
    settings: InstitutionSettings, secrets: Secrets, name: str, called: StepOfRun
) -> tuple[Context, Span | None]:
    """Return the context of a run's first span, and that span where this step begins the run."""
    outside = Context()
    if not called.run_id:
        return outside, None
    try:
        digest = run_digest(settings, secrets, called.run_id)
    except DeidError:
        # This component does not have the key: its step is a trace of its own.
        return outside, None
    ids = int.from_bytes(digest[:16]), int.from_bytes(digest[16:24])
    root = None
    if name.startswith(_PLANS):
        _IDS.next = ids
        try:
            attributes = {"palimpsest.institution": settings.institution, "palimpsest.kind": kind_of(called.run_id)}
            root = _provider().get_tracer("palimpsest").start_span("run", outside, attributes=attributes)
        finally:
            _IDS.next = None
    parent = SpanContext(*ids, is_remote=True, trace_flags=TraceFlags(TraceFlags.SAMPLED))
    return set_span_in_context(NonRecordingSpan(parent), outside), root


@cache
def _provider() -> TracerProvider:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

    # A provider of its own: Airflow's, where it is on, would be sent to another place, and name hosts.
    provider = TracerProvider(resource=Resource.create({"service.name": "palimpsest"}), id_generator=_IDS)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(timeout=_TIMEOUT_SECONDS)))
    return provider
