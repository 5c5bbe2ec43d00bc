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


def class_sizes(patients: Sequence[Attributes], attributes: Sequence[str]) -> ClassSizes:
    """Return the classes of patients with equal values of ``attributes``."""
    counts = Counter(tuple(patient.get(name) for name in attributes) for patient in patients)
    histogram = [0] * len(BINS)
    for size in counts.values():
        position = next(n for n, (_, highest) in enumerate(BINS) if highest is None or size <= highest)
        histogram[position] += size
    return ClassSizes(
        tuple(attributes),
        len(patients),
        len(counts),
        min(counts.values(), default=0),
        histogram[0],
        len(counts) / len(patients) if patients else 0.0,
        tuple(histogram),
    )
