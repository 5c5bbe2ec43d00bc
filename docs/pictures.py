"""Takes the pictures of the documentation from a running demo: `make pictures`, after `make demo`.

Debian's Chromium draws the pages through Playwright; rich draws the tables of the terminal. Without Chromium or a demo,
a message says so and the present pictures stay. Pictures of the page over years of runs: ``python -m benchmarks.page``.
"""

import io
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.console import Console

from deid_tasks.core.errors import DeidError
from deid_tasks.demo import DEMO_INSTITUTIONS, demo_institutions
from deid_tasks.demo.airflow_api import AirflowApi
from deid_tasks.demo.command import BACKFILLED
from deid_tasks.demo.environment import UI_USER, demo_secrets, ui_password
from deid_tasks.demo.report import show_report
from deid_tasks.demo.services import Platform
from deid_tasks.demo.state import INSTITUTIONS, State, checkout

CHROMIUM = Path("/usr/bin/chromium")
IMAGES = Path(__file__).parent / "images"
_SIZE = {"width": 1400, "height": 900}
_RENDER_MILLISECONDS = 4_000


def main() -> int:
    """Take all pictures; return 1 where the demo does not run."""
    if not CHROMIUM.exists():
        print(f"pictures skipped: {CHROMIUM} is not installed (apt-get install chromium)")
        return 0
    try:
        root = checkout()
        state = State.load(root / ".run")
        platform = Platform(root, state, print)
        api = AirflowApi(platform.places.airflow_port, UI_USER, ui_password(state))
        if not api.is_healthy():
            print("pictures skipped: the demo's Airflow does not answer; run `make demo` first")
            return 1
        IMAGES.mkdir(exist_ok=True)
        take_pages(platform.places.airflow, ui_password(state), state.folder / "work")
        take_terminal(platform, state, root)
    except DeidError as error:
        print(f"pictures skipped: {error}")
        return 1
    return 0


def take_pages(airflow: str, password: str, work_folder: Path) -> None:
    """Draw Airflow's grid, the page of an institution, and the newest evaluation page."""
    from playwright.sync_api import sync_playwright

    name = DEMO_INSTITUTIONS[-1]
    # Chromium refuses its sandbox when root runs it.
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=arguments)
        page = browser.new_page(viewport=_SIZE)
        page.goto(f"{airflow}/auth/login/")
        page.get_by_label("Username").fill(UI_USER)
        page.get_by_label("Password").first.fill(password)
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url(lambda address: "/auth/login" not in address)
        _take(page, f"{airflow}/dags/notes__{name}", "pin_engine", "grid.png")
        _take(page, f"{airflow}/palimpsest/institutions/{name}", "Certificates", "quality.png")
        reports = sorted((work_folder / name / "evaluation").glob("*.html"), key=lambda path: path.stat().st_mtime)
        if reports:
            _take(page, reports[-1].as_uri(), "By entity", "evaluation.png")
        browser.close()


def take_terminal(platform: Platform, state: State, root: Path) -> None:
    """Draw the tables that `make demo` ends with, as an SVG file."""
    institutions = demo_institutions(root / INSTITUTIONS, state)
    secrets = demo_secrets(state, platform.places, institutions)
    _draw(lambda console: show_report(console, institutions, secrets, BACKFILLED, _backfill_seconds(state)), "demo.svg")


def _backfill_seconds(state: State) -> float:
    return float(state.get("backfill_seconds") or 1)


def _take(page: Any, address: str, awaited: str, file: str) -> None:
    """Save a picture of a page, once it shows the text ``awaited``."""
    page.goto(address)
    page.get_by_text(awaited).first.wait_for()
    page.wait_for_timeout(_RENDER_MILLISECONDS)
    page.screenshot(path=str(IMAGES / file))
    print(IMAGES / file)


def _draw(show: Callable[[Console], None], file: str) -> None:
    console = Console(width=100, record=True, force_terminal=True, file=io.StringIO())
    show(console)
    # Without rich's fonts, which a browser would fetch from a server.
    picture = re.sub(r"@font-face \{.*?\}", "", console.export_svg(title="make demo"), flags=re.DOTALL)
    (IMAGES / file).write_text(picture, encoding="utf-8")
    print(IMAGES / file)


if __name__ == "__main__":
    sys.exit(main())
