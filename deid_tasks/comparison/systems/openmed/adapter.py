"""The rules of OpenMed: clinical identifiers by their context, and the patterns of its safety sweep.

OpenMed's models are downloaded at run time and are not used. To compare one of them, use ``hf:PATH``.
"""

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

from openmed.core.clinical_identifiers import detect_clinical_identifiers
from openmed.core.safety_sweep import safety_sweep

from deid_tasks.comparison.protocol import SystemNote, SystemSpan, checked_options, serve


class OpenMedSystem:
    """OpenMed without a model. No options."""

    name = "openmed"
    window = 1

    def __init__(self, options: Mapping[str, Any]) -> None:
        checked_options(options)
        self.version = f"{version('openmed')} rules"
        self.find(SystemNote("", "Seen by Dr. Maria Okafor on 3/14/2021, tel 617-555-0123."))

    def find(self, note: SystemNote) -> Sequence[SystemSpan]:
        """Return the identifiers by context, and then what the sweep adds."""
        found = safety_sweep(note.text, detect_clinical_identifiers(note.text, language="en"))
        return [SystemSpan(one.start, one.end, one.label, one.confidence) for one in found]


if __name__ == "__main__":
    serve(OpenMedSystem)
