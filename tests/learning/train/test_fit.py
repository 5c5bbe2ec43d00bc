"""A tiny model learns, goes on where it stopped, and says the same after export."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from deid_tasks.engine.detect.token_model import TokenModel
from deid_tasks.engine.detect.window import Windows
from deid_tasks.engine.text.word_pieces import WordPieceTokenizer
from deid_tasks.learning.train.encode import Cutting, encode_samples
from deid_tasks.learning.train.fit import Source, fit
from deid_tasks.learning.train.losses import partial_label_loss
from deid_tasks.learning.train.model import EncoderShape, Tagger
from deid_tasks.learning.train.sample import Mark, Sample
from deid_tasks.learning.train.settings import FitSettings
from deid_tasks.learning.train.targets import LABELS, TARGET_ID, TARGETS, allowed_table
from tests.support.tiny_model import PIECES, tiny_tagger, write_tiny_model, write_tiny_tokenizer

SHAPE = EncoderShape(len(PIECES), hidden=32, heads=4, layers=2, inner=64, positions=64)


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> WordPieceTokenizer:
    return WordPieceTokenizer(write_tiny_tokenizer(tmp_path_factory.mktemp("tokenizer")))


SAMPLES = [Sample(f"seen by dr {name} on {day}/3.", (Mark(11, 11 + len(name), "PROVIDER"),)) for name in ("Abe", "Bea",
"Cal", "Dan") for day in range(1, 20)]  # fmt: skip
CUTTING = Cutting(32)
SETTINGS = FitSettings(steps=40, batch_word_pieces=512, learning_rate=3e-3, threads=1, checkpoint_every=20)


def tagger(seed: int = 0) -> Tagger:
    torch.manual_seed(seed)
    return Tagger(SHAPE)


def test_it_learns(encoder: WordPieceTokenizer, tmp_path: Path) -> None:
    lines: list[str] = []
    model = fit(tagger(), Source(encoder, SAMPLES, CUTTING), replace(SETTINGS, steps=100), tmp_path, lines.append)
    [window] = encode_samples(encoder, [Sample("seen by dr Abe on 7/3.", ())], CUTTING)
    with torch.no_grad():
        inputs = [torch.from_numpy(x)[None] for x in (window.ids, window.cases, window.gaps)]
        said = model(*inputs, torch.ones(1, len(window.ids), dtype=torch.bool))[0].argmax(-1)
    of_words: dict[int, str] = {}
    for word, label in zip(window.words, said, strict=True):
        of_words.setdefault(int(word), LABELS[int(label)])
    of_words.pop(-1)
    assert [of_words[i] for i in range(5)] == ["O", "O", "O", "PROVIDER", "O"]
    assert not any("Abe" in line for line in lines)


def test_a_stopped_run_goes_on(encoder: WordPieceTokenizer, tmp_path: Path) -> None:
    class Stop(Exception):  # noqa: N818
        pass

    def stop_after(line: str) -> None:
        if line.startswith("step"):
            raise Stop

    source, settings = Source(encoder, SAMPLES, CUTTING), replace(SETTINGS, steps=60)
    whole = fit(tagger(), source, settings, tmp_path / "whole", lambda _: None)
    with pytest.raises(Stop):
        fit(tagger(), source, settings, tmp_path / "cut", stop_after)
    lines: list[str] = []
    again = fit(tagger(9), source, settings, tmp_path / "cut", lines.append)
    assert "starting at 40" in lines[0]
    for one, other in zip(whole.parameters(), again.parameters(), strict=True):
        assert torch.allclose(one, other, atol=1e-5)


def test_partial_labels_cost_what_they_should() -> None:
    table = torch.from_numpy(allowed_table())
    logits = torch.full((1, len(LABELS)), -20.0)
    logits[0, LABELS.index("CITY")] = 20.0
    cost = {target: float(partial_label_loss(logits, torch.tensor([TARGET_ID[target]]), table)) for target in TARGETS}
    assert cost["CITY"] == pytest.approx(0, abs=1e-4)
    assert cost["LOCATION*"] == pytest.approx(0, abs=1e-4)
    assert cost["any"] == pytest.approx(0, abs=1e-4)
    assert cost["O"] > 30
    assert cost["NAME*"] > 30


def test_export_says_what_the_model_says(tmp_path: Path) -> None:
    model = TokenModel(write_tiny_model(tmp_path, is_quantised=False))
    reference = tiny_tagger()
    ids = np.array([2, 5, 9, 40, 41, 12, 3])
    cases = np.array([0, 1, 2, 3, 4, 5, 0])
    gaps = np.array([0, 1, 2, 3, 1, 2, 0])
    with torch.no_grad():
        expected = reference(
            *(torch.from_numpy(x)[None] for x in (ids, cases, gaps)), torch.ones(1, 7, dtype=torch.bool)
        )
    # Word embeddings are rounded to eight bits also here.
    assert np.abs(model.logits(Windows(ids, cases, gaps, np.array([0, len(ids)]))) - expected[0].numpy()).max() < 0.3
