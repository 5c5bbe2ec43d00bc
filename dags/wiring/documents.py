"""The page that Airflow shows for a DAG, from the Markdown template of its kind."""

from typing import Any

from deid_tasks.settings import InstitutionSettings
from wiring.paths import DAG_DOCS


def dag_document(kind: str, settings: InstitutionSettings, **values: Any) -> str:
    """Return ``dags/docs/<kind>.md`` with ``{title}``, ``{institution}``, ``{work_dir}`` and ``values`` filled in."""
    template = (DAG_DOCS / f"{kind}.md").read_text(encoding="utf-8")
    return template.format(title=settings.title, institution=settings.institution, work_dir=settings.work_dir, **values)
