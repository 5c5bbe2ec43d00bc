"""docker-compose.yaml: its schema, its secrets, its services, and the queues that tasks are sent to."""

import json
import re
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import jsonschema.validators
import pytest
import yaml

from tests.support.image_files import ROOT, stages

_TEXT = (ROOT / "docker-compose.yaml").read_text(encoding="utf-8")
_COMPOSE: dict[str, Any] = yaml.safe_load(_TEXT)
_SERVICES: dict[str, dict[str, Any]] = _COMPOSE["services"]
_ONE_SHOT = {"airflow-init", "demo-data"}


def _example_values() -> dict[str, str]:
    lines = (ROOT / ".env.example").read_text(encoding="utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


def _references() -> Iterator[tuple[str, str, str]]:
    """Yield each variable that the file refers to, with its operator and what follows that."""
    for match in re.finditer(r"(?<!\$)\$\{(\w+)(:?[-?])?([^}]*)\}", _TEXT):
        yield match[1], match[2] or "", match[3]


def test_the_file_obeys_the_compose_specification():
    vendored = pytest.importorskip("check_jsonschema.builtin_schemas.vendor")
    schema = json.loads(files(vendored).joinpath("compose-spec.json").read_text(encoding="utf-8"))
    found = jsonschema.validators.validator_for(schema)(schema).iter_errors(_COMPOSE)
    assert [f"{error.json_path}: {error.message}" for error in found] == []


def test_every_secret_must_be_given_and_is_in_the_example():
    required = {name for name, operator, _ in _references() if operator == ":?"}
    assert required == set(_example_values())
    assert not any(_example_values().values())


def test_nothing_that_has_a_default_is_a_secret():
    defaults = {name for name, operator, _ in _references() if operator != ":?"}
    assert not [name for name in defaults if re.search("PASSWORD|SECRET|KEY|URI|TOKEN", name)]


def test_every_secret_that_the_settings_name_is_given():
    from deid_tasks.settings import load_institutions

    given = set(_SERVICES["worker"]["environment"])
    for one in load_institutions(ROOT / "dags" / "institutions"):
        names = {
            one.warehouse.connection, one.obfuscate.key, one.publish.object_store, one.publish.catalog,
            one.gate.signing_key, one.gate.verification_key,
        }  # fmt: skip
        for name in names:
            assert given & {f"AIRFLOW_CONN_{name.upper()}", f"AIRFLOW_VAR_{name.upper()}"}, name


@pytest.mark.parametrize("name", sorted(_SERVICES))
def test_a_service_has_an_image_a_health_check_and_declared_volumes(name):
    service = _SERVICES[name]
    assert service["image"]
    if "build" in service:
        assert service["build"]["target"] in stages()
    assert ("healthcheck" in service) == (name not in _ONE_SHOT), name
    for volume in service.get("volumes", ()):
        assert volume.partition(":")[0] in _COMPOSE["volumes"]
    for config in service.get("configs", ()):
        assert config["source"] in _COMPOSE["configs"]
    for other, condition in service.get("depends_on", {}).items():
        wanted = "service_completed_successfully" if other in _ONE_SHOT else "service_healthy"
        assert condition == {"condition": wanted}


def test_an_image_is_built_in_one_way():
    builds = {(service["image"], str(service["build"])) for service in _SERVICES.values() if "build" in service}
    assert len({image for image, _ in builds}) == len(builds)


def test_no_image_is_whichever_is_newest():
    for service in _SERVICES.values():
        assert re.search(r":[\w.-]+$", service["image"])
        assert not service["image"].endswith(":latest")


def test_only_workers_that_run_the_engine_have_keys():
    holders = {
        name
        for name, service in _SERVICES.items()
        if any(key.endswith(("SURROGATE_KEY", "SIGNING_KEY")) for key in service.get("environment", ()))
    }
    assert holders == {"worker", "worker-gpu"}


def test_containers_of_the_platform_have_no_rights():
    for service in _SERVICES.values():
        if "build" in service:
            assert service["cap_drop"] == ["ALL"]
            assert service["security_opt"] == ["no-new-privileges:true"]


def test_every_queue_of_the_settings_has_a_worker():
    from deid_tasks.settings import load_institutions

    served = {
        queue
        for service in _SERVICES.values()
        if "celery" in service.get("command", ())
        for queue in service["command"][service["command"].index("--queues") + 1].split(",")
    }
    assert served == {"default", "dbt", "gpu"}
    for one in load_institutions(ROOT / "dags" / "institutions"):
        assert {one.notes.queue, one.dictionaries.queue} <= served


def test_postgres_has_room_for_what_processes_share():
    assert _SERVICES["postgres"]["shm_size"] == "1gb"
