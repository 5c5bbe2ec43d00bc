"""Which gold notes a model was trained on: they say nothing of how well it reads, and no evaluation counts them."""

import hashlib
import json
from collections.abc import Iterable
from typing import Any, NamedTuple

from deid_tasks.core.errors import ModelError
from deid_tasks.settings import InstitutionSettings

TRAINED_ON = "trained_on"
"""The key of a model's ``config.json`` (section ``palimpsest``)."""


class Split(NamedTuple):
    """How an institution's patients were divided: a function of the patient alone, the same for every gold set to come."""

    institution: str
    held_out: float
    """Share of the patients that no training saw."""
    salt: str

    def is_held_out(self, patient_id: str, note_id: str) -> bool:
        """Whether no training saw the patient; a note without a patient stands for itself."""
        name = f"{self.salt}/{patient_id or f'note {note_id}'}"
        place = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8]) / 2**64
        return place < self.held_out

    def document(self) -> dict[str, Any]:
        """For ``config.json``; it names no patient."""
        return self._asdict()


def training_split(settings: InstitutionSettings) -> Split:
    """The split that trainings on the institution's gold notes make."""
    name = settings.institution
    return Split(name, settings.training.held_out, f"palimpsest/{name}")


def model_splits(settings: InstitutionSettings) -> tuple[Split, ...]:
    """The splits that the models of an institution's settings were trained with.

    Raises:
        ModelError: a model is missing, or its configuration is none.
    """
    if "transformer" not in settings.detect.detectors:
        return ()
    from deid_tasks.engine.detect.model_files import CONFIG, find_model

    splits = []
    for name in sorted(set(_model_names(settings.detect.model_dump()["transformers"]))):
        path = find_model(name) / CONFIG
        try:
            content = json.loads(path.read_text(encoding="utf-8")).get("palimpsest", {}).get(TRAINED_ON)
            if content is not None:
                splits.append(Split(**content))
        except (OSError, ValueError, AttributeError, TypeError):
            raise ModelError(f"{path}: what the model was trained on cannot be read") from None
    return tuple(split for split in splits if split.institution == settings.institution)


def is_unseen_by_models(splits: Iterable[Split], patient_id: str, note_id: str) -> bool:
    """Whether no model saw the patient of a gold note."""
    return all(split.is_held_out(patient_id, note_id) for split in splits)


def _model_names(models: Any) -> list[str]:
    """The models of a section of settings, those inside others too."""
    names = []
    for model in models:
        if isinstance(model, dict):
            names.append(str(model["model"]))
            names += _model_names(other for other in model.values() if isinstance(other, dict) and "model" in other)
    return names
