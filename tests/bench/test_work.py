"""Multiplications are counted in the ONNX file itself, and the machine's are measured by doing some."""

import json
from pathlib import Path

import onnxruntime
import pytest

from deid_tasks.bench import bfloat16_peak, int8_peak, multiply_adds_a_piece
from deid_tasks.bench.work import _product_model
from deid_tasks.core.errors import ModelError


def test_a_product_of_two_matrices(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(_product_model(32))
    assert multiply_adds_a_piece(path) == 32 * 32
    assert onnxruntime.InferenceSession(str(path)).get_outputs()[0].shape == [32, 32]


def test_safetensors_count_matrices_and_no_tables(tmp_path: Path) -> None:
    head = json.dumps({"layer.weight": {"shape": [3, 5]}, "embeddings.word": {"shape": [9, 5]}, "bias": {"shape": [5]}})
    path = tmp_path / "model.safetensors"
    path.write_bytes(len(head).to_bytes(8, "little") + head.encode())
    assert multiply_adds_a_piece(path) == 15
    path.write_bytes(b"nothing of the kind")
    with pytest.raises(ModelError, match="safetensors"):
        multiply_adds_a_piece(path)


@pytest.mark.parametrize("content", [b"no model", b"\xff" * 40, b"\x3a\x7f"])
def test_what_is_no_model_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(content)
    with pytest.raises(ModelError, match=r"model\.onnx"):
        multiply_adds_a_piece(path)


def test_the_peak_is_a_rate() -> None:
    assert int8_peak(0.01, 64) > 1e6


def test_a_gpu_that_is_not_there_is_named() -> None:
    torch = pytest.importorskip("torch")
    assert bfloat16_peak("cpu", 64, 2) > 1e6
    if not torch.cuda.is_available():
        with pytest.raises(ModelError, match="GPU"):
            bfloat16_peak()
