"""The properties that PyIceberg opens the catalog and its files with, from settings and secrets.

Properties that the settings and secrets spell as PyIceberg does are passed on unchanged, so that whatever PyIceberg can
open can be used.
"""

import importlib.util
import json

from deid_tasks.core.errors import SettingsError
from deid_tasks.settings import InstitutionSettings, Secrets

_CONNECT_SECONDS, _REQUEST_SECONDS = 10, 60
"""The S3 client's own limits, 1 and 3 seconds, are too short for a busy machine or store."""
_STORE_PROPERTIES = {
    "endpoint": "s3.endpoint",
    "access_key": "s3.access-key-id",
    "secret_key": "s3.secret-access-key",
    "session_token": "s3.session-token",
    "role_arn": "s3.role-arn",
    "role_session_name": "s3.role-session-name",
    "region": "s3.region",
}
"""Keys of the secret of the object store by PyIceberg's name; other keys that have a dot are PyIceberg's own."""
_ENCRYPTION = ("s3.server-side-encryption", "s3.sse-kms-key-id")
_FSSPEC = "pyiceberg.io.fsspec.FsspecFileIO"


def table_location(settings: InstitutionSettings) -> str:
    """Return the S3 address that the tables lie under."""
    return f"s3://{settings.publish.bucket}/{settings.publish.prefix}"


def catalog_properties(settings: InstitutionSettings, secrets: Secrets) -> dict[str, str]:
    """Return PyIceberg's properties of the institution's catalog and object store.

    Raises:
        SettingsError: a secret is missing or not what it must be, or files cannot be encrypted as the properties say.
    """
    store = secrets.mapping(settings.publish.object_store)
    properties: dict[str, object] = {
        "warehouse": table_location(settings),
        "s3.region": "us-east-1",
        "s3.connect-timeout": _CONNECT_SECONDS,
        "s3.request-timeout": _REQUEST_SECONDS,
    }
    properties |= settings.publish.catalog_properties
    properties |= {
        _STORE_PROPERTIES[name]: value for name, value in store.items() if name in _STORE_PROPERTIES and value
    }
    properties |= {name: value for name, value in store.items() if "." in name}
    properties |= _of_catalog_secret(settings, secrets)
    if any(properties.get(name) for name in _ENCRYPTION) and not properties.get("py-io-impl"):
        # PyArrow's file system would leave the request for a key out of its writes without a word.
        if importlib.util.find_spec("s3fs") is None:
            raise SettingsError(
                f"{settings.institution}: {' and '.join(n for n in _ENCRYPTION if properties.get(n))} need the package"
                " s3fs: install it, or let the bucket encrypt by default and remove the property"
            )
        properties["py-io-impl"] = _FSSPEC
    return {name: str(value) for name, value in properties.items() if value not in ("", None)}


def _of_catalog_secret(settings: InstitutionSettings, secrets: Secrets) -> dict[str, object]:
    """Return the properties in the catalog's secret: a JSON object, or a URI."""
    text = secrets.text(settings.publish.catalog).strip()
    given: object = {"uri": text}
    if text.startswith("{"):
        try:
            given = json.loads(text)
        except (ValueError, RecursionError):
            given = None
    if not isinstance(given, dict):
        raise SettingsError(f"secret {settings.publish.catalog!r} is neither a URI nor a JSON object")
    scheme, found, rest = str(given.get("uri", "")).partition("://")
    if found and scheme in {"postgres", "postgresql"}:
        given["uri"] = f"postgresql+psycopg2://{rest}"
    return given
