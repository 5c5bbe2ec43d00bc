"""One demo under Airflow's own scheduler, for all tests of this room."""

import io
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.console import Console

from deid_tasks.demo import down
from deid_tasks.demo.state import State
from deid_tasks.settings import load_institutions
from tests.support.demo_run import Demo, environment_of, finish, institutions_in, interrupt, know_the_keys


@pytest.fixture(scope="session")
def demo() -> Iterator[Demo]:
    # Not under pytest's own folder: only its owner may enter that, and PostgreSQL is somebody else when root runs the
    # tests.
    top = Path(tempfile.mkdtemp(prefix="palimpsest-e2e-"))
    top.chmod(0o755)
    folder, institutions = top / "run", institutions_in(top / "institutions")
    caller = dict(os.environ)
    try:
        os.environ["PALIMPSEST_WORK_DIR"] = str(folder / "work")
        settings = load_institutions(institutions)
        know_the_keys(State.load(folder), settings)
        environment = environment_of(top)
        interrupt(folder, institutions, environment)
        yield finish(folder, institutions, settings, environment)
    finally:
        down(folder, Console(file=io.StringIO()))
        os.environ.clear()
        os.environ.update(caller)
        shutil.rmtree(top, ignore_errors=True)
