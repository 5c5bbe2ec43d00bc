"""Why the words of one note are marked, or not: detectors, dictionaries, models at each stage, and what came of it.

Objects here hold the note's text in memory; their ``repr`` never shows it.
"""

import datetime
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from deid_tasks.core.entities import Entity
from deid_tasks.core.forms import IdentifierForm
from deid_tasks.core.notes import Outcome, note_batch
from deid_tasks.core.span import Span
from deid_tasks.engine.cascade import CascadeDetector
from deid_tasks.engine.detect.patterns import PatternDetector
from deid_tasks.engine.detect.sentence_detector import SentenceDetector
from deid_tasks.engine.detect.token_classifier import TokenClassifier
from deid_tasks.engine.detect.transformer import FILTER_STAGE, TransformerDetector
from deid_tasks.engine.detect.word_probabilities import ENTITIES
from deid_tasks.engine.failures import Failure
from deid_tasks.engine.judge import JudgeDecision, JudgedSpan
from deid_tasks.engine.lexicon import Lexicon, kinds_of
from deid_tasks.engine.obfuscate.policy import PolicyPiece
from deid_tasks.engine.observer import JUDGE, MERGE, RECOVER, RECOVERED, PipelineObserver
from deid_tasks.engine.parts import BatchContext, EngineParts
from deid_tasks.engine.pipeline import deidentify
from deid_tasks.engine.recover import recovery_reasons
from deid_tasks.engine.term_sources import TermSource, phrases_of, sources_in
from deid_tasks.engine.text import Document

MARKED, RECOVERED_TERM, KEPT, DROPPED = "marked", "recovered", "kept", "dropped"
NEAREST = 10
"""Unmarked words that are shown, at most."""
_MIN_PROBABILITY = 0.01
_EXCERPT_CHARACTERS = 40
_LOW_PROBABILITY = "low probability, or a credential"


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
    """Why it was recovered. Empty for other spans."""
    surrogate: str | None = field(default=None, repr=False)
    """What replaces it; ``None`` where it stays, or the engine has no key."""
    pieces: tuple[PolicyPiece, ...] = ()
    """Its form and what the policy makes of it; the parts of an address may differ. Empty for spans that are not
    marked."""
    judged: JudgedSpan | None = None
    """What the judge decided; ``None`` where it was not asked."""

    @property
    def judgement(self) -> str:
        """The judge's decision for people; empty where it was not asked."""
        if self.judged is None:
            return ""
        return f"{self.judged.decision}, answer known" if self.judged.is_cached else str(self.judged.decision)


@dataclass(frozen=True, slots=True)
class NearestWord:
    """A word that is not marked, although a model came close to it."""

    start: int
    end: int
    models: tuple[StageScore, ...]
    terms: tuple[DictionaryTerm, ...] = ()


@dataclass(frozen=True, slots=True)
class NoteExplanation:
    """Why the words of one note are marked, or not."""

    spans: tuple[ExplainedSpan, ...]
    outcome: Outcome
    failure: Failure | None = None
    text: str = field(default="", repr=False)
    nearest: tuple[NearestWord, ...] = ()
    """The unmarked words that models took most for identifiers, the nearest first."""
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
        yield from ((one.start, one.end) for one in self.nearest)

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
                "surrogate": one.surrogate,
            }
            for one in self.spans
        ]

    def nearest_rows(self) -> list[dict[str, Any]]:
        """Return one row a word that came near."""
        return [
            {
                "text": self.excerpt(one.start, one.end),
                "start": one.start,
                "end": one.end,
                "models": _shown_scores(one.models),
                "terms": _shown_terms(one.terms),
                "sources": self._shown_sources(one.start, one.end),
            }
            for one in self.nearest
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


def explain_note(note: Mapping[str, Any], context: BatchContext) -> NoteExplanation:
    """Explain what the engine makes of one note; with surrogates, if it has a key.

    Args:
        note: columns of ``NOTE_SCHEMA``; ``note_id`` and ``text`` at least.
        context: the engine, and the record of the note's patient.
    """
    recorder = SpanRecorder()
    is_detecting = context.engine.obfuscator is None
    batch = note_batch([note])
    [row] = deidentify(batch, context, detect_only=is_detecting, observer=recorder).to_pylist()
    outcome, text = Outcome(row["outcome"]), str(note["text"])
    if row["error_class"]:
        return NoteExplanation((), outcome, Failure(row["error_class"], row["error_location"] or ""), text)
    surrogates = [
        (one["original_start"], one["original_end"], row["deid_text"][one["start"] : one["end"]])
        for one in row["replacements"]
    ]
    explanation = NoteExplanation(recorder.explained(), outcome, None, text)
    return _with_evidence(explanation, context.engine, surrogates, note.get("note_datetime"))


def _with_evidence(
    explanation: NoteExplanation,
    parts: EngineParts,
    surrogates: Sequence[tuple[int, int, str]],
    written_at: datetime.datetime | None,
) -> NoteExplanation:
    """Return an explanation with what models, dictionaries and surrogates say of its spans, and the nearest words."""
    words = _scored_words(parts, explanation.text)
    terms = _terms(parts.lexicon, explanation.text)
    marked = [one.span for one in explanation.spans if one.status == MARKED]
    pieces = parts.policy.pieces(explanation.text, marked, written_at)
    document = Document("", explanation.text)
    rules = [one for detector in parts.detectors if isinstance(detector, PatternDetector)
             for one in detector.rule_matches(document)]  # fmt: skip
    recovered = [one.span for one in explanation.spans if one.status == RECOVERED_TERM]
    reasons = dict(zip(recovered, recovery_reasons(document, recovered, parts.lexicon), strict=True))
    spans = tuple(
        replace(
            _explained(one, words, terms, surrogates),
            rules=tuple(
                dict.fromkeys(name for start, end, name in rules if start < one.span.end and one.span.start < end)
            ),
            reason=(reasons[one.span] or _LOW_PROBABILITY) if one.status == RECOVERED_TERM else "",
            pieces=tuple(piece for piece in pieces if one.status == MARKED and piece.span.overlaps(one.span)),
        )
        for one in explanation.spans
    )
    unmarked: dict[tuple[int, int], list[StageScore]] = {}
    for start, end, score in words:
        if not any(span.start < end and start < span.end for span in marked):
            unmarked.setdefault((start, end), []).append(score)
    near = [(place, scores) for place, scores in unmarked.items() if _nearness(scores) >= _MIN_PROBABILITY]
    near.sort(key=lambda item: (-_nearness(item[1]), item[0]))
    return replace(
        explanation,
        spans=spans,
        decisions={form: parts.policy.settings.decision(form) for form in IdentifierForm},
        lexicon=parts.lexicon.version,
        nearest=tuple(NearestWord(a, b, tuple(scores), _of(terms, a, b)) for (a, b), scores in near[:NEAREST]),
    )


def _explained(
    one: ExplainedSpan,
    words: Sequence[tuple[int, int, StageScore]],
    terms: Sequence[DictionaryTerm],
    surrogates: Sequence[tuple[int, int, str]],
) -> ExplainedSpan:
    first, last = one.span.start, one.span.end
    made = [text for start, end, text in surrogates if start < last and first < end and one.status == MARKED]
    scores = [score for start, end, score in words if start < last and first < end]
    return replace(one, models=_highest(scores), terms=_of(terms, first, last), surrogate=made[0] if made else None)


def _stages(parts: EngineParts) -> Iterator[tuple[str, TokenClassifier]]:
    """Yield the models of an engine, each with the name of its stage."""
    for detector in parts.detectors:
        reader = detector.reader if isinstance(detector, SentenceDetector) else None
        if isinstance(reader, CascadeDetector | TransformerDetector):
            yield from reader.stages()


def _scored_words(parts: EngineParts, text: str) -> list[tuple[int, int, StageScore]]:
    """Return each word with the answer of each model; every model reads every sentence whole here."""
    document = Document("", text)
    sentences = list(document.sentences)
    found = []
    for stage, classifier in _stages(parts):
        answer = classifier.word_probabilities([text[a:b] for a, b in sentences], -1.0)
        words, entities = answer.words, answer.entities.argmax(axis=1)
        bases = np.repeat([sentences[index][0] for index in answer.texts.tolist()], np.diff(words.bounds))
        scored = zip(bases + words.starts, bases + words.ends, answer.identifier, entities, strict=True)
        for start, end, probability, entity in scored:
            if any(character.isalnum() for character in text[start:end]):
                score = StageScore(stage, float(probability), ENTITIES[int(entity)])
                found.append((int(start), int(end), score))
    return sorted(found, key=lambda one: one[:2])


def _terms(lexicon: Lexicon, text: str) -> list[DictionaryTerm]:
    scan = lexicon.scan([text])
    matches, _ = lexicon.match(scan)
    return [
        DictionaryTerm(int(scan.starts[first]), int(scan.ends[first + count - 1]), kinds)
        for first, count, payload in zip(matches.first, matches.tokens, matches.payload, strict=True)
        if (kinds := kinds_of(int(payload)))
    ]


def _of(terms: Sequence[DictionaryTerm], start: int, end: int) -> tuple[DictionaryTerm, ...]:
    """Return the terms that overlap a stretch, without those inside a longer one of them."""
    over = [one for one in terms if one.start < end and start < one.end]
    inner = {
        one for one in over for o in over if o.start <= one.start and one.end <= o.end and _length(o) > _length(one)
    }
    return tuple(one for one in over if one not in inner)


def _length(term: DictionaryTerm) -> int:
    return term.end - term.start


def _nearness(scores: Sequence[StageScore]) -> float:
    """Return the highest probability that a model gave; a filter is made to suspect too many words, and counts not."""
    return max((one.probability for one in scores if not one.stage.endswith(FILTER_STAGE)), default=0.0)


def _highest(scores: Sequence[StageScore]) -> tuple[StageScore, ...]:
    best: dict[str, StageScore] = {}
    for score in scores:
        if score.stage not in best or score.probability > best[score.stage].probability:
            best[score.stage] = score
    return tuple(best.values())


def _shown_scores(scores: Sequence[StageScore]) -> str:
    return ", ".join(f"{one.stage} {one.probability:.3f} {one.entity}" for one in scores)


def _shown_terms(terms: Sequence[DictionaryTerm]) -> str:
    return ", ".join(dict.fromkeys(kind for one in terms for kind in one.kinds))
