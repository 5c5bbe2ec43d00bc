"""The note's own patient as a detector: finds what the institution's record says of this person, in any spelling."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from deid_tasks.core.entities import Entity
from deid_tasks.core.patient import PatientRecord
from deid_tasks.core.span import Span
from deid_tasks.engine.detect.patient_initials import find_initials
from deid_tasks.engine.detect.patient_matches import PatientMatches
from deid_tasks.engine.detect.patient_misspellings import find_misspellings
from deid_tasks.engine.detect.patient_numbers import find_numbers
from deid_tasks.engine.lexicon import default_lexicon, mask_of
from deid_tasks.engine.lexicon.everyday_names import find_everyday_names
from deid_tasks.engine.lexicon.patient_terms import FULL, OWN, PatientTerms, compile_patient
from deid_tasks.engine.lexicon.table import assemble
from deid_tasks.engine.text import Document

_MEDICAL = mask_of("medical")


class PatientDetector:
    """Finds names in any order and with short forms, relatives, contacts, numbers and addresses of a patient's record.

    Numbers are compared by their digits alone. Names that are also everyday words are found where they are written as
    names: ``Will`` inside a sentence; ``will`` only beside the words of a person, as in ``will denies pain``. Names,
    relatives' names and the city are found with typing errors too, where the word is not an everyday or medical word. A
    document whose patient has no record gets no span.
    """

    name = "patient"

    def __init__(self, records: Mapping[str, PatientRecord]) -> None:
        """Prepare the detector of one batch.

        Args:
            records: the record of each patient, by ``patient_id``.
        """
        self._records = records
        self._public = default_lexicon()

    def detect(self, documents: Sequence[Document]) -> list[list[Span]]:
        """Return the spans of each document, sorted and disjoint."""
        found: list[list[Span]] = [[] for _ in documents]
        known = [
            (index, compile_patient(self._records[document.patient_id], self._public.hasher))
            for index, document in enumerate(documents)
            if document.patient_id is not None and document.patient_id in self._records
        ]
        if not known:
            return found
        texts = [documents[index].text for index, _ in known]
        matches = self._match(texts, [terms for _, terms in known])
        spans: list[list[Span]] = [[] for _ in known]
        for number, start, end, entity in matches.spans():
            spans[number].append(Span(start, end, entity, self.name))
        for number, (index, terms) in enumerate(known):
            spans[number] += find_numbers(texts[number], terms, self.name)
            spans[number] += find_initials(texts[number], documents[index].plain_bytes, terms, self.name)
            spans[number] += _find_everyday_names(texts[number], terms, self.name)
            spans[number] += find_misspellings(matches, number, texts[number], terms, self.name)
            found[index] = _disjoint(spans[number], texts[number])
        return found

    def _match(self, texts: Sequence[str], terms: Sequence[PatientTerms]) -> PatientMatches:
        """Return the terms of each text's own patient that the text holds; all texts are matched together."""
        scan = self._public.scan(texts)
        public_matches, public = self._public.match(scan)
        patients = {one.salt: one for one in terms}
        table = assemble(
            np.concatenate([one.keys for one in patients.values()]),
            np.concatenate([one.payload for one in patients.values()]),
        )
        salts = np.array([one.salt for one in terms], np.uint64)[scan.document]
        matches, single = table.match(scan, self._public.hasher, salts)
        return PatientMatches(scan, matches, single, public_matches.only(_MEDICAL), public)


def _find_everyday_names(text: str, terms: PatientTerms, detector: str) -> Iterator[Span]:
    """Yield the spans of names that are everyday words and that the words around them show to be names."""
    if terms.everyday is None:
        return
    for start, end, bit in find_everyday_names(text, terms.everyday, OWN | FULL):
        yield Span(start, end, Entity.PATIENT if bit & (OWN | FULL) else Entity.RELATIVE, detector)


def _disjoint(spans: list[Span], text: str) -> list[Span]:
    """Return the spans without overlaps, longer ones preferred; adjacent parts of the patient's name are joined."""
    kept: list[Span] = []
    taken = bytearray(len(text)) if len(spans) > 1 else bytearray()
    for span in sorted(spans, key=lambda span: (-len(span), span.start)):
        if taken.find(1, span.start, span.end) < 0:
            taken[span.start : span.end] = b"\x01" * len(span)
            kept.append(span)
    joined: list[Span] = []
    for span in sorted(kept):
        last = joined[-1] if joined else None
        if last and last.entity is span.entity is Entity.PATIENT and text[last.end : span.start] in (" ", ", ", "-"):
            joined[-1] = Span(last.start, span.end, span.entity, span.detector, min(last.score, span.score))
        else:
            joined.append(span)
    return joined
