"""This platform's engine with the resources that it ships: no institution's dictionaries, no patient records."""

from collections.abc import Mapping, Sequence
from typing import Any

from deid_tasks import __version__
from deid_tasks.comparison.protocol import SystemNote, SystemSpan, checked_options, serve
from deid_tasks.engine.build import build_engine
from deid_tasks.engine.parts import BatchContext
from deid_tasks.engine.pipeline import find_identifiers
from deid_tasks.engine.text import Document
from deid_tasks.settings import EngineSettings


class PublicEngineSystem:
    """The public engine, one note at a time.

    Options: ``models`` (``false`` leaves the neural networks out).
    """

    name = "palimpsest"
    window = 1

    def __init__(self, options: Mapping[str, Any]) -> None:
        checked_options(options, "models")
        settings = EngineSettings.public()
        if str(options.get("models", "true")).lower() == "false":
            rules = settings.detect.model_copy(update={"detectors": ("patterns",)})
            settings = settings.model_copy(update={"detect": rules})
        engine = build_engine(settings)
        self._context = BatchContext(engine)
        self.version = f"{__version__} {engine.fingerprint[:12]}"
        self.find(SystemNote("", "Seen by Dr. Maria Okafor on 3/14/2021, tel 617-555-0123."))

    def find(self, note: SystemNote) -> Sequence[SystemSpan]:
        """Return the engine's final spans."""
        (found,) = find_identifiers([Document(note.id, note.text)], self._context)
        return [SystemSpan(span.start, span.end, str(span.entity), span.score) for span in found.spans]


if __name__ == "__main__":
    serve(PublicEngineSystem)
