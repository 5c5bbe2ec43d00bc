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


def statement_text(statement: sql.Composable) -> str:
    """Return a statement as text for people to read and run; no connection is needed to quote its names."""
    from sqlalchemy.dialects.postgresql.psycopg2 import PGDialect_psycopg2

    if isinstance(statement, sql.Composed):
        return "".join(map(statement_text, statement.seq))
    if isinstance(statement, sql.Identifier):
        quote = PGDialect_psycopg2().identifier_preparer.quote  # type: ignore[no-untyped-call]
        return ".".join(quote(name) for name in statement.strings)
    if isinstance(statement, sql.Literal):
        return "'" + str(statement.wrapped).replace("'", "''") + "'"
    assert isinstance(statement, sql.SQL)
    return statement.string
