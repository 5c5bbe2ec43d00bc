"""Who is a member of an institution's database roles, and what else these members are.

A login acts as one role, but it may leave that role by ``reset role``: whatever the login itself may do counts.
"""

from collections.abc import Sequence
from typing import NamedTuple

from psycopg2 import sql
from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.platform.warehouse.role_difference import RoleDifference
from deid_tasks.platform.warehouse.roles import needed_tasks, role_name
from deid_tasks.platform.warehouse.statement_text import statement_text
from deid_tasks.settings import InstitutionSettings

_MEMBERS = """
with recursive member as (
    select g.rolname as top, m.member from pg_auth_members as m inner join pg_roles as g on m.roleid = g.oid
    where g.rolname = any(%(groups)s)
    union
    select above.top, m.member from member as above inner join pg_auth_members as m on m.roleid = above.member
)
select r.rolname, array_agg(distinct m.top::text order by m.top::text), min(s.acts_as)
from member as m
inner join pg_roles as r on m.member = r.oid
left join lateral (
    select substring(setting from 6) as acts_as from pg_db_role_setting, unnest(setconfig) as setting
    where setrole = r.oid and setdatabase in (0, (select oid from pg_database where datname = current_database()))
        and starts_with(setting, 'role=')
) as s on true
-- The superuser who made the server's databases may be a member of anything.
where r.oid <> 10 and r.rolname <> all(%(groups)s)
group by 1 order by 1
"""


class RoleMember(NamedTuple):
    """A member of roles of the institution, through others too."""

    name: str
    groups: tuple[str, ...]
    own: str
    """The one of the roles that it acts as: that of its setting ``role``, or else by its name."""


def read_members(connection: Connection, settings: InstitutionSettings) -> list[RoleMember]:
    """Return the members of the institution's roles, by name.

    An administrator is not among them: who is a member of every role, and acts as none of them. A server without
    superusers needs one.
    """
    groups = group_roles(settings)
    members = []
    with connection.cursor() as cursor:
        cursor.execute(_MEMBERS, {"groups": groups})
        for name, reached, acts_as in cursor.fetchall():
            if acts_as is None and len(reached) == len(groups):
                continue
            by_name = next((group for group in reached if name.startswith(group)), reached[0])
            members.append(RoleMember(name, tuple(reached), acts_as if acts_as in reached else by_name))
    return members


def group_roles(settings: InstitutionSettings) -> list[str]:
    """Return the names of the institution's roles."""
    return [role_name(settings, task) for task in needed_tasks(settings)]


def member_differences(
    connection: Connection, settings: InstitutionSettings, members: Sequence[RoleMember]
) -> list[RoleDifference]:
    """Return attributes that no role of the institution and no member of one may have, and further memberships."""
    return [*_attributes(connection, settings, members), *_memberships(connection, settings, members)]


def _attributes(
    connection: Connection, settings: InstitutionSettings, members: Sequence[RoleMember]
) -> list[RoleDifference]:
    groups = group_roles(settings)
    with connection.cursor() as cursor:
        cursor.execute(
            """
            select r.rolname, a.name
            from pg_roles as r
            cross join lateral (values
                ('login', r.rolcanlogin and r.rolname = any(%(groups)s)), ('superuser', r.rolsuper),
                ('createrole', r.rolcreaterole), ('createdb', r.rolcreatedb), ('bypassrls', r.rolbypassrls),
                ('replication', r.rolreplication)
            ) as a (name, is_set)
            where r.rolname = any(%(roles)s) and a.is_set
            order by 1, 2
            """,
            {"groups": groups, "roles": [*groups, *(member.name for member in members)]},
        )
        return [
            RoleDifference(
                role,
                "role",
                f"no{name}",
                name,
                statement_text(sql.SQL("alter role {} {};").format(sql.Identifier(role), sql.SQL(f"no{name}"))),
            )
            for role, name in cursor.fetchall()
        ]


def _memberships(
    connection: Connection, settings: InstitutionSettings, members: Sequence[RoleMember]
) -> list[RoleDifference]:
    allowed: dict[str, set[str]] = {group: set() for group in group_roles(settings)}
    between = {member.name for member in members}
    for member in members:
        allowed[member.name] = (_together(settings, member.own) | between) - {member.name}
    with connection.cursor() as cursor:
        cursor.execute(
            """
            select distinct r.rolname, g.rolname
            from pg_auth_members as m
            inner join pg_roles as r on m.member = r.oid
            inner join pg_roles as g on m.roleid = g.oid
            where r.rolname = any(%s)
            order by 1, 2
            """,
            (list(allowed),),
        )
        return [
            RoleDifference(
                role,
                f"role {other}",
                "nothing",
                "membership",
                statement_text(sql.SQL("revoke {} from {};").format(sql.Identifier(other), sql.Identifier(role))),
            )
            for role, other in cursor.fetchall()
            if other not in allowed[role]
        ]


def _together(settings: InstitutionSettings, group: str) -> set[str]:
    """Return the roles whose tasks share the connection of one role's task: one login may be a member of all these."""
    connection_of = {
        role_name(settings, task): settings.warehouse.connection_of(task) for task in needed_tasks(settings)
    }
    return {one for one, name in connection_of.items() if name == connection_of[group]}
