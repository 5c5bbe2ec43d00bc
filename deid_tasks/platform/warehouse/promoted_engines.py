"""Promoted engines: those that passed their evaluation, with the versions of the files that they are built from."""

import datetime
from dataclasses import astuple, dataclass, fields

from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.platform.warehouse.statements import column_list, compose
from deid_tasks.settings import InstitutionSettings


@dataclass(frozen=True, slots=True)
class PromotedEngine:
    """One engine that runs may use."""

    fingerprint: str
    base_fingerprint: str
    """The fingerprint without the versions of lexicon and known people."""
    lexicon: str
    people: str
    harvest: str
    compiled_at: datetime.datetime
    """When its dictionaries were compiled."""
    certificate_id: str
    promoted_at: datetime.datetime
    policy_free_fingerprint: str
    """The base fingerprint without the section ``policy``; empty for an engine of an earlier release."""
    policy: str
    """The section ``policy`` as JSON."""
    outside_bias: float | None = None
    """The bias of its models that an evaluation chose; ``None`` where the settings decide it."""


_COLUMNS = tuple(field.name for field in fields(PromotedEngine))


def write_promoted_engine(connection: Connection, settings: InstitutionSettings, engine: PromotedEngine) -> None:
    """Store a promoted engine; promoting an engine again renews its times and makes it the newest."""
    with connection.cursor() as cursor:
        cursor.execute(
            compose(
                """
                insert into {results}.promoted_engine ({columns}) values %s
                on conflict (fingerprint) do update set
                    lexicon = excluded.lexicon, people = excluded.people, harvest = excluded.harvest,
                    compiled_at = excluded.compiled_at, certificate_id = excluded.certificate_id,
                    promoted_at = excluded.promoted_at, policy = excluded.policy,
                    policy_free_fingerprint = excluded.policy_free_fingerprint
                """,
                settings,
                columns=column_list(_COLUMNS),
            ),
            (astuple(engine),),
        )


def promoted_engines(connection: Connection, settings: InstitutionSettings) -> list[PromotedEngine]:
    """Return the promoted engines of any code and settings, the newest promotion first."""
    with connection.cursor() as cursor:
        cursor.execute(
            compose(
                "select {columns} from {results}.promoted_engine order by promoted_at desc, fingerprint",
                settings,
                columns=column_list(_COLUMNS),
            )
        )
        return [PromotedEngine(*row) for row in cursor.fetchall()]


def record_pin(connection: Connection, settings: InstitutionSettings, fingerprint: str) -> None:
    """Record that a run takes this engine now, so that its files are retained."""
    with connection.cursor() as cursor:
        cursor.execute(
            compose("update {results}.promoted_engine set pinned_at = now() where fingerprint = %s", settings),
            (fingerprint,),
        )


def retained_versions(
    connection: Connection, settings: InstitutionSettings, newest: int, days: int
) -> tuple[set[str], set[str]]:
    """Return the versions of lexicons and of known people that promoted engines may still need.

    Args:
        connection: A connection to the warehouse.
        settings: The institution.
        newest: Engines that are retained whatever their age.
        days: Engines that were promoted or pinned in these last days are retained too.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            compose(
                """
                select lexicon, people from (
                    select *, row_number() over (order by promoted_at desc, fingerprint) as number
                    from {results}.promoted_engine
                ) as promoted
                where number <= %s or greatest(promoted_at, pinned_at) > now() - make_interval(days => %s)
                """,
                settings,
            ),
            (newest, days),
        )
        rows = cursor.fetchall()
    return {lexicon for lexicon, _ in rows}, {people for _, people in rows}
