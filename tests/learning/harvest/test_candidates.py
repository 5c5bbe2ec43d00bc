"""Which sentences become rules, and what a person may change in the files."""

import csv
import datetime
import re

import pytest

from deid_tasks.core.entities import Entity
from deid_tasks.core.errors import InputError, LexiconError
from deid_tasks.core.span import Span
from deid_tasks.engine.detect.approved_harvest import ApprovedHarvest, freeze_harvest
from deid_tasks.engine.detect.templates import TemplateDetector
from deid_tasks.engine.text import Document
from deid_tasks.learning.harvest import Candidates, Read, SentenceCandidate, harvest_templates
from deid_tasks.learning.harvest.files import exclude, newest_harvest, read_decided

MARK = re.compile(r"\[([A-Z_]+):([^\]]*)\]")
KEY = bytes(range(32))
NOW = datetime.datetime(2026, 1, 2, 3, 4, 5, tzinfo=datetime.UTC)


def read(patient: str, marked: str) -> Read:
    text, spans, end = "", [], 0
    for match in MARK.finditer(marked):
        text += marked[end : match.start()]
        spans.append(Span(len(text), len(text) + len(match[2]), Entity(match[1])))
        text, end = text + match[2], match.end()
    return Read(patient, Document("n", text + marked[end:]), spans)


def rules(*notes: tuple[str, str], least: int = 2, share: float = 0.05) -> dict[str, bool]:
    found = harvest_templates([read(*note) for note in notes], least, share)
    return {one.template.shown(): one.is_safe for one in found}


SIGNED = ("Signed by [PROVIDER:Ames] today", "Signed by [PROVIDER:Okafor] today", "Signed by [PROVIDER:Moy] today")


def test_one_template_over_all_instances_is_a_rule():
    notes = [(str(n), text) for n, text in enumerate(SIGNED)]
    assert rules(*notes) == {"Signed by [PROVIDER:W] today": True}


def test_two_readings_of_one_syntax_are_none():
    assert rules(("1", SIGNED[0]), ("2", SIGNED[1]), ("3", "Signed by [PATIENT:Moy] today")) == {}


def test_copies_of_one_patients_note_are_no_support():
    assert rules(*[("1", SIGNED[0]), ("1", SIGNED[1])] * 20) == {}
    assert rules(("1", SIGNED[0]), ("2", SIGNED[1]), least=3) == {}


def test_one_filling_is_no_rule():
    assert rules(*[(str(n), SIGNED[0]) for n in range(9)]) == {}


def test_a_sentence_of_identifiers_alone_is_no_rule():
    assert rules(("1", "[PATIENT:Ames, John]"), ("2", "[PATIENT:Moy, Lin]")) == {}


def test_where_any_word_may_stand_a_rule_needs_more_words_of_its_own():
    assert rules(("1", "Out [DATE:Mon 4]."), ("2", "Out [DATE:Tue 5].")) == {}
    assert rules(("1", "Out [DATE:3/4]."), ("2", "Out [DATE:5/6].")) == {"Out [DATE:N/N].": True}


def test_a_rule_that_marks_what_the_ensemble_leaves_is_not_proposed_and_shows_the_words():
    notes = [(str(n), text) for n, text in enumerate(SIGNED)] + [("9", "Signed by proxy today")] * 2
    (found,) = harvest_templates([read(*note) for note in notes], 2, 0.05)
    assert (found.is_safe, found.new_times, found.new_words) == (False, 2, ("proxy",))
    assert harvest_templates([read(*note) for note in notes], 2, 0.5)[0].is_safe


def test_a_rule_finds_what_the_ensemble_missed():
    notes = [(str(n), text) for n, text in enumerate(SIGNED * 10)] + [("99", "Signed by DEWEY today")]
    (found,) = harvest_templates([read(*note) for note in notes], 2, 0.05)
    detector = TemplateDetector([found.template])
    text = "Signed by DEWEY today"
    assert [text[s.start : s.end] for s in detector.detect([Document("n", text)])[0]] == ["DEWEY"]
    assert (found.is_safe, found.new_words) == (True, ("DEWEY",))


@pytest.fixture
def written(tmp_path):
    sentences = [
        SentenceCandidate("No fever,\nchills or \"cough\".", 40, 90, medical=False),
        SentenceCandidate("Call Dr. Okafor.", 30, 31, medical=False, found=("PROVIDER",)),
        SentenceCandidate("Continue metoprolol.", 20, 20, medical=True),
    ]  # fmt: skip
    templates = harvest_templates([read(str(n), text) for n, text in enumerate(SIGNED)], 2, 0.05)
    return tmp_path, Candidates(sentences, templates, {"notes": 9}).write(tmp_path, NOW)


def test_what_nobody_changed_is_what_was_proposed(written):
    folder, name = written
    assert newest_harvest(folder, [name, "approved"]) == name
    decided = read_decided(folder, name)
    assert decided.sentences == ('No fever,\nchills or "cough".', "Continue metoprolol.")
    assert [rule.shown() for rule in decided.templates] == ["Signed by [PROVIDER:W] today"]
    assert decided.offered == (3, 1)
    assert (folder / name / "sentences.csv").stat().st_mode & 0o077 == 0


def change(folder, name, table, number, column, value):
    path = folder / name / table
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    rows[number][column] = value
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)


def test_a_persons_decisions_count(written):
    folder, name = written
    change(folder, name, "sentences.csv", 0, "decision", "exclude")
    change(folder, name, "sentences.csv", 1, "decision", " Include ")
    change(folder, name, "templates.csv", 0, "decision", "exclude")
    decided = read_decided(folder, name)
    assert decided.sentences == ("Call Dr. Okafor.", "Continue metoprolol.")
    assert decided.templates == ()


def test_sentences_are_excluded_by_their_text(written):
    folder, name = written
    assert exclude(folder, name, {"Continue metoprolol.", "Call Dr. Okafor.", "elsewhere"}) == 1
    assert read_decided(folder, name).sentences == ('No fever,\nchills or "cough".',)
    assert (folder / name / "sentences.csv").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("table", "column", "value", "message"),
    [
        ("sentences.csv", "decision", "yes", r"sentences.csv:2: the decision must be include or exclude"),
        ("sentences.csv", "sentence", "No fever.", r"sentences.csv:2: the sentence is not the one that was harvested"),
        ("templates.csv", "id", "0", r"templates.csv: a template is not in templates.json"),
    ],
)
def test_only_decisions_may_be_changed(written, table, column, value, message):
    folder, name = written
    change(folder, name, table, 0, column, value)
    with pytest.raises(InputError, match=message):
        read_decided(folder, name)


def test_an_empty_folder_has_no_harvest(tmp_path):
    with pytest.raises(InputError, match="holds no harvest"):
        newest_harvest(tmp_path, [])


def test_a_frozen_version_opens_as_it_was_approved(written, tmp_path):
    folder, name = written
    decided = read_decided(folder, name)
    store = tmp_path / "approved"
    assert ApprovedHarvest.open(store, KEY) is None
    first = freeze_harvest(store, KEY, decided.sentences, decided.templates, "officer", NOW, name)
    found = ApprovedHarvest.open(store, KEY)
    assert found == first or (found.version, found.templates) == (first.version, first.templates)
    assert (found.approved_by, found.approved_at, found.harvest) == ("officer", "2026-01-02T03:04:05+00:00", name)
    assert "Continue metoprolol." in found.inclusion
    second = freeze_harvest(store, KEY, decided.sentences[:1], decided.templates, "officer", NOW, name)
    assert ApprovedHarvest.open(store, KEY).version == second.version != first.version
    assert len([path for path in store.iterdir() if path.is_dir()]) == 2
    assert not any(b"metoprolol" in path.read_bytes() for path in store.rglob("*") if path.is_file())
    with pytest.raises(LexiconError, match="another key"):
        ApprovedHarvest.open(store, KEY[::-1])
    next(store.glob(f"{second.version[:16]}*/templates.json")).write_text("[]")
    with pytest.raises(LexiconError, match="not what was approved"):
        ApprovedHarvest.open(store, KEY)
