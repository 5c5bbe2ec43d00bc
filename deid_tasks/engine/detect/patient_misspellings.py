"""Names of the patient's record with typing errors."""

from collections.abc import Iterator

import numpy as np
from rapidfuzz.distance import OSA

from deid_tasks.core.entities import Entity
from deid_tasks.core.span import Span
from deid_tasks.engine.detect.patient_matches import PatientMatches
from deid_tasks.engine.lexicon.normalise import normalise
from deid_tasks.engine.lexicon.patient_terms import CITY, OWN, RELATIVE, PatientTerms

_ENTITY_OF_BIT = {OWN: Entity.PATIENT, RELATIVE: Entity.RELATIVE, CITY: Entity.CITY}
_LONG_NAME_LETTERS = 9
"""A name of this many letters is recognised with two typing errors, a shorter one with one."""
_SCORE = 0.9


def find_misspellings(
    matches: PatientMatches, number: int, text: str, terms: PatientTerms, detector: str
) -> Iterator[Span]:
    """Yield the spans of words that are a name of the record with one or two typing errors.

    A typing error is an insertion, deletion, substitution or transposition of letters (optimal string alignment
    distance).

    Args:
        matches: the tokens and matches of the batch.
        number: index of the text in the batch.
        text: the note.
        terms: the patient's compiled record; its ``names`` have five letters or more.
        detector: name of the spans' detector.
    """
    if not terms.names:
        return
    lengths = {
        len(name) + change for name in terms.names for change in range(-_max_errors(name), _max_errors(name) + 1)
    }
    tokens = matches.tokens_of(number)
    for token in (np.flatnonzero(matches.is_unknown[tokens]) + tokens.start).tolist():
        start, end = matches.offsets(number, token)
        if end - start not in lengths:
            continue
        word = normalise(text[start:end])
        for name, bit in terms.names.items():
            if 0 < OSA.distance(word, name, score_cutoff=_max_errors(name)) <= _max_errors(name):
                yield Span(start, end, _ENTITY_OF_BIT[bit], detector, _SCORE)
                break


def _max_errors(name: str) -> int:
    return 2 if len(name) >= _LONG_NAME_LETTERS else 1
