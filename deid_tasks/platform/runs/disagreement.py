"""Notes on which the parts of an engine differ: where people find what a model gets wrong with the fewest words read."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import islice

from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.core.entities import Entity
from deid_tasks.core.errors import SettingsError, WarehouseError
from deid_tasks.engine.engine import Context, Engine
from deid_tasks.engine.merge.votes import is_neural
from deid_tasks.engine.pipeline import find
from deid_tasks.engine.resolve import SpansByDetector
from deid_tasks.engine.text.word_labels import mark_words, split_words
from deid_tasks.platform.runs.ablation import alone
from deid_tasks.platform.runs.batches import batched
from deid_tasks.platform.runs.patient_split import training_split
from deid_tasks.platform.warehouse import read_patients
from deid_tasks.platform.warehouse.sample import SampleDraw
from deid_tasks.settings import DetectSettings, InstitutionSettings, SamplingSettings

_BATCH_NOTES = 100
_OPENING = 100
"""Words that an annotator could have read in the time that opening a note takes."""


@dataclass(frozen=True)
class Committee:
    """An engine whose models also read without their second opinions, and what each model looks for."""

    engine: Engine
    models: Mapping[str, frozenset[str]]

    @classmethod
    def of(cls, engine: Engine, detect: DetectSettings) -> "Committee":
        """The committee of an engine that was built with ``detect``.

        Raises:
            SettingsError: there is no model, so that nobody could differ.
        """
        models = {}
        detectors = list(engine.detectors)
        neural = [detector for detector in engine.detectors if is_neural(detector.name)]
        if not neural:
            raise SettingsError("sampling: a disagreement sample needs `transformer` among detect.detectors")
        for detector, chosen in zip(neural, detect.transformers, strict=True):
            by_itself = alone(detector)
            detectors += [by_itself] if by_itself else []
            for one in filter(None, (detector, by_itself)):
                models[one.name] = frozenset(map(str, chosen.entities or Entity))
        return cls(replace(engine, detectors=tuple(detectors)), models)

    def score(self, text: str, found: SpansByDetector) -> float:
        """Disputed words for every 100 that an annotator reads, opening the note counted as reading.

        In total the longest notes would win and by word those of one line; this is what an hour of annotation finds. A word is disputed
        where some part marks it and a model that looks for such identifiers does not; lists and patterns are not asked about what
        a model marks, which they could not know. A word that comes again in the note is the same question.
        """
        words = split_words(text)
        marks = {name: mark_words(words, spans) for name, spans in found.items()}
        asked = {
            text[words[place].start : words[place].end].casefold()
            for marked in marks.values()
            for place, entity in marked.items()
            if any(entity in known and place not in marks[model] for model, known in self.models.items())
        }
        return 100 * len(asked) / (len(words) + _OPENING)


def most_disagreeing_notes(
    draw: SampleDraw,
    connection: Connection,
    settings: InstitutionSettings,
    chosen: SamplingSettings,
    committee: Committee,
) -> list[str]:
    """Ids of the most disputed notes of a random pool, the most disputed first, one of each patient.

    Patients whom no training may see are left out, since nothing would be learned from their notes.

    Raises:
        WarehouseError: no note is left to read, or nothing in those read is disputed.
    """
    split = training_split(settings)
    free = ((note, patient) for note, patient in draw.unsampled(chosen.seed) if not split.is_held_out(patient, note))
    pool = dict(islice(free, chosen.disagreement_pool))
    scores: dict[str, float] = {}
    for batch in batched(draw.texts(list(pool)), _BATCH_NOTES):
        patients = read_patients(connection, settings, (d.patient_id for d in batch if d.patient_id))
        for document, found in zip(batch, find(batch, Context(committee.engine, patients)), strict=True):
            scores[document.note_id] = committee.score(document.text, found)
    best: dict[str, str] = {}
    # The sort is stable: of equals, the one that the seed drew first.
    for note in sorted(pool, key=lambda note: -scores[note]):
        if scores[note]:
            best.setdefault(pool[note] or f"note {note}", note)
    if not best:
        raise WarehouseError(
            f"{settings.institution}: no disputed sample: detectors differ on none of {len(pool)} notes that no sample holds yet;"
            " read more (sampling.disagreement_pool) or draw none (sampling.disagreement_size: 0)"
        )
    return list(best.values())[: chosen.disagreement_size]
