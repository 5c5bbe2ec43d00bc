"""SQL statements over an institution's schemas, composed by the driver: no name is put into a string by hand."""

from psycopg2 import sql

from deid_tasks.settings import InstitutionSettings


def compose(statement: str, settings: InstitutionSettings, **parts: sql.Composable) -> sql.Composed:
    """Return ``statement`` with the schemas of an institution in it.

    Args:
        statement: SQL in which ``{ehr}``, ``{staging}``, ``{history}``, ``{dictionaries}``, ``{results}`` and
            ``{gold}`` stand for the schemas, as in ``select run_id from {results}.run``. Braces of SQL itself are
            doubled.
        settings: The institution's settings.
        parts: What further names in braces stand for.
    """
    return sql.SQL(statement).format(
        ehr=sql.Identifier(settings.schema_name("ehr")),
        staging=sql.Identifier(settings.schema_name("staging")),
        history=sql.Identifier(settings.schema_name("history")),
        dictionaries=sql.Identifier(settings.schema_name("dictionaries")),
        results=sql.Identifier(settings.schema_name("results")),
        gold=sql.Identifier(settings.schema_name("gold")),
        **parts,
    )


def column_list(names: "tuple[str, ...] | list[str]") -> sql.Composed:
    """Return the columns as identifiers between commas."""
    return sql.SQL(", ").join(map(sql.Identifier, names))
