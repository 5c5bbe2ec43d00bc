"""Lineage of a day of notes: a consumer receives valid events, whose chain is whole, and which name no note."""

import json
import os
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest

from deid_tasks.core.errors import DeidError
from deid_tasks.platform.lineage import models_lineage, recorded_lineage
from deid_tasks.platform.lineage.events import _client
from deid_tasks.settings import LineageSettings
from tests.support.http_receiver import http_receiver
from tests.support.openlineage_schema import check_event
from tests.support.role_logins import CANARY


@pytest.fixture
def patched():
    """The environment without a consumer, for a test that names its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("os.environ", {k: v for k, v in os.environ.items() if not k.startswith("OPENLINEAGE")})
        _client.cache_clear()
        yield os.environ
    _client.cache_clear()


@pytest.fixture(scope="module")
def events(observed):
    """Every event of one day, from the dictionaries to the published table."""
    assert {path for path, _ in observed.lineage.requests} == {"/api/v1/lineage"}
    return SimpleNamespace(bodies=observed.lineage.bodies, found=[json.loads(one) for one in observed.lineage.bodies])


def of(events, step):
    return [one for one in events.found if one["job"]["name"] == f"rolesite.{step}" and one["eventType"] == "COMPLETE"]


def test_every_event_is_valid_and_every_start_has_an_end(events):
    for one in events.found:
        check_event(one)
    states = Counter((one["run"]["runId"], one["eventType"]) for one in events.found)
    started = {run for run, state in states if state == "START"}
    assert started == {run for run, state in states if state == "COMPLETE"}
    assert set(states.values()) == {1}


def test_the_chain_goes_from_staging_to_the_published_table(events):
    [compiled], shards, [published] = (
        of(events, step) for step in ("compile_dictionaries", "process_shard", "publish_notes")
    )
    assert len(shards) > 1
    [lexicon] = compiled["outputs"]
    assert {one["name"].split(".")[-1] for one in compiled["inputs"]} >= {"dict_provider", "dict_medical"}
    for shard in shards:
        read = {one["name"]: one for one in shard["inputs"]}
        assert any(name.endswith(".rolesite_staging.stg_note") for name in read)
        assert read[lexicon["name"]]["facets"]["version"] == lexicon["facets"]["version"]
        assert [one["name"] for one in shard["outputs"]] == [one["name"] for one in published["inputs"]]
    [table] = published["outputs"]
    assert (table["namespace"], table["name"]) == ("s3://published", "palimpsest/rolesite/notes")
    rows = table["outputFacets"]["outputStatistics"]["rowCount"]
    assert sum(one["outputs"][0]["outputFacets"]["outputStatistics"]["rowCount"] for one in shards) >= rows > 20


def test_a_run_names_its_engine_its_certificate_and_its_counts(events, worked):
    facets = [one["run"]["facets"] for one in (*of(events, "process_shard"), *of(events, "publish_notes"))]
    assert {one["palimpsest_run"]["fingerprint"] for one in facets} == {worked.released["fingerprint"]}
    assert {one["palimpsest_run"]["kind"] for one in facets} == {"notes"}
    assert facets[-1]["palimpsest_run"]["certificate"] == worked.released["certificate"]
    # The steps of a run have one parent.
    assert len({one["parent"]["run"]["runId"] for one in facets}) == 1
    assert all(one["palimpsest_run"]["counts"]["words"] > 0 for one in facets[:-1])
    assert facets[-1]["palimpsest_run"]["counts"]["written"] > 20


def test_the_published_text_comes_from_the_masked_text_of_staging(events):
    [table] = of(events, "publish_notes")[0]["outputs"]
    shards = of(events, "process_shard")[0]["outputs"][0]
    [text] = table["facets"]["columnLineage"]["fields"]["text"]["inputFields"]
    assert (text["name"], text["field"]) == (shards["name"], "deid_text")
    [source] = shards["facets"]["columnLineage"]["fields"]["deid_text"]["inputFields"]
    assert source["name"].endswith("rolesite_staging.stg_note")
    assert source["field"] == "note_text"
    assert source["transformations"] == [{"type": "DIRECT", "subtype": "TRANSFORMATION", "masking": True}]
    assert {"text", "note_key", "institution"} <= {one["name"] for one in table["facets"]["schema"]["fields"]}


def test_no_event_holds_text_an_id_a_date_of_notes_or_a_password(events, role_site, observed):
    said = b"\n".join(events.bodies).decode()
    people = {one.person.last for one in role_site.hospital.patients if len(one.person.last) > 5}
    secrets = [role_site.secrets.text(name) for name in ("surrogate_key", "catalog", "rolesite_engine")]
    forbidden = {CANARY, observed.run_id, "2024-01-0", "of_rolesite_engine_login", *people, *secrets}
    assert not [one for one in forbidden if one in said]
    notes = {f'"{note.note_id}"' for note in role_site.notes}
    assert not [one for one in notes if one in said]


def test_a_failed_step_says_so_without_the_error_s_text(role_site, patched):
    with http_receiver() as consumer:
        patched["OPENLINEAGE_URL"] = consumer.address
        with pytest.raises(DeidError), recorded_lineage(role_site.settings, "process_shard"):
            raise DeidError("seen: Marigold Stillwater")
    start, fail = map(json.loads, consumer.bodies)
    check_event(start)
    check_event(fail)
    assert (start["eventType"], fail["eventType"]) == ("START", "FAIL")
    assert fail["run"]["facets"]["errorMessage"]["message"].startswith("deid_tasks.core.errors.DeidError at ")
    assert b"Stillwater" not in b"".join(consumer.bodies)


@pytest.mark.parametrize("url", ["http://127.0.0.1:9", "no address"])
def test_a_consumer_that_cannot_be_reached_fails_no_step(role_site, patched, caplog, url):
    patched["OPENLINEAGE_URL"] = url
    with recorded_lineage(role_site.settings, "process_shard") as record:
        record.counts = {"notes": 1}
    assert "lineage of process_shard was not sent" in caplog.text


def test_dbt_models_say_which_columns_they_come_from(role_site, worked):
    manifest = json.loads((Path(role_site.settings.work_dir).parent / "target" / "manifest.json").read_text())
    outcomes = [
        SimpleNamespace(status="success", node=SimpleNamespace(**node))
        for node in manifest["nodes"].values()
        if node["resource_type"] in {"model", "snapshot"}
    ]
    named = LineageSettings(database="warehouse:5432/platform")
    settings = role_site.settings.model_copy(update={"lineage": named})
    inputs, outputs = models_lineage(settings, role_site.uris["build"], outcomes)
    tables = {one.name: one for one in outputs}
    assert {one.namespace for one in (*inputs, *outputs)} == {"postgres://warehouse:5432"}
    assert any(name.startswith("platform.rolesite_ehr.") for name in {one.name for one in inputs})
    note = tables["platform.rolesite_staging.stg_note"]
    assert any(one.column == "note_text" for one in note.sources["note_text"])
    with_columns = [name for name, one in tables.items() if one.sources]
    # The parser does not follow every statement.
    assert len(with_columns) > 0.7 * len(tables)
    assert {name for name in tables if ".rolesite_dictionaries.dict_" in name} >= {
        "platform.rolesite_dictionaries.dict_patient",
        "platform.rolesite_dictionaries.dict_provider",
    }


def test_nothing_is_sent_where_no_consumer_is_named(role_site, worked, patched):
    with http_receiver() as consumer:
        with recorded_lineage(role_site.settings, "process_shard"):
            pass
        patched["OPENLINEAGE_URL"] = consumer.address
        patched["OPENLINEAGE_DISABLED"] = "true"
        with recorded_lineage(role_site.settings, "process_shard"):
            pass
    assert consumer.requests == []
