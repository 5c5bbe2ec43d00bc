import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import psycopg2
import pytest

from deid_tasks.hospital.layouts import load
from deid_tasks.platform.warehouse.upgrade import upgrade_schemas
from deid_tasks.settings import InstitutionSettings
from tests.support.freeze_truth import freeze_truth
from tests.support.small_hospital import hospital, notes

PROJECT = Path(__file__).parents[2] / "dbt"


@dataclass(frozen=True)
class Dbt:
    """dbt on one institution of one database, with target and logs of its own."""

    uri: str
    institution: str
    layout: str
    folder: Path

    @property
    def target(self) -> Path:
        return self.folder / "target"

    @property
    def logs(self) -> Path:
        return self.folder / "logs"

    def run(self, *arguments: str, **variables: object) -> subprocess.CompletedProcess[str]:
        place = urlsplit(self.uri)
        chosen = {"institution": self.institution, "layout": self.layout} | variables
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder),
            "PALIMPSEST_DBT_HOST": place.hostname or "",
            "PALIMPSEST_DBT_PORT": str(place.port),
            "PALIMPSEST_DBT_USER": place.username or "",
            "PALIMPSEST_DBT_PASSWORD": place.password or "",
            "PALIMPSEST_DBT_DBNAME": place.path.removeprefix("/"),
        }
        places = ("--project-dir", str(PROJECT), "--profiles-dir", str(PROJECT))
        paths = ("--target-path", str(self.target), "--log-path", str(self.logs))
        # The project writes neither; what they hold here is checked.
        paths += ("--write-json", "--log-level-file", "debug")
        variables_given = ("--vars", str({k: v for k, v in chosen.items() if v is not None}))
        command = [sys.executable, "-m", "dbt.cli.main", *arguments, *places, *paths, *variables_given]
        return subprocess.run(command, env=environment, cwd=self.folder, capture_output=True, text=True, check=False)

    def rows(self, question: str) -> list[tuple]:
        connection = psycopg2.connect(self.uri)
        try:
            with connection.cursor() as cursor:
                cursor.execute(question.replace("{i}", self.institution))
                return cursor.fetchall()
        finally:
            connection.close()


@pytest.fixture(scope="session")
def warehouses(postgres, tmp_path_factory) -> dict[str, Dbt]:
    """The same small hospital in both layouts, each built once by ``dbt build``."""
    postgres.create_database("dbt_tests")
    uri = postgres.uri("dbt_tests")
    connection = psycopg2.connect(uri)
    built = {}
    for institution, layout in (("riverside", "omop"), ("lakeshore", "clarity")):
        load(connection, hospital(institution), notes(), f"{institution}_ehr", layout)
        upgrade_schemas(uri, settings().model_copy(update={"institution": institution}))
        built[layout] = Dbt(uri, institution, layout, tmp_path_factory.mktemp(institution))
    with ThreadPoolExecutor() as pool:
        for result in pool.map(lambda dbt: dbt.run("build"), built.values()):
            assert result.returncode == 0, result.stdout
    freeze_truth(connection, settings(), notes(), "random")
    connection.close()
    return built


def settings() -> InstitutionSettings:
    """Of the institution that has a gold set."""
    return InstitutionSettings.model_validate(
        {
            "institution": "riverside",
            "title": "Riverside Health",
            "warehouse": {"connection": "riverside_ehr", "layout": "omop"},
            "notes": {"start_date": "2024-01-01"},
            "obfuscate": {"key": "riverside_key"},
            "publish": {"bucket": "published", "object_store": "object_store", "catalog": "catalog"},
            "work_dir": "/nowhere",
        }
    )


@pytest.fixture
def riverside() -> InstitutionSettings:
    return settings()


@pytest.fixture(params=["omop", "clarity"])
def warehouse(warehouses, request) -> Dbt:
    return warehouses[request.param]
