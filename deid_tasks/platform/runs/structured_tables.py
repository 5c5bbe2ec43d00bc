"""The institution's structured tables, de-identified and published beside its notes."""

import datetime
import hashlib
import json
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.core.errors import GateError
from deid_tasks.core.patient import PatientRecord
from deid_tasks.engine.audit.record_audit import audit
from deid_tasks.engine.fingerprint import fingerprint
from deid_tasks.engine.obfuscate import Obfuscator
from deid_tasks.engine.obfuscate.tables import ColumnRule, TableRules, rewrite_row
from deid_tasks.platform.publish import INSTITUTION, open_rows, replace_rows, rows_version
from deid_tasks.platform.runs.institution_engine import known_people
from deid_tasks.platform.runs.reports import EnginePin
from deid_tasks.platform.runs.step_log import logged_step
from deid_tasks.platform.warehouse import connect, read_patients
from deid_tasks.platform.warehouse.contract import read_contract
from deid_tasks.platform.warehouse.tables import (
    TableOutcome,
    check_columns,
    count_older,
    count_rows,
    hold_tables,
    read_rows,
    record_tables,
    table_digest,
)
from deid_tasks.platform.workspace import run_dir
from deid_tasks.settings import InstitutionSettings, Secrets

_TYPES = {"text": pa.string(), "date": pa.date32(), "timestamp": pa.timestamp("us")}
_BUCKETS = "234567abcdefghijklmnopqrstuvwxyz"
"""First characters of pseudonyms: rows are sorted in 32 parts, so that no table must fit in memory."""
_BATCH_ROWS = 100_000
"""Minimum rows of a published table that are written at once."""


@dataclass
class _Staged:
    """One de-identified table in this run's working files."""

    rules: TableRules
    schema: pa.Schema
    files: list[Path] = field(default_factory=list)
    read: int = 0
    withheld: int = 0

    def batches(self) -> Iterator[pa.Table]:
        """Yield the rows in the order of their pseudonyms, which reveals nothing of the order of real identifiers."""
        order = [(name, "ascending") for name in self.schema.names]
        waiting: list[pa.Table] = []
        for path in self.files:
            waiting.append(pq.read_table(path, schema=self.schema).sort_by(order))
            # A commit costs more with each append, so small parts are appended together.
            if sum(rows.num_rows for rows in waiting) >= _BATCH_ROWS:
                yield pa.concat_tables(waiting)
                waiting = []
        if any(rows.num_rows for rows in waiting):
            yield pa.concat_tables(waiting)


@logged_step
def publish_tables(
    settings: InstitutionSettings,
    secrets: Secrets,
    run_id: str,
    contract: Path,
    today: datetime.date | None = None,
    pin: EnginePin | None = None,
) -> dict[str, Any]:
    """Publish the tables of ``publish.tables``, each as a whole in one commit, unless their content has not changed.

    Names, identifiers and dates get the surrogates that the same patient's notes have. Each row of a patient is audited
    against the patient's record, and withheld where a value of the record remains in it.

    Args:
        settings: The institution.
        secrets: Its secrets.
        run_id: The run that the rows of ``published_table`` name.
        contract: dbt's ``models.yml`` or ``manifest.json``, which says how each column is treated.
        today: The day on which ages are computed; today in UTC if not given.
        pin: The run's engine, whose known people the surrogates avoid as in its notes; the newest list if not given.

    Returns:
        Published rows by table, and whether nothing has changed.

    Raises:
        SettingsError: a table is unknown, or a column has no valid rule; nothing is published.
        GateError: rows were lost on the way, or too many were withheld; nothing is published.
        PublishError: a table cannot be written; it is unchanged.
    """
    tables = read_contract(contract, settings.publish.tables)
    if not tables:
        return {"tables": {}, "is_unchanged": True}
    key = secrets.key(settings.obfuscate.key)
    people = known_people(settings, secrets, pin)
    obfuscator = Obfuscator(key, settings.institution, settings.policy, settings.obfuscate, people)
    day = today or datetime.datetime.now(datetime.UTC).date()
    uri = secrets.text(settings.warehouse.connection_of("publish"))
    with connect(uri) as reader, connect(uri) as lookup:
        hold_tables(reader, settings)
        for rules in tables:
            check_columns(reader, settings, rules)
        version = _version(reader, settings, tables, obfuscator, day, people.version if people else "")
        schemas = {rules.name: _schema(rules) for rules in tables}
        if all(
            rows_version(open_rows(settings, secrets, name, schema), settings) == version
            for name, schema in schemas.items()
        ):
            return {"tables": dict.fromkeys(schemas, 0), "is_unchanged": True}
        # Not in the run's own folder, which is deleted once its notes are published: the tables may take longer.
        folder = run_dir(settings, f"{run_id} tables") / "tables"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(mode=0o700)
        staged = [
            _stage(
                reader, lookup, settings, obfuscator, rules, schemas[rules.name], folder, _oldest_birth(settings, day)
            )
            for rules in tables
        ]
        summary = {
            "palimpsest.institution": settings.institution,
            "palimpsest.policy": settings.policy.name,
            "palimpsest.key": obfuscator.pseudonym("key", ""),
            "palimpsest.run": obfuscator.pseudonym("run", run_id),
            "palimpsest.tables": version,
        }
        for one in staged:
            treatments = {rule.published: _treatment(rule) for rule in one.rules.kept}
            replace_rows(settings, secrets, one.rules.name, one.schema, one.batches, version, summary, treatments)
        outcomes = [
            TableOutcome(s.rules.name, version, summary["palimpsest.key"], s.read, s.read - s.withheld, s.withheld)
            for s in staged
        ]
        record_tables(lookup, settings, run_id, outcomes)
    shutil.rmtree(folder.parent, ignore_errors=True)
    return {"tables": {one.table_name: one.published for one in outcomes}, "is_unchanged": False}


def _treatment(rule: ColumnRule) -> str:
    """Return what was done to a published column, as ``meta.deid`` says it, without the part of a name."""
    return rule.action if rule.action == "key" or not rule.what else f"{rule.action}:{rule.what}"


def _stage(
    reader: Connection,
    lookup: Connection,
    settings: InstitutionSettings,
    obfuscator: Obfuscator,
    rules: TableRules,
    schema: pa.Schema,
    folder: Path,
    oldest_birth: datetime.date,
) -> _Staged:
    """De-identify and audit the rows of one table; write them to files by the first character of their pseudonyms."""
    staged = _Staged(rules, schema, [folder / f"{rules.name}-{mark}.parquet" for mark in _BUCKETS])
    leading = next((rule.published for rule in rules.kept if rule.action == "key"), schema.names[0])
    with ExitStack() as stack:
        writers = [stack.enter_context(pq.ParquetWriter(path, schema, compression="zstd")) for path in staged.files]
        for rows in read_rows(reader, settings, rules):
            patients = _patients(lookup, settings, rules, rows)
            buckets: list[list[dict[str, Any]]] = [[] for _ in writers]
            for row in rows:
                patient = patients.get(str(row[rules.owner])) if rules.owner else None
                made = rewrite_row(row, rules, obfuscator, patient, oldest_birth)
                staged.read += 1
                if audit("\n".join(str(value) for value in made.values() if value is not None), patient):
                    staged.withheld += 1
                    continue
                index = _BUCKETS.find(str(made[leading] or "a")[0])
                buckets[index].append({INSTITUTION.name: settings.institution} | made)
            for writer, bucket in zip(writers, buckets, strict=True):
                if bucket:
                    writer.write_table(pa.Table.from_pylist(bucket, schema=schema))
    if (expected := count_rows(reader, settings, rules)) != staged.read:
        raise GateError(
            f"{settings.institution}: {rules.name}: {staged.read} of {expected} rows were read; clear publish_tables"
        )
    if staged.withheld > settings.gate.max_quarantined_share * staged.read:
        raise GateError(
            f"{settings.institution}: {rules.name}: {staged.withheld} of {staged.read} rows hold a value of the"
            " patient's own record, more than gate.max_quarantined_share allows; no table is published:"
            " correct the rules of its columns"
        )
    return staged


def _patients(
    lookup: Connection, settings: InstitutionSettings, rules: TableRules, rows: list[dict[str, Any]]
) -> dict[str, PatientRecord]:
    """Return the records of the rows' patients; a patient whom the warehouse does not have gets an empty one."""
    if rules.owner is None:
        return {}
    ids = {str(row[rules.owner]) for row in rows}
    return {one: PatientRecord(one) for one in ids} | read_patients(lookup, settings, ids)


def _schema(rules: TableRules) -> pa.Schema:
    return pa.schema([INSTITUTION, *(pa.field(rule.published, _TYPES[rule.data_type]) for rule in rules.kept)])


def _version(
    reader: Connection,
    settings: InstitutionSettings,
    tables: list[TableRules],
    obfuscator: Obfuscator,
    today: datetime.date,
    people_version: str,
) -> str:
    """Return a keyed hash of everything that decides what is published; the published tables' metadata hold it."""
    parts = [
        fingerprint(settings, settings.institution, "", (), people=people_version),
        [repr(rules) for rules in tables],
        table_digest(reader, settings, tables),
        count_older(reader, settings, settings.policy.max_kept_age_years, today),
    ]
    return obfuscator.pseudonym("tables", hashlib.sha256(json.dumps(parts).encode()).hexdigest())


def _oldest_birth(settings: InstitutionSettings, today: datetime.date) -> datetime.date:
    """Return the first birth date of people who are not older than the highest age that may be published."""
    years = settings.policy.max_kept_age_years + 1
    try:
        turned = today.replace(year=today.year - years)
    except ValueError:  # 29 February
        turned = today.replace(year=today.year - years, day=28)
    return turned + datetime.timedelta(days=1)
