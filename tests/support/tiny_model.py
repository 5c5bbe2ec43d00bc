"""A tiny encoder with random weights: everything a training does, in seconds."""

import json
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from deid_tasks.learning.train.encoders import write_tokenizer

PIECES = [
    "[PAD]", "[UNK]", "[CLS]", "[SEP]", *"abcdefghijklmnopqrstuvwxyz0123456789.,:;/()-'",
    *(f"##{c}" for c in "abcdefghijklmnopqrstuvwxyz0123456789"),
    "seen", "by", "dr", "on", "pt", "no", "fever",
]  # fmt: skip


def write_tiny_tokenizer(folder: Path) -> Path:
    """A word-piece tokenizer of letters, digits and a few words, with the normaliser of an uncased BERT."""
    special = [
        {
            "id": i,
            "content": PIECES[i],
            "single_word": False,
            "lstrip": False,
            "rstrip": False,
            "normalized": False,
            "special": True,
        }
        for i in range(4)
    ]
    (folder / "plain.json").write_text(
        json.dumps(
            {
                "version": "1.0",
                "truncation": None,
                "padding": None,
                "added_tokens": special,
                "normalizer": {
                    "type": "BertNormalizer",
                    "clean_text": True,
                    "handle_chinese_chars": True,
                    "strip_accents": None,
                    "lowercase": True,
                },
                "pre_tokenizer": {"type": "BertPreTokenizer"},
                "post_processor": {
                    "type": "TemplateProcessing",
                    "single": [
                        {"SpecialToken": {"id": "[CLS]", "type_id": 0}},
                        {"Sequence": {"id": "A", "type_id": 0}},
                        {"SpecialToken": {"id": "[SEP]", "type_id": 0}},
                    ],
                    "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
                    "special_tokens": {
                        "[CLS]": {"id": "[CLS]", "ids": [2], "tokens": ["[CLS]"]},
                        "[SEP]": {"id": "[SEP]", "ids": [3], "tokens": ["[SEP]"]},
                    },
                },
                "decoder": None,
                "model": {
                    "type": "WordPiece",
                    "unk_token": "[UNK]",
                    "continuing_subword_prefix": "##",
                    "max_input_chars_per_word": 100,
                    "vocab": {p: i for i, p in enumerate(PIECES)},
                },
            }
        )
    )
    write_tokenizer(folder / "plain.json", folder / "tokenizer.json")
    return folder / "tokenizer.json"


def tiny_tagger(seed: int = 0, *, has_units: bool = False) -> "Tagger":  # noqa: F821
    """Random weights; some words come out as identifiers and some do not."""
    import torch

    from deid_tasks.learning.train.model import EncoderShape, Tagger

    torch.manual_seed(seed)
    shape = EncoderShape(len(PIECES), hidden=32, heads=4, layers=2, inner=64, positions=64)
    tagger = Tagger(shape, has_units=has_units).eval()
    with torch.no_grad():
        for parameter in tagger.parameters():
            if parameter.ndim > 1:
                parameter.normal_(std=0.4)
        tagger.head.bias[0] = 5.0
    return tagger


def write_tiny_model(
    folder: Path, *, is_quantised: bool = True, seed: int = 0, window: int = 24, has_units: bool = False
) -> Path:
    """A model folder with random weights, whose decisions depend on every piece."""
    from deid_tasks.learning.train.export import export

    folder.mkdir(parents=True, exist_ok=True)
    tagger = tiny_tagger(seed, has_units=has_units)
    return export(tagger, write_tiny_tokenizer(folder), folder / "model", window, is_quantised=is_quantised)


SIZES = {
    "vocab_size": len(PIECES), "hidden_size": 32, "num_attention_heads": 4, "num_hidden_layers": 3,
    "intermediate_size": 64,
    "max_position_embeddings": 66,
}  # fmt: skip


def save_encoder(kind: str, folder: Path, positions: int = 66, hidden: int = 32) -> Path:
    """A tiny encoder with random weights as its library saves it."""
    import torch
    import transformers

    torch.manual_seed(1)
    sizes = SIZES | {"max_position_embeddings": positions, "hidden_size": hidden}
    if kind == "bert":
        model = transformers.BertModel(transformers.BertConfig(**sizes, pad_token_id=0))
    elif kind == "roberta":
        model = transformers.RobertaModel(transformers.RobertaConfig(**sizes, pad_token_id=1, layer_norm_eps=1e-5))
    else:
        model = transformers.MPNetModel(transformers.MPNetConfig(**sizes, pad_token_id=1))
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.ndim > 1:
                parameter.normal_(std=0.2)
    model.save_pretrained(folder)
    write_tiny_tokenizer(folder)
    return folder


def write_lookup_model(folder: Path, labels: list[str], says: dict[str, str]) -> Path:
    """A model as other tools export them: BIO labels, the usual three inputs; each piece has the label of a table."""
    folder.mkdir()
    write_tiny_tokenizer(folder)
    table = np.zeros((len(PIECES), len(labels)), np.float32)
    table[:, 0] = 4.0
    for piece, label in says.items():
        table[PIECES.index(piece), labels.index(label)] = 8.0
    inputs = ("input_ids", "attention_mask", "token_type_ids")
    graph = helper.make_graph(
        [
            helper.make_node("Gather", ["table", "input_ids"], ["logits"]),
            helper.make_node("Add", ["attention_mask", "token_type_ids"], ["unused"]),
        ],
        "lookup",
        [helper.make_tensor_value_info(name, TensorProto.INT64, ["b", "l"]) for name in inputs],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["b", "l", len(labels)])],
        [numpy_helper.from_array(table, "table")],
    )
    onnx.save(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), folder / "model.onnx"
    )
    (folder / "config.json").write_text(json.dumps({"model_type": "bert", "id2label": dict(enumerate(labels))}))
    return folder
