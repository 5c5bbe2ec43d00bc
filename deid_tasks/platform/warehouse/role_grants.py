"""The SQL that gives the database roles their rights, and the comparison of a database with it."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from psycopg2 import sql
from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.platform.warehouse.roles import (
    EVERY_TABLE,
    MEANINGS,
    OWNERS,
    RIGHTS,
    Right,
    layers_of,
    needed_tasks,
    role_name,
)
from deid_tasks.platform.warehouse.statement_text import statement_text
from deid_tasks.platform.warehouse.statements import column_list
from deid_tasks.settings import DatabaseTask, InstitutionSettings, SchemaLayer

_LAYERS: tuple[SchemaLayer, ...] = ("ehr", *OWNERS)
_MIGRATED: tuple[SchemaLayer, ...] = ("results", "gold")
"""Layers whose tables migrations make."""

_HEADER = """\
-- Database roles of {institution}: who may do what. Running it again changes nothing, or mends what was changed.
-- Run it as a superuser of the platform's database; `deid roles --check` compares.
-- A login is a member of one role, and acts as it from its first statement:
--   create role {institution}_engine_login login password '…' in role {institution}_engine;
--   alter role {institution}_engine_login set role = {institution}_engine;
"""

_CREATE_ROLES = """
do $roles$
declare wanted text;
begin
    foreach wanted in array array[{names}] loop
        if to_regrole(quote_ident(wanted)) is null then
            execute format('create role %I nologin', wanted);
        end if;
        execute format('grant connect, temporary on database %I to %I', current_database(), wanted);
    end loop;
end
$roles$;
"""

_OWN_TABLES = """
do $owners$
declare found record;
begin
    for found in
        select c.oid::regclass::text as name, w.owner, 'table' as kind
        from (values {rows}) as w (schema_name, owner)
        inner join pg_class as c on c.relnamespace = w.schema_name::regnamespace and c.relowner <> w.owner::regrole
        where c.relkind in ('r', 'p', 'v', 'm', 'f')
        union all
        select p.oid::regprocedure::text, w.owner, 'routine'
        from (values {rows}) as w (schema_name, owner)
        inner join pg_proc as p on p.pronamespace = w.schema_name::regnamespace and p.proowner <> w.owner::regrole
    loop
        execute format('alter %s %s owner to %I', found.kind, found.name, found.owner);
    end loop;
end
$owners$;
"""

_GRANT_TABLES = """
do $grants$
declare wanted record;
begin
    for wanted in
        select * from (values
            {rows}
        ) as one (role_name, privileges, schema_name, table_name)
        -- A table that dbt or an upgrade has yet to make gets its grants then.
        where to_regclass(format('%I.%I', schema_name, table_name)) is not null
    loop
        execute format(
            'grant %s on %I.%I to %I', wanted.privileges, wanted.schema_name, wanted.table_name, wanted.role_name
        );
    end loop;
end
$grants$;
"""


def roles_script(settings: InstitutionSettings) -> str:
    """Return the SQL that makes an institution's roles and gives them exactly their rights, in one transaction."""
    parts: list[sql.Composable] = [sql.SQL("begin;\n\n-- Roles without a login.")]
    parts += [sql.SQL(f"\n--   {task}: {MEANINGS[task]}") for task in needed_tasks(settings)]
    parts.append(sql.SQL(_CREATE_ROLES).format(names=_joined(map(sql.Literal, _roles(settings)))))
    parts.append(sql.SQL("\n-- Schemas and their tables belong to the role that makes them."))
    parts += [_own_schema(settings, layer) for layer in OWNERS]
    parts.append(sql.SQL(_OWN_TABLES).format(rows=_joined(_schema_and_owner(settings, layer) for layer in OWNERS)))
    parts.append(sql.SQL("\n-- Who may enter which schema."))
    parts += [_enter_schema(settings, layer) for layer in _LAYERS]
    parts.append(sql.SQL("\n\n-- Raw tables, and every table of dbt: those of later builds too."))
    parts += [_whole_layer(settings, layer) for layer in _LAYERS if layer not in _MIGRATED]
    parts.append(sql.SQL("\n\n-- Single tables."))
    parts += [table_grants(settings, ("staging",), is_whole=False), table_grants(settings, _MIGRATED)]
    parts.append(sql.SQL("\ncommit;\n"))
    return _HEADER.format(institution=settings.institution) + statement_text(sql.Composed(parts))


def table_grants(
    settings: InstitutionSettings, layers: Sequence[SchemaLayer], *, is_whole: bool = True
) -> sql.Composed:
    """Return the statements that give the roles their rights on single tables.

    Args:
        settings: The institution.
        layers: The layers of the tables.
        is_whole: Whether to take all other rights on the layers' tables away.
    """
    rows = [
        sql.SQL("({}, {}, {}, {})").format(
            sql.Literal(role_name(settings, task)),
            sql.Literal(", ".join(f"{one}{_columns(right.columns)}" for one in right.privileges)),
            sql.Literal(settings.schema_name(right.layer)),
            sql.Literal(right.table),
        )
        for task, right in _rights(settings)
        if right.layer in layers and right.table != EVERY_TABLE
    ]
    granted = sql.SQL(_GRANT_TABLES).format(rows=sql.SQL(",\n            ").join(rows))
    if not is_whole:
        return granted
    return sql.Composed([_revoke(settings, layer) for layer in layers]) + granted


def have_roles(connection: Connection, settings: InstitutionSettings) -> bool:
    """Whether the database has all roles of the institution."""
    with connection.cursor() as cursor:
        cursor.execute("select count(*) from pg_roles where rolname = any(%s)", (_roles(settings),))
        row = cursor.fetchone()
    return bool(row and row[0] == len(_roles(settings)))


def grant_new_tables(connection: Any, settings: InstitutionSettings) -> None:
    """Give the roles their rights after an upgrade made tables; nothing in a database without these roles.

    The role of ``connection`` must own the tables.
    """
    if have_roles(connection, settings):
        with connection.cursor() as cursor:
            for layer in _MIGRATED:
                # A release may let a role read a table of a schema that it could not enter before.
                cursor.execute(_enter_schema(settings, layer))
            cursor.execute(table_grants(settings, _MIGRATED))


def _rights(settings: InstitutionSettings) -> Iterator[tuple[DatabaseTask, Right]]:
    return ((task, right) for task in needed_tasks(settings) for right in RIGHTS[task])


def _own_schema(settings: InstitutionSettings, layer: SchemaLayer) -> sql.Composed:
    return sql.SQL("\ncreate schema if not exists {schema};\nalter schema {schema} owner to {owner};").format(
        schema=_schema(settings, layer), owner=sql.Identifier(role_name(settings, OWNERS[layer]))
    )


def _schema_and_owner(settings: InstitutionSettings, layer: SchemaLayer) -> sql.Composed:
    return sql.SQL("({}, {})").format(
        sql.Literal(settings.schema_name(layer)), sql.Literal(role_name(settings, OWNERS[layer]))
    )


def _enter_schema(settings: InstitutionSettings, layer: SchemaLayer) -> sql.Composed:
    entering = [role_name(settings, task) for task in needed_tasks(settings) if layer in layers_of(task)]
    owner = OWNERS.get(layer)
    others = [sql.Identifier(role_name(settings, task)) for task in needed_tasks(settings) if task != owner]
    statement = "\nrevoke all on schema {schema} from {others};"
    if entering:
        statement += "\ngrant usage on schema {schema} to {entering};"
    if layer == "ehr":
        statement = "\ncreate schema if not exists {schema};" + statement
    if layer == "ehr" and settings.landing is not None:
        statement += "\ngrant create on schema {schema} to {land};"
    return sql.SQL(statement).format(
        schema=_schema(settings, layer),
        others=_joined([*([] if owner is None else [sql.SQL("public")]), *others]),
        entering=column_list(entering),
        land=sql.Identifier(role_name(settings, "land")),
    )


def _whole_layer(settings: InstitutionSettings, layer: SchemaLayer) -> sql.Composed:
    """Return the rights on every table of a layer, and on those that its owner makes later."""
    parts = [_revoke(settings, layer)]
    maker = role_name(settings, OWNERS.get(layer, "land"))
    for task, right in _rights(settings):
        if right.layer != layer or right.table != EVERY_TABLE:
            continue
        names = {
            "schema": _schema(settings, layer),
            "maker": sql.Identifier(maker),
            "role": sql.Identifier(role_name(settings, task)),
            "privileges": sql.SQL(", ".join(right.privileges)),
        }
        parts.append(sql.SQL("\ngrant {privileges} on all tables in schema {schema} to {role};").format(**names))
        if maker in _roles(settings) and maker != role_name(settings, task):
            parts.append(
                sql.SQL(
                    "\nalter default privileges for role {maker} in schema {schema} grant {privileges} on tables"
                    " to {role};"
                ).format(**names)
            )
    return sql.Composed(parts)


def _revoke(settings: InstitutionSettings, layer: SchemaLayer) -> sql.Composed:
    """Take the rights on a layer's tables from every role but its owner; the hospital's own grants stay."""
    owner = OWNERS.get(layer)
    others = [sql.Identifier(role_name(settings, task)) for task in needed_tasks(settings) if task != owner]
    public = [] if owner is None else [sql.SQL("public")]
    return sql.SQL("\nrevoke all on all tables in schema {} from {};").format(
        _schema(settings, layer), _joined([*public, *others])
    )


def _roles(settings: InstitutionSettings) -> list[str]:
    return [role_name(settings, task) for task in needed_tasks(settings)]


def _schema(settings: InstitutionSettings, layer: SchemaLayer) -> sql.Identifier:
    return sql.Identifier(settings.schema_name(layer))


def _joined(parts: Iterable[sql.Composable]) -> sql.Composed:
    return sql.SQL(", ").join(parts)


def _columns(columns: tuple[str, ...]) -> str:
    return f" ({', '.join(columns)})" if columns else ""
