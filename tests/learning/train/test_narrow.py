"""A network narrower than its encoder: its embeddings, its sizes, and what a training leaves as it is."""

from pathlib import Path

import numpy as np
import pytest
import torch

from deid_tasks.core.errors import ModelError
from deid_tasks.engine.detect.token_model import TokenModel
from deid_tasks.engine.detect.window import Windows
from deid_tasks.learning.train.encoders import load_encoder
from deid_tasks.learning.train.export import export
from deid_tasks.learning.train.narrow import build_narrow_tagger, project
from deid_tasks.learning.train.run import build_tagger
from deid_tasks.learning.train.settings import NetworkSettings, plan
from tests.support.tiny_model import save_encoder


def test_a_projection_keeps_what_was_alike_alike() -> None:
    chance = torch.Generator().manual_seed(0)
    # Rows that lie in a plane of three dimensions, and some noise.
    rows = torch.randn(200, 3, generator=chance) @ torch.randn(3, 16, generator=chance)
    rows = rows + 0.01 * torch.randn(200, 16, generator=chance)
    projected = project(rows, 3)
    assert projected.shape == (200, 3)
    assert projected.std().item() == pytest.approx(1, abs=1e-3)
    before, after = torch.cdist(rows, rows).flatten(), torch.cdist(projected, projected).flatten()
    assert torch.corrcoef(torch.stack([before, after]))[0, 1] > 0.999
    assert torch.equal(projected, project(rows, 3))


def test_a_narrow_network_has_the_encoders_words_and_new_layers(tmp_path: Path) -> None:
    folder = save_encoder("bert", tmp_path, hidden=64)
    wide = load_encoder(folder)
    assert wide.shape.hidden == 64
    narrow = build_tagger(folder, NetworkSettings(layers=3, hidden=32, window=48, reads="word_groups"))
    assert (narrow.shape.hidden, narrow.shape.heads, narrow.shape.inner) == (32, 1, 128)
    assert (narrow.shape.layers, len(narrow.layers), narrow.shape.positions) == (3, 3, 48)
    assert torch.equal(narrow.word.weight, project(wide.word.weight, 32))


def test_an_exported_narrow_network_answers(tmp_path: Path) -> None:
    folder = save_encoder("bert", tmp_path, hidden=64)
    narrow = build_narrow_tagger(folder, NetworkSettings(layers=1, hidden=32, window=24)).eval()
    exported = TokenModel(export(narrow, folder / "tokenizer.json", tmp_path / "out", 24, is_quantised=False))
    ids, zeros = torch.arange(4, 20)[None], torch.zeros(1, 16, dtype=torch.long)
    with torch.no_grad():
        expected = narrow(ids, zeros, zeros, torch.ones_like(ids, dtype=torch.bool))[0].numpy()
    bounds = np.array([0, ids.shape[1]])
    said = exported.logits(Windows(ids[0].numpy(), zeros[0].numpy(), zeros[0].numpy(), bounds))
    assert abs(said - expected).max() < 0.05 * max(1.0, abs(expected).max())


@pytest.mark.parametrize("hidden", [64, 96, 20])
def test_a_width_that_does_not_fit_is_refused(hidden: int, tmp_path: Path) -> None:
    folder = save_encoder("bert", tmp_path, hidden=64)
    with pytest.raises(ModelError, match=f"multiple of 32 below the encoder's 64, not {hidden}"):
        build_narrow_tagger(folder, NetworkSettings(hidden=hidden))


def test_the_preset_of_the_filter(tmp_path: Path) -> None:
    [one] = plan(tmp_path, "filter")
    assert one.folder.name == "filter"
    assert (one.model.layers, one.model.hidden, one.model.reads) == (2, 256, "word_groups")
    assert one.fit.is_word_frozen
