"""Group sizes against the published figures and against what they promise."""

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_tasks.evidence.sampling import GroupSize, SampleVersion, allocate_sample, group_weight, period_names

# Murugadoss et al. 2024, methods: questionnaire answers and progress notes of 2021-2022.
PUBLISHED = [(12_700_000, 1.99, 4_000_000), (3_700_000, 794, 10_800_000)]


@pytest.mark.parametrize(("notes", "mean_words", "adjusted"), PUBLISHED)
def test_the_published_figures_are_those_of_the_logarithm(notes, mean_words, adjusted):
    assert group_weight(notes, mean_words, "log10") == pytest.approx(adjusted, rel=0.06)
    assert group_weight(notes, mean_words, "linear") != pytest.approx(adjusted, rel=0.5)


def test_long_notes_outweigh_a_flood_of_short_answers():
    answers, notes = (
        GroupSize(kind, "all", count, words) for kind, (count, words, _) in zip("an", PUBLISHED, strict=True)
    )
    drawn = {a.group.note_type: a.notes for a in allocate_sample([answers, notes], 10_000, 10)}
    assert drawn == {"a": pytest.approx(2_620, abs=20), "n": pytest.approx(7_380, abs=20)}


def test_sizes_by_hand():
    groups = [
        GroupSize("long", "all", 900, 1_000),
        GroupSize("short", "all", 100, 10),
        GroupSize("empty", "all", 500, 0.4),
        GroupSize("few", "all", 4, 300),
    ]
    # Weights 2700, 100, 0, 9.9; 100 notes of 2809.9.
    assert [a.notes for a in allocate_sample(groups, 100, 5)] == [96, 5, 5, 4]
    assert [a.notes for a in allocate_sample(groups, 3_000, 5)] == [900, 100, 5, 4]


@pytest.mark.parametrize("words", [0.0, 0.5, 1.0])
def test_groups_of_next_to_no_words_have_no_weight_and_no_negative_one(words):
    assert group_weight(1_000, words, "log10") == 0.0
    assert [a.notes for a in allocate_sample([GroupSize("x", "all", 1_000, words)], 50, 10)] == [10]


GROUPS = st.lists(
    st.builds(GroupSize, st.text(max_size=3), st.just("all"), st.integers(1, 10**7), st.floats(0, 5_000)), max_size=8
)


@given(GROUPS, st.integers(1, 20_000), st.integers(1, 50), st.sampled_from(["log10", "linear"]))
def test_promises(groups, size, min_notes, weight):
    drawn = allocate_sample(groups, size, min_notes, weight)
    assert all(min(min_notes, a.group.notes) <= a.notes <= a.group.notes for a in drawn)
    assert sum(a.notes for a in drawn) <= size + (min_notes + 1) * len(groups)
    for one in drawn:
        for other in drawn:
            if one.weight >= other.weight and one.group.notes >= other.group.notes:
                assert one.notes >= other.notes


def test_periods():
    days = [datetime.date(2015, 1, 1), datetime.date(2018, 6, 1)]
    assert period_names([]) == ("all",)
    assert period_names(days[:1]) == ("before 2015-01-01", "from 2015-01-01")
    assert period_names(days) == ("before 2015-01-01", "2015-01-01 to 2018-06-01", "from 2018-06-01")


def test_a_version_is_its_content():
    def version(*notes, design="random", seed=1):
        made = SampleVersion(design, {"seed": seed})
        for note in notes:
            made.add(*note)
        return made.finish()

    same = version(("1", "a"), ("2", "b"))
    assert same == version(("1", "a"), ("2", "b"))
    others = [version(("1", "a")), version(("1", "a"), ("2", "c")), version(("1", "a"), ("2", "b"), seed=2)]
    assert len({same, *others, version(("1", "a"), ("2", "b"), design="stratified")}) == 5
