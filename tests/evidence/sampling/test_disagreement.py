"""Disagreement samples: the notes on which the engine's parts differ, read by the models that ship."""

import datetime

import pytest

from deid_tasks.core.entities import Entity
from deid_tasks.core.errors import SettingsError, WarehouseError
from deid_tasks.core.span import Span
from deid_tasks.engine.lexicon import LexiconTerm, compile_lexicon
from deid_tasks.engine.parts import BatchContext
from deid_tasks.engine.pipeline import run_detectors
from deid_tasks.engine.text import Document
from deid_tasks.platform.runs import load_engine
from deid_tasks.platform.runs.disagreement import Committee
from deid_tasks.platform.runs.patient_split import training_split
from deid_tasks.platform.runs.sampling import draw_samples
from deid_tasks.platform.warehouse import connect
from deid_tasks.platform.warehouse.gold import NewGoldNote, freeze_gold_set
from deid_tasks.settings import DESIGNS
from tests.support.sampling_site import KEY, drawn, put, site

# The institution's pattern marks what no model takes for an identifier.
DETECT = {
    "detectors": ["patterns", "lexicon", "patient", "transformer"],
    "patterns": {"identifiers": {"MRN": [r"\b(?:kettle|lantern|saddle)\b"]}},
}
CALM = "No fever, chills or cough."
AGREED = "Seen by Dr. Okonjo on 3/14/2021. No fever."
ONE = "Slept well; the kettle is at the bedside."
TWO = "Slept well; kettle and lantern at the bedside."


@pytest.fixture
def place(database, ask, tmp_path):
    """What settings and secrets are made with, beside a compiled lexicon."""
    compile_lexicon([LexiconTerm("provider", "last", "Quillfeather", 1)], _folder(tmp_path / "lexicon"), key=KEY)

    def settings(changes=None, **sampling):
        sections = {"work_dir": str(tmp_path), "detect": DETECT, "training": {"held_out": 1e-9}}
        return site(
            database,
            sections | (changes or {}),
            **{"size": 1, "min_notes_per_stratum": 1, "random_size": 0, "disagreement_size": 2} | sampling,
        )

    return settings


def _folder(path):
    path.mkdir()
    return path


def notes(*texts, patient=None):
    return [(f"n{i}", patient or f"P{i}", "t", "2024-01-01", text) for i, text in enumerate(texts)]


def drawn_disagreement(place, **sampling):
    [sample] = draw_samples(*place(**sampling), designs=["disagreement"])
    return sample


def order(ask):
    return [row[0] for row in drawn(ask, "disagreement")]


def test_the_notes_on_which_detectors_differ_most_come_first_and_others_not_at_all(place, ask):
    put(ask, notes(CALM, ONE, AGREED, TWO, f"{ONE} {'Slept well. ' * 60}", CALM))
    sample = drawn_disagreement(place, disagreement_size=6)
    # Of two notes with as many words in disagreement, the one that takes an annotator less time.
    assert order(ask) == ["n3", "n1", "n4"]
    assert (sample["design"], sample["notes"], sample["of_notes"]) == ("disagreement", 3, 6)
    assert ask("select size, notes from xx_gold.sample") == [(6, 3)]


def test_one_note_a_patient(place, ask):
    put(ask, [*notes(TWO, TWO, TWO, patient="P1"), ("m", None, "t", None, ONE), ("o", None, "t", None, ONE)])
    assert drawn_disagreement(place, disagreement_size=5)["notes"] == 3
    first, *others = order(ask)
    assert first in {"n0", "n1", "n2"}
    assert set(others) == {"m", "o"}


def test_no_note_of_a_sample_or_a_gold_set_is_drawn_again(place, ask):
    put(ask, notes(TWO, TWO, TWO, TWO, TWO, TWO))
    settings, secrets = place(size=2, random_size=1, disagreement_size=6)
    with connect(secrets.text("ehr")) as connection:
        gold = NewGoldNote("n0", "P0", "t", datetime.datetime(2024, 1, 1), "A1", TWO, (Span(12, 18, Entity.MRN),))
        freeze_gold_set(connection, settings, [gold], design="random", sample_version="elsewhere")
    before = draw_samples(settings, secrets, designs=["random", "stratified"])
    both = draw_samples(settings, secrets)
    assert [sample["design"] for sample in both] == ["stratified", "random", "disagreement"]
    # A disagreement sample leaves the others as they are.
    assert both[:2] == before
    taken = {"n0", *(row[0] for design in ("stratified", "random") for row in drawn(ask, design))}
    assert set(order(ask)) == {f"n{i}" for i in range(6)} - taken


def test_the_same_draw_is_the_same_version_and_another_takes_other_notes(place, ask):
    put(ask, notes(ONE, TWO, TWO, ONE, TWO, AGREED))
    first = drawn_disagreement(place)
    before = ask("select * from xx_gold.sample_note order by 1, 2")
    assert drawn_disagreement(place) == first
    assert ask("select * from xx_gold.sample_note order by 1, 2") == before
    other = drawn_disagreement(place, seed=2)
    assert other["sample_version"] != first["sample_version"]
    assert len(order(ask)) == len(set(order(ask))) == 4
    # Another engine is asked anew.
    quiet = {"detect": DETECT | {"transformers": [{"outside_bias": 10, "threshold": 0.99}]}}
    [third] = draw_samples(*place(quiet), designs=["disagreement"])
    assert third["sample_version"] not in {first["sample_version"], other["sample_version"]}
    assert sorted(order(ask)) == [f"n{i}" for i in range(6)]


def test_the_pool_bounds_what_is_read(place, ask):
    put(ask, notes(*[TWO] * 9))
    assert drawn_disagreement(place, disagreement_size=3, disagreement_pool=3)["notes"] == 3
    with pytest.raises(SettingsError, match="disagreement_pool must not be smaller than disagreement_size"):
        draw_samples(*place(), {"disagreement_size": 3_000})


def test_patients_whom_no_training_may_see_are_left_out(place, ask):
    put(ask, notes(*[TWO] * 30))
    settings = place({"training": {"held_out": 0.5}}, disagreement_size=30)
    [sample] = draw_samples(*settings, designs=["disagreement"])
    split = training_split(settings[0])
    free = {f"n{i}" for i in range(30) if not split.is_held_out(f"P{i}", f"n{i}")}
    assert 0 < len(free) < 30
    assert set(order(ask)) == free
    assert sample["notes"] == len(free)


def test_nothing_of_a_note_is_told(place, ask, caplog, capfd):
    put(ask, notes(TWO, AGREED))
    printed = str(drawn_disagreement(place)) + caplog.text + "".join(capfd.readouterr())
    assert not [word for word in ("kettle", "lantern", "Okonjo", "n0", "P0") if word in printed]


def test_what_cannot_be_drawn_is_one_error_and_leaves_nothing(place, ask):
    put(ask, notes(CALM, AGREED))
    with pytest.raises(WarehouseError, match="detectors differ on none of 2 notes"):
        draw_samples(*place(), designs=["disagreement"])
    lists = {"detect": DETECT | {"detectors": ["patterns", "lexicon", "patient"]}}
    with pytest.raises(SettingsError, match="a disagreement sample needs `transformer`"):
        draw_samples(*place(lists))
    with pytest.raises(SettingsError, match="unknown designs enriched; choose from stratified, random, disagreement"):
        draw_samples(*place(), designs=["enriched"])
    with pytest.raises(SettingsError, match="the size of every chosen design is 0"):
        draw_samples(*place(), designs=["random"])
    assert ask("select count(*) from xx_gold.sample") == [(0,)]
    assert DESIGNS[-1] == "disagreement"


def score(place, transformers, text):
    settings, secrets = place({"detect": DETECT | {"transformers": transformers}})
    committee = Committee.of(load_engine(settings, secrets), settings.detect)
    [found] = run_detectors([Document("n", text)], BatchContext(committee.engine))
    return committee.score(text, found)


def test_a_word_is_disputed_where_a_model_that_could_have_marked_it_did_not(place):
    text = "Seen by Okonjo for a kettle, a kettle and a lantern."
    agreeing = score(place, [{}], text)
    assert agreeing == pytest.approx(100 * 2 / (11 + 100))
    # Record numbers are none of this model's business.
    assert score(place, [{"entities": ["PROVIDER"]}], text) == 0
    # The second-stage model takes back what the first model marks.
    second = {"model": "minilm", "outside_bias": 10, "band": [0, 1], "weight": 1}
    assert score(place, [{"second_stage": second}], text) == pytest.approx(100 * 3 / (11 + 100))
    # Of two models one marks the name.
    models = [{"name": "one"}, {"name": "other", "outside_bias": 10}]
    assert score(place, models, text) == pytest.approx(100 * 3 / (11 + 100))
