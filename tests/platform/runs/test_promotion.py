"""Promoted engines: runs keep the engine that passed, whatever is compiled meanwhile, until a better one passes."""

import datetime
import json
import os
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from deid_tasks.core.errors import DictionariesTooOldError, GateError
from deid_tasks.core.identity import Identity
from deid_tasks.core.versions import newest_version
from deid_tasks.platform import runs
from deid_tasks.platform.runs.institution_engine import lexicon_delta, load_candidate, load_engine
from deid_tasks.platform.runs.promotion import promote_engine
from deid_tasks.platform.warehouse import connect
from deid_tasks.platform.warehouse.promoted_engines import record_pin
from tests.support.published_days import (
    DAY,
    START,
    forget_audit_log,
    plan_day,
    published,
    read_shards,
    release,
    texts,
    with_settings,
)

OFFICER = Identity("officer", "operating_system")

END = START + DAY
MOMENT = datetime.datetime(2024, 5, 1, tzinfo=datetime.UTC)
PROMOTED = "riverside_results.promoted_engine"


@pytest.fixture
def fresh(site, tmp_path):
    """The site's settings with files, table and promotions of this test's own."""
    site.rows(f"create table held_promotions as select * from {PROMOTED}; truncate {PROMOTED}")
    settings = with_settings(site, publish={"table": f"promotion.{tmp_path.name[-24:]}".lower()})
    settings = settings.model_copy(update={"work_dir": str(tmp_path)})
    runs.compile_dictionaries(settings, site.secrets)
    yield settings
    # Other tests use the engines of the shared work_dir.
    site.rows(f"truncate {PROMOTED}; insert into {PROMOTED} select * from held_promotions; drop table held_promotions")


@contextmanager
def provider(site, *names):
    """More family names of clinicians in the dictionary while the block runs."""
    columns = "term, normalised, kind, occurrences, source, version"
    for name in names:
        site.rows(
            f"insert into riverside_dictionaries.dict_provider ({columns})"
            f" values ('{name}', '{name.lower()}', 'last', 1, 'test', 'test')"
        )
    try:
        yield
    finally:
        site.rows("delete from riverside_dictionaries.dict_provider where source = 'test'")


def refresh(settings, site, *names):
    """Compile the dictionaries with more family names; return the lexicon's version."""
    with provider(site, *names):
        return runs.compile_dictionaries(settings, site.secrets)["lexicon_version"]


def process(settings, site, run_id, pin):
    plan = plan_day(settings, site, run_id, START, END)
    return [runs.process_shard(settings, site.secrets, run_id, pin, shard) for shard in plan]


def contents(settings, site, run_id, reports):
    tables = read_shards(settings, site, run_id, [report["file"] for report in reports])
    return [table.drop_columns(["milliseconds"]).to_pylist() for table in tables]


def frequent_words(site, count):
    """Words of the hospital's notes in lower case, which a broken refresh calls names."""
    from collections import Counter

    words = Counter(word for note in site.notes for word in note.text.split() if word.isalpha() and word.islower())
    return [word for word, _ in words.most_common(count)]


def test_a_refresh_changes_nothing_for_a_pinned_run(site, fresh):
    runs.evaluate_and_certify(fresh, site.secrets)
    pin = runs.pin_engine(fresh, site.secrets)
    assert set(pin) == {"fingerprint", "lexicon", "people", "harvest", "outside_bias"}
    done = process(fresh, site, "before", pin)
    refreshed = refresh(fresh, site, *frequent_words(site, 60))
    assert refreshed != pin["lexicon"]
    assert newest_version(Path(fresh.work_dir) / "lexicon") == refreshed
    again = process(fresh, site, "during", pin)
    assert contents(fresh, site, "during", again) == contents(fresh, site, "before", done)
    candidate, versions = load_candidate(fresh, site.secrets)
    assert candidate.fingerprint != pin["fingerprint"]
    delta = lexicon_delta(fresh, site.secrets, pin, versions)
    assert delta.touched([note.text for note in site.notes]).count(True) > 0
    assert delta.touched(["Xylo Quoxx"]) == [False]
    assert runs.pin_engine(fresh, site.secrets) == pin
    released = runs.reconcile_run(fresh, site.secrets, "during", pin, "notes", again)
    assert runs.publish_notes(fresh, site.secrets, "during", pin, released)["notes"] > 0


def test_a_bad_refresh_is_not_promoted_and_runs_go_on_with_the_former_engine(site, fresh):
    designs = runs.evaluate_and_certify(fresh, site.secrets)["designs"]
    least = min(figures["recall_lower_bound"] for figures in designs.values())
    strict = fresh.model_copy(update={"gate": fresh.gate.model_copy(update={"recall_min": least - 0.002})})
    runs.evaluate_and_certify(strict, site.secrets)
    before = runs.pin_engine(strict, site.secrets)
    release(strict, site, "daily")
    table = texts(published(strict, site))
    with emptied(site, "dict_provider", "dict_facility", "dict_address", "dict_patient_name"):
        runs.compile_dictionaries(strict, site.secrets)
    with pytest.raises(GateError, match=r"no certificate: .*recall_lower_bound"):
        runs.evaluate_and_certify(strict, site.secrets)
    assert runs.pin_engine(strict, site.secrets) == before
    release(strict, site, "daily again")
    assert texts(published(strict, site)) == table
    # The next refresh is good, passes, and is used.
    better = refresh(strict, site, "Quillfeather")
    runs.evaluate_and_certify(strict, site.secrets)
    assert runs.pin_engine(strict, site.secrets)["lexicon"] == better


@contextmanager
def emptied(site, *names):
    """Dictionaries without a row while the block runs, as after a load that brought nothing."""
    for name in names:
        site.rows(f"create table held_{name} as select * from riverside_dictionaries.{name}")
        site.rows(f"delete from riverside_dictionaries.{name}")
    try:
        yield
    finally:
        for name in names:
            site.rows(f"insert into riverside_dictionaries.{name} select * from held_{name}")
            site.rows(f"drop table held_{name}")


def test_before_the_first_promotion_and_after_a_change_of_settings_the_text_says_what_to_run(site, fresh):
    with pytest.raises(GateError, match=r"no engine has passed an evaluation; run dictionaries__riverside"):
        runs.pin_engine(fresh, site.secrets)
    runs.evaluate_and_certify(fresh, site.secrets)
    pin = runs.pin_engine(fresh, site.secrets)
    detect = fresh.detect.model_copy(update={"detectors": ("patterns", "lexicon")})
    changed = fresh.model_copy(update={"detect": detect})
    with pytest.raises(GateError, match=r"settings changed since engine \w+ was promoted.*run evaluate__riverside"):
        runs.pin_engine(changed, site.secrets)
    with pytest.raises(GateError, match=r"settings changed since engine \w+ was promoted; run evaluate__riverside"):
        process(changed, site, "changed", pin)
    runs.evaluate_and_certify(changed, site.secrets)
    newer = runs.pin_engine(changed, site.secrets)
    # The former settings still have the engine that was promoted for them.
    assert runs.pin_engine(fresh, site.secrets) == pin != newer


def test_a_person_is_asked_for_settings_and_not_for_each_nights_dictionaries(site, fresh):
    asking = fresh.model_copy(update={"gate": fresh.gate.model_copy(update={"approval": True})})
    # Other tests approve the same code and settings.
    site.rows("delete from riverside_results.approval")
    forget_audit_log(site)
    runs.evaluate_and_certify(asking, site.secrets)
    assert reviewed(asking, site, "first") == ["first_publication"]
    refresh(asking, site, "Quillfeather")
    runs.evaluate_and_certify(asking, site.secrets)
    assert reviewed(asking, site, "second") == []
    each = asking.model_copy(update={"gate": asking.gate.model_copy(update={"approve_dictionaries": True})})
    assert reviewed(each, site, "third") == ["first_publication"]
    merge = asking.merge.model_copy(update={"votes": 2})
    changed = asking.model_copy(update={"merge": merge})
    runs.evaluate_and_certify(changed, site.secrets)
    assert reviewed(changed, site, "fourth") == ["first_publication"]


def reviewed(settings, site, run_id):
    """Take a day to the published table; return the kinds of review that a person had to give."""
    pin = runs.pin_engine(settings, site.secrets)
    done = process(settings, site, run_id, pin)
    released = runs.reconcile_run(settings, site.secrets, run_id, pin, "notes", done)
    if released["review"]:
        with pytest.raises(GateError, match="held for review"):
            runs.publish_notes(settings, site.secrets, run_id, pin, released)
        runs.record_review(settings, site.secrets, run_id, released, "approved", OFFICER, MOMENT)
    assert runs.publish_notes(settings, site.secrets, run_id, pin, released)
    return [held["kind"] for held in released["review"]]


def test_old_dictionaries_make_a_run_wait_until_newer_ones_are_promoted(site, fresh):
    aging = fresh.model_copy(update={"dictionaries": fresh.dictionaries.model_copy(update={"max_age_hours": 36})})
    runs.evaluate_and_certify(aging, site.secrets)
    pin = runs.pin_engine(aging, site.secrets)
    site.rows(f"update {PROMOTED} set compiled_at = compiled_at - interval '37 hours'")
    with pytest.raises(DictionariesTooOldError, match=r"37\.\d hours ago, and dictionaries.max_age_hours is 36"):
        runs.pin_engine(aging, site.secrets)
    assert runs.pin_engine(fresh, site.secrets) == pin
    # Equal dictionaries give the same engine, compiled later.
    runs.compile_dictionaries(aging, site.secrets)
    runs.evaluate_and_certify(aging, site.secrets)
    assert runs.pin_engine(aging, site.secrets) == pin


def test_pruning_retains_what_runs_may_still_need(site, fresh):
    lexicons = []
    for number in range(6):
        lexicons.append(refresh(fresh, site, *[f"Quill{letter}" for letter in "abcdef"[: number + 1]]))
        engine, candidate = load_candidate(fresh, site.secrets)
        promote_engine(fresh, site.secrets, engine, candidate, MOMENT, "certificate")
        for path in (Path(fresh.work_dir) / "lexicon").iterdir():
            os.utime(path, (time.time() - 20 * 86_400,) * 2)
        if number == 1:
            pinned = candidate
            with connect(site.uri) as connection:
                record_pin(connection, fresh, pinned["fingerprint"])
        if number == 2:
            site.rows(f"update {PROMOTED} set promoted_at = promoted_at - interval '15 days'")
    left = {path.name for path in (Path(fresh.work_dir) / "lexicon").iterdir() if path.is_dir()}
    # Three newest promotions, and the one that a run pinned within two weeks.
    assert left == {lexicons[1], *lexicons[3:]}
    assert runs.load_engine(fresh, site.secrets, pinned).fingerprint == pinned["fingerprint"]
    people = {path.name for path in (Path(fresh.work_dir) / "people").iterdir()}
    assert people == {"CURRENT", pinned["people"]}


def with_target(settings, recall):
    return settings.model_copy(update={"detect": settings.detect.model_copy(update={"target_recall": recall})})


def test_an_evaluation_chooses_the_bias_that_runs_then_use(site, fresh):
    settings = with_target(fresh, 0.9)
    with pytest.raises(GateError, match="no engine has passed"):
        runs.pin_engine(settings, site.secrets)
    result = runs.evaluate_and_certify(settings, site.secrets)
    point = result["operating_point"]
    assert point["recall"] >= 0.9
    assert point["design"] == settings.gate.designs[0]
    pin = runs.pin_engine(settings, site.secrets)
    assert pin["fingerprint"] == result["fingerprint"]
    assert pin["outside_bias"] == point["outside_bias"]
    assert load_engine(settings, site.secrets, pin).fingerprint == pin["fingerprint"]
    ((document,),) = site.rows(
        f"select document from riverside_results.certificate where certificate_id = '{result['certificate']}'"
    )
    assert json.loads(document)["operating_point"] == point
    assert process(settings, site, "chosen", pin)
    # Without the target, the bias is that of the settings: an engine of its own, which nobody evaluated.
    with pytest.raises(GateError, match="run evaluate__riverside"):
        runs.pin_engine(fresh, site.secrets)


def test_a_recall_that_no_bias_reaches_gives_no_certificate(site, fresh, monkeypatch):
    monkeypatch.setattr("deid_tasks.platform.runs.operating_points.BIASES", (-1.0,))
    with pytest.raises(GateError, match=r"no operating point has the recall of 0\.999999.* at outside_bias -1"):
        runs.evaluate_and_certify(with_target(fresh, 0.999999), site.secrets)
