"""The notes on which an engine's detectors differ most.

Annotating them finds a model's errors with the fewest words read (query by committee, a form of active learning).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import islice

from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.core.detectors import is_neural
from deid_tasks.core.entities import Entity
from deid_tasks.core.errors import SettingsError, WarehouseError
from deid_tasks.engine.parts import BatchContext, EngineParts
from deid_tasks.engine.pipeline import run_detectors
from deid_tasks.engine.resolve import SpansByDetector
from deid_tasks.engine.text.word_labels import mark_words, split_words
from deid_tasks.platform.runs.ablation import first_stage_of
from deid_tasks.platform.runs.batches import batched
from deid_tasks.platform.runs.patient_split import training_split
from deid_tasks.platform.warehouse import read_patients
from deid_tasks.platform.warehouse.sample import SampleDraw
from deid_tasks.settings import DetectSettings, InstitutionSettings, SamplingSettings

_BATCH_NOTES = 100
_OPENING_WORDS = 100
"""Words that an annotator could read in the time that opening a note takes."""


@dataclass(frozen=True)
class Committee:
    """An engine whose models also read without their second stage, and the entities that each model looks for."""

    engine: EngineParts
    models: Mapping[str, frozenset[str]]

    @classmethod
    def of(cls, engine: EngineParts, detect: DetectSettings) -> "Committee":
        """Return the committee of an engine that was built with ``detect``.

        Raises:
            SettingsError: the engine has no model that could differ.
        """
        models = {}
        detectors = list(engine.detectors)
        neural = [detector for detector in engine.detectors if is_neural(detector.name)]
        if not neural:
            raise SettingsError(
                "sampling: a disagreement sample needs `transformer` among detect.detectors; add it, or set"
                " sampling.disagreement_size to 0"
            )
        for detector, chosen in zip(neural, detect.transformers, strict=True):
            first_stage = first_stage_of(detector)
            detectors += [first_stage] if first_stage else []
            for one in filter(None, (detector, first_stage)):
                models[one.name] = frozenset(map(str, chosen.entities or Entity))
        return cls(replace(engine, detectors=tuple(detectors)), models)

    def score(self, text: str, found: SpansByDetector) -> float:
        """Return the words on which detectors differ, for every 100 words that an annotator reads.

        Opening a note counts as reading ``_OPENING_WORDS`` words. Without it the shortest notes would score highest,
        and with the number of words alone the longest. Detectors differ on a word where one of them marks it and a
        model that looks for such entities does not. What a model marks and a pattern or a list does not is no
        disagreement, because patterns and lists find only what they know. A word that is repeated in the note counts
        once.

        Args:
            text: The note's text.
            found: The spans of each detector in it.
        """
        words = split_words(text)
        marks = {name: mark_words(words, spans) for name, spans in found.items()}
        differing = {
            text[words[index].start : words[index].end].casefold()
            for marked in marks.values()
            for index, entity in marked.items()
            if any(entity in known and index not in marks[model] for model, known in self.models.items())
        }
        return 100 * len(differing) / (len(words) + _OPENING_WORDS)


def most_disagreeing_notes(
    draw: SampleDraw,
    connection: Connection,
    settings: InstitutionSettings,
    chosen: SamplingSettings,
    committee: Committee,
) -> list[str]:
    """Return the ids of the notes of a random pool on which detectors differ most, the highest score first.

    At most one note of a patient is returned. Held-out patients are left out, because no training may read their notes.

    Args:
        draw: The draw from the warehouse's notes.
        connection: To the warehouse, for the patients' records.
        settings: The institution.
        chosen: Size of the sample and of the pool, and the seed.
        committee: The detectors that read the pool.

    Raises:
        WarehouseError: no note is left to read, or the detectors agree on all notes that were read.
    """
    split = training_split(settings)
    free = ((note, patient) for note, patient in draw.unsampled(chosen.seed) if not split.is_held_out(patient, note))
    pool = dict(islice(free, chosen.disagreement_pool))
    scores: dict[str, float] = {}
    for batch in batched(draw.texts(list(pool)), _BATCH_NOTES):
        patients = read_patients(connection, settings, (d.patient_id for d in batch if d.patient_id))
        for document, found in zip(batch, run_detectors(batch, BatchContext(committee.engine, patients)), strict=True):
            scores[document.note_id] = committee.score(document.text, found)
    best: dict[str, str] = {}
    # The sort is stable: among equal scores, the note that the seed drew first comes first.
    for note in sorted(pool, key=lambda note: -scores[note]):
        if scores[note]:
            best.setdefault(pool[note] or f"note {note}", note)
    if not best:
        raise WarehouseError(
            f"{settings.institution}: no disagreement sample: detectors differ on none of {len(pool)} notes that no"
            " sample holds yet; increase sampling.disagreement_pool, or set sampling.disagreement_size to 0"
        )
    return list(best.values())[: chosen.disagreement_size]
