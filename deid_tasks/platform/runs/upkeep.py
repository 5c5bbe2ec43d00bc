"""Nightly checks of what no run fails on yet: a certificate that ends soon, stale notes, rights of database roles."""

import datetime
import logging

from deid_tasks.core.errors import GateError
from deid_tasks.platform.runs.certificates import valid_certificate
from deid_tasks.platform.runs.ledger_checks import ledger_counts
from deid_tasks.platform.runs.promotion import pin_engine
from deid_tasks.platform.runs.reports import CertificateReport, StaleShareReport
from deid_tasks.platform.runs.restatement import CARRIED, stale_notes
from deid_tasks.platform.runs.step_log import logged_step
from deid_tasks.platform.warehouse import connect
from deid_tasks.platform.warehouse.role_check import role_differences
from deid_tasks.platform.warehouse.role_grants import have_roles
from deid_tasks.platform.warehouse.roles import needed_tasks
from deid_tasks.platform.warehouse.server_logs import logged_statements
from deid_tasks.settings import InstitutionSettings, Secrets

logger = logging.getLogger(__name__)


@logged_step
def check_certificate(settings: InstitutionSettings, secrets: Secrets) -> CertificateReport:
    """Check that the promoted engine's certificate lasts longer than ``alarms.certificate_days``.

    Raises:
        GateError: no promoted engine has a valid certificate, or it ends soon; the text says what to do.
    """
    name, alarms = settings.institution, settings.alarms
    days = certificate_days_left(settings, secrets)
    if days is not None and days < alarms.certificate_days:
        raise GateError(
            f"{name}: the certificate of the promoted engine ends in {days:.1f} days (alarms.certificate_days is"
            f" {alarms.certificate_days:g}); run evaluate__{name}"
        )
    return {"certificate_days_left": days}


@logged_step
def check_stale_notes(settings: InstitutionSettings, secrets: Secrets) -> StaleShareReport:
    """Check how many published notes are stale, as a share of what the last reconciliation counted as published.

    Raises:
        GateError: no engine is promoted, or more than ``alarms.max_stale_share`` of the published notes are stale; the
            text has the figures and what to do.
    """
    name, alarms = settings.institution, settings.alarms
    stale = sum(one["notes"] for one in stale_notes(settings, secrets) if one["cause"] != CARRIED)
    published = sum(one.published for one in ledger_counts(settings, secrets))
    if published and stale / published > alarms.max_stale_share:
        raise GateError(
            f"{name}: {stale:,} of {published:,} published notes may come out differently under the promoted engine"
            f" (alarms.max_stale_share is {alarms.max_stale_share:g}); let restate__{name} run, or raise its budget"
        )
    return {"stale_notes": stale, "published_notes": published}


@logged_step
def check_roles(settings: InstitutionSettings, secrets: Secrets) -> dict[str, int]:
    """Check that the database's roles have the rights of ``deid roles``, and neither they nor their logins others.

    Returns:
        How many roles there are; 0 where the institution's tasks share one login.

    Raises:
        GateError: a role is missing, or it or a member has other rights; the text names the first and what to do.
    """
    name = settings.institution
    with connect(secrets.text(settings.warehouse.connection_of("owner"))) as connection:
        for logged in logged_statements(connection, settings):
            logger.warning("%s: %s (`deid roles --institution %s --check` shows what to set)", name, logged, name)
        if not settings.warehouse.connections and not have_roles(connection, settings):
            return {"roles": 0}
        differences = role_differences(connection, settings)
    if differences:
        first = differences[0]
        raise GateError(
            f"{name}: {len(differences)} rights of database roles are not as they should be: {first.role} on"
            f" {first.what} has {first.found}, not {first.wanted}; mend it as a superuser:"
            f" {first.mend or f'deid roles --institution {name} | psql DATABASE'};"
            f" `deid roles --institution {name} --check` lists all"
        )
    return {"roles": len(needed_tasks(settings))}


def certificate_days_left(settings: InstitutionSettings, secrets: Secrets) -> float | None:
    """Return the days until the promoted engine's certificate ends; ``None`` where certificates do not end.

    Raises:
        GateError: no engine is promoted, or its certificate is not valid.
    """
    fingerprint = pin_engine(settings, secrets)["fingerprint"]
    with connect(secrets.text(settings.warehouse.connection_of("publish"))) as connection:
        content = valid_certificate(connection, settings, secrets, fingerprint)
    if settings.gate.certificate_max_age_days is None:
        return None
    issued = datetime.datetime.fromisoformat(content["issued_at"])
    age = datetime.datetime.now(datetime.UTC) - issued
    return settings.gate.certificate_max_age_days - age / datetime.timedelta(days=1)
