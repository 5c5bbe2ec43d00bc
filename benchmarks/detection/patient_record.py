"""What the patient's own record finds where models and shared dictionaries do not.

    python -m benchmarks.detection.patient_record                    # about 8 minutes of one core
    python -m benchmarks.detection.patient_record --only-everyday    # 5 minutes
    python -m benchmarks.detection.patient_record --without-models   # everyday names by rules alone: a minute

Simulated notes write patients' names as the record does, and the compiled lexicon holds the names of all patients: the
patient lexicon then shows no gain. Here each mention of the patient's name in ``dev`` notes is rewritten in one way at
a time, and two kinds of patients are looked at whom the compiled lexicon does not hold: those registered after the last
refresh of the dictionaries ("new patient"), and those whose surname is an everyday word ("everyday surname"), since
such words are left out of shared dictionaries. The first table gives the recall of the rewritten words.

The other tables are of names that are everyday words (Young, Will, Comfy): recall and precision of the words that equal
the name, in notes as written, in lower case and in capitals; and how often each such word of prose would be replaced in
the notes of patients who bear it. Intervals are 95 % bootstraps over patients.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from benchmarks.detection.speed import dictionary_engine
from benchmarks.support.corpora import record_of
from benchmarks.support.institution import Institution, institution
from benchmarks.support.results import Results, parser_of, results
from deid_tasks.core.detectors import DetectorName
from deid_tasks.core.entities import Entity
from deid_tasks.core.patient import PatientRecord, TermKind
from deid_tasks.core.span import Span
from deid_tasks.engine.detect.patient_detector import PatientDetector
from deid_tasks.engine.lexicon import default_lexicon
from deid_tasks.engine.parts import BatchContext
from deid_tasks.engine.pipeline import run_detectors
from deid_tasks.engine.text import Document
from deid_tasks.engine.text.word_labels import split_words
from deid_tasks.hospital import build_hospital, write_notes
from deid_tasks.hospital.name_pools import name_pools
from deid_tasks.hospital.names import mistype
from deid_tasks.hospital.records import GoldNote, HospitalSpec, World
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


EVERYDAY = {
    TermKind.LAST: (
        *("Young", "May", "Long", "Price", "Bell", "Park", "Stone"),
        *("Wells", "Rice", "Wood", "Page", "Field", "Day", "Best"),
    ),
    TermKind.FIRST: (
        *("Comfy", "Will", "Grace", "May", "Hope", "Faith", "Joy"),
        *("Art", "Mark", "Bill", "Sunny", "Chip", "Rose", "Dawn"),
    ),
}
"""Everyday words that are surnames and given names."""


def with_everyday_name(
    note: GoldNote, record: PatientRecord, kind: TermKind
) -> tuple[GoldNote, PatientRecord, str] | None:
    """Return note and record with an everyday word as the name of a kind, and the word.

    ``None`` if no mention of the patient holds the name.
    """
    old = next(iter(record.of_kind(kind)), "")
    mentions = [s for s in note.spans if s.entity is Entity.PATIENT and old and old in note.text[s.start : s.end]]
    if not mentions:
        return None
    new = random.Random(record.patient_id).choice(EVERYDAY[kind])
    parts: list[str] = []
    spans: list[Span] = []
    position = shift = 0
    for span in note.spans:
        value = note.text[span.start : span.end]
        changed = value.replace(old, new) if span in mentions else value
        parts += (note.text[position : span.start], changed)
        start = span.start + shift
        spans.append(replace(span, start=start, end=start + len(changed)))
        shift += len(changed) - len(value)
        position = span.end
    text = "".join((*parts, note.text[position:]))
    return replace(note, text=text, spans=tuple(spans)), with_name(record, kind, new), new


def with_name(record: PatientRecord, kind: TermKind, new: str) -> PatientRecord:
    """Return the record with another first term of a kind."""
    old = next(iter(record.of_kind(kind)), "")
    terms = [replace(one, term=new) if one.kind is kind and one.term == old else one for one in record.terms]
    return replace(record, terms=tuple(terms))


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


LETTER_CASES: dict[str, Callable[[str], str]] = {"as written": str, "lower case": str.lower, "capitals": str.upper}


class Everyday(NamedTuple):
    """The words of one note that equal its patient's everyday name."""

    patient_id: str
    names: int
    """Words of mentions of the patient."""
    found: int
    """Those that were found."""
    wrong: int
    """Words of prose that were found."""


def measure_everyday(place: Institution, kind: TermKind, in_case: Callable[[str], str]) -> dict[str, list[Everyday]]:
    """Return the counts of each note with an everyday name, by the whole engine and by the patient lexicon alone."""
    known = [(note, place.records[note.patient_id]) for note in place.notes if note.patient_id in place.records]
    made = [one for note, record in known if (one := with_everyday_name(note, record, kind))]
    engine = Variant(FULL, place.engine)
    counts: dict[str, list[Everyday]] = {FULL: [], DetectorName.PATIENT: []}
    for first in range(0, len(made), _BATCH):
        batch = [(note, word) for note, _, word in made[first : first + _BATCH] if _keeps_length(note.text, in_case)]
        records = {record.patient_id: record for _, record, _ in made}
        documents = [Document(n.note_id, in_case(n.text), n.patient_id, n.note_type) for n, _ in batch]
        found = run_detectors(documents, BatchContext(place.engine, records))
        for (note, word), by_detector, detection in zip(batch, found, engine.detections(documents, found), strict=True):
            counts[FULL].append(_count_everyday(note, word, detection.spans))
            counts[DetectorName.PATIENT].append(_count_everyday(note, word, by_detector[DetectorName.PATIENT]))
    return counts


def _keeps_length(text: str, in_case: Callable[[str], str]) -> bool:
    return len(in_case(text)) == len(text)


def _count_everyday(note: GoldNote, word: str, spans: Sequence[Span]) -> Everyday:
    names = hits = wrong = 0
    for start, end in split_words(note.text):
        if note.text[start:end].lower() != word.lower():
            continue
        labels = [one for one in note.spans if one.start < end and start < one.end]
        is_found = any(one.start < end and start < one.end for one in spans)
        if any(one.entity is Entity.PATIENT for one in labels):
            names, hits = names + 1, hits + is_found
        elif not labels:
            wrong += is_found
    return Everyday(note.patient_id, names, hits, wrong)


def everyday_tables(out: Results, place: Institution) -> None:
    """Add recall and precision of everyday names, and the wrong replacements of each word in the notes of bearers."""
    figures = {"": ".4f", "low": ".3f", "high": ".3f"}
    columns = {"name": "", "note": "", "found by": "", "notes": ",d", "mentions": ",d"}
    columns |= {f"{what} {bound}".strip(): form for what in ("recall", "precision") for bound, form in figures.items()}
    out.table("Words that are the patient's everyday name", columns | {"wrong": ",d"})
    for kind in EVERYDAY:
        for case, in_case in LETTER_CASES.items():
            for finder, notes in measure_everyday(place, kind, in_case).items():
                recall = interval([(one.patient_id, one.found, one.names) for one in notes])
                precision = interval([(one.patient_id, one.found, one.found + one.wrong) for one in notes])
                mentions, wrong = sum(one.names for one in notes), sum(one.wrong for one in notes)
                out.add(kind.value, case, finder, len(notes), mentions, *recall, *precision, wrong)
    columns = {"word": "", "name": "", "note": "", "notes": ",d", "in prose": ",d", "replaced": ",d"}
    out.table("Everyday words of prose that the patient lexicon marks, were each patient of that name", columns)
    known = [(note, place.records[note.patient_id]) for note in place.notes if note.patient_id in place.records]
    for kind, words in EVERYDAY.items():
        for word in words:
            records = {record.patient_id: with_name(record, kind, word) for _, record in known}
            detector = PatientDetector(records)
            for case in ("as written", "lower case"):
                out.add(word, kind.value, case, *_count_prose(detector, [note for note, _ in known], word, case))


def _count_prose(detector: PatientDetector, notes: Sequence[GoldNote], word: str, case: str) -> tuple[int, int, int]:
    """Return how many notes were read, how often prose has the word, and how often the detector marks it there."""
    in_case = LETTER_CASES[case]
    chosen = [note for note in notes if _keeps_length(note.text, in_case)]
    documents = [Document(note.note_id, in_case(note.text), note.patient_id, note.note_type) for note in chosen]
    in_prose = marked = 0
    for note, spans in zip(chosen, detector.detect(documents), strict=True):
        for start, end in split_words(note.text):
            is_prose = not any(one.start < end and start < one.end for one in note.spans)
            if is_prose and note.text[start:end].lower() == word.lower():
                in_prose += 1
                marked += any(one.start < end and start < one.end for one in spans)
    return len(chosen), in_prose, marked


def main() -> None:
    """Print the tables."""
    parser = parser_of(__doc__)
    parser.add_argument("--notes", type=int, default=500)
    parser.add_argument("--of", type=int, default=1_500)
    parser.add_argument("--seed", type=int, default=53)
    parser.add_argument("--only-everyday", action="store_true", help="only the tables of everyday names")
    parser.add_argument(
        "--without-models", action="store_true", help="only these tables, by patterns and records alone"
    )
    chosen = parser.parse_args()
    if chosen.without_models:
        with results("patient-record", "Everyday names by the patient's own record, without models", chosen) as out:
            everyday_tables(out, _without_warehouse(chosen.notes, chosen.of, chosen.seed))
        return
    with (
        results("patient-record", "What the patient's own record finds", chosen) as out,
        institution(chosen.notes, chosen.of, chosen.seed, harvested=False) as place,
    ):
        if not chosen.only_everyday:
            rewritten_table(out, place, chosen.seed)
        everyday_tables(out, place)


def _without_warehouse(notes: int, of: int, seed: int) -> Institution:
    """Return notes of the dev world and their records, with an engine that has neither models nor dictionaries."""
    spec = HospitalSpec("benchmark", World.DEV, seed=seed, patients=max(60, of // 4), providers=30, notes=of)
    hospital = build_hospital(spec)
    records = {patient.patient_id: record_of(patient) for patient in hospital.patients}
    written = list(write_notes(hospital))
    return Institution(dictionary_engine(default_lexicon()), written[:: max(1, of // notes)][:notes], records)


def rewritten_table(out: Results, place: Institution, seed: int) -> None:
    """Add the recall of rewritten mentions by the engine and by its variants."""
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
    everyday = [pair[:2] for note, record in known if (pair := with_everyday_name(note, record, TermKind.LAST))]
    columns = {"mentions": "", "engine": "", "words": ",d", "recall": ".4f", "low": ".3f", "high": ".3f"}
    out.table("Recall of rewritten mentions", columns)
    for group, pairs in (("", known), ("everyday surname, ", everyday)):
        for name, rewrite in REWRITES.items():
            counts = measure(place, pairs, rewrite, variants, seed)
            for one in variants if counts[FULL] else ():
                words = sum(count for _, _, count in counts[one.name])
                out.add(group + name, one.name, words, *interval(counts[one.name]))


if __name__ == "__main__":
    main()
