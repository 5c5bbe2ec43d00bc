"""Words a second that surrogates are put into on one core, over simulated notes with their gold spans.

python benchmarks/obfuscate.py --notes 1500 --world dev
"""

import resource
import time
from typing import Annotated

import typer

from benchmarks.support.corpora import record_of
from deid_tasks.engine.obfuscate import Obfuscator
from deid_tasks.engine.text import Document
from deid_tasks.hospital import build_hospital, write_notes
from deid_tasks.hospital.records import HospitalSpec, World
from deid_tasks.settings import ObfuscateSettings, PolicySettings


def main(
    world: World = World.DEV,
    notes: Annotated[int, typer.Option(min=1)] = 1_500,
    patients: Annotated[int, typer.Option(min=1)] = 1_000,
    repeats: Annotated[int, typer.Option(min=1)] = 7,
) -> None:
    """Print what reading the reference lists costs, and the best of several runs, each with a new obfuscator that remembers nothing."""
    hospital = build_hospital(HospitalSpec("benchmark", world, patients=patients, notes=notes))
    records = {patient.patient_id: record_of(patient) for patient in hospital.patients}
    written = [(note, Document(note.note_id, note.text, note.patient_id)) for note in write_notes(hospital)]
    times = []
    for _ in range(repeats + 1):
        obfuscator = Obfuscator(bytes(32), "benchmark", PolicySettings(), ObfuscateSettings(key="key"))
        started = time.process_time()
        for note, document in written:
            obfuscator.obfuscate(document, note.spans, records[note.patient_id], note.note_datetime)
        times.append(time.process_time() - started)
    best = min(times[1:])
    words = sum(len(note.text.split()) for note, _ in written)
    spans = sum(len(note.spans) for note, _ in written)
    typer.echo(f"{len(written):,} notes, {words:,} words, {spans:,} identifiers ({words / spans:.1f} words each)")
    typer.echo(f"{words / best:,.0f} words/s on one core; {best / spans * 1e6:.1f} µs an identifier")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    typer.echo(
        f"first run, which reads the reference lists: {words / times[0]:,.0f} words/s; peak memory {peak:,.0f} MiB"
    )


if __name__ == "__main__":
    typer.run(main)
