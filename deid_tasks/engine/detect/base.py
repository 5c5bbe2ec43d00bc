"""The protocol of every detector."""

from collections.abc import Sequence
from typing import Protocol

from deid_tasks.core.span import Span
from deid_tasks.engine.text import Document


class Detector(Protocol):
    """Reads notes and returns spans.

    A detector is built once per worker from settings and artefacts. It keeps no state of the notes that it reads, and
    gives a note the same spans whatever batch it comes in.
    """

    name: str
    """Decides the priority of its spans in merging, and names them in results."""

    def detect(self, documents: Sequence[Document]) -> list[list[Span]]:
        """Return the spans of each document, in the order given; spans of one document may overlap."""
        ...
