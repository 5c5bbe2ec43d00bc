"""The clock between the stages changes nothing, and what it prints adds up."""

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from deid_tasks.bench import Bench
from deid_tasks.cli.bench import report
from deid_tasks.core.notes import note_batch
from deid_tasks.core.patient import PatientRecord, PatientTerm, TermKind
from deid_tasks.core.span import Span
from deid_tasks.engine.build import build_engine
from deid_tasks.engine.parts import BatchContext, EngineParts
from deid_tasks.engine.pipeline import deidentify
from deid_tasks.engine.text import Document
from deid_tasks.settings import EngineSettings
from tests.support.small_notes import small_notes


@pytest.fixture(scope="module")
def engine() -> EngineParts:
    settings = EngineSettings.public()
    only_patterns = settings.model_copy(
        update={"detect": settings.detect.model_copy(update={"detectors": ("patterns", "patient")})}
    )
    return build_engine(only_patterns, bytes(32))


class Counting:
    """A detector that counts as the neural pass does."""

    name = "counting"

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter(sentences=1_000, distinct=1_000)

    def detect(self, documents: Sequence[Document]) -> list[list[Span]]:
        self.counts.update(sentences=10, distinct=8, included=2, included_sentences=3, cached=3, read=3)
        return [[] for _ in documents]


def notes() -> pa.RecordBatch:
    return note_batch(
        {"note_id": note.note_id, "text": note.text, "patient_id": note.patient_id} for note in small_notes(12)
    )


def without_times(result: pa.RecordBatch) -> list[dict[str, object]]:
    return result.drop_columns(["milliseconds"]).to_pylist()


def test_finds_what_the_pipeline_finds_and_times_every_stage(engine: EngineParts) -> None:
    patient = small_notes(12)[0].patient_id
    record = PatientRecord(patient, terms=(PatientTerm(TermKind.LAST, "Okafor"),))
    context = BatchContext(engine, {patient: record})
    bench = Bench()
    assert without_times(bench.run(notes(), context)) == without_times(deidentify(notes(), context))
    measured = bench.result()
    assert [stage.name for stage in measured.stages] == [
        "tokens", "sentences", "patterns", "patient", "merge", "recover", "obfuscate", "second_search", "audit", "count",
    ]  # fmt: skip
    assert measured.amounts["notes"] == 12
    assert measured.amounts["distinct"] <= measured.amounts["sentences"]
    assert sum(stage["share"] for stage in report(measured, {})["stages"]) == pytest.approx(1)


def test_hit_rates_are_of_this_run_alone(engine: EngineParts) -> None:
    detector = Counting()
    bench = Bench()
    for _ in range(2):
        bench.run(notes(), BatchContext(replace(engine, detectors=(detector,))), detect_only=True)
    hits = report(bench.result(), {})["hits"]["counting"]
    assert hits == pytest.approx(
        {"repeats": 0.2, "inclusion": 0.25, "inclusion_of_all_sentences": 0.3, "cache": 0.5, "read": 0.3}
    )


def test_command_reads_a_file_and_says_which_line_is_bad(tmp_path: Path) -> None:
    notes, figures = tmp_path / "notes.jsonl", tmp_path / "figures.json"
    notes.write_text(json.dumps({"id": "1", "text": "Seen by Dr. Okafor on 3/14/2021.\nStable."}) + "\nnonsense\n")
    command = [sys.executable, "-m", "deid_tasks.cli", "bench", str(notes), "--json", str(figures)]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, "OMP_NUM_THREADS": "1"}
    )
    assert done.returncode == 1, done.stderr
    assert "notes.jsonl:2" in done.stderr
    assert "Okafor" not in done.stdout + done.stderr + figures.read_text()
    found = json.loads(figures.read_text())
    assert found["amounts"]["notes"] == 1
    assert {"patterns", "transformer", "merge", "recover"} <= {stage["stage"] for stage in found["stages"]}
    assert 0 < found["neural"]["share_of_int8_peak"] < 2
    assert "int8 peak" in " ".join(done.stdout.split())
