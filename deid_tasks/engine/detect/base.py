"""The protocol every detector keeps."""

from collections.abc import Sequence
from typing import Protocol

from deid_tasks.core.span import Span
from deid_tasks.engine.text import Document


class Detector(Protocol):
    """Reads notes, returns spans.

    A detector is built once per worker from settings and artefacts, holds no state of the notes it reads, and gives a
    note the same spans whatever batch it comes in.
    """

    name: str

    def detect(self, documents: Sequence[Document]) -> list[list[Span]]:
        """The spans of each document, in the order given; a document's spans may overlap."""
        ...
