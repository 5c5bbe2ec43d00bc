"""`make demo` and `make down`."""

import datetime
import os
import time
from dataclasses import asdict
from functools import partial
from pathlib import Path

from rich.console import Console

from deid_tasks.demo import people
from deid_tasks.demo.environment import UI_USER, demo_secrets, ui_password
from deid_tasks.demo.flow import Flow
from deid_tasks.demo.progress import Progress
from deid_tasks.demo.report import show_report
from deid_tasks.demo.seed import DAYS, START, Size, seed
from deid_tasks.demo.services import Platform
from deid_tasks.demo.state import INSTITUTIONS, State, checkout
from deid_tasks.settings import InstitutionSettings, load_institutions

BACKFILLED = (START + datetime.timedelta(days=DAYS - 3), START + datetime.timedelta(days=DAYS - 1))


def run(
    size: Size | None = None,
    folder: Path | None = None,
    console: Console | None = None,
    institutions: Path | None = None,
) -> None:
    """Bring the platform up, take three days of notes through it, show what came out, and leave the UI up.

    Args:
        size: How much to simulate.
        folder: Where the demo keeps what it makes; ``.run`` in the checkout by default.
        console: Where progress and result go.
        institutions: Folder of the institutions' YAML files; those of the checkout by default.

    Raises:
        DeidError: something is in the way; the text says what.
    """
    console = console or Console()
    began = time.monotonic()
    root = checkout()
    state = State.load(folder or root / ".run")
    progress = Progress(console)
    with state.locked():
        platform = Platform(root, state, progress.say, institutions)
        tenants = _tenants(institutions or root / INSTITUTIONS, state)
        platform.start_stores()
        api = platform.start_airflow(tenants)
        size = size or Size.of()
        _seed(platform, state, tenants, size, progress)
        secrets = demo_secrets(state, platform.places, tenants)
        platform.make_buckets({settings.publish.bucket for settings in tenants})
        progress.say("waiting for Airflow")
        platform.wait_for_airflow(api)
        login = f"{platform.places.airflow}  user {UI_USER}  password {ui_password(state)}"
        progress.say(f"Airflow is up; watch it at {login}")
        names = [settings.institution for settings in tenants]
        flow = Flow(api, names, state.folder / "logs" / "tasks", progress)
        flow.wait_for_dags()
        if state.get("under_way"):
            flow.give_up_interrupted()
        state.put("under_way", True)  # noqa: FBT003
        flow.dictionaries()
        flow.harvest()
        for settings in tenants:
            frozen = people.verify(settings, secrets, size)
            progress.say(
                f"{settings.title}: a simulated officer has verified {frozen['sentences']:,} sentences and"
                f" {frozen['templates']:,} templates"
            )
        flow.sample()
        truths = {settings.institution: people.truth_of(settings, size) for settings in tenants}
        for settings in tenants:
            notes = people.annotate(settings, secrets, truths[settings.institution])
            progress.say(f"{settings.title}: two simulated annotators have labelled {notes // 2:,} notes each")
        flow.agreement()
        for settings in tenants:
            notes = people.adjudicate(settings, secrets, truths[settings.institution])
            progress.say(f"{settings.title}: a third has decided the conflicts of {notes:,} notes")
        flow.gold_and_evaluation()
        seconds = flow.backfill(*BACKFILLED, partial(platform.create_backfill, tenants))
        state.put("under_way", False)  # noqa: FBT003
        show_report(console, tenants, secrets, BACKFILLED, seconds)
        console.print(f"\nAirflow: {login}", highlight=False, soft_wrap=True)
        console.print(f"Took {time.monotonic() - began:.0f} s. The platform stays up; `make down` stops it.")


def down(folder: Path | None = None, console: Console | None = None) -> None:
    """Stop everything the demo started; what it stored stays in the folder, except the S3 emulator's objects."""
    console = console or Console()
    root = checkout()
    state = State.load(folder or root / ".run")
    with state.locked():
        stopped = Platform(root, state, Progress(console).say).stop()
    console.print(f"stopped: {stopped} processes of the demo" if stopped else "nothing of the demo was running")


def _tenants(institutions: Path, state: State) -> list[InstitutionSettings]:
    # The YAML takes its working folder from the environment; here as in Airflow's processes.
    os.environ["PALIMPSEST_WORK_DIR"] = str(state.folder / "work")
    return load_institutions(institutions)


def _seed(platform: Platform, state: State, tenants: list[InstitutionSettings], size: Size, progress: Progress) -> None:
    for settings in tenants:
        key = f"seeded_{settings.institution}"
        if state.get(key) == asdict(size):
            continue
        progress.say(f"admitting the patients of {settings.title} and writing {size.notes:,} notes")
        notes = seed(platform.places.databases["ehr"], settings, size)
        progress.say(f"{settings.title}: {notes:,} notes in the warehouse")
        state.put(key, asdict(size))
