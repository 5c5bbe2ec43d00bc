"""Gold and predicted labels of the same words, counted in pairs."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from deid_tasks.core.entities import CATEGORY, GROUP_ENTITIES, Entity, Group
from deid_tasks.core.span import Span
from deid_tasks.engine.text.word_labels import mark_words

LabelPairCounts = Mapping[tuple[str, str], int]
"""The number of words by gold and predicted entity; an empty string means no entity."""

_CATEGORY_OF = {str(entity): str(category) for entity, category in CATEGORY.items()}
_KEPT = "kept"
"""The label of a gold word that the policy does not count among identifiers."""
UNCOUNTED = {group: frozenset({_KEPT, *map(str, frozenset(Entity) - GROUP_ENTITIES[group])}) for group in Group}
"""The labels that do not count, by group."""


def mark_gold_words(words: Sequence[tuple[int, int]], gold: Sequence[Span], kept: Sequence[Span]) -> dict[int, str]:
    """Return the entity of each gold word; words of spans that the policy leaves in the text have a label of none."""
    labels = mark_words(words, gold)
    for index in mark_words(words, kept) if kept else ():
        labels.setdefault(index, _KEPT)
    return labels


def pair_labels(gold: Mapping[int, str], predicted: Mapping[int, str]) -> LabelPairCounts:
    """Return the counts of the pairs of labels, by the words' indices; a word without either is in none."""
    pairs = Counter((entity, predicted.get(index, "")) for index, entity in gold.items())
    pairs.update(("", entity) for index, entity in predicted.items() if index not in gold)
    return pairs


def count_identifying(pairs: LabelPairCounts, ignored: frozenset[str]) -> tuple[int, int, int, int]:
    """Return the found, gold, correct and predicted words of the headline view; labels of ``ignored`` do not count."""
    found = gold_words = wrong = 0
    for (gold, predicted), words in pairs.items():
        if gold in ignored or (not gold and predicted in ignored):
            continue
        if not gold:
            wrong += words
            continue
        gold_words += words
        if predicted:
            found += words
    return found, gold_words, found, found + wrong


def category_name(entity: str) -> str:
    """Return the category of an entity, or an empty string for none."""
    return _CATEGORY_OF.get(entity, "")


def entity_and_category(entity: str) -> tuple[str, str]:
    """Return the names of the rows in which a label is counted: its entity's and its category's."""
    return (entity, f"category:{_CATEGORY_OF[entity]}") if entity else ("", "")


def runs_of_entity(indices: Iterable[int], labels: Mapping[int, str]) -> list[list[int]]:
    """Group neighbouring words of the same entity."""
    runs: list[list[int]] = []
    for index in indices:
        if runs and index == runs[-1][-1] + 1 and labels[index] == labels[runs[-1][-1]]:
            runs[-1].append(index)
        else:
            runs.append([index])
    return runs
