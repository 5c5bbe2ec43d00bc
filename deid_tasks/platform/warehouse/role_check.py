"""The comparison of a database's roles, owners and privileges with what they should be."""

from collections import defaultdict
from typing import Any

from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.platform.warehouse.further_rights import further_rights
from deid_tasks.platform.warehouse.role_difference import RoleDifference, listed
from deid_tasks.platform.warehouse.role_members import group_roles, member_differences, read_members
from deid_tasks.platform.warehouse.roles import EVERY_TABLE, OWNERS, RIGHTS, layers_of, needed_tasks, role_name
from deid_tasks.settings import InstitutionSettings, SchemaLayer

_PRIVILEGES = ["select", "insert", "update", "delete", "truncate", "references", "trigger"]
_LAYERS: tuple[SchemaLayer, ...] = ("ehr", *OWNERS)


def role_differences(connection: Any, settings: InstitutionSettings) -> list[RoleDifference]:
    """Return how the database's roles, and their members, differ from what ``deid roles`` writes.

    In the institution's schemas privileges from any source count; elsewhere those that name a role, a member, or, where
    raw tables are, everybody. It looks at no other database, and not at functions and sequences.
    """
    missing = _missing_roles(connection, settings)
    if missing:
        return missing
    members = read_members(connection, settings)
    return [
        *member_differences(connection, settings, members),
        *_owners(connection, settings),
        *_schemas(connection, settings),
        *_tables(connection, settings),
        *_later_tables(connection, settings),
        *further_rights(connection, settings, members),
    ]


def _missing_roles(connection: Connection, settings: InstitutionSettings) -> list[RoleDifference]:
    with connection.cursor() as cursor:
        cursor.execute("select rolname from pg_roles where rolname = any(%s)", (group_roles(settings),))
        present = {name for (name,) in cursor.fetchall()}
    return [RoleDifference(name, "role", "exists", "missing") for name in group_roles(settings) if name not in present]


def _owners(connection: Connection, settings: InstitutionSettings) -> list[RoleDifference]:
    wanted = {settings.schema_name(layer): role_name(settings, task) for layer, task in OWNERS.items()}
    with connection.cursor() as cursor:
        cursor.execute(
            """
            select nspname, nspname, pg_get_userbyid(nspowner) from pg_namespace where nspname = any(%(schemas)s)
            union all
            select n.nspname, n.nspname || '.' || c.relname, pg_get_userbyid(c.relowner)
            from pg_class as c inner join pg_namespace as n on c.relnamespace = n.oid
            where n.nspname = any(%(schemas)s) and c.relkind in ('r', 'p', 'v', 'm', 'f')
            order by 2
            """,
            {"schemas": list(wanted)},
        )
        return [
            RoleDifference(wanted[schema], what, "owner", f"owner is {owner}")
            for schema, what, owner in cursor.fetchall()
            if owner != wanted[schema]
        ]


def _schemas(connection: Connection, settings: InstitutionSettings) -> list[RoleDifference]:
    found: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    with connection.cursor() as cursor:
        cursor.execute(
            """
            select r.rolname, n.nspname, lower(p.name)
            from pg_roles as r, pg_namespace as n, unnest(array['USAGE', 'CREATE']) as p (name)
            where r.rolname = any(%s) and n.nspname = any(%s) and has_schema_privilege(r.oid, n.oid, p.name)
            """,
            (group_roles(settings), [settings.schema_name(layer) for layer in _LAYERS]),
        )
        for role, schema, privilege in cursor.fetchall():
            found[role, schema].add(privilege)
    differences = []
    for task in needed_tasks(settings):
        for layer in _LAYERS:
            if OWNERS.get(layer) == task:
                continue
            wanted = {"usage"} if layer in layers_of(task) else set()
            if layer == "ehr" and task == "land":
                wanted.add("create")
            key = role_name(settings, task), settings.schema_name(layer)
            if found[key] != wanted:
                differences.append(RoleDifference(*key, listed(wanted), listed(found[key])))
    return differences


def _tables(connection: Connection, settings: InstitutionSettings) -> list[RoleDifference]:
    found: defaultdict[tuple[str, str, str], set[str]] = defaultdict(set)
    with connection.cursor() as cursor:
        cursor.execute(
            """
            select n.nspname, c.relname
            from pg_class as c inner join pg_namespace as n on c.relnamespace = n.oid
            where n.nspname = any(%s) and c.relkind in ('r', 'p', 'v', 'm', 'f')
            order by 1, 2
            """,
            ([settings.schema_name(layer) for layer in _LAYERS],),
        )
        tables = cursor.fetchall()
        cursor.execute(
            """
            select r.rolname, n.nspname, c.relname, p.name
            from pg_roles as r, unnest(%(privileges)s) as p (name),
                pg_class as c inner join pg_namespace as n on c.relnamespace = n.oid
            where r.rolname = any(%(roles)s) and n.nspname = any(%(schemas)s)
                and c.relkind in ('r', 'p', 'v', 'm', 'f') and has_table_privilege(r.oid, c.oid, p.name)
            union all
            select r.rolname, n.nspname, c.relname, p.name || ' ' || a.attname
            from pg_roles as r, unnest(array['select', 'insert', 'update']) as p (name),
                pg_class as c inner join pg_namespace as n on c.relnamespace = n.oid
                inner join pg_attribute as a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
            where r.rolname = any(%(roles)s) and n.nspname = any(%(schemas)s)
                and c.relkind in ('r', 'p', 'v', 'm', 'f') and has_column_privilege(r.oid, c.oid, a.attnum, p.name)
                and not has_table_privilege(r.oid, c.oid, p.name)
            """,
            {
                "privileges": _PRIVILEGES,
                "roles": group_roles(settings),
                "schemas": [settings.schema_name(layer) for layer in _LAYERS],
            },
        )
        for role, schema, table, privilege in cursor.fetchall():
            found[role, schema, table].add(privilege)
    differences = []
    layer_of = {settings.schema_name(layer): layer for layer in _LAYERS}
    for task in needed_tasks(settings):
        role = role_name(settings, task)
        for schema, table in tables:
            if OWNERS.get(layer_of[schema]) == task:
                continue
            if layer_of[schema] == "ehr" and task == "land":
                # Tables that landing made are its own.
                found[role, schema, table] -= {"truncate", "references", "trigger"}
            wanted = _wanted(settings, role, layer_of[schema], table)
            if found[role, schema, table] != wanted:
                differences.append(
                    RoleDifference(role, f"{schema}.{table}", listed(wanted), listed(found[role, schema, table]))
                )
    return differences


def _wanted(settings: InstitutionSettings, role: str, layer: SchemaLayer, table: str) -> set[str]:
    wanted: set[str] = set()
    for task in needed_tasks(settings):
        for right in RIGHTS[task]:
            if role_name(settings, task) == role and right.layer == layer and right.table in {EVERY_TABLE, table}:
                wanted |= {
                    f"{privilege} {column}" if column else privilege
                    for privilege in right.privileges
                    for column in right.columns or ("",)
                }
    return wanted


def _later_tables(connection: Connection, settings: InstitutionSettings) -> list[RoleDifference]:
    """Return which readers of dbt's layers would not read a table that dbt makes next."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            select n.nspname, pg_get_userbyid(d.defaclrole), pg_get_userbyid(g.grantee)
            from pg_default_acl as d
            inner join pg_namespace as n on d.defaclnamespace = n.oid
            cross join lateral aclexplode(d.defaclacl) as g
            where d.defaclobjtype = 'r' and g.privilege_type = 'SELECT' and n.nspname = any(%s)
            """,
            ([settings.schema_name(layer) for layer in OWNERS],),
        )
        given = set(cursor.fetchall())
    return [
        RoleDifference(
            role_name(settings, task), f"later tables of {settings.schema_name(right.layer)}", "select", "nothing"
        )
        for task in needed_tasks(settings)
        for right in RIGHTS[task]
        if right.table == EVERY_TABLE
        and right.layer in OWNERS
        and (
            settings.schema_name(right.layer),
            role_name(settings, OWNERS[right.layer]),
            role_name(settings, task),
        )
        not in given
    ]
