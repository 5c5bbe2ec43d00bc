"""``deid explain`` shows why words are marked or not, on the screen, as JSON and as a page."""

import html
import json
import re
import stat

import pytest

from tests.support.command_line import deid, write

TEXT = "Dr. Foley placed a Foley in Mr. Ward. <b>Bruce</b> protocol.\nSeen by [[ahn]] & co.\n"
KEY = {"PALIMPSEST_SECRET_DEID_KEY": "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="}


@pytest.fixture
def notes(tmp_path):
    return write(tmp_path / "notes.jsonl", {"id": "first", "text": "Stable."}, {"id": "second", "text": TEXT})


@pytest.fixture
def explained(notes):
    result = deid("explain", notes, "--note", "second", "--json", "-", **KEY)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def test_each_span_says_what_found_it_and_what_became_of_it(explained):
    by_start = {row["start"]: row for row in explained["spans"]}
    clinician, catheter = by_start[TEXT.index("Foley")], by_start[TEXT.index("Foley in")]
    assert (clinician["status"], clinician["entity"]) == ("marked", "PROVIDER")
    assert "patterns PROVIDER" in clinician["found_by"]
    assert "doctor" in clinician["rules"].split(", ")
    assert clinician["surrogate"] not in {None, "Foley"}
    assert (catheter["status"], catheter["surrogate"]) == ("recovered", None)
    assert catheter["terms"] == "medical.eponym"
    assert (clinician["reason"], catheter["reason"]) == ("", "medical word")


def test_models_answer_at_each_stage(explained):
    [ward] = [row for row in explained["spans"] if row["text"] == "Ward"]
    answers = re.findall(r"transformer(, [a-z ]+)? ([\d.]+) PATIENT", ward["models"])
    assert [stage for stage, _ in answers] == [", sentence filter", "", ", second stage"]
    kept, first, second = (float(probability) for _, probability in answers)
    assert kept > 0.01
    assert first > 0.9
    assert second > 0.5


def test_the_way_of_replacing_is_named(notes, tmp_path):
    settings = tmp_path / "engine.yaml"
    settings.write_text("obfuscate: {modes: {PROVIDER: mask, PATIENT: hash}}\n")
    result = deid("explain", notes, "--note", "second", "--settings", settings, "--json", "-", **KEY)
    assert result.returncode == 0, result.stderr
    modes = {row["text"]: row["mode"] for row in json.loads(result.stdout)["spans"] if row["status"] == "marked"}
    assert (modes["Foley"], modes["Ward"]) == ("mask", "hash")
    without_key = json.loads(deid("explain", notes, "--note", "second", "--json", "-").stdout)
    assert {row["mode"] for row in without_key["spans"]} == {""}


def test_a_word_is_asked_about_at_each_of_its_places(notes):
    result = deid("explain", notes, "--note", "second", "--word", "foley", "--json", "-", **KEY)
    first, second = json.loads(result.stdout)["asked"]
    assert (first["status"], second["status"]) == ("marked", "recovered")
    assert "doctor" in first["rules"]
    assert second["terms"] == "medical.eponym"
    assert all("transformer" in place["models"] for place in (first, second))
    assert json.loads(deid("explain", notes, "--word", "nowhere", "--json", "-").stdout)["asked"] == []
    [stable] = json.loads(deid("explain", notes, "--word", "stable", "--json", "-").stdout)["asked"]
    assert stable["status"] == "not marked"


def test_a_word_is_asked_about_where_no_model_reads(notes, tmp_path):
    settings = tmp_path / "engine.yaml"
    settings.write_text("detect: {detectors: [patterns, lexicon]}\n")
    result = deid("explain", notes, "--note", "second", "--settings", settings, "--word", "Foley", "--json", "-")
    places = json.loads(result.stdout)["asked"]
    assert [place["models"] for place in places] == ["", ""]
    assert {place["terms"] for place in places} == {"medical.eponym"}


def test_a_value_that_the_second_search_replaced_is_listed(tmp_path):
    text = "Dr. Halvorsen, badge KQ-4417-LM. Seen today.\n\nFAX 4417LM kq-4417-lm halvorsen\n"
    notes = write(tmp_path / "n.jsonl", {"id": "n", "text": text})
    settings = tmp_path / "engine.yaml"
    settings.write_text("detect: {detectors: [patterns]}\nmerge: {propagation: {enabled: false}}\n")
    obfuscated = deid("obfuscate", notes, "--settings", settings, **KEY)
    assert b"halvorsen" not in obfuscated.stdout.lower()
    shown = json.loads(deid("explain", notes, "--settings", settings, "--json", "-", **KEY).stdout)
    [later] = [row for row in shown["spans"] if row["text"] == "halvorsen"]
    assert (later["status"], later["found_by"]) == ("marked", "second_search PROVIDER 1.00")
    assert later["reason"] == "its value was replaced elsewhere"
    assert later["surrogate"]


def test_the_terminal_the_page_and_the_document_say_the_same(notes, tmp_path):
    page, document = tmp_path / "page.html", tmp_path / "explained.json"
    arguments = ["--note", "second", "--word", "protocol", "--html", page, "--json", document, "--wide"]
    shown = deid("explain", notes, *arguments, COLUMNS="900", **KEY).stdout.decode()
    explained = json.loads(document.read_text())
    assert explained["lexicon"]
    content = html.unescape(page.read_text())
    assert explained["lexicon"] in content
    for row in (*explained["spans"], *explained["nearest"], *explained["asked"]):
        for value in (row["text"], row["models"], row["terms"], row["status"]):
            assert value in content
            assert value in shown


def test_unmarked_words_that_came_near_are_listed_nearest_first(explained):
    marked = [(row["start"], row["end"]) for row in explained["spans"] if row["status"] == "marked"]
    highest = [
        max(float(part.split()[-2]) for part in row["models"].split(", ") if part[-1].isupper())
        for row in explained["nearest"]
    ]
    assert highest == sorted(highest, reverse=True)
    for row in explained["nearest"]:
        assert not any(start < row["end"] and row["start"] < end for start, end in marked)


def test_the_page_holds_the_note_escaped_and_nobody_else_may_read_it(notes, tmp_path):
    page = tmp_path / "page.html"
    result = deid("explain", notes, "--note", "second", "--html", page)
    assert result.returncode == 0, result.stderr
    content = page.read_text()
    assert "&lt;" in content
    assert "<b>" not in content
    assert '<mark class="marked"' in content
    assert '<mark class="recovered"' in content
    assert stat.S_IMODE(page.stat().st_mode) == 0o600


def test_nobody_else_may_read_the_document(notes, tmp_path):
    document = tmp_path / "explained.json"
    assert deid("explain", notes, "--json", document).returncode == 0
    assert stat.S_IMODE(document.stat().st_mode) == 0o600


def test_without_a_key_nothing_is_rewritten(notes):
    shown = json.loads(deid("explain", notes, "--note", "second", "--json", "-").stdout)
    assert {row["surrogate"] for row in shown["spans"]} == {None}


def test_the_first_note_is_explained_and_a_missing_one_is_named(notes):
    assert json.loads(deid("explain", notes, "--json", "-").stdout)["note"] == "first"
    result = deid("explain", notes, "--note", "third")
    assert result.returncode == 2
    assert b"no note 'third' in it" in result.stderr


def test_a_quarantined_note_says_so(tmp_path):
    notes = write(tmp_path / "n.jsonl", {"id": "long", "text": "x" * 10_000_001})
    shown = json.loads(deid("explain", notes, "--json", "-").stdout)
    assert (shown["outcome"], shown["spans"]) == ("quarantined", [])
