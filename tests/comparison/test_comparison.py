"""A whole comparison: turns, failed notes, earlier answers, paired differences, the document and the page."""

import errno
import json

import pytest

from deid_tasks.comparison.answers import StoredAnswers
from deid_tasks.comparison.comparison import ComparisonSettings, compare_systems
from deid_tasks.comparison.environments import SystemUnavailableError
from deid_tasks.comparison.gold import ComparedNote, ComparedSet
from deid_tasks.comparison.protocol import SystemNote
from deid_tasks.comparison.report import comparison_page
from deid_tasks.comparison.run import BLOCK, run_systems
from deid_tasks.comparison.scores import score_systems
from deid_tasks.core.entities import Category, Entity
from deid_tasks.core.span import Span
from deid_tasks.settings import PolicySettings
from tests.support.small_systems import Silent, adapter, choice_of, launch

SECRET = "Marigold"
FAILS_ON_MARIA = "if 'Maria' in note.text: raise ValueError(note.text)"


def note(number: int, text: str, *names: str, entity: Entity = Entity.PATIENT) -> ComparedNote:
    spans = tuple(Span(text.index(name), text.index(name) + len(name), entity) for name in names)
    return ComparedNote(f"note-{number}", text, spans, f"patient-{number}")


GOLD = ComparedSet(
    "ward",
    [
        note(1, "seen with Maria and Amara", "Maria", "Amara"),
        note(2, "the Bruce protocol was stopped"),
        note(3, f"called {SECRET} at home", SECRET),
    ],
)


def compared(tmp_path, choices, sets=(GOLD,), start=launch, **more):
    settings = ComparisonSettings(tmp_path / "cache", resamples=100, **more)
    return compare_systems(list(sets), choices, settings, start, Silent())


def rows(document, number=0):
    return {row["system"]: row for row in document["sets"][number]["rows"]}


def systems(tmp_path):
    adapter(tmp_path / "palimpsest")
    adapter(tmp_path / "weak", FAILS_ON_MARIA)
    return [choice_of(tmp_path / "palimpsest", "palimpsest"), choice_of(tmp_path / "weak", "weak")]


def test_a_failed_note_counts_as_missed_in_whole_and_is_listed(tmp_path):
    found = rows(compared(tmp_path, systems(tmp_path)))
    ours, weak = found["palimpsest"], found["weak"]
    assert ours["figures"]["recall"]["value"] == 1.0
    assert ours["failures"] == []
    assert weak["failures"] == [{"note_id": "note-1", "error": "ValueError"}]
    counts = weak["figures"]["recall"]
    assert (counts["true_positives"], counts["false_negatives"]) == (1, 2)
    assert weak["figures"]["full"]["value"] == pytest.approx(2 / 3)
    # "Bruce" is marked and identifies no one.
    assert weak["figures"]["precision"]["value"] == pytest.approx(1 / 2)
    # The failed note was not read: its words do not make the system faster.
    assert weak["speed"]["words"] == sum(len(one.text.split()) for one in GOLD.notes[1:])


def test_differences_are_the_system_minus_ours_and_paired(tmp_path):
    document = compared(tmp_path, systems(tmp_path))
    found = rows(document)
    assert found["palimpsest"]["differences"] == {}
    recall = found["weak"]["differences"]["recall"]
    assert recall["value"] == pytest.approx(1 / 3 - 1)
    assert recall["lower"] <= recall["value"] <= recall["upper"] <= 0


def test_answers_of_an_earlier_run_are_used_again_but_failures_are_tried_again(tmp_path):
    choices = systems(tmp_path)
    first, second = compared(tmp_path, choices), compared(tmp_path, choices)
    assert [one["answers_of_earlier_runs"] for one in first["systems"]] == [0, 0]
    assert [one["answers_of_earlier_runs"] for one in second["systems"]] == [3, 2]
    assert rows(first)["palimpsest"]["figures"] == rows(second)["palimpsest"]["figures"]
    assert rows(second)["palimpsest"]["speed"] == rows(first)["palimpsest"]["speed"]
    fresh = compared(tmp_path, choices, is_fresh=True)
    assert [one["answers_of_earlier_runs"] for one in fresh["systems"]] == [0, 0]


def test_another_version_option_or_adapter_has_answers_of_its_own(tmp_path):
    (ours, _) = systems(tmp_path)
    compared(tmp_path, [ours])
    adapter(tmp_path / "palimpsest", load="self.version = '2'")
    assert compared(tmp_path, [ours])["systems"][0]["answers_of_earlier_runs"] == 0
    assert compared(tmp_path, [ours])["systems"][0]["answers_of_earlier_runs"] == 3


def test_nothing_that_is_stored_holds_text_of_a_note(tmp_path):
    document = compared(tmp_path, systems(tmp_path))
    assert SECRET not in json.dumps(document)
    assert SECRET not in comparison_page(document)
    stored = [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]
    assert any(path.suffix == ".jsonl" for path in stored)
    for path in stored:
        assert SECRET.encode() not in path.read_bytes()
        assert path.stat().st_mode & 0o077 == 0


def test_a_label_that_quotes_a_note_is_not_printed(tmp_path):
    body = "return [SystemSpan(0, 4, note.text), SystemSpan(0, 4, note.text.split()[1].upper())]"
    adapter(tmp_path / "quoting", body)
    document = compared(tmp_path, [choice_of(tmp_path / "quoting", "quoting")])
    assert SECRET.casefold() not in json.dumps(document).casefold()
    for path in (tmp_path / "cache").rglob("*.jsonl"):
        assert SECRET.casefold() not in path.read_text().casefold()
    assert rows(document)["quoting"]["unknown_labels"] == {"(not a plain label)": 6}


def test_a_system_that_is_not_there_is_a_row_that_says_so(tmp_path):
    def start(choice):
        if choice.key == "weak":
            raise SystemUnavailableError("InstallFailed", "no package of this name", "ask for it")
        return launch(choice)

    document = compared(tmp_path, systems(tmp_path), start=start)
    assert rows(document)["weak"]["figures"] is None
    page = comparison_page(document)
    assert "no package of this name" in page
    assert "ask for it" in page
    assert rows(document)["palimpsest"]["figures"]["recall"]["value"] == 1.0


def test_a_system_that_cannot_go_on_fails_alone(tmp_path, monkeypatch):
    notes = [SystemNote(one.note_id, one.text) for one in GOLD.notes]
    store = StoredAnswers.store

    def full_disk(self, text, answer):
        if "weak" in self._path.name:
            raise OSError(errno.ENOSPC, "No space left on device", f"/{SECRET}")
        store(self, text, answer)

    monkeypatch.setattr(StoredAnswers, "store", full_disk)
    ours, weak = run_systems(systems(tmp_path), notes, tmp_path / "cache", launch, Silent())
    assert (len(ours.answers), ours.failure) == (3, None)
    assert weak.failure.reason == "StorageFailed"
    assert str(weak.failure) == "a file cannot be read or written: No space left on device"
    found = score_systems(GOLD, [ours, weak], 0, resamples=100)
    assert found[0].evaluation.recall == 1.0
    assert found[1].evaluation is None


def test_a_system_whose_time_is_over_has_figures_of_the_sets_that_it_read(tmp_path):
    adapter(tmp_path / "palimpsest")
    adapter(tmp_path / "slow", "time.sleep(0.05)")
    long = ComparedSet("long", [note(number, f"seen with Amara {number}", "Amara") for number in range(30)])
    choices = [choice_of(tmp_path / name, name) for name in ("palimpsest", "slow")]
    notes = [SystemNote(one.note_id, one.text) for one in (*GOLD.notes, *long.notes)]
    ours, slow = run_systems(choices, notes, tmp_path / "cache", launch, Silent(), system_seconds=0.3)
    assert (len(ours.answers), ours.failure) == (33, None)
    assert (slow.failure.reason, len(slow.answers)) == ("TimeLimit", BLOCK)
    assert str(slow.failure).startswith("it had read 10 of 33 notes")
    first, second = (score_systems(one, [ours, slow], start, resamples=100)[1] for one, start in ((GOLD, 0), (long, 3)))
    assert first.evaluation.recall == 1.0
    assert second.evaluation is None
    # What it has answered is there when it goes on.
    (again,) = run_systems([choices[1]], notes[:BLOCK], tmp_path / "cache", launch, Silent(), system_seconds=0.3)
    assert (again.cached, again.failure) == (BLOCK, None)


def test_all_systems_can_be_missing(tmp_path):
    adapter(tmp_path / "weak", load="raise OSError('no model')")
    document = compared(tmp_path, [choice_of(tmp_path / "weak", "weak")])
    assert "no model" in comparison_page(document)


def test_several_sets_are_scored_apart(tmp_path):
    other = ComparedSet("clinic", [note(9, "met Chidi there", "Chidi")])
    document = compared(tmp_path, systems(tmp_path), [GOLD, other])
    assert [one["name"] for one in document["sets"]] == ["ward", "clinic"]
    assert rows(document, 1)["weak"]["figures"]["recall"]["value"] == 1.0
    assert rows(document, 0)["weak"]["figures"]["recall"]["value"] < 1.0


def test_a_set_counts_what_it_annotates(tmp_path):
    text = "Maria met Acme"
    gold = ComparedSet("names", [note(1, text, "Acme", entity=Entity.ORGANIZATION)], frozenset({Category.ORGANIZATION}))
    adapter(tmp_path / "typed")
    adapter(tmp_path / "untyped")
    choices = [choice_of(tmp_path / "typed", "typed"), choice_of(tmp_path / "untyped", "untyped", is_untyped=True)]
    found = rows(compared(tmp_path, choices, [gold]))
    # The typed system calls both a name, which the set does not annotate; the untyped one marks whatever identifies.
    assert found["typed"]["figures"]["recall"]["value"] == 0.0
    assert found["typed"]["figures"]["precision"] is None
    assert found["untyped"]["figures"]["recall"]["value"] == 1.0
    assert found["untyped"]["figures"]["precision"]["value"] == 0.5
    assert found["untyped"]["categories"][0]["right_category"] is None


def test_tokens_dollars_and_counts_add_up(tmp_path):
    adapter(
        tmp_path / "paid", "return SystemAnswer(note.id, tokens_in=5, dollars=0.25, details={'unaligned_quotes': 2})"
    )
    found = rows(compared(tmp_path, [choice_of(tmp_path / "paid", "paid")]))
    assert found["paid"]["totals"] == {"tokens_in": 15, "dollars": 0.75, "unaligned_quotes": 6}


def test_only_a_system_that_needs_them_is_told_the_ids_of_notes(tmp_path):
    body = "return [SystemSpan(0, 1, note.id.upper().replace('-', '_'))]"
    for name in ("told", "untold"):
        adapter(tmp_path / name, body)
    choices = [choice_of(tmp_path / "told", "told", sees_note_ids=True), choice_of(tmp_path / "untold", "untold")]
    found = rows(compared(tmp_path, choices, [GOLD, GOLD]))
    assert set(found["told"]["unknown_labels"]) == {"NOTE_1", "NOTE_2", "NOTE_3"}
    assert not any("NOTE" in label for label in found["untold"]["unknown_labels"])


def test_a_system_that_marks_nothing_has_no_precision(tmp_path):
    adapter(tmp_path / "silent", "return []")
    choices = [systems(tmp_path)[0], choice_of(tmp_path / "silent", "silent")]
    document = compared(tmp_path, choices)
    silent = rows(document)["silent"]
    assert silent["figures"]["precision"] is None
    assert set(silent["differences"]) == {"recall", "f1"}
    page = comparison_page(document)
    assert "marks nothing" in page
    assert "Better than Palimpsest" not in page


def test_a_policy_says_what_counts(tmp_path):
    years = ComparedSet("years", [note(1, "stroke in 2019, seen with Maria", "2019", entity=Entity.DATE)])
    for preset, gold_words in (("expert", 1), ("safe-harbor", 0)):
        document = compared(tmp_path, systems(tmp_path), [years], policy=PolicySettings(preset=preset))
        counts = rows(document)["palimpsest"]["figures"]["recall"]
        assert counts["true_positives"] + counts["false_negatives"] == gold_words
        assert document["policy"] == preset
        assert f"policy {preset}" in comparison_page(document)
