"""Kinds of faults: how each disturbs a run, and which steps of the runbook follow before the run is tried again."""

import contextlib
import datetime
import multiprocessing
import os
import random
import resource
import signal
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal, NamedTuple

import psycopg2

from benchmarks.changes.living_site import NAME, START, LivingCopy, LivingSite
from benchmarks.changes.stepped_run import SteppedRun
from benchmarks.faults.proxy import FaultProxy, Mode
from benchmarks.faults.trial import Trial
from benchmarks.support.institution import build_dictionaries, start_dbt
from deid_tasks.core.errors import DeidError
from deid_tasks.evidence.gate import new_key_pair
from deid_tasks.platform import runs

_LONGEST_SECONDS = 4.0
"""Within which a process or a server is killed."""
_NOTICE_SECONDS = 1.0
_LONGEST_DBT_SECONDS = 15.0
"""Within which dbt is killed, which takes about so long."""


class Kind(NamedTuple):
    """One kind of fault."""

    disturb: Callable[[Trial], None]
    """Take the run some steps on, under the fault; whatever is raised ends it, as it ends a task."""
    repair: Callable[[Trial], None] = lambda _: None
    """What a retry or the runbook does before the run goes on."""
    runbook: str = ""
    """What a person must do; empty where retries suffice."""
    steps: tuple[str, ...] = ()
    """The steps that it is for; all where empty."""


def _go_on(trial: Trial) -> None:
    """Go one to three steps."""
    for _ in range(trial.rng.choice((1, 1, 2, 3))):
        if trial.run.is_done:
            return
        trial.run.step()


def _through(proxy: Callable[[Trial], FaultProxy], mode: Mode, steps: tuple[str, ...] = ()) -> Kind:
    def disturb(trial: Trial) -> None:
        disturbed = proxy(trial).disturbed
        try:
            with proxy(trial).disturbing(mode, trial.seed, trial.rng.choice((0.1, 0.5, 1.0))):
                _go_on(trial)
        finally:
            trial.is_reached = proxy(trial).disturbed > disturbed

    return Kind(disturb, steps=steps)


def _database(trial: Trial) -> FaultProxy:
    return trial.around.database


def _store(trial: Trial) -> FaultProxy:
    return trial.around.store


def _kill_process(trial: Trial) -> None:
    """Run in another process, which is killed after a random time."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["benchmarks.faults.kinds"])
    begun = context.Event()
    arguments = (trial.around.site, trial.copy.name, f"run{trial.seed}", begun)
    process = context.Process(target=_run_whole, args=arguments)
    process.start()
    begun.wait(300)
    process.join(trial.rng.random() * _LONGEST_SECONDS)
    trial.is_reached = process.is_alive()
    process.kill()
    process.join()


def _run_whole(site: LivingSite, name: str, run_id: str, begun: "multiprocessing.synchronize.Event") -> None:
    copy = LivingCopy(site, name)
    begun.set()
    SteppedRun(copy, run_id, [START]).finish()


def _kill_dbt(trial: Trial) -> None:
    """Kill a refresh of the dictionaries after a random time, beside the run."""
    process = start_dbt(trial.copy.uri, NAME, trial.copy.layout, trial.work.parent)
    timer = threading.Timer(trial.rng.random() * _LONGEST_DBT_SECONDS, os.killpg, (process.pid, signal.SIGKILL))
    timer.start()
    try:
        _go_on(trial)
    finally:
        process.communicate()
        timer.cancel()
        timer.join()
        trial.is_reached = process.returncode == -signal.SIGKILL


def _refresh_again(trial: Trial) -> None:
    """Do what the retry of the refresh does, and check that its dictionaries are those of an undisturbed one."""
    build_dictionaries(trial.copy.uri, NAME, trial.copy.layout, trial.work.parent)
    compiled = runs.compile_dictionaries(trial.copy.settings, trial.copy.secrets)
    for name in ("lexicon", "people"):
        if compiled[f"{name}_version"] != trial.around.site.pin[name]:
            raise AssertionError(f"the refresh after a killed one compiles another {name}")


def _kill_server(trial: Trial) -> None:
    """Kill one of the server's processes, upon which it ends all others and recovers."""
    timer = threading.Timer(trial.rng.random() * _LONGEST_SECONDS / 4, _kill_session, (trial.copy.uri, trial.seed))
    timer.start()
    try:
        for _ in range(9):
            if trial.run.is_done:
                break
            trial.run.step()
    finally:
        timer.join()


def _kill_session(uri: str, seed: int) -> None:
    with contextlib.suppress(psycopg2.Error, ProcessLookupError):
        connection = psycopg2.connect(uri)
        with connection.cursor() as cursor:
            cursor.execute("select pid from pg_stat_activity where datname = current_database() order by pid")
            os.kill(random.Random(seed).choice(cursor.fetchall())[0], signal.SIGKILL)


def _wait_for_server(trial: Trial) -> None:
    # The server needs a moment to see that one of its processes is gone; until then it still takes connections.
    time.sleep(_NOTICE_SECONDS)
    for _ in range(600):
        with contextlib.suppress(psycopg2.Error):
            trial.reconnect()
            return
        time.sleep(0.1)
    raise AssertionError("the server does not come back")


def _fill_disk(trial: Trial) -> None:
    """Let no file of this process grow beyond some bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (trial.rng.choice((0, 10, 2_000, 20_000)), before[1]))
    try:
        _go_on(trial)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def _run_twice(trial: Trial) -> None:
    """Let two runs of one day take turns."""
    other = SteppedRun(trial.copy, f"other{trial.seed}", [START])
    while not (other.is_done and trial.run.is_done):
        with contextlib.suppress(DeidError):
            trial.rng.choice([one for one in (other, trial.run) if not one.is_done]).step()


def _publish_beside_a_zombie(trial: Trial) -> None:
    """Do a step in two threads at once, as a worker does that was taken for dead, and its successor."""
    errors: list[Exception] = []

    def zombie() -> None:
        try:
            SteppedRun(trial.copy, f"run{trial.seed}", [START]).finish()
        except Exception as error:
            errors.append(error)

    thread = threading.Thread(target=zombie)
    thread.start()
    try:
        trial.run.finish()
    finally:
        thread.join()
    if errors:
        raise errors[0]


def _damage(path: Path, rng: random.Random) -> None:
    """Change bytes of a file, or cut it."""
    damaged = bytearray(path.read_bytes())
    for _ in range(rng.choice((1, 5, 50))):
        damaged[rng.randrange(len(damaged))] ^= rng.randrange(1, 256)
    if rng.random() < 0.3:
        damaged = damaged[: rng.randrange(len(damaged))]
    path.write_bytes(damaged)


def _damage_shard(trial: Trial) -> None:
    """Damage a shard's file for good; its task must be cleared."""
    files = sorted((trial.work / "runs").rglob("shard-*.parquet"), key=lambda path: path.stat().st_mtime)
    _damage(files[-1], trial.rng)
    _go_on(trial)


def _clear_deleted_shards(trial: Trial) -> None:
    """Clear the shards of a run whose files a zombie has deleted, since it came to the run's end first."""
    files = any((trial.work / "runs").rglob("shard-*.parquet"))
    if not trial.run.is_done and not files:
        trial.run.clear_shards()


def _clear_shards(trial: Trial) -> None:
    if not trial.run.is_done:
        trial.run.clear_shards()


def _damage_artifact(folder: Literal["lexicon", "people"]) -> Callable[[Trial], None]:
    """Damage a file of the run's engine meanwhile: putting it back is what a backup does."""

    def disturb(trial: Trial) -> None:
        version = trial.work / folder / trial.around.site.pin[folder]
        path = version if version.is_file() else trial.rng.choice(sorted(version.iterdir()))
        content = path.read_bytes()
        _damage(path, trial.rng)
        try:
            _go_on(trial)
        finally:
            path.write_bytes(content)

    return disturb


def _with_secrets(**changed: Callable[[Trial], str]) -> Callable[[Trial], None]:
    def disturb(trial: Trial) -> None:
        with trial.secrets_changed(**{name: make(trial) for name, make in changed.items()}):
            _go_on(trial)

    return disturb


def _wrong_password(trial: Trial) -> str:
    uri = trial.secrets_held["ehr"]
    scheme, _, rest = uri.partition("://")
    credentials, _, server = rest.rpartition("@")
    return f"{scheme}://{credentials.partition(':')[0]}:wrong@{server}"


def _forge_certificate(trial: Trial) -> None:
    """Write another document into the newest certificates, or take them away; put them back in the end."""
    table = f"{NAME}_results.certificate"
    trial.copy.rows(f"create table kept_certificate as select * from {table}")
    if trial.rng.random() < 0.5:
        trial.copy.rows(f"delete from {table}")
    else:
        trial.copy.rows(f"update {table} set document = replace(document, '\"passed\"', '\"passed\" ')")
    try:
        _go_on(trial)
    finally:
        trial.copy.rows(f"delete from {table}; insert into {table} select * from kept_certificate")


def _jump_clock(trial: Trial) -> None:
    """Let this process's clock jump, where Python reads it: 40 hours forth or back."""
    true = time.time
    jump = trial.rng.choice((-1, 1)) * datetime.timedelta(hours=40).total_seconds()
    time.time = lambda: true() + jump
    try:
        _go_on(trial)
    finally:
        time.time = true


_AFTER_SHARDS = ("gate", "publish")
_STORING = ("remove", "publish")
"""The steps that use the object store."""
KINDS: Mapping[str, Kind] = {
    "process killed": Kind(_kill_process, steps=("plan",)),
    "dbt killed": Kind(_kill_dbt, _refresh_again),
    "PostgreSQL killed": Kind(_kill_server, _wait_for_server),
    "database refuses connections": _through(_database, "refused"),
    "database connections reset": _through(_database, "reset"),
    "database silent, then gone": _through(_database, "silent"),
    "database slow": _through(_database, "slow"),
    "object store refuses connections": _through(_store, "refused", _STORING),
    "uploads cut, connections reset": _through(_store, "reset", _STORING),
    "object store silent, then gone": _through(_store, "silent", _STORING),
    "object store slow": _through(_store, "slow", _STORING),
    "object store answers 500": _through(_store, "http 500", _STORING),
    "object store throttles": _through(_store, "http 503", _STORING),
    "credentials of the object store expired": _through(_store, "http 403", _STORING),
    "disk full": Kind(_fill_disk),
    "clock jumps": Kind(_jump_clock),
    "two runs of one day": Kind(_run_twice),
    "zombie beside its retry": Kind(
        _publish_beside_a_zombie, _clear_deleted_shards, "clear the run's shard tasks, if its files are deleted"
    ),
    "shard damaged": Kind(_damage_shard, _clear_shards, "clear the run's shard tasks", _AFTER_SHARDS),
    "lexicon damaged": Kind(
        _damage_artifact("lexicon"), runbook="restore it, or compile the dictionaries again", steps=("plan", "shard")
    ),
    "known people damaged": Kind(
        _damage_artifact("people"), runbook="restore it, or compile the dictionaries again", steps=("plan", "shard")
    ),
    "password wrong": Kind(_with_secrets(ehr=_wrong_password, catalog=_wrong_password), runbook="correct the secret"),
    "surrogate key wrong": Kind(_with_secrets(key=lambda _: "A" * 43 + "="), runbook="correct the secret"),
    "verification key wrong": Kind(
        _with_secrets(certificate_verification_key=lambda _: new_key_pair()[1]), runbook="correct the secret"
    ),
    "certificate forged or deleted": Kind(_forge_certificate, runbook="run the evaluation again"),
}
"""Every kind of fault by name."""
