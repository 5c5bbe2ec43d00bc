"""Everything that a demo leaves anywhere but in the warehouse and in its workers' memory, as texts to be searched."""

import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import boto3
import psycopg2
import pyarrow.parquet as pq

from deid_tasks.demo.state import checkout
from deid_tasks.platform.publish import load_rows, open_table
from tests.support.demo_run import Demo
from tests.support.phi_places import content_of

Found = Iterator[tuple[str, str | bytes]]


def logs(demo: Demo) -> Found:
    """Logs of every task and service."""
    return _files(demo.folder / "logs")


def postgres_log(demo: Demo) -> Found:
    """PostgreSQL's own logs, beside the cluster."""
    home = demo.platform.postgres_home
    return ((str(path), path.read_bytes()) for path in home.glob("*.log"))


def state(demo: Demo) -> Found:
    """The rest of the demo's folder: its memory, Airflow's home, lexicons, reports; not the warehouse, shards before
    the gate, or lists for people.
    """
    left_out = {demo.folder / "postgres", demo.folder / "logs", demo.folder / "tmp", demo.folder / "home"}
    lists = ("annotation", "harvest")
    left_out |= {demo.folder / "work" / one.institution / name for one in demo.institutions for name in lists}
    shards = {demo.folder / "work" / one.institution / "runs" for one in demo.institutions}
    for path in _paths(demo.folder):
        parents = set(path.parents)
        if not (left_out & parents or (path.suffix == ".parquet" and shards & parents)):
            yield str(path), content_of(path)


def leftovers(demo: Demo) -> Found:
    """What Great Expectations, dbt, Cosmos and the rest left in the temporary and home folders, and dbt in its project."""
    for folder in (
        demo.folder / "tmp",
        demo.folder / "home",
        *(checkout() / "dbt" / name for name in ("target", "logs")),
    ):
        yield from _files(folder)


def airflow_database(demo: Demo) -> Found:
    """Every column of every table, XCom, rendered templates and event log among them, as its bytes are."""
    return _tables(demo, "airflow")


def catalog_database(demo: Demo) -> Found:
    """Iceberg's catalog."""
    return _tables(demo, "catalog")


def metadata_objects(demo: Demo) -> Found:
    """Names of all objects in the bucket, what lies there beside the notes, and the bounds and summaries that Iceberg
    keeps.
    """
    names, store = _bucket(demo)
    for name in names:
        yield name, name
        if not name.endswith(".parquet"):
            yield name, store(name)
    first = demo.institutions[0]
    tables = [load_rows(first, demo.secrets, name) for name in first.publish.tables]
    for table in (open_table(first, demo.secrets), *tables):
        for manifest in table.current_snapshot().manifests(table.io):
            yield manifest.manifest_path, repr(manifest.fetch_manifest_entry(table.io))


def published_rows(demo: Demo) -> Iterator[dict[str, Any]]:
    """The rows of every Parquet file of notes in the bucket, also of those that an overwritten slice left behind."""
    return (row for name, row in _rows(demo) if "/notes/data/" in name)


def table_rows(demo: Demo) -> list[dict[str, Any]]:
    """The rows that a reader of the table gets, in one order."""
    rows = open_table(demo.institutions[0], demo.secrets).scan().to_arrow().to_pylist()
    return sorted(rows, key=lambda row: (row["institution"], row["note_key"]))


def table_commits(demo: Demo) -> dict[int, dict[str, str]]:
    """What each commit to the table says of itself, by its snapshot."""
    snapshots = open_table(demo.institutions[0], demo.secrets).snapshots()
    return {one.snapshot_id: dict(one.summary.additional_properties) for one in snapshots}


def structured_rows(demo: Demo) -> Iterator[dict[str, Any]]:
    """The same of the structured tables."""
    return (row for name, row in _rows(demo) if "/notes/data/" not in name)


def _rows(demo: Demo) -> Iterator[tuple[str, dict[str, Any]]]:
    names, store = _bucket(demo)
    for name in names:
        if name.endswith(".parquet"):
            for row in pq.read_table(io.BytesIO(store(name))).to_pylist():
                yield name, row


def _files(folder: Path) -> Found:
    for path in _paths(folder):
        yield str(path), path.read_bytes()


def _paths(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink()]


def _tables(demo: Demo, database: str) -> Found:
    connection = psycopg2.connect(demo.platform.places.databases[database])
    try:
        with connection, connection.cursor() as cursor:
            cursor.execute(
                "select format('%I.%I', table_schema, table_name) from information_schema.tables"
                " where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')"
            )
            for (table,) in cursor.fetchall():
                content = io.BytesIO()
                # Binary: texts and JSON stand as they are, and pickled columns with them.
                cursor.copy_expert(f"copy {table} to stdout (format binary)", content)
                yield f"{database}.{table}", content.getvalue()
    finally:
        connection.close()


def _bucket(demo: Demo) -> tuple[list[str], Callable[[str], bytes]]:
    settings = demo.institutions[0]
    client, bucket = object_store(demo), settings.publish.bucket
    pages = client.get_paginator("list_objects_v2").paginate(Bucket=bucket)
    names = [entry["Key"] for page in pages for entry in page.get("Contents", ())]
    return names, lambda name: client.get_object(Bucket=bucket, Key=name)["Body"].read()


def object_store(demo: Demo) -> Any:
    """A client of the demo's S3 emulator."""
    store = demo.secrets.mapping(demo.institutions[0].publish.object_store)
    return boto3.client(
        "s3",
        endpoint_url=store["endpoint"],
        region_name="us-east-1",
        aws_access_key_id=store["access_key"],
        aws_secret_access_key=store["secret_key"],
    )
