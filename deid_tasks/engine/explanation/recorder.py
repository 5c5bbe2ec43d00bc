"""What the pipeline tells of one note while it reads it."""

from collections.abc import Sequence

from deid_tasks.core.span import Span
from deid_tasks.engine.explanation.records import DROPPED, KEPT, MARKED, RECOVERED_TERM, ExplainedSpan
from deid_tasks.engine.judge import JudgeDecision, JudgedSpan
from deid_tasks.engine.observer import JUDGE, MERGE, RECOVER, RECOVERED, PipelineObserver


class SpanRecorder(PipelineObserver):
    """Remembers the spans of every stage for one note, in memory."""

    def __init__(self) -> None:
        self._found: list[Span] = []
        self._stages: dict[str, Sequence[Span]] = {}
        self._judged: dict[Span, JudgedSpan] = {}

    def spans(self, name: str, spans: Sequence[Sequence[Span]]) -> None:
        """Remember the spans of one stage."""
        [own] = spans
        if name in (MERGE, RECOVER, RECOVERED, JUDGE):
            self._stages[name] = own
        else:
            self._found += own

    def judged(self, judged: Sequence[Sequence[JudgedSpan]]) -> None:
        """Remember the judge's decisions."""
        [own] = judged
        self._judged = {one.span: one for one in own}

    def explained(self) -> tuple[ExplainedSpan, ...]:
        """Return every span with what became of it, by position."""
        marked = next((self._stages[name] for name in (JUDGE, RECOVER, MERGE) if name in self._stages), ())
        recovered = self._stages.get(RECOVERED, ())
        kept = [one.span for one in self._judged.values() if one.decision is JudgeDecision.KEPT]
        rest = [one for one in self._found if not any(one.overlaps(other) for other in (*marked, *recovered, *kept))]
        groups = ((marked, MARKED), (recovered, RECOVERED_TERM), (kept, KEPT), (rest, DROPPED))
        explained = [
            ExplainedSpan(
                span,
                status,
                tuple(one for one in self._found if one.overlaps(span)),
                judged=self._judged.get(span),
            )
            for spans, status in groups
            for span in spans
        ]
        return tuple(sorted(explained, key=lambda one: one.span))
