"""Promotion: an engine that passed its evaluation is the one that runs use from then on.

compile → evaluate → certify → promote. Compiled dictionaries that fail their evaluation change nothing: runs go on with
the engine that was promoted before.
"""

import datetime
import logging

from deid_tasks.core.errors import DictionariesTooOldError, GateError, LexiconError
from deid_tasks.engine.parts import EngineParts
from deid_tasks.platform.audit_log import audited
from deid_tasks.platform.runs.certificates import valid_certificate
from deid_tasks.platform.runs.institution_engine import lexicon_dir, open_versions, people_dir
from deid_tasks.platform.runs.key_changes import record_key_changes
from deid_tasks.platform.runs.reports import EnginePin
from deid_tasks.platform.runs.restores import check_not_restored
from deid_tasks.platform.runs.step_log import logged_step
from deid_tasks.platform.warehouse import connect
from deid_tasks.platform.warehouse.promoted_engines import (
    PromotedEngine,
    promoted_engines,
    record_pin,
    retained_versions,
    write_promoted_engine,
)
from deid_tasks.platform.workspace import SharedFiles
from deid_tasks.settings import DatabaseTask, InstitutionSettings, Secrets

logger = logging.getLogger(__name__)

_RETAINED_ENGINES = 3
_RETAINED_DAYS = 14


@logged_step
def pin_engine(settings: InstitutionSettings, secrets: Secrets) -> EnginePin:
    """Return the pin of the engine that a run uses: the newest promoted one of the present code and settings.

    Raises:
        GateError: there is none, its certificate does not allow it to publish, or the warehouse was restored from a
            backup; the text says what to run.
        DictionariesTooOldError: its dictionaries are older than ``dictionaries.max_age_hours``.
        LexiconError: one of its files is missing or damaged, or was made with another key.
    """
    check_not_restored(settings, secrets)
    with audited(settings, secrets, secrets.text(settings.warehouse.connection_of("publish"))) as audit:
        record_key_changes(audit, settings, secrets)
        audit.renew_head()
    with connect(secrets.text(settings.warehouse.connection_of("publish"))) as connection:
        chosen = _newest_fitting(settings, secrets, promoted_engines(connection, settings))
        certificate = valid_certificate(connection, settings, secrets, chosen.fingerprint)
        _check_age(settings, chosen)
        record_pin(connection, settings, chosen.fingerprint)
    logger.info(
        "engine=%s certificate=%s issued_at=%s compiled_at=%s",
        chosen.fingerprint,
        certificate["certificate_id"],
        certificate["issued_at"],
        chosen.compiled_at.isoformat(),
    )
    return pin_of(chosen)


def promote_engine(
    settings: InstitutionSettings,
    secrets: Secrets,
    engine: EngineParts,
    candidate: EnginePin,
    compiled_at: datetime.datetime,
    certificate_id: str,
) -> None:
    """Make an engine that passed its evaluation the one that runs use, and delete versions that nothing needs any more.

    Args:
        settings: The institution.
        secrets: Its secrets.
        engine: The engine that was evaluated.
        candidate: Its fingerprint and the versions that it was built from.
        compiled_at: When its dictionaries were compiled.
        certificate_id: The certificate of the evaluation.
    """
    promoted = PromotedEngine(
        candidate["fingerprint"],
        engine.base_fingerprint,
        candidate["lexicon"],
        candidate["people"],
        candidate["harvest"],
        compiled_at,
        certificate_id,
        datetime.datetime.now(datetime.UTC),
        engine.policy_free_fingerprint,
        settings.policy.model_dump_json(),
        candidate.get("outside_bias"),
    )
    with connect(secrets.text(settings.warehouse.connection_of("evidence"))) as connection:
        write_promoted_engine(connection, settings, promoted)
    prune_engines(settings, secrets, "evidence")


def prune_engines(settings: InstitutionSettings, secrets: Secrets, task: DatabaseTask) -> int:
    """Delete the versions of lexicons and known people that no engine needs; return their number.

    The newest compiled version stays, and so do those of the last three promoted engines and of the engines that were
    promoted or used within two weeks. ``task`` says whose connection reads which engines these are.
    """
    with connect(secrets.text(settings.warehouse.connection_of(task))) as connection:
        lexicons, people = retained_versions(connection, settings, _RETAINED_ENGINES, _RETAINED_DAYS)
    shared = SharedFiles(settings, secrets)
    return shared.prune_versions(lexicon_dir(settings), lexicons) + shared.prune_versions(people_dir(settings), people)


def _newest_fitting(settings: InstitutionSettings, secrets: Secrets, promoted: list[PromotedEngine]) -> PromotedEngine:
    """Return the newest promoted engine whose code, models and settings are those of now.

    Only the first engine of each harvest and bias is opened: its base fingerprint says which others fit.
    """
    name = settings.institution
    present: dict[tuple[str, float | None], str] = {}
    for one in promoted:
        if (one.outside_bias is None) != (settings.detect.target_recall is None):
            continue
        if present.get((one.harvest, one.outside_bias), one.base_fingerprint) != one.base_fingerprint:
            continue
        try:
            engine = open_versions(settings, secrets, pin_of(one))
        except LexiconError:
            # The files of an engine of former settings may have been pruned.
            if one is promoted[0] or (one.harvest, one.outside_bias) in present:
                raise
            continue
        present[one.harvest, one.outside_bias] = engine.base_fingerprint
        if engine.fingerprint == one.fingerprint:
            return one
    if not promoted:
        raise GateError(
            f"{name}: no engine has passed an evaluation; run dictionaries__{name}, freeze the gold sets,"
            f" then run evaluate__{name}"
        )
    raise GateError(
        f"{name}: code, models or settings changed since engine {promoted[0].fingerprint} was promoted, and no promoted"
        f" engine has those of now; run evaluate__{name}"
    )


def _check_age(settings: InstitutionSettings, engine: PromotedEngine) -> None:
    hours = settings.dictionaries.max_age_hours
    if hours is None:
        return
    age = datetime.datetime.now(datetime.UTC) - engine.compiled_at
    if age > datetime.timedelta(hours=hours):
        name = settings.institution
        raise DictionariesTooOldError(
            f"{name}: the dictionaries of the promoted engine were compiled {age.total_seconds() / 3_600:.1f} hours"
            f" ago, and dictionaries.max_age_hours is {hours}; the run waits until dictionaries__{name} and"
            f" evaluate__{name} have given a newer engine"
        )


def pin_of(engine: PromotedEngine) -> EnginePin:
    """Return the pin that names a promoted engine."""
    return {
        "fingerprint": engine.fingerprint,
        "lexicon": engine.lexicon,
        "people": engine.people,
        "harvest": engine.harvest,
        "outside_bias": engine.outside_bias,
    }
