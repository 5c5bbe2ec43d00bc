"""The plugin's folder on the import path, and an Airflow home of the tests' own."""

import os
import sys
import tempfile
from pathlib import Path

PLUGINS = str(Path(__file__).parents[2] / "plugins")

# Airflow reads it when it is first imported.
os.environ.setdefault("AIRFLOW_HOME", tempfile.mkdtemp(prefix="palimpsest-airflow-"))
sys.path.insert(0, PLUGINS)
