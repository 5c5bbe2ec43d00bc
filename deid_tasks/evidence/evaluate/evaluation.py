"""The result of an evaluation: the figures of one variant of the engine on one gold set."""

from dataclasses import asdict, astuple, dataclass, field
from functools import cached_property
from typing import Any

from deid_tasks.core.policies import EXPERT
from deid_tasks.evidence.evaluate.counts import Counts
from deid_tasks.evidence.evaluate.error_tables import ErrorAnalysis
from deid_tasks.evidence.evaluate.term_counts import TermCount

ALL = "ALL"
"""The entity of a figure over all entities."""
WORD = "word"
"""The headline view: an identifying word counts as found, whatever entity was predicted."""
CATEGORY_VIEW = "word:category"
"""A word counts as found if an entity of its own category was predicted."""
TYPE_VIEW = "word:type"
"""A word counts as found if its own entity was predicted."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One score, with its interval."""

    view: str
    """The items that are counted, and the condition under which they count as found."""
    stratum: str
    """The notes that are counted: empty for all, else ``note_type=…``, ``period=…``, ``sex=…``, ``age=…`` or
    ``name_origin=…``; ``group=…`` is another group of entities on all notes."""
    entity: str
    """``ALL``, ``category:NAME``…, or a fine type."""
    metric: str
    """``recall``, ``precision``, ``f1``; ``full`` and ``full_patients`` (share of notes, and of patients, with nothing
    missed); ``over_redaction`` (false words
    per 1,000 words that are not identifiers)."""
    value: float
    lower: float
    upper: float
    """End of a two-sided interval: a bootstrap over patients for a figure over all notes and entities; exact for a
    single entity; for a note type or a period, which may have few patients, the wider end of both. F1 of an entity has
    no interval; both ends repeat its value."""
    counts: Counts
    exact_lower: float | None = None
    """One-sided exact binomial bound; ``None`` for F1."""

    @property
    def is_empty(self) -> bool:
        """Whether recall, precision or a share of notes is of nothing: 0/0, for which the value is 1.0."""
        # The bound of all of some is above 0.
        return self.value == 1.0 and self.exact_lower == 0.0


@dataclass(frozen=True, slots=True)
class Confusion:
    """The number of words with one gold label and one predicted label."""

    view: str
    gold: str
    predicted: str
    """Gold and predicted label are empty for a word without one."""
    words: int


@dataclass(frozen=True, slots=True)
class Cluster:
    """What was missed in one patient's notes of one type; patients are numbered, and not named."""

    patient: int
    note_type: str
    notes: int
    affected: int
    """Notes with at least one missed identifier."""
    identifiers: int
    """Gold spans."""
    missed: int
    """Gold spans of which at least one word was missed."""


@dataclass(frozen=True)
class Evaluation:
    """All figures of an evaluation, and its error tables."""

    notes: int
    words: int
    patients: int
    full_notes: int
    """Notes without a missed word."""
    group: str
    confidence: float
    resamples: int
    recall_lower_bound: float
    """One-sided bound of word recall: the lower of the bootstrap bound and the exact binomial bound."""
    figures: tuple[Figure, ...]
    errors: ErrorAnalysis
    confusions: tuple[Confusion, ...] = ()
    """Of the views ``word`` (labels ``ALL`` or empty), ``word:category`` and ``word:type``; each view sums to the words
    that the group counts."""
    clusters: tuple[Cluster, ...] = ()
    """What was missed by patient and note type, from which the residual identifiers of a release are estimated."""
    policy: str = EXPERT
    """The name of the policy that says what counts as an identifier."""
    terms: tuple[TermCount, ...] = field(default=(), repr=False)
    """Missed and wrongly found terms, if requested; they are text of notes."""

    @cached_property
    def _by_name(self) -> dict[tuple[str, str, str, str], Figure]:
        return {(f.view, f.stratum, f.entity, f.metric): f for f in self.figures}

    def find(self, view: str = WORD, stratum: str = "", entity: str = ALL, metric: str = "recall") -> Figure:
        """Return one figure; raises ``KeyError`` if the evaluation does not have it."""
        return self._by_name[view, stratum, entity, metric]

    def select(self, view: str = WORD, stratum: str = "", metric: str = "recall") -> list[Figure]:
        """Return the figures of one metric by entity, the headline first."""
        return [f for f in self.figures if (f.view, f.stratum, f.metric) == (view, stratum, metric)]

    def strata(self, kind: str, metric: str = "recall") -> list[Figure]:
        """Return the headline figures by ``note_type`` or ``period``, the worst first; ties by missed words."""
        found = [
            f
            for f in self.figures
            if f.view == WORD and f.entity == ALL and f.metric == metric and f.stratum.startswith(f"{kind}=")
        ]
        return sorted(found, key=lambda f: (f.value, -f.counts.false_negatives, f.stratum))

    def confusion(self, view: str) -> dict[tuple[str, str], int]:
        """Return the number of words of one view by gold and predicted label."""
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
        """Return the evaluation as JSON values; it holds note text only if ``terms`` is set.

        Reports and stored evaluations have these keys: they are a stable format.
        """
        document: dict[str, Any] = {
            name: getattr(self, name)
            for name in ("notes", "words", "patients", "full_notes", "group", "policy", "confidence", "resamples")
        }
        document["recall_lower_bound"] = self.recall_lower_bound
        document["figures"] = [_row(figure) for figure in self.figures]
        document["errors"] = self.errors.document()
        document["confusions"] = [asdict(confusion) for confusion in self.confusions]
        document["clusters"] = [list(astuple(cluster)) for cluster in self.clusters]
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
