"""Why the words of one note are marked, or not: detectors, dictionaries, models at each stage, and what came of it."""

import datetime
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
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
from deid_tasks.engine.explanation.recorder import SpanRecorder
from deid_tasks.engine.explanation.records import (
    MARKED,
    NOT_MARKED,
    RECOVERED_TERM,
    DictionaryTerm,
    ExplainedSpan,
    NoteExplanation,
    StageScore,
    WordEvidence,
)
from deid_tasks.engine.failures import Failure
from deid_tasks.engine.lexicon import Lexicon, kinds_of
from deid_tasks.engine.obfuscate.policy import PolicyPiece
from deid_tasks.engine.parts import BatchContext, EngineParts
from deid_tasks.engine.pipeline import deidentify
from deid_tasks.engine.recover import recovery_reasons
from deid_tasks.engine.second_search import DETECTOR
from deid_tasks.engine.text import Document
from deid_tasks.settings.rewriting import Mode

NEAREST = 10
"""Unmarked words that are shown, at most."""
_MIN_PROBABILITY = 0.01
_LOW_PROBABILITY = "low probability, or a credential"
_REPEATED = "its value was replaced elsewhere"


def explain_note(note: Mapping[str, Any], context: BatchContext, word: str | None = None) -> NoteExplanation:
    """Explain what the engine makes of one note; with surrogates, if it has a key.

    Args:
        note: columns of ``NOTE_SCHEMA``; ``note_id`` and ``text`` at least.
        context: the engine, and the record of the note's patient.
        word: words to say everything about, wherever they stand in the note in any letter case.
    """
    recorder = SpanRecorder()
    is_detecting = context.engine.obfuscator is None or context.engine.policy.settings.is_for_scores
    batch = note_batch([note])
    [row] = deidentify(batch, context, detect_only=is_detecting, observer=recorder).to_pylist()
    outcome, text = Outcome(row["outcome"]), str(note["text"])
    if row["error_class"]:
        return NoteExplanation((), outcome, Failure(row["error_class"], row["error_location"] or ""), text)
    repeated = (
        Span(one["start"], one["end"], Entity(one["entity"]), DETECTOR)
        for one in row["spans"]
        if one["detector"] == DETECTOR
    )
    found = [*recorder.explained(), *(ExplainedSpan(one, MARKED, (one,), reason=_REPEATED) for one in repeated)]
    evidence = _Evidence(context.engine, text, note.get("note_type"), note.get("note_datetime"))
    spans = evidence.explained(sorted(found, key=lambda one: one.span), _surrogates(row))
    return NoteExplanation(
        spans,
        outcome,
        None,
        text,
        nearest=evidence.nearest(spans),
        asked=evidence.asked(word, spans) if word else (),
        decisions={form: context.engine.policy.settings.decision(form) for form in IdentifierForm},
        lexicon=context.engine.lexicon.version,
    )


def _surrogates(row: Mapping[str, Any]) -> list[tuple[int, int, str]]:
    return [
        (one["original_start"], one["original_end"], row["deid_text"][one["start"] : one["end"]])
        for one in row["replacements"]
    ]


class _Evidence:
    """What models, rules and dictionaries say of the words of one text."""

    def __init__(
        self, parts: EngineParts, text: str, note_type: str | None, written_at: datetime.datetime | None
    ) -> None:
        self._parts, self._text, self._note_type, self._written_at = parts, text, note_type, written_at
        self._document = Document("", text)
        self._words = _scored_words(parts, self._document)
        self._terms = _terms(parts.lexicon, text)
        patterns = [detector for detector in parts.detectors if isinstance(detector, PatternDetector)]
        self._rules = [match for detector in patterns for match in detector.rule_matches(self._document)]

    def explained(
        self, spans: Sequence[ExplainedSpan], surrogates: Sequence[tuple[int, int, str]]
    ) -> tuple[ExplainedSpan, ...]:
        """Return the spans with what is known of them."""
        marked = [one.span for one in spans if one.status == MARKED]
        pieces = self._parts.policy.pieces(self._text, marked, self._written_at)
        recovered = [one.span for one in spans if one.status == RECOVERED_TERM]
        reasons = dict(zip(recovered, recovery_reasons(self._document, recovered, self._parts.lexicon), strict=True))
        explained = []
        for one in spans:
            start, end = one.span.start, one.span.end
            is_marked = one.status == MARKED
            own = tuple(piece for piece in pieces if is_marked and piece.span.overlaps(one.span))
            made = [text for first, after, text in surrogates if is_marked and first < end and start < after]
            explained.append(
                replace(
                    one,
                    models=self._models(start, end),
                    terms=_of(self._terms, start, end),
                    rules=self._matched(start, end),
                    reason=(reasons[one.span] or _LOW_PROBABILITY) if one.span in reasons else one.reason,
                    surrogate=made[0] if made else None,
                    pieces=own,
                    modes=tuple(self._mode(piece) for piece in own) if self._parts.obfuscator else (),
                )
            )
        return tuple(explained)

    def nearest(self, spans: Sequence[ExplainedSpan]) -> tuple[WordEvidence, ...]:
        """Return the unmarked words that models took most for identifiers."""
        marked = [one.span for one in spans if one.status == MARKED]
        unmarked: dict[tuple[int, int], list[StageScore]] = {}
        for start, end, score in self._words:
            if not any(span.start < end and start < span.end for span in marked):
                unmarked.setdefault((start, end), []).append(score)
        near = [(place, scores) for place, scores in unmarked.items() if _nearness(scores) >= _MIN_PROBABILITY]
        near.sort(key=lambda item: (-_nearness(item[1]), item[0]))
        return tuple(self._of_words(start, end, spans) for (start, end), _ in near[:NEAREST])

    def asked(self, word: str, spans: Sequence[ExplainedSpan]) -> tuple[WordEvidence, ...]:
        """Return what is known of ``word`` at each of its places."""
        pattern = r"\s+".join(map(re.escape, word.split()))
        places = re.finditer(rf"(?<!\w){pattern}(?!\w)", self._text, re.IGNORECASE) if pattern else ()
        return tuple(self._of_words(*place.span(), spans) for place in places)

    def _of_words(self, start: int, end: int, spans: Sequence[ExplainedSpan]) -> WordEvidence:
        status = next((one.status for one in spans if one.span.start < end and start < one.span.end), NOT_MARKED)
        return WordEvidence(
            start, end, status, self._models(start, end), _of(self._terms, start, end), self._matched(start, end)
        )

    def _models(self, start: int, end: int) -> tuple[StageScore, ...]:
        return _highest([score for first, after, score in self._words if first < end and start < after])

    def _matched(self, start: int, end: int) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for first, after, name in self._rules if first < end and start < after))

    def _mode(self, piece: PolicyPiece) -> Mode:
        assert self._parts.obfuscator is not None
        value = self._text[piece.span.start : piece.span.end]
        return self._parts.obfuscator.mode(value, piece.span.entity, self._note_type, self._written_at)


def _stages(parts: EngineParts) -> Iterator[tuple[str, TokenClassifier]]:
    """Yield the models of an engine, each with the name of its stage."""
    for detector in parts.detectors:
        reader = detector.reader if isinstance(detector, SentenceDetector) else None
        if isinstance(reader, CascadeDetector | TransformerDetector):
            yield from reader.stages()


def _scored_words(parts: EngineParts, document: Document) -> list[tuple[int, int, StageScore]]:
    """Return each word with the answer of each model; every model reads every sentence whole here."""
    text = document.text
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
