"""What a perfect engine leaves: how many published patients share the same visible attributes.

Patients with equal values of a set of attributes are one equivalence class; its size is k (Sweeney 2002). The classes
are counted in the release itself: whoever knows that a person is in it, and knows these attributes, is left with k
candidates (the prosecutor's risk, ISO/IEC 27559, 7.3.3). Surrogates are no attributes: they are not the patient's.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

BINS = ((1, 1), (2, 4), (5, 10), (11, 19), (20, None))
"""Sizes of classes in the histogram; the last bin has no end."""

MIN_CLASS = 11
"""Smallest class of a mean risk of at most .09: what EMA (Policy 0070, 2016) and Health Canada (2019) accept for public
releases of clinical reports."""

Attributes = Mapping[str, object]
"""The visible attributes of one patient; a missing one is ``None``."""


@dataclass(frozen=True, slots=True)
class ClassSizes:
    """Equivalence classes of the release by one set of attributes."""

    attributes: tuple[str, ...]
    patients: int
    classes: int
    smallest: int
    """The smallest k."""
    singletons: int
    """Patients who are alone in their class."""
    average_risk: float
    """Mean of 1/k over patients: the share whom a guess within the class names correctly."""
    histogram: tuple[int, ...]
    """Patients by the size of their class, in ``BINS``."""


def rarest_sizes(patients: Sequence[Attributes], many: str, attributes: Sequence[str] = ()) -> ClassSizes:
    """Return the classes of patients by the value that is rarest of the several that each has.

    Whoever knows one of a person's values of ``many``, and the other attributes, is left with the patients who have it
    too; the rarest leaves the fewest. A class is one value, and a patient is in as many as there are values; patients
    without one are in none.

    Args:
        patients: the visible attributes of each patient; that of ``many`` is a set of values.
        many: the attribute with several values.
        attributes: others, of one value each.
    """
    known = [
        (values, tuple(patient.get(name) for name in attributes))
        for patient in patients
        if isinstance(values := patient.get(many), frozenset) and values
    ]
    counts = Counter((value, rest) for values, rest in known for value in values)
    sizes = [min(counts[value, rest] for value in values) for values, rest in known]
    return ClassSizes(
        (f"rarest of the {many}", *attributes),
        len(sizes),
        len(counts),
        min(sizes, default=0),
        sizes.count(1),
        sum(1 / size for size in sizes) / len(sizes) if sizes else 0.0,
        _histogram(Counter(sizes)),
    )


def class_sizes(patients: Sequence[Attributes], attributes: Sequence[str]) -> ClassSizes:
    """Return the classes of patients with equal values of ``attributes``."""
    counts = Counter(tuple(patient.get(name) for name in attributes) for patient in patients)
    by_size: Counter[int] = Counter()
    for size in counts.values():
        by_size[size] += size
    histogram = _histogram(by_size)
    return ClassSizes(
        tuple(attributes),
        len(patients),
        len(counts),
        min(counts.values(), default=0),
        histogram[0],
        len(counts) / len(patients) if patients else 0.0,
        histogram,
    )


def _histogram(patients: Mapping[int, int]) -> tuple[int, ...]:
    """Return the patients in each of ``BINS``, from their number by the size of their class."""
    histogram = [0] * len(BINS)
    for size, count in patients.items():
        position = next(n for n, (_, highest) in enumerate(BINS) if highest is None or size <= highest)
        histogram[position] += count
    return tuple(histogram)
