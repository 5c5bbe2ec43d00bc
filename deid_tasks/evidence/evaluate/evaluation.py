"""The figures of one variant of the engine on one gold set."""

from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

from deid_tasks.evidence.evaluate.errors import ErrorAnalysis
from deid_tasks.evidence.evaluate.scores import Counts
from deid_tasks.evidence.evaluate.terms import TermCount

ALL = "ALL"
"""The entity of a figure over all of them."""
WORD = "word"
"""The headline view: an identifying word is found or not, whatever it is taken for."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One score, with its interval."""

    view: str
    """What is counted, and when it counts as found."""
    stratum: str
    """Of which notes: empty for all, else ``note_type=…``, ``period=…``, or ``group=…`` for another group of entities."""
    entity: str
    """``ALL``, ``category:NAME``…, or a fine type."""
    metric: str
    """``recall``, ``precision``, ``f1``; ``full`` (share of notes with nothing missed); ``over_redaction`` (false words per
    1,000 words that identify no one)."""
    value: float
    lower: float
    upper: float
    """Two-sided: from the bootstrap by patient where the figure is over all notes and entities; exact for a single entity; for a note
    type or a period, where patients can be few, the wider end of both. F1 of an entity has no interval and repeats its value."""
    counts: Counts
    exact_lower: float | None = None
    """One-sided exact binomial bound of a proportion."""


@dataclass(frozen=True, slots=True)
class Confusion:
    """How many words of one label were taken for another."""

    view: str
    gold: str
    predicted: str
    """Either is empty for a word that identifies no one."""
    words: int


@dataclass(frozen=True)
class Evaluation:
    """Every figure of an evaluation, and its error tables."""

    notes: int
    words: int
    patients: int
    full_notes: int
    """Notes in which nothing was missed."""
    group: str
    confidence: float
    resamples: int
    recall_lower_bound: float
    """One-sided: the lower of the patient bootstrap's and the exact binomial bound, so neither is picked for its answer."""
    figures: tuple[Figure, ...]
    errors: ErrorAnalysis
    confusions: tuple[Confusion, ...] = ()
    """Of the views ``word`` (``ALL`` or none), ``word:category`` and ``word:type``; each sums to the words that the group counts."""
    terms: tuple[TermCount, ...] = field(default=(), repr=False)
    """Missed and wrongly found terms, where they were asked for: text of notes."""

    @cached_property
    def _by_name(self) -> dict[tuple[str, str, str, str], Figure]:
        return {(f.view, f.stratum, f.entity, f.metric): f for f in self.figures}

    def find(self, view: str = WORD, stratum: str = "", entity: str = ALL, metric: str = "recall") -> Figure:
        """One figure; raises ``KeyError`` where nothing of that kind was counted."""
        return self._by_name[view, stratum, entity, metric]

    def select(self, view: str = WORD, stratum: str = "", metric: str = "recall") -> list[Figure]:
        """The figures of one metric by entity, the headline first."""
        return [f for f in self.figures if (f.view, f.stratum, f.metric) == (view, stratum, metric)]

    def strata(self, kind: str, metric: str = "recall") -> list[Figure]:
        """The headline's figures by ``note_type`` or ``period``, the worst first; ties by missed words."""
        found = [
            f
            for f in self.figures
            if f.view == WORD and f.entity == ALL and f.metric == metric and f.stratum.startswith(f"{kind}=")
        ]
        return sorted(found, key=lambda f: (f.value, -f.counts.false_negatives, f.stratum))

    def confusion(self, view: str) -> dict[tuple[str, str], int]:
        """The words of one view by gold and predicted label."""
        return {(c.gold, c.predicted): c.words for c in self.confusions if c.view == view}

    @property
    def recall(self) -> float:
        """Word recall over all entities."""
        return self.find(metric="recall").value

    @property
    def precision(self) -> float:
        """Word precision over all entities."""
        return self.find(metric="precision").value

    def document(self, *, terms: bool = False) -> dict[str, Any]:
        """Everything as JSON has it; free of note text unless ``terms`` asks for it."""
        document: dict[str, Any] = {
            name: getattr(self, name)
            for name in ("notes", "words", "patients", "full_notes", "group", "confidence", "resamples")
        }
        document["recall_lower_bound"] = self.recall_lower_bound
        document["figures"] = [_row(figure) for figure in self.figures]
        document["errors"] = self.errors.document()
        document["confusions"] = [asdict(confusion) for confusion in self.confusions]
        if self.terms:
            wrong = [term for term in self.terms if not term.is_missed]
            medical = sum(term.times for term in wrong if term.is_medical)
            document["wrong_terms"] = {"times": sum(term.times for term in wrong), "medical": medical}
        if terms:
            document["terms"] = [asdict(term) for term in self.terms]
        return document


def _row(figure: Figure) -> dict[str, Any]:
    row = asdict(figure)
    return {**row, **row.pop("counts")}
