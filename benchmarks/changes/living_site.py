"""A small institution whose hospital lives: certified once, and copied for each history that is lived through."""

import base64
import datetime
import json
import uuid
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg2
from psycopg2 import sql

from benchmarks.support.institution import build_dictionaries
from deid_tasks.evidence.gate import new_key_pair
from deid_tasks.hospital import build_hospital, write_notes
from deid_tasks.hospital.history import Event, HistoryRates, HistoryWriter, simulate_history
from deid_tasks.hospital.records import GoldNote, Hospital, HospitalSpec, World
from deid_tasks.platform import runs
from deid_tasks.platform.publish import open_table
from deid_tasks.platform.runs.reports import EnginePin
from deid_tasks.platform.warehouse import connect
from deid_tasks.platform.warehouse.gold import NewGoldNote, freeze_gold_set
from deid_tasks.settings import InstitutionSettings, Secrets

NAME = "riverside"
START = datetime.date(2024, 1, 1)
_DAYS = 3
"""Days of the notes that the hospital has when its history begins."""
_GOLD_NOTES, _FIRST_NOTES = 160, 36
_ONE_EACH: dict[str, Any] = {one.name: 1.0 for one in fields(HistoryRates) if one.type is float} | {"silent": 0.2}
EVEN_RATES = replace(HistoryRates(), **_ONE_EACH)
"""Rates with which every kind of event happens once a day."""


@dataclass(frozen=True)
class LivingSite:
    """A certified institution in a database that is copied, and never changed."""

    uri: str
    settings: InstitutionSettings
    held: Mapping[str, str] = field(repr=False)
    """Its secrets, without the databases."""
    hospital: Hospital = field(repr=False)
    notes: list[GoldNote] = field(repr=False)
    pin: EnginePin

    @classmethod
    def build(cls, uri: str, layout: str, object_store: Mapping[str, str], folder: Path) -> "LivingSite":
        """Return a site in the empty database at ``uri``: its engine is compiled, evaluated and promoted.

        Args:
            uri: The database.
            layout: Layout of the raw tables.
            object_store: What the secret of the object store holds; its bucket is ``published``.
            folder: Folder for working files.
        """
        settings = site_settings(layout, folder)
        signing_key, verification_key = new_key_pair()
        held = {
            "certificate_signing_key": signing_key,
            "certificate_verification_key": verification_key,
            "object_store": json.dumps(dict(object_store)),
        }
        secrets = site_secrets({**held, "ehr": uri, "catalog": uri})
        spec = HospitalSpec(NAME, World.DEV, seed=3, patients=30, providers=12, notes=_GOLD_NOTES, days=_DAYS)
        hospital = build_hospital(spec)
        written = list(write_notes(hospital))
        notes = written[:: _GOLD_NOTES // _FIRST_NOTES]
        with closing(psycopg2.connect(uri)) as connection:
            HistoryWriter(connection, f"{NAME}_ehr", layout, hospital).load(notes)
        runs.upgrade_tables(settings, secrets)
        build_dictionaries(uri, NAME, layout, folder)
        runs.compile_dictionaries(settings, secrets)
        for design, chosen in (("stratified", written[0::2]), ("random", written[1::2])):
            gold = [
                NewGoldNote(n.note_id, n.patient_id, n.note_type, n.note_datetime, n.author_id, n.text, n.spans)
                for n in chosen
            ]
            with connect(uri) as connection:
                freeze_gold_set(connection, settings, gold, design=design, sample_version="simulated")  # type: ignore[arg-type]
        runs.evaluate_and_certify(settings, secrets)
        return cls(uri, settings, held, hospital, notes, runs.pin_engine(settings, secrets))

    def copy(self) -> "LivingCopy":
        """Return a copy in a database of its own, from which nothing has been published."""
        name = f"living_{uuid.uuid4().hex[:12]}"
        with closing(psycopg2.connect(_database(self.uri, "postgres"))) as connection:
            connection.autocommit = True
            with connection.cursor() as cursor:
                template = urlsplit(self.uri).path.removeprefix("/")
                # Pools of libraries may still hold sessions, and only a database without sessions can be copied.
                cursor.execute("select pg_terminate_backend(pid) from pg_stat_activity where datname = %s", (template,))
                cursor.execute(
                    sql.SQL("create database {} template {}").format(sql.Identifier(name), sql.Identifier(template))
                )
        return LivingCopy(self, name)


class LivingCopy:
    """One copy of a site: its hospital lives, and its runs publish to a table of their own."""

    def __init__(self, site: LivingSite, name: str) -> None:
        """Take the copy that ``LivingSite.copy`` has made under this name."""
        self.site, self.name = site, name
        self.uri = _database(site.uri, name)
        self.secrets = site_secrets({**site.held, "ehr": self.uri, "catalog": self.uri})
        self.settings = self.published_as("lived")
        self._connection = psycopg2.connect(self.uri)
        layout = site.settings.warehouse.layout
        self._writer = HistoryWriter(self._connection, f"{NAME}_ehr", layout, site.hospital)

    def published_as(self, table: str) -> InstitutionSettings:
        """Return the settings with another published table."""
        publish = self.site.settings.publish.model_copy(update={"table": f"{self.name}.{table}"})
        return self.site.settings.model_copy(update={"publish": publish})

    def future(self, days: int, seed: int) -> Iterator[tuple[Event, datetime.datetime]]:
        """Yield the events of the next days in order, each with its time."""
        for day in simulate_history(self.site.hospital, self.site.notes, EVEN_RATES, days, seed):
            yield from day.timed()

    def apply(self, event: Event, at: datetime.datetime) -> bool:
        """Apply an event to the raw tables; return whether it changed them."""
        return self._writer.apply_event(event, at)

    def rows(self, question: str, *values: object) -> list[tuple[Any, ...]]:
        """Return the rows of a question; commit what a statement changed."""
        with self._connection, self._connection.cursor() as cursor:
            cursor.execute(question, values or None)
            return list(cursor.fetchall()) if cursor.description else []

    def published_rows(self, settings: InstitutionSettings) -> list[dict[str, Any]]:
        """Return every published row with all columns, in one order."""
        rows: list[dict[str, Any]] = open_table(settings, self.secrets).scan().to_arrow().to_pylist()
        return sorted(rows, key=lambda row: (row["note_key"], row["slice_key"]))

    def drop(self) -> None:
        """Remove the copy's database."""
        self._connection.close()
        with closing(psycopg2.connect(_database(self.uri, "postgres"))) as connection:
            connection.autocommit = True
            with connection.cursor() as cursor:
                cursor.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(self.name)))


def _database(uri: str, name: str) -> str:
    return urlsplit(uri)._replace(path=f"/{name}").geturl()


def site_secrets(held: Mapping[str, str]) -> Secrets:
    """Return secrets that hold a surrogate key beside these."""
    return Secrets({"key": base64.b64encode(bytes(range(32))).decode(), **held}.get)


def site_settings(layout: str, folder: Path) -> InstitutionSettings:
    """Return the settings of a site without models, whose gate lets every certified run pass."""
    return InstitutionSettings.model_validate(
        {
            "institution": NAME,
            "title": "Riverside Health",
            "warehouse": {"connection": "ehr", "layout": layout},
            "notes": {"start_date": "2023-12-01", "shard_notes": 12, "max_shards": 3},
            "detect": {
                "detectors": ["patterns", "lexicon", "patient"],
                "patterns": {"identifiers": {"MRN": [r"\bRH\d{7}\b"]}},
                "cache": {"enabled": False},
            },
            "obfuscate": {"key": "key"},
            # Small days with damaged notes are no reason to hold a run here.
            "gate": {
                "recall_min": 0.5,
                "precision_min": 0.5,
                "stratum_recall_min": 0.3,
                "resamples": 100,
                "max_quarantined_share": 1,
                "max_share_without_record": 1,
                "drift": {"enabled": False},
                "volume": {"enabled": False},
            },
            "publish": {"bucket": "published", "object_store": "object_store", "catalog": "catalog"},
            "work_dir": str(folder / "work"),
        }
    )
