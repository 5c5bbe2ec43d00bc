"""The figures of one institution from its results schema, as the page's database role may read them."""

import json
import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from airflow.sdk import Connection, Variable
from airflow.sdk.exceptions import AirflowNotFoundException
from psycopg2 import sql

from deid_tasks.core.errors import DeidError, GateError
from deid_tasks.evidence.gate import Certificate, check_signature, verify_certificate
from deid_tasks.platform.warehouse import connect
from deid_tasks.settings import InstitutionSettings
from palimpsest_page.periods import Period
from palimpsest_page.queries import DETAILS, GLANCE, LEDGER_DAYS, NEWEST_DAY, NEWEST_EVALUATION, RUNS_ON_A_PAGE

logger = logging.getLogger(__name__)

Row = dict[str, Any]
_TIMEOUT_MILLISECONDS = 20_000
"""After which PostgreSQL gives a statement up: a page that nobody waits for any more must not load the database."""


@dataclass
class Figures:
    """What the page shows of one institution."""

    settings: InstitutionSettings
    tables: dict[str, list[Row]] = field(default_factory=dict)
    """Rows by the name of their query."""
    certificate_problem: str = ""
    """Why the certificate of the engine in use allows nothing to be published; empty where it does, or is missing."""
    problem: str = ""
    """Why figures are missing, without anything that may not be shown."""
    seconds: float = 0.0

    @property
    def name(self) -> str:
        """The institution."""
        return self.settings.institution

    @property
    def title(self) -> str:
        """Its name for people."""
        return self.settings.title

    def rows(self, query: str) -> list[Row]:
        """Return the rows of a query; none where it was not asked."""
        return self.tables.get(query, [])

    def row(self, query: str) -> Row:
        """Return the first row of a query; an empty one where there is none."""
        return next(iter(self.rows(query)), {})


def read_summary(settings: InstitutionSettings) -> Figures:
    """Return what the summary of an institution needs; ``problem`` says why figures are missing, and what to do."""
    return _read(settings, GLANCE, {})


def read_figures(settings: InstitutionSettings, period: Period, page: int = 1) -> Figures:
    """Return everything that the page of one institution shows, in the same way.

    Args:
        settings: The institution.
        period: What the charts show.
        page: Which page of the list of runs, from 1.
    """
    values = {
        "length": period.length,
        "bucket": period.bucket,
        "runs": RUNS_ON_A_PAGE,
        "skipped": (page - 1) * RUNS_ON_A_PAGE,
        "ledger_days": LEDGER_DAYS,
    }
    return _read(settings, {**GLANCE, **DETAILS}, values)


def _read(settings: InstitutionSettings, queries: Mapping[str, str], values: Mapping[str, Any]) -> Figures:
    figures, began = Figures(settings), time.monotonic()
    name = settings.warehouse.connection_of("page")
    try:
        _ask(figures, Connection.get(name).get_uri(), queries, values)
        _check_signatures(figures)
    except AirflowNotFoundException:
        figures.problem = f"The connection {name!r} is not set: add it in Airflow."
    except DeidError as error:
        figures.problem = str(error)
    except Exception as error:
        # The text of another error may quote a row or the connection's address.
        logger.warning("institution=%s: figures cannot be read: %s", settings.institution, type(error).__name__)
        figures.problem = (
            f"The figures cannot be read ({type(error).__name__}): check the connection"
            f" {name!r}, and run dictionaries__{settings.institution} if it never ran."
        )
    figures.seconds = time.monotonic() - began
    return figures


def _ask(figures: Figures, uri: str, queries: Mapping[str, str], values: Mapping[str, Any]) -> None:
    schema = sql.Identifier(figures.settings.schema_name("results"))
    parts = {
        "schema": schema,
        "newest_day": sql.SQL(NEWEST_DAY).format(schema=schema),
        "newest_evaluation": sql.SQL(NEWEST_EVALUATION).format(schema=schema),
    }
    with connect(uri) as connection:
        # All figures are as of one moment.
        connection.set_session(isolation_level="REPEATABLE READ", readonly=True)
        with connection.cursor() as cursor:
            cursor.execute("set local statement_timeout = %s", (_TIMEOUT_MILLISECONDS,))
            for query, statement in queries.items():
                cursor.execute(sql.SQL(statement).format(**parts), values)
                columns = [column.name for column in cursor.description or ()]
                figures.tables[query] = [dict(zip(columns, row, strict=True)) for row in cursor]
    for row in figures.rows("held") + figures.rows("runs"):
        row["held_for"] = [one["kind"].replace("_", " ") for one in json.loads(row.pop("review"))]


def _check_signatures(figures: Figures) -> None:
    """Replace the documents of certificates by what their signatures are worth."""
    gate = figures.settings.gate
    documents = figures.rows("certificates") + figures.rows("certificate_in_use")
    key = _verification_key(gate.verification_key) if documents else None
    for row in figures.rows("certificate_in_use"):
        if key:
            figures.certificate_problem = _refusal(figures, row, key)
    for row in documents:
        document, signature = row.pop("document"), row.pop("signature")
        row["signature"] = _signature_state(document, signature, key)


def _refusal(figures: Figures, row: Row, key: str) -> str:
    """Return why the certificate lets nothing be published; empty where it does."""
    certificate = Certificate(row["document"], row["signature"])
    engine = figures.row("engine")["fingerprint"]
    try:
        verify_certificate(certificate, figures.name, engine, figures.settings.gate, key)
    except GateError as error:
        # The page says beside it whose certificate it is.
        return str(error).partition(f"{engine}: ")[2]
    return ""


def _signature_state(document: str, signature: str, key: str | None) -> str:
    """Return ``valid``, ``broken`` or ``no key``."""
    if not key:
        return "no key"
    try:
        check_signature(document, signature, key)
    except DeidError:
        return "broken"
    return "valid"


def _verification_key(name: str) -> str | None:
    """Return the public key from the password of a connection, or else from a variable."""
    try:
        return str(Connection.get(name).password or "") or None
    except AirflowNotFoundException:
        value = Variable.get(name, default=None)
        return None if value is None else str(value)
