"""The trials of a campaign: each disturbs one run, goes on as retries and the runbook say, and checks the result.

The invariant: table, ledger and slices are what an undisturbed run makes, a run of changes finds nothing left to do,
the reconciliation agrees, and neither log nor error names a patient.
"""

import logging
import random
import shutil
import time
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import NamedTuple
from urllib.parse import urlsplit

from benchmarks.changes.check_convergence import (
    DivergenceError,
    PublishedState,
    check_table,
    compare_states,
    published_state,
)
from benchmarks.changes.living_site import START, LivingCopy, LivingSite
from benchmarks.changes.site_services import site_services
from benchmarks.changes.stepped_run import SteppedRun
from benchmarks.faults.kinds import KINDS
from benchmarks.faults.note_checks import captured_log
from benchmarks.faults.proxy import FaultProxy
from benchmarks.faults.trial import STEPS, Surroundings, Trial
from deid_tasks.core.errors import DeidError
from deid_tasks.hospital.records import Hospital

_RETRIES = 3
"""Tries of a task after its first one, as the DAGs have them."""


class Survived(NamedTuple):
    """What one trial came to."""

    step: str
    """That was disturbed first."""
    raised: str
    """The error that the fault ended in; empty where the run went on by itself."""
    retries: int
    is_reached: bool
    """Whether the fault met the run at all."""
    seconds: float
    faults: tuple[str, ...]


class Campaign:
    """A site and its services, which all trials share, and the state that each must end in."""

    def __init__(self, around: Surroundings) -> None:
        self._around = around
        self._identifiers = frozenset(identifiers_of(around.site.hospital))
        self._expected = undisturbed_state(around.site)

    def try_kind(self, name: str, seed: int) -> Survived:
        """Disturb one run as this kind and seed say, and check what is left."""
        began = time.monotonic()
        trial, kind = Trial(self._around, seed), KINDS[name]
        trial.step = random.Random(seed).choice(kind.steps or STEPS)
        faults: list[str] = []
        with captured_log() as lines:
            try:
                raised = self._disturb(trial, name, faults)
                retries = self._go_on(trial, faults)
                if not faults:
                    faults += differences(trial.copy, self._expected)
            finally:
                self._restore(trial)
        lines += [raised, *faults]
        if named := sum(any(one in line for one in self._identifiers) for line in lines):
            faults.append(f"{named} lines of log and errors name a patient")
        seconds = time.monotonic() - began
        return Survived(trial.step, raised.partition(":")[0], retries, trial.is_reached, seconds, tuple(faults))

    def _disturb(self, trial: Trial, name: str, faults: list[str]) -> str:
        """Return class and text of the error that the fault ended in."""
        raised = ""
        trial.go_to_step()
        try:
            KINDS[name].disturb(trial)
        except DeidError as error:
            raised = f"{type(error).__name__}: {error}"
        except Exception as error:
            raised = f"{type(error).__name__}: {error} {traceback.format_exc()}"
            place = traceback.extract_tb(error.__traceback__)[-1]
            faults.append(f"{type(error).__name__} at {place.name}:{place.lineno} is no error of the product")
        KINDS[name].repair(trial)
        return raised

    @staticmethod
    def _go_on(trial: Trial, faults: list[str]) -> int:
        """Finish the run with the retries that a task has; return how many it needed."""
        for retry in range(_RETRIES + 1):
            try:
                trial.run.finish()
            except DeidError as error:
                last = f"{type(error).__name__}: {error}"
            else:
                return retry
        faults.append(f"the run does not end: {last}")
        return _RETRIES

    def _restore(self, trial: Trial) -> None:
        with suppress(Exception):
            trial.drop()
        shutil.rmtree(trial.work / "runs", ignore_errors=True)


def undisturbed_state(site: LivingSite) -> PublishedState:
    """Return what an undisturbed run of the first day publishes."""
    copy = site.copy()
    SteppedRun(copy, "undisturbed", [START]).finish()
    found = published_state(copy)
    copy.drop()
    if not found.rows:
        raise AssertionError("the undisturbed run publishes nothing")
    return found


def differences(copy: LivingCopy, expected: PublishedState) -> list[str]:
    """Return what does not hold of a copy whose run has ended; the texts quote no note."""
    found = []
    try:
        after = SteppedRun(copy, "after", [])
        after.finish()
        if after.plan and after.plan["causes"]:
            found.append(f"changes are left: {after.plan['causes']}")
        if not check_table(copy):
            found.append("a publication is interrupted")
        compare_states(published_state(copy), expected)
    except (DivergenceError, DeidError) as error:
        found.append(f"{type(error).__name__}: {error}")
    return found


@contextmanager
def campaign(layout: str) -> Iterator[Campaign]:
    """Yield a campaign whose services end with the block."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    with site_services() as services:
        services.postgres.create_database("site")
        site = LivingSite.build(services.postgres.uri("site"), layout, services.object_store, services.folder)
        store = urlsplit(services.object_store["endpoint"])
        database = FaultProxy("127.0.0.1", services.postgres.port)
        proxy = FaultProxy(store.hostname or "127.0.0.1", store.port or 80)
        through = {**services.object_store, "endpoint": f"http://127.0.0.1:{proxy.port}"}
        held = {**site.held, "object_store": _json(through)}
        try:
            yield Campaign(Surroundings(site, services.postgres, database, proxy, held))
        finally:
            database.close()
            proxy.close()


def _json(store: Mapping[str, str]) -> str:
    import json

    return json.dumps(dict(store))


def identifiers_of(hospital: Hospital) -> Iterator[str]:
    """Yield what may stand in no log: full names, record numbers, phones and addresses of the patients."""
    for patient in hospital.patients:
        person = patient.person
        yield from (f"{person.first} {person.last}", f"{person.last}, {person.first}", f"{person.last},{person.first}")
        yield from (one for one in (patient.mrn, patient.ssn, patient.phone, patient.email) if one)
        yield from (one for one in (patient.address.street,) if one)
