"""The deid software of PhysioNet (Perl, GPL), from a copy of the user: it is no part of this package.

``deid.pl NAME CONFIG`` reads ``NAME.text``, a file of records, and writes ``NAME.phi`` with the offsets of what it
found. The program loads its lists on each start, and it is started once a note.
"""

import hashlib
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from deid_tasks.comparison.protocol import SystemNote, SystemSpan, checked_options, serve
from deid_tasks.core.errors import InputError
from deid_tasks.evidence.annotation.formats.physionet import PhysioNet

_LABEL = "PHI"
_END = "||||END_OF_RECORD"
_SECONDS = 600


class PhysioNetSystem:
    """deid.pl. Options: ``path`` (the folder with deid.pl, its lists and dictionaries), ``config`` (its configuration
    file, by default ``deid-output.config`` of that folder), ``perl``.
    """

    name = "physionet"
    window = 1

    def __init__(self, options: Mapping[str, Any]) -> None:
        checked_options(options, "path", "config", "perl")
        self._folder = Path(str(options["path"])).resolve()
        script = self._folder / "deid.pl"
        if not script.is_file():
            raise InputError(f"{script}: no such file; give the folder of deid.pl as physionet:FOLDER")
        self._config = self._folder / str(options.get("config", "deid-output.config"))
        if not self._config.is_file():
            raise InputError(f"{self._config}: no such file; name the configuration with --option physionet.config=…")
        self._perl = shutil.which(str(options.get("perl", "perl")))
        if self._perl is None:
            raise InputError("perl is not installed")
        digest = hashlib.sha256(script.read_bytes() + self._config.read_bytes()).hexdigest()
        self.version = f"deid.pl {digest[:12]}"

    def find(self, note: SystemNote) -> Sequence[SystemSpan]:
        """Run the program on a file with one record.

        Raises:
            InputError: The note holds the mark at which a record ends.
            CalledProcessError: The program failed.
        """
        if _END in note.text:
            raise InputError("a note holds the mark at which a record ends")
        with tempfile.TemporaryDirectory() as folder:
            stem = Path(folder) / "note"
            # The program counts bytes: one byte a character keeps its offsets those of the note.
            one_byte = note.text.replace("\r", " ").encode("latin-1", "replace")
            record = b"START_OF_RECORD=1||||1||||\n" + one_byte + b"\n" + _END.encode() + b"\n"
            stem.with_suffix(".text").write_bytes(record)
            command = [str(self._perl), "deid.pl", str(stem), str(self._config)]
            subprocess.run(  # noqa: S603 (the user's own program)
                command, cwd=self._folder, check=True, capture_output=True, timeout=_SECONDS
            )
            return _read(stem, len(note.text))


def _read(stem: Path, length: int) -> list[SystemSpan]:
    """Return the spans of ``.phi`` beside a file of one record; the reader takes UTF-8."""
    text = stem.with_suffix(".text")
    text.write_text(text.read_text(encoding="latin-1"), encoding="utf-8", newline="")
    (found,) = PhysioNet().read(text)
    return [SystemSpan(span.start, min(span.end, length), _LABEL) for span in found.spans if span.start < length]


if __name__ == "__main__":
    serve(PhysioNetSystem)
