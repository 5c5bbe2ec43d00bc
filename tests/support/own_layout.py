"""A hospital's own layout, in a folder outside of the checkout, and the raw tables that it reads."""

from pathlib import Path

import psycopg2
from typer.testing import CliRunner

from deid_tasks.cli.app import app

PROJECT = Path(__file__).parents[2] / "dbt"
NOTES = [("N1", "P1", "Seen by Dr. Okafor."), ("N2", "P1", "Discharged home.")]
_MODELS = {
    "patient": "select pid as patient_id, 'F' as sex, null::date as birth_date, 'unknown' as ethnicity_hint"
    " from {{ source('chart', 'person') }}",
    "note": "select nid as note_id, pid as patient_id, 'Progress' as note_type, {{ timestamp_of_text('written') }}"
    " as note_datetime, null::text as author_id, body as note_text, null::timestamp as modified_at,"
    " false as is_deleted from {{ source('chart', 'document') }}",
}
_SOURCES = """version: 2
sources:
  - name: chart
    schema: chart
    tables: [{name: person}, {name: document}]
"""


def write_own_layout(institutions: Path, name: str, *options: str) -> Path:
    """Let ``deid layout new`` write a layout, fill two models in, and return its folder."""
    command = ["layout", "new", name, "--project", str(PROJECT), "--institutions", str(institutions), *options]
    CliRunner().invoke(app, command, catch_exceptions=False)
    folder = institutions / "layouts" / name
    (folder / "sources.yml").write_text(_SOURCES)
    for model, select in _MODELS.items():
        (folder / f"stg_{name}__{model}.sql").write_text(select)
    return folder


def load_raw_tables(uri: str) -> None:
    """Write the raw tables of that layout into a schema with a name of its own."""
    connection = psycopg2.connect(uri)
    with connection, connection.cursor() as cursor:
        cursor.execute(
            "CREATE SCHEMA chart CREATE TABLE person (pid text) CREATE TABLE document (nid text, pid text, written text, body text)"
        )
        cursor.execute("INSERT INTO chart.person VALUES ('P1')")
        for note, patient, text in NOTES:
            cursor.execute("INSERT INTO chart.document VALUES (%s, %s, '2024-01-13 08:30', %s)", (note, patient, text))
    connection.close()


def staged_notes(uri: str, institution: str) -> list[tuple[str, str, str]]:
    """Return the notes of the institution's canonical model."""
    connection = psycopg2.connect(uri)
    with connection, connection.cursor() as cursor:
        cursor.execute(f"SELECT note_id, patient_id, note_text FROM {institution}_staging.stg_note ORDER BY note_id")
        found = cursor.fetchall()
    connection.close()
    return found
