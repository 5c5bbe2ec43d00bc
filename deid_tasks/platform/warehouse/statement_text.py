"""SQL statements as text, for people to read and run."""

from psycopg2 import sql


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
