"""Outputs of another tool, as a system of a comparison."""

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

from deid_tasks.comparison.imports.note_outputs import OUTPUT_READERS
from deid_tasks.comparison.protocol import SystemNote, SystemSpan
from deid_tasks.core.errors import InputError


class ImportedOutputs:
    """What another tool wrote in files. Option ``source``: ``FORMAT:FOLDER``, or one file."""

    name = "files"
    window = 1

    def __init__(self, options: Mapping[str, Any]) -> None:
        """Read all files; raises ``InputError`` if one cannot be read, or there is none."""
        source = str(options.get("source", ""))
        form, _, folder = source.partition(":")
        if form not in OUTPUT_READERS or not folder:
            raise InputError(f"{source!r}: write files:FORMAT:FOLDER; formats are {', '.join(OUTPUT_READERS)}")
        path = Path(folder)
        self._outputs = OUTPUT_READERS[form](path)
        if not self._outputs:
            raise InputError(f"{path}: holds no output of the format {form}")
        self.version = f"{form} {path.name} {_digest_of(path)[:12]}"

    def find(self, note: SystemNote) -> Sequence[SystemSpan]:
        """Return the spans that the tool wrote about a note; raises ``InputError`` if it wrote nothing about it."""
        output = self._outputs.get(note.id)
        if output is None:
            raise InputError("there is no output for this note")
        return output.spans_in(note.text)


def _digest_of(source: Path) -> str:
    """Return a hash of all files, so that other outputs are another version."""
    digest = blake2b(digest_size=16)
    for path in [source] if source.is_file() else sorted(one for one in source.rglob("*") if one.is_file()):
        digest.update(path.name.encode("utf-8", "surrogateescape") + b"\0" + path.read_bytes())
    return digest.hexdigest()
