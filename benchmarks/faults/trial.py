"""One run of a small site, and what a fault may reach: its connections, its process, its files and its secrets."""

import random
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from benchmarks.changes.living_site import START, LivingSite, site_secrets
from benchmarks.changes.stepped_run import SteppedRun
from benchmarks.faults.proxy import FaultProxy
from deid_tasks.hospital.postgres import EmbeddedPostgres

STEPS = ("plan", "remove", "shard", "gate", "publish")


class Surroundings(NamedTuple):
    """What all trials share."""

    site: LivingSite
    postgres: EmbeddedPostgres
    database: FaultProxy
    """In front of PostgreSQL."""
    store: FaultProxy
    """In front of the object store."""
    held: Mapping[str, str]
    """The site's secrets, with an object store that is reached through the proxy."""


class Trial:
    """One copy of the site and the run that publishes its first day, disturbed from one step on.

    Args:
        around: what all trials share.
        seed: everything about the trial follows from it.
    """

    def __init__(self, around: Surroundings, seed: int) -> None:
        self.around, self.seed = around, seed
        self.rng = random.Random(seed)
        self.copy = around.site.copy()
        self._connect_through_proxies()
        self.step = self.rng.choice(STEPS)
        """The step that is disturbed first."""
        self.run = SteppedRun(self.copy, f"run{seed}", [START])
        self.is_reached = True
        """Whether the fault met the run; a connection that the step does not use cannot be disturbed."""

    @property
    def work(self) -> Path:
        """The folder of the site's working files, which all trials share."""
        return Path(self.copy.settings.work_dir)

    @property
    def secrets_held(self) -> dict[str, str]:
        """The copy's secrets by name."""
        return dict(self._held)

    def _connect_through_proxies(self) -> None:
        uri = self.copy.uri
        own = urlsplit(uri)
        through = own._replace(netloc=own.netloc.rpartition(":")[0] + f":{self.around.database.port}").geturl()
        self._held = {**self.around.held, "ehr": through, "catalog": through}
        self.copy.secrets = site_secrets(self._held)

    @contextmanager
    def secrets_changed(self, **changed: str) -> Iterator[None]:
        """Give the run other secrets meanwhile."""
        before = self.copy.secrets
        self.copy.secrets = site_secrets({**self._held, **changed})
        try:
            yield
        finally:
            self.copy.secrets = before

    def reconnect(self) -> None:
        """Open the copy's own connection again, which a crash of the server has ended."""
        self.copy.reconnect()

    def go_to_step(self) -> None:
        """Do the steps before the disturbed one."""
        while not self.run.is_done and self.run.next_step != self.step:
            self.run.step()

    def drop(self) -> None:
        """Remove the copy."""
        self.copy.drop()
