"""From a trained tagger to a folder that the detector loads: an int8 ONNX graph, the tokenizer and a configuration.

The graph is written node by node with the operators onnxruntime has for transformers, so that it says exactly what is
computed: word embeddings as int8 rows with a scale each, matrix products quantised while they run with a scale for each
output channel of the weights, everything else in float32.
"""

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic

from deid_tasks.train.labels import LABELS
from deid_tasks.train.model import Tagger, TrunkShape, distance_buckets

OPSET = 17
_MICROSOFT = "com.microsoft"
_INPUTS = ("input_ids", "attention_mask", "case_ids", "gap_ids")


def export(
    tagger: Tagger,
    tokenizer: Path,
    folder: Path,
    window: int = 128,
    stride: int | None = None,
    *,
    is_quantised: bool = True,
) -> Path:
    """Write ``model.onnx``, ``tokenizer.json`` and ``config.json`` to ``folder`` and return it.

    The configuration lists the SHA-256 of the two other files; the detector refuses a folder where they differ.
    """
    folder.mkdir(parents=True, exist_ok=True)
    weights = folder / "model.onnx"
    graph = _Graph({name: value.detach().numpy() for name, value in tagger.state_dict().items()})
    onnx.save(graph.build(tagger.shape), weights)
    if is_quantised:
        quantize_dynamic(
            weights,
            weights,
            op_types_to_quantize=["MatMul"],
            nodes_to_exclude=["head"],
            per_channel=True,
            weight_type=QuantType.QInt8,
            extra_options={"DefaultTensorType": TensorProto.FLOAT},
        )
    shutil.copyfile(tokenizer, folder / "tokenizer.json")
    config = {
        "model_type": "palimpsest-tagger",
        "id2label": dict(enumerate(LABELS)),
        "max_position_embeddings": tagger.shape.positions,
        "pad_token_id": tagger.shape.padding,
        "palimpsest": {
            "window": window,
            "stride": stride or window * 3 // 4,
            "pieces": "mean",
            "sha256": {name: _sha256(folder / name) for name in ("model.onnx", "tokenizer.json")},
        },
    }
    (folder / "config.json").write_text(json.dumps(config, indent=1) + "\n", encoding="utf-8")
    return folder


class _Graph:
    """Builds the ONNX graph of a ``Tagger`` from its weights."""

    def __init__(self, weights: dict[str, NDArray[np.float32]]) -> None:
        self._weights = weights
        self._nodes: list[onnx.NodeProto] = []
        self._constants: list[onnx.TensorProto] = []

    def build(self, shape: TrunkShape) -> onnx.ModelProto:
        """The whole model: four inputs ``[B, L]``, output ``logits`` ``[B, L, labels]``."""
        x = self._embedded(shape)
        distances = [self._distances(shape)] if shape.buckets else []
        for layer in range(shape.layers):
            x = self._layer(x, f"layers.{layer}.", shape, distances)
        product = self._add(
            "MatMul", [x, self._constant("head.W", self._weights["head.weight"].T)], "head.product", name="head"
        )
        self._add("Add", [product, self._own("head.bias")], "logits")
        sizes = ["batch", "length"]
        graph = helper.make_graph(
            self._nodes,
            "tagger",
            [helper.make_tensor_value_info(name, TensorProto.INT64, sizes) for name in _INPUTS],
            [helper.make_tensor_value_info("logits", TensorProto.FLOAT, [*sizes, len(self._weights["head.bias"])])],
            self._constants,
        )
        opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(_MICROSOFT, 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=9, producer_name="palimpsest")

    def _embedded(self, shape: TrunkShape) -> str:
        table = self._weights["word.weight"]
        scales = np.maximum(np.abs(table).max(axis=1, keepdims=True) / 127, 1e-12).astype(np.float32)
        rows = self._add(
            "Gather", [self._constant("word.rows", np.round(table / scales).astype(np.int8)), "input_ids"], "word.row"
        )
        row = self._add("Cast", [rows], "word.float", to=TensorProto.FLOAT)
        scale = self._add("Gather", [self._constant("word.scales", scales), "input_ids"], "word.scale")
        word = self._add("Mul", [row, scale], "word")
        self._add("Shape", ["input_ids"], "length", start=1, end=2)
        zero = self._constant("zero", np.array([0], np.int64))
        position = self._add("Slice", [self._own("position.weight"), zero, "length"], "position")
        case = self._add("Gather", [self._own("case.weight"), "case_ids"], "case")
        gap = self._add("Gather", [self._own("gap.weight"), "gap_ids"], "gap")
        self._add("Cast", ["attention_mask"], "mask", to=TensorProto.INT32)
        placed = self._add("Add", [word, position], "placed")
        written = self._add("Add", [case, gap], "written")
        total = self._add("Add", [placed, written], "embedded")
        norm = [total, self._own("norm.weight"), self._own("norm.bias")]
        return self._add("LayerNormalization", norm, "x", axis=-1, epsilon=shape.epsilon)

    def _distances(self, shape: TrunkShape) -> str:
        """``[1, heads, L, L]``: what is added to the scores of attention."""
        table = torch.from_numpy(self._weights["distance.weight"])
        last = shape.positions - 1
        biases = table[distance_buckets(torch.arange(-last, last + 1), shape.buckets)].numpy()
        one, zero = self._constant("one", np.array(1, np.int64)), self._constant("none", np.array(0, np.int64))
        count = self._add("Squeeze", ["length"], "count")
        places = self._add("Range", [zero, count, one], "places")
        columns = self._add("Unsqueeze", [places, self._constant("axis", np.array([1], np.int64))], "columns")
        offsets = self._add("Sub", [places, columns], "offsets")
        rows = self._add("Add", [offsets, self._constant("last", np.array(last, np.int64))], "distance.rows")
        found = self._add("Gather", [self._constant("distance.biases", biases), rows], "distance.found")
        by_head = self._add("Transpose", [found], "distance.by_head", perm=[2, 0, 1])
        return self._add("Unsqueeze", [by_head, "zero"], "distance")

    def _layer(self, x: str, at: str, shape: TrunkShape, distances: list[str]) -> str:
        qkv = self._add("Add", [self._product(x, f"{at}qkv"), self._own(f"{at}qkv.bias")], f"{at}qkv.sum")
        sizes = self._constant(f"{at}sizes", np.full(3, shape.hidden, np.int64))
        parts = [f"{at}query", f"{at}key", f"{at}value"]
        self._nodes.append(helper.make_node("Split", [qkv, sizes], parts, axis=-1))
        mixed = self._add(
            "MultiHeadAttention", [*parts, "", "mask", *distances], f"{at}mixed", _MICROSOFT, num_heads=shape.heads
        )
        y = self._joined(self._product(mixed, f"{at}out"), x, f"{at}norm1", f"{at}out.bias", shape)
        inner = self._add(
            "BiasGelu", [self._product(y, f"{at}up"), self._own(f"{at}up.bias")], f"{at}inner", _MICROSOFT
        )
        return self._joined(self._product(inner, f"{at}down"), y, f"{at}norm2", f"{at}down.bias", shape)

    def _joined(self, x: str, skip: str, norm: str, bias: str, shape: TrunkShape) -> str:
        inputs = [x, skip, self._own(f"{norm}.weight"), self._own(f"{norm}.bias"), self._own(bias)]
        return self._add("SkipLayerNormalization", inputs, f"{norm}.out", _MICROSOFT, epsilon=shape.epsilon)

    def _product(self, x: str, name: str) -> str:
        return self._add(
            "MatMul", [x, self._constant(f"{name}.W", self._weights[f"{name}.weight"].T)], f"{name}.product"
        )

    def _own(self, name: str) -> str:
        if all(constant.name != name for constant in self._constants):
            self._constant(name, self._weights[name])
        return name

    def _constant(self, name: str, value: NDArray[np.generic]) -> str:
        self._constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def _add(
        self, kind: str, inputs: list[str], output: str, domain: str = "", name: str = "", **attributes: Any
    ) -> str:
        self._nodes.append(helper.make_node(kind, inputs, [output], name=name or output, domain=domain, **attributes))
        return output


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
