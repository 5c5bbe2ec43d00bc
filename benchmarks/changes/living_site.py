"""A small institution whose hospital lives: certified once, and copied for each history that is lived through."""

import base64
import datetime
import json
import re
import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg2
from psycopg2 import sql

from benchmarks.changes.source_edits import edit_statement, edit_time
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
from deid_tasks.settings import AuditLogSettings, InstitutionSettings, Secrets

NAME = "riverside"
TIMEZONE = "America/New_York"
START = datetime.date(2024, 3, 7)
"""The clocks change on the first day after the first notes."""
_DAYS = 3
"""Days of the notes that the hospital has when its history begins."""
_PATIENTS, _GOLD_NOTES, _FIRST_NOTES = 12, 160, 36
"""Few patients: each has months of their own in the published table, and each month is a file of each commit."""
_ONE_EACH: dict[str, Any] = {one.name: 1.0 for one in fields(HistoryRates) if one.type is float} | {"silent": 0.2}
EVEN_RATES = replace(HistoryRates(), **_ONE_EACH)
"""Rates with which every kind of event happens once a day."""
ENGINES = 2
"""Engines that the site has promoted, each with dictionaries of its own."""
_NEW_TERMS = 12
_TERM = re.compile(r"(?<![^\W_])[A-Z][a-z]{4,11}(?![^\W_])")


@dataclass(frozen=True)
class LivingSite:
    """A certified institution in a database that is copied, and never changed."""

    uri: str
    settings: InstitutionSettings
    held: Mapping[str, str] = field(repr=False)
    """Its secrets, without the databases."""
    hospital: Hospital = field(repr=False)
    notes: list[GoldNote] = field(repr=False)
    engines: tuple[str, ...]
    """Fingerprints of the promoted engines; a copy begins with the first."""

    @property
    def secrets(self) -> Secrets:
        """The secrets of the site itself; a copy has its own."""
        return site_secrets({**self.held, "ehr": self.uri, "catalog": self.uri})

    @property
    def pin(self) -> EnginePin:
        """The pin of the engine that runs of the site itself use."""
        return runs.pin_engine(self.settings, self.secrets)

    @classmethod
    def build(cls, uri: str, layout: str, object_store: Mapping[str, str], folder: Path) -> "LivingSite":
        """Return a site in the empty database at ``uri``: its engines are compiled, evaluated and promoted.

        Args:
            uri: The database.
            layout: Layout of the raw tables.
            object_store: What the secret of the object store holds; its bucket is ``published``.
            folder: Folder for working files.
        """
        settings = site_settings(layout, folder, urlsplit(uri).path.removeprefix("/"))
        signing_key, verification_key = new_key_pair()
        held = {
            "certificate_signing_key": signing_key,
            "certificate_verification_key": verification_key,
            "object_store": json.dumps(dict(object_store)),
        }
        secrets = site_secrets({**held, "ehr": uri, "catalog": uri})
        spec = HospitalSpec(
            NAME, World.DEV, seed=3, patients=_PATIENTS, providers=12, notes=_GOLD_NOTES, start=START, days=_DAYS
        )
        hospital = build_hospital(spec)
        written = list(write_notes(hospital))
        notes = written[:: _GOLD_NOTES // _FIRST_NOTES]
        with closing(psycopg2.connect(uri)) as connection:
            HistoryWriter(connection, f"{NAME}_ehr", layout, hospital).load(notes)
        runs.upgrade_tables(settings, secrets)
        build_dictionaries(uri, NAME, layout, folder)
        for design, chosen in (("stratified", written[0::2]), ("random", written[1::2])):
            gold = [
                NewGoldNote(n.note_id, n.patient_id, n.note_type, n.note_datetime, n.author_id, n.text, n.spans)
                for n in chosen
            ]
            with connect(uri) as connection:
                freeze_gold_set(connection, settings, gold, design=design, sample_version="simulated")  # type: ignore[arg-type]
        with closing(psycopg2.connect(uri)) as connection:
            engines = tuple(_promote_engines(connection, settings, secrets, written))
        return cls(uri, settings, held, hospital, notes, engines)

    def copy(self, name: str = "") -> "LivingCopy":
        """Return a copy in a database of its own, from which nothing has been published.

        Args:
            name: Of the database, in place of one that exists; a new name where empty.
        """
        name = name or f"living_{uuid.uuid4().hex[:12]}"
        with closing(psycopg2.connect(_database(self.uri, "postgres"))) as connection:
            connection.autocommit = True
            with connection.cursor() as cursor:
                template = urlsplit(self.uri).path.removeprefix("/")
                # Pools of libraries may still hold sessions, and only a database without sessions can be copied.
                cursor.execute("select pg_terminate_backend(pid) from pg_stat_activity where datname = %s", (template,))
                cursor.execute(sql.SQL("drop database if exists {} with (force)").format(sql.Identifier(name)))
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
        # What the audit log of another copy holds, this one has not lost.
        heads = AuditLogSettings(prefix=_heads_of(name))
        self.settings = site.settings.model_copy(update={"audit_log": heads})
        self.settings = self.published_as("lived")
        self._connection = psycopg2.connect(self.uri)
        self._edits = 0
        self.layout = site.settings.warehouse.layout
        self._writer = HistoryWriter(self._connection, f"{NAME}_ehr", self.layout, site.hospital)

    def published_as(self, table: str) -> InstitutionSettings:
        """Return the present settings with another published table."""
        publish = self.settings.publish.model_copy(update={"table": f"{self.name}.{table}"})
        return self.settings.model_copy(update={"publish": publish})

    def future(self, days: int, seed: int) -> Iterator[tuple[Event, datetime.datetime]]:
        """Yield the events of the next days in order, each with its time."""
        for day in simulate_history(self.site.hospital, self.site.notes, EVEN_RATES, days, seed):
            yield from day.timed()

    def apply(self, event: Event, at: datetime.datetime) -> bool:
        """Apply an event to the raw tables; return whether it changed them."""
        return self._writer.apply_event(event, at)

    def edit(self, kind: str, number: int) -> bool:
        """Change the raw tables as ``source_edits`` says; ``number`` chooses note and patients.

        Return whether it can happen in this layout.
        """
        statement = edit_statement(self.layout, kind)
        notes = self.rows(
            f"select note_id, note_datetime, patient_id from {NAME}_staging.stg_note where not is_deleted order by 1"
        )
        patients = [one for (one,) in self.rows(f"select patient_id from {NAME}_staging.stg_patient order by 1")]
        if not statement or not notes or not patients:
            return False
        self._edits += 1
        note, moment, owner = notes[number % len(notes)]
        chosen = {"note": note, "moment": moment, "owner": owner, "at": edit_time(self._edits)}
        chosen |= {"patient": patients[number % len(patients)], "former": patients[number // 7 % len(patients)]}
        with self._connection, self._connection.cursor() as cursor:
            cursor.execute(f"set local search_path to {NAME}_ehr")
            cursor.execute(statement, chosen)
        return True

    def promote(self, number: int) -> None:
        """Make one of the site's engines the newest promoted one, as when its evaluation ends now."""
        self.rows(
            f"update {NAME}_results.promoted_engine set promoted_at = clock_timestamp() where fingerprint = %s",
            self.site.engines[number],
        )

    def name_types_without_patient(self, types: Sequence[str]) -> None:
        """Change the setting of note types that need no record of a patient."""
        notes = self.settings.notes.model_copy(update={"types_without_patient": tuple(types)})
        self.settings = self.settings.model_copy(update={"notes": notes})

    def refresh_dictionaries(self) -> None:
        """Build the dictionaries from the warehouse as it is now, and promote the engine that is compiled of them."""
        build_dictionaries(self.uri, NAME, self.layout, Path(self.settings.work_dir).parent)
        runs.compile_dictionaries(self.settings, self.secrets)
        runs.evaluate_and_certify(self.settings, self.secrets)

    def rows(self, question: str, *values: object) -> list[tuple[Any, ...]]:
        """Return the rows of a question; commit what a statement changed."""
        with self._connection, self._connection.cursor() as cursor:
            cursor.execute(question, values or None)
            return list(cursor.fetchall()) if cursor.description else []

    def published_rows(self, settings: InstitutionSettings) -> list[dict[str, Any]]:
        """Return every published row with all columns, in one order."""
        rows: list[dict[str, Any]] = open_table(settings, self.secrets).scan().to_arrow().to_pylist()
        return sorted(rows, key=lambda row: (row["note_key"], row["slice_key"]))

    def reconnect(self) -> None:
        """Open the copy's own connection again, after the server has ended it."""
        self._connection.close()
        self._connection = psycopg2.connect(self.uri)
        self._writer = HistoryWriter(self._connection, f"{NAME}_ehr", self.layout, self.site.hospital)

    def drop(self) -> None:
        """Remove the copy's database."""
        self._connection.close()
        with closing(psycopg2.connect(_database(self.uri, "postgres"))) as connection:
            connection.autocommit = True
            with connection.cursor() as cursor:
                cursor.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(self.name)))


def _promote_engines(
    connection: Any, settings: InstitutionSettings, secrets: Secrets, notes: Iterable[GoldNote]
) -> Iterator[str]:
    """Promote an engine on the dictionaries of dbt, and engines on others; yield their fingerprints.

    The dictionaries are those of dbt in the end, and the first engine is the newest promoted one.
    """
    for number in range(ENGINES):
        with connection, connection.cursor() as cursor:
            cursor.execute(f"create table kept_provider as select * from {NAME}_dictionaries.dict_provider")
            if number:
                # Half of the staff have left, and others have come, whose names are words of notes.
                cursor.execute(
                    f"delete from {NAME}_dictionaries.dict_provider where kind = 'last' and hashtext(term) %% 2 = %s",
                    (number % 2,),
                )
                cursor.executemany(
                    f"insert into {NAME}_dictionaries.dict_provider"
                    " (term, normalised, kind, occurrences, source, version)"
                    " values (%s, %s, 'last', 1, 'simulated', 'simulated')",
                    [(term, term.lower()) for term in _undetected_words(notes)[:_NEW_TERMS]],
                )
        runs.compile_dictionaries(settings, secrets)
        runs.evaluate_and_certify(settings, secrets)
        yield runs.pin_engine(settings, secrets)["fingerprint"]
        with connection, connection.cursor() as cursor:
            cursor.execute(
                f"delete from {NAME}_dictionaries.dict_provider;"
                f" insert into {NAME}_dictionaries.dict_provider select * from kept_provider; drop table kept_provider"
            )
    with connection, connection.cursor() as cursor:
        cursor.execute(
            f"update {NAME}_results.promoted_engine set promoted_at = clock_timestamp()"
            f" where promoted_at = (select min(promoted_at) from {NAME}_results.promoted_engine)"
        )


def _undetected_words(notes: Iterable[GoldNote]) -> list[str]:
    """Return capitalised words that some notes have and none has as an identifier, in one order."""
    counts: Counter[str] = Counter()
    identifiers: set[str] = set()
    for note in notes:
        counts.update({found.group() for found in _TERM.finditer(note.text)})
        for span in note.spans:
            identifiers.update(_TERM.findall(note.text[span.start : span.end]))
    return sorted(word for word, number in counts.items() if 2 <= number <= 20 and word not in identifiers)


def _database(uri: str, name: str) -> str:
    return urlsplit(uri)._replace(path=f"/{name}").geturl()


def _heads_of(database: str) -> str:
    return f"audit/{database}"


def site_secrets(held: Mapping[str, str]) -> Secrets:
    """Return secrets that hold a surrogate key beside these."""
    return Secrets({"key": base64.b64encode(bytes(range(32))).decode(), **held}.get)


def site_settings(layout: str, folder: Path, database: str = "site") -> InstitutionSettings:
    """Return the settings of a site without models, whose gate lets every certified run pass.

    Args:
        layout: Layout of the raw tables.
        folder: Folder for working files.
        database: Name of the site's database: the heads of its audit log are apart from those of other databases.
    """
    return InstitutionSettings.model_validate(
        {
            "institution": NAME,
            "title": "Riverside Health",
            "warehouse": {"connection": "ehr", "layout": layout},
            "notes": {"start_date": "2023-12-01", "timezone": TIMEZONE, "shard_notes": 12, "max_shards": 3},
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
                "category_min": 0.3,
                "stratum_recall_min": 0.3,
                "resamples": 100,
                "max_quarantined_share": 1,
                "max_share_without_record": 1,
                "drift": {"enabled": False},
                "volume": {"enabled": False},
            },
            # Months of deletions and ended exclusions pass here within the hours in which they are added up.
            "changes": {"max_removed_share": 1, "max_ended_exclusions": 1_000_000},
            "publish": {"bucket": "published", "object_store": "object_store", "catalog": "catalog"},
            "audit_log": {"prefix": _heads_of(database)},
            "work_dir": str(folder / "work"),
        }
    )
