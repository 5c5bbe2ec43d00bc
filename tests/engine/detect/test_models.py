"""Settings of a model: its entities, Title case, context, backend and files."""

import hashlib
import json
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from pydantic import ValidationError

from deid_tasks.core.errors import ModelError
from deid_tasks.engine.detect.token_model import TokenModel
from deid_tasks.engine.detect.torch_runner import TorchRunner
from deid_tasks.engine.detect.transformer import TransformerDetector, WindowDetector
from deid_tasks.engine.detect.window import Windows
from deid_tasks.engine.text import Document
from deid_tasks.engine.text.ranges import bounds_of
from deid_tasks.engine.text.title_case import title_capitals
from deid_tasks.engine.text.word_groups import SLOTS
from deid_tasks.settings import ModelSettings, TransformerSettings
from tests.support.tiny_model import PIECES, write_lookup_model, write_tiny_model, write_tiny_tokenizer

LABELS = ["O", "B-PER", "I-PER", "B-HOSPITAL"]
SAYS = {"a": "B-PER", "b": "I-PER", "c": "B-HOSPITAL"}
TEXTS = [
    "PT seen by Dr. Okafor on 3/14.",
    "no fever, no cough; dr ames to see.",
    "DOB:4/5/61Sex:M MRN:123",
    "",
    "a b c d 12 " * 30,
]


@pytest.fixture(scope="module")
def lookup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_lookup_model(tmp_path_factory.mktemp("models") / "lookup", LABELS, SAYS)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_model(tmp_path_factory.mktemp("tiny"))


def reader(folder: Path, **changes: object) -> TransformerDetector:
    return TransformerDetector(TransformerSettings.model_validate({"model": str(folder), "outside_bias": 0, **changes}))


def marked(detector: TransformerDetector | WindowDetector, text: str) -> str:
    for span in reversed(detector.detect([Document("n", text)])[0]):
        text = f"{text[: span.start]}[{span.entity}:{text[span.start : span.end]}]{text[span.end :]}"
    return text


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, "[PATIENT:a b] no [FACILITY:c]"),
        ({"entities": ["PATIENT"]}, "[PATIENT:a b] no c"),
        ({"entities": ["FACILITY", "CITY"]}, "a b no [FACILITY:c]"),
        ({"entity_bias": {"FACILITY": -9}}, "[PATIENT:a b] no c"),
        ({"outside_bias": 9}, "a b no c"),
        ({"threshold": 0.999}, "a b no c"),
    ],
)
def test_settings_of_one_model(lookup: Path, changes: dict[str, object], expected: str) -> None:
    assert marked(reader(lookup, **changes), "a b no c") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SEEN BY DR. O'BRIEN-SMITH", "Seen By Dr. O'Brien-Smith"),
        ("Pt A. LEE, MD; BP 120/80", "Pt A. Lee, Md; Bp 120/80"),
        ("McDONALD Ward", "McDONALD Ward"),
        ("ÄÖÜ ŁÓDŹ", "Äöü Łódź"),
        ("DİYAR STRASSE", "DİYAR Strasse"),
        ("", ""),
    ],
)
def test_title_capitals_keeps_every_offset(text: str, expected: str) -> None:
    assert title_capitals(text) == expected
    assert len(title_capitals(text)) == len(text)


def test_a_titled_model_sees_capitals_as_title_case(tiny: Path) -> None:
    text = "SEEN BY DR OKAFOR ON 3/14."
    plain, titled = reader(tiny, outside_bias=-2), reader(tiny, outside_bias=-2, is_titled=True)
    assert titled.read([text]) == plain.read([title_capitals(text)]) != plain.read([text])


def test_a_window_model_reads_the_note_and_not_its_sentences(tiny: Path) -> None:
    text = "PT seen by Dr. Okafor.\n\n" + "no fever on 3/14. " * 20 + "seen by dr ames"
    settings = TransformerSettings(model=str(tiny), context="window", outside_bias=-3, overlap=0.1)
    whole = TransformerDetector(settings)
    found = WindowDetector(whole).detect([Document("1", text), Document("2", ""), Document("3", text)])
    assert found[0] == found[2] != []
    assert found[1] == []
    assert [(s.start, s.end, s.entity, s.score) for s in found[0]] == [
        tuple(one) for one in whole.read([text])[0].spans
    ]
    assert max(span.end for span in found[0]) > len(text) - 20


def test_a_file_with_another_sum_than_the_settings_say_is_not_loaded(tiny: Path) -> None:
    digest = hashlib.sha256((tiny / "model.onnx").read_bytes()).hexdigest()
    reader(tiny, sha256={"model.onnx": digest.upper()})
    for name, wrong in (("model.onnx", digest[::-1]), ("model.safetensors", digest)):
        with pytest.raises(ModelError, match=f"{name} is damaged or another version.*of the settings"):
            reader(tiny, sha256={name: wrong})
    with pytest.raises(ValidationError, match="64 hexadecimal"):
        reader(tiny, sha256={"model.onnx": "abc"})


@pytest.mark.parametrize(("is_quantised", "has_units"), [(True, False), (False, False), (True, True), (False, True)])
def test_torch_computes_what_the_graph_does(tmp_path: Path, *, is_quantised: bool, has_units: bool) -> None:
    folder = write_tiny_model(tmp_path, is_quantised=is_quantised, has_units=has_units)
    chance = np.random.default_rng(0)
    sizes = (3, 24, 9, 9, 17)
    slots = (SLOTS,) if has_units else ()
    drawn = [
        (
            chance.integers(0 if has_units else 4, len(PIECES), (n, *slots)),
            chance.integers(0, 8, n),
            chance.integers(0, 4, n),
        )
        for n in sizes
    ]
    windows = Windows(*(np.concatenate(values) for values in zip(*drawn, strict=True)), bounds=bounds_of(sizes))
    onnx = TokenModel(folder, ModelSettings()).logits(windows)
    torch = TokenModel(folder, ModelSettings(backend="torch", devices=("cpu", "cpu"), batch_word_pieces=40)).logits(
        windows
    )
    half = TokenModel(folder, ModelSettings(backend="torch", precision="bfloat16", devices=("cpu",))).logits(windows)
    for part in pairwise(windows.bounds):
        one, two, three = (logits[slice(*part)] for logits in (onnx, torch, half))
        assert np.abs(one - two).mean() < (0.03 if is_quantised else 1e-4) * one.std()
        assert np.abs(two - three).mean() < 0.05 * one.std()


def write_hub_model(folder: Path) -> Path:
    """A BERT of another tool, with random weights, as `save_pretrained` writes it."""
    import torch
    from transformers import BertConfig, BertForTokenClassification

    torch.manual_seed(0)
    names = dict(enumerate(["O", "B-PER", "I-PER", "B-LOC"]))
    config = BertConfig(
        vocab_size=len(PIECES), hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64,
        max_position_embeddings=64, id2label=names, label2id={name: i for i, name in names.items()},
        initializer_range=0.8,
    )  # fmt: skip
    BertForTokenClassification(config).save_pretrained(folder)
    write_tiny_tokenizer(folder)
    return folder


@pytest.fixture(scope="module")
def hub_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_hub_model(tmp_path_factory.mktemp("hub"))


def test_any_hugging_face_model_runs_on_torch(hub_model: Path) -> None:
    model = reader(hub_model, backend="torch", outside_bias=-1, batch_word_pieces=64)
    together = model.read(TEXTS)
    assert any(answer.spans for answer in together)
    assert [len(answer.spans) for answer in together] == [len(model.read([text])[0].spans) for text in TEXTS]


def test_what_torch_will_not_read(hub_model: Path, tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ModelError, match=r"model.onnx missing; model.safetensors is read with `backend: torch`"):
        reader(hub_model)
    with pytest.raises(ModelError, match="device 'cuda:77' is not available"):
        reader(tiny, backend="torch", devices=["cuda:77"])
    with pytest.raises(ModelError, match="precision bfloat16 needs `backend: torch`"):
        reader(tiny, precision="bfloat16")
    pickled = tmp_path / "pickled"
    pickled.mkdir()
    for name in ("config.json", "tokenizer.json"):
        (pickled / name).write_bytes((hub_model / name).read_bytes())
    (pickled / "pytorch_model.bin").write_bytes(b"\x80\x02")
    with pytest.raises(ModelError, match=r"pytorch_model.bin may run code.*export to model.safetensors"):
        reader(pickled, backend="torch")
    for package in ("transformers", "torch"):
        monkeypatch.setitem(sys.modules, package, None)
        with pytest.raises(ModelError, match=rf"needs the extra 'gpu' \({package} is not installed\)"):
            reader(hub_model, backend="torch")


def test_a_hub_name_that_cannot_be_had_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    import huggingface_hub.constants

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(
        ModelError, match="'nobody/nothing' is not a folder, and the Hugging Face hub did not return it"
    ):
        TransformerDetector(TransformerSettings(model="nobody/nothing"))


def test_own_tensors_are_preferred_to_the_graph(tiny: Path, tmp_path: Path) -> None:
    from safetensors.numpy import save_file

    from deid_tasks.engine.detect.torch_tagger import read_graph

    folder = tmp_path / "both"
    folder.mkdir()
    for path in tiny.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    config = json.loads((folder / "config.json").read_text())
    tensors, heads, epsilon = read_graph(folder / "model.onnx")
    assert (heads, epsilon) == (config["num_attention_heads"], pytest.approx(config["layer_norm_eps"]))
    tensors["head.bias"] = tensors["head.bias"] + [99.0 if i == 1 else 0.0 for i in range(len(tensors["head.bias"]))]
    save_file({name: value.astype("float32") for name, value in tensors.items()}, folder / "model.safetensors")
    model = reader(folder, backend="torch")
    assert isinstance(model.classifier._model._runner, TorchRunner)
    assert config["model_type"] == "palimpsest-tagger"
    assert {one.entity for one in model.read(["pt a b c"])[0].spans} == {"PATIENT"}
