"""Makes the database roles of an institution, and a login for each connection that its settings name."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from psycopg2 import sql
from psycopg2.extensions import connection as Connection  # noqa: N812
from psycopg2.extensions import encrypt_password

from deid_tasks.core.errors import SettingsError
from deid_tasks.platform.warehouse.connection import open_connection, warehouse_errors
from deid_tasks.platform.warehouse.role_grants import roles_script
from deid_tasks.platform.warehouse.roles import needed_tasks, role_name
from deid_tasks.platform.warehouse.server_logs import silence_login
from deid_tasks.settings import DatabaseTask, InstitutionSettings, Secrets

_LOGIN = """
do $login$
begin
    if to_regrole(quote_ident({login})) is null then
        execute format('create role %I', {login});
    end if;
    execute format(
        'alter role %I with login nosuperuser nocreatedb nocreaterole noreplication nobypassrls password %L',
        {login}, {verifier}
    );
    execute format('grant %I to %I', {group}, {login});
    execute format('alter role %I set role = %I', {login}, {group});
end
$login$;
"""


@dataclass(frozen=True, slots=True)
class RoleLogin:
    """The login of one kind of task."""

    task: DatabaseTask
    user: str
    password: str = field(repr=False)


def make_roles(superuser_uri: str, settings: InstitutionSettings, secrets: Secrets) -> list[RoleLogin]:
    """Run what ``deid roles`` writes, and make a login for each kind of task; return the logins.

    User and password of a login are those of the connection that the settings name for its task. A login that exists
    gets this password. The server is sent a SCRAM verifier, so no password reaches its log, and told to log none of the
    logins' statements.

    Args:
        superuser_uri: URI of the platform's database, of a superuser.
        settings: The institution.
        secrets: The URIs of its connections.

    Raises:
        SettingsError: two kinds of tasks share a connection or a user, or a URI has no user or password.
        WarehouseError: the server cannot be reached, or refuses a statement.
    """
    logins = role_logins(settings, secrets)
    administrator = unquote(urlsplit(superuser_uri).username or "")
    for login in logins:
        if login.user == administrator:
            raise SettingsError(
                f"warehouse.connections.{login.task}: its user is the superuser who makes the roles; give it its own"
            )
    connection = open_connection(superuser_uri)
    try:
        with warehouse_errors(superuser_uri):
            # The script has its own transaction.
            connection.autocommit = True
            with connection.cursor() as cursor:
                cursor.execute(roles_script(settings))
                for login in logins:
                    cursor.execute(_statement(connection, settings, login))
                    cursor.execute(silence_login(login.user))
    finally:
        connection.close()
    return logins


def role_logins(settings: InstitutionSettings, secrets: Secrets) -> list[RoleLogin]:
    """Return the login of each kind of task; raise ``SettingsError`` where two share one, or a URI is incomplete."""
    tasks_of: dict[str, list[DatabaseTask]] = {}
    for task in needed_tasks(settings):
        tasks_of.setdefault(settings.warehouse.connection_of(task), []).append(task)
    for name, tasks in tasks_of.items():
        if len(tasks) > 1:
            raise SettingsError(
                f"{', '.join(tasks)} share the connection {name}: a login acts as one role, so name one for each in"
                " warehouse.connections"
            )
    logins = [_login(task, name, secrets.text(name)) for name, [task] in tasks_of.items()]
    _check_users({login.task: login.user for login in logins})
    return logins


def _login(task: DatabaseTask, name: str, uri: str) -> RoleLogin:
    parts = urlsplit(uri)
    if not parts.username or not parts.password:
        raise SettingsError(f"connection {name}: its URI must name the user and the password of the login")
    return RoleLogin(task, unquote(parts.username), unquote(parts.password))


def _check_users(users: Mapping[DatabaseTask, str]) -> None:
    seen: dict[str, DatabaseTask] = {}
    for task, user in users.items():
        if (other := seen.setdefault(user, task)) != task:
            raise SettingsError(f"the connections of {other} and {task} have the same user; a login acts as one role")


def _statement(connection: Connection, settings: InstitutionSettings, login: RoleLogin) -> sql.Composed:
    return sql.SQL(_LOGIN).format(
        login=sql.Literal(login.user),
        group=sql.Literal(role_name(settings, login.task)),
        verifier=sql.Literal(encrypt_password(login.password, login.user, connection, "scram-sha-256")),
    )
