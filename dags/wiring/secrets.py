"""The engine's secrets, from Airflow's secrets backend.

PostgreSQL and S3 are Airflow connections (types ``postgres`` and ``aws``), surrogate keys are Airflow variables. They are
looked up when a task runs and never while a DAG file is parsed.
"""

import json

from airflow.sdk import Connection, Variable
from airflow.sdk.exceptions import AirflowNotFoundException

from deid_tasks.settings import Secrets


def airflow_secrets() -> Secrets:
    """Secrets by name: a connection of that id, or else a variable of that name."""
    return Secrets(source=_look_up)


def _look_up(name: str) -> str | None:
    try:
        connection = Connection.get(name)
    except AirflowNotFoundException:
        return Variable.get(name, default=None)
    if connection.conn_type == "aws":
        extra = connection.extra_dejson
        return json.dumps(
            {
                "endpoint": extra.get("endpoint_url", ""),
                "region": extra.get("region_name", "us-east-1"),
                "access_key": connection.login,
                "secret_key": connection.password,
            }
        )
    # Airflow writes postgres://, which SQLAlchemy no longer reads.
    return connection.get_uri().replace("postgres://", "postgresql://", 1)
