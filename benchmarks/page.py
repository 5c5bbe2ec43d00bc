"""How long the page De-identification takes over years of runs, and pictures of it: ``python -m benchmarks.page``.

A private PostgreSQL holds simulated history of two institutions; Airflow's own API server serves the page. Times are of
whole requests, with Airflow's authentication, on the machine as it is.
"""

import argparse
import os
import shutil
import statistics
import tempfile
import time
from pathlib import Path

import httpx

from benchmarks.support.page_site import PageSite, page_site
from deid_tasks.hospital.postgres import EmbeddedPostgres

_CHROMIUM = Path("/usr/bin/chromium")
_PATHS = {
    "summary": "/palimpsest/",
    **{
        f"institution, {period}": f"/palimpsest/institutions/riverside?period={period}"
        for period in ("month", "quarter", "year", "years")
    },
}
_PICTURES = (
    ("page-summary.png", "/palimpsest/", 1280, "light", 0, 860),
    ("page-institution.png", "/palimpsest/institutions/riverside?period=years", 1280, "light", 0, 1145),
    ("page-phone.png", "/palimpsest/institutions/riverside", 360, "dark", 0, 1130),
)
"""File, address, width, colours, first and last line of the picture."""


def main() -> None:
    """Print a row for each address: milliseconds of a request, queries and rows of the database, size of the answer."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--days", type=int, default=3 * 365, help="days of history")
    parser.add_argument("--repeats", type=int, default=7, help="requests of each address")
    parser.add_argument("--pictures", type=Path, help="folder for pictures of the page")
    chosen = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="palimpsest-page-"))
    # The server is somebody else where root runs this.
    folder.chmod(0o755)
    try:
        with EmbeddedPostgres(folder / "pg") as postgres:
            postgres.create_database("page")
            with page_site(postgres.uri("page"), folder / "site", chosen.days) as site:
                _measure(site, chosen.days, chosen.repeats)
                if chosen.pictures:
                    take_pictures(site, chosen.pictures)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _measure(site: PageSite, days: int, repeats: int) -> None:
    print(f"{days} days of runs, {repeats} requests each, after one that is not counted\n")
    print("| page | median ms | slowest ms | database | KB |\n|---|---:|---:|---|---:|")
    with httpx.Client(base_url=site.address, cookies={"_token": site.tokens["officer"]}, timeout=300) as client:
        for name, path in _PATHS.items():
            took = []
            for _ in range(repeats + 1):
                began = time.perf_counter()
                answer = client.get(path).raise_for_status()
                took.append(1_000 * (time.perf_counter() - began))
            database = answer.headers["server-timing"].partition('desc="')[2].partition('"')[0]
            median, slowest = statistics.median(took[1:]), max(took[1:])
            print(f"| {name} | {median:.0f} | {slowest:.0f} | {database} | {len(answer.content) / 1_000:.0f} |")


def take_pictures(site: PageSite, folder: Path) -> None:
    """Write pictures of the page; a message says so where there is no Chromium."""
    if not _CHROMIUM.exists():
        print(f"pictures skipped: {_CHROMIUM} is not installed (apt-get install chromium)")
        return
    from playwright.sync_api import sync_playwright

    # Chromium refuses its sandbox when root runs it.
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(_CHROMIUM), args=arguments)
        for file, path, width, scheme, top, bottom in _PICTURES:
            dark = scheme == "dark"
            context = browser.new_context(
                viewport={"width": width, "height": 900}, color_scheme="dark" if dark else "light"
            )
            context.add_cookies([{"name": "_token", "value": site.tokens["officer"], "url": site.address}])
            page = context.new_page()
            page.goto(f"{site.address}{path}")
            clip = {"x": 0.0, "y": float(top), "width": float(width), "height": float(bottom - top)}
            page.screenshot(path=folder / file, full_page=True, clip=clip)  # type: ignore[arg-type]
            print(folder / file)
            context.close()
        browser.close()


if __name__ == "__main__":
    main()
