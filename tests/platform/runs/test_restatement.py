"""Restatement: a promoted engine reads again what it may read differently, and the table is as if it had read all."""

import re
import shutil
from collections import Counter
from pathlib import Path

import pytest

from deid_tasks.core.entities import Entity
from deid_tasks.core.errors import GateError
from deid_tasks.platform import runs
from deid_tasks.settings import RestatementRequest
from tests.support.published_days import (
    DAY,
    START,
    follow_changes,
    from_nothing,
    process,
    release,
    reset,
    rows_of,
    with_settings,
)

LEDGER = "riverside_results.note_ledger"
PROMOTED = "riverside_results.promoted_engine"
WORD = "siderails"
"""A word of some notes that no dictionary has, everyday words included: as a place's name it is replaced."""


@pytest.fixture
def restating(site, tmp_path):
    """Settings of a table and promotions of this test's own, over two days that are published."""
    site.rows(f"create table held_promotions as select * from {PROMOTED}; truncate {PROMOTED}")
    settings = with_settings(
        site,
        publish={"table": "restate.notes"},
        gate={"volume": site.settings.gate.volume.model_copy(update={"enabled": False})},
        changes={"carry_sample_notes": 20},
    ).model_copy(update={"work_dir": str(tmp_path)})
    reset(settings, site)
    promote(settings, site)
    release(settings, site, "first", START, START + 2 * DAY)
    yield settings
    reset(settings, site)
    site.rows("delete from riverside_dictionaries.dict_facility where source = 'test'")
    site.rows(f"truncate {PROMOTED}; insert into {PROMOTED} select * from held_promotions; drop table held_promotions")


def promote(settings, site):
    """Compile the dictionaries and promote the engine; return its fingerprint."""
    runs.compile_dictionaries(settings, site.secrets)
    runs.evaluate_and_certify(settings, site.secrets)
    return runs.pin_engine(settings, site.secrets)["fingerprint"]


def add_facility(site, name):
    site.rows(
        "insert into riverside_dictionaries.dict_facility (term, normalised, kind, occurrences, source, version)"
        f" values ('{name}', '{name.lower()}', 'short_name', 1, 'test', 'test')"
    )


def holding(site, word):
    """Ids of the notes that hold a word."""
    pattern = re.compile(rf"(?<![^\W_]){word}(?![^\W_])", re.IGNORECASE)
    return {note.note_id for note in site.notes if pattern.search(note.text)}


def plan_restatement(settings, site, run_id, **request):
    pin = runs.pin_engine(settings, site.secrets)
    return runs.plan_restate_run(settings, site.secrets, run_id, pin, RestatementRequest(**request))


def restate(settings, site, run_id, **request):
    """Take a restatement to the published table; return the notes by cause."""
    plan = plan_restatement(settings, site, run_id, **request)
    process(settings, site, run_id, plan)
    return plan["causes"]


def engines(site, column="fingerprint"):
    """Notes of the ledger by engine."""
    return dict(site.rows(f"select {column}, count(*) from {LEDGER} group by 1"))


def of_ledger(site, where=""):
    """Ids of notes of the ledger."""
    return {note for (note,) in site.rows(f"select note_id from {LEDGER} {where}")}


def read_again(site, engine):
    """Ids of the notes that an engine has read itself."""
    return of_ledger(site, f"where made_by = '{engine}'")


def with_alarms(settings, gate=None, **alarms):
    updates = {"alarms": settings.alarms.model_copy(update=alarms), "gate": settings.gate.model_copy(update=gate or {})}
    return settings.model_copy(update=updates)


def stale_notes_and_certificates_that_end_soon_are_told(settings, site, stale, published):
    runs.reconcile_ledger(settings, site.secrets)
    calm = {"stale_notes": stale, "published_notes": published}
    assert runs.check_stale_notes(with_alarms(settings, max_stale_share=0.9), site.secrets) == calm
    with pytest.raises(GateError, match=f"^riverside: {stale} of {published} published notes may come out differently"):
        runs.check_stale_notes(with_alarms(settings, max_stale_share=stale / published / 2), site.secrets)
    endless, month = {"certificate_max_age_days": None}, {"certificate_max_age_days": 30}
    assert runs.check_certificate(with_alarms(settings, endless), site.secrets) == {"certificate_days_left": None}
    assert 29 < runs.check_certificate(with_alarms(settings, month), site.secrets)["certificate_days_left"] < 30
    with pytest.raises(
        GateError, match=r"ends in (?:29|30)\.\d days \(alarms\.certificate_days is 40\); run evaluate__river"
    ):
        runs.check_certificate(with_alarms(settings, month, certificate_days=40), site.secrets)


def test_only_notes_with_a_changed_term_are_read_again(site, restating):
    former, before = runs.pin_engine(restating, site.secrets)["fingerprint"], rows_of(restating, site)
    total, touched = engines(site)[former], holding(site, WORD)
    assert 5 < len(touched) < total / 2
    assert plan_restatement(restating, site, "idle")["causes"] == {}
    add_facility(site, WORD)
    later = promote(restating, site)
    expected = {"dictionary_terms": len(touched), "carried": total - len(touched)}
    # A dry run counts, and changes nothing.
    plan = plan_restatement(restating, site, "dry", dry_run=True)
    assert plan == {"kind": "restate", "shards": [], "causes": expected}
    assert site.rows("select count(*) from riverside_results.run_note where run_id like 'dry%'") == [(0,)]
    assert engines(site) == {former: total}
    reported = runs.stale_notes(restating, site.secrets)
    assert {row["cause"]: row["notes"] for row in reported} == expected
    assert {row["fingerprint"] for row in reported} == {former}
    stale_notes_and_certificates_that_end_soon_are_told(restating, site, len(touched), total)
    # A run takes so many notes as it may, and the next one goes on with the others.
    counted = restate(restating, site, "first hour", max_notes=5)
    assert counted["dictionary_terms"] == 5
    assert engines(site)[later] == sum(counted.values()) < total
    assert len(read_again(site, later)) == 5
    few = restate(with_changes(restating, restate_searched_notes_per_hour=7), site, "second hour")
    assert sum(few.values()) == 7
    counted = Counter(counted) + Counter(few) + Counter(restate(restating, site, "third hour"))
    assert counted == expected
    assert engines(site) == {later: total}
    assert read_again(site, later) == touched
    assert restate(restating, site, "fourth hour") == {}
    assert follow_changes(restating, site, "no change")[0]["causes"] == {}
    restated = rows_of(restating, site)
    assert 0 < sum(row not in before for row in restated) <= len(touched)
    # A person may ask for more.
    plan = plan_restatement(restating, site, "all", only="all", dry_run=True)
    assert plan["causes"] == {"requested": total - len(touched)}
    kind, number = site.rows(f"select note_type, count(*) from {LEDGER} group by 1 order by 2 limit 1")[0]
    ask = {"note_types": [kind], "first_day": "2024-01-01", "last_day": "2024-01-02", "only": "all"}
    counted = restate(restating, site, "one type", **ask)
    assert counted.get("requested", 0) == number - len(touched & of_ledger(site, f"where note_type = '{kind}'"))
    assert rows_of(restating, site) == restated == from_nothing(restating, site)


def test_notes_that_would_come_out_otherwise_are_not_carried(site, restating):
    before, total = engines(site), sum(engines(site).values())
    add_facility(site, WORD)
    later = promote(restating, site)
    note = min(read_again(site, next(iter(before))) - holding(site, WORD))
    site.rows(f"update {LEDGER} set output_hash = 'wrong' where note_id = '{note}'")
    thorough = with_changes(restating, carry_sample_notes=1_000)
    with pytest.raises(GateError, match=r"1 of \d+ sampled notes come out otherwise .* only = .all."):
        plan_restatement(thorough, site, "refused")
    assert engines(site) == before
    assert site.rows("select count(*) from riverside_results.run_note where run_id like 'refused%'") == [(0,)]
    # A note that changed in the source says nothing of the carry.
    site.rows(f"update {LEDGER} set content_hash = 'another' where note_id = '{note}'")
    plan = plan_restatement(thorough, site, "changed")
    assert plan["causes"]["carried"] == total - len(holding(site, WORD))
    # What was refused is read again.
    counted = restate(restating, site, "all", only="all")
    assert counted == {"requested": total}
    assert read_again(site, later) == of_ledger(site)
    assert rows_of(restating, site) == from_nothing(restating, site)


def test_a_changed_policy_reads_again_what_it_concerns_and_other_code_everything(site, restating):
    total = sum(engines(site).values())
    policy = restating.policy.model_copy(update={"keep": (*restating.policy.keep, Entity.PROVIDER)})
    keeping = restating.model_copy(update={"policy": policy})
    runs.evaluate_and_certify(keeping, site.secrets)
    with_provider = site.rows(
        f"select count(*) from {LEDGER} where 'PROVIDER' = any(entities) or outcome = 'quarantined'"
    )[0][0]
    assert 0 < with_provider <= total
    assert restate(keeping, site, "policy") == +Counter(policy=with_provider, carried=total - with_provider)
    assert rows_of(keeping, site) == from_nothing(keeping, site)
    voting = keeping.model_copy(update={"merge": keeping.merge.model_copy(update={"votes": 2})})
    runs.evaluate_and_certify(voting, site.secrets)
    assert plan_restatement(voting, site, "code", dry_run=True)["causes"] == {"code_or_model": total}
    # Without the former dictionaries, nothing says which terms changed.
    former = runs.pin_engine(keeping, site.secrets)["lexicon"]
    add_facility(site, WORD)
    promote(keeping, site)
    shutil.rmtree(Path(keeping.work_dir) / "lexicon" / former)
    assert plan_restatement(keeping, site, "pruned", dry_run=True)["causes"] == {"pruned": total}


def with_changes(settings, **values):
    return settings.model_copy(update={"changes": settings.changes.model_copy(update=values)})
