"""Metrics of the platform for OpenTelemetry: what steps cost and what shards hold, as sums.

Metrics leave the process where the environment names a collector (``OTEL_EXPORTER_OTLP_ENDPOINT`` or
``OTEL_EXPORTER_OTLP_METRICS_ENDPOINT``), over HTTP, when a step ends. A collector that does not answer never fails a
step. Attributes are names of institutions, steps, entities, detectors and reasons: never text, ids, dates or files.

Tasks are short-lived processes, so counts are sent as deltas; a collector adds them up (``deploy/observability``).
"""

import os
from collections import Counter as Count
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from opentelemetry.metrics import Counter, Histogram, Meter, NoOpMeterProvider
from opentelemetry.sdk.metrics import Counter as SdkCounter
from opentelemetry.sdk.metrics import Histogram as SdkHistogram
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import AggregationTemporality, PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource

_ENDPOINTS = ("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
_DELTAS: dict[type, AggregationTemporality] = {
    SdkCounter: AggregationTemporality.DELTA,
    SdkHistogram: AggregationTemporality.DELTA,
}
_TIMEOUT_SECONDS = 5.0
_STEP_BOUNDS = (0.1, 1, 5, 15, 60, 300, 900, 1_800, 3_600, 7_200)
_STAGE_BOUNDS = (0.01, 0.1, 1, 5, 15, 60, 300, 900, 1_800, 3_600)
_AT_THE_END_ONLY = float("inf")


@dataclass
class ShardFigures:
    """What one processed shard adds to the metrics."""

    notes: Count[str] = field(default_factory=Count)
    """Notes by outcome."""
    words: int = 0
    reasons: Count[str] = field(default_factory=Count)
    """Quarantined notes by reason."""
    spans: Count[tuple[str, str]] = field(default_factory=Count)
    """Spans by entity and detector."""
    recovered: Count[str] = field(default_factory=Count)
    """Spans that recovery released, by entity."""
    sentences: Count[str] = field(default_factory=Count)
    """Sentences that the models were given, by how they were answered."""
    repeats: Count[str] = field(default_factory=Count)
    """Replaced values that stood elsewhere in the output, by ``scope:status:category``."""
    judged: Count[str] = field(default_factory=Count)
    """Spans that a judge was asked about, by ``decision:category``; of these ``cached`` ones; and ``tokens_in`` and
    ``tokens_out``."""


class _Instruments:
    """The instruments of one meter; docs/how-to/watch-metrics.md lists them."""

    def __init__(self, meter: Meter) -> None:
        def count(name: str, unit: str, description: str) -> Counter:
            return meter.create_counter(f"palimpsest.{name}", unit, description)

        self.step_seconds: Histogram = meter.create_histogram(
            "palimpsest.step.duration", "s", "Time of one step", explicit_bucket_boundaries_advisory=_STEP_BOUNDS
        )
        self.stage_seconds: Histogram = meter.create_histogram(
            "palimpsest.stage.duration",
            "s",
            "Time of one stage of the engine in one shard",
            explicit_bucket_boundaries_advisory=_STAGE_BOUNDS,
        )
        self.step_cpu = count("step.cpu", "s", "Processor time of one step, without its database's")
        self.notes = count("notes", "{note}", "Notes that a shard read, by outcome")
        self.words = count("words", "{word}", "Words that a shard read")
        self.quarantined = count("notes.quarantined", "{note}", "Notes that were quarantined, by reason")
        self.spans = count("spans", "{span}", "Identifiers that were replaced, by entity and detector")
        self.recovered = count("spans.recovered", "{span}", "Spans that recovery released as medical terms, by entity")
        self.repeats = count("spans.repeated", "{span}", "Replaced values that stood elsewhere, by scope and status")
        self.judged = count("spans.judged", "{span}", "Uncertain spans that a judge was asked about, by decision")
        self.judge_cached = count("judge.cached", "{span}", "Judged spans whose decision was known already")
        self.judge_tokens = count("judge.tokens", "{token}", "Tokens of the judge's questions and answers")
        self.sentences = count("sentences", "{sentence}", "Sentences, by whether a model read them")


def metrics_are_sent() -> bool:
    """Whether the environment names a collector of metrics."""
    return any(os.environ.get(name) for name in _ENDPOINTS)


def record_step(institution: str, step: str, outcome: str, seconds: float, cpu_seconds: float) -> None:
    """Add one run of a step, and send what was recorded since the last one."""
    instruments = _instruments()
    attributes = {"institution": institution, "step": step, "outcome": outcome}
    instruments.step_seconds.record(seconds, attributes)
    instruments.step_cpu.add(cpu_seconds, attributes)
    if (provider := _provider()) is not None:
        provider.force_flush(timeout_millis=_TIMEOUT_SECONDS * 1_000)


def record_shard(institution: str, figures: ShardFigures) -> None:
    """Add what one shard holds; it is sent when the step ends."""
    instruments, of = _instruments(), {"institution": institution}
    instruments.words.add(figures.words, of)
    for outcome, notes in figures.notes.items():
        instruments.notes.add(notes, of | {"outcome": str(outcome)})
    for reason, notes in figures.reasons.items():
        instruments.quarantined.add(notes, of | {"reason": str(reason)})
    for (entity, detector), spans in figures.spans.items():
        instruments.spans.add(spans, of | {"entity": entity, "detector": detector})
    for entity, spans in figures.recovered.items():
        instruments.recovered.add(spans, of | {"entity": entity})
    for repeat, spans in figures.repeats.items():
        scope, status, category = repeat.split(":")
        instruments.repeats.add(spans, of | {"scope": scope, "status": status, "category": category})
    _record_judge(instruments, figures.judged, of)
    for answered, sentences in figures.sentences.items():
        instruments.sentences.add(sentences, of | {"answered": answered})


def record_stages(institution: str, seconds: Mapping[str, float]) -> None:
    """Add the time that each stage of the engine took in one shard; it is sent when the step ends."""
    for stage, taken in seconds.items():
        _instruments().stage_seconds.record(taken, {"institution": institution, "stage": stage})


def _record_judge(instruments: _Instruments, judged: Count[str], of: dict[str, str]) -> None:
    for name, value in judged.items():
        decision, _, category = name.partition(":")
        if category:
            instruments.judged.add(value, of | {"decision": decision, "category": category})
        elif name == "cached":
            instruments.judge_cached.add(value, of)
        else:
            instruments.judge_tokens.add(value, of | {"direction": name.removeprefix("tokens_")})


@cache
def _provider() -> MeterProvider | None:
    """Return the provider that exports; ``None`` where no collector is named, and then nothing is kept."""
    if not metrics_are_sent():
        return None
    from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter

    exporter = OTLPMetricExporter(timeout=_TIMEOUT_SECONDS, preferred_temporality=_DELTAS)
    reader = PeriodicExportingMetricReader(exporter, export_interval_millis=_AT_THE_END_ONLY)
    # A provider of its own: Airflow's, where it is on, sends sums of a process and on its own interval.
    return MeterProvider([reader], Resource.create({"service.name": "palimpsest"}))


@cache
def _instruments() -> _Instruments:
    provider = _provider() or NoOpMeterProvider()
    return _Instruments(provider.get_meter("palimpsest"))
