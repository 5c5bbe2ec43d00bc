"""The scorer: notes in, one at a time, and every figure of an evaluation out."""

from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from deid_tasks.core.entities import GROUP_ENTITIES, Group
from deid_tasks.core.span import Span
from deid_tasks.engine.obfuscate.policy import FormPolicy
from deid_tasks.engine.text.word_labels import mark_words, split_words
from deid_tasks.evidence.evaluate.counts import Counts, MatchCounts
from deid_tasks.evidence.evaluate.error_list import NoteError, list_errors
from deid_tasks.evidence.evaluate.error_tables import ErrorTally
from deid_tasks.evidence.evaluate.evaluation import (
    ALL,
    CATEGORY_VIEW,
    TYPE_VIEW,
    WORD,
    Cluster,
    Confusion,
    Evaluation,
    Figure,
)
from deid_tasks.evidence.evaluate.figures import (
    add_labels,
    figures_of_column,
    figures_of_entity,
    figures_of_notes,
    figures_of_stratum,
    match_counts_of,
    share_of_patients,
)
from deid_tasks.evidence.evaluate.intervals import Array, Bootstrap, Interval, exact_lower_bound
from deid_tasks.evidence.evaluate.label_pairs import (
    UNCOUNTED,
    LabelPairCounts,
    category_name,
    count_identifying,
    entity_and_category,
    mark_gold_words,
    pair_labels,
    runs_of_entity,
)
from deid_tasks.evidence.evaluate.span_views import ANY, SPAN_VIEWS, credit_spans
from deid_tasks.evidence.evaluate.term_counts import TermTally
from deid_tasks.evidence.evaluate.tokenization import TOKENIZERS, relaxed
from deid_tasks.settings import PolicySettings

_COLUMNS = (
    (WORD, ""),
    *((WORD, f"group={group}") for group in Group),
    (CATEGORY_VIEW, ""),
    (TYPE_VIEW, ""),
    *((f"{WORD}/{name}{suffix}", "") for name in TOKENIZERS for suffix in ("", "+relaxed")),
    *((view, "") for view in SPAN_VIEWS),
)
"""View and stratum of each column that is counted by patient, for the bootstrap."""
_OFFSET = {column: 4 * number for number, column in enumerate(_COLUMNS)}
"""The index in a patient's row at which the four numbers of a column begin: found, gold, correct, predicted."""
_WIDTH = 4 * len(_COLUMNS)
_GROUP_OFFSETS = tuple((_OFFSET[WORD, f"group={group}"], UNCOUNTED[group]) for group in Group)
_TOKENIZER_OFFSETS = tuple(
    (tokenizer, tuple(_OFFSET[f"{WORD}/{name}{suffix}", ""] for suffix in ("", "+relaxed")))
    for name, tokenizer in TOKENIZERS.items()
)
_SPAN_OFFSETS = tuple((view, _OFFSET[view, ""]) for view in SPAN_VIEWS)
_ANY = SPAN_VIEWS.index(ANY)


class Scorer:
    """Scores notes in all views of the literature, from one pass over each note.

    The headline view ``word`` is that of Murugadoss et al. 2021: an identifier or not. In it, the recall of a fine type
    is the share of its gold words that were found as any entity, and its precision is the share of the words predicted
    as this type that are identifiers of any type. In ``word:category`` and ``word:type`` a word is correct only if the
    label is. Entities outside ``group`` count on neither side. Nor do gold spans whose form the policy leaves in the
    text, if it decides by form; a predicted span that it leaves there finds nothing. Memory grows with patients and
    entities, never with text.
    """

    def __init__(
        self,
        group: Group = Group.C,
        confidence: float = 0.95,
        resamples: int = 1_000,
        *,
        policy: PolicySettings | None = None,
        keep_terms: bool = False,
        is_medical: Callable[[str], bool] | None = None,
    ) -> None:
        """Begin with no notes.

        Args:
            group: The entities that count.
            confidence: Of every interval and bound.
            resamples: Of patients, for the bootstrap.
            policy: Which forms count as identifiers; under ``expert``, the default, every form of the group, those too
                that ``policy.keep`` leaves in the text.
            keep_terms: Whether to keep missed and wrongly found terms, which are text of notes.
            is_medical: Whether a term, in lower case, is a medical one.
        """
        self._group, self._confidence, self._resamples = group, confidence, resamples
        self._policy = FormPolicy(policy or PolicySettings())
        self._keep_terms, self._is_medical = keep_terms, is_medical
        self._patients: defaultdict[str, array[float]] = defaultdict(lambda: array("d", bytes(8 * _WIDTH)))
        self._strata: defaultdict[str, defaultdict[str, array[float]]] = defaultdict(
            lambda: defaultdict(lambda: array("d", bytes(8 * 4)))
        )
        self._pairs: Counter[tuple[str, str]] = Counter()
        self._spans: defaultdict[tuple[str, str], MatchCounts] = defaultdict(MatchCounts)
        self._errors = ErrorTally()
        self._terms = TermTally(is_medical) if keep_terms else None
        self._clusters: defaultdict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0, 0, 0])
        self._notes = self._words = self._plain_words = self._full_notes = 0

    def fresh(self) -> "Scorer":
        """Return an empty scorer with the same settings."""
        return Scorer(
            self._group,
            self._confidence,
            self._resamples,
            policy=self._policy.settings,
            keep_terms=self._keep_terms,
            is_medical=self._is_medical,
        )

    def add(
        self,
        text: str,
        gold: Sequence[Span],
        predicted: Sequence[Span],
        patient: str,
        note_type: str = "",
        period: str = "",
        groups: Mapping[str, str] | None = None,
    ) -> Counts:
        """Score one note and return its headline counts.

        Args:
            text: The note.
            gold: The spans that should be found, in code points of ``text``.
            predicted: The spans that were found.
            patient: The group of the note in the bootstrap.
            note_type: A stratum of its own; none if empty.
            period: A stratum of its own; none if empty.
            groups: Further strata by name, such as the sex of the patient; an empty value is none.
        """
        row = self._patients[patient]
        words, kept, gold, predicted, gold_labels, predicted_labels = self._labelled(text, gold, predicted)
        pairs = pair_labels(gold_labels, predicted_labels)
        for offset, outside in _GROUP_OFFSETS:
            _count(row, offset, *count_identifying(pairs, outside))
        ignored = UNCOUNTED[self._group]
        headline = count_identifying(pairs, ignored)
        _count(row, _OFFSET[WORD, ""], *headline)
        for name, value in (("note_type", note_type), ("period", period), *(groups or {}).items()):
            if value:
                _count(self._strata[f"{name}={value}"][patient], 0, *headline)
        self._add_labels(pairs, ignored, row)
        self._add_tokenizations(text, gold, kept, predicted, ignored, row)
        self._add_spans(text, gold, kept, predicted, row)
        spans, missed = self._add_errors(words, gold_labels, predicted_labels, gold, note_type, patient)
        cluster = self._clusters[patient, note_type]
        for position, count in enumerate((1, missed > 0, spans, missed)):
            cluster[position] += count
        if self._terms:
            self._add_terms(self._terms, text, words, gold_labels, predicted_labels)
        found, expected, _, marked = headline
        self._notes += 1
        self._words += len(words)
        self._plain_words += len(words) - len(gold_labels)
        self._full_notes += found == expected
        return Counts(found, marked - found, expected - found)

    def errors(self, text: str, gold: Sequence[Span], predicted: Sequence[Span]) -> Iterator[NoteError]:
        """Yield where the errors of one note are, word for word as ``add`` counts them."""
        note = self._labelled(text, gold, predicted)
        return list_errors(note.words, note.gold_labels, note.predicted_labels, UNCOUNTED[self._group])

    def _labelled(self, text: str, gold: Sequence[Span], predicted: Sequence[Span]) -> "_LabelledNote":
        words = split_words(text)
        kept = self._policy.kept(text, gold)
        gold, predicted = ([one.span for one in self._policy.identifiers(text, side)] for side in (gold, predicted))
        labels = mark_gold_words(words, gold, kept), mark_words(words, predicted)
        return _LabelledNote(words, kept, gold, predicted, *labels)

    def finish(self) -> Evaluation:
        """Return the evaluation of all notes added."""
        table = _table(self._patients, _WIDTH).reshape(-1, len(_COLUMNS), 4)
        bootstrap = Bootstrap(table, self._resamples)
        sums = table.sum(axis=0)
        by_label, confusions = self._labels()
        by_label.update(self._spans)
        figures: list[Figure] = []
        for column, (view, stratum) in enumerate(_COLUMNS):
            total = match_counts_of(sums[column])
            figures += figures_of_column(view, stratum, total, bootstrap, column, self._confidence)
            names = sorted(name for label_view, name in by_label if label_view == view and not stratum)
            for name in names:
                figures += figures_of_entity(view, name, by_label[view, name], self._confidence)
        for stratum in sorted(self._strata):
            rows = _table(self._strata[stratum], 4)
            figures += figures_of_stratum(stratum, rows, self._resamples, self._confidence)
        headline_column = _COLUMNS.index((WORD, ""))
        headline = match_counts_of(sums[headline_column])
        wrong = headline.predicted - int(headline.correct)
        figures += figures_of_notes(self._full_notes, self._notes, wrong, self._plain_words, self._confidence)
        words = table[:, headline_column]
        full_patients = int((words[:, 0] == words[:, 1]).sum())
        figures.append(share_of_patients(full_patients, len(table), self._confidence))
        one_sided = bootstrap.interval(headline_column, "recall", 2 * self._confidence - 1).lower
        return Evaluation(
            notes=self._notes,
            words=self._words,
            patients=len(self._patients),
            full_notes=self._full_notes,
            group=str(self._group),
            policy=self._policy.settings.name,
            confidence=self._confidence,
            resamples=self._resamples,
            recall_lower_bound=min(one_sided, exact_lower_bound(headline.found, headline.gold, self._confidence)),
            figures=tuple(figures),
            errors=self._errors.finish(headline.gold),
            confusions=confusions,
            terms=self._terms.finish() if self._terms else (),
            clusters=self._finish_clusters(),
        )

    def _finish_clusters(self) -> tuple[Cluster, ...]:
        numbers = {patient: number for number, patient in enumerate(sorted(self._patients))}
        return tuple(
            Cluster(numbers[patient], note_type, *counts)
            for (patient, note_type), counts in sorted(self._clusters.items())
        )

    def difference(self, other: "Scorer", metric: str) -> Interval:
        """Return the interval of the headline's ``metric`` here minus that of ``other`` on the same notes.

        Both share their resamples, so that the difficulty of a patient's notes cancels out.

        Raises:
            ValueError: The two scored notes of different patients.
        """
        if self._patients.keys() != other._patients.keys():
            raise ValueError("the two scorers have scored notes of different patients")
        headline = slice(_OFFSET[WORD, ""], _OFFSET[WORD, ""] + 4)
        both = [_table(scorer._patients, _WIDTH)[:, headline] for scorer in (self, other)]
        return Bootstrap(np.stack(both, axis=1), self._resamples).difference(0, 1, metric, self._confidence)

    def _add_labels(self, pairs: LabelPairCounts, ignored: frozenset[str], row: "array[float]") -> None:
        """Count the views ``word:type`` and ``word:category``."""
        for (gold, predicted), words in pairs.items():
            if gold in ignored or (not gold and predicted in ignored):
                continue
            self._pairs[gold, predicted] += words
            label = "" if predicted in ignored else predicted
            for view, is_correct in (
                (TYPE_VIEW, gold == label),
                (CATEGORY_VIEW, category_name(gold) == category_name(label)),
            ):
                hits = words if is_correct else 0
                _count(row, _OFFSET[view, ""], hits, words if gold else 0, hits, words if label else 0)

    def _labels(self) -> tuple[dict[tuple[str, str], MatchCounts], tuple[Confusion, ...]]:
        """Return the counts of every word view by entity and category, and the confusions."""
        by_label: defaultdict[tuple[str, str], MatchCounts] = defaultdict(MatchCounts)
        confused: Counter[tuple[str, str, str]] = Counter()
        plain = self._plain_words
        for (gold, predicted), words in self._pairs.items():
            both = words if gold and predicted else 0
            for gold_name, predicted_name in zip(
                entity_and_category(gold), entity_and_category(predicted), strict=True
            ):
                add_labels(by_label, WORD, gold_name, predicted_name, both, words)
            label = "" if predicted in UNCOUNTED[self._group] else predicted
            for view, names in (
                (TYPE_VIEW, (gold, label)),
                (CATEGORY_VIEW, (category_name(gold), category_name(label))),
            ):
                add_labels(by_label, view, *names, words if names[0] == names[1] else 0, words)
                confused[(view, *names)] += words
            confused[WORD, ALL if gold else "", ALL if predicted else ""] += words
            plain -= 0 if gold else words
        for view in (WORD, CATEGORY_VIEW, TYPE_VIEW):
            confused[view, "", ""] += plain
        return dict(by_label), tuple(Confusion(*names, words) for names, words in sorted(confused.items()))

    def _add_tokenizations(
        self,
        text: str,
        gold: Sequence[Span],
        kept: Sequence[Span],
        predicted: Sequence[Span],
        ignored: frozenset[str],
        row: "array[float]",
    ) -> None:
        for tokenizer, offsets in _TOKENIZER_OFFSETS:
            strict = tokenizer(text)
            for offset, bounds in zip(offsets, (strict, relaxed(text, strict)), strict=True):
                pairs = pair_labels(mark_gold_words(bounds, gold, kept), mark_words(bounds, predicted))
                _count(row, offset, *count_identifying(pairs, ignored))

    def _add_spans(
        self,
        text: str,
        gold: Sequence[Span],
        kept: Sequence[Span],
        predicted: Sequence[Span],
        row: "array[float]",
    ) -> None:
        inside = GROUP_ENTITIES[self._group]
        counted = [span for span in gold if span.entity in inside]
        for span, credit in credit_spans(text, counted, predicted):
            entity = str(span.entity)
            for (view, offset), found in zip(_SPAN_OFFSETS, credit, strict=True):
                _count(row, offset, found, 1, 0, 0)
                self._spans[view, entity].add(found, 1, 0, 0)
        marked = [span for span in predicted if span.entity in inside]
        not_counted = [*(span for span in gold if span.entity not in inside), *kept]
        elsewhere = credit_spans(text, marked, not_counted)
        for (span, credit), (_, credit_elsewhere) in zip(credit_spans(text, marked, counted), elsewhere, strict=True):
            if credit_elsewhere[_ANY] and not credit[_ANY]:
                continue  # The span lies on an identifier that the group does not count.
            entity = str(span.entity)
            for (view, offset), correct in zip(_SPAN_OFFSETS, credit, strict=True):
                _count(row, offset, 0, 0, correct, 1)
                self._spans[view, entity].add(0, 0, correct, 1)

    def _add_errors(
        self,
        words: Sequence[tuple[int, int]],
        gold_labels: Mapping[int, str],
        predicted_labels: Mapping[int, str],
        gold: Sequence[Span],
        note_type: str,
        patient: str,
    ) -> tuple[int, int]:
        """Return how many gold spans count, and in how many of them a word was missed."""
        ignored = UNCOUNTED[self._group]
        counted = sorted(span for span in gold if str(span.entity) not in ignored)
        missed_words = [
            index for index, entity in gold_labels.items() if index not in predicted_labels and entity not in ignored
        ]
        missed_spans: set[Span] = set()
        for start, end in (words[index] for index in missed_words):
            missed_spans.update(span for span in counted if span.start < end and start < span.end)
        self._errors.add(
            note_type,
            patient,
            len(counted),
            (str(span.entity) for span in missed_spans),
            Counter(gold_labels[index] for index in missed_words),
        )
        return len(counted), len(missed_spans)

    def _add_terms(
        self,
        terms: TermTally,
        text: str,
        words: Sequence[tuple[int, int]],
        gold_labels: Mapping[int, str],
        predicted_labels: Mapping[int, str],
    ) -> None:
        ignored = UNCOUNTED[self._group]
        sides = ((gold_labels, predicted_labels, True), (predicted_labels, gold_labels, False))
        for labels, others, is_missed in sides:
            alone = [index for index in sorted(labels) if index not in others and labels[index] not in ignored]
            for run in runs_of_entity(alone, labels):
                term = text[words[run[0]][0] : words[run[-1]][1]]
                terms.add(term, labels[run[0]], is_missed=is_missed)


class _LabelledNote(NamedTuple):
    """One note, word by word."""

    words: Sequence[tuple[int, int]]
    kept: Sequence[Span]
    """Gold spans that the policy leaves in the text."""
    gold: Sequence[Span]
    predicted: Sequence[Span]
    gold_labels: dict[int, str]
    predicted_labels: dict[int, str]


def _count(row: "array[float]", offset: int, found: float, gold: int, correct: float, predicted: int) -> None:
    row[offset] += found
    row[offset + 1] += gold
    row[offset + 2] += correct
    row[offset + 3] += predicted


def _table(rows: Mapping[str, "array[float]"], width: int) -> Array:
    """The rows sorted by patient, so that the order of notes does not change the bootstrap."""
    return np.array([rows[patient] for patient in sorted(rows)], dtype=np.float64).reshape(len(rows), width)
