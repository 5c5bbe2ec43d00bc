"""The report on a release: its figures are those of the published tables, and no text of a note enters it."""

import copy
import datetime
import json
import re
from collections import Counter
from html import unescape
from pathlib import Path

import pytest
from typer.testing import CliRunner

from deid_tasks.cli.app import app
from deid_tasks.core.entities import Entity
from deid_tasks.core.errors import GateError, InputError
from deid_tasks.core.pem import key_fingerprint
from deid_tasks.evidence.gate import new_key_pair
from deid_tasks.evidence.release import SignedReport, attest, named_diagnoses, render_release, verify_report
from deid_tasks.evidence.release.pdf import find_browser, print_pdf
from deid_tasks.platform import runs
from deid_tasks.platform.runs.release_facts import growth_facts, policy_facts, reversal_facts
from deid_tasks.platform.runs.release_report import stored_reports
from deid_tasks.platform.runs.release_risk import published_patients
from deid_tasks.platform.workspace import work_dir
from deid_tasks.settings import CompareSettings, PolicySettings, ReleaseSettings, VaultSettings
from tests.support.published_days import DAY, START, published, release, with_settings
from tests.support.small_systems import adapter

CONTRACT = Path(__file__).parents[3] / "dbt" / "models" / "staging" / "models.yml"
NOW = datetime.datetime(2026, 3, 1, 12, tzinfo=datetime.UTC)
CONTEXT = ReleaseSettings(recipients="Twelve researchers", attacked_notes=60, attacked_patients=200)
VAULT = VaultSettings(bucket="originals", object_store="vault_store")


def _text(report: SignedReport) -> str:
    """The words of the page, without its marks."""
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", render_release(report))).split())


@pytest.fixture(scope="module")
def settings(site, tmp_path_factory):
    folder = tmp_path_factory.mktemp("systems")
    adapter(folder / "capitals")
    compare = CompareSettings(systems=(f"adapter:{folder}/capitals", "pydeid"), max_notes=30)
    changed = with_settings(site, publish={"table": "released.notes", "tables": ("patients", "encounters")})
    return changed.model_copy(update={"release": CONTEXT, "compare": compare})


@pytest.fixture(scope="module")
def released(site, settings):
    evaluation = runs.evaluate_and_certify(settings, site.secrets)
    runs.compare_after_evaluation(settings, site.secrets, evaluation)
    release(settings, site, "released")
    runs.publish_tables(settings, site.secrets, "released", CONTRACT, datetime.date(2024, 1, 5))


@pytest.fixture(scope="module")
def report(site, settings, released):
    return runs.make_release_report(settings, site.secrets, NOW)


@pytest.fixture(scope="module")
def page(report):
    return _text(report)


def test_without_a_release_there_is_no_report(site, settings):
    empty = settings.model_copy(update={"publish": settings.publish.model_copy(update={"table": "empty.notes"})})
    with pytest.raises(GateError, match="nothing is published"):
        runs.make_release_report(empty, site.secrets, NOW)


def test_it_counts_what_is_published(site, settings, report):
    notes, content = published(settings, site).to_pylist(), report.content
    assert content["release"]["notes"] == len(notes)
    assert content["release"]["patients"] == len({row["patient_key"] for row in notes})
    assert content["release"]["note_types"] == dict(Counter(row["note_type"] for row in notes))
    assert {row["table_name"] for row in content["release"]["tables"]} == {"patients", "encounters"}
    assert (content["reassess_at"], content["context"]["recipients"]) == ("2027-03-01", "Twelve researchers")
    assert content["release"]["written"] == {"first_month": "2024-01", "last_month": "2024-01"}
    assert content["gold"][0]["written"]["first_month"] == "2024-01"
    assert "certificate_issued" in {row["event"] for row in content["safeguards"]["acts"]}
    [engine] = content["lineage"]["engines"]
    assert engine["notes"] == len(notes)
    assert engine["fingerprint"] == content["certificate"]["fingerprint"]


def test_it_says_what_becomes_of_each_form_of_an_identifier(settings, report, page):
    forms = {row["form"]: row["becomes"] for row in report.content["policy"]["forms"]}
    assert (forms["patient"], forms["full_date"], forms["mrn"]) == ("surrogate", "surrogate", "surrogate")
    assert (forms["time_of_day"], forms["age_under_90"], forms["age_90_or_over"]) == ("keep", "keep", "surrogate")
    assert "stays in the text age up to the policy's max_kept_age_years, by default 89; time of day" in page
    strict = settings.model_copy(
        update={
            "policy": PolicySettings(preset="safe-harbor"),
            "obfuscate": settings.obfuscate.model_copy(update={"modes": {Entity.DATE: "mask"}}),
        }
    )
    forms = {row["form"]: row for row in policy_facts(strict)["forms"]}
    assert (forms["year"]["becomes"], forms["full_date"]["becomes"]) == ("keep", "mask")
    assert "(C)" in forms["year"]["rule"]


def test_it_says_what_was_done_to_each_column_of_the_tables(report, page):
    columns = report.content["release"]["columns"]
    assert (columns["patients"]["sex"], columns["patients"]["patient_key"]) == ("keep", "key")
    assert columns["patients"]["birth_date"] == "birth_date"
    assert re.search(r"as in the warehouse : [^;]*\bsex\b", page)
    assert "an earlier release of the platform" not in page


def test_it_says_how_soon_days_were_published_and_how_the_table_grows(settings, report, page):
    assert report.content["release"]["timing"]["soon"] == 0
    assert "The times tell nothing of how far dates were moved." in page
    facts = growth_facts(settings, {"notes": 280, "days": 28.0}, NOW)
    assert facts == {"notes_a_day": 10.0, "days": 365, "notes": 3650}
    ended = settings.model_copy(
        update={"notes": settings.notes.model_copy(update={"end_date": datetime.date(2024, 1, 4)})}
    )
    assert growth_facts(ended, {"notes": 280, "days": 28.0}, NOW)["notes"] == 0
    late = copy.deepcopy(report.content)
    late["release"]["timing"] = {"days": 3, "soon": 2}
    late["release"]["growth"] = facts
    page = _text(SignedReport(late, "unsigned"))
    assert "2 of 3 published days were written within a week after their notes." in page
    assert "how far every date of those patients was moved" in page
    assert "by about 10 notes a day as of late" in page


def test_it_says_who_made_it_and_who_can_turn_it_back(settings, report, page):
    assert "made by platform (platform)" in page
    assert "Originals are not stored" in page
    sealed = copy.deepcopy(report.content)
    sealed["reversal"] = reversal_facts(settings.model_copy(update={"vault": VAULT}))
    assert "Originals are stored , sealed by x25519" in _text(SignedReport(sealed, "unsigned"))


def test_a_note_type_with_few_patients_is_named(report, page):
    counted = report.content["release"]["patients_by_type"]
    assert set(counted) == set(report.content["release"]["note_types"])
    assert ("fewer than 11" in page) == any(count < 11 for count in counted.values())


def test_a_report_of_an_earlier_release_is_shown_too(report):
    former = copy.deepcopy(report.content)
    for name in ("columns", "timing", "growth", "patients_by_type"):
        del former["release"][name]
    for name in ("name", "forms", "dates_stay", "other_modes"):
        del former["policy"][name]
    del former["reversal"], former["issued_by"]
    page = _text(SignedReport(former, "unsigned"))
    assert "Policy group C" in page
    assert "not recorded: the table was written by an earlier release" in page


def test_what_remains_is_the_measured_rate_times_the_published_notes(report, page):
    residual = report.content["residual"]
    assert (residual["design"], residual["gold_notes"]) == ("random", 80)
    by_type = {row["note_type"]: row for row in residual["note_types"]}
    assert sum(row["published"] for row in by_type.values()) == report.content["release"]["notes"]
    expected = sum(row["rate"] * row["published"] for row in by_type.values())
    assert residual["identifiers"]["expected"] == pytest.approx(expected)
    assert residual["identifiers"]["lower"] < expected < residual["identifiers"]["upper"]
    missed = sum(row["missed"] for row in residual["entities"])
    assert missed == residual["gold_missed"] > 0
    assert sum(row["missed"] for row in residual["kinds"]) == missed
    named = residual["patients_named"]
    assert named["lower"] <= named["expected"] <= named["upper"] <= named["patients"]
    assert 0 < residual["notes"]["expected"] <= residual["published"]
    assert 0 <= residual["gold_missed_whole"] <= missed
    assert f"({residual['gold_missed_whole']} of them whole" in page


def test_it_shows_the_share_of_words_with_the_right_category(report, page):
    shares = {
        row["value"]
        for row in report.content["figures"]
        if (row["view"], row["metric"], row["entity"], row["stratum"]) == ("word:category", "recall", "ALL", "")
    }
    assert shares
    for share in shares:
        assert f"Found with the right category: {share:.4f} of the identifying words" in page


def test_it_names_the_entities_that_are_found_too_rarely(report, page):
    content = copy.deepcopy(report.content)
    low = next(
        row
        for row in content["figures"]
        if (row["view"], row["metric"], row["entity"], row["stratum"]) == ("word", "recall", "DATE", "")
    )
    assert "Found less often than the gate asks" not in page
    low["value"], low["lower"], low["upper"] = 0.05, 0.04, 0.06
    changed = _text(SignedReport(content, "unsigned"))
    assert "even at the upper end of the interval: DATE 0.0500 (0.0400 to 0.0600)" in changed


def test_it_measures_groups_of_patients_where_the_warehouse_has_them(report):
    strata = {row["stratum"].partition("=")[0] for row in report.content["figures"]}
    assert {"sex", "age", "name_origin", "note_type"} <= strata
    assert {"full", "full_patients"} <= {row["metric"] for row in report.content["figures"]}


def test_other_systems_stand_beside_the_engine(report, page):
    rows = {(row["design"], row["system"]): row for row in report.content["compared"]}
    assert {system for _, system in rows} == {"engine", "capitals", "pydeid"}
    assert {design for design, _ in rows} == {gold["design"] for gold in report.content["gold"]}
    capitals, engine = rows["random", "capitals"], rows["random", "engine"]
    assert capitals["recall"] < engine["recall"]
    assert "Each read 30 of these 80 notes" in page
    assert re.search(rf"This institution's engine {engine['recall']:.4f} \(", page)
    assert f"capitals 1 {capitals['recall']:.4f} (" in page
    assert f"{capitals['recall_difference']:+.4f} ({capitals['recall_difference_lower']:+.4f} to" in page
    assert "no figures: it did not run to its end (NotInstalled)" in page


def test_a_report_without_a_comparison_says_so(report):
    parts = {name: value for name, value in report.content.items() if name != "compared"}
    for content in (parts, {**parts, "compared": []}):
        page = render_release(type(report)(content, report.signature))
        assert page.count("compared the engine with no other system") == len(content["gold"])


def test_classes_of_equal_patients_are_those_of_the_published_table(site, settings, report):
    classes = {tuple(row["attributes"]): row for row in report.content["disclosure"]["classes"]}
    notes = published(settings, site).to_pylist()
    per_patient = Counter(row["patient_key"] for row in notes if row["patient_key"])
    sizes = Counter(per_patient.values())
    by_number = classes["number of notes",]
    assert by_number["smallest"] == min(sizes.values())
    assert by_number["singletons"] == sum(size == 1 for size in sizes.values())
    assert sum(by_number["histogram"]) == by_number["patients"] == len(per_patient)
    assert ("sex", "age") in classes
    named = {row["patient_key"]: set() for row in notes}
    for row in notes:
        named[row["patient_key"]] |= next(iter(named_diagnoses([row["text"]])))
    by_diagnosis = classes["rarest of the diagnoses in the text",]
    assert by_diagnosis["patients"] == sum(map(bool, named.values())) > 0
    assert by_diagnosis["classes"] == len(set().union(*named.values()))
    counts = Counter(diagnosis for patient in named.values() for diagnosis in patient)
    alone = sum(1 for patient in named.values() if patient and min(counts[one] for one in patient) == 1)
    assert by_diagnosis["singletons"] == alone
    assert classes["rarest of the diagnoses in the text", "sex", "age"]["singletons"] >= alone
    assert report.content["disclosure"]["linkage"]


def test_birth_dates_and_encounters_that_move_with_the_notes_are_attributes(site, settings, report, page):
    classes = {tuple(row["attributes"]): row for row in report.content["disclosure"]["classes"]}
    by_days = classes["sex", "age in days"]
    assert by_days["singletons"] > classes["sex", "age"]["singletons"] > 0
    seen = published_patients(settings, site.secrets, published(settings, site))
    days = sorted((note.patient_id, note.note_datetime.date()) for note in site.notes)
    first = dict(reversed(days))
    real = Counter(
        (first[one.patient_id] - one.birth_date).days for one in site.hospital.patients if one.patient_id in first
    )
    ages = Counter(row["age in days"] for row in seen.attributes.values() if row["age in days"] is not None)
    assert sum((ages & real).values()) >= 0.9 * ages.total() > 10
    assert ("sex", "age", "days between notes and encounters") in classes
    assert report.content["disclosure"]["with_encounters"]
    assert "Patients alone with their sex, age in days" in page
    assert "no note in this release; they are in no figure of this section" in page


def test_groups_whose_intervals_do_not_meet_are_named(report):
    content = copy.deepcopy(report.content)
    rows = [row for row in content["figures"] if row["stratum"].startswith("sex=") and row["metric"] == "recall"]
    for row, (lower, upper) in zip(
        [row for row in rows if row["entity"] == "ALL" and row["view"] == "word" and row["design"] == "random"],
        [(0.90, 0.95), (0.96, 0.99)],
        strict=True,
    ):
        row["lower"], row["upper"] = lower, upper
        row["stratum"] = "sex=low" if lower < 0.95 else "sex=high"
    assert "the interval of low lies below that of high" in _text(SignedReport(content, "unsigned"))


def test_the_page_says_whose_class_is_smaller_than_regulators_accept(report):
    row = report.content["disclosure"]["classes"][-1]
    small = sum(patients for patients, size in zip(row["histogram"], (1, 4, 10), strict=False) if size)
    page = " ".join(render_release(report).split())
    assert f'(risk above .09)</td><td class="n">{small:,} of {row["patients"]:,}</td>' in page


def test_the_page_says_where_the_gold_notes_are_older_than_the_release(report):
    content = report.content
    assert "the figures say nothing of what changed in between" not in render_release(report)
    gold = [{**one, "written": {**one["written"], "last_month": "2019-12"}} for one in content["gold"]]
    page = render_release(type(report)({**content, "gold": gold}, report.signature))
    last = content["release"]["written"]["last_month"]
    assert f"The newest gold note was written in 2019-12, and notes of the release until {last}" in page


def test_the_ages_that_are_compared_are_the_patients_own(site, settings, released):
    seen = published_patients(settings, site.secrets, published(settings, site))
    days = {note.patient_id: note.note_datetime.date() for note in site.notes}
    real = Counter(
        int((days[patient.patient_id] - patient.birth_date).days / 365.25)
        for patient in site.hospital.patients
        if patient.patient_id in days
    )
    ages = Counter(row["age"] for row in seen.attributes.values() if row["age"] is not None)
    # Of a patient with notes on two days, another day may be published.
    assert sum((ages & real).values()) >= 0.9 * ages.total() > 10


def test_attacks_are_run_on_notes_as_they_are_published(report):
    attack = report.content["attack"]
    assert attack["notes"] == 60
    attackers = {row["attacker"] for row in attack["rows"]}
    assert {"guess", "parrot", "source"} <= attackers
    for row in attack["rows"]:
        if row["attacker"] is not None:
            assert 0 <= row["found"] <= row["leaks"]


def test_no_text_and_no_id_enters_it(site, report):
    everything = (report.file() + render_release(report)).casefold()
    for note in site.notes:
        assert note.note_id.casefold() not in everything
        assert note.text[:60].casefold() not in everything
    for patient in site.hospital.patients:
        for value in (patient.patient_id, patient.mrn, patient.ssn, f"{patient.person.first} {patient.person.last}"):
            assert value.casefold() not in everything


def test_it_is_signed_and_says_what_was_changed(site, report):
    key = site.secrets.text("certificate_verification_key")
    verify_report(report, key)
    other = type(report)({**report.content, "reassess_at": "2030-01-01"}, report.signature)
    with pytest.raises(GateError, match="signature is not valid"):
        verify_report(other, key)
    with pytest.raises(GateError, match="signature is not valid"):
        verify_report(report, new_key_pair()[1])


def test_the_next_report_knows_the_overlap_and_what_changed(site, settings, report):
    release(settings, site, "released again", START + DAY)
    later = runs.make_release_report(settings, site.secrets, NOW + DAY).content
    [former] = later["overlap"]
    assert not former["is_same"]
    assert former["notes_in_both"] == report.content["release"]["notes"]
    assert former["notes_new"] == later["release"]["notes"] - former["notes_in_both"] > 0
    changed = {row["what"]: row for row in later["changes"]["rows"]}
    assert changed["notes"]["before"] == report.content["release"]["notes"]
    assert "certificate" not in changed
    assert report.content["overlap"] == []
    assert report.content["changes"] is None


def test_a_forged_report_is_not_compared(site, settings, report):
    folder = work_dir(settings) / "release"
    before = len(stored_reports(settings, site.secrets))
    forged = json.loads(report.file())
    forged["report"]["release"]["notes"] = 1
    (folder / "forged.json").write_text(json.dumps(forged))
    (folder / "nonsense.json").write_text("nonsense")
    assert len(stored_reports(settings, site.secrets)) == before


def test_an_expert_signs_and_the_page_shows_it(report):
    private, public = new_key_pair()
    signed = attest(report, name="Dr. A. Expert", qualification="Statistician", opinion="Very small.", key=private)
    page = render_release(signed)
    assert "Very small." in page
    assert "Not signed." in render_release(report)
    assert signed.attestations[0].content["public_key"].strip() == public.strip()


def test_the_commands_sign_and_verify_and_refuse_what_was_changed(site, report, tmp_path):
    document, page = runs.write_report_files(report, tmp_path / "report")
    private, public = new_key_pair()
    (tmp_path / "expert.pem").write_text(private)
    (tmp_path / "platform.pem").write_text(site.secrets.text("certificate_verification_key"))
    (tmp_path / "opinion.txt").write_text("The risk is very small for these recipients until 2027.\n")
    command = [
        "report", "sign", str(document), "--key", str(tmp_path / "expert.pem"), "--name", "Dr. A. Expert",
        "--qualification", "Statistician", "--opinion", str(tmp_path / "opinion.txt"),
        "--verification-key", str(tmp_path / "platform.pem"), "--no-pdf",
    ]  # fmt: skip
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    assert "The risk is very small for these recipients until 2027." in page.read_text()
    verify = ["report", "verify", str(document), "--key", str(tmp_path / "platform.pem")]
    said = CliRunner().invoke(app, verify).output
    assert f"valid: report {report.sha256} on riverside" in said
    assert f"key {key_fingerprint(public)}" in said
    document.write_text(document.read_text().replace("until 2027", "until 2099"))
    with pytest.raises(GateError, match=r"attestation of Dr\. A\. Expert: its signature is not valid"):
        CliRunner().invoke(app, verify, catch_exceptions=False)


def test_the_page_is_printed_by_an_installed_browser(report, tmp_path):
    _, page = runs.write_report_files(report, tmp_path)
    if find_browser() is None:
        pytest.skip("no Chromium or Chrome is installed")
    print_pdf(page, tmp_path / "report.pdf")
    assert (tmp_path / "report.pdf").read_bytes().startswith(b"%PDF-")


def test_without_a_browser_a_message_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InputError, match="no Chromium or Chrome is installed"):
        print_pdf(tmp_path / "page.html", tmp_path / "report.pdf")
