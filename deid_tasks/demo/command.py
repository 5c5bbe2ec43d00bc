"""`make demo` and `make down`."""

import datetime
import os
import time
from dataclasses import asdict
from functools import partial
from pathlib import Path

from rich.console import Console

from deid_tasks.demo import people
from deid_tasks.demo.airflow_api import AirflowApi
from deid_tasks.demo.changes import change_hospital
from deid_tasks.demo.environment import UI_USER, demo_secrets, ui_password
from deid_tasks.demo.flow import Flow
from deid_tasks.demo.progress import Progress
from deid_tasks.demo.report import show_next_steps, show_report
from deid_tasks.demo.secrets_file import SECRETS_FILE
from deid_tasks.demo.seed import DAYS, DEMO_INSTITUTIONS, START, Size, seed
from deid_tasks.demo.services import Platform
from deid_tasks.demo.state import INSTITUTIONS, State, checkout
from deid_tasks.settings import InstitutionSettings, Secrets, load_institution

BACKFILLED = (START + datetime.timedelta(days=DAYS - 3), START + datetime.timedelta(days=DAYS - 1))


def run(
    size: Size | None = None,
    folder: Path | None = None,
    console: Console | None = None,
    institutions: Path | None = None,
) -> None:
    """Start the platform, take three days of notes and what changes in them through it, show the result, and leave the
    platform running.

    Only the demo's own institutions are simulated and run. Other institutions in the folder keep their DAGs, secrets
    and data.

    Args:
        size: How much to simulate.
        folder: Where the demo keeps what it makes; ``.run`` in the checkout by default.
        console: Where progress and result are printed.
        institutions: Folder of the institutions' YAML files; those of the checkout by default.

    Raises:
        DeidError: the demo cannot go on; the text says why and what to do.
    """
    console = console or Console()
    began = time.monotonic()
    root = checkout()
    state = State.load(folder or root / ".run")
    progress = Progress(console)
    with state.locked():
        platform = Platform(root, state, progress.say, institutions)
        settings = demo_institutions(institutions or root / INSTITUTIONS, state)
        size = size or Size.of()
        api = _start(platform, state, settings, size, progress)
        login = f"{platform.places.airflow}  user {UI_USER}  password {ui_password(state)}"
        progress.say(f"Airflow is up; watch it at {login}")
        names = [one.institution for one in settings]
        flow = Flow(api, names, state.folder / "logs" / "tasks", progress)
        flow.wait_for_dags()
        if state.get("under_way"):
            flow.give_up_interrupted()
        state.put("under_way", True)  # noqa: FBT003
        secrets = demo_secrets(state, platform.places, settings)
        _annotate(flow, settings, secrets, size, progress)
        flow.gold_and_evaluation()
        seconds = flow.backfill(*BACKFILLED, partial(platform.create_backfill, settings))
        state.put("backfill_seconds", seconds)
        _follow_changes(flow, platform, settings, size, progress)
        state.put("under_way", False)  # noqa: FBT003
        show_report(console, settings, secrets, BACKFILLED, seconds)
        show_next_steps(console, platform.places, login, state.folder / SECRETS_FILE)
        console.print(f"Took {time.monotonic() - began:.0f} s. The platform stays up; `make down` stops it.")


def up(folder: Path | None = None, console: Console | None = None, institutions: Path | None = None) -> None:
    """Start the platform, or restart Airflow where ``secrets.env`` has changed, without taking notes through it.

    Args:
        folder: Where the demo keeps what it makes; ``.run`` in the checkout by default.
        console: Where progress is printed.
        institutions: Folder of the institutions' YAML files; those of the checkout by default.

    Raises:
        DeidError: a service does not start; the text names its log.
    """
    console = console or Console()
    root = checkout()
    state = State.load(folder or root / ".run")
    progress = Progress(console)
    with state.locked():
        platform = Platform(root, state, progress.say, institutions)
        settings = demo_institutions(institutions or root / INSTITUTIONS, state)
        platform.start_stores()
        api = platform.start_airflow(settings)
        platform.make_roles(settings)
        platform.wait_for_airflow(api)
        login = f"{platform.places.airflow}  user {UI_USER}  password {ui_password(state)}"
        progress.say(f"Airflow is up at {login}")
        progress.say(f"it has the secrets of {state.folder / SECRETS_FILE}, if there is such a file")


def down(folder: Path | None = None, console: Console | None = None) -> None:
    """Stop everything the demo started; what it stored stays in the folder, except the S3 emulator's objects."""
    console = console or Console()
    root = checkout()
    state = State.load(folder or root / ".run")
    with state.locked():
        stopped = Platform(root, state, Progress(console).say).stop()
    console.print(f"stopped: {stopped} processes of the demo" if stopped else "nothing of the demo was running")


def demo_institutions(folder: Path, state: State) -> list[InstitutionSettings]:
    """Return the settings of the demo's own institutions; files of other institutions are not read.

    Raises:
        SettingsError: the file of a demo institution is missing or not valid.
    """
    # The YAML takes its working folder from the environment, here as in Airflow's processes.
    os.environ["PALIMPSEST_WORK_DIR"] = str(state.folder / "work")
    return [load_institution(folder / f"{name}.yaml") for name in DEMO_INSTITUTIONS]


def _start(
    platform: Platform, state: State, institutions: list[InstitutionSettings], size: Size, progress: Progress
) -> AirflowApi:
    """Start all services and fill the warehouses; return a client of the healthy Airflow."""
    platform.start_stores()
    api = platform.start_airflow(institutions)
    _seed(platform, state, institutions, size, progress)
    platform.make_roles(institutions)
    progress.say("each kind of task has a database login that may do no more than the task needs")
    platform.make_buckets({settings.publish.bucket for settings in institutions})
    progress.say("waiting for Airflow")
    platform.wait_for_airflow(api)
    return api


def _annotate(
    flow: Flow, institutions: list[InstitutionSettings], secrets: Secrets, size: Size, progress: Progress
) -> None:
    """Build dictionaries, approve a harvest, draw samples, and let simulated people annotate them."""
    flow.dictionaries()
    flow.harvest()
    for settings in institutions:
        frozen = people.approve(settings, secrets, size)
        progress.say(
            f"{settings.title}: a simulated officer has verified {frozen['sentences']:,} sentences and"
            f" {frozen['templates']:,} templates"
        )
    flow.sample()
    truths = {settings.institution: people.truth_of(settings, size) for settings in institutions}
    for settings in institutions:
        notes = people.label_lists(settings, secrets, truths[settings.institution])
        progress.say(f"{settings.title}: two simulated annotators have labelled {notes // 2:,} notes each")
    flow.agreement()
    for settings in institutions:
        notes = people.decide_conflicts(settings, secrets, truths[settings.institution])
        progress.say(f"{settings.title}: a third has decided the conflicts of {notes:,} notes")


def _follow_changes(
    flow: Flow, platform: Platform, institutions: list[InstitutionSettings], size: Size, progress: Progress
) -> None:
    """Change notes and patients of the published days in each hospital, and bring the published table up to date."""
    for settings in institutions:
        events = change_hospital(platform.places.databases["ehr"], settings, size, BACKFILLED)
        progress.say(f"{settings.title}: {events} notes and patients of these days have changed since")
    flow.changes()
    flow.ledger()


def _seed(
    platform: Platform, state: State, institutions: list[InstitutionSettings], size: Size, progress: Progress
) -> None:
    for settings in institutions:
        key = f"seeded_{settings.institution}"
        if state.get(key) == asdict(size):
            continue
        progress.say(f"admitting the patients of {settings.title} and writing {size.notes:,} notes")
        notes = seed(platform.places.databases["ehr"], settings, size)
        progress.say(f"{settings.title}: {notes:,} notes in the warehouse")
        state.put(key, asdict(size))
