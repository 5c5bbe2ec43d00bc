"""The page that Airflow shows for a DAG, from the Markdown template of its kind."""

from typing import Any

from deid_tasks.settings import InstitutionSettings
from wiring.paths import DAG_DOCS


def dag_document(kind: str, settings: InstitutionSettings, **values: Any) -> str:
    """Return ``dags/docs/<kind>.md`` with ``{title}``, ``{institution}``, ``{work_dir}``, ``{pool}``, ``values`` filled
    in; ``{pool}`` is that of the tasks that run the engine.
    """
    template = (DAG_DOCS / f"{kind}.md").read_text(encoding="utf-8")
    own = {"title": settings.title, "institution": settings.institution, "work_dir": settings.work_dir}
    return template.format(**own, pool=settings.engine_pool, **values)
