"""The explanation of one note: its spans, its words and what is known of them.

Objects here hold the note's text in memory; their ``repr`` never shows it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from deid_tasks.core.entities import Entity
from deid_tasks.core.forms import IdentifierForm
from deid_tasks.core.notes import Outcome
from deid_tasks.core.span import Span
from deid_tasks.engine.explanation.term_sources import TermSource, phrases_of, sources_in
from deid_tasks.engine.failures import Failure
from deid_tasks.engine.judge import JudgedSpan
from deid_tasks.engine.obfuscate.policy import PolicyPiece
from deid_tasks.settings.rewriting import Mode

MARKED, RECOVERED_TERM, KEPT, DROPPED = "marked", "recovered", "kept", "dropped"
NOT_MARKED = "not marked"
_EXCERPT_CHARACTERS = 40


@dataclass(frozen=True, slots=True)
class StageScore:
    """What one model says of some words."""

    stage: str
    """``minilm``, or ``mpnet, second stage``."""
    probability: float
    """That a word of it is an identifier: the highest of its words, after the settings' biases."""
    entity: Entity
    """The entity that is most probable there."""


@dataclass(frozen=True, slots=True)
class DictionaryTerm:
    """A term of a dictionary that the words are, or hold."""

    start: int
    end: int
    kinds: tuple[str, ...]
    """Dictionary and kind, as ``patient_name.last`` and ``medical.eponym``."""


@dataclass(frozen=True, slots=True)
class ExplainedSpan:
    """One span of a note, with what became of it and why."""

    span: Span
    status: str
    """``marked``; ``recovered`` as a medical term; ``kept`` in the text by the judge; ``dropped``, since models
    outvoted it."""
    found_by: tuple[Span, ...]
    """The spans of all detectors that overlap it, before merging."""
    models: tuple[StageScore, ...] = ()
    terms: tuple[DictionaryTerm, ...] = ()
    rules: tuple[str, ...] = ()
    """The rules of the pattern detector that took words of it for an identifier."""
    reason: str = ""
    """Why it was recovered, or why the second search marked it. Empty for other spans."""
    surrogate: str | None = field(default=None, repr=False)
    """What replaces it; ``None`` where it stays, or the engine has no key."""
    pieces: tuple[PolicyPiece, ...] = ()
    """Its form and what the policy makes of it; the parts of an address may differ. Empty for spans that are not
    marked."""
    modes: tuple[Mode, ...] = ()
    """How each piece is replaced: by a ``surrogate``, from a ``list``, by a ``mask`` and so on. Empty without a key."""
    judged: JudgedSpan | None = None
    """What the judge decided; ``None`` where it was not asked."""

    @property
    def judgement(self) -> str:
        """The judge's decision for people; empty where it was not asked."""
        if self.judged is None:
            return ""
        return f"{self.judged.decision}, answer known" if self.judged.is_cached else str(self.judged.decision)


@dataclass(frozen=True, slots=True)
class WordEvidence:
    """What is known of some words: those that are not marked although a model came close, and those asked about."""

    start: int
    end: int
    status: str
    """As a span's; ``not marked`` where no detector found them."""
    models: tuple[StageScore, ...]
    terms: tuple[DictionaryTerm, ...] = ()
    rules: tuple[str, ...] = ()
    """The rules of the pattern detector that matched there."""


@dataclass(frozen=True, slots=True)
class NoteExplanation:
    """Why the words of one note are marked, or not."""

    spans: tuple[ExplainedSpan, ...]
    outcome: Outcome
    failure: Failure | None = None
    text: str = field(default="", repr=False)
    nearest: tuple[WordEvidence, ...] = ()
    """The unmarked words that models took most for identifiers, the nearest first."""
    asked: tuple[WordEvidence, ...] = ()
    """Every place of the words that were asked about."""
    decisions: Mapping[IdentifierForm, str] = field(default_factory=dict)
    """What the engine's policy makes of each form, with the paragraph that says so."""
    lexicon: str = ""
    """Version of the compiled dictionaries."""
    sources: tuple[TermSource, ...] = ()
    """Where the terms of the shown words stand in the institution's dictionaries, if somebody looked them up."""

    def phrases(self) -> list[str]:
        """Return the words and phrases, in normal form, whose sources ``sources`` may hold."""
        return phrases_of(self.text[start:end] for start, end in self._stretches())

    def _stretches(self) -> Iterator[tuple[int, int]]:
        yield from ((one.span.start, one.span.end) for one in self.spans)
        yield from ((one.start, one.end) for one in (*self.nearest, *self.asked))

    def _shown_sources(self, start: int, end: int) -> str:
        return "; ".join(map(str, sources_in(self.text[start:end], self.sources)))

    def __iter__(self) -> Iterator[ExplainedSpan]:
        return iter(self.spans)

    def excerpt(self, start: int, end: int) -> str:
        """Return the text of some words on one line, cut where it is long."""
        excerpt = " ".join(self.text[start:end].split())
        return excerpt if len(excerpt) <= _EXCERPT_CHARACTERS else excerpt[: _EXCERPT_CHARACTERS - 1] + "…"

    def rows(self) -> list[dict[str, Any]]:
        """Return one row a span: text, entity, status, score, what found it, models, terms and surrogate."""
        return [
            {
                "text": self.excerpt(one.span.start, one.span.end),
                "start": one.span.start,
                "end": one.span.end,
                "entity": str(one.span.entity),
                "status": one.status,
                "reason": one.reason,
                "score": one.span.score,
                "found_by": ", ".join(f"{o.detector} {o.entity} {o.score:.2f}" for o in one.found_by)
                or one.span.detector,
                "rules": ", ".join(one.rules),
                "models": _shown_scores(one.models),
                "judge": one.judgement,
                "terms": _shown_terms(one.terms),
                "sources": self._shown_sources(one.span.start, one.span.end),
                "form": ", ".join(piece.form for piece in one.pieces),
                "policy": ", ".join(self.decisions[piece.form] for piece in one.pieces),
                "mode": ", ".join(dict.fromkeys(one.modes)),
                "surrogate": one.surrogate,
            }
            for one in self.spans
        ]

    def nearest_rows(self) -> list[dict[str, Any]]:
        """Return one row a word that came near."""
        return self._word_rows(self.nearest)

    def asked_rows(self) -> list[dict[str, Any]]:
        """Return one row for each place of the words that were asked about."""
        return self._word_rows(self.asked)

    def _word_rows(self, words: Sequence[WordEvidence]) -> list[dict[str, Any]]:
        return [
            {
                "text": self.excerpt(one.start, one.end),
                "start": one.start,
                "end": one.end,
                "status": one.status,
                "models": _shown_scores(one.models),
                "rules": ", ".join(one.rules),
                "terms": _shown_terms(one.terms),
                "sources": self._shown_sources(one.start, one.end),
            }
            for one in words
        ]

    def table(self) -> str:
        """Return a table for people; it shows the text of the spans."""
        rows = [("span", "entity", "status", "score", "found by")]
        rows += [(r["text"], r["entity"], r["status"], f"{r['score']:.2f}", r["found_by"]) for r in self.rows()]
        widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
        if self.failure:
            lines.append(f"{self.outcome}: {self.failure.error_class} at {self.failure.location}")
        return "\n".join(lines)


def _shown_scores(scores: Sequence[StageScore]) -> str:
    return ", ".join(f"{one.stage} {one.probability:.3f} {one.entity}" for one in scores)


def _shown_terms(terms: Sequence[DictionaryTerm]) -> str:
    return ", ".join(dict.fromkeys(kind for one in terms for kind in one.kinds))
