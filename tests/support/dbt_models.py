"""Build dbt models of one institution in a test database."""

import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

PROJECT = Path(__file__).parents[2] / "dbt"


def build_models(uri: str, institution: str, layout: str, folder: Path, *select: str) -> None:
    """Build the selected models and snapshots of ``institution``, or everything, in the database at ``uri``; test nothing."""
    place = urlsplit(uri)
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "PALIMPSEST_DBT_HOST": place.hostname or "",
        "PALIMPSEST_DBT_PORT": str(place.port),
        "PALIMPSEST_DBT_USER": place.username or "",
        "PALIMPSEST_DBT_PASSWORD": place.password or "",
        "PALIMPSEST_DBT_DBNAME": place.path.removeprefix("/"),
    }
    command = [
        *(sys.executable, "-m", "dbt.cli.main", "build", "--exclude-resource-type", "test", "unit_test"),
        *("--project-dir", str(PROJECT), "--profiles-dir", str(PROJECT)),
        *("--vars", f"{{institution: {institution}, layout: {layout}}}"),
        *("--target-path", str(folder / "target"), "--log-path", str(folder / "logs"), "--write-json"),
        *(("--select", *select) if select else ()),
    ]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout
