"""Encoders are read as their own library reads them, whatever their family; what may run code is refused."""

import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest
import torch

from deid_tasks.core.errors import ModelError
from deid_tasks.engine.detect.token_model import TokenModel
from deid_tasks.engine.detect.window import Windows
from deid_tasks.learning.train import encoders
from deid_tasks.learning.train.encoders import assemble_mpnet, encoder_folder, load_encoder
from deid_tasks.learning.train.export import export
from tests.support.tiny_model import save_encoder


@pytest.mark.parametrize("kind", ["bert", "roberta", "mpnet"])
def test_an_encoder_says_what_its_library_says_of_its_first_layers(kind: str, tmp_path: Path) -> None:
    import transformers

    folder = save_encoder(kind, tmp_path)
    reference = transformers.AutoModel.from_pretrained(folder).eval()
    reference.encoder.layer = reference.encoder.layer[:2]
    ids = torch.tensor([[2, 10, 11, 30, *range(20, 60), 3, 1, 1], [2, 7, 8, 9, *range(60, 19, -1), 10, 3]])
    mask = torch.ones_like(ids, dtype=torch.bool)
    mask[0, -2:] = False
    ids[0, -2:] = reference.config.pad_token_id
    model = load_encoder(folder, layers=2).eval()
    with torch.no_grad():
        model.case.weight.zero_()
        model.gap.weight.zero_()
        model.head = torch.nn.Identity()
        said = model(ids, torch.zeros_like(ids), torch.zeros_like(ids), mask)
        expected = reference(input_ids=ids, attention_mask=mask.long()).last_hidden_state
    assert torch.allclose(said[mask], expected[mask], atol=1e-4)


@pytest.mark.parametrize("kind", ["bert", "roberta", "mpnet"])
def test_an_exported_encoder_says_what_the_model_says(kind: str, tmp_path: Path) -> None:
    folder = save_encoder(kind, tmp_path)
    model = load_encoder(folder).eval()
    exported = TokenModel(export(model, folder / "tokenizer.json", tmp_path / "out", 48, is_quantised=False))
    chance = np.random.default_rng(0)
    for length in (3, 20, 48):
        drawn = (chance.integers(4, 60, length), chance.integers(0, 8, length), chance.integers(0, 4, length))
        window = Windows(*drawn, bounds=np.array([0, length]))
        said = exported.logits(window)
        inputs = [torch.from_numpy(x)[None] for x in (window.ids, window.cases, window.gaps)]
        with torch.no_grad():
            expected = model(*inputs, torch.ones_like(inputs[0], dtype=torch.bool))[0].numpy()
        # Word embeddings are rounded to eight bits also here.
        assert np.abs(said - expected).max() < 0.05 * max(1.0, np.abs(expected).max())


def test_a_pickled_encoder_is_refused(tmp_path: Path) -> None:
    folder = save_encoder("bert", tmp_path)
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    with pytest.raises(ModelError, match=r"pytorch_model\.bin is refused"):
        load_encoder(folder)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"model_type": "gpt2"}, "unknown encoder type 'gpt2'"),
        ({"hidden_size": None}, "has no hidden_size"),
        ({"hidden_act": "relu"}, "activation 'relu'"),
        ({"intermediate_size": 65}, "does not fit"),
    ],
)
def test_an_encoder_that_does_not_fit_is_refused(change: dict[str, object], message: str, tmp_path: Path) -> None:
    folder = save_encoder("bert", tmp_path)
    config = json.loads((folder / "config.json").read_text()) | change
    (folder / "config.json").write_text(json.dumps({key: value for key, value in config.items() if value is not None}))
    with pytest.raises(ModelError, match=message):
        load_encoder(folder)


def test_an_encoder_that_nobody_has_is_one_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(ModelError, match="no encoder 'nobody/nothing'"):
        encoder_folder("nobody/nothing")


def test_slices_are_put_together_once_and_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = save_encoder("mpnet", tmp_path / "source")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name in ("config.json", "tokenizer.json", "model.safetensors"):
            archive.write(source / name, f"all-mpnet/{name}")
            archive.writestr(f"all-mpnet/1_Pooling/{name}", "{}")
    whole = packed.getvalue()
    size = -(-len(whole) // len(encoders.MPNET_PARTS))
    for number, package in enumerate(encoders.MPNET_PARTS):
        (tmp_path / package).write_bytes(whole[number * size : (number + 1) * size])
    monkeypatch.setattr(encoders, "_slice_of", lambda package: tmp_path / package)
    with pytest.raises(ModelError, match="not those published"):
        assemble_mpnet(tmp_path / "made")
    assert not (tmp_path / "made" / "model.safetensors").exists()
    monkeypatch.setattr(encoders, "MPNET_SHA256", encoders._sha256(source / "model.safetensors"))
    made = assemble_mpnet(tmp_path / "made")
    assert (made / "model.safetensors").read_bytes() == (source / "model.safetensors").read_bytes()
    assert not list(made.glob("*.zip"))
    monkeypatch.setattr(encoders, "_slice_of", None)
    assert assemble_mpnet(made) == made
