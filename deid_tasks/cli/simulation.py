"""Finishes an institution's task lists with simulated annotators, for trying the round trip of annotation."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from deid_tasks.core.span import Span
from deid_tasks.evidence.annotation.formats import FORMATS

if TYPE_CHECKING:
    from deid_tasks.settings import InstitutionSettings, Secrets

_BATCH_NOTES = 100


@dataclass(frozen=True, slots=True)
class FinishedList:
    """A task list that a simulated person has finished."""

    person: str
    path: Path
    notes: int


def finish_lists(
    settings: "InstitutionSettings",
    secrets: "Secrets",
    sample_versions: Sequence[str],
    gold: Path | None,
    *,
    from_engine: bool,
    seed: int,
) -> list[FinishedList]:
    """Mark the notes of every task list that has no finished file yet.

    Args:
        settings: Settings of the institution.
        secrets: Secrets of the institution.
        sample_versions: Samples; the newest of each design where none is named.
        gold: JSONL of notes with their identifiers.
        from_engine: Whether the engine's own spans are the identifiers of notes that are not in ``gold``.
        seed: Seed of the mistakes.

    Returns:
        What was finished; notes whose identifiers are unknown are left out.

    Raises:
        InputError: there is no such sample, or ``gold`` cannot be read.
    """
    from deid_tasks.hospital.annotators import ADJUDICATOR, Habits, annotate_tasks
    from deid_tasks.platform.runs.annotation_files import checked_out_sample, person_dir
    from deid_tasks.platform.warehouse import connect
    from deid_tasks.platform.warehouse.annotations import drawn_samples

    with connect(secrets.text(settings.warehouse.connection_of("evidence"))) as connection:
        samples = drawn_samples(connection, settings, sample_versions)
    known = {note.note_id: note.spans for note in FORMATS["jsonl"].read(gold)} if gold else {}
    people = [(person, Habits()) for person in settings.annotation.annotators]
    people.append((settings.annotation.adjudicator, ADJUDICATOR))
    finished = []
    for sample in samples:
        with checked_out_sample(settings, secrets, sample.version):
            folders = {person: person_dir(settings, sample.version, person) for person, _ in people}
            open_lists = {person: _open_lists(folder) for person, folder in folders.items()}
            if not any(open_lists.values()):
                continue
            truth = (_engine_spans(settings, secrets, sample.version) if from_engine else {}) | known
            if from_engine:
                _mark_as_simulated(folders[person] for person, open_ones in open_lists.items() if open_ones)
            for person, habits in people:
                for tasks in open_lists[person]:
                    done = folders[person] / "done"
                    notes = annotate_tasks(tasks, done, truth, person, seed, settings.annotation.format, habits)
                    finished.append(FinishedList(person, done / tasks.name, notes))
    return finished


def _mark_as_simulated(folders: Iterable[Path]) -> None:
    """Write into manifests that no person annotates these lists, so that no certificate rests on them."""
    from deid_tasks.platform.runs.annotation_files import SIMULATED_BY, read_manifest, write_manifest

    for folder in folders:
        manifest = read_manifest(folder)
        if manifest is not None and not manifest.preannotated_by.startswith(SIMULATED_BY):
            write_manifest(folder, replace(manifest, preannotated_by=f"{SIMULATED_BY}the engine"))


def _open_lists(folder: Path) -> list[Path]:
    return [tasks for tasks in sorted(folder.glob("tasks*")) if not (folder / "done" / tasks.name).exists()]


def _engine_spans(
    settings: "InstitutionSettings", secrets: "Secrets", sample_version: str
) -> dict[str, tuple[Span, ...]]:
    """Return the spans that the institution's engine finds in each note of a sample."""
    from deid_tasks.engine.parts import BatchContext
    from deid_tasks.engine.pipeline import find_identifiers
    from deid_tasks.engine.text import Document
    from deid_tasks.platform.runs import load_engine
    from deid_tasks.platform.runs.batches import batched
    from deid_tasks.platform.warehouse import connect, read_patients
    from deid_tasks.platform.warehouse.annotations import read_drawn

    engine = load_engine(settings, secrets)
    uri = secrets.text(settings.warehouse.connection_of("evidence"))
    found: dict[str, tuple[Span, ...]] = {}
    with connect(uri) as reader, connect(uri) as connection:
        for notes in batched(read_drawn(reader, settings, sample_version), _BATCH_NOTES):
            patients = read_patients(connection, settings, (n.patient_id for n in notes if n.patient_id))
            documents = [Document(n.note_id, n.text, n.patient_id, n.note_type) for n in notes]
            for note, detection in zip(notes, find_identifiers(documents, BatchContext(engine, patients)), strict=True):
                found[note.note_id] = detection.spans
    return found
