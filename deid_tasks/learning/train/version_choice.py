"""Which two versions of a model work best together: by recall at a floor of precision, on development notes alone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from deid_tasks.core.entities import Category, Entity, category_of
from deid_tasks.core.errors import InputError
from deid_tasks.core.span import Span
from deid_tasks.engine.text.word_labels import mark_words, split_words


@dataclass(frozen=True, slots=True)
class Scores:
    """Word scores of one category."""

    gold: int = 0
    found: int = 0
    """Words of the category that are marked as it."""
    marked: int = 0
    right: int = 0
    """Marked words that are identifiers of whatever category."""

    @property
    def recall(self) -> float:
        """Of the category's words."""
        return self.found / self.gold if self.gold else 1.0

    @property
    def precision(self) -> float:
        """Of the words that were marked as it."""
        return self.right / self.marked if self.marked else 1.0


@dataclass(frozen=True, slots=True)
class Choice:
    """The versions that read for one category."""

    category: Category
    versions: tuple[str, ...]
    scores: Scores
    reaches_floor: bool


Words = Mapping[Category, frozenset[tuple[int, int]]]
"""By category, marked words as (note, word)."""


def marked_words(notes: Sequence[tuple[str, Sequence[Span]]]) -> dict[Category, frozenset[tuple[int, int]]]:
    """Return the words that spans mark, by category."""
    marked: dict[Category, set[tuple[int, int]]] = {category: set() for category in Category}
    for number, (text, spans) in enumerate(notes):
        for word, entity in mark_words(split_words(text), spans).items():
            marked[category_of(Entity(entity))].add((number, word))
    return {category: frozenset(words) for category, words in marked.items()}


def score(gold: Words, said: Sequence[Words], category: Category) -> Scores:
    """Return the scores of models that read together: a word counts as found where one of them marks it."""
    marked = frozenset[tuple[int, int]]().union(*(words[category] for words in said))
    identifiers = frozenset[tuple[int, int]]().union(*gold.values())
    return Scores(len(gold[category]), len(gold[category] & marked), len(marked), len(marked & identifiers))


def score_any(gold: Words, said: Words) -> Scores:
    """Return the scores of one model, identifier against none."""
    identifiers = frozenset[tuple[int, int]]().union(*gold.values())
    marked = frozenset[tuple[int, int]]().union(*said.values())
    both = len(identifiers & marked)
    return Scores(len(identifiers), both, len(marked), both)


def choose(gold: Words, versions: Mapping[str, Words], floor: float) -> list[Choice]:
    """For each category the two versions that together miss least, of those whose precision reaches ``floor``.

    One version alone is chosen where a second adds nothing. Where no choice reaches the floor, the most precise is
    taken and says so.

    Raises:
        InputError: ``versions`` is empty.
    """
    if not versions:
        raise InputError("no version to choose from")
    choices = []
    for category in Category:
        if not gold[category]:
            continue
        sets = [(name,) for name in versions] + list(combinations(versions, 2))
        scored = [(names, score(gold, [versions[name] for name in names], category)) for names in sets]
        reaching = [(names, scores) for names, scores in scored if scores.precision >= floor]
        # Of equals the fewer models, and then the earlier ones.
        if reaching:
            best = max(reaching, key=lambda pair: (pair[1].recall, pair[1].precision, -len(pair[0])))
        else:
            best = max(scored, key=lambda pair: (pair[1].precision, pair[1].recall, -len(pair[0])))
        choices.append(Choice(category, best[0], best[1], bool(reaching)))
    return choices
