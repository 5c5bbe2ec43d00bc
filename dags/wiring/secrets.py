"""The engine's secrets from Airflow's secrets backend.

PostgreSQL and S3 are Airflow connections (types ``postgres`` and ``aws``). A surrogate key or signing key is the
password of a connection of type ``generic``, which Airflow masks in logs and never shows. A public key may be a
variable, which Airflow shows to whoever may read variables; anything else is refused there. Secrets are read when a
task runs and never while a DAG file is parsed.
"""

import json

from airflow.sdk import Connection, Variable
from airflow.sdk.exceptions import AirflowNotFoundException

from deid_tasks.core.errors import SettingsError
from deid_tasks.settings import Secrets

_PUBLIC_KEY = "-----BEGIN PUBLIC KEY-----"
_STORE_EXTRAS = {
    "aws_session_token": "session_token",
    "role_arn": "role_arn",
    "role_session_name": "role_session_name",
    "sts_endpoint": "sts_endpoint",
}
"""Keys of an AWS connection's extra beside endpoint and region, and what settings call them."""


def airflow_secrets() -> Secrets:
    """Return the secrets by name: a connection of that id, or else a variable of that name that is a public key."""
    return Secrets(source=_look_up, how_to_set=_how_to_set)


def _look_up(name: str) -> str | None:
    try:
        connection = Connection.get(name)
    except AirflowNotFoundException:
        value: str | None = Variable.get(name, default=None)
        if value and not value.lstrip().startswith(_PUBLIC_KEY):
            raise SettingsError(
                f"secret {name!r} is an Airflow variable, which Airflow shows in clear to whoever may read variables:"
                f" {_how_to_set(name)}, then airflow variables delete {name}"
            ) from None
        return value
    if connection.conn_type == "generic":
        password: str | None = connection.password
        return password
    if connection.conn_type == "aws":
        extra = connection.extra_dejson
        given = {
            "endpoint": extra.get("endpoint_url", ""),
            "region": extra.get("region_name", "us-east-1"),
            "access_key": connection.login,
            "secret_key": connection.password,
        }
        # Properties of PyIceberg have a dot.
        wanted = {key: value for key, value in extra.items() if key in _STORE_EXTRAS or "." in key}
        more = {_STORE_EXTRAS.get(key, key): value for key, value in wanted.items()}
        return json.dumps(given | more)
    # Airflow writes postgres://, which SQLAlchemy no longer reads.
    uri: str = connection.get_uri()
    return uri.replace("postgres://", "postgresql://", 1)


def _how_to_set(name: str) -> str:
    return (
        "add it to Airflow or to its secrets backend: a database or an object store as a connection"
        f" (airflow connections add {name} --conn-uri …), a key as the password of a connection"
        f" (airflow connections add {name} --conn-type generic --conn-password …)"
    )
