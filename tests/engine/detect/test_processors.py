"""Processors with products of bytes in 32 bits and those without compute the same integers, each in its fastest way."""

import numpy as np
import onnxruntime
import pytest

from deid_tasks.engine.detect.model_files import find_model
from deid_tasks.engine.detect.onnx_runner import has_vnni, session_options

ENTRY = "session.x64quantprecision"


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ("flags\t\t: fpu sse2 avx2 avx512f avx512_vnni", True),
        ("flags : fpu avx2 avx_vnni", True),
        ("flags : fpu avx2 avx512f avx512_vnni_not_quite", False),
        ("flags : fpu sse2 avx2\nbugs : avx_vnni", False),
        ("Features : fp asimd asimddp", False),
        ("", False),
    ],
)
def test_vnni_is_read_from_the_processors_flags(tmp_path, flags, expected):
    path = tmp_path / "cpuinfo"
    path.write_text(f"processor : 0\n{flags}\n")
    assert has_vnni(path) is expected


def test_without_a_description_nothing_is_assumed(tmp_path):
    assert has_vnni(tmp_path / "missing") is False


def test_only_processors_without_vnni_read_weights_as_unsigned():
    assert session_options(has_vnni=False).get_session_config_entry(ENTRY) == "1"
    with pytest.raises(RuntimeError):
        session_options(has_vnni=True).get_session_config_entry(ENTRY)


@pytest.mark.skipif(not has_vnni(), reason="this processor has no VNNI: bytes overflow without the entry")
def test_both_ways_give_the_same_numbers():
    path = str(find_model("minilm") / "model.onnx")
    both = [
        onnxruntime.InferenceSession(path, session_options(has_vnni=way), providers=["CPUExecutionProvider"])
        for way in (True, False)
    ]
    chance = np.random.default_rng(0)
    shapes = {entry.name: len(entry.shape) for entry in both[0].get_inputs()}
    for batch, length in ((1, 7), (5, 31)):
        feed = {
            name: chance.integers(0, 4, (batch, length)) if rank == 2 else chance.integers(5, 2_000, (batch, length, 6))
            for name, rank in shapes.items()
        }
        one, other = (session.run(None, feed)[0] for session in both)
        assert np.array_equal(one, other)
