"""Deliveries as a hospital writes them: files, and a manifest last."""

import gzip
import hashlib
import json
from pathlib import Path

from deid_tasks.settings import LandingSettings

PATIENTS = {
    "table": "patient",
    "files": "patient*.csv*",
    "format": "csv",
    "columns": {"pat_id": "text", "pat_name": "text", "birth_date": "date", "visits": "integer"},
    "key": ["pat_id"],
}
NOTES = {
    "table": "note",
    "files": "note*.ndjson*",
    "format": "ndjson",
    "columns": {"note_id": "bigint", "pat_id": "text", "written": "timestamp", "note_text": "text"},
    "key": ["note_id"],
    "mode": "merge",
    "loaded_at": "load_datetime",
}
EVENTS = {
    "table": "event",
    "files": "event*.parquet",
    "format": "parquet",
    "columns": {"event_id": "integer", "amount": "numeric"},
    "mode": "append",
}


def landing_settings(location: Path | str, *tables: dict[str, object], **more: object) -> LandingSettings:
    """Return the section ``landing`` with these tables, or with all three."""
    chosen = list(tables or (PATIENTS, NOTES, EVENTS))
    return LandingSettings.model_validate({"location": str(location), "tables": chosen} | more)


def deliver(folder: Path, name: str, files: dict[str, tuple[bytes, int]], **changed: object) -> Path:
    """Write the files, each with its number of rows, below ``folder/name``, and the manifest; return the manifest."""
    target = folder / name
    target.mkdir(parents=True, exist_ok=True)
    entries = []
    for file, (content, rows) in files.items():
        stored = gzip.compress(content) if file.endswith(".gz") else content
        (target / file).write_bytes(stored)
        entries.append({"file": file, "rows": rows, "sha256": hashlib.sha256(stored).hexdigest()} | changed)
    manifest = target / "manifest.json"
    manifest.write_text(json.dumps({"delivery": name, "files": entries, "made_by": "extract 4.2"}))
    return manifest
