"""Figures in the layouts of published tables, from gold and predicted spans.

What each paper counts, as far as it says:

- Lin 2020: tokens by three tokenizations; a token is positive if a span touches it. By category, the predicted category
  counts too.
- Murugadoss et al. 2021 and 2024: words of group B; a word counts as found whatever is predicted for it. Ages, of which
  only those over 89 were counted (8 in the corpus), and professions count on neither side here.
- Kocaman et al. 2023: entities; here they match if both ends and the label are equal.

Our times of day count nowhere: the corpora do not mark them.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from deid_tasks.core.entities import GROUP_ENTITIES, Category, Entity, Group, category_of
from deid_tasks.core.span import Span
from deid_tasks.engine.text.word_labels import mark_words, split_words
from deid_tasks.evidence.annotation.labels import SCHEMES, label_of
from deid_tasks.evidence.evaluate.counts import MatchCounts
from deid_tasks.evidence.evaluate.tokenization import at_space, treebank

Figures = Mapping[str, Any]
"""Values by the key of a column."""

_I2B2 = SCHEMES["i2b2-2014"]
_TOKENIZATIONS: Mapping[str, Callable[[str], Sequence[tuple[int, int]]]] = {
    "space": at_space,
    "space and punctuation": split_words,
    "nltk": treebank,
}
_CATEGORIES = {
    "Age": (Category.AGE,),
    "Contact": (Category.CONTACT,),
    "Date": (Category.DATE,),
    "ID": (Category.ID,),
    "Location": (Category.LOCATION, Category.ORGANIZATION),
    "Name": (Category.NAME,),
    "Profession": (Category.PROFESSION,),
}
"""The categories of the i2b2 guideline, which has organizations among the locations, by their rows."""
_GROUP_B = GROUP_ENTITIES[Group.B] - {Entity.AGE, Entity.PROFESSION, Entity.TIME}
_CLASSES: Mapping[str, frozenset[Entity]] = {
    "All": _GROUP_B,
    "Date": frozenset({Entity.DATE}),
    "Names": frozenset({Entity.PATIENT, Entity.RELATIVE, Entity.PROVIDER, Entity.INITIALS, Entity.USERNAME}),
    "Location": frozenset(e for e in Entity if category_of(e) is Category.LOCATION),
    "Organization": frozenset(e for e in Entity if category_of(e) is Category.ORGANIZATION),
    "Numeric identifiers": frozenset(e for e in Entity if category_of(e) is Category.ID),
    "Contact": frozenset(e for e in Entity if category_of(e) is Category.CONTACT),
}
"""The entity classes of the table by entity; ``All`` is group B."""
_PEOPLE_AND_PLACES = frozenset(
    e for e in Entity if category_of(e) in {Category.NAME, Category.LOCATION, Category.ORGANIZATION}
)


@dataclass(frozen=True)
class PredictedNote:
    """A note with gold and predicted spans."""

    text: str = field(repr=False)
    gold: Sequence[Span]
    predicted: Sequence[Span]


@dataclass(frozen=True)
class PredictedSet:
    """The notes of one dataset."""

    notes: Sequence[PredictedNote]
    seconds: float | None = None
    """Of the prediction; ``None`` if the spans came from a file."""


PredictedSets = Mapping[str, PredictedSet]


def tokenizations(sets: PredictedSets, row: str) -> Figures:
    """Return tokens of one tokenization."""
    notes = _i2b2(sets).notes
    return _figures(_tokens(notes, _is_marked, _is_marked, _TOKENIZATIONS[row])[0])


def confusion(sets: PredictedSets, row: str) -> Figures:
    """Return a row of the confusion matrix of tokens at white space."""
    counts, total = _tokens(_i2b2(sets).notes, _is_marked, _is_marked, at_space)
    wrong = counts.predicted - int(counts.correct)
    if row == "actual yes":
        return {"predicted_yes": int(counts.found), "predicted_no": counts.gold - int(counts.found)}
    return {"predicted_yes": wrong, "predicted_no": total - counts.gold - wrong}


def models(sets: PredictedSets, row: str = "") -> Figures:  # noqa: ARG001
    """Return binary figures of tokens at white space, and those in which the category must be right too."""
    notes = _i2b2(sets).notes
    binary = _figures(_tokens(notes, _is_marked, _is_marked, at_space)[0])
    multi = MatchCounts()
    for name in _CATEGORIES:
        multi.add(*_category_tokens(notes, name).row)
    return {**binary, **{f"multi_{key}": value for key, value in _figures(multi).items()}}


def categories(sets: PredictedSets, row: str) -> Figures:
    """Return tokens at white space of one category, in which the category must be right."""
    notes = _i2b2(sets).notes
    if row == "All":
        return _figures(_tokens(notes, _is_marked, _is_marked, at_space)[0])
    return _figures(_category_tokens(notes, row))


def names(sets: PredictedSets, row: str = "") -> Figures:  # noqa: ARG001
    """Return the tokens of names in each dataset."""
    found: dict[str, Any] = {}
    for dataset, one in sets.items():
        figures = _figures(_category_tokens(one.notes, "Name"))
        found |= {f"{dataset} {key}": figures[key] for key in ("recall", "precision", "f1")}
    return found


def methods(sets: PredictedSets, row: str = "") -> Figures:  # noqa: ARG001
    """Return words of group B."""
    return _figures(_found_words(_i2b2(sets).notes, _GROUP_B))


def people_and_places(sets: PredictedSets, row: str = "") -> Figures:  # noqa: ARG001
    """Return words of people, places and organizations, which are all that CoNLL 2003 marks of identifiers."""
    return _figures(_found_words(sets["conll-2003"].notes, _PEOPLE_AND_PLACES))


def entities(sets: PredictedSets, row: str) -> Figures:
    """Return words of one class or one type of the i2b2 guideline; precision is that of a class alone."""
    notes = _i2b2(sets).notes
    if row in _CLASSES:
        return _figures(_found_words(notes, _CLASSES[row]))
    kinds = frozenset(entity for entity in Entity if label_of(entity, _I2B2) == row)
    figures = _figures(_found_words(notes, kinds))
    return {key: figures[key] for key in ("gold", "recall", "missed")}


def coarse_labels(sets: PredictedSets, row: str) -> Figures:
    """Return entities of one of the 7 labels, or their averages."""
    label_by_category = {category: name for name, group in _CATEGORIES.items() for category in group}
    return _label_figures(_i2b2(sets).notes, lambda span: label_by_category[span.category], row, tuple(_CATEGORIES))


def fine_labels(sets: PredictedSets, row: str) -> Figures:
    """Return entities of one type of the i2b2 guideline, or the averages; types without gold count in the micro average
    alone.
    """

    def label(span: Span) -> str:
        name = label_of(span.entity, _I2B2) or ""
        return "Other" if name == "LOCATION-OTHER" else name.capitalize()

    notes = _i2b2(sets).notes
    spans = (span for note in notes for span in (*note.gold, *note.predicted) if _is_marked(span))
    return _label_figures(notes, label, row, sorted(set(map(label, spans))))


def seconds(sets: PredictedSets, row: str = "") -> Figures:  # noqa: ARG001
    """Return the seconds that a document took."""
    one = sets["conll-2003"]
    return {"seconds": None if one.seconds is None or not one.notes else one.seconds / len(one.notes)}


def _i2b2(sets: PredictedSets) -> PredictedSet:
    return sets["i2b2-2014"]


def _is_marked(span: Span) -> bool:
    """Whether the guideline of i2b2 marks such a span at all."""
    return label_of(span.entity, _I2B2) is not None


def _tokens(
    notes: Iterable[PredictedNote],
    is_gold: Callable[[Span], bool],
    is_predicted: Callable[[Span], bool],
    tokenize: Callable[[str], Sequence[tuple[int, int]]],
) -> tuple[MatchCounts, int]:
    """Count the tokens that spans touch, and all tokens."""
    counts, total = MatchCounts(), 0
    for note in notes:
        tokens = tokenize(note.text)
        gold = mark_words(tokens, filter(is_gold, note.gold)).keys()
        predicted = mark_words(tokens, filter(is_predicted, note.predicted)).keys()
        correct = len(gold & predicted)
        counts.add(correct, len(gold), correct, len(predicted))
        total += len(tokens)
    return counts, total


def _category_tokens(notes: Iterable[PredictedNote], name: str) -> MatchCounts:
    wanted = _CATEGORIES[name]

    def is_wanted(span: Span) -> bool:
        return span.category in wanted and _is_marked(span)

    return _tokens(notes, is_wanted, is_wanted, at_space)[0]


def _found_words(notes: Iterable[PredictedNote], wanted: frozenset[Entity]) -> MatchCounts:
    """Count words between blanks: a gold word is found by any prediction, and a predicted word is correct on any gold
    word, so that what the group leaves out counts on neither side.
    """
    counts = MatchCounts()
    for note in notes:
        words = at_space(note.text)
        gold = mark_words(words, note.gold)
        predicted = mark_words(words, note.predicted)
        expected = {index for index, entity in gold.items() if Entity(entity) in wanted}
        found = len(expected & predicted.keys())
        wrong = sum(Entity(entity) in wanted and index not in gold for index, entity in predicted.items())
        counts.add(found, len(expected), found, found + wrong)
    return counts


def _label_figures(
    notes: Iterable[PredictedNote], label: Callable[[Span], str], row: str, labels: Sequence[str]
) -> Figures:
    """Return the figures of entities of one label, or the averages over ``labels``."""
    by_label: dict[str, MatchCounts] = {name: MatchCounts() for name in labels}
    for note in notes:
        gold = {(span.start, span.end, label(span)) for span in note.gold if _is_marked(span)}
        predicted = {(span.start, span.end, label(span)) for span in note.predicted if _is_marked(span)}
        for name, counts in by_label.items():
            expected = {one for one in gold if one[2] == name}
            found = {one for one in predicted if one[2] == name}
            correct = len(expected & found)
            counts.add(correct, len(expected), correct, len(found))
    if row == "Macro-Avg.":
        held = [one.value("f1") for one in by_label.values() if one.gold]
        return {"f1": sum(held) / len(held) if held else None}
    if row == "Micro-Avg.":
        total = MatchCounts()
        for counts in by_label.values():
            total.add(*counts.row)
        return {"f1": total.value("f1")}
    return _figures(by_label[row]) if row in by_label else {}


def _figures(counts: MatchCounts) -> dict[str, Any]:
    """Return counts and scores; a score of nothing is missing."""
    return {
        "gold": counts.gold,
        "missed": counts.gold - int(counts.found),
        "false": counts.predicted - int(counts.correct),
        "recall": counts.value("recall") if counts.gold else None,
        "precision": counts.value("precision") if counts.predicted else None,
        "f1": counts.value("f1") if counts.gold and counts.predicted else None,
    }
