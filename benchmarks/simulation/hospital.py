"""How fast the simulated hospital writes, how long its notes are and how often its sentences repeat.

python benchmarks/hospital.py --notes 50000 --world train
"""

import time
from collections import Counter
from typing import Annotated

import typer

from deid_tasks.engine.text import split_sentences
from deid_tasks.hospital import build_hospital, write_notes
from deid_tasks.hospital.records import HospitalSpec, World


def main(
    world: World = World.TRAIN,
    notes: Annotated[int, typer.Option(min=1)] = 50_000,
    patients: Annotated[int, typer.Option(min=1)] = 10_000,
) -> None:
    """Print the figures of one run on one core."""
    started = time.perf_counter()
    hospital = build_hospital(HospitalSpec("benchmark", world, patients=patients, providers=300, notes=notes))
    built = time.perf_counter()
    words = spans = 0
    for note in write_notes(hospital):
        words += len(note.text.split())
        spans += len(note.spans)
    written = time.perf_counter()
    typer.echo(f"{world}: {len(hospital.patients):,} patients built in {built - started:.1f} s")
    typer.echo(f"{notes:,} notes in {written - built:.1f} s: {notes / (written - built):,.0f} notes/s on one core")
    typer.echo(f"{words / notes:.0f} words and {spans / notes:.1f} identifiers a note")

    copies: Counter[str] = Counter()
    for note in write_notes(hospital):
        copies.update(note.text[start:end] for start, end in split_sentences(note.text))
    total, seen, commonest = copies.total(), 0, 0
    for count in sorted(copies.values(), reverse=True):
        seen, commonest = seen + count, commonest + 1
        if seen * 3 >= total:
            break
    typer.echo(f"{total:,} sentences, {len(copies):,} distinct: {total / len(copies):.1f} copies of each on average")
    typer.echo(f"the {commonest:,} commonest ({commonest / len(copies):.2%} of the distinct) are a third of all")


if __name__ == "__main__":
    typer.run(main)
