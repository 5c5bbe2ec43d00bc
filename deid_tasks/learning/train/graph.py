"""The ONNX graph of a tagger, written node by node with the operators that onnxruntime runs fast on a CPU.

Word embeddings are int8 rows with a scale each. Products are quantised row by row while they run: each piece has a
scale of its own, each output channel of the weights has one, and what lies between is a product of integers. So what a
piece comes out as depends on its window alone, whatever stands beside it in the batch, and a piece of large values
takes no precision from the others. All else is float32.

The pieces of a batch are rows of one matrix, and a batch holds windows of exactly one length: nothing is padded,
nothing masked.
"""

from typing import Any

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from deid_tasks.engine.text.word_groups import SLOTS
from deid_tasks.learning.train.model import EncoderShape, distance_buckets

OPSET = 21
_MICROSOFT = "com.microsoft"
RULES = "rule_ids"
"""The input of what rules say of each piece's word, where the head reads it beside the last hidden state."""
_LARGEST = 127
_ZERO = 128
"""The zero point of a row of unsigned bytes."""
_LEAST = 1e-9
"""Of a row's scale: a row of zeros is not divided by zero."""

Weights = dict[str, NDArray[np.float32]]


def build_graph(weights: Weights, shape: EncoderShape, *, is_quantised: bool) -> onnx.ModelProto:
    """Return the model of a ``Tagger``'s weights.

    Inputs ``input_ids`` and, where the weights have such embeddings, ``case_ids`` and ``gap_ids``, ``[B, L]`` (ids of
    units ``[B, L, SLOTS]``); where the head is wider than the encoder, ``rule_ids`` ``[B, L, rules]``. Output
    ``logits`` ``[B, L, labels]``.
    """
    return _Graph(weights, is_quantised=is_quantised).build(shape)


def split_scales(matrix: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """``[rows, columns]`` as int8 and a scale for each row, ``[rows, 1]``."""
    scales = np.maximum(np.abs(matrix).max(axis=1, keepdims=True) / _LARGEST, 1e-12).astype(np.float32)
    return np.round(matrix / scales).astype(np.int8), scales


class _Graph:
    def __init__(self, weights: Weights, *, is_quantised: bool) -> None:
        self._weights = weights
        self._is_quantised = is_quantised
        self._nodes: list[onnx.NodeProto] = []
        self._constants: dict[str, onnx.TensorProto] = {}

    def build(self, shape: EncoderShape) -> onnx.ModelProto:
        labels = len(self._weights["head.bias"])
        x = self._embedded(shape)
        distances = ["", self._distances(shape)] if shape.buckets else []
        for layer in range(shape.layers):
            x = self._layer(x, f"layers.{layer}.", shape, distances)
        sizes: list[str | int] = ["batch", "length"]
        names = ["input_ids", *(["case_ids", "gap_ids"] if "case.weight" in self._weights else [])]
        inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, sizes) for name in names]
        if "slot" in self._weights:
            inputs[0] = helper.make_tensor_value_info("input_ids", TensorProto.INT64, [*sizes, SLOTS])
        if rules := self._weights["head.weight"].shape[1] - shape.hidden:
            inputs.append(helper.make_tensor_value_info(RULES, TensorProto.FLOAT, [*sizes, rules]))
            flat = self._constant("rules.flat", np.array([-1, rules], np.int64))
            x = self._add("Concat", [x, self._add("Reshape", [RULES, flat], "rules.rows")], "joined", axis=1)
        rows = self._plus(self._float_product(x, "head"), "head.bias")
        self._add("Reshape", [rows, self._sizes("of_labels", labels)], "logits")
        graph = helper.make_graph(
            self._nodes,
            "tagger",
            inputs,
            [helper.make_tensor_value_info("logits", TensorProto.FLOAT, [*sizes, labels])],
            list(self._constants.values()),
        )
        opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(_MICROSOFT, 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=10, producer_name="palimpsest")

    def _embedded(self, shape: EncoderShape) -> str:
        """``[B * L, hidden]``: what the layers begin with."""
        table, scales = split_scales(self._weights["word.weight"])
        if has_units := "slot" in self._weights:
            scales[shape.padding] = 0  # an empty slot adds nothing
        rows = self._add("Gather", [self._constant("word.rows", table), "input_ids"], "word.row")
        row = self._add("Cast", [rows], "word.float", to=TensorProto.FLOAT)
        scale = self._add("Gather", [self._constant("word.scales", scales), "input_ids"], "word.scale")
        word = self._add("Mul", [row, scale], "word")
        if has_units:
            weighed = self._add("Mul", [word, self._own("slot")], "weighed")
            slots = self._constant("slots", np.array([2], np.int64))
            word = self._add("ReduceSum", [weighed, slots], "united", keepdims=0)
        self._add("Shape", ["input_ids"], "size", start=0, end=2)
        self._add("Shape", ["input_ids"], "length", start=1, end=2)
        zero = self._constant("zero", np.array([0], np.int64))
        position = self._add("Slice", [self._own("position.weight"), zero, "length"], "position")
        total = self._add("Add", [word, position], "placed")
        if "case.weight" in self._weights:
            case = self._add("Gather", [self._own("case.weight"), "case_ids"], "case")
            gap = self._add("Gather", [self._own("gap.weight"), "gap_ids"], "gap")
            total = self._add("Add", [total, self._add("Add", [case, gap], "written")], "embedded")
        flat = self._constant("flat", np.array([-1, shape.hidden], np.int64))
        self._sizes("of_hidden", shape.hidden)
        if self._is_quantised:
            self._add("ReduceProd", ["size"], "count", keepdims=1)
            self._add("Expand", [self._constant("zero.byte", np.array(_ZERO, np.uint8)), "count"], "zero.bytes")
        return self._norm(self._add("Reshape", [total, flat], "embedded.rows"), "norm", shape)

    def _distances(self, shape: EncoderShape) -> str:
        """``[1, heads, L, L]``: what is added to the scores of attention."""
        table = torch.from_numpy(self._weights["distance.weight"])
        last = shape.positions - 1
        biases = table[distance_buckets(torch.arange(-last, last + 1), shape.buckets)].numpy()
        one, zero = self._constant("one.place", np.array(1, np.int64)), self._constant("none", np.array(0, np.int64))
        count = self._add("Squeeze", ["length"], "places.count")
        places = self._add("Range", [zero, count, one], "places")
        columns = self._add("Unsqueeze", [places, self._constant("axis", np.array([1], np.int64))], "columns")
        offsets = self._add("Sub", [places, columns], "offsets")
        rows = self._add("Add", [offsets, self._constant("last", np.array(last, np.int64))], "distance.rows")
        found = self._add("Gather", [self._constant("distance.biases", biases), rows], "distance.found")
        by_head = self._add("Transpose", [found], "distance.by_head", perm=[2, 0, 1])
        return self._add("Unsqueeze", [by_head, "zero"], "distance")

    def _layer(self, x: str, at: str, shape: EncoderShape, distances: list[str]) -> str:
        """Return one layer over rows. The fused operators for skip and norm, bias and GELU are slower than their
        parts, and so is a mask.
        """
        hidden = shape.hidden
        matrices = np.split(self._weights[f"{at}qkv.weight"], 3)
        biases = np.split(self._weights[f"{at}qkv.bias"], 3)
        source = self._quantised(x, f"{at}qkv")
        query, key, value = (
            self._product(source, f"{at}{part}", matrix)
            for part, matrix in zip(("query", "key", "value"), matrices, strict=True)
        )
        # A bias of the keys moves all scores of a row alike, and one of the values all rows alike: the first is left
        # out, the second is a part of the next bias.
        query = self._plus(query, f"{at}query.bias", biases[0])
        out = self._weights[f"{at}out.weight"]
        out_bias = self._weights[f"{at}out.bias"] + out @ biases[2]
        parts = [self._add("Reshape", [part, "of_hidden"], f"{part}.windows") for part in (query, key, value)]
        mixed = self._add(
            "MultiHeadAttention",
            [*parts, *(["", *distances] if distances else [])],
            f"{at}mixed",
            _MICROSOFT,
            num_heads=shape.heads,
        )
        rows = self._add(
            "Reshape", [mixed, self._constant("flat", np.array([-1, hidden], np.int64))], f"{at}mixed.rows"
        )
        attended = self._plus(
            self._product(self._quantised(rows, f"{at}out"), f"{at}out", out), f"{at}out.bias", out_bias
        )
        y = self._norm(self._add("Add", [attended, x], f"{at}skip1"), f"{at}norm1", shape)
        up = self._product(self._quantised(y, f"{at}up"), f"{at}up", self._weights[f"{at}up.weight"])
        inner = self._add("Gelu", [self._plus(up, f"{at}up.bias")], f"{at}inner")
        down = self._product(self._quantised(inner, f"{at}down"), f"{at}down", self._weights[f"{at}down.weight"])
        return self._norm(self._add("Add", [self._plus(down, f"{at}down.bias"), y], f"{at}skip2"), f"{at}norm2", shape)

    def _norm(self, x: str, name: str, shape: EncoderShape) -> str:
        inputs = [x, self._own(f"{name}.weight"), self._own(f"{name}.bias")]
        return self._add("LayerNormalization", inputs, f"{name}.out", axis=-1, epsilon=shape.epsilon)

    def _quantised(self, x: str, name: str) -> tuple[str, str]:
        """Return rows as bytes, and the scale of each, ``[rows, 1]``; the rows themselves in a float graph."""
        if not self._is_quantised:
            return x, ""
        last = self._constant("last.axis", np.array([-1], np.int64))
        highest = self._add("ReduceMax", [x, last], f"{name}.highest", keepdims=0)
        lowest = self._add("ReduceMin", [x, last], f"{name}.lowest", keepdims=0)
        depth = self._add("Neg", [lowest], f"{name}.depth")
        reach = self._add("Max", [highest, depth], f"{name}.reach")
        share = self._add("Mul", [reach, self._constant("share", np.array(1 / _LARGEST, np.float32))], f"{name}.share")
        scale = self._add("Max", [share, self._constant("least", np.array(_LEAST, np.float32))], f"{name}.scale")
        rows = self._add("QuantizeLinear", [x, scale, "zero.bytes"], f"{name}.bytes", axis=0)
        return rows, self._add("Unsqueeze", [scale, last], f"{name}.scales")

    def _product(self, source: tuple[str, str], name: str, matrix: NDArray[np.float32]) -> str:
        """Return rows times the transposed ``matrix``, ``[outputs, inputs]``."""
        rows, scales = source
        if not scales:
            return self._float_product(rows, name, matrix)
        integers, of_channels = split_scales(matrix)
        inputs = [
            rows,
            self._constant(f"{name}.W", integers.T),
            self._constant("unit", np.array(1, np.float32)),
            self._constant(f"{name}.W.scales", of_channels[:, 0]),
            self._constant("zero.byte", np.array(_ZERO, np.uint8)),
        ]
        counted = self._add("MatMulIntegerToFloat", inputs, f"{name}.counted", _MICROSOFT)
        return self._add("Mul", [counted, scales], f"{name}.product")

    def _float_product(self, rows: str, name: str, matrix: NDArray[np.float32] | None = None) -> str:
        matrix = self._weights[f"{name}.weight"] if matrix is None else matrix
        return self._add("MatMul", [rows, self._constant(f"{name}.W", matrix.T)], f"{name}.product")

    def _plus(self, x: str, name: str, bias: NDArray[np.float32] | None = None) -> str:
        bias = self._weights[name] if bias is None else bias
        return self._add("Add", [x, self._constant(name, bias.astype(np.float32))], f"{name}.sum")

    def _sizes(self, name: str, last: int) -> str:
        """Return the sizes of a batch of windows with ``last`` values a piece."""
        return self._add("Concat", ["size", self._constant(f"{name}.last", np.array([last], np.int64))], name, axis=0)

    def _own(self, name: str) -> str:
        return self._constant(name, self._weights[name])

    def _constant(self, name: str, value: NDArray[np.generic]) -> str:
        if name not in self._constants:
            self._constants[name] = numpy_helper.from_array(np.ascontiguousarray(value), name)
        return name

    def _add(self, kind: str, inputs: list[str], output: str, domain: str = "", **attributes: Any) -> str:
        self._nodes.append(helper.make_node(kind, inputs, [output], name=output, domain=domain, **attributes))
        return output
