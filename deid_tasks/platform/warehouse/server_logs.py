"""The settings by which a PostgreSQL server writes statements and rows to its log.

Statements of the platform name notes, patients and days, and rows hold their text. A superuser can set the settings for
each login, whatever the server's own are.
"""

from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

from psycopg2 import sql
from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.platform.warehouse.role_members import read_members
from deid_tasks.settings import InstitutionSettings

SILENT_LOG: Mapping[str, str] = {
    # Also a server that stops, or ends a session, logs what it was doing.
    "log_min_error_statement": "panic",
    "log_statement": "none",
    "log_min_duration_statement": "-1",
    "log_min_duration_sample": "-1",
    "log_transaction_sample_rate": "0",
    # DETAIL quotes rows, and CONTEXT lines of COPY.
    "log_error_verbosity": "terse",
    "log_parameter_max_length_on_error": "0",
    # A module that many servers load: its plans begin with the statement.
    "auto_explain.log_min_duration": "-1",
}
"""With these no statement and no row of a statement reaches the log."""

_ALSO_SILENT: Mapping[str, frozenset[str]] = {"log_statement": frozenset({"ddl"})}

_PRESENT = """
select name, setting, source in ('user', 'database user', 'session', 'client') from pg_settings where name = any(%s)
"""
_OF_LOGINS = """
select r.rolname, split_part(one, '=', 1), substring(one from position('=' in one) + 1)
from pg_db_role_setting as s
inner join pg_roles as r on s.setrole = r.oid
cross join lateral unnest(s.setconfig) as one
where r.rolname = any(%s) and s.setdatabase in (0, (select oid from pg_database where datname = current_database()))
order by s.setdatabase
"""


class LoggedStatements(NamedTuple):
    """Logins whose statements or rows the server may log."""

    logins: tuple[str, ...]
    because: Mapping[str, str]
    """The settings that let it, with their values; a value that this login cannot see is ``not known``."""

    def __str__(self) -> str:
        shown = ", ".join(f"{name} is {value}" for name, value in self.because.items())
        return f"PostgreSQL may log statements of {', '.join(self.logins)}, with ids, dates and parts of rows: {shown}"

    @property
    def mend(self) -> str:
        """The statements by which a superuser sets these settings for the server."""
        return "".join(f"alter system set {name} = '{SILENT_LOG[name]}'; " for name in self.because) + (
            "select pg_reload_conf();"
        )


def logged_statements(connection: Connection, settings: InstitutionSettings) -> list[LoggedStatements]:
    """Return the logins of the institution's roles, or the present one, whose statements the server may log."""
    with connection.cursor() as cursor:
        cursor.execute("select session_user")
        (user,) = cursor.fetchone() or ("",)
        cursor.execute(_PRESENT, ([*SILENT_LOG],))
        present = {name: (value, is_own) for name, value, is_own in cursor.fetchall()}
        logins = [member.name for member in read_members(connection, settings)] or [user]
        cursor.execute(_OF_LOGINS, (logins,))
        given = {(login, name): value for login, name, value in cursor.fetchall()}
    found: defaultdict[tuple[tuple[str, str], ...], list[str]] = defaultdict(list)
    for login in logins:
        # Where this login's own value hides the server's, nobody but the server's administrator can tell.
        values = {
            name: given.get((login, name), "not known" if is_own and login != user else value)
            for name, (value, is_own) in present.items()
        }
        unsafe = tuple((name, value) for name, value in values.items() if not _is_silent(name, value))
        if unsafe:
            found[unsafe].append(login)
    return [LoggedStatements(tuple(logins), dict(unsafe)) for unsafe, logins in found.items()]


def silence_login(login: str) -> sql.Composed:
    """Return the SQL by which a superuser sets the settings for a login."""
    return sql.SQL("").join(
        sql.SQL("alter role {} set {} = {};\n").format(sql.Identifier(login), sql.SQL(name), sql.Literal(value))
        for name, value in SILENT_LOG.items()
    )


def _is_silent(name: str, value: str) -> bool:
    return value == SILENT_LOG[name] or value in _ALSO_SILENT.get(name, ())
