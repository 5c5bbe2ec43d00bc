"""The databases of the demo that belong to one program each: Airflow's own, and the catalog of published tables."""

from urllib.parse import urlsplit

import psycopg2
from psycopg2 import sql
from psycopg2.extensions import encrypt_password

_LOGIN = """
do $login$
begin
    if to_regrole(quote_ident({user})) is null then
        execute format('create role %I', {user});
    end if;
    execute format('alter role %I with login nosuperuser nocreatedb nocreaterole password %L', {user}, {verifier});
    execute format('alter database %I owner to %I', current_database(), {user});
    execute format('revoke all on database %I from public', current_database());
    execute format('alter schema public owner to %I', {user});
end
$login$;
"""
_OWN_EVERYTHING = """
do $owners$
declare found record;
begin
    -- What an earlier demo made as the superuser.
    for found in
        select format('table %s', oid::regclass) as what from pg_class
        where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm') and relowner <> {user}::regrole
        union all
        -- A sequence of a column follows its table.
        select format('sequence %s', c.oid::regclass) from pg_class as c
        where c.relnamespace = 'public'::regnamespace and c.relkind = 'S' and c.relowner <> {user}::regrole
            and not exists (select 1 from pg_depend as d where d.objid = c.oid and d.deptype in ('a', 'i'))
        union all
        select format('type %s', oid::regtype) from pg_type
        where typnamespace = 'public'::regnamespace and typtype = 'e' and typowner <> {user}::regrole
    loop
        execute format('alter %s owner to %I', found.what, {user});
    end loop;
end
$owners$;
"""


def make_database_login(superuser_uri: str, login_uri: str) -> None:
    """Make a database and all that it holds belong to one login, and let nobody else connect to it.

    Args:
        superuser_uri: The database, as its superuser.
        login_uri: The same database, with the login's user and password.
    """
    parts = urlsplit(login_uri)
    user, password = parts.username or "", parts.password or ""
    connection = psycopg2.connect(superuser_uri)
    try:
        verifier = encrypt_password(password, user, connection, "scram-sha-256")
        with connection, connection.cursor() as cursor:
            cursor.execute(sql.SQL(_LOGIN).format(user=sql.Literal(user), verifier=sql.Literal(verifier)))
            cursor.execute(sql.SQL(_OWN_EVERYTHING).format(user=sql.Literal(user)))
    finally:
        connection.close()


def end_idle_transactions(superuser_uri: str, seconds: int) -> None:
    """Let the server end the sessions of a database whose transaction has been idle for so long.

    A scheduler of Airflow that is killed alone leaves its workers, which hold its connection open. Its transaction
    would lock the run that it was scheduling for ever, and the next scheduler passes over locked runs.
    """
    connection = psycopg2.connect(superuser_uri)
    try:
        with connection, connection.cursor() as cursor:
            cursor.execute(
                sql.SQL("alter database {} set idle_in_transaction_session_timeout = {}").format(
                    sql.Identifier(connection.info.dbname), sql.Literal(f"{seconds}s")
                )
            )
    finally:
        connection.close()


def close_database(superuser_uri: str) -> None:
    """Let only those connect to a database who were given the right to."""
    connection = psycopg2.connect(superuser_uri)
    try:
        with connection, connection.cursor() as cursor:
            cursor.execute(
                sql.SQL("revoke all on database {} from public").format(sql.Identifier(connection.info.dbname))
            )
    finally:
        connection.close()
