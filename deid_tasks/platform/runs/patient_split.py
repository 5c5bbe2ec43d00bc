"""Which patients a model was trained on: no evaluation counts their gold notes, which say little about other notes."""

import hashlib
import json
from collections.abc import Iterable
from typing import Any, NamedTuple

from deid_tasks.core.detectors import DetectorName
from deid_tasks.core.errors import ModelError
from deid_tasks.settings import InstitutionSettings

TRAINED_ON = "trained_on"
"""Key of the split in a model's ``config.json``, section ``palimpsest``."""


class PatientSplit(NamedTuple):
    """How an institution's patients are divided: by the patient alone, so that later gold sets are divided alike."""

    institution: str
    held_out: float
    """Share of the patients that no training saw, from 0 to 1."""
    salt: str

    def is_held_out(self, patient_id: str, note_id: str) -> bool:
        """Whether no training saw the patient. A note without a patient counts as a patient of its own."""
        name = f"{self.salt}/{patient_id or f'note {note_id}'}"
        position = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8]) / 2**64
        return position < self.held_out

    def document(self) -> dict[str, Any]:
        """Return the content for ``config.json``; it names no patient."""
        return self._asdict()


def training_split(settings: InstitutionSettings) -> PatientSplit:
    """Return the split of trainings on the institution's gold notes."""
    name = settings.institution
    return PatientSplit(name, settings.training.held_out, f"palimpsest/{name}")


def model_splits(settings: InstitutionSettings) -> tuple[PatientSplit, ...]:
    """Return the splits of this institution with which the models of its settings were trained.

    Raises:
        ModelError: a model is missing, or its configuration cannot be read.
    """
    if DetectorName.TRANSFORMER not in settings.detect.detectors:
        return ()
    from deid_tasks.engine.detect.model_files import CONFIG, find_model

    splits = []
    for name in sorted(set(_model_names(settings.detect.model_dump()["transformers"]))):
        path = find_model(name) / CONFIG
        try:
            content = json.loads(path.read_text(encoding="utf-8")).get("palimpsest", {}).get(TRAINED_ON)
            if content is not None:
                splits.append(PatientSplit(**content))
        except (OSError, ValueError, AttributeError, TypeError):
            raise ModelError(
                f"{path}: what the model was trained on cannot be read; restore the model's folder, or train it again"
            ) from None
    return tuple(split for split in splits if split.institution == settings.institution)


def is_unseen_by_models(splits: Iterable[PatientSplit], patient_id: str, note_id: str) -> bool:
    """Whether no model saw the patient of a gold note."""
    return all(split.is_held_out(patient_id, note_id) for split in splits)


def _model_names(models: Any) -> list[str]:
    """Return the models of a section of settings, also those nested inside others."""
    names = []
    for model in models:
        if isinstance(model, dict):
            names.append(str(model["model"]))
            names += _model_names(other for other in model.values() if isinstance(other, dict) and "model" in other)
    return names
