"""Rights of an institution's roles and their members beside those that ``deid roles`` gives.

The raw tables of a layout may lie in any schema of the database, so every schema is searched.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from psycopg2 import sql
from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.platform.warehouse.role_difference import RoleDifference, listed
from deid_tasks.platform.warehouse.role_members import RoleMember, group_roles
from deid_tasks.platform.warehouse.roles import OWNERS, role_name
from deid_tasks.platform.warehouse.statement_text import statement_text
from deid_tasks.settings import InstitutionSettings, SchemaLayer

_LAYERS: tuple[SchemaLayer, ...] = ("ehr", *OWNERS)
_EVERYBODY = "public"

_GRANTS = """
with granted as (
    select 'schema' as kind, n.oid as schema_id, n.nspname::text as object, '' as col, n.nspowner as owner,
        n.nspacl as acl
    from pg_namespace as n
    union all
    select 'table', c.relnamespace, c.relname, '', c.relowner, c.relacl from pg_class as c
    -- Views and tables of extensions are the server's.
    where c.relkind in ('r', 'p', 'v', 'm', 'f') and not exists (
        select from pg_depend where classid = 'pg_class'::regclass and objid = c.oid and deptype = 'e'
    )
    union all
    select 'table', c.relnamespace, c.relname, a.attname, c.relowner, a.attacl
    from pg_attribute as a inner join pg_class as c on a.attrelid = c.oid
    where a.attacl is not null and not a.attisdropped
    union all
    select 'later tables', d.defaclnamespace, pg_get_userbyid(d.defaclrole), '', d.defaclrole, d.defaclacl
    from pg_default_acl as d where d.defaclobjtype = 'r'
    union all
    select 'database', 0, d.datname, '', d.datdba, d.datacl from pg_database as d where d.datname = current_database()
),
read as (
    select distinct t.relnamespace as schema_id
    from pg_class as v
    inner join pg_rewrite as w on w.ev_class = v.oid
    inner join pg_depend as d
        on d.classid = 'pg_rewrite'::regclass and d.objid = w.oid and d.refclassid = 'pg_class'::regclass
    inner join pg_class as t on d.refobjid = t.oid
    where v.relnamespace = to_regnamespace(quote_ident(%(staging)s))
)
select
    coalesce(r.rolname, 'public'), g.kind, coalesce(n.nspname, ''), g.object,
    lower(x.privilege_type) || case when g.col = '' then '' else format(' (%%I)', g.col) end,
    exists (
        select from pg_roles as o
        where n.nspname <> all(%(own)s) and o.rolname = substring(n.nspname from %(layer_of)s) || '_owner'
    )
from granted as g
cross join lateral aclexplode(g.acl) as x
left join pg_namespace as n on g.schema_id = n.oid
left join pg_roles as r on x.grantee = r.oid
where x.grantee <> g.owner and coalesce(n.nspname !~ '^(pg_|information_schema$)', true) and (
    r.rolname = any(%(roles)s)
    -- What everybody may do with raw tables, if everybody may enter their schema.
    or x.grantee = 0 and (
        g.kind = 'database' or n.nspname <> all(%(own)s) and has_schema_privilege('public', n.oid, 'usage')
        and (n.nspname = 'public' or n.oid in (select schema_id from read))
    )
)
order by 1, 2, 3, 4, 5
"""

_OWNED = """
select pg_get_userbyid(o.owner), o.kind, coalesce(n.nspname, ''), o.object
from (
    select 'schema' as kind, oid as schema_id, nspname::text as object, nspowner as owner from pg_namespace
    union all
    select 'table', relnamespace, relname, relowner from pg_class where relkind in ('r', 'p', 'v', 'm', 'f')
    union all
    select 'database', 0, datname, datdba from pg_database where datname = current_database()
) as o
left join pg_namespace as n on o.schema_id = n.oid
where coalesce(n.nspname !~ '^pg_', true) and pg_get_userbyid(o.owner) = any(%(roles)s)
    and coalesce(n.nspname <> all(%(own)s), true)
order by 1, 2, 3, 4
"""


class _Place(NamedTuple):
    """What privileges are on."""

    kind: str
    schema: str
    name: str

    @property
    def shown(self) -> str:
        """The place for people to read."""
        if self.kind == "later tables":
            return f"later tables of {self.name}{f' in {self.schema}' if self.schema else ''}"
        return f"{self.schema}.{self.name}" if self.kind == "table" else f"{self.kind} {self.name}"

    @property
    def object(self) -> str:
        """The place as SQL."""
        names = (self.schema, self.name) if self.kind == "table" else (self.name,)
        return statement_text(sql.SQL("{} {}").format(sql.SQL(self.kind), sql.Identifier(*names)))

    def revoke(self, role: str, privileges: str, *, in_schema: bool) -> str:
        """Return the statement that takes privileges from a role, on all tables of the schema if so asked."""
        schema = statement_text(sql.Identifier(self.schema))
        before, on = "", self.object
        if self.kind == "later tables":
            maker = statement_text(sql.Identifier(self.name))
            before, on = (
                f"alter default privileges for role {maker}{f' in schema {schema}' if self.schema else ''} ",
                "tables",
            )
        elif in_schema:
            on = f"all tables in schema {schema}"
        grantee = role if role == _EVERYBODY else statement_text(sql.Identifier(role))
        return f"{before}revoke {privileges} on {on} from {grantee};"


def further_rights(
    connection: Connection, settings: InstitutionSettings, members: Sequence[RoleMember]
) -> list[RoleDifference]:
    """Return what the roles may do outside the institution's schemas, and members or everybody besides.

    ``source`` and ``build`` may read raw tables wherever the hospital has them, but nothing of another institution.
    """
    roles = [*group_roles(settings), *(member.name for member in members)]
    names = {
        "roles": roles,
        "own": [settings.schema_name(layer) for layer in _LAYERS],
        "staging": settings.schema_name("staging"),
        "layer_of": f"^(.+)_(?:{'|'.join(_LAYERS)})$",
    }
    with connection.cursor() as cursor:
        cursor.execute(_GRANTS, names)
        granted = cursor.fetchall()
        cursor.execute(_OWNED, names)
        owned = cursor.fetchall()
    differences = [
        RoleDifference(role, place.shown, "no owner", "owner", f"alter {place.object} owner to …;")
        for role, place in ((role, _Place(*place)) for role, *place in owned)
    ]
    found: defaultdict[tuple[str, _Place], set[str]] = defaultdict(set)
    wanted: defaultdict[tuple[str, _Place], set[str]] = defaultdict(set)
    for role, kind, schema, name, privilege, is_foreign in granted:
        # What a role should have in the institution's schemas is compared elsewhere.
        if role not in group_roles(settings) or schema not in names["own"]:
            where = role, _Place(kind, schema, name)
            found[where].add(privilege)
            # Who may read a table may read single columns of it.
            if privilege.partition(" (")[0] in _allowed(settings, role, kind, is_foreign=is_foreign):
                wanted[where].add(privilege)
    return differences + _joined_tables(found, wanted)


def _allowed(settings: InstitutionSettings, role: str, kind: str, *, is_foreign: bool) -> set[str]:
    if kind == "database":
        return {"connect", "temporary"}
    if role == _EVERYBODY:
        return {"usage"} if kind == "schema" else set()
    readers = {role_name(settings, "source"), role_name(settings, "build")}
    return {"usage", "select"} if role in readers and not is_foreign else set()


def _joined_tables(
    found: dict[tuple[str, _Place], set[str]], wanted: dict[tuple[str, _Place], set[str]]
) -> list[RoleDifference]:
    """Return a difference for each place; tables of a schema on which a role has the same privileges are one."""
    places: defaultdict[tuple[str, str, str, tuple[str, ...], tuple[str, ...]], list[_Place]] = defaultdict(list)
    for (role, place), privileges in found.items():
        if extra := privileges - wanted[role, place]:
            apart = "" if place.kind == "table" else place.name
            places[
                role, place.kind + apart, place.schema, tuple(sorted(extra)), tuple(sorted(wanted[role, place]))
            ].append(place)
    differences = []
    for (role, _, schema, further, allowed), same in places.items():
        is_many = len(same) > 1 and not any(" " in one for one in further)
        for place in same[:1] if is_many else same:
            what = f"{len(same)} tables of {schema}, such as {place.name}" if is_many else place.shown
            mend = place.revoke(role, ", ".join(further), in_schema=is_many)
            differences.append(RoleDifference(role, what, listed({*allowed}), listed({*further, *allowed}), mend))
    return differences
