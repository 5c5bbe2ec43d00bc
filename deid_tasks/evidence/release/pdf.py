"""The release report as PDF, printed by an installed Chromium: no library draws HTML and SVG as well."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from deid_tasks.core.errors import InputError

_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_TIMEOUT_SECONDS = 300


def find_browser() -> str | None:
    """Return the path of a Chromium or Chrome on this machine; ``None`` where there is none."""
    return next((path for name in _BROWSERS if (path := shutil.which(name))), None)


def print_pdf(page: Path, target: Path) -> None:
    """Print an HTML page as PDF.

    Raises:
        InputError: there is no Chromium, or it fails; the text says what to do.
    """
    browser = find_browser()
    if browser is None:
        raise InputError(
            f"{target}: no Chromium or Chrome is installed, which prints the PDF (Debian: apt-get install chromium);"
            f" or print {page} from any browser"
        )
    with tempfile.TemporaryDirectory() as profile:
        command = [browser, "--headless", "--disable-gpu", f"--user-data-dir={profile}", "--no-pdf-header-footer"]
        # Chromium refuses its sandbox when root runs it.
        command += ["--no-sandbox"] if os.geteuid() == 0 else []
        command += [f"--print-to-pdf={target.resolve()}", page.resolve().as_uri()]
        try:
            done = subprocess.run(  # noqa: S603 - no shell, and no argument of others
                command, capture_output=True, check=False, timeout=_TIMEOUT_SECONDS
            )
        except subprocess.TimeoutExpired:
            raise InputError(f"{target}: {browser} did not end; print {page} from a browser") from None
    if done.returncode or not target.exists():
        raise InputError(f"{target}: {browser} failed with status {done.returncode}; print {page} from a browser")
