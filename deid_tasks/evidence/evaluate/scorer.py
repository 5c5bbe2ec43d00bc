"""Scores notes one at a time, in several honest views; memory grows with patients and entities, never with text."""

from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from deid_tasks.core.entities import CATEGORY, GROUP_ENTITIES, Entity, Group
from deid_tasks.core.span import Span
from deid_tasks.engine.text.word_labels import mark_words, split_words
from deid_tasks.evidence.evaluate.errors import ErrorTally
from deid_tasks.evidence.evaluate.evaluation import ALL, WORD, Confusion, Evaluation, Figure
from deid_tasks.evidence.evaluate.figures import (
    add_labels,
    figures_of_column,
    figures_of_notes,
    figures_of_part,
    figures_of_stratum,
    matches_of,
)
from deid_tasks.evidence.evaluate.scores import Array, Bootstrap, Counts, Interval, Matches, exact_lower_bound
from deid_tasks.evidence.evaluate.spans import ANY, SPAN_VIEWS, credit_spans
from deid_tasks.evidence.evaluate.terms import TermTally
from deid_tasks.evidence.evaluate.tokens import TOKENIZERS, relaxed

CATEGORY_VIEW, TYPE_VIEW = "word:category", "word:type"
_CATEGORY_OF = {str(entity): str(category) for entity, category in CATEGORY.items()}
_OUTSIDE = {group: frozenset(map(str, frozenset(Entity) - GROUP_ENTITIES[group])) for group in Group}
_COLUMNS = (
    (WORD, ""),
    *((WORD, f"group={group}") for group in Group),
    (CATEGORY_VIEW, ""),
    (TYPE_VIEW, ""),
    *((f"{WORD}/{name}{suffix}", "") for name in TOKENIZERS for suffix in ("", "+relaxed")),
    *((view, "") for view in SPAN_VIEWS),
)
"""View and stratum of everything that is counted by patient, for the bootstrap."""
_PLACE = {column: 4 * place for place, column in enumerate(_COLUMNS)}
"""Where the four numbers of a column begin in a patient's row: found, gold, right, predicted."""
_WIDTH = 4 * len(_COLUMNS)
_GROUP_PLACES = tuple((_PLACE[WORD, f"group={group}"], _OUTSIDE[group]) for group in Group)
_TOKEN_PLACES = tuple(
    (tokenizer, tuple(_PLACE[f"{WORD}/{name}{suffix}", ""] for suffix in ("", "+relaxed")))
    for name, tokenizer in TOKENIZERS.items()
)
_SPAN_PLACES = tuple((view, _PLACE[view, ""]) for view in SPAN_VIEWS)
_TOUCHED = SPAN_VIEWS.index(ANY)

Pairs = Mapping[tuple[str, str], int]
"""Words by what gold and prediction say of them; an empty string says that a word identifies no one."""


class Scorer:
    """Scores as the literature counts them, all from the same pass over a note.

    The headline view ``word`` is that of Murugadoss et al. 2021: identifier against none. There a fine type's recall is the share of its
    gold words that were found as any identifier, its precision the share of the words predicted as it that are any identifier:
    what matters first is that a word was found. In ``word:category`` and ``word:type`` a word is right only when the label is.
    Entities outside ``group`` are left out of the count on both sides.
    """

    def __init__(
        self,
        group: Group = Group.C,
        confidence: float = 0.95,
        resamples: int = 1_000,
        *,
        keep_terms: bool = False,
        is_medical: Callable[[str], bool] | None = None,
    ) -> None:
        """Begin with nothing.

        Args:
            group: Which entities count.
            confidence: Of every interval and bound.
            resamples: Of patients, for the bootstrap.
            keep_terms: Whether to keep missed and wrongly found terms; they are text of notes.
            is_medical: Says of a term, in lower case, whether it is a medical one.
        """
        self._group, self._confidence, self._resamples = group, confidence, resamples
        self._keep_terms, self._is_medical = keep_terms, is_medical
        self._patients: defaultdict[str, array[float]] = defaultdict(lambda: array("d", bytes(8 * _WIDTH)))
        self._strata: defaultdict[str, defaultdict[str, array[float]]] = defaultdict(
            lambda: defaultdict(lambda: array("d", bytes(8 * 4)))
        )
        self._pairs: Counter[tuple[str, str]] = Counter()
        self._spans: defaultdict[tuple[str, str], Matches] = defaultdict(Matches)
        self._errors = ErrorTally()
        self._terms = TermTally(is_medical) if keep_terms else None
        self._notes = self._words = self._plain_words = self._full_notes = 0

    def fresh(self) -> "Scorer":
        """An empty scorer with the same settings."""
        return Scorer(
            self._group,
            self._confidence,
            self._resamples,
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
    ) -> Counts:
        """Score one note and return its headline counts."""
        row = self._patients[patient]
        words = split_words(text)
        truth, guess = mark_words(words, gold), mark_words(words, predicted)
        pairs = _pairs(truth, guess)
        for place, outside in _GROUP_PLACES:
            _count(row, place, *_binary(pairs, outside))
        ignored = _OUTSIDE[self._group]
        headline = _binary(pairs, ignored)
        _count(row, _PLACE[WORD, ""], *headline)
        for name, value in (("note_type", note_type), ("period", period)):
            if value:
                _count(self._strata[f"{name}={value}"][patient], 0, *headline)
        self._add_labels(pairs, ignored, row)
        self._add_tokenizations(text, gold, predicted, ignored, row)
        self._add_spans(text, gold, predicted, row)
        self._add_errors(words, truth, guess, gold, note_type, patient)
        if self._terms:
            self._add_terms(self._terms, text, words, truth, guess)
        found, expected, _, marked = headline
        self._notes += 1
        self._words += len(words)
        self._plain_words += len(words) - len(truth)
        self._full_notes += found == expected
        return Counts(found, marked - found, expected - found)

    def finish(self) -> Evaluation:
        """The scores of everything added."""
        table = _table(self._patients, _WIDTH).reshape(-1, len(_COLUMNS), 4)
        bootstrap = Bootstrap(table, self._resamples)
        sums = table.sum(axis=0)
        parts, confusions = self._labels()
        parts.update(self._spans)
        figures: list[Figure] = []
        for place, (view, stratum) in enumerate(_COLUMNS):
            figures += figures_of_column(view, stratum, matches_of(sums[place]), bootstrap, place, self._confidence)
            names = sorted(name for part, name in parts if part == view and not stratum)
            for name in names:
                figures += figures_of_part(view, name, parts[view, name], self._confidence)
        for stratum in sorted(self._strata):
            rows = _table(self._strata[stratum], 4)
            figures += figures_of_stratum(stratum, rows, self._resamples, self._confidence)
        column = _COLUMNS.index((WORD, ""))
        headline = matches_of(sums[column])
        wrong = headline.predicted - int(headline.right)
        figures += figures_of_notes(self._full_notes, self._notes, wrong, self._plain_words, self._confidence)
        one_sided = bootstrap.interval(column, "recall", 2 * self._confidence - 1).lower
        return Evaluation(
            notes=self._notes,
            words=self._words,
            patients=len(self._patients),
            full_notes=self._full_notes,
            group=str(self._group),
            confidence=self._confidence,
            resamples=self._resamples,
            recall_lower_bound=min(one_sided, exact_lower_bound(headline.found, headline.gold, self._confidence)),
            figures=tuple(figures),
            errors=self._errors.finish(headline.gold),
            confusions=confusions,
            terms=self._terms.finish() if self._terms else (),
        )

    def difference(self, other: "Scorer", metric: str) -> Interval:
        """The interval of how much higher the headline's ``metric`` is here than with ``other``, on the same notes.

        Both are resampled together, so what a hard patient costs both cancels out. Raises ``ValueError`` where the patients differ.
        """
        if self._patients.keys() != other._patients.keys():
            raise ValueError("the two have scored different patients")
        headline = slice(_PLACE[WORD, ""], _PLACE[WORD, ""] + 4)
        both = [_table(scorer._patients, _WIDTH)[:, headline] for scorer in (self, other)]
        return Bootstrap(np.stack(both, axis=1), self._resamples).difference(0, 1, metric, self._confidence)

    def _add_labels(self, pairs: Pairs, ignored: frozenset[str], row: "array[float]") -> None:
        """Both multi-class views."""
        type_place, category_place = _PLACE[TYPE_VIEW, ""], _PLACE[CATEGORY_VIEW, ""]
        for (truth, guess), count in pairs.items():
            if truth in ignored or (not truth and guess in ignored):
                continue
            self._pairs[truth, guess] += count
            label = "" if guess in ignored else guess
            for place, right in ((type_place, truth == label), (category_place, _category(truth) == _category(label))):
                hits = count if right else 0
                _count(row, place, hits, count if truth else 0, hits, count if label else 0)

    def _labels(self) -> tuple[dict[tuple[str, str], Matches], tuple[Confusion, ...]]:
        """Every word view by entity and category, and what was taken for what."""
        parts: defaultdict[tuple[str, str], Matches] = defaultdict(Matches)
        confused: Counter[tuple[str, str, str]] = Counter()
        plain = self._plain_words
        for (truth, guess), count in self._pairs.items():
            both = count if truth and guess else 0
            for truth_name, guess_name in zip(_with_category(truth), _with_category(guess), strict=True):
                add_labels(parts, WORD, (truth_name, guess_name), both, count)
            label = "" if guess in _OUTSIDE[self._group] else guess
            for view, names in ((TYPE_VIEW, (truth, label)), (CATEGORY_VIEW, (_category(truth), _category(label)))):
                add_labels(parts, view, names, count if names[0] == names[1] else 0, count)
                confused[(view, *names)] += count
            confused[WORD, ALL if truth else "", ALL if guess else ""] += count
            plain -= 0 if truth else count
        for view in (WORD, CATEGORY_VIEW, TYPE_VIEW):
            confused[view, "", ""] += plain
        return dict(parts), tuple(Confusion(*names, count) for names, count in sorted(confused.items()))

    def _add_tokenizations(
        self,
        text: str,
        gold: Sequence[Span],
        predicted: Sequence[Span],
        ignored: frozenset[str],
        row: "array[float]",
    ) -> None:
        for tokenizer, places in _TOKEN_PLACES:
            strict = tokenizer(text)
            for place, bounds in zip(places, (strict, relaxed(text, strict)), strict=True):
                pairs = _pairs(mark_words(bounds, gold), mark_words(bounds, predicted))
                _count(row, place, *_binary(pairs, ignored))

    def _add_spans(self, text: str, gold: Sequence[Span], predicted: Sequence[Span], row: "array[float]") -> None:
        inside = GROUP_ENTITIES[self._group]
        counted = [span for span in gold if span.entity in inside]
        for span, credit in credit_spans(text, counted, predicted):
            entity = str(span.entity)
            for (view, place), found in zip(_SPAN_PLACES, credit, strict=True):
                _count(row, place, found, 1, 0, 0)
                self._spans[view, entity].add(found, 1, 0, 0)
        marked = [span for span in predicted if span.entity in inside]
        left_out = [span for span in gold if span.entity not in inside]
        against_left_out = credit_spans(text, marked, left_out)
        for (span, credit), (_, elsewhere) in zip(credit_spans(text, marked, counted), against_left_out, strict=True):
            if elsewhere[_TOUCHED] and not credit[_TOUCHED]:
                continue  # it stands on an identifier that the group leaves out
            entity = str(span.entity)
            for (view, place), right in zip(_SPAN_PLACES, credit, strict=True):
                _count(row, place, 0, 0, right, 1)
                self._spans[view, entity].add(0, 0, right, 1)

    def _add_errors(
        self,
        words: Sequence[tuple[int, int]],
        truth: Mapping[int, str],
        guess: Mapping[int, str],
        gold: Sequence[Span],
        note_type: str,
        patient: str,
    ) -> None:
        ignored = _OUTSIDE[self._group]
        counted = [span for span in gold if str(span.entity) not in ignored]
        left = [place for place, entity in truth.items() if place not in guess and entity not in ignored]
        missed_words = Counter(truth[place] for place in left)
        missed: set[Span] = set()
        if left:
            ordered = sorted(counted)
            for place in left:
                start, end = words[place]
                missed.update(span for span in ordered if span.start < end and start < span.end)
        self._errors.add(note_type, patient, len(counted), (str(span.entity) for span in missed), missed_words)

    def _add_terms(
        self,
        terms: TermTally,
        text: str,
        words: Sequence[tuple[int, int]],
        truth: Mapping[int, str],
        guess: Mapping[int, str],
    ) -> None:
        ignored = _OUTSIDE[self._group]
        for marked, other, is_missed in ((truth, guess, True), (guess, truth, False)):
            places = [place for place in sorted(marked) if place not in other and marked[place] not in ignored]
            for run in _runs(places, marked):
                term = text[words[run[0]][0] : words[run[-1]][1]]
                terms.add(term, marked[run[0]], is_missed=is_missed)


def _count(row: "array[float]", place: int, found: float, gold: int, right: float, predicted: int) -> None:
    row[place] += found
    row[place + 1] += gold
    row[place + 2] += right
    row[place + 3] += predicted


def _table(rows: Mapping[str, "array[float]"], width: int) -> Array:
    """The rows in the order of their patients, so that no order of notes shows in a bootstrap."""
    return np.array([rows[patient] for patient in sorted(rows)], dtype=np.float64).reshape(len(rows), width)


def _pairs(truth: Mapping[int, str], guess: Mapping[int, str]) -> Pairs:
    pairs = Counter((entity, guess.get(place, "")) for place, entity in truth.items())
    pairs.update(("", entity) for place, entity in guess.items() if place not in truth)
    return pairs


def _binary(pairs: Pairs, ignored: frozenset[str]) -> tuple[int, int, int, int]:
    """Found, gold, right and predicted words of the headline's view."""
    found = gold = wrong = 0
    for (truth, guess), count in pairs.items():
        if truth in ignored or (not truth and guess in ignored):
            continue
        if not truth:
            wrong += count
            continue
        gold += count
        if guess:
            found += count
    return found, gold, found, found + wrong


def _category(entity: str) -> str:
    return _CATEGORY_OF.get(entity, "")


def _with_category(entity: str) -> tuple[str, str]:
    return (entity, f"category:{_CATEGORY_OF[entity]}") if entity else ("", "")


def _runs(places: Iterable[int], marked: Mapping[int, str]) -> list[list[int]]:
    """Neighbouring places of the same entity, together."""
    runs: list[list[int]] = []
    for place in places:
        if runs and place == runs[-1][-1] + 1 and marked[place] == marked[runs[-1][-1]]:
            runs[-1].append(place)
        else:
            runs.append([place])
    return runs
