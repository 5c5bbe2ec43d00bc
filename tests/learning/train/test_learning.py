"""Errors are found, taught and forgotten; versions are chosen by what they find together."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from deid_tasks.core.entities import Category, Entity
from deid_tasks.core.errors import InputError, ModelError
from deid_tasks.core.span import Span
from deid_tasks.engine.detect.model_files import find_model
from deid_tasks.engine.text import Document
from deid_tasks.engine.text.word_groups import SLOTS
from deid_tasks.hospital.records import World
from deid_tasks.learning.train.encoders import encoder_folder
from deid_tasks.learning.train.export import export
from deid_tasks.learning.train.learning import LearnSettings, learn
from deid_tasks.learning.train.mistakes import find_disagreements, find_mistakes, neighbours
from deid_tasks.learning.train.mixture import MixtureSettings
from deid_tasks.learning.train.run import build_tagger
from deid_tasks.learning.train.sample import Mark, Sample, frame_of
from deid_tasks.learning.train.scenes import SceneMaker
from deid_tasks.learning.train.settings import FitSettings, NetworkSettings, TrainSettings
from deid_tasks.learning.train.simulated import read_contexts, write_sentences
from deid_tasks.learning.train.version_choice import choose, marked_words
from deid_tasks.learning.train.weights import load_mean, load_weights, save_bfloat16, what_is_read
from tests.support.tiny_model import PIECES, save_encoder

SAMPLES = [Sample("Seen by Abe Cole.", (Mark(8, 16, "PROVIDER"),)), Sample("No fever.", ()), Sample("On 3/4.", (Mark(3,
6, "DATE"),))]  # fmt: skip


class Marker:
    """Finds the words it was told."""

    name = "marker"

    def __init__(self, *words: str, entity: Entity = Entity.PROVIDER) -> None:
        self.words, self.entity = words, entity

    def detect(self, documents: Sequence[Document]) -> list[list[Span]]:
        return [
            [Span(document.text.index(w), document.text.index(w) + len(w),
            self.entity) for w in self.words if w in document.text]
            for document in documents
        ]  # fmt: skip


def test_errors_are_words_missed_and_words_too_many() -> None:
    found = find_mistakes(Marker("Abe", "fever"), SAMPLES)
    assert [(m.sample.text[:2], m.missed, m.wrong) for m in found] == [
        ("Se", ("NAME",), ()),
        ("No", (), ("NAME",)),
        ("On", ("DATE", "DATE"), ()),
    ]
    assert "Abe" not in repr(found)
    assert [s.text[:2] for s in find_disagreements(Marker("Abe", "fever"), Marker("Abe"), SAMPLES)] == ["No"]


def test_neighbours_are_the_same_sentence_about_others() -> None:
    contexts = read_contexts()
    maker = SceneMaker(World.TRAIN, 3)
    samples = [s for s in write_sentences(contexts, maker, "contexts", 1, 1) if len(s.marks) == 1][:20]
    mistakes = find_mistakes(Marker(), samples)
    assert len(mistakes) == 20
    made = neighbours(mistakes, contexts, SceneMaker(World.TRAIN, 4), 8, 8)
    assert {frame_of(sample) for sample in made} <= {frame_of(sample) for sample in samples}
    assert len(made) > len({frame_of(sample) for sample in made})
    assert {sample.text for sample in made}.isdisjoint(sample.text for sample in samples)


def words(*texts_and_spans: tuple[str, list[Span]]) -> dict[Category, frozenset[tuple[int, int]]]:
    return marked_words(list(texts_and_spans))


def test_two_versions_that_complement_each_other_are_chosen_above_the_floor() -> None:
    text = "Ann Bea Cal met no one"
    a, b, c, met = Span(0, 3, Entity.PATIENT), Span(4, 7, Entity.PATIENT), Span(8, 11, Entity.PATIENT), Span(12, 15,
    Entity.PATIENT)  # fmt: skip
    gold = words((text, [a, b, c]))
    versions = {"v0": words((text, [a, b])), "v1": words((text, [b, c])), "v2": words((text, [a, b, c, met]))}
    [best] = choose(gold, versions, 0.9)
    assert (best.versions, best.scores.recall, best.scores.precision, best.reaches_floor) == (("v0", "v1"), 1, 1, True)
    [alone] = choose(gold, {"v0": words((text, [a, b, c])), "v1": words((text, [b]))}, 0.9)
    assert alone.versions == ("v0",)
    [below] = choose(gold, {"v2": words((text, [a, met]))}, 0.9)
    assert (below.versions, below.reaches_floor) == (("v2",), False)
    with pytest.raises(InputError, match="no version"):
        choose(gold, {}, 0.9)


def test_versions_are_trained_scored_and_chosen_and_a_stopped_run_goes_on(tmp_path: Path) -> None:
    encoder = save_encoder("bert", tmp_path / "encoder")
    mixture = MixtureSettings(
        skeleton_rounds=0, context_rounds=1, context_copies=1, note_copies=1, hospital_notes=5, negatives=20
    )
    settings = TrainSettings(
        tmp_path / "run",
        mixture,
        FitSettings(steps=2, batch_word_pieces=256),
        NetworkSettings(str(encoder), 1, window=64),
    )
    learning = LearnSettings(1, 2, pool_notes=3, pool_rounds=1, writings=1, copies=1, replay=0.01, dev_notes=4)
    lines: list[str] = []
    choices = learn(settings, learning, lines.append)
    curve = json.loads((settings.folder / "curve.json").read_text())
    assert [version["version"] for version in curve] == ["v0", "v1", "mean"]
    assert all(0 <= version["scores"]["any"]["recall"] <= 1 for version in curve)
    assert curve[1]["errors"] > 0
    assert curve[1]["neighbours"] > 0
    assert {choice["category"] for choice in json.loads((settings.folder / "choice.json").read_text())} == {
        choice.category for choice in choices
    }
    lines.clear()
    assert learn(settings, learning, lines.append) == choices
    assert "v0 exists already" in lines
    assert "v1 exists already" in lines


def test_the_mean_of_two_trainings_lies_between_them(tmp_path: Path) -> None:
    encoder = save_encoder("mpnet", tmp_path / "encoder")
    settings = NetworkSettings(str(encoder), 1, window=32)
    first, second, mean = (build_tagger(encoder, settings) for _ in range(3))
    second.load_state_dict(first.state_dict())
    with torch.no_grad():
        for parameter in second.parameters():
            parameter.add_(1.0)
    for tagger, name in ((first, "a"), (second, "b")):
        (tmp_path / name).mkdir()
        save_bfloat16(tagger, tmp_path / name)
    load_mean(mean, [tmp_path / "a", tmp_path / "b"])
    for one, between in zip(first.parameters(), mean.parameters(), strict=True):
        assert (one + 0.5 - between).abs().max() <= 0.02 * (1 + one.abs().max())
    (tmp_path / "b" / "model.safetensors").unlink()
    with pytest.raises(ModelError, match=r"b/model\.safetensors is missing"):
        load_mean(mean, [tmp_path / "a", tmp_path / "b"])


def test_a_training_goes_on_from_saved_weights_that_fit(tmp_path: Path) -> None:
    encoder = save_encoder("mpnet", tmp_path / "encoder")
    settings = NetworkSettings(str(encoder), 2, window=32)
    first, second = build_tagger(encoder, settings), build_tagger(encoder, settings)
    save_bfloat16(first, tmp_path)
    load_weights(second, tmp_path)
    for one, other in zip(first.parameters(), second.parameters(), strict=True):
        assert (one - other).abs().max() <= 0.01 * one.abs().max()
    with pytest.raises(ModelError, match="other sizes or outputs"):
        load_weights(build_tagger(encoder, NetworkSettings(str(encoder), 1, window=32)), tmp_path)
    (tmp_path / "model.safetensors").write_bytes(b"\x80\x04pickle")
    with pytest.raises(ModelError, match="damaged, or no safetensors"):
        load_weights(second, tmp_path)


def test_a_training_goes_on_from_the_model_that_ships() -> None:
    shipped = find_model("minilm")
    reads = what_is_read(shipped)
    tagger = build_tagger(encoder_folder("minilm"), NetworkSettings(reads=reads))
    before = {name: value.clone() for name, value in tagger.state_dict().items()}
    load_weights(tagger, shipped)
    assert reads == "word_groups"
    assert {name for name, value in tagger.state_dict().items() if torch.equal(value, before[name])} == set()
    with pytest.raises(
        ModelError, match="minilm holds a model with other sizes or outputs, or one that reads otherwise"
    ):
        load_weights(build_tagger(encoder_folder("minilm"), NetworkSettings(reads="word_pieces")), shipped)


@pytest.mark.parametrize("kind", ["bert", "mpnet"])
def test_a_model_of_units_goes_on_from_the_rounded_weights_of_one_of_pieces(kind: str, tmp_path: Path) -> None:
    folder = save_encoder(kind, tmp_path)
    settings = NetworkSettings(str(folder), 2, window=32)
    before = build_tagger(folder, settings).eval()
    exported = export(before, folder / "tokenizer.json", tmp_path / "before")
    assert what_is_read(exported) == "word_pieces"
    after = build_tagger(folder, replace(settings, reads="word_groups")).eval()
    load_weights(after, exported)
    assert what_is_read(export(after, folder / "tokenizer.json", tmp_path / "after")) == "word_groups"
    ids = torch.randint(4, len(PIECES), (3, 9), generator=torch.Generator().manual_seed(0))
    units = torch.full((3, 9, SLOTS), after.shape.padding)
    units[:, :, 0] = ids
    features = torch.ones_like(ids), torch.ones_like(ids), torch.ones_like(ids, dtype=torch.bool)
    with torch.no_grad():
        one, other = before(ids, *features), after(units, *features)
    assert (one - other).abs().mean() < 0.05 * one.std()
