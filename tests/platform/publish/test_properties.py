"""What PyIceberg is given to open the catalog and its files: SQL for real, other catalogs by their properties."""

import importlib.util
import json

import pytest
from pydantic import ValidationError

from deid_tasks.core.errors import SettingsError
from deid_tasks.platform.publish.catalog import open_catalog
from deid_tasks.platform.publish.properties import catalog_properties
from deid_tasks.settings import PublishSettings, Secrets

STORE = {"endpoint": "https://s3.example.org", "access_key": "id", "secret_key": "hidden"}


def properties(institution, *, catalog: str = "postgresql://u:p@host/catalog", store=STORE, **given: str):
    publish = institution.publish.model_copy(update={"catalog_properties": given})
    held = {"object_store": json.dumps(store), "catalog": catalog}
    return catalog_properties(institution.model_copy(update={"publish": publish}), Secrets(held.get))


def test_a_uri_is_a_catalog_in_postgresql(institution):
    found = properties(institution)
    assert found["uri"] == "postgresql+psycopg2://u:p@host/catalog"
    assert found["warehouse"] == "s3://published/palimpsest"
    assert (found["s3.endpoint"], found["s3.access-key-id"]) == ("https://s3.example.org", "id")
    assert found["s3.region"] == "us-east-1"


def test_a_rest_catalog_takes_its_credential_from_the_secret(institution):
    secret = json.dumps({"uri": "https://catalog.example.org", "credential": "client:hidden"})
    found = properties(
        institution, catalog=secret, type="rest", warehouse="clinical", **{"oauth2-server-uri": "https://id"}
    )
    assert found["type"] == "rest"
    assert found["uri"] == "https://catalog.example.org"
    assert found["warehouse"] == "clinical"
    assert found["credential"] == "client:hidden"
    assert found["oauth2-server-uri"] == "https://id"


def test_glue_needs_no_uri_and_a_role_no_key(institution):
    store = {"region": "eu-central-1", "role_arn": "arn:aws:iam::1:role/deid", "role_session_name": "deid"}
    found = properties(institution, catalog="{}", store=store, type="glue", **{"glue.id": "123"})
    assert "uri" not in found
    assert "s3.access-key-id" not in found
    assert (found["type"], found["glue.id"], found["s3.region"]) == ("glue", "123", "eu-central-1")
    assert (found["s3.role-arn"], found["s3.role-session-name"]) == ("arn:aws:iam::1:role/deid", "deid")


def test_session_tokens_and_what_pyiceberg_spells_itself_are_passed_on(institution):
    found = properties(institution, store=STORE | {"session_token": "brief", "s3.proxy-uri": "http://proxy"})
    assert (found["s3.session-token"], found["s3.proxy-uri"]) == ("brief", "http://proxy")


def test_files_are_never_written_without_the_key_that_was_asked_for(institution, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(SettingsError, match=r"s3\.sse-kms-key-id need the package s3fs"):
        properties(institution, **{"s3.sse-kms-key-id": "alias/deid"})
    monkeypatch.setattr("importlib.util.find_spec", lambda name: name)
    found = properties(institution, **{"s3.sse-kms-key-id": "alias/deid", "s3.server-side-encryption": "aws:kms"})
    assert found["py-io-impl"].endswith("FsspecFileIO")


def test_a_secret_that_is_neither_uri_nor_object_is_named(institution):
    with pytest.raises(SettingsError, match="'catalog' is neither a URI nor a JSON object"):
        properties(institution, catalog='{"uri": ')


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("s3.secret-access-key", "x"),
        ("token", "x"),
        ("credential", "x"),
        ("s3.session-token", "x"),
        ("uri", "postgresql://user:hidden@host/catalog"),
    ],
)
def test_settings_refuse_secrets(name, value):
    given = {"bucket": "published", "object_store": "store", "catalog": "catalog"}
    with pytest.raises(ValidationError, match=f"{name} is a secret") as caught:
        PublishSettings.model_validate(given | {"catalog_properties": {name: value}})
    assert "hidden" not in str(caught.value.errors()[0]["msg"])
    PublishSettings.model_validate(given | {"catalog_properties": {"uri": "https://catalog", "s3.sse-kms-key-id": "a"}})


def test_a_catalog_by_properties_is_opened(institution, tmp_path):
    given = {"type": "sql", "warehouse": f"file://{tmp_path}/warehouse"}
    publish = institution.publish.model_copy(update={"catalog_properties": given})
    held = {"object_store": "{}", "catalog": json.dumps({"uri": f"sqlite:///{tmp_path}/catalog.db"})}
    catalog = open_catalog(institution.model_copy(update={"publish": publish}), Secrets(held.get))
    assert ("deid",) in catalog.list_namespaces()


def test_a_package_that_is_missing_is_named(institution):
    if importlib.util.find_spec("thrift") is not None:
        pytest.skip("thrift is installed")
    publish = institution.publish.model_copy(update={"catalog_properties": {"type": "hive"}})
    held = {"object_store": "{}", "catalog": '{"uri": "thrift://metastore:9083"}'}
    with pytest.raises(SettingsError, match=r"pip install 'pyiceberg\[hive\]'"):
        open_catalog(institution.model_copy(update={"publish": publish}), Secrets(held.get))
