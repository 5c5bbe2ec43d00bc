"""Folders and files of the repository that DAG files refer to."""

from pathlib import Path

DBT_PROJECT = Path(__file__).resolve().parents[2] / "dbt"
DBT_CONTRACT = DBT_PROJECT / "models" / "staging" / "models.yml"
"""Declares each column of the staging models, and how de-identification treats it."""
DAG_DOCS = Path(__file__).resolve().parents[1] / "docs"
"""One Markdown template for each kind of DAG."""
