"""One institution of the dev world, built by dbt once, with everything that the run steps need."""

import base64
import json
from dataclasses import dataclass, field

import psycopg2
import pytest

from deid_tasks.evidence.gate import new_key_pair
from deid_tasks.hospital import build_hospital, write_notes
from deid_tasks.hospital.layouts import load
from deid_tasks.hospital.records import GoldNote, Hospital, HospitalSpec, World
from deid_tasks.platform import runs
from deid_tasks.platform.warehouse.upgrade import upgrade_schemas
from deid_tasks.settings import InstitutionSettings, Secrets
from tests.support.dbt_models import build_models
from tests.support.freeze_truth import freeze_truth
from tests.support.published_days import forget_runs


@dataclass(frozen=True)
class Site:
    """An institution whose dictionaries are built and compiled."""

    settings: InstitutionSettings
    secrets: Secrets
    uri: str
    hospital: Hospital = field(repr=False)
    notes: list[GoldNote] = field(repr=False)

    def rows(self, question: str) -> list[tuple]:
        connection = psycopg2.connect(self.uri)
        try:
            with connection, connection.cursor() as cursor:
                cursor.execute(question)
                return cursor.fetchall() if cursor.description else []
        finally:
            connection.close()


@pytest.fixture(scope="module")
def site(built_site) -> Site:
    """The institution, before its first run."""
    forget_runs(built_site)
    return built_site


@pytest.fixture(scope="session")
def built_site(postgres, object_store, tmp_path_factory) -> Site:
    postgres.create_database("runs_tests")
    uri = postgres.uri("runs_tests")
    folder = tmp_path_factory.mktemp("runs")
    settings = InstitutionSettings.model_validate(
        {
            "institution": "riverside",
            "title": "Riverside Health",
            "warehouse": {"connection": "riverside_ehr", "layout": "omop"},
            "notes": {"start_date": "2024-01-01", "shard_notes": 40},
            "detect": {
                "detectors": ["patterns", "lexicon", "patient"],
                "patterns": {"identifiers": {"MRN": [r"\bRH\d{7}\b"]}},
            },
            "obfuscate": {"key": "riverside_key"},
            "gate": {"recall_min": 0.6, "precision_min": 0.6, "category_min": 0.5, "stratum_recall_min": 0.5},
            "publish": {
                "bucket": "published",
                "object_store": "object_store",
                "catalog": "catalog",
                "table": "runs.notes",
            },
            "audit_log": {"prefix": "audit/runs"},
            "work_dir": str(folder / "work"),
        }
    )
    signing_key, verification_key = new_key_pair()
    audit_key, audit_public_key = new_key_pair()
    held = {
        "certificate_signing_key": signing_key,
        "certificate_verification_key": verification_key,
        "audit_signing_key": audit_key,
        "audit_verification_key": audit_public_key,
        "riverside_ehr": uri,
        "catalog": uri,
        "object_store": json.dumps(object_store),
        "riverside_key": base64.b64encode(bytes(range(32))).decode(),
    }
    spec = HospitalSpec("riverside", World.DEV, seed=3, patients=60, providers=20, notes=200, days=2)
    hospital = build_hospital(spec)
    notes = list(write_notes(hospital))
    connection = psycopg2.connect(uri)
    load(connection, hospital, notes, "riverside_ehr", "omop")
    upgrade_schemas(uri, settings)
    build_models(uri, "riverside", "omop", folder)
    for design, chosen in (("stratified", notes[:80]), ("random", notes[80:160])):
        freeze_truth(connection, settings, chosen, design)
    connection.close()
    secrets = Secrets(held.get)
    runs.compile_dictionaries(settings, secrets)
    return Site(settings, secrets, uri, hospital, notes)
