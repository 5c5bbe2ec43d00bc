"""A run unlike the gold notes is held, and chance alone holds none."""

import random

import pytest

from deid_tasks.core.notes import Amounts
from deid_tasks.evidence.gate import amounts_of, baseline, drift_reasons, judge_run, judge_window
from deid_tasks.settings import DriftSettings

SETTINGS = DriftSettings(min_words=1_000, max_ratio=1.5)
NOTE = Amounts(words=500, spans=20, changed_words=30, agreed_spans=12)
CERTIFIED = baseline({"random": {"nursing": [NOTE] * 50}})


def run(**changes):
    return NOTE._replace(**changes)


def times(amounts, number):
    return Amounts(*(number * part for part in amounts))


@pytest.mark.parametrize(
    ("amounts", "held"),
    [
        (times(NOTE, 100), []),
        (times(run(spans=29, agreed_spans=17), 100), []),
        (times(run(spans=32, agreed_spans=19), 100), ["entities per 1,000 words 64, baseline 40"]),
        (times(run(spans=13, agreed_spans=8), 100), ["entities per 1,000 words 26, baseline 40"]),
        (
            times(run(spans=0, agreed_spans=0, changed_words=0), 100),
            ["entities", "share of words changed 0, baseline 0.06"],
        ),
        (times(run(changed_words=60), 100), ["share of words changed 0.12, baseline 0.06"]),
        (times(run(agreed_spans=5), 100), ["share of entities found by two detectors or more 0.25, baseline 0.6"]),
        # Too few words, or too few entities for a share of them, say nothing.
        (run(spans=500, changed_words=500), []),
        (times(run(agreed_spans=0), 9), []),
    ],
)
def test_bands(amounts, held):
    reasons = drift_reasons(judge_run({"nursing": amounts}, CERTIFIED, SETTINGS))
    assert len(reasons) == len(held)
    for reason, part in zip(reasons, held, strict=True):
        assert reason.startswith(f"note type nursing: {part}")
        assert "allowed" in reason


def test_a_note_type_without_gold_notes_is_held_once_and_only_where_it_is_large():
    assert drift_reasons(judge_run({"letters": times(NOTE, 10)}, CERTIFIED, SETTINGS)) == [
        "note type letters: 5,000 words, and no gold note to compare them with"
    ]
    assert drift_reasons(judge_run({"letters": NOTE}, CERTIFIED, SETTINGS)) == []


def test_the_unbiased_gold_set_is_the_baseline_unless_it_has_too_few_notes_of_a_type():
    rich = NOTE._replace(spans=60)
    certified = baseline(
        {
            "stratified": {"nursing": [rich] * 30, "letter": [rich] * 30, "rare": [rich] * 3},
            "random": {"nursing": [NOTE] * 10, "letter": [NOTE] * 2, "rare": [NOTE] * 2},
        }
    )
    assert {name: one["design"] for name, one in certified.items()} == {
        "nursing": "random", "letter": "stratified", "rare": "random",
    }  # fmt: skip
    assert certified["nursing"]["entities_per_1000_words"]["value"] == 40


def test_a_small_gold_set_widens_the_band():
    chance = random.Random(1)

    def notes(count):
        return [NOTE._replace(spans=chance.randrange(0, 41)) for _ in range(count)]

    few, many = (baseline({"random": {"n": notes(count)}})["n"]["entities_per_1000_words"] for count in (6, 600))
    assert few["lower"] < many["lower"] < many["value"] < many["upper"] < few["upper"]


def test_what_was_never_seen_may_still_come():
    certified = baseline({"random": {"n": [Amounts(words=100)] * 20}})
    assert drift_reasons(judge_run({"n": Amounts(words=10_000, spans=2, changed_words=2)}, certified, SETTINGS)) == []
    assert drift_reasons(judge_run({"n": Amounts(words=10_000, spans=100, changed_words=100)}, certified, SETTINGS))


def test_runs_drawn_like_the_gold_notes_are_let_through():
    chance = random.Random(7)

    def notes(count):
        kept = []
        for _ in range(count):
            words = chance.randrange(50, 900)
            spans = sum(chance.random() < 0.04 for _ in range(words))
            kept.append(Amounts(words, spans, 2 * spans, sum(chance.random() < 0.6 for _ in range(spans))))
        return kept

    certified = baseline({"random": {"n": notes(20)}})
    for _ in range(50):
        day = Amounts()
        for note in notes(60):
            day = day.plus(note)
        assert drift_reasons(judge_run({"n": day}, certified, SETTINGS)) == []


FEW = times(NOTE, 1)
"""A day of a note type that is too small to be judged."""


def window(today, earlier, **settings):
    wanted = SETTINGS.model_copy(update=settings)
    return judge_window(judge_run(today, CERTIFIED, wanted), today, earlier, CERTIFIED, wanted)


def test_a_small_note_type_is_judged_over_the_window():
    drifted = times(run(spans=80, agreed_spans=48), 60)
    assert drift_reasons(judge_run({"nursing": FEW}, CERTIFIED, SETTINGS)) == []
    [reason] = drift_reasons(window({"nursing": FEW}, {"nursing": drifted}))
    assert reason.startswith("note type nursing, in 30 days: entities per 1,000 words 158, baseline 40")
    figures = window({"nursing": FEW}, {"nursing": times(NOTE, 60)})
    assert {(one.window_days, one.judgement) for one in figures} == {(30, "within")}
    assert {one.words for one in figures} == {61 * NOTE.words}


def test_the_window_says_nothing_of_what_the_day_itself_shows():
    whole = times(NOTE, 100)
    assert window({"nursing": whole}, {"nursing": times(run(spans=80), 100)}) == []


def test_too_few_words_in_the_whole_window_are_not_judged():
    assert window({"nursing": FEW}, {}) == []


def test_a_window_of_one_day_is_no_window():
    assert window({"nursing": FEW}, {"nursing": times(run(spans=80), 60)}, window_days=1) == []


def test_types_that_the_run_lacks_hold_nothing():
    assert window({"nursing": FEW}, {"letters": times(NOTE, 60)}) == []


def test_a_rare_type_without_gold_notes_is_held_once_its_window_is_large():
    [reason] = drift_reasons(window({"letters": FEW}, {"letters": times(NOTE, 60)}))
    assert reason == "note type letters, in 30 days: 30,500 words, and no gold note to compare them with"


@pytest.mark.parametrize("amounts", [NOTE, Amounts(12_345, 678, 999, 0), Amounts(7, 0, 0, 0), Amounts()])
def test_amounts_come_back_from_the_figures_that_were_stored(amounts):
    figures = judge_run({"nursing": amounts}, CERTIFIED, SETTINGS)
    assert amounts_of(amounts.words, {one.measure: one.value for one in figures}) == amounts
