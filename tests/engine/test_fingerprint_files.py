"""Any change of a file that the engine reads or imports changes the fingerprint, and of no other file."""

import ast
import os
import shutil
import sys
from pathlib import Path

import pytest

from deid_tasks.engine import fingerprint as module
from deid_tasks.engine.fingerprint import LIBRARIES, MODULES, TORCH_LIBRARIES, WINGS, fingerprint

PACKAGE = Path(module.__file__).parents[1]
REFERENCE = PACKAGE.parent / "dictionaries"


@pytest.fixture
def copies(tmp_path):
    shutil.copytree(PACKAGE, tmp_path / "package", ignore=shutil.ignore_patterns("__pycache__", "models", "skeletons"))
    shutil.copytree(REFERENCE, tmp_path / "reference")
    return tmp_path / "package", tmp_path / "reference"


@pytest.fixture
def fingerprint_of(institution):
    """Return the fingerprint of the institution's engine; of changed code and lists, where their folders are given."""
    return lambda folders=(): fingerprint(institution, "riverside", "lexicon", ("weights",), *folders)


@pytest.mark.parametrize(
    "change", ["nothing", "times", "docs", "cache", "platform", "evidence", "hospital", "sources", "notes file"]
)
def test_what_is_beside_the_way_of_a_note_does_not_change_it(fingerprint_of, copies, change):
    package, reference = copies
    if change == "times":
        for path in package.rglob("*.py"):
            os.utime(path, (1, 1))
    elif change == "docs":
        (package / "engine" / "detect" / "README.md").write_text("words")
    elif change == "cache":
        (package / "engine" / "detect" / "__pycache__").mkdir()
        (package / "engine" / "detect" / "__pycache__" / "rule.pyc").write_bytes(b"0")
    elif change in {"platform", "evidence", "hospital"}:
        next((package / change).rglob("*.py")).write_text("changed = True\n")
    elif change == "sources":
        (reference / "SOURCES.md").write_text("where they are from")
    elif change == "notes file":
        (package / "cli" / "app.py").write_text("")
    assert fingerprint_of(copies) == fingerprint_of()


@pytest.mark.parametrize("wing", WINGS)
def test_a_code_file_of_each_wing_changes_it(fingerprint_of, copies, wing):
    path = sorted((copies[0] / wing).rglob("*.py"))[-1]
    path.write_bytes(path.read_bytes() + b"\n")
    assert fingerprint_of(copies) != fingerprint_of()


def test_a_word_list_beside_the_code_changes_it(fingerprint_of, copies):
    path = sorted((copies[0] / "engine").rglob("*.txt"))[0]
    path.write_bytes(path.read_bytes() + b"more\n")
    assert fingerprint_of(copies) != fingerprint_of()


@pytest.mark.parametrize("name", MODULES)
def test_each_code_file_outside_the_wings_changes_it(fingerprint_of, copies, name):
    path = copies[0] / name
    path.write_bytes(path.read_bytes() + b"\n")
    assert fingerprint_of(copies) != fingerprint_of()


@pytest.mark.parametrize("change", ["new", "gone", "renamed", "moved"])
def test_files_that_come_go_or_move_change_it(fingerprint_of, copies, change):
    detect = copies[0] / "engine" / "detect"
    if change == "new":
        (detect / "more.py").write_text("")
    elif change == "gone":
        (detect / "patient_detector.py").unlink()
    elif change == "renamed":
        (detect / "patient_detector.py").rename(detect / "patients.py")
    else:
        (detect / "patient_detector.py").rename(copies[0] / "engine" / "merge" / "patient.py")
    assert fingerprint_of(copies) != fingerprint_of()


def test_a_row_of_a_reference_list_changes_it(fingerprint_of, copies):
    path = sorted(copies[1].glob("*.tsv"))[0]
    path.write_text(path.read_text() + "more\n")
    assert fingerprint_of(copies) != fingerprint_of()


def _engine_files() -> list[Path]:
    return [PACKAGE / name for name in MODULES] + [p for wing in WINGS for p in (PACKAGE / wing).rglob("*.py")]


def _imported() -> set[str]:
    names: set[str] = set()
    for path in _engine_files():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                names.add(node.module)
    return names


def test_the_code_that_the_engine_imports_is_in_it():
    ours = {name for name in _imported() if name.startswith("deid_tasks")}
    hashed = {path.relative_to(PACKAGE.parent).with_suffix("").as_posix().replace("/", ".") for path in _engine_files()}
    hashed |= {name.removesuffix(".__init__") for name in hashed}
    # Of the settings the values count, not the code that reads them; the endpoints' code counts where there is a judge.
    elsewhere = ("deid_tasks.settings", "deid_tasks.endpoints")
    assert not {name for name in ours - hashed if not name.startswith(elsewhere)}


def test_the_libraries_that_the_engine_computes_with_are_in_it():
    roots = {name.split(".")[0] for name in _imported()} - {"deid_tasks"} - sys.stdlib_module_names
    # Arrow carries columns, psycopg2 rows, the hub's client files; cryptography reads keys, yaml settings, rich prints.
    # None computes spans.
    carriers = {"cryptography", "huggingface_hub", "psycopg2", "pyarrow", "rich", "yaml"}
    assert roots - carriers == {name.removeprefix("google-") for name in (*LIBRARIES, *TORCH_LIBRARIES)}
