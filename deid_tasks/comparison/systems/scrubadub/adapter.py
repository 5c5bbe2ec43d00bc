"""scrubadub with the detectors that it loads by default: it finds contact data and numbers, not names."""

from collections.abc import Mapping, Sequence
from typing import Any

import scrubadub

from deid_tasks.comparison.protocol import SystemNote, SystemSpan, checked_options, serve


class ScrubadubSystem:
    """scrubadub's scrubber. Options: ``locale``."""

    name = "scrubadub"
    window = 1

    def __init__(self, options: Mapping[str, Any]) -> None:
        checked_options(options, "locale")
        self._scrubber = scrubadub.Scrubber(locale=str(options.get("locale", "en_US")))
        self.version = str(scrubadub.__version__)
        self.find(SystemNote("", "Seen by Dr. Maria Okafor on 3/14/2021, tel 617-555-0123."))

    def find(self, note: SystemNote) -> Sequence[SystemSpan]:
        """Return what the detectors find."""
        spans = []
        for filth in self._scrubber.iter_filth(note.text):
            # Two that overlap come back as one, with the types of both.
            labels = {one.type for one in getattr(filth, "filths", None) or [filth]}
            spans.append(SystemSpan(filth.beg, filth.end, min(labels)))
        return spans


if __name__ == "__main__":
    serve(ScrubadubSystem)
