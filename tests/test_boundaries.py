"""The engine runs without what only the platform needs. import-linter (``make lint``) checks who may import whom."""

import subprocess
import sys

import pytest

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
    "pyspark",
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
    """Detection and obfuscation run where nothing of Airflow, dbt, Great Expectations, torch or transformers is
    installed.
    """
    code = (
        WITHOUT
        + "import pyarrow as pa\n"
        + "from deid_tasks.cli import app, bench, engines\n"
        + "from deid_tasks.engine import BatchContext, build_engine\n"
        + "from deid_tasks.core.notes import NOTE_SCHEMA\n"
        + "from deid_tasks.engine.pipeline import deidentify\n"
        + "from deid_tasks.settings import EngineSettings\n"
        + "engine = build_engine(EngineSettings.public(), bytes(32))\n"
        + "note = dict.fromkeys(NOTE_SCHEMA.names) | {'note_id': 'n', 'text': 'Seen by Dr. Okafor on 3/14/2021.'}\n"
        + "result = deidentify(pa.RecordBatch.from_pylist([note], schema=NOTE_SCHEMA), BatchContext(engine)).to_pylist()[0]\n"
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
        "import sys, deid_tasks.cli.app, deid_tasks.cli.engines, deid_tasks.engine.pipeline, deid_tasks.engine.detect.transformer\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])\n"
    )
    result = run_python(code)
    assert result.stdout.strip() == "[]", result.stdout + result.stderr
