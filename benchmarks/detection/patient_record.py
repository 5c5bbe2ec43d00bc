"""What the patient's own record finds where models and shared dictionaries do not.

    python -m benchmarks.detection.patient_record               # about 3 minutes of one core
    python -m benchmarks.detection.patient_record --notes 100

Simulated notes write patients' names as the record does, and the compiled lexicon holds the names of all patients: the
patient lexicon then shows no gain. Here each mention of the patient's name in ``dev`` notes is rewritten in one way at
a time, and two kinds of patients are looked at whom the compiled lexicon does not hold: those registered after the last
refresh of the dictionaries (the columns "new patient"), and those whose surname is an everyday word (the rows "everyday
surname"), since such words are left out of shared dictionaries. The table gives the recall of the rewritten words with
95 % bootstrap intervals over patients.
"""

import argparse
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from benchmarks.support.institution import Institution, institution
from deid_tasks.core.entities import Entity
from deid_tasks.core.patient import PatientRecord, TermKind
from deid_tasks.core.span import Span
from deid_tasks.engine.parts import BatchContext
from deid_tasks.engine.pipeline import run_detectors
from deid_tasks.engine.text import Document
from deid_tasks.engine.text.word_labels import split_words
from deid_tasks.hospital.name_pools import name_pools
from deid_tasks.hospital.names import mistype
from deid_tasks.hospital.records import GoldNote, World
from deid_tasks.hospital.worlds import fold_for_world
from deid_tasks.platform.runs.ablation import FULL, Variant

_BATCH = 50
_RESAMPLES = 1_000

Rewrite = Callable[[str, PatientRecord, random.Random], str | None]


class Altered(NamedTuple):
    """One note whose mentions of the patient's name were rewritten."""

    note: GoldNote
    spans: tuple[Span, ...]
    """The rewritten mentions, in code points of the note's new text."""


def _lower(value: str, _: PatientRecord, __: random.Random) -> str | None:
    return value.lower()


def _nickname(value: str, record: PatientRecord, rng: random.Random) -> str | None:
    known = name_pools(World.DEV).nicknames
    first = next(iter(record.of_kind(TermKind.FIRST)), "")
    forms = [form for form in known.get(fold_for_world(first), ()) if fold_for_world(form) != fold_for_world(first)]
    if not first or not forms or first not in value:
        return None
    return value.replace(first, rng.choice(forms))


def _lower_nickname(value: str, record: PatientRecord, rng: random.Random) -> str | None:
    changed = _nickname(value, record, rng)
    return None if changed is None else changed.lower()


def _typo(value: str, record: PatientRecord, rng: random.Random) -> str | None:
    words = [word for word in value.split() if len(word) >= 5 and word in record.of_kind(TermKind.LAST)]
    if not words:
        return None
    return value.replace(words[-1], mistype(words[-1], rng))


def _surname(value: str, record: PatientRecord, _: random.Random) -> str | None:
    last = next((name for name in record.of_kind(TermKind.LAST) if name in value), None)
    return None if last is None else last.lower()


REWRITES: dict[str, Rewrite] = {
    "as written": lambda value, _, __: value,
    "lower case": _lower,
    "nickname": _nickname,
    "nickname in lower case": _lower_nickname,
    "one typing error in the surname": _typo,
    "surname alone in lower case": _surname,
}


EVERYDAY = (
    "Young",
    "May",
    "Long",
    "Price",
    "Bell",
    "Park",
    "Stone",
    "Wells",
    "Rice",
    "Wood",
    "Page",
    "Field",
    "Day",
    "Best",
)


def with_everyday_surname(note: GoldNote, record: PatientRecord) -> tuple[GoldNote, PatientRecord] | None:
    """Return note and record with an everyday word as the surname; ``None`` if no mention holds the surname."""
    last = next(iter(record.of_kind(TermKind.LAST)), "")
    mentions = [s for s in note.spans if s.entity is Entity.PATIENT and last and last in note.text[s.start : s.end]]
    if not mentions:
        return None
    new = random.Random(record.patient_id).choice(EVERYDAY)
    parts: list[str] = []
    spans: list[Span] = []
    position = shift = 0
    for span in note.spans:
        value = note.text[span.start : span.end]
        changed = value.replace(last, new) if span in mentions else value
        parts += (note.text[position : span.start], changed)
        start = span.start + shift
        spans.append(replace(span, start=start, end=start + len(changed)))
        shift += len(changed) - len(value)
        position = span.end
    text = "".join((*parts, note.text[position:]))
    terms = tuple(
        replace(one, term=new) if one.kind is TermKind.LAST and one.term == last else one for one in record.terms
    )
    return replace(note, text=text, spans=tuple(spans)), replace(record, terms=terms)


def rewritten(note: GoldNote, record: PatientRecord, rewrite: Rewrite, seed: int) -> Altered | None:
    """Return ``note`` with each mention of its patient rewritten; ``None`` if no mention can be."""
    rng = random.Random(f"{seed}/{note.note_id}")
    parts: list[str] = []
    spans: list[Span] = []
    position = length = 0
    for span in note.spans:
        value = note.text[span.start : span.end]
        new = rewrite(value, record, rng) if span.entity is Entity.PATIENT else None
        if new is None or len(value) < 3:
            continue
        before = note.text[position : span.start]
        parts += (before, new)
        length += len(before)
        spans.append(Span(length, length + len(new), Entity.PATIENT))
        length += len(new)
        position = span.end
    if not spans:
        return None
    text = "".join((*parts, note.text[position:]))
    return Altered(replace(note, text=text, spans=()), tuple(spans))


def measure(
    place: Institution,
    pairs: Sequence[tuple[GoldNote, PatientRecord]],
    rewrite: Rewrite,
    variants: Sequence[Variant],
    seed: int,
) -> dict[str, list[tuple[str, int, int]]]:
    """Return, for each variant, ``(patient, words found, words)`` of each rewritten note."""
    altered = [one for note, record in pairs if (one := rewritten(note, record, rewrite, seed))]
    records = {record.patient_id: record for _, record in pairs}
    counts: dict[str, list[tuple[str, int, int]]] = {variant.name: [] for variant in variants}
    for first in range(0, len(altered), _BATCH):
        batch = altered[first : first + _BATCH]
        documents = [Document(a.note.note_id, a.note.text, a.note.patient_id, a.note.note_type) for a in batch]
        found = run_detectors(documents, BatchContext(place.engine, records))
        for variant in variants:
            for one, detection in zip(batch, variant.detections(documents, found), strict=True):
                words = [
                    w for w in split_words(one.note.text) if any(s.start < w[1] and w[0] < s.end for s in one.spans)
                ]
                hit = sum(any(s.start < end and start < s.end for s in detection.spans) for start, end in words)
                counts[variant.name].append((one.note.patient_id, hit, len(words)))
    return counts


def interval(counts: Sequence[tuple[str, int, int]]) -> tuple[float, float, float]:
    """Return recall and its 95 % bootstrap interval over patients."""
    patients = sorted({patient for patient, _, _ in counts})
    index = {patient: i for i, patient in enumerate(patients)}
    hits, words = np.zeros(len(patients)), np.zeros(len(patients))
    for patient, hit, count in counts:
        hits[index[patient]] += hit
        words[index[patient]] += count
    draws = np.random.default_rng(0).integers(0, len(patients), (_RESAMPLES, len(patients)))
    shares = hits[draws].sum(1) / words[draws].sum(1)
    return hits.sum() / words.sum(), float(np.quantile(shares, 0.025)), float(np.quantile(shares, 0.975))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--notes", type=int, default=300)
    parser.add_argument("--of", type=int, default=1_500)
    parser.add_argument("--seed", type=int, default=53)
    chosen = parser.parse_args()
    with institution(chosen.notes, chosen.of, chosen.seed, harvested=False) as place:
        variants = (
            Variant(FULL, place.engine),
            Variant("without patient lexicon", place.engine, frozenset({"patient"})),
            Variant("new patient", place.engine, frozenset({"lexicon"})),
            Variant("new patient, without patient lexicon", place.engine, frozenset({"lexicon", "patient"})),
            Variant("no model, new patient", place.engine, frozenset({"lexicon", "transformer"})),
            Variant(
                "no model, new patient, without patient lexicon",
                place.engine,
                frozenset({"lexicon", "patient", "transformer"}),
            ),
        )
        known = [(note, place.records[note.patient_id]) for note in place.notes if note.patient_id in place.records]
        everyday = [pair for note, record in known if (pair := with_everyday_surname(note, record))]
        print("| mentions | words | " + " | ".join(variant.name for variant in variants) + " |")
        print("|---" * (2 + len(variants)) + "|")
        for group, pairs in (("", known), ("everyday surname, ", everyday)):
            for name, rewrite in REWRITES.items():
                counts = measure(place, pairs, rewrite, variants, chosen.seed)
                if counts[FULL]:
                    cells = ["{:.4f} [{:.3f}, {:.3f}]".format(*interval(counts[one.name])) for one in variants]
                    words = sum(count for _, _, count in counts[FULL])
                    print(f"| {group}{name} | {words:,} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
