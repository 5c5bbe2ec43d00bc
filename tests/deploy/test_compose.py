"""docker-compose.yaml, with the institutions of deploy/compose/simulated.yaml: schemas, secrets, services and queues."""

import json
import re
import shlex
import subprocess
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import jsonschema.validators
import pytest
import yaml

from deid_tasks.platform.warehouse.server_logs import SILENT_LOG
from deid_tasks.settings import DATABASE_TASKS
from tests.support.image_files import ROOT, stages

_BASE_TEXT = (ROOT / "docker-compose.yaml").read_text(encoding="utf-8")
_OVERRIDE_TEXT = (ROOT / "deploy" / "compose" / "simulated.yaml").read_text(encoding="utf-8")
_TEXT = _BASE_TEXT + _OVERRIDE_TEXT
_COMPOSE: dict[str, Any] = yaml.safe_load(_BASE_TEXT)
_OVERRIDE: dict[str, Any] = yaml.safe_load(_OVERRIDE_TEXT)


def _merged(services: dict[str, Any], override: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the services as Compose merges the environments of two files."""
    return {
        name: service
        | ({"environment": service["environment"] | override[name]["environment"]} if name in override else {})
        for name, service in services.items()
    }


_SERVICES = _merged(_COMPOSE["services"], _OVERRIDE["services"])
_SHARED = {"work", "airflow-logs"}
"""Volumes of more than one service."""
_ONE_SHOT = {"airflow-init", "demo-data", "database-roles"}


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
    validator = jsonschema.validators.validator_for(schema)(schema)
    for content in (_COMPOSE, _OVERRIDE):
        assert [f"{error.json_path}: {error.message}" for error in validator.iter_errors(content)] == []


def test_the_tracked_file_names_no_institution_and_the_other_changes_environments_alone():
    services = {name: service for name, service in _COMPOSE["services"].items() if name != "demo-data"}
    assert not re.search("riverside|lakeshore", json.dumps(services), re.IGNORECASE)
    assert set(_OVERRIDE["services"]) < set(_COMPOSE["services"])
    assert {key for service in _OVERRIDE["services"].values() for key in service} == {"environment"}


def test_without_the_other_file_all_starts_and_no_roles_are_made():
    environment = _COMPOSE["services"]["database-roles"]["environment"]
    assert "WAREHOUSE_INSTITUTIONS" not in environment
    script = _COMPOSE["services"]["database-roles"]["command"][-1].replace("$$", "$")
    done = subprocess.run(["/bin/sh", "-ec", script], env={"PATH": "/nowhere"}, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_whatever_reads_settings_has_the_hospital_s_folder_read_only():
    for name, service in _SERVICES.items():
        if "build" in service:
            [mounted] = [volume for volume in service["volumes"] if isinstance(volume, dict)]
            assert mounted["source"] == "${PALIMPSEST_INSTITUTIONS:-./dags/institutions}"
            assert mounted["target"] == service["environment"]["PALIMPSEST_INSTITUTIONS"], name
            assert mounted["read_only"]


def test_every_secret_must_be_given_and_is_in_the_example():
    required = {name for name, operator, _ in _references() if operator == ":?"}
    assert required == set(_example_values())
    assert not any(_example_values().values())


def test_nothing_that_has_a_default_is_a_secret():
    defaults = {name for name, operator, _ in _references() if operator != ":?"}
    assert not [name for name in defaults if re.search("PASSWORD|SECRET|KEY|URI|TOKEN", name)]


def test_every_secret_that_the_settings_name_is_given():
    from deid_tasks.settings import load_institutions

    given = {name for service in _SERVICES.values() for name in service.get("environment", ())}
    for one in load_institutions(ROOT / "dags" / "institutions"):
        names = {
            *(one.warehouse.connection_of(task) for task in DATABASE_TASKS if task not in {"land", "reidentify"}),
            one.obfuscate.key, one.publish.object_store, one.publish.catalog,
            one.gate.signing_key, one.gate.verification_key,
            one.audit_log.signing_key, one.audit_log.verification_key,
        }  # fmt: skip
        for name in names:
            assert f"AIRFLOW_CONN_{name.upper()}" in given, name


def test_no_secret_is_a_variable_and_every_key_is_masked_as_a_password():
    for service in _SERVICES.values():
        for name, value in service.get("environment", {}).items():
            assert not name.startswith("AIRFLOW_VAR_")
            if name.startswith("AIRFLOW_CONN_") and name.endswith("_KEY"):
                # A PEM file has \\n for its line ends in .env, which is JSON too.
                found = json.loads(re.sub(r"\$\{\w+:\?\}", r"-----BEGIN KEY-----\\n", value))
                assert found == {"conn_type": "generic", "password": "-----BEGIN KEY-----\n"}


_SECRETS = {
    "api-server": {"page", "verification"},
    "worker": {"publish", "engine", "audit", "store", "surrogate", "verification", "audit key"},
    "worker-notes": {"engine", "surrogate"},
    "worker-gpu": {"publish", "engine", "audit", "store", "surrogate", "verification", "audit key"},
    "worker-evidence": {"evidence", "surrogate", "signing", "verification", "audit key"},
    "worker-dbt": {"source", "build", "owner"},
    "airflow-init": {"store"},
    "cleaner": set(),
    "scheduler": set(),
    "dag-processor": set(),
    "triggerer": set(),
}
"""What each component of Airflow has, of the secrets that the settings name: database logins by task, and keys."""


def _kind(name: str) -> str:
    if name.startswith("AIRFLOW_CONN_AUDIT_"):
        return "audit key"
    ends = {"SURROGATE_KEY": "surrogate", "SIGNING_KEY": "signing", "VERIFICATION_KEY": "verification"}
    ends |= {f"_{task.upper()}": task for task in DATABASE_TASKS}
    return next((kind for end, kind in ends.items() if name.endswith(end)), "store")


def test_each_component_has_the_secrets_that_it_needs_and_no_others():
    found = {
        name: {
            _kind(key) for key in service.get("environment", ()) if key.startswith(("AIRFLOW_CONN_", "AIRFLOW_VAR_"))
        }
        for name, service in _SERVICES.items()
        if "build" in service and name not in {"demo-data", "database-roles"}
    }
    assert found == _SECRETS


@pytest.mark.parametrize("name", sorted(_SERVICES))
def test_a_service_has_an_image_a_health_check_and_declared_volumes(name):
    service = _SERVICES[name]
    assert service["image"]
    if "build" in service:
        assert service["build"]["target"] in stages()
    assert ("healthcheck" in service) == (name not in _ONE_SHOT), name
    for volume, _ in _named_volumes(service):
        assert volume in _COMPOSE["volumes"]
    for config in service.get("configs", ()):
        assert config["source"] in _COMPOSE["configs"]
    for other, condition in service.get("depends_on", {}).items():
        wanted = "service_completed_successfully" if other in _ONE_SHOT else "service_healthy"
        assert condition == {"condition": wanted}


def _named_volumes(service: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the volumes of a service and where they lie, without the hospital's folder."""
    found = [volume.split(":")[:2] for volume in service.get("volumes", ()) if isinstance(volume, str)]
    return [(name, path) for name, path in found]


def test_an_image_is_built_in_one_way():
    builds = {(service["image"], str(service["build"])) for service in _SERVICES.values() if "build" in service}
    assert len({image for image, _ in builds}) == len(builds)


def test_no_image_is_whichever_is_newest():
    for service in _SERVICES.values():
        assert re.search(r":[\w.-]+$", service["image"])
        assert not service["image"].endswith(":latest")


def test_only_what_makes_the_roles_is_a_superuser_or_may_reidentify():
    holders = {
        name
        for name, service in _SERVICES.items()
        if re.search("_SUPERUSER|_REIDENTIFY|POSTGRES_PASSWORD", json.dumps(service.get("environment", {})))
    }
    assert holders == {"postgres", "database-roles", "demo-data"}


def test_the_roles_are_made_with_a_login_for_every_connection():
    from deid_tasks.settings import load_institutions

    given = _SERVICES["database-roles"]["environment"]
    users = {}
    for one in load_institutions(ROOT / "dags" / "institutions"):
        for task in DATABASE_TASKS:
            if task != "land":
                uri = given[f"PALIMPSEST_SECRET_{one.warehouse.connection_of(task).upper()}"]
                users[one.institution, task] = uri.split("//")[1].split(":")[0]
    assert len(set(users.values())) == len(users) == 18


def test_an_own_institution_takes_the_place_of_the_simulated_ones_and_no_tracked_file_changes(tmp_path):
    page = (ROOT / "docs" / "how-to" / "run-with-compose.md").read_text(encoding="utf-8")
    [block] = [block for block in re.findall(r"```\n(.*?)```", page, re.DOTALL) if "/LAKESHORE/d" in block]
    command = block.replace("/srv/palimpsest", str(tmp_path / "own"))
    tracked = tmp_path / "deploy" / "compose" / "simulated.yaml"
    tracked.parent.mkdir(parents=True)
    tracked.write_text(_OVERRIDE_TEXT)
    (tmp_path / ".env").write_text((ROOT / ".env.example").read_text(encoding="utf-8"))
    former = 'services:\n  postgres: {ports: ["10.0.5.2:5432:5432"]}\n'
    (tmp_path / "docker-compose.override.yaml").write_text(former)
    subprocess.run(["bash", "-ec", command], cwd=tmp_path, check=True)
    text = (tmp_path / "docker-compose.override.yaml").read_text(encoding="utf-8")
    assert not re.search("riverside|lakeshore", text + (tmp_path / ".env").read_text(encoding="utf-8"), re.IGNORECASE)
    services = _merged(_COMPOSE["services"], yaml.safe_load(text)["services"])
    assert services["database-roles"]["environment"]["WAREHOUSE_INSTITUTIONS"] == "cedar"
    assert "AIRFLOW_CONN_CEDAR_ENGINE" in services["worker-notes"]["environment"]
    # What the containers get is what the simulated hospitals' do, with one hospital in the place of two.
    for name, service in _SERVICES.items():
        expected = {
            key.replace("RIVERSIDE", "CEDAR") for key in service.get("environment", ()) if "LAKESHORE" not in key
        }
        assert set(services[name].get("environment", ())) == expected
    assert tracked.read_text() == _OVERRIDE_TEXT
    assert (tmp_path / "own" / "former-override.yaml").read_text() == former
    assert (tmp_path / ".env").read_text(encoding="utf-8").endswith(f"={tmp_path}/own/institutions\n")
    ignored = (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    assert {".env", "docker-compose.override.yaml"} <= set(ignored)


def test_only_workers_that_run_the_engine_have_keys():
    holders = {
        name
        for name, service in _SERVICES.items()
        if any(key.endswith(("SURROGATE_KEY", "SIGNING_KEY")) for key in service.get("environment", ()))
    }
    assert holders == {"worker", "worker-notes", "worker-gpu", "worker-evidence"}


def test_who_reads_notes_has_what_a_shard_needs_and_can_write_nothing():
    from deid_tasks.settings import load_institutions
    from deid_tasks.spark.run_shards import shard_secrets

    needed = {name for one in load_institutions(ROOT / "dags" / "institutions") for name in shard_secrets(one)}
    environment = _SERVICES["worker-notes"]["environment"]
    assert {name for name in environment if name.startswith("AIRFLOW_CONN_")} == {
        f"AIRFLOW_CONN_{name.upper()}" for name in needed
    }


def test_no_service_writes_what_another_one_runs():
    """A file of settings in Airflow's home is Python that runs; so are the programs of compared systems in a cache."""
    mounted = [(name, *volume) for name, service in _SERVICES.items() for volume in _named_volumes(service)]
    homes = {(volume, path) for _, volume, path in mounted if path.startswith("/opt/airflow")}
    assert homes == {("airflow-logs", "/opt/airflow/logs")}
    holders: dict[str, set[str]] = {}
    for name, volume, _ in mounted:
        holders.setdefault(volume, set()).add(name)
    assert {volume for volume, services in holders.items() if len(services) > 1} == _SHARED
    assert set(holders) == set(_COMPOSE["volumes"])
    assert holders["work"] == {"worker", "worker-notes", "worker-gpu", "worker-evidence"}


def test_only_the_api_server_has_the_passwords_of_people():
    assert [
        name for name, service in _SERVICES.items() if "PALIMPSEST_UI_PASSWORDS" in json.dumps({**service, "build": ""})
    ] == ["api-server"]


def test_the_output_of_containers_is_bounded():
    for name, service in _SERVICES.items():
        assert service["logging"] == {"driver": "json-file", "options": {"max-size": "20m", "max-file": "5"}}, name


def test_the_cleaner_runs_commands_that_exist():
    script = _SERVICES["cleaner"]["command"][-1].replace("$$", "$")
    assert subprocess.run(["bash", "-n", "-c", script], check=False).returncode == 0
    assert "/clean-logs --once" in script
    [line] = [line for line in script.splitlines() if "airflow db clean" in line]
    words = shlex.split(
        line.replace('"$(date -u -d "-$PALIMPSEST_AIRFLOW_DAYS days" +%FT%TZ)"', "2026-01-01T00:00:00Z")
    )
    from airflow.cli.cli_parser import get_parser

    assert get_parser().parse_args(words[1:]).skip_archive


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
    assert served == {"default", "notes", "dbt", "gpu", "evidence"}
    for one in load_institutions(ROOT / "dags" / "institutions"):
        assert {one.notes.queue, one.dictionaries.queue, one.evidence.queue} <= served


def test_every_part_of_airflow_logs_json():
    for name, service in _SERVICES.items():
        if "build" in service and name not in {"demo-data", "database-roles"}:
            assert service["environment"]["AIRFLOW__LOGGING__JSON_LOGS"] == "True"


def test_postgres_logs_no_statement():
    given = dict(one.removeprefix("-c").split("=") for one in _SERVICES["postgres"]["command"][1:])
    assert given == {**SILENT_LOG, "log_min_messages": "log"}


def test_postgres_has_room_for_what_processes_share():
    assert _SERVICES["postgres"]["shm_size"] == "1gb"
