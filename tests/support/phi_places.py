"""Walks a disk and a database for words, and names the places as the inventory of docs/explanation/security.md does."""

import gzip
import re
from pathlib import Path

import psycopg2
import pyarrow.parquet as pq
from psycopg2 import sql

DOCS = Path(__file__).parents[2] / "docs"
INVENTORY = DOCS / "explanation" / "security.md"


def _listed(page: Path, heading: str) -> set[str]:
    """The places in the first column of the table below a heading: schemas of layers, tables, and folders of work_dir."""
    section = re.split(r"^## ", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    [table] = [one for one in section if one.startswith(heading)]
    cells = [line.split("|")[1] for line in table.splitlines() if line.startswith("|")]
    return {place for cell in cells for place in re.findall(r"`(_[a-z]+(?:\.[a-z_]+)?|work_dir/[a-z]+)`", cell)}


WITH_TEXT = _listed(INVENTORY, "Where a note's text can be stored")
WITHOUT_TEXT = _listed(INVENTORY, "Other places with names, keys or ids, without text")
STAYS_RETRACTED = _listed(DOCS / "how-to" / "retract.md", "What stays")
"""Layers and tables that hold a retracted patient or note."""


def content_of(path: Path) -> str:
    """What a file holds, as somebody would find it who looked."""
    raw = path.read_bytes()
    if raw.startswith(b"PAR1"):
        return repr(pq.read_table(path).to_pylist())
    if raw.startswith(b"\x1f\x8b"):
        raw = gzip.decompress(raw)
    return raw.decode("utf-8", errors="replace")


def files_with(folder: Path, *words: str) -> set[str]:
    """The folders of a work_dir with a file that holds one of the words."""
    return {
        f"work_dir/{path.relative_to(folder).parts[0]}"
        for path in folder.rglob("*")
        if path.is_file() and any(word in content_of(path) for word in words)
    }


def tables_with(superuser: str, institution: str, *words: str) -> set[str]:
    """The layers with a table that holds one of the words, and the tables outside of the institution's layers."""
    found = each_table_with(superuser, institution, *words)
    return {place.partition(".")[0] if place.startswith("_") else place for place in found}


def each_table_with(superuser: str, institution: str, *words: str, except_in: str = "") -> set[str]:
    """The tables that hold one of the words outside of a column; those of the institution as ``_layer.table``."""
    found = set()
    connection = psycopg2.connect(superuser)
    try:
        with connection, connection.cursor() as cursor:
            cursor.execute(
                "select nspname, relname from pg_class as c inner join pg_namespace as n on c.relnamespace = n.oid"
                " where relkind in ('r', 'p', 'm') and nspname not in ('pg_catalog', 'information_schema')"
            )
            for schema, table in cursor.fetchall():
                cursor.execute(
                    sql.SQL("select exists (select 1 from {} as t where (to_jsonb(t) - %s)::text like any(%s))").format(
                        sql.Identifier(schema, table)
                    ),
                    (except_in, [f"%{word}%" for word in words]),
                )
                if cursor.fetchone() == (True,):
                    is_own = schema.startswith(f"{institution}_")
                    found.add(f"{schema.removeprefix(institution) if is_own else schema}.{table}")
    finally:
        connection.close()
    return found


def schemas_of(superuser: str, institution: str) -> set[str]:
    """The layers of which the database has a schema."""
    connection = psycopg2.connect(superuser)
    try:
        with connection, connection.cursor() as cursor:
            cursor.execute("select nspname from pg_namespace where starts_with(nspname, %s)", (f"{institution}_",))
            return {name.removeprefix(institution) for (name,) in cursor.fetchall()}
    finally:
        connection.close()
