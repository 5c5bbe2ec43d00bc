"""A hash of what the engine finds and writes, to hold its behaviour still while code is changed.

    python -m benchmarks.golden GOLDEN.jsonl           # before a change: writes the reference, 2 minutes of one core
    python -m benchmarks.golden GOLDEN.jsonl --check   # after it: exit status 1 where a note comes out differently

Three engines read invented notes: an institution's engine with dictionaries from a private warehouse reads notes of a
simulated hospital; the engine on public resources alone reads some of the same notes, and the external notes. Each line
of the file is the outcome of one note: its spans, its surrogates and its counts, without times. The notes are invented,
so the file holds no PHI.
"""

import argparse
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from benchmarks.support.external_notes import SETS, external_notes
from benchmarks.support.institution import institution
from deid_tasks.core.notes import NOTE_SCHEMA
from deid_tasks.core.patient import PatientRecord
from deid_tasks.engine.parts import BatchContext, EngineParts
from deid_tasks.engine.pipeline import deidentify

_BATCH = 100
_VARIABLE = ("milliseconds", "error")
"""Columns that may change from run to run, or with the code alone."""


def outcomes(notes: int, seed: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the engine and the outcome of each note."""
    with institution(notes, 3 * notes, seed, harvested=True) as site:
        simulated = [
            {
                "note_id": note.note_id,
                "patient_id": note.patient_id,
                "note_type": note.note_type,
                "note_datetime": note.note_datetime,
                "author_id": note.author_id,
                "text": note.text,
            }
            for note in site.notes
        ]
        public = site.engine.without_dictionaries()
        yield from _read("institution", simulated, site.engine, site.records)
        yield from _read("public", simulated[: notes // 3], public, {})
        external = [{"note_id": note.note_id, "text": note.text} for name in SETS for note in external_notes(name)]
        yield from _read("external", external, public, {})


def _read(
    name: str, notes: Sequence[Mapping[str, Any]], engine: EngineParts, patients: Mapping[str, PatientRecord]
) -> Iterator[tuple[str, dict[str, Any]]]:
    context = BatchContext(engine, patients)
    for first in range(0, len(notes), _BATCH):
        rows = [dict.fromkeys(NOTE_SCHEMA.names) | dict(note) for note in notes[first : first + _BATCH]]
        for row in deidentify(pa.RecordBatch.from_pylist(rows, schema=NOTE_SCHEMA), context).to_pylist():
            yield name, {key: value for key, value in row.items() if key not in _VARIABLE}


def main() -> int:
    """Write the file, or compare with it and print the notes that differ."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--check", action="store_true", help="compare with the file instead of writing it")
    parser.add_argument("--notes", type=int, default=500, help="simulated notes")
    parser.add_argument("--seed", type=int, default=41)
    arguments = parser.parse_args()
    lines = [
        json.dumps([engine, outcome], sort_keys=True, default=str, ensure_ascii=True)
        for engine, outcome in outcomes(arguments.notes, arguments.seed)
    ]
    print(f"{len(lines)} notes, {hashlib.sha256(chr(10).join(lines).encode()).hexdigest()}")
    if not arguments.check:
        arguments.file.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return 0
    reference = arguments.file.read_text(encoding="utf-8").splitlines()
    differing = [(old, new) for old, new in zip(reference, lines, strict=False) if old != new]
    for old, new in differing:
        (engine, before), (_, after) = json.loads(old), json.loads(new)
        fields = [key for key in {**before, **after} if before.get(key) != after.get(key)]
        print(f"{engine} engine, note {after['note_id']}: {', '.join(sorted(fields))} differ")
    is_identical = not differing and len(reference) == len(lines)
    print("identical" if is_identical else f"{len(differing)} of {len(reference)} notes differ")
    return 0 if is_identical else 1


if __name__ == "__main__":
    raise SystemExit(main())
