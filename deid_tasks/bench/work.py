"""Multiply-adds: how many a model needs, from its file of weights, and how many the machine can do, by measurement."""

import json
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnxruntime

from deid_tasks.core.errors import ModelError

_PRODUCTS = ("MatMul", "MatMulInteger", "MatMulIntegerToFloat", "DynamicQuantizeMatMul", "QLinearMatMul", "Gemm")
_VARINT, _BYTES = 0, 2
_UINT8, _INT8, _INT32 = 2, 3, 6


def multiply_adds_a_piece(path: Path) -> int:
    """Return the multiply-adds that a model needs for one word piece, in matrix products with fixed weights.

    Attention's own products, which grow with the sentence, and everything else are left out.

    Args:
        path: the model, ONNX or safetensors.

    Raises:
        ModelError: the file is not such a model.
    """
    if path.suffix == ".safetensors":
        return _in_tensors(path)
    sizes: dict[bytes, int] = {}
    used: list[bytes] = []
    try:
        for number, graph in _fields(path.read_bytes()):
            if number != 7 or not isinstance(graph, bytes):
                continue
            for part, content in _fields(graph):
                if part == 5 and isinstance(content, bytes):
                    name, size = _tensor(content)
                    sizes[name] = size
                elif part == 1 and isinstance(content, bytes):
                    used += _weights(content)
    except (IndexError, ValueError):
        raise ModelError(f"{path} is not an ONNX model") from None
    return sum(sizes.get(name, 0) for name in used)


def _in_tensors(path: Path) -> int:
    """Count the matrices in a safetensors file's header, without tables that are looked up and not multiplied."""
    try:
        with path.open("rb") as file:
            head = json.loads(file.read(int.from_bytes(file.read(8), "little")))
        shapes = {name: one["shape"] for name, one in head.items() if name != "__metadata__"}
    except (ValueError, KeyError, TypeError, MemoryError, OverflowError):
        raise ModelError(f"{path} is not a safetensors file") from None
    looked_up = ("embed", "case.", "gap.", "distance", "position")
    return sum(
        shape[0] * shape[1]
        for name, shape in shapes.items()
        if len(shape) == 2 and not any(word in name for word in looked_up)
    )


def _tensor(content: bytes) -> tuple[bytes, int]:
    """Return name and elements of an initializer; 0 elements if it is not a matrix."""
    dims: list[int] = []
    name = b""
    for number, value in _fields(content):
        if number == 1:
            if isinstance(value, int):
                dims.append(value)
            else:
                position = 0
                while position < len(value):
                    one, position = _varint(value, position)
                    dims.append(one)
        elif number == 8 and isinstance(value, bytes):
            name = value
    return name, dims[0] * dims[1] if len(dims) == 2 else 0


def _weights(node: bytes) -> list[bytes]:
    """Return the inputs of a node that is a matrix product."""
    inputs: list[bytes] = []
    kind = b""
    for number, value in _fields(node):
        if number == 1 and isinstance(value, bytes):
            inputs.append(value)
        elif number == 4 and isinstance(value, bytes):
            kind = value
    return inputs if kind.decode() in _PRODUCTS else []


def _fields(content: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Yield the fields of one Protocol Buffers message, by number."""
    position = 0
    while position < len(content):
        key, position = _varint(content, position)
        kind = key & 7
        if kind == _VARINT:
            value, position = _varint(content, position)
            yield key >> 3, value
            continue
        if kind == _BYTES:
            size, position = _varint(content, position)
        elif kind in (1, 5):
            size = 8 if kind == 1 else 4
        else:
            raise ValueError("wire type")
        if position + size > len(content):
            raise ValueError("length")
        yield key >> 3, content[position : position + size]
        position += size


def _varint(content: bytes, position: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = content[position]
        value |= (byte & 127) << shift
        position, shift = position + 1, shift + 7
        if byte < 128:
            return value, position
        if shift > 63:
            raise ValueError("varint")


def int8_peak(seconds: float = 1.0, size: int = 1_024) -> float:
    """Return the multiply-adds per processor second of one onnxruntime thread in an int8 product; the best of several
    runs."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(_product_model(size), options, providers=["CPUExecutionProvider"])
    rows = np.random.default_rng(1).integers(0, 255, (size, size), np.uint8)
    session.run(None, {"A": rows})
    best = 0.0
    ends = time.process_time() + seconds
    while time.process_time() < ends or not best:
        began = time.process_time()
        for _ in range(4):
            session.run(None, {"A": rows})
        best = max(best, 4 * size**3 / (time.process_time() - began))
    return best


def bfloat16_peak(device: str = "cuda", size: int = 8_192, repeats: int = 20) -> float:
    """Return the multiply-adds per second that ``device`` reaches in a product of bfloat16 matrices.

    Raises:
        ModelError: PyTorch is not installed, or has no such device.
    """
    try:
        import torch
    except ModuleNotFoundError:
        raise ModelError("the bfloat16 peak needs PyTorch: pip install torch") from None
    if device.startswith("cuda") and not torch.cuda.is_available():
        raise ModelError("the bfloat16 peak needs a GPU, and PyTorch sees none")
    matrix = torch.randn(size, size, device=device, dtype=torch.bfloat16)

    def wait() -> None:
        if device.startswith("cuda"):
            torch.cuda.synchronize()

    matrix @ matrix
    wait()
    began = time.perf_counter()
    for _ in range(repeats):
        matrix @ matrix
    wait()
    return repeats * size**3 / (time.perf_counter() - began)


def _product_model(size: int) -> bytes:
    """Return an ONNX model of one node, ``Y = A · B`` of int8, with a fixed ``B`` like a layer's weights."""
    weights = np.random.default_rng(2).integers(-127, 127, (size, size), np.int8)
    tensor = _number(1, size) + _number(1, size) + _number(2, _INT8) + _text(8, b"B") + _text(9, weights.tobytes())
    node = _text(1, b"A") + _text(1, b"B") + _text(2, b"Y") + _text(4, b"MatMulInteger")
    graph = _text(1, node) + _text(2, b"product") + _text(5, tensor)
    graph += _text(11, _value(b"A", _UINT8, size)) + _text(12, _value(b"Y", _INT32, size))
    return _number(1, 8) + _text(7, graph) + _text(8, _number(2, 13))


def _value(name: bytes, kind: int, size: int) -> bytes:
    shape = _text(1, _number(1, size)) * 2
    return _text(1, name) + _text(2, _text(1, _number(1, kind) + _text(2, shape)))


def _number(field: int, value: int) -> bytes:
    return bytes([field << 3 | _VARINT]) + _as_varint(value)


def _text(field: int, value: bytes) -> bytes:
    return bytes([field << 3 | _BYTES]) + _as_varint(len(value)) + value


def _as_varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])
