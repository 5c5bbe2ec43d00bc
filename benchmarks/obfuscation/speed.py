"""Speed of the obfuscator on simulated notes with their gold spans: words per second of one core.

    python -m benchmarks.obfuscation.speed --notes 1500 --world dev    # about 1 minute of one core

The best of several runs counts; each has a new obfuscator without memos. The first run also reads the reference lists.
"""

import resource
import time

from benchmarks.support.corpora import record_of
from benchmarks.support.results import parser_of, results
from deid_tasks.engine.obfuscate import Obfuscator
from deid_tasks.engine.text import Document
from deid_tasks.hospital import build_hospital, write_notes
from deid_tasks.hospital.records import HospitalSpec, World
from deid_tasks.settings import ObfuscateSettings, PolicySettings


def main() -> None:
    """Run the benchmark."""
    parser = parser_of(__doc__)
    parser.add_argument("--world", type=World, choices=list(World), default=World.DEV)
    parser.add_argument("--notes", type=int, default=1_500)
    parser.add_argument("--patients", type=int, default=1_000)
    parser.add_argument("--repeats", type=int, default=7)
    arguments = parser.parse_args()
    spec = HospitalSpec("benchmark", arguments.world, patients=arguments.patients, notes=arguments.notes)
    hospital = build_hospital(spec)
    records = {patient.patient_id: record_of(patient) for patient in hospital.patients}
    written = [(note, Document(note.note_id, note.text, note.patient_id)) for note in write_notes(hospital)]
    seconds = []
    for _ in range(arguments.repeats + 1):
        obfuscator = Obfuscator(bytes(32), "benchmark", PolicySettings(), ObfuscateSettings(key="key"))
        began = time.process_time()
        for note, document in written:
            obfuscator.obfuscate(document, note.spans, records[note.patient_id], note.note_datetime)
        seconds.append(time.process_time() - began)
    words = sum(len(note.text.split()) for note, _ in written)
    spans = sum(len(note.spans) for note, _ in written)
    best = min(seconds[1:])
    with results("obfuscation-speed", "Speed of the obfuscator", arguments) as out:
        columns = {"notes": ",d", "words": ",d", "identifiers": ",d", "words per identifier": ".1f"}
        columns |= {"words per core-second": ",.0f", "µs per identifier": ".1f", "the same, first run": ",.0f"}
        out.table(f"{arguments.world} world", columns | {"peak MiB": ",.0f"})
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        per_identifier = best / spans * 1e6
        out.add(len(written), words, spans, words / spans, words / best, per_identifier, words / seconds[0], peak)


if __name__ == "__main__":
    main()
