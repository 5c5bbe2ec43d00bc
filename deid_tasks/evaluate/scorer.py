"""Scores notes one at a time, in several honest views; memory grows with patients and entities, never with text."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from deid_tasks.entities import CATEGORY, GROUP_ENTITIES, Entity, Group
from deid_tasks.evaluate.errors import ErrorTally
from deid_tasks.evaluate.evaluation import ALL, WORD, Evaluation, Figure
from deid_tasks.evaluate.scores import METRICS, Bootstrap, Counts, Matches, exact_interval, exact_lower_bound
from deid_tasks.evaluate.spans import SPAN_VIEWS, credit_spans
from deid_tasks.evaluate.terms import TermTally
from deid_tasks.evaluate.tokens import TOKENIZERS, relaxed
from deid_tasks.span import Span
from deid_tasks.text.words import mark_words, words_of

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
_PLACE = {column: place for place, column in enumerate(_COLUMNS)}

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
        self._patients: defaultdict[str, list[Matches]] = defaultdict(lambda: [Matches() for _ in _COLUMNS])
        self._parts: defaultdict[tuple[str, str, str], Matches] = defaultdict(Matches)
        self._errors = ErrorTally()
        self._terms = TermTally(is_medical) if keep_terms else None
        self._notes = self._words = self._plain_words = self._full_notes = 0

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
        words = words_of(text)
        truth, guess = mark_words(words, gold), mark_words(words, predicted)
        pairs = _pairs(truth, guess)
        for group in Group:
            row[_PLACE[WORD, f"group={group}"]].add(*_binary(pairs, _OUTSIDE[group]))
        ignored = _OUTSIDE[self._group]
        headline = _binary(pairs, ignored)
        row[_PLACE[WORD, ""]].add(*headline)
        for name, value in (("note_type", note_type), ("period", period)):
            if value:
                self._parts[WORD, f"{name}={value}", ALL].add(*headline)
        self._add_labels(pairs, ignored, row)
        self._add_tokenizations(text, gold, predicted, ignored, row)
        self._add_spans(gold, predicted, row)
        self._add_errors(words, truth, guess, gold, note_type, patient)
        if self._terms:
            self._add_terms(self._terms, text, words, truth, guess)
        found, expected, _, marked = (int(number) for number in headline)
        self._notes += 1
        self._words += len(words)
        self._plain_words += len(words) - sum(bool(label) for label in truth.values())
        self._full_notes += found == expected
        return Counts(found, marked - found, expected - found)

    def finish(self) -> Evaluation:
        """The scores of everything added."""
        rows = [[column.row for column in self._patients[patient]] for patient in sorted(self._patients)]
        table = np.array(rows, dtype=np.float64).reshape(len(rows), len(_COLUMNS), 4)
        bootstrap = Bootstrap(table, self._resamples)
        totals = [Matches(f, int(g), r, int(p)) for f, g, r, p in table.sum(axis=0).tolist()]
        figures: list[Figure] = []
        for place, (view, stratum) in enumerate(_COLUMNS):
            figures += self._whole(view, stratum, totals[place], bootstrap, place)
            if not stratum:
                figures += self._of_parts(view)
        figures += self._of_strata()
        headline = totals[_PLACE[WORD, ""]]
        figures += self._of_notes(headline)
        two_sided = 2 * self._confidence - 1
        one_sided = bootstrap.interval(_PLACE[WORD, ""], "recall", two_sided).lower
        exact = exact_lower_bound(headline.found, headline.gold, self._confidence)
        return Evaluation(
            notes=self._notes,
            words=self._words,
            patients=len(rows),
            full_notes=self._full_notes,
            group=str(self._group),
            confidence=self._confidence,
            resamples=self._resamples,
            recall_lower_bound=min(one_sided, exact),
            figures=tuple(figures),
            errors=self._errors.finish(headline.gold),
            terms=self._terms.finish() if self._terms else (),
        )

    def _add_labels(self, pairs: Pairs, ignored: frozenset[str], row: list[Matches]) -> None:
        """The headline by entity and category, and both multi-class views."""
        for (truth, guess), count in pairs.items():
            if truth in ignored or (not truth and guess in ignored):
                continue
            both = count if truth and guess else 0
            for name in _with_category(truth):
                self._parts[WORD, "", name].add(both, count, 0, 0)
            for name in _with_category(guess):
                self._parts[WORD, "", name].add(0, 0, both, count)
            label = "" if guess in ignored else guess
            for view, names in ((TYPE_VIEW, (truth, label)), (CATEGORY_VIEW, (_category(truth), _category(label)))):
                right = count if names[0] == names[1] else 0
                row[_PLACE[view, ""]].add(
                    right, count if names[0] else 0, right if names[1] else 0, count if names[1] else 0
                )
                if names[0]:
                    self._parts[view, "", names[0]].add(right, count, 0, 0)
                if names[1]:
                    self._parts[view, "", names[1]].add(0, 0, right, count)

    def _add_tokenizations(
        self,
        text: str,
        gold: Sequence[Span],
        predicted: Sequence[Span],
        ignored: frozenset[str],
        row: list[Matches],
    ) -> None:
        for name, tokenizer in TOKENIZERS.items():
            bounds = tokenizer(text)
            for suffix in ("", "+relaxed"):
                if suffix:
                    bounds = relaxed(text, bounds)
                pairs = _pairs(mark_words(bounds, gold), mark_words(bounds, predicted))
                row[_PLACE[f"{WORD}/{name}{suffix}", ""]].add(*_binary(pairs, ignored))

    def _add_spans(self, gold: Sequence[Span], predicted: Sequence[Span], row: list[Matches]) -> None:
        inside = GROUP_ENTITIES[self._group]
        counted = [span for span in gold if span.entity in inside]
        for span, credit in credit_spans(counted, predicted):
            for view, found in zip(SPAN_VIEWS, credit, strict=True):
                row[_PLACE[view, ""]].add(found, 1, 0, 0)
                self._parts[view, "", str(span.entity)].add(found, 1, 0, 0)
        marked = [span for span in predicted if span.entity in inside]
        left_out = [span for span in gold if span.entity not in inside]
        against_left_out = credit_spans(marked, left_out)
        for (span, credit), (_, elsewhere) in zip(credit_spans(marked, counted), against_left_out, strict=True):
            if elsewhere[-1] and not credit[-1]:
                continue  # it stands on an identifier that the group leaves out
            for view, right in zip(SPAN_VIEWS, credit, strict=True):
                row[_PLACE[view, ""]].add(0, 0, right, 1)
                self._parts[view, "", str(span.entity)].add(0, 0, right, 1)

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

    def _whole(self, view: str, stratum: str, total: Matches, bootstrap: Bootstrap, place: int) -> list[Figure]:
        figures = []
        for metric in METRICS:
            interval = bootstrap.interval(place, metric, self._confidence)
            exact = _exact_lower(total, metric, self._confidence)
            value = total.value(metric)
            figures.append(
                Figure(view, stratum, ALL, metric, value, interval.lower, interval.upper, total.counts, exact)
            )
        return figures

    def _of_parts(self, view: str) -> list[Figure]:
        names = sorted(name for part, stratum, name in self._parts if part == view and not stratum)
        return [f for name in names for f in self._part(view, "", name, self._parts[view, "", name])]

    def _of_strata(self) -> list[Figure]:
        keys = sorted(key for key in self._parts if key[1])
        return [figure for key in keys for figure in self._part(*key, self._parts[key])]

    def _part(self, view: str, stratum: str, entity: str, matches: Matches) -> list[Figure]:
        figures = []
        for metric in METRICS:
            value = matches.value(metric)
            lower = upper = value
            if metric != "f1":
                interval = exact_interval(*_proportion(matches, metric), self._confidence)
                lower, upper = interval.lower, interval.upper
            exact = _exact_lower(matches, metric, self._confidence)
            figures.append(Figure(view, stratum, entity, metric, value, lower, upper, matches.counts, exact))
        return figures

    def _of_notes(self, headline: Matches) -> list[Figure]:
        """Notes with nothing missed, and what was marked beyond need."""
        full, wrong = self._full_notes, headline.predicted - int(headline.right)
        figures = []
        for metric, hits, trials, unit, empty in (
            ("full", full, self._notes, 1, 1.0),
            ("over_redaction", wrong, self._plain_words, 1_000, 0.0),
        ):
            interval = exact_interval(hits, trials, self._confidence)
            value = unit * hits / trials if trials else empty
            exact = unit * exact_lower_bound(hits, trials, self._confidence)
            counts = Counts(full, 0, self._notes - full) if metric == "full" else Counts(0, wrong, 0)
            figures.append(
                Figure(WORD, "", ALL, metric, value, unit * interval.lower, unit * interval.upper, counts, exact)
            )
        return figures


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


def _with_category(entity: str) -> tuple[str, ...]:
    return (entity, f"category:{_CATEGORY_OF[entity]}") if entity else ()


def _runs(places: Iterable[int], marked: Mapping[int, str]) -> list[list[int]]:
    """Neighbouring places of the same entity, together."""
    runs: list[list[int]] = []
    for place in places:
        if runs and place == runs[-1][-1] + 1 and marked[place] == marked[runs[-1][-1]]:
            runs[-1].append(place)
        else:
            runs.append([place])
    return runs


def _proportion(matches: Matches, metric: str) -> tuple[float, int]:
    return (matches.found, matches.gold) if metric == "recall" else (matches.right, matches.predicted)


def _exact_lower(matches: Matches, metric: str, confidence: float) -> float | None:
    return None if metric == "f1" else exact_lower_bound(*_proportion(matches, metric), confidence)
