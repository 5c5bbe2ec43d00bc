"""Imports run one way, and the engine stands without what only the platform needs."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "deid_tasks"
FOUNDATION = {
    "columns",
    "decision",
    "entities",
    "errors",
    "labels",
    "span",
    "notes",
    "patient",
    "pem",
    "reference",
    "states",
    "settings",
    "text",
}
STEPS = {
    "warehouse",
    "lexicon",
    "detect",
    "merge",
    "recover",
    "obfuscate",
    "audit",
    "annotate",
    "evaluate",
    "gate",
    "publish",
    "formats",
    "report",
    "sampling",
    "harvest",
    "vault",
    "literature",
}
COMPOSERS = {"fingerprint", "settle", "stakes", "engine", "pipeline", "bench", "runs"}
SHELLS = {"cli", "demo", "train", "hospital"}
ALLOWED_BETWEEN_STEPS = {
    ("detect", "lexicon"),
    ("recover", "lexicon"),
    ("audit", "lexicon"),
    ("harvest", "detect"),
    ("literature", "lexicon"),
}
"""Everything that reads dictionaries shares the lexicon's normalisation and matcher; what is harvested is what a detector matches."""


def room(module: str) -> str:
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else ""


def imports() -> list[tuple[str, str, str]]:
    found = []
    for path in PACKAGE.rglob("*.py"):
        own = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            found += [(own, room(name), path.name) for name in names if name.startswith("deid_tasks")]
    return found


def test_every_room_has_its_place():
    rooms = {
        path.name.removesuffix(".py")
        for path in PACKAGE.iterdir()
        if path.suffix == ".py" or (path / "__init__.py").exists()
    }
    assert rooms - {"__init__"} <= FOUNDATION | STEPS | COMPOSERS | SHELLS


@pytest.mark.parametrize("own", sorted(FOUNDATION | STEPS))
def test_imports_run_one_way(own):
    allowed = FOUNDATION | {own} if own in STEPS else FOUNDATION
    wrong = [
        (target, file)
        for source, target, file in imports()
        if source == own and target and target not in allowed and (own, target) not in ALLOWED_BETWEEN_STEPS
    ]
    assert not wrong


def test_composers_know_nothing_of_shells():
    assert not [entry for entry in imports() if entry[0] in COMPOSERS and entry[1] in SHELLS]


HEAVY = (
    "airflow",
    "cosmos",
    "dbt",
    "great_expectations",
    "torch",
    "transformers",
    "onnx",
    "safetensors",
    "pandas",
    "polars",
    "duckdb",
    "sqlalchemy",
    "pyiceberg",
    "psycopg2",
    "boto3",
    "moto",
    "cryptography",
)
WITHOUT = f"""
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {HEAVY!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Missing())
"""


def run_python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


def test_the_engine_stands_without_the_platform():
    """Detection and obfuscation run where nothing of Airflow, dbt, Great Expectations, torch or transformers is installed."""
    code = (
        WITHOUT
        + "import pyarrow as pa\n"
        + "from deid_tasks.cli import app, bench, engines\n"
        + "from deid_tasks.engine import Context, build_engine\n"
        + "from deid_tasks.notes import NOTE_SCHEMA\n"
        + "from deid_tasks.pipeline import deidentify\n"
        + "engine = build_engine(engines.public_settings(), None, bytes(32))\n"
        + "note = dict.fromkeys(NOTE_SCHEMA.names) | {'note_id': 'n', 'text': 'Seen by Dr. Okafor on 3/14/2021.'}\n"
        + "result = deidentify(pa.RecordBatch.from_pylist([note], schema=NOTE_SCHEMA), Context(engine)).to_pylist()[0]\n"
        + "assert result['outcome'] == 'published', result['reason']\n"
        + "assert {'PROVIDER', 'DATE'} <= {span['entity'] for span in result['spans']}, result['spans']\n"
        + f"loaded = [name for name in {HEAVY!r} if sys.modules.get(name)]\n"
        + "assert not loaded, loaded\n"
    )
    result = run_python(code)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("command", [["demo"], ["sample", "--institution", "riverside"]])
def test_a_command_of_the_platform_says_what_is_missing(command):
    code = f"{WITHOUT}sys.argv = ['deid', *{command!r}]\nfrom deid_tasks.cli import main\nmain()\n"
    result = run_python(code)
    assert result.returncode == 2, result.stderr
    assert "is not installed: pip install 'palimpsest-deid[platform]'" in result.stderr
    assert "Traceback" not in result.stderr


def test_importing_the_engine_loads_nothing_heavy():
    """Also where all of it is installed: a worker starts in a second, not in ten."""
    code = (
        "import sys, deid_tasks.cli.app, deid_tasks.cli.engines, deid_tasks.pipeline, deid_tasks.detect.transformer\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])\n"
    )
    result = run_python(code)
    assert result.stdout.strip() == "[]", result.stdout + result.stderr
