"""The page in Airflow's own API server, over three years of daily runs in PostgreSQL."""

import os
import shutil
import tempfile
from pathlib import Path

import httpx
import pytest

from benchmarks.support.page_site import page_site
from tests.conftest import fresh_database

CHROMIUM = Path("/usr/bin/chromium")
DAYS = 3 * 365


@pytest.fixture(scope="session")
def years(postgres):
    """Two institutions: riverside has three years of runs, and lakeshore a tenth of them."""
    folder = Path(tempfile.mkdtemp(prefix="palimpsest-page-"))
    try:
        with page_site(fresh_database(postgres), folder, DAYS) as site:
            yield site
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def get(years):
    """Requests a path of the page as a user of Airflow, or as nobody."""

    def request(path: str, user: str | None = "officer") -> httpx.Response:
        cookies = {"_token": years.tokens[user]} if user else {}
        return httpx.get(f"{years.address}/palimpsest{path}", cookies=cookies, timeout=120)

    return request


@pytest.fixture(scope="module")
def chromium():
    """Debian's Chromium; tests that need it are skipped where it is not installed.

    Playwright runs an event loop in this thread until the module ends; no other module could run its own.
    """
    if not CHROMIUM.exists():
        pytest.skip(f"{CHROMIUM} is not installed (apt-get install chromium)")
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=120_000)
    # Chromium refuses its sandbox when root runs it.
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=arguments)
        yield browser
        browser.close()


@pytest.fixture
def browse(chromium, years):
    """Opens the page in a browser of a user, with any options of a Playwright context."""
    contexts = []

    def visit(path: str, user: str = "officer", width: int = 1280, **options):
        context = chromium.new_context(viewport={"width": width, "height": 900}, **options)
        contexts.append(context)
        context.set_default_timeout(120_000)
        context.add_cookies([{"name": "_token", "value": years.tokens[user], "url": years.address}])
        page = context.new_page()
        page.goto(f"{years.address}{path}")
        return page

    yield visit
    for context in contexts:
        context.close()
