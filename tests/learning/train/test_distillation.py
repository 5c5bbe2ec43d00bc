"""A narrow model learns from a trained one what is an identifier, also of words that were exchanged."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from deid_tasks.core.errors import ModelError
from deid_tasks.engine.text.word_pieces import WordPieceTokenizer
from deid_tasks.learning.train.configuration import write_config
from deid_tasks.learning.train.distillation import Distillation, identifier_logits, load_teacher
from deid_tasks.learning.train.encode import Cutting, Encoded, encode_samples
from deid_tasks.learning.train.encoders import load_encoder, write_tokenizer
from deid_tasks.learning.train.export import export
from deid_tasks.learning.train.fit import Batch, Source, collate, fit
from deid_tasks.learning.train.narrow import build_narrow_tagger
from deid_tasks.learning.train.sample import Mark, Sample
from deid_tasks.learning.train.settings import DistillationSettings, FitSettings, NetworkSettings
from deid_tasks.learning.train.targets import ANY, TARGET_ID
from tests.support.tiny_model import save_encoder

SAMPLES = [Sample(f"seen by dr {name} on {day}/3.", (Mark(11, 11 + len(name), "PROVIDER"),)) for name in ("abe", "bea",
"cal", "dan") for day in range(1, 9)]  # fmt: skip
CUTTING = Cutting(32, has_units=True)
NARROW = NetworkSettings(layers=1, hidden=32, window=32, reads="word_groups")


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_encoder("bert", tmp_path_factory.mktemp("encoder"), hidden=64)


@pytest.fixture(scope="module")
def teacher(encoder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model with random weights whose answers depend on every group."""
    folder = tmp_path_factory.mktemp("teacher")
    torch.manual_seed(3)
    tagger = load_encoder(encoder, has_units=True, window=64).eval()
    with torch.no_grad():
        tagger.head.weight.mul_(30)
    write_tokenizer(encoder, folder / "tokenizer.json")
    export(tagger, folder / "tokenizer.json", folder / "model", 64, is_quantised=False)
    write_config(tagger, folder / "model", NetworkSettings(reads="word_groups", window=64))
    return folder / "model"


@pytest.fixture
def windows(teacher: Path) -> list[Encoded]:
    return list(encode_samples(WordPieceTokenizer(teacher / "tokenizer.json"), SAMPLES, CUTTING))


@pytest.fixture
def settings(teacher: Path, encoder: Path) -> DistillationSettings:
    return DistillationSettings(teacher=str(teacher), encoder=str(encoder), bias=0.0)


@pytest.fixture
def batch(windows: list[Encoded]) -> Batch:
    return collate(windows)


def test_words_are_exchanged_for_words_of_the_samples_and_nothing_is_known_of_them(settings, windows, batch) -> None:
    distillation = Distillation(settings, windows, "cpu", seed=0)
    changed = distillation.changed(batch, 7)
    count = int(len(windows) * settings.exchanged)
    assert torch.equal(changed.ids[count:], batch.ids[count:])
    assert torch.equal(changed.targets[count:], batch.targets[count:])
    assert (changed.targets[:count] == TARGET_ID[ANY]).all()
    assert not torch.equal(changed.ids[:count], batch.ids[:count])
    known = {tuple(row) for window in windows for row in window.ids[:, :4].tolist()}
    seen = {tuple(row) for row in changed.ids[changed.mask][:, :4].tolist()}
    assert seen <= known
    lengths, before = changed.mask.sum(dim=1), batch.mask.sum(dim=1)
    assert (lengths[: count // 4] < before[: count // 4]).any()
    assert torch.equal(lengths[count // 4 :], before[count // 4 :])
    assert (changed.ids[~changed.mask] == 0).all()


def test_the_changes_of_a_step_are_the_same_whenever_it_comes(settings, windows, batch) -> None:
    one, other = (Distillation(settings, windows, "cpu", seed=0) for _ in range(2))
    one.changed(batch, 1)
    assert torch.equal(one.changed(batch, 7).ids, other.changed(batch, 7).ids)
    assert not torch.equal(one.changed(batch, 8).ids, other.changed(batch, 7).ids)


def test_nothing_is_exchanged_where_the_settings_say_so(settings, windows, batch) -> None:
    distillation = Distillation(replace(settings, exchanged=0.0), windows, "cpu", seed=0)
    assert distillation.changed(batch, 0) is batch


def test_the_teachers_own_answers_cost_least_and_a_missed_identifier_most(settings, windows, batch, teacher, encoder):
    distillation = Distillation(settings, windows, "cpu", seed=0)
    with torch.no_grad():
        said = load_teacher(str(teacher), str(encoder)).eval()(batch.ids, batch.cases, batch.gaps, batch.mask)
    # Away from its own answer by as much to either side, as seen from sure answers.
    least = distillation.loss(said, batch)
    outside = torch.zeros_like(said)
    outside[..., 0] = 3.0
    missing, suspecting = distillation.loss(said + outside, batch), distillation.loss(said - outside, batch)
    assert least < missing
    assert least < suspecting
    even = Distillation(replace(settings, identifier_weight=1.0), windows, "cpu", seed=0)
    assert missing - least > even.loss(said + outside, batch) - even.loss(said, batch)


def test_a_model_comes_to_answer_as_its_teacher_does(settings, windows, batch, teacher, encoder) -> None:
    inputs = (batch.ids, batch.cases, batch.gaps, batch.mask)
    with torch.no_grad():
        said = identifier_logits(load_teacher(str(teacher), str(encoder)).eval()(*inputs))
    # Half of the groups are identifiers to it.
    middle = replace(settings, bias=float(said[batch.mask].median()), identifier_weight=1.0, sentence_weight=0.0)
    distillation = Distillation(middle, windows, "cpu", seed=0)
    torch.manual_seed(0)
    narrow = build_narrow_tagger(encoder, NARROW).train()
    optimizer = torch.optim.Adam(narrow.parameters(), lr=3e-3)

    def agreement() -> float:
        with torch.no_grad():
            own = identifier_logits(narrow.eval()(*inputs)) > 0
        narrow.train()
        return float((own == (said > middle.bias))[batch.mask].float().mean())

    for _ in range(300):
        optimizer.zero_grad()
        distillation.loss(narrow(*inputs), batch).backward()
        optimizer.step()
    assert agreement() > 0.9


def test_a_training_with_a_teacher_goes_on_where_it_stopped(settings, teacher, encoder, tmp_path: Path) -> None:
    source = Source(WordPieceTokenizer(teacher / "tokenizer.json"), SAMPLES, CUTTING)
    learning = FitSettings(steps=6, batch_word_pieces=256, checkpoint_every=3, distillation=settings)

    def trained(folder: Path, fitted: FitSettings) -> torch.Tensor:
        torch.manual_seed(0)
        narrow = build_narrow_tagger(encoder, NARROW)
        return fit(narrow, source, fitted, folder, lambda _: None).head.weight.detach()

    class StopError(Exception):
        pass

    def stop(line: str) -> None:
        if "6/6" in line:
            raise StopError

    whole = trained(tmp_path / "whole", learning)
    torch.manual_seed(0)
    with pytest.raises(StopError):
        fit(build_narrow_tagger(encoder, NARROW), source, learning, tmp_path / "stopped", stop)
    assert torch.equal(trained(tmp_path / "stopped", learning), whole)
    assert not torch.equal(trained(tmp_path / "alone", replace(learning, distillation=None)), whole)


def test_identifier_logits_are_of_all_entities_together() -> None:
    logits = torch.log(torch.tensor([[0.5, 0.25, 0.25], [0.8, 0.1, 0.1]]))
    np.testing.assert_allclose(identifier_logits(logits).sigmoid(), [0.5, 0.2], rtol=1e-5)


def test_a_teacher_of_word_pieces_is_refused(encoder: Path, tmp_path: Path) -> None:
    tagger = load_encoder(encoder, window=64).eval()
    write_tokenizer(encoder, tmp_path / "tokenizer.json")
    export(tagger, tmp_path / "tokenizer.json", tmp_path / "model", 64, is_quantised=False)
    write_config(tagger, tmp_path / "model", NetworkSettings(window=64))
    with pytest.raises(ModelError, match="a teacher must read word groups"):
        load_teacher(str(tmp_path / "model"), str(encoder))
