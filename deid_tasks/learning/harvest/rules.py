"""Templates from the engine's own output: sentences that always hold the same identifiers in the same positions."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from deid_tasks.core.span import Span
from deid_tasks.engine.detect.templates import Template, TemplateDetector
from deid_tasks.engine.text import Document
from deid_tasks.learning.harvest.files import TemplateCandidate

_SHOWN_WORDS = 8
_MIN_FILLINGS = 2
"""A template whose slots were always filled with the same words would generalise from one example."""

_MIN_LITERAL_WORDS = 2
"""The minimum of literal words of a template that has slots for any word: "Out W N" would read "Out of 4" as a date."""


class Read(NamedTuple):
    """One note and what the whole ensemble made of it: sorted, disjoint spans."""

    patient: str
    document: Document
    spans: Sequence[Span]


@dataclass
class _Instances:
    """The sentences of one syntax template."""

    by_labels: dict[tuple[str, ...], Template] = field(default_factory=dict)
    patients: set[str] = field(default_factory=set)
    fillings: set[tuple[str, ...]] = field(default_factory=set)
    times: int = 0


def harvest_templates(notes: Sequence[Read], min_patients: int, max_new_share: float) -> list[TemplateCandidate]:
    """Return the rules that ``notes`` support, those in most patients first.

    A syntax template becomes a rule where all its instances have one NER template, it stands in at least
    ``min_patients`` distinct patients with at least two different fillings, and some of its words are its own. Each
    rule is then held against the same notes: where it marks words that the ensemble left, these may be identifiers the
    ensemble missed or words that only look alike, so a rule for which that is more than ``max_new_share`` of its
    sentences is proposed as excluded.
    """
    found: dict[tuple[str, ...], _Instances] = defaultdict(_Instances)
    for note in notes:
        for start, end, spans in _sentences(note):
            template = Template.of(note.document.text, start, end, spans) if spans else None
            if template is None:
                continue
            instances = found[template.syntax]
            instances.by_labels.setdefault(template.labels, template)
            instances.patients.add(note.patient)
            instances.times += 1
            if len(instances.fillings) < _MIN_FILLINGS:
                instances.fillings.add(tuple(note.document.text[span.start : span.end] for span in spans))
    rules = {
        template: instances
        for instances in found.values()
        for template in instances.by_labels.values()
        if len(instances.by_labels) == 1
        and len(instances.patients) >= min_patients
        and len(instances.fillings) >= _MIN_FILLINGS
        and template.literal_words >= (_MIN_LITERAL_WORDS if template.has_letters else 1)
    }
    agreed, new, words = _compare_with_engine(notes, list(rules))
    candidates = []
    for template, instances in rules.items():
        matched = agreed[template] + new[template]
        is_safe = matched > 0 and new[template] <= max_new_share * matched
        candidates.append(
            TemplateCandidate(
                template,
                len(instances.patients),
                instances.times,
                new[template],
                tuple(word for word, _ in words[template].most_common(_SHOWN_WORDS)),
                is_safe,
            )
        )
    return sorted(candidates, key=lambda one: (-one.patients, one.template.tokens))


def _sentences(note: Read) -> list[tuple[int, int, list[Span]]]:
    """Return each sentence with the spans that touch it."""
    cut = []
    spans = list(note.spans)
    place = 0
    for start, end in note.document.sentences:
        while place < len(spans) and spans[place].end <= start:
            place += 1
        last = place
        while last < len(spans) and spans[last].start < end:
            last += 1
        cut.append((start, end, spans[place:last]))
    return cut


def _compare_with_engine(
    notes: Sequence[Read], rules: Sequence[Template]
) -> tuple[Counter[Template], Counter[Template], dict[Template, Counter[str]]]:
    """Of each rule: sentences where the ensemble marks all that the rule marks, sentences where it does not, and the
    words it left.
    """
    detector = TemplateDetector(rules)
    agreed: Counter[Template] = Counter()
    new: Counter[Template] = Counter()
    words: dict[Template, Counter[str]] = defaultdict(Counter)
    for note in notes:
        text = note.document.text
        for start, end, spans in _sentences(note):
            rule = detector.template_of(text, start, end)
            if rule is None:
                continue
            left = [
                text[span.start : span.end]
                for span in detector.read(text, start, end)
                if not any(other.start <= span.start and span.end <= other.end for other in spans)
            ]
            if left:
                new[rule] += 1
                words[rule].update(left)
            else:
                agreed[rule] += 1
    return agreed, new, words
