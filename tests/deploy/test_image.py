"""The image's steps without a Docker engine: the wheel, an empty environment, and only the files that are copied."""

import json
import os
import re
import subprocess
import sys
import sysconfig
import time
import tomllib
import venv
from pathlib import Path

import pytest

from tests.support.image_files import ROOT, context_files, copy_stage, stages

_TRACKED = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
_NOTE = {"id": "1", "text": "Seen by Dr. Maria Okafor on 03/05/2024. Phone (312) 555-0143. No fever."}

# Refuses every file of the checkout, whichever way the code came to it.
_WATCH = """
import sys
def _watch(event, arguments):
    if event == "open" and isinstance(arguments[0], str):
        path = arguments[0]
        if path.startswith({root!r}) and not path.startswith({packages!r}):
            raise RuntimeError("outside of the image: " + path)
sys.addaudithook(_watch)
"""


def test_an_image_runs_without_rights_and_installs_by_hash():
    for name in ("engine", "platform"):
        assert stages()[name].user == "50000:0"
    installs = [run for stage in stages().values() for run in stage.runs if "pip install" in run]
    assert all("--require-hashes" in run or "--no-index --no-deps" in run for run in installs)


def test_a_command_knows_that_it_runs_in_the_image():
    from deid_tasks.cli.identity import IMAGE_MARKER

    assert f"touch {IMAGE_MARKER}" in stages()["runtime"].runs
    assert not IMAGE_MARKER.exists()


def test_old_logs_are_deleted_and_young_ones_stay(tmp_path):
    logs = tmp_path / "logs" / "dag_id=notes__riverside"
    (logs / "empty").mkdir(parents=True)
    old, young = logs / "old.log", logs / "young.log"
    for path in (old, young):
        path.touch()
    ago = time.time() - 16 * 24 * 3_600
    for path in (old, logs / "empty"):
        os.utime(path, (ago, ago))
    environment = os.environ | {"AIRFLOW_HOME": str(tmp_path)}
    subprocess.run([ROOT / "deploy" / "image" / "clean-logs", "--once"], env=environment, check=True)
    assert list(logs.iterdir()) == [young]
    [copy] = [one for one in stages()["platform"].copies if "deploy/image/clean-logs" in one.sources]
    assert copy.target == "/clean-logs"


def test_what_is_copied_exists_and_nothing_else_is_sent_to_the_builder():
    sent = context_files()
    for stage in stages().values():
        for copy in stage.copies:
            for source in copy.sources:
                for path in {source.replace("${VARIANT}", variant) for variant in ("cpu", "cuda")}:
                    assert any(file == path or file.startswith(f"{path}/") for file in sent), path
    assert not [file for file in sent if re.search(r"__pycache__|^tests/|^benchmarks/|^\.|\.env", file)]


@pytest.mark.parametrize("top", ["deid_tasks", "dictionaries", "dags", "plugins", "dbt"])
def test_every_file_that_the_platform_may_read_is_in_the_image(top):
    """What builds or checks lists is all of these folders that stays outside."""
    wanted = {file for file in _TRACKED if file.startswith(f"{top}/")}
    missing = wanted - context_files()
    assert all(re.fullmatch(r"(dictionaries|dbt/seeds)/(build|check)_\w+\.py", file) for file in missing), missing


@pytest.mark.parametrize("name", ["engine-cpu", "engine-cuda", "platform-cpu", "platform-cuda"])
def test_what_the_image_installs_is_what_the_pins_say(name):
    pins = _pins(ROOT / "constraints.txt")
    packages = _pins(ROOT / "deploy" / "image" / f"{name}.txt")
    # pip's own tools are not pinned, nor what only the CUDA variant has.
    assert not {one: version for one, version in packages.items() if pins.get(one, version) != version}
    unpinned = set(packages) - set(pins)
    assert not [one for one in unpinned if one != "setuptools" and not name.endswith("cuda")]
    cpu = _pins(ROOT / "deploy" / "image" / f"{name.partition('-')[0]}-cpu.txt")
    assert cpu.items() <= packages.items()


def _pins(file: Path) -> dict[str, str]:
    found = re.findall(r"^([\w.-]+)==([^\s;]+)", file.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[-_.]+", "-", name).lower(): version for name, version in found}


def test_every_data_file_of_the_package_is_in_the_wheel():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    endings = {re.sub(r"^\*\*/\*", "", one) for one in project["tool"]["setuptools"]["package-data"]["deid_tasks"]}
    for file in _TRACKED:
        if file.startswith("deid_tasks/") and not file.endswith(".py"):
            assert Path(file).suffix in endings or Path(file).name in endings, file


@pytest.fixture(scope="module")
def image(tmp_path_factory) -> Path:
    """The root of an image: a virtual environment with the wheel, and what the stage ``platform`` copies."""
    top = tmp_path_factory.mktemp("image")
    copy_stage(stages()["wheel"], top / "build", {"VARIANT": "cpu"})
    _check(
        [
            sys.executable,
            "-m",
            "pip",
            "wheel",
            "-q",
            "--no-deps",
            "--no-build-isolation",
            "--wheel-dir",
            str(top / "wheels"),
            str(top / "build" / "src"),
        ],
        top,
    )
    root = top / "root"
    copy_stage(stages()["platform"], root, {"VARIANT": "cpu"})
    environment = root / "opt" / "venv"
    venv.create(environment, with_pip=False)
    packages = next((environment / "lib").glob("python*/site-packages"))
    [wheel] = (top / "wheels").glob("*.whl")
    _check(
        [
            sys.executable,
            "-m",
            "pip",
            "install",
            "-q",
            "--no-index",
            "--no-deps",
            "--target",
            str(packages),
            str(wheel),
        ],
        top,
    )
    # Its dependencies are those of this environment, without the checkout that is installed in it.
    (packages / "image_watch.py").write_text(_WATCH.format(root=f"{ROOT}/", packages=f"{sys.prefix}/"))
    (packages / "dependencies.pth").write_text(f"{sysconfig.get_path('purelib')}\nimport image_watch\n")
    return root


def _check(command: list[str], folder: Path, **environment: str) -> str:
    """Return the output of a command that sees no file of the checkout; fail with its errors."""
    inherited = {name: value for name, value in os.environ.items() if not re.match("PYTHON|AIRFLOW|PALIMPSEST", name)}
    done = subprocess.run(command, cwd=folder, env=inherited | environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-4_000:]
    return done.stdout


@pytest.mark.slow
class TestImage:
    def test_the_package_lies_in_the_environment(self, image):
        code = "import deid_tasks, deid_tasks.core.reference as r; print(r.reference_path('places.tsv'))"
        assert _python(image, "-c", code).strip().startswith(str(image))

    def test_detect_finds_identifiers_in_a_note(self, image):
        (image / "notes.jsonl").write_text(json.dumps(_NOTE) + "\n")
        found = json.loads(_python(image, "-m", "deid_tasks.cli", "detect", str(image / "notes.jsonl")))
        texts = {_NOTE["text"][span["start"] : span["end"]] for span in found["spans"]}
        assert {"03/05/2024", "(312) 555-0143"} <= texts

    def test_dags_import(self, image):
        code = (
            "import sys; sys.path[:0] = ['dags', 'plugins']\n"
            "from airflow.dag_processing.dagbag import DagBag\n"
            "bag = DagBag('dags')\n"
            "assert not bag.import_errors, bag.import_errors\n"
            "print('DAGS', len(bag.dags))"
        )
        assert "DAGS 22" in _python(image, "-c", code)

    def test_dbt_parses_the_project(self, image):
        names = ("HOST", "USER", "PASSWORD", "DBNAME")
        environment = {f"PALIMPSEST_DBT_{name}": "none" for name in names}
        _python(
            image,
            "-m",
            "dbt.cli.main",
            "parse",
            "--project-dir",
            "dbt",
            "--profiles-dir",
            "dbt",
            "--target-path",
            str(image / "target"),
            "--log-path",
            str(image / "logs"),
            "--vars",
            "{institution: riverside, layout: omop}",
            **environment,
        )

    def test_migrations_run(self, image, database):
        out = _python(
            image,
            "-m",
            "deid_tasks.cli",
            "tables",
            "upgrade",
            "--institution",
            "riverside",
            "--institutions",
            "dags/institutions",
            PALIMPSEST_SECRET_RIVERSIDE_OWNER=database,
        )
        assert "riverside_results: no version -> " in out


def _python(image: Path, *arguments: str, **environment: str) -> str:
    home = image / "opt" / "airflow"
    settings = {
        "AIRFLOW_HOME": str(home),
        "AIRFLOW__CORE__UNIT_TEST_MODE": "True",
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "AIRFLOW__CORE__PLUGINS_FOLDER": str(image / "opt" / "palimpsest" / "plugins"),
        "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": f"sqlite:///{home}/none.db",
        "AIRFLOW__COSMOS__ENABLE_TELEMETRY": "False",
        "PALIMPSEST_WORK_DIR": str(image / "var" / "lib" / "palimpsest"),
        "PYTHONDONTWRITEBYTECODE": "1",
        "DO_NOT_TRACK": "1",
    }
    home.mkdir(parents=True, exist_ok=True)
    python = image / "opt" / "venv" / "bin" / "python"
    return _check([str(python), *arguments], image / "opt" / "palimpsest", **settings | environment)
