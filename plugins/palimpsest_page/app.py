"""The page, behind Airflow's authentication; it shows the institutions whose evaluation DAG the user may see."""

import logging
import os
from pathlib import Path
from typing import Annotated

from airflow.api_fastapi.app import get_auth_manager
from airflow.api_fastapi.auth.managers.models.base_user import BaseUser
from airflow.api_fastapi.auth.managers.models.resource_details import DagDetails
from airflow.api_fastapi.core_api.security import get_user
from airflow.configuration import conf
from fastapi import Depends, FastAPI
from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader

from deid_tasks.core.errors import SettingsError
from deid_tasks.settings import InstitutionSettings, institution_files, load_institution
from palimpsest_page.figures import read_figures

logger = logging.getLogger(__name__)

app = FastAPI(title="De-identification", docs_url=None, redoc_url=None, openapi_url=None)
_TEMPLATES = Environment(loader=FileSystemLoader(Path(__file__).parent), autoescape=True)


@app.get("/", response_class=HTMLResponse)
def page(user: Annotated[BaseUser, Depends(get_user)]) -> HTMLResponse:
    """Return the page with every institution whose evaluation DAG the user may see."""
    shown = [read_figures(settings) for settings in _institutions() if _may_see(user, settings)]
    headers = {"Cache-Control": "no-store", "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'"}
    return HTMLResponse(_TEMPLATES.get_template("page.html").render(institutions=shown), headers=headers)


def _may_see(user: BaseUser, settings: InstitutionSettings) -> bool:
    details = DagDetails(id=f"evaluate__{settings.institution}")
    return get_auth_manager().is_authorized_dag(method="GET", details=details, user=user)


def _institutions() -> list[InstitutionSettings]:
    default = Path(conf.get_mandatory_value("core", "dags_folder"), "institutions")
    found = []
    for path in institution_files(Path(os.environ.get("PALIMPSEST_INSTITUTIONS") or default)):
        try:
            found.append(load_institution(path))
        except SettingsError as error:
            # Airflow also shows the invalid file as an import error of its DAGs.
            logger.warning("not on the page: %s", error)
    return found
