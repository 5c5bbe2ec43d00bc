"""Times of the engine's stages within a shard, for metrics and traces."""

import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from deid_tasks.engine.observer import NO_OBSERVER, PipelineObserver
from deid_tasks.platform.telemetry import metrics_are_sent, record_stages
from deid_tasks.platform.tracing import StageTime, add_stage_spans, traces_are_sent


@contextmanager
def timed_stages(institution: str) -> Iterator[PipelineObserver]:
    """Yield an observer that times each stage of the engine, and record the times when the block ends.

    Without a collector of metrics and a receiver of traces nothing observes the engine.
    """
    sends_metrics, sends_traces = metrics_are_sent(), traces_are_sent()
    if not (sends_metrics or sends_traces):
        yield NO_OBSERVER
        return
    clock = _StageClock()
    try:
        yield clock
    finally:
        if sends_metrics:
            record_stages(institution, {name: one.busy_seconds for name, one in clock.times.items()})
        if sends_traces:
            add_stage_spans(clock.times)


class _StageClock(PipelineObserver):
    """Times of each stage over all batches of a shard."""

    def __init__(self) -> None:
        self.times: dict[str, StageTime] = {}

    def stage(self, name: str) -> AbstractContextManager[None]:
        """Return the context in which the stage runs."""
        return self._timed(name)

    @contextmanager
    def _timed(self, name: str) -> Iterator[None]:
        began, ticks = time.time_ns(), time.perf_counter_ns()
        try:
            yield
        finally:
            # A clock that is set anew meanwhile changes no duration.
            busy = time.perf_counter_ns() - ticks
            known = self.times.setdefault(name, StageTime(began, began))
            known.ended = began + busy
            known.busy += busy
            known.calls += 1
