"""Any spaCy pipeline with a recognizer of entities, by the name of its package or the path of its folder."""

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import spacy

from deid_tasks.comparison.protocol import SystemNote, SystemSpan, checked_options, serve


class SpacySystem:
    """A spaCy pipeline. Options: ``model``."""

    name = "spacy"
    window = 1

    def __init__(self, options: Mapping[str, Any]) -> None:
        checked_options(options, "model")
        model = str(options["model"])
        self._pipeline = spacy.load(model)
        about = self._pipeline.meta
        self.version = f"{version('spacy')} {Path(model).name} {about.get('version', '')}".strip()
        self.find(SystemNote("", "Seen by Dr. Maria Okafor on 3/14/2021, tel 617-555-0123."))

    def find(self, note: SystemNote) -> Sequence[SystemSpan]:
        """Return the entities of the pipeline."""
        return [SystemSpan(one.start_char, one.end_char, one.label_) for one in self._pipeline(note.text).ents]


if __name__ == "__main__":
    serve(SpacySystem)
