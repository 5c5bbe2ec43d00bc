"""Hooks into the pipeline's own run, for timing, counting and explaining. By default nothing observes it."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext

from deid_tasks.core.span import Span
from deid_tasks.engine.judge import JudgedSpan
from deid_tasks.engine.text import Document

MERGE, RECOVER, RECOVERED, JUDGE = "merge", "recover", "recovered", "judge"
OBFUSCATE, SEARCH_AGAIN, AUDIT, COUNT = "obfuscate", "second_search", "audit", "count"

_NOTHING = nullcontext()


class PipelineObserver:
    """What the pipeline calls while it reads a batch. This base class does nothing; subclasses override what they need.

    Stages are, in order: every detector by its name, ``merge``, ``recover``, ``judge``, then ``obfuscate`` for each
    note, then ``second_search``, ``audit`` and ``count`` for each note. Spans and documents hold or refer to note text:
    an observer must neither log nor store them outside memory.
    """

    def begin(self, documents: Sequence[Document]) -> None:
        """Called before the first detector reads ``documents``."""

    def stage(self, name: str) -> AbstractContextManager[None]:  # noqa: ARG002
        """Return the context in which the stage ``name`` runs."""
        return _NOTHING

    def spans(self, name: str, spans: Sequence[Sequence[Span]]) -> None:
        """Called with the spans of each document after the stage ``name``; ``recovered`` are those that recovery
        removed."""

    def judged(self, judged: Sequence[Sequence[JudgedSpan]]) -> None:
        """Called with the judge's decisions about each document, if the engine has a judge."""


NO_OBSERVER = PipelineObserver()
