"""The nightly check of what no run fails on yet: a certificate that ends soon, published notes that are stale."""

import datetime

from deid_tasks.core.errors import GateError
from deid_tasks.platform.runs.certificates import valid_certificate
from deid_tasks.platform.runs.ledger_checks import ledger_counts
from deid_tasks.platform.runs.promotion import pin_engine
from deid_tasks.platform.runs.reports import UpkeepReport
from deid_tasks.platform.runs.restatement import CARRIED, stale_notes
from deid_tasks.platform.runs.step_log import logged_step
from deid_tasks.platform.warehouse import connect
from deid_tasks.settings import InstitutionSettings, Secrets


@logged_step
def check_upkeep(settings: InstitutionSettings, secrets: Secrets) -> UpkeepReport:
    """Check that the certificate lasts longer than ``alarms.certificate_days``, and how many published notes are stale.

    The share of stale notes refers to what the last reconciliation counted as published.

    Raises:
        GateError: no promoted engine has a valid certificate, it ends soon, or more than ``alarms.max_stale_share`` of
            the published notes are stale; the text has the figures and what to do.
    """
    name, alarms = settings.institution, settings.alarms
    days = certificate_days_left(settings, secrets)
    stale = sum(one["notes"] for one in stale_notes(settings, secrets) if one["cause"] != CARRIED)
    published = sum(one.published for one in ledger_counts(settings, secrets))
    problems = []
    if days is not None and days < alarms.certificate_days:
        problems.append(
            f"the certificate of the promoted engine ends in {days:.1f} days (alarms.certificate_days is"
            f" {alarms.certificate_days:g}); run evaluate__{name}"
        )
    if published and stale / published > alarms.max_stale_share:
        problems.append(
            f"{stale:,} of {published:,} published notes may come out differently under the promoted engine"
            f" (alarms.max_stale_share is {alarms.max_stale_share:g}); let restate__{name} run, or raise its budget"
        )
    if problems:
        raise GateError(f"{name}: {'; '.join(problems)}")
    return {"certificate_days_left": days, "stale_notes": stale, "published_notes": published}


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
