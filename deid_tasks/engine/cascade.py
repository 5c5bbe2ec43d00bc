"""The cascade: a second-stage model reads the words that the first model is uncertain about.

A sentence filter may stand before the first model; what it passes over, neither model reads.

A word is uncertain where its probability of being an identifier lies in the ``band`` of the second stage's settings.
The second-stage model is slower and more accurate, so it reads only uncertain words and some context around them. With
``is_gated`` it reads, of these, only those where an answer can change the final spans: ``SecondStageGate`` merges and
recovers the first model's answers twice, once with every uncertain word as an identifier and once with none, and
compares the words that end up marked. Both models' probabilities are then weighed.
"""

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from deid_tasks.core.detectors import DetectorName
from deid_tasks.core.span import Span
from deid_tasks.engine.detect.decode import decode_spans
from deid_tasks.engine.detect.patterns import PatternDetector
from deid_tasks.engine.detect.reader import Answer, StageAnswers, TextSpan
from deid_tasks.engine.detect.sentence_detector import SentenceDetector
from deid_tasks.engine.detect.token_classifier import TokenClassifier
from deid_tasks.engine.detect.transformer import NAME, PASSED_OVER, TransformerDetector
from deid_tasks.engine.detect.word_probabilities import WordProbabilities
from deid_tasks.engine.judge import Judge
from deid_tasks.engine.lexicon import Lexicon, default_lexicon
from deid_tasks.engine.resolve import resolve_batch
from deid_tasks.engine.text import Document
from deid_tasks.engine.text.ranges import Indices, joined_ranges
from deid_tasks.engine.text.shapes import ShapedWords
from deid_tasks.engine.text.word_labels import mark_words, split_words
from deid_tasks.settings import MergeSettings, RecoverSettings, SecondStageSettings, TransformerSettings

ALONE = ":alone"
"""Ends the name of a detector that uses the first model of a cascade by itself."""
_BAND_EPSILON = 1e-6
"""Lowers the band's lower end, since ``decode_spans`` marks words above its threshold and the band includes its
ends."""
_CONTEXT_WORDS = 12
"""Words on either side of an uncertain word that the second-stage model reads with it."""


@dataclass(frozen=True)
class SecondStageGate:
    """Decides for which texts the second-stage model is needed.

    It uses the patterns and medical terms that come with the package, never an institution's. An answer then depends on
    the text alone, and a cached answer holds for every institution.
    """

    merge: MergeSettings
    recover: RecoverSettings
    patterns: PatternDetector | None
    lexicon: Lexicon = field(default_factory=default_lexicon)
    judge: Judge | None = None
    """None decides here: what the models answer must not depend on a judge."""

    def __post_init__(self) -> None:
        """Leave confidence out: it depends on the whole note, and the models' answers on a sentence alone."""
        object.__setattr__(self, "recover", self.recover.without_confidence())

    def changes_result(
        self, name: str, texts: Sequence[str], one: Sequence[Sequence[TextSpan]], other: Sequence[Sequence[TextSpan]]
    ) -> list[bool]:
        """Return, for each text, whether two answers of a model lead to different marked words.

        Args:
            name: name of the model's detector, which decides its priority in merging.
            texts: the texts that were read.
            one: an answer for each text.
            other: another answer for each text.

        Returns:
            Whether other words are marked after patterns, merging and recovery; their entities do not count.
        """
        documents = [Document("", text) for text in texts]
        patterns = self.patterns.detect(documents) if self.patterns else [[] for _ in texts]
        marked = []
        for answers in (one, other):
            spans = [
                {DetectorName.PATTERNS: found, name: [Span(s.start, s.end, s.entity, name, s.score) for s in answer]}
                for found, answer in zip(patterns, answers, strict=True)
            ]
            marked.append([detection.spans for detection in resolve_batch(documents, spans, self)])
        return [
            mark_words(words, first).keys() != mark_words(words, second).keys()
            for words, first, second in zip(map(split_words, texts), *marked, strict=True)
        ]


class CascadeDetector:
    """A first model, and a second-stage model for the words that the first is uncertain about.

    It is a ``Reader`` of texts, and a ``Detector`` that reads the sentences of notes.

    Raises:
        ModelError: a model is missing, damaged or pickled, or has unknown labels.
    """

    reads_rules: bool
    """Whether patterns and public word lists are an input of one of the models. The gate's rules are not: they choose
    between answers."""

    def __init__(
        self,
        settings: TransformerSettings,
        second: SecondStageSettings,
        name: str = NAME,
        gate: SecondStageGate | None = None,
    ) -> None:
        """Load both models.

        Args:
            settings: the first model.
            second: the second-stage model, its band, and how its probabilities are combined with the first's.
            name: the detector's name.
            gate: decides which uncertain texts the second-stage model reads; it reads all of them where ``None``, and
                where the settings say so.
        """
        self.name = name
        self._gate = gate if second.is_gated else None
        self._settings = second
        self.first_stage = TransformerDetector(settings, f"{name}{ALONE}", settings.sentence_filter)
        """The first model by itself, as a detector of its own name."""
        self._second_stage = TokenClassifier(second, self.first_stage.tokens_read)
        self._threshold = settings.threshold
        self.reads_rules = self.first_stage.reads_rules or self._second_stage.reads_rules
        self.context = self.first_stage.context
        """Whether it reads one ``sentence``, or a whole note in a ``window``."""
        self.sha256: str = hashlib.sha256(f"{self.first_stage.sha256} {self._second_stage.sha256}".encode()).hexdigest()
        """One hash of both models' files: a part of the fingerprint."""
        self.second_stage_texts = 0
        """How many texts the second-stage model read since the detector was built."""

    @property
    def tokens_read(self) -> "Counter[Path]":
        """Tokens, special ones too, that went through each file of weights since the detector was built."""
        return self.first_stage.tokens_read

    def of_passed_over(self) -> "CascadeDetector | None":
        """Return the cascade that reads the texts which the filter passes over and no others, to measure what is lost
        in them; ``None`` without a filter."""
        first_stage = self.first_stage.of_passed_over()
        if first_stage is None:
            return None
        other = copy(self)
        other.name = f"{self.name}{PASSED_OVER}"
        other.first_stage = first_stage
        return other

    def stages(self) -> list[tuple[str, TokenClassifier]]:
        """Return all models, each with the name of its stage."""
        first = [(stage.replace(self.first_stage.name, self.name), model) for stage, model in self.first_stage.stages()]
        return [*first, (f"{self.name}, second stage", self._second_stage)]

    def detect(self, documents: Sequence[Document]) -> list[list[Span]]:
        """Return the spans of each document, sorted and disjoint; they never cut a word."""
        return SentenceDetector(self).detect(documents)

    def read(self, texts: Sequence[str]) -> list[Answer]:
        """Return the answer for each text, in the order given; it depends on that text alone."""
        floor = min(self._threshold, self._settings.band[0])
        words = self.first_stage.word_probabilities(texts, floor)
        answers = [Answer([]) for _ in texts]
        if self._gate is None:
            words = self._with_second_stage(texts, words)
            for index, spans in self._spans(words):
                answers[index] = Answer(spans)
            return answers
        for index, spans in self._spans(words):
            answers[index] = Answer(spans)
        uncertain = words.take(self._uncertain_texts(words))
        low, high = self._settings.band
        all_marked, none_marked = (decode_spans(uncertain, threshold) for threshold in (low - _BAND_EPSILON, high))
        for index, every, none in zip(uncertain.texts.tolist(), all_marked, none_marked, strict=True):
            spans = answers[index].spans
            answers[index] = Answer(spans, StageAnswers(spans, every, none, None))
        needed = self._changed_by_second_stage(self._gate, texts, answers)
        for index, spans in self._spans(
            self._with_second_stage(texts, words.take(np.searchsorted(words.texts, needed)))
        ):
            stages = answers[index].stages
            assert stages is not None  # a text that needs the second stage has uncertain words, and so has stages
            answers[index] = Answer(spans, stages._replace(second=spans))
        return answers

    def choose_again(self, texts: Sequence[str], answers: Sequence[Answer], /) -> list[Answer | None]:
        """Return each answer as today's gate chooses it; ``None`` where the second-stage model has to read the text
        first."""
        if self._gate is None:
            return list(answers)
        needed = set(self._changed_by_second_stage(self._gate, texts, answers))
        chosen: list[Answer | None] = []
        for index, answer in enumerate(answers):
            stages = answer.stages
            if stages is None:
                chosen.append(answer)
            elif index not in needed:
                chosen.append(Answer(stages.first, stages))
            else:
                chosen.append(None if stages.second is None else Answer(stages.second, stages))
        return chosen

    def _spans(self, words: WordProbabilities) -> Iterator[tuple[int, list[TextSpan]]]:
        """Yield the index of each text of ``words``, and its spans."""
        return zip(words.texts.tolist(), decode_spans(words, self._threshold), strict=True)

    def _is_uncertain(self, words: WordProbabilities) -> NDArray[np.bool_]:
        """``[W]``: whether the probability of being an identifier lies in the band, both ends included."""
        low, high = self._settings.band
        probability = words.identifier
        return (probability >= low) & (probability <= high)

    def _uncertain_texts(self, words: WordProbabilities) -> Indices:
        """Return the positions of the texts that have an uncertain word."""
        return np.unique(words.words.text_of_word[self._is_uncertain(words)])

    def _changed_by_second_stage(
        self, gate: SecondStageGate, texts: Sequence[str], answers: Sequence[Answer]
    ) -> list[int]:
        """Return the indices of the texts where the second-stage model can change which words are marked."""
        uncertain = [(index, answer.stages) for index, answer in enumerate(answers) if answer.stages is not None]
        changes = gate.changes_result(
            self.name,
            [texts[index] for index, _ in uncertain],
            [stages.all_marked for _, stages in uncertain],
            [stages.none_marked for _, stages in uncertain],
        )
        return [index for (index, _), is_changed in zip(uncertain, changes, strict=True) if is_changed]

    def _with_second_stage(self, texts: Sequence[str], words: WordProbabilities) -> WordProbabilities:
        """Return word probabilities with those of the second-stage model combined into them.

        It reads the uncertain words of a text with their context, or the whole text if it reads windows.
        """
        shaped, is_uncertain = words.words, self._is_uncertain(words)
        uncertain = np.unique(shaped.text_of_word[is_uncertain])
        self.second_stage_texts += len(uncertain)
        if self._second_stage.context == "sentence":
            firsts, lasts = _stretches(np.flatnonzero(is_uncertain), shaped, _CONTEXT_WORDS)
        else:
            firsts, lasts = shaped.bounds[uncertain], shaped.bounds[uncertain + 1]
        starts, ends = shaped.starts[firsts].tolist(), shaped.ends[lasts - 1].tolist()
        read = words.texts[shaped.text_of_word[firsts]].tolist()
        parts = [texts[index][start:end] for index, start, end in zip(read, starts, ends, strict=True)]
        answer = self._second_stage.word_probabilities(parts, 0.0)
        positions = joined_ranges(firsts[answer.texts], lasts[answer.texts])
        return combine_probabilities(words, answer, self._settings.weight, positions)


def build_readers(
    settings: Sequence[TransformerSettings], gate: SecondStageGate | None = None
) -> list[TransformerDetector | CascadeDetector]:
    """Return a reader for each model of the settings; a cascade where they give it a second stage.

    Args:
        settings: the models. One alone is named ``transformer``, several have their own names behind ``transformer:``.
        gate: decides which texts the second-stage models read.

    Raises:
        ModelError: a model is missing, damaged or pickled, or has unknown labels.
    """
    names = [NAME] if len(settings) == 1 else [f"{NAME}:{one.label}" for one in settings]
    return [
        CascadeDetector(one, one.second_stage, name, gate)
        if one.second_stage
        else TransformerDetector(one, name, one.sentence_filter)
        for one, name in zip(settings, names, strict=True)
    ]


def combine_probabilities(
    first: WordProbabilities, second: WordProbabilities, weight: float, positions: Indices
) -> WordProbabilities:
    """Return the word probabilities of the first model's texts: weighted means of two models'.

    Args:
        first: of the whole texts.
        second: of stretches of them.
        weight: share of the second model. The model with the greater share decides where spans begin.
        positions: index, in ``first``, of each word of ``second``. Words outside the stretches stay as they are.
    """
    entities, begins = first.entities.copy(), first.begins.copy()
    entities[positions] = (1 - weight) * first.entities[positions] + weight * second.entities
    if weight >= 0.5:
        begins[positions] = second.begins
    return replace(first, entities=entities, begins=begins)


def _stretches(uncertain: Indices, words: ShapedWords, context: int) -> tuple[Indices, Indices]:
    """Return the first word, and the word after the last, of each stretch within ``context`` words of an uncertain
    one of the same text."""
    text = words.text_of_word[uncertain]
    firsts = np.maximum(words.bounds[text], uncertain - context)
    lasts = np.minimum(words.bounds[text + 1], uncertain + context + 1)
    # Stretches that meet are one; those of two texts never do.
    is_new = np.ones(len(uncertain), bool)
    is_new[1:] = (text[1:] != text[:-1]) | (firsts[1:] > lasts[:-1])
    return firsts[is_new], lasts[np.append(is_new[1:], np.ones(min(1, len(uncertain)), bool))]
