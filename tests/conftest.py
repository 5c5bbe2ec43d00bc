"""Fixtures that several rooms share: one PostgreSQL a test process, and fresh databases in it."""

import itertools
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

# How long an example takes depends on what else the machine does: no test asserts it.
settings.register_profile("palimpsest", deadline=None)
settings.load_profile("palimpsest")

_NUMBERS = itertools.count(1)
_SERVICES = frozenset({"postgres", "object_store", "demo", "warehouses"})
"""Fixtures that start a service."""


_LONGEST = (
    "tests/e2e/",
    "tests/platform/runs/test_changes.py",
    "tests/platform/audit_log/test_tampering.py",
    "tests/dbt/",
    "tests/platform/runs/",
    "tests/spark/",
    "tests/cli/test_landing.py",
    "tests/faults/",
)
"""Files and folders of minutes, longest first. They begin first, so that no process ends long after the others."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test that needs a service, so that `make check` can leave it to `make test`; begin with the longest."""
    for item in items:
        if _SERVICES & set(getattr(item, "fixturenames", ())):
            item.add_marker("service")
    items.sort(key=_place)


def _place(item: pytest.Item) -> int:
    found = (place for place, start in enumerate(_LONGEST) if item.nodeid.startswith(start))
    return next(found, len(_LONGEST))


@pytest.fixture(scope="session")
def postgres() -> "Iterator[EmbeddedPostgres]":  # noqa: F821
    """A running PostgreSQL on a free port, gone with the session; each xdist worker has its own."""
    from deid_tasks.hospital.postgres import EmbeddedPostgres

    # Not under pytest's own folder: only its owner may enter that, and the server is somebody else when root runs the
    # tests.
    folder = Path(tempfile.mkdtemp(prefix="palimpsest-test-"))
    folder.chmod(0o755)
    try:
        with EmbeddedPostgres(folder / "pg", settings={"fsync": "off", "full_page_writes": "off"}) as server:
            yield server
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def database(postgres) -> str:
    """The URI of an empty database of this test's own."""
    return fresh_database(postgres)


@pytest.fixture(scope="module")
def module_database(postgres) -> str:
    """The URI of an empty database that the tests of one module share."""
    return fresh_database(postgres)


def fresh_database(postgres) -> str:
    """Create an empty database and return its URI."""
    name = f"test_{os.getpid()}_{next(_NUMBERS)}"
    postgres.create_database(name)
    return postgres.uri(name)


@pytest.fixture(scope="session")
def object_store() -> Iterator[dict[str, str]]:
    """An S3 emulator on a free loopback port, with one bucket; the JSON object its secret holds."""
    import boto3
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    store = {"endpoint": f"http://{host}:{port}", "access_key": "test", "secret_key": "test-secret"}
    boto3.client(
        "s3",
        endpoint_url=store["endpoint"],
        aws_access_key_id=store["access_key"],
        aws_secret_access_key=store["secret_key"],
        region_name="us-east-1",
    ).create_bucket(Bucket="published")
    yield store
    server.stop()


@pytest.fixture
def institution(tmp_path) -> "InstitutionSettings":  # noqa: F821
    """Settings of an institution that stands nowhere but in this test."""
    from deid_tasks.settings import InstitutionSettings

    return InstitutionSettings.model_validate(
        {
            "institution": "riverside",
            "title": "Riverside Health",
            "warehouse": {"connection": "riverside_ehr", "layout": "omop"},
            "notes": {"start_date": "2024-01-01", "shard_notes": 20},
            "detect": {"patterns": {"identifiers": {"MRN": [r"RH\d{7}"]}}},
            "obfuscate": {"key": "riverside_key"},
            "publish": {"bucket": "published", "object_store": "object_store", "catalog": "catalog"},
            # All tests of a process have one bucket: the heads of another test's audit log are not this one's.
            "audit_log": {"prefix": f"audit/{tmp_path.name}"},
            "work_dir": str(tmp_path / "work"),
        }
    )


@pytest.fixture
def platform_secrets(database, object_store) -> "Secrets":  # noqa: F821
    """The institution's secrets: one fresh database for warehouse and catalog, the emulator, and a key."""
    import base64
    import json

    from deid_tasks.settings import Secrets

    held = {
        "riverside_ehr": database,
        "catalog": database,
        "object_store": json.dumps(object_store),
        "riverside_key": base64.b64encode(bytes(range(32))).decode(),
    }
    return Secrets(held.get)
