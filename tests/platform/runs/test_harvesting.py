"""A harvest from the warehouse's notes to a frozen version that the engine uses."""

import csv
import datetime
import shutil
from pathlib import Path

import pytest

from deid_tasks.core.errors import ApprovalError
from deid_tasks.core.identity import Identity
from deid_tasks.engine.detect.sentence_detector import SentenceDetector
from deid_tasks.engine.detect.templates import TemplateDetector
from deid_tasks.platform import runs
from deid_tasks.platform.audit_log import AuditEvent, audited
from deid_tasks.platform.warehouse import connect
from deid_tasks.platform.warehouse.audit_log import audit_rows_of

OFFICER = Identity("officer", "operating_system")

NOW = datetime.datetime(2026, 1, 2, tzinfo=datetime.UTC)


@pytest.fixture(scope="module")
def settings(site):
    """The institution with a folder of its own, so that its approvals change no other test."""
    folder = Path(site.settings.work_dir).with_name("harvesting")
    shutil.copytree(Path(site.settings.work_dir) / "lexicon", folder / "lexicon")
    harvest = site.settings.harvest.model_copy(
        update={"min_patients": 6, "top_sentences": 40, "medical_sentences": 15, "template_notes": 200}
    )
    detect = site.settings.detect.model_copy(update={"detectors": ("patterns", "lexicon", "patient", "templates")})
    return site.settings.model_copy(update={"work_dir": str(folder), "harvest": harvest, "detect": detect})


@pytest.fixture(scope="module")
def harvested(site, settings):
    return runs.harvest_candidates(settings, site.secrets)


def table(harvested, name):
    with (Path(harvested["folder"]) / name).open(newline="") as file:
        return list(csv.DictReader(file))


def test_counts_are_told_and_no_text(harvested, site):
    assert harvested["notes"] == len(site.notes)
    assert 40 < harvested["sentence_candidates"] <= 55
    assert 0 < harvested["share_of_all_sentences"] < 1
    assert set(harvested) == {
        "harvest", "folder", "notes", "sentences", "sentence_candidates", "sentences_proposed",
        "share_of_all_sentences",
        "template_candidates", "templates_proposed",
    }  # fmt: skip


def test_every_candidate_stands_in_the_notes_of_as_many_patients_as_it_says(harvested, site, settings):
    from deid_tasks.engine.text.sentences import split_sentences

    patients: dict[str, set[str]] = {}
    for note in site.notes:
        for start, end in split_sentences(note.text):
            patients.setdefault(note.text[start:end], set()).add(note.patient_id)
    rows = table(harvested, "sentences.csv")
    assert all(int(row["patients"]) == len(patients[row["sentence"]]) >= 6 for row in rows)
    common = [int(row["patients"]) for row in rows if row["list"] == "common"]
    assert common == sorted(common, reverse=True)
    assert len(common) == 40
    assert any(row["list"] == "medical" for row in rows)


def test_no_proposed_sentence_holds_a_planted_identifier(harvested, site):
    proposed = {row["sentence"] for row in table(harvested, "sentences.csv") if row["decision"] == "include"}
    assert proposed
    for note in site.notes:
        for span in note.spans:
            value = note.text[span.start : span.end]
            assert not any(value in sentence for sentence in proposed if len(value) > 4)


def test_an_approval_is_another_engine_that_knows_who_approved_it(harvested, site, settings):
    before = runs.load_engine(settings, site.secrets)
    assert runs.approved_harvest(settings, site.secrets) is None
    frozen = runs.approve_harvest(settings, site.secrets, OFFICER, NOW)
    assert frozen["sentences"] == harvested["sentences_proposed"]
    assert frozen["templates"] == harvested["templates_proposed"] > 0
    after = runs.load_engine(settings, site.secrets)
    assert after.fingerprint != before.fingerprint
    assert [d.name for d in after.detectors if isinstance(d, TemplateDetector)] == ["templates"]
    shown = runs.approved_harvest(settings, site.secrets)
    assert (shown["approved_by"], shown["approved_at"]) == ("officer", "2026-01-02T00:00:00+00:00")
    again = runs.approve_harvest(
        settings, site.secrets, Identity("somebody else", "airflow"), NOW + datetime.timedelta(days=1)
    )
    assert again["version"] == frozen["version"]
    assert runs.load_engine(settings, site.secrets).fingerprint == after.fingerprint


def test_who_ran_a_harvest_may_not_approve_it(harvested, site, settings):
    with connect(site.uri) as connection:
        [prepared] = audit_rows_of(
            connection, settings, "harvest", {"role": "prepared", "subject": harvested["harvest"]}
        )
    assert prepared.actor_source == "platform"
    again = Identity("engineer", "airflow")
    with audited(settings, site.secrets, site.uri) as audit:
        audit.append(AuditEvent("harvest", "prepared", again, harvested["harvest"]))
    with pytest.raises(ApprovalError, match=r"engineer ran harvest \S+, and may not approve it"):
        runs.approve_harvest(settings, site.secrets, again, NOW)
    with connect(site.uri) as connection:
        assert audit_rows_of(connection, settings, "harvest", newest=1)[0].role == "refused"


def test_a_harvest_that_the_log_does_not_know_is_approved_by_nobody(harvested, site, settings):
    known = Path(harvested["folder"])
    unknown = known.with_name("20250101T000000Z")
    shutil.copytree(known, unknown)
    one_person = settings.approvals.model_copy(update={"two_people": ()})
    for approvals in (settings.approvals, one_person):
        chosen = settings.model_copy(update={"approvals": approvals})
        with pytest.raises(ApprovalError, match=rf"does not say who ran harvest {unknown.name}, .*; harvest again$"):
            runs.approve_harvest(chosen, site.secrets, OFFICER, NOW, unknown.name)
    shutil.rmtree(unknown)


def test_a_rejected_harvest_is_a_row_of_the_log(harvested, site, settings):
    before = runs.approved_harvest(settings, site.secrets)
    runs.reject_harvest(settings, site.secrets, OFFICER, harvested["harvest"])
    with connect(site.uri) as connection:
        [row] = audit_rows_of(connection, settings, "harvest", newest=1)
    assert (row.role, row.actor, row.subject) == ("rejected", "officer", harvested["harvest"])
    assert runs.approved_harvest(settings, site.secrets) == before


def test_the_models_skip_what_was_approved(harvested, site, settings):
    runs.approve_harvest(settings, site.secrets, OFFICER, NOW)
    detect = settings.detect.model_copy(update={"detectors": ("transformer",)})
    engine = runs.load_engine(settings.model_copy(update={"detect": detect}), site.secrets)
    (neural,) = engine.detectors
    assert isinstance(neural, SentenceDetector)
    rows = table(harvested, "sentences.csv")
    assert all((row["sentence"] in neural.inclusion) == (row["decision"] == "include") for row in rows)
    switched_off = settings.model_copy(update={"detect": detect.model_copy(update={"inclusion": False})})
    assert runs.load_engine(switched_off, site.secrets).detectors[0].inclusion is None
