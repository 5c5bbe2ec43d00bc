"""The approved harvest: one frozen version of the inclusion list and of the templates that a person approved, on
disk.
"""

import datetime
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import blake2b, sha256
from pathlib import Path
from typing import Any

from deid_tasks.core.errors import LexiconError
from deid_tasks.core.files import atomic_path, make_folder
from deid_tasks.core.versions import make_newest, newest_version
from deid_tasks.engine.detect.inclusion import InclusionList
from deid_tasks.engine.detect.templates import Template, version_of

FORMAT = 1
_METADATA, _INCLUSION, _TEMPLATES = "metadata.json", "inclusion.bin", "templates.json"


@dataclass(frozen=True)
class ApprovedHarvest:
    """One approved version: keyed hashes of sentences, and templates, whose literal words are free of PHI."""

    inclusion: InclusionList
    templates: tuple[Template, ...] = field(repr=False)
    approved_by: str = ""
    approved_at: str = ""
    harvest: str = ""
    """Name of the harvest that the candidates came from."""

    @property
    def version(self) -> str:
        """Hash of the content; who approved it, and when, does not change it."""
        return sha256(f"{FORMAT} {self.inclusion.version} {version_of(self.templates)}".encode()).hexdigest()

    @classmethod
    def open(cls, folder: Path, key: bytes) -> "ApprovedHarvest | None":
        """Return an approved version; ``None`` where nothing was ever approved.

        Args:
            folder: the folder of one version, or of all versions, of which the newest is opened.
            key: the institution's secret.

        Raises:
            LexiconError: the version is damaged, of another format, or was frozen under another key.
        """
        room = folder
        if not (folder / _METADATA).is_file():
            if not (newest := newest_version(folder)):
                return None
            room = folder / newest
        try:
            metadata = json.loads((room / _METADATA).read_text(encoding="utf-8"))
            documents = json.loads((room / _TEMPLATES).read_text(encoding="utf-8", errors="surrogatepass"))
            templates = tuple(Template.of_document(one) for one in documents)
        except (OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
            raise LexiconError(f"the approved harvest in {folder} is damaged ({type(error).__name__})") from None
        if not isinstance(metadata, dict) or metadata.get("format") != FORMAT:
            raise LexiconError(f"the approved harvest in {folder} is of another format: harvest and approve again")
        if metadata.get("key_check") != _key_check(key):
            raise LexiconError(
                f"the approved harvest in {folder} was frozen under another key: harvest and approve again"
            )
        inclusion = InclusionList.load(room / _INCLUSION, key)
        names = (str(metadata.get(name, "")) for name in ("approved_by", "approved_at", "harvest"))
        found = cls(inclusion, templates, *names)
        if found.version != metadata.get("version"):
            raise LexiconError(f"the approved harvest in {folder} is damaged: its content is not what was approved")
        return found

    def save(self, folder: Path, key: bytes) -> Path:
        """Write the harvest to ``folder/<version>-<time>``, make it the current one, and return its path.

        Readers see all of it or nothing. An approved version stays on disk when a later one is approved.
        """
        make_folder(folder)
        moment = "".join(character for character in self.approved_at if character.isdigit())[:14]
        target = folder / f"{self.version[:16]}-{moment}"
        with atomic_path(target, replace=False) as room:
            room.mkdir()
            self.inclusion.save(room / _INCLUSION)
            documents = [template.document() for template in self.templates]
            (room / _TEMPLATES).write_text(json.dumps(documents), encoding="utf-8", errors="surrogatepass")
            (room / _METADATA).write_text(json.dumps(self.metadata(key), indent=1), encoding="utf-8")
        make_newest(folder, target.name)
        return target

    def metadata(self, key: bytes) -> dict[str, Any]:
        """Return what logs and pages may show of the harvest."""
        return {
            "format": FORMAT,
            "version": self.version,
            "key_check": _key_check(key),
            "harvest": self.harvest,
            "approved_by": self.approved_by,
            "approved_at": self.approved_at,
            "sentences": len(self.inclusion),
            "templates": len(self.templates),
        }


def freeze_harvest(
    folder: Path,
    key: bytes,
    sentences: Sequence[str],
    templates: Sequence[Template],
    approved_by: str,
    approved_at: datetime.datetime,
    harvest: str,
) -> ApprovedHarvest:
    """Freeze what a person approved; engines built later use it.

    Args:
        folder: where approved versions are kept.
        key: the institution's secret, which sentences are hashed with.
        sentences: approved sentences of the inclusion list.
        templates: approved templates.
        approved_by: who approved them.
        approved_at: when, with a time zone.
        harvest: name of the harvest that the candidates came from.

    Raises:
        StorageError: the folder cannot be written.
    """
    moment = approved_at.astimezone(datetime.UTC).isoformat(timespec="seconds")
    approved = ApprovedHarvest(InclusionList.of(key, sentences), tuple(templates), approved_by, moment, harvest)
    approved.save(folder, key)
    return approved


def _key_check(key: bytes) -> str:
    return blake2b(b"check", digest_size=8, key=key[:64], person=b"palimpsest-appr").hexdigest()
