"""The parrot attack: can a reader of published notes tell leaked identifiers from surrogates?

    python -m benchmarks.obfuscation.parrot --notes 300 --seeds 3    # about 5 minutes of one core

Notes of a simulated hospital are de-identified with some identifiers left in. Attackers rank every identifier that a
careful reader sees, real or surrogate, by how much it looks like a leak. Leaks are planted in two ways: any identifier
with the same probability, and identifiers that a weaker detector (the patterns alone) misses, since the leaks of a real
engine have something in common.

The attackers are those of ``deid_tasks.evidence.attack``.

With masks instead of surrogates every leak can be read off the page: 100 %.
"""

import hashlib
import random
from collections.abc import Sequence

from benchmarks.support.corpora import record_of
from benchmarks.support.results import parser_of, results
from deid_tasks.engine.obfuscate import Obfuscator
from deid_tasks.engine.text import Document
from deid_tasks.evidence.attack import (
    Attack,
    AttackedNote,
    Corpus,
    guess,
    judge,
    parrot,
    plant_leaks,
    publish,
    source_attack,
)
from deid_tasks.hospital import build_hospital, write_notes
from deid_tasks.hospital.records import GoldNote, Hospital, HospitalSpec, World
from deid_tasks.settings import ObfuscateSettings, PolicySettings

_OWN_KEYS = 4


def publish_hospital(
    hospital: Hospital, notes: Sequence[GoldNote], share: float, key: bytes, *, is_missed: bool, rng: random.Random
) -> Corpus:
    """Return the notes with surrogates, and with about ``share`` of their identifiers unchanged."""
    records = {patient.patient_id: record_of(patient) for patient in hospital.patients}
    hide = Obfuscator(key, "parrot", PolicySettings(), ObfuscateSettings(key="key"))
    attacked = [
        AttackedNote(Document(note.note_id, note.text, note.patient_id), tuple(note.spans), note.note_datetime)
        for note in notes
    ]
    return publish(attacked, plant_leaks(attacked, share, rng, is_missed=is_missed), hide, records)


def own_corpora(hospital: Hospital, notes: Sequence[GoldNote]) -> list[Corpus]:
    """Return the notes as someone with this package publishes them under keys of their own."""
    keys = [hashlib.sha256(b"own %d" % number).digest() for number in range(_OWN_KEYS)]
    return [publish_hospital(hospital, notes, 0.0, key, is_missed=False, rng=random.Random(0)) for key in keys]


def main() -> None:
    """Run each attack on each kind of leak under each seed."""
    parser = parser_of(__doc__)
    parser.add_argument("--world", type=World, choices=list(World), default=World.DEV)
    parser.add_argument("--notes", type=int, default=300, help="published notes, 200 or more")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--share", type=float, default=0.02, help="share of identifiers that leak")
    arguments = parser.parse_args()
    notes = arguments.notes
    spec = HospitalSpec("parrot", arguments.world, seed=1, patients=150, providers=40, notes=notes)
    hospital = build_hospital(spec)
    written = list(write_notes(hospital))
    elsewhere = build_hospital(HospitalSpec("elsewhere", World.TRAIN, seed=2, patients=150, providers=40, notes=notes))
    attacks: dict[str, Attack] = {
        "guess": guess,
        "parrot": parrot,
        "source": source_attack(own_corpora(elsewhere, list(write_notes(elsewhere)))),
    }
    with results("parrot", "The parrot attack", arguments) as out:
        columns = {"leaks": ",d", "surrogates": ",d", "found among as many suspects": ",d", "share": ".0%"}
        columns |= {"false alarms at 68 %": ",d", "area": ".3f", "area low": ".3f", "area high": ".3f"}
        out.table("Attacks", {"leaks are": "", "seed": "d", "attack": "", **columns})
        for kind, is_missed in (("any identifier", False), ("missed by patterns", True)):
            for seed in range(arguments.seeds):
                key = hashlib.sha256(b"key %d" % seed).digest()
                rng = random.Random(seed)
                corpus = publish_hospital(hospital, written, arguments.share, key, is_missed=is_missed, rng=rng)
                for name, attack in attacks.items():
                    found = judge(corpus, attack(corpus, random.Random(seed)), random.Random(seed))
                    share = found.found / max(1, found.leaks)
                    counts = found.leaks, found.surrogates, found.found, share, found.false_alarms_at_68
                    out.add(kind, seed, name, *counts, found.area, *found.interval)


if __name__ == "__main__":
    main()
