"""Which institutions a user may see: those whose DAGs Airflow lets the user read."""

import logging
import os
from pathlib import Path

from airflow.api_fastapi.app import get_auth_manager
from airflow.api_fastapi.auth.managers.models.base_user import BaseUser
from airflow.api_fastapi.auth.managers.models.resource_details import DagAccessEntity, DagDetails
from airflow.configuration import conf
from airflow.models.dag import DagModel

from deid_tasks.settings import InstitutionSettings, read_institutions
from palimpsest_page.waiting import REVIEWED

logger = logging.getLogger(__name__)

_SHOWN = ("notes", "evaluate", "dictionaries", "ledger")
"""Kinds of DAG whose results the page shows; a user must be allowed to read each of them."""


def visible_institutions(user: BaseUser) -> list[InstitutionSettings]:
    """Return the institutions whose DAGs the user may read, in order of their names."""
    found = _institutions()
    # One look-up for all: with Airflow's teams, a DAG is readable for its team alone.
    teams = _teams([f"{kind}__{one.institution}" for one in found for kind in _SHOWN])
    return [one for one in found if all(_may_read(user, f"{kind}__{one.institution}", teams) for kind in _SHOWN)]


def reviewed_dags(user: BaseUser, institutions: list[InstitutionSettings]) -> list[str]:
    """Return the DAGs of these institutions whose waiting tasks the user may see."""
    dags = [f"{kind}__{one.institution}" for one in institutions for kind in REVIEWED]
    teams = _teams(dags)
    return [dag for dag in dags if _may_read(user, dag, teams, DagAccessEntity.HITL_DETAIL)]


def _may_read(user: BaseUser, dag_id: str, teams: dict[str, str | None], entity: DagAccessEntity | None = None) -> bool:
    details = DagDetails(id=dag_id, team_name=teams.get(dag_id))
    return get_auth_manager().is_authorized_dag(method="GET", access_entity=entity, details=details, user=user)


def _teams(dag_ids: list[str]) -> dict[str, str | None]:
    if not dag_ids or not conf.getboolean("core", "multi_team"):
        return {}
    return DagModel.get_dag_id_to_team_name_mapping(dag_ids)


def _institutions() -> list[InstitutionSettings]:
    default = Path(conf.get_mandatory_value("core", "dags_folder"), "institutions")
    found, problems = read_institutions(Path(os.environ.get("PALIMPSEST_INSTITUTIONS") or default))
    for problem in problems:
        # Airflow also shows the invalid file as an import error of its DAGs.
        logger.warning("not on the page: %s", problem)
    return found
