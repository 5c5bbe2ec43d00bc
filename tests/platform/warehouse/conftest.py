"""An institution whose every step has a database login of its own, over a day of work."""

import base64
import json
import os
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import boto3
import psycopg2
import pytest

from deid_tasks.evidence.gate import new_key_pair
from deid_tasks.hospital import build_hospital, write_notes
from deid_tasks.hospital.layouts import load
from deid_tasks.hospital.records import HospitalSpec, World
from deid_tasks.platform import runs
from deid_tasks.platform.vault import new_vault_keys
from deid_tasks.platform.warehouse.upgrade import upgrade_schemas
from deid_tasks.settings import Secrets
from tests.support.dbt_models import build_models
from tests.support.freeze_truth import freeze_truth
from tests.support.http_receiver import http_receiver
from tests.support.published_days import release
from tests.support.role_logins import CANARY, make_logins, settings_with_roles

CONTRACT = Path(__file__).parents[3] / "dbt" / "models" / "staging" / "models.yml"


@pytest.fixture(scope="session")
def role_site(postgres, object_store, tmp_path_factory):
    """An institution whose every step has the login of its task."""
    folder = tmp_path_factory.mktemp("roles")
    postgres.create_database("roles_tests")
    superuser = postgres.uri("roles_tests")
    settings = settings_with_roles("rolesite", folder)
    hospital = build_hospital(HospitalSpec("rolesite", World.DEV, seed=3, patients=40, providers=12, notes=120, days=2))
    # One sentence in every note, which nothing replaces: wherever it is found, a text was stored.
    notes = [replace(note, text=f"{note.text}\n{CANARY}\n") for note in write_notes(hospital)]
    connection = psycopg2.connect(superuser)
    load(connection, hospital, notes, "rolesite_ehr", "omop")
    connection.close()
    uris = make_logins(superuser, settings)
    upgrade_schemas(uris["owner"], settings)
    build_models(uris["build"], "rolesite", "omop", folder)
    own = psycopg2.connect(uris["evidence"])
    for design, chosen in (("stratified", notes[:50]), ("random", notes[50:100])):
        freeze_truth(own, settings, chosen, design)
    own.close()
    boto3.client(
        "s3", endpoint_url=object_store["endpoint"], region_name="us-east-1",
        aws_access_key_id="test", aws_secret_access_key="test-secret",
    ).create_bucket(Bucket="rolesite-originals")  # fmt: skip
    signing, verification = new_key_pair()
    private, public = new_vault_keys()
    held = {
        **{f"rolesite_{task}": uri for task, uri in uris.items()},
        "catalog": superuser,
        "object_store": json.dumps(object_store),
        "surrogate_key": base64.b64encode(bytes(range(32))).decode(),
        "certificate_signing_key": signing,
        "certificate_verification_key": verification,
        "vault_public_key": public,
        "vault_private_key": private,
    }
    return SimpleNamespace(
        settings=settings, secrets=Secrets(held.get), uris=uris, superuser=superuser, notes=notes, hospital=hospital
    )


@pytest.fixture(scope="session")
def worked(role_site):
    """Two days of work, each step as its role: what it reports."""
    settings, secrets = role_site.settings, role_site.secrets
    compiled = runs.compile_dictionaries(settings, secrets)
    certified = runs.evaluate_and_certify(settings, secrets)
    shards, released, published = release(settings, role_site, "roles")
    stored = runs.store_vault(settings, secrets, "roles", released)
    tables = runs.publish_tables(settings, secrets, "roles", CONTRACT)
    runs.delete_run_files(settings, secrets, "roles")
    return SimpleNamespace(
        compiled=compiled, certified=certified, shards=shards, released=released, published=published, stored=stored,
        tables=tables,
    )  # fmt: skip


OBSERVED_RUN = "observed__2024-01-01T00:00:00+00:00"
"""A run id as Airflow writes it, with the day of its notes."""


@pytest.fixture(scope="session")
def observed(role_site, worked):
    """A day whose every step told a consumer of lineage and a receiver of traces what it did."""
    from deid_tasks.platform import tracing
    from deid_tasks.platform.lineage import events

    settings, secrets = role_site.settings, role_site.secrets
    with pytest.MonkeyPatch.context() as patch, http_receiver() as lineage, http_receiver() as traces:
        patch.setattr("os.environ", {**os.environ, "OPENLINEAGE_URL": lineage.address})
        os.environ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"] = f"{traces.address}/v1/traces"
        events._client.cache_clear()
        tracing._provider.cache_clear()
        compiled = runs.compile_dictionaries(settings, secrets)
        shards, released, published = release(settings, role_site, OBSERVED_RUN)
        events._client.cache_clear()
        tracing._provider().shutdown()
        tracing._provider.cache_clear()
    runs.delete_run_files(settings, secrets, OBSERVED_RUN)
    return SimpleNamespace(
        lineage=lineage, traces=traces, compiled=compiled, shards=shards, released=released, published=published,
        run_id=OBSERVED_RUN,
    )  # fmt: skip
