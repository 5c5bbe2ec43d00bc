"""A simulated hospital of the dev world with all that an institution has: a warehouse, dictionaries built by dbt, an
engine.

A benchmark reads from it what a worker would read: no dictionary is written by hand.
"""

import base64
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import psycopg2

from deid_tasks.core.identity import Identity
from deid_tasks.core.patient import PatientRecord
from deid_tasks.engine.parts import EngineParts
from deid_tasks.hospital import build_hospital, write_notes
from deid_tasks.hospital.layouts import load
from deid_tasks.hospital.postgres import EmbeddedPostgres
from deid_tasks.hospital.records import GoldNote, HospitalSpec, World
from deid_tasks.platform import runs
from deid_tasks.platform.warehouse import connect, read_patients
from deid_tasks.settings import InstitutionSettings, Secrets

NAME = "benchmark"
_DBT = Path(__file__).parents[2] / "dbt"
_RULES = (
    # A rule that an institution would write in its settings for its own headings.
    {
        "name": "bed of a ward",
        "entity": "LOCATION_OTHER",
        "pattern": r"[0-9]{1,2}[A-D]\b",
        "prefix": r"(?i)\bbed[ :#]{1,2}$",
    },
)


class Institution(NamedTuple):
    """An engine, and notes with gold spans."""

    engine: EngineParts
    notes: list[GoldNote]
    """Drawn at equal steps from the hospital's notes."""
    records: Mapping[str, PatientRecord]


@contextmanager
def institution(notes: int, of: int, seed: int, *, harvested: bool) -> Iterator[Institution]:
    """Yield an institution and remove it at the end.

    Args:
        notes: How many notes are scored.
        of: How many notes the hospital has; dictionaries and harvest read them all.
        seed: Of the hospital.
        harvested: Whether an inclusion list and templates are harvested and approved as proposed.
    """
    folder = Path(tempfile.mkdtemp(prefix="palimpsest-bench-"))
    folder.chmod(0o755)
    try:
        with EmbeddedPostgres(folder / "pg", settings={"fsync": "off", "full_page_writes": "off"}) as server:
            server.create_database("ehr")
            uri = server.uri("ehr")
            spec = HospitalSpec(
                NAME, World.DEV, seed=seed, patients=max(60, of // 4), providers=max(30, of // 50), notes=of
            )
            hospital = build_hospital(spec)
            written = list(write_notes(hospital))
            connection = psycopg2.connect(uri)
            load(connection, hospital, written, f"{NAME}_ehr", "omop")
            connection.close()
            values = {"ehr": uri, "key": base64.b64encode(bytes(range(32))).decode()}
            settings, secrets = _settings(folder), Secrets(values.get)
            runs.upgrade_tables(settings, secrets)
            build_dictionaries(uri, NAME, "omop", folder)
            runs.compile_dictionaries(settings, secrets)
            if harvested:
                runs.harvest_candidates(settings, secrets)
                runs.approve_harvest(settings, secrets, Identity("benchmark", "unverified"))
            chosen = written[:: max(1, of // notes)][:notes]
            with connect(uri) as reader:
                records = read_patients(reader, settings, {note.patient_id for note in chosen})
            yield Institution(runs.load_engine(settings, secrets), chosen, records)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _settings(folder: Path) -> InstitutionSettings:
    return InstitutionSettings.model_validate(
        {
            "institution": NAME,
            "title": "Benchmark",
            "warehouse": {"connection": "ehr", "layout": "omop"},
            "notes": {"start_date": "2024-01-01"},
            "detect": {
                "patterns": {"identifiers": {"MRN": [r"\bRH\d{7}\b"]}},
                "context": {"rules": _RULES},
                # A cache that another run filled would hide the time of this engine.
                "cache": {"enabled": False},
            },
            "harvest": {"template_notes": 300},
            "obfuscate": {"key": "key"},
            "publish": {"bucket": "none", "object_store": "none", "catalog": "none"},
            "work_dir": str(folder / "work"),
        }
    )


def build_dictionaries(uri: str, institution: str, layout: str, folder: Path) -> None:
    """Build dbt's seeds, snapshots and models of an institution in the database at ``uri``; ``folder`` gets its files.

    Raises:
        SystemExit: dbt failed; with the end of its output.
    """
    process = start_dbt(uri, institution, layout, folder)
    output, _ = process.communicate()
    if process.returncode:
        raise SystemExit(f"dbt build failed:\n{output[-3_000:]}")


def start_dbt(uri: str, institution: str, layout: str, folder: Path) -> "subprocess.Popen[str]":
    """Start what ``build_dictionaries`` waits for, as the leader of a group of processes."""
    address = urlsplit(uri)
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "PALIMPSEST_DBT_HOST": address.hostname or "",
        "PALIMPSEST_DBT_PORT": str(address.port),
        "PALIMPSEST_DBT_USER": address.username or "",
        "PALIMPSEST_DBT_PASSWORD": address.password or "",
        "PALIMPSEST_DBT_DBNAME": address.path.removeprefix("/"),
    }
    chosen = {"institution": institution, "layout": layout}
    command = [sys.executable, "-m", "dbt.cli.main", "build", "--exclude-resource-type", "test", "unit_test"]
    command += ["--project-dir", str(_DBT), "--profiles-dir", str(_DBT), "--vars", str(chosen)]
    command += ["--target-path", str(folder / "target"), "--log-path", str(folder / "logs"), "--write-json"]
    return subprocess.Popen(
        command,
        env=environment,
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
