"""Samples keep their marks through every change; labels allow what they say; mixtures keep to their world."""

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_tasks.core.entities import Entity
from deid_tasks.core.errors import InputError
from deid_tasks.core.reference import read_tsv
from deid_tasks.hospital.places import gazetteer
from deid_tasks.hospital.records import World
from deid_tasks.hospital.worlds import fold_for_world
from deid_tasks.learning.train.augment import Augmenter, AugmentRates, recased
from deid_tasks.learning.train.corpora import own_marks, read_prose, read_social, read_templates
from deid_tasks.learning.train.leaks import check_worlds, foreign_cities, foreign_frames
from deid_tasks.learning.train.mixture import MixtureSettings, build_mixture, is_held_out
from deid_tasks.learning.train.negatives import write_negatives
from deid_tasks.learning.train.planting import Planter
from deid_tasks.learning.train.sample import Edit, Mark, Sample, edited, frame_of, joined_samples, sentences_of
from deid_tasks.learning.train.scenes import SceneMaker, train_words
from deid_tasks.learning.train.simulated import read_contexts, write_sentences
from deid_tasks.learning.train.targets import LABELS, PERSON, TARGETS, UNSEEN, allowed_table

SAMPLE = Sample("Seen by Dr. Maria Lopez on 3/14/21.", (Mark(12, 23, "PROVIDER"), Mark(27, 34, "DATE")))


def values(sample: Sample) -> list[tuple[str, str]]:
    return [(sample.text[mark.start : mark.end], mark.target) for mark in sample.marks]


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        ([Edit(0, 8, "")], [("Maria Lopez", "PROVIDER"), ("3/14/21", "DATE")]),
        ([Edit(17, 18, "\n")], [("Maria\nLopez", "PROVIDER"), ("3/14/21", "DATE")]),
        ([Edit(12, 17, "Jo"), Edit(27, 34, "1/2")], [("Jo Lopez", "PROVIDER"), ("1/2", "DATE")]),
        ([Edit(12, 23, "")], [("3/14/21", "DATE")]),
        ([Edit(0, 0, "On call: "), Edit(34, 34, "!")], [("Maria Lopez", "PROVIDER"), ("3/14/21", "DATE")]),
    ],
)
def test_marks_move_with_edits(edits: list[Edit], expected: list[tuple[str, str]]) -> None:
    assert values(edited(SAMPLE, edits)) == expected


@given(seed=st.integers(0, 10_000))
def test_augmentation_keeps_what_is_marked(seed: int) -> None:
    rates = replace(AugmentRates(*[0.5] * 14), scan=0.0)
    changed = Augmenter(rates, ["okafor", "martinez", "lindqvist"], seed)(SAMPLE)
    assert [mark.target for mark in changed.marks] == ["PROVIDER", "DATE"]
    name, date = (changed.text[mark.start : mark.end] for mark in changed.marks)
    assert date.count("/") == 2
    assert not any(character.isdigit() for character in name)
    assert name == name.strip()


def test_a_new_name_may_be_a_word_of_the_language() -> None:
    rates = replace(AugmentRates(*[0.0] * 14), new_names=1.0, word_names=1.0)
    words = {row["word"] for row in read_tsv("common_words.tsv")}
    for seed in range(20):
        name, date = (value for value, _ in values(Augmenter(rates, ["okafor", "martinez"], seed)(SAMPLE)))
        assert date == "3/14/21"
        assert name.istitle()
        assert set(name.lower().split()) <= words
    lower = recased(SAMPLE, is_upper=False)
    assert not set(values(Augmenter(rates, ["okafor", "martinez"], 1)(lower))[0][0].split()) & words


def test_sentences_cut_marks_at_their_edges() -> None:
    sample = Sample("No fever.\n\nSeen by Maria\n\nLopez", (Mark(19, 31, "PROVIDER"),))
    assert [values(one) for one in sentences_of(sample)] == [[], [("Maria", "PROVIDER")], [("Lopez", "PROVIDER")]]


def test_a_coarse_target_allows_its_fine_labels_only() -> None:
    table = allowed_table()
    allowed = {
        target: {label for label, x in zip(LABELS, table[row], strict=True) if x == 0}
        for row, target in enumerate(TARGETS)
    }
    assert allowed["DATE"] == {"DATE"}
    assert allowed[PERSON] == {"PATIENT", "PROVIDER", "RELATIVE"}
    assert allowed["ORGANIZATION*"] == {"FACILITY", "ORGANIZATION"}
    assert {"O", "DATE", "USERNAME"} <= allowed[UNSEEN]
    assert not allowed[UNSEEN] & {"PATIENT", "CITY", "FACILITY"}
    assert allowed["any"] == set(LABELS)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Mr. Perry is a 61-year-old male.", [("Perry", PERSON), ("61", "AGE")]),
        ("Seen by Dr. Ann Phillips.", [("Ann Phillips", PERSON)]),
        ("Seen in March 2020 at 8:30 a.m.", [("March 2020", "DATE"), ("8:30 a.m.", "TIME")]),
        ("He works as an accountant.", [("works as an accountant", "any")]),
        ("No fever.", []),
    ],
)
def test_prose_marks_its_own_identifiers(text: str, expected: list[tuple[str, str]]) -> None:
    assert values(Sample(text, tuple(own_marks(text)))) == expected


def test_social_media_gets_names_of_the_train_world(tmp_path: Path) -> None:
    path = tmp_path / "social.jsonl"
    path.write_text(
        '{"id": "1", "text": "@abc met Zed Quux in Springfield on Monday .", "spans": [{"start": 9, "end": 17, "label": "NAME"}, '
        '{"start": 21, "end": 32, "label": "LOCATION"}]}\n'
    )
    [sample] = read_social(path, lambda word: "Ada" if word == "Zed" else word, lambda place: "Elmira")
    assert sample.text == "@abc met Ada Quux in Elmira on Monday."
    assert values(sample) == [("@abc", UNSEEN), ("Ada Quux", PERSON), ("Elmira", "place"), ("Monday", UNSEEN)]


def test_a_broken_line_is_named_and_not_shown(tmp_path: Path) -> None:
    path = tmp_path / "social.jsonl"
    path.write_text('{"id": "1", "text": "", "spans": []}\nsecret')
    with pytest.raises(InputError, match=r"line 2 is not JSON") as raised:
        list(read_social(path, str, str))
    assert "secret" not in str(raised.value)


def test_capitalised_words_nobody_knows_cost_nothing(tmp_path: Path) -> None:
    path = tmp_path / "prose.jsonl"
    path.write_text('{"id": "1", "text": "He took Lipitor and saw Kumar. the doctor agreed. Doctor saw him."}\n')
    [sample] = read_prose([path], {"lipitor"}.__contains__)
    assert ("Kumar", "any") in values(sample)
    assert "Lipitor" not in {value for value, _ in values(sample)}


@pytest.fixture(scope="module")
def maker() -> SceneMaker:
    return SceneMaker(World.TRAIN, 5)


def test_every_context_renders_and_plants_every_kind(maker: SceneMaker) -> None:
    samples = list(write_sentences(read_contexts(), maker, "contexts", rounds=3, copies=3))
    assert {mark.target for sample in samples for mark in sample.marks} == set(Entity)
    assert len({sample.text for sample in samples}) == len(samples)
    assert max(Counter(map(frame_of, samples)).values()) == 3


def test_planting_leaves_the_prose_and_marks_what_is_planted(maker: SceneMaker) -> None:
    planter = Planter(maker)
    sentence = Sample(
        "The patient saw Dr. Kumar with his wife in Unknownville.", (Mark(20, 25, PERSON), Mark(43, 55, "any"))
    )
    made = [planter(sentence) for _ in range(40)]
    for sample in made:
        assert "Kumar" not in sample.text
        assert ("Unknownville", "any") in values(sample)
        rest = sample.text
        for value, _ in reversed([(v, t) for v, t in values(sample) if t != "any"]):
            rest = rest.replace(value, "")
        assert "saw Dr. " in rest
    assert len({sample.text for sample in made}) > 20


def test_negatives_hold_no_mark() -> None:
    samples = list(write_negatives(300, 0))
    assert all(not sample.marks and sample.text for sample in samples)
    assert len({sample.text for sample in samples}) > 200


def test_a_mixture_of_the_train_world_passes_its_own_check() -> None:
    lines: list[str] = []
    settings = MixtureSettings(
        skeleton_rounds=1, skeleton_copies=1, context_rounds=1, note_copies=1, hospital_notes=20, negatives=20
    )
    samples = build_mixture(settings, lines.append)
    assert {sample.source.rstrip("+") for sample in samples} == {
        "skeletons",
        "contexts",
        "notes",
        "hospital",
        "negatives",
    }
    check_worlds(samples)


def test_notes_written_by_hand_make_up_the_share_that_is_asked_for() -> None:
    settings = MixtureSettings(
        skeleton_copies=2, context_rounds=1, note_copies=1, note_share=0.7, hospital_notes=20, negatives=20, joined=0
    )
    counted = Counter(sample.source for sample in build_mixture(settings, lambda _: None))
    assert counted["notes"] / counted.total() == pytest.approx(0.7, abs=0.001)


def test_a_name_of_another_world_is_found(maker: SceneMaker) -> None:
    stranger = SceneMaker(World.DEV, 1)
    names = [stranger.name_word() for _ in range(20)]
    samples = [Sample(f"Seen by {name}.", (Mark(8, 8 + len(name), "PROVIDER"),), "made", "up") for name in names]
    with pytest.raises(InputError, match="made, up: the PROVIDER at 8 belongs to another world") as raised:
        check_worlds(samples)
    assert not any(name in str(raised.value) for name in names)


def test_a_sentence_or_a_firm_of_another_world_is_found() -> None:
    frame = next(iter(sorted(foreign_frames())))
    text = re.sub(r"\{(\w+)\}", "Zzyzx", frame).replace("0", "4")
    marks = tuple(
        Mark(match.start(), match.start() + 5, target)
        for match, target in zip(re.finditer("Zzyzx", text), re.findall(r"\{(\w+)\}", frame), strict=True)
    )
    with pytest.raises(InputError, match="the sentence is one of another world"):
        check_worlds([Sample(text, marks, "made", "up")])
    site = gazetteer(World.DEV).organizations[-1]
    with pytest.raises(InputError, match="the ORGANIZATION at 0"):
        check_worlds([Sample(site, (Mark(0, len(site), "ORGANIZATION"),), "made", "up")])


def test_lists_of_training_hold_nothing_of_another_world() -> None:
    for name in ("cities", "given", "organizations", "professions", "surnames"):
        assert len(train_words(name)) > 100
    assert not {fold_for_world(city) for city in train_words("cities")} & foreign_cities()


def test_joined_samples_keep_their_marks() -> None:
    [joined] = joined_samples([SAMPLE], 1, 0)
    assert set(values(joined)) == set(values(SAMPLE))
    assert len(joined.marks) >= 4


def test_held_out_templates_are_not_read(tmp_path: Path) -> None:
    path = tmp_path / "templates.jsonl"
    path.write_text("".join(f'{{"id": "{n}", "text": "Hi Zed", "spans": [], "template_id": {n}}}\n' for n in range(40)))
    groups = {sample.group for sample in read_templates(path, str, str, is_held_out)}
    assert 8 < len(groups) < 32
    assert not any(map(is_held_out, groups))
