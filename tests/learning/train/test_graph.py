"""The graph that is exported says what the network says, in floats exactly and in bytes nearly, whatever the batch."""

import numpy as np
import onnx
import onnxruntime
import pytest
import torch

from deid_tasks.engine.text.word_groups import SLOTS
from deid_tasks.learning.train.graph import build_graph, split_scales
from deid_tasks.learning.train.model import EncoderShape, Tagger
from tests.support.tiny_model import PIECES, tiny_tagger


def distant_tagger() -> Tagger:
    """With biases by distance, as MPNet has them."""
    torch.manual_seed(3)
    tagger = Tagger(EncoderShape(len(PIECES), hidden=32, heads=4, layers=2, inner=64, positions=64, buckets=32)).eval()
    with torch.no_grad():
        for parameter in tagger.parameters():
            if parameter.ndim > 1:
                parameter.normal_(std=0.3)
            else:
                parameter.add_(torch.randn_like(parameter) * 0.2)
    return tagger


def opened(tagger: Tagger, *, is_quantised: bool) -> onnxruntime.InferenceSession:
    weights = {name: value.numpy() for name, value in tagger.state_dict().items()}
    model = build_graph(weights, tagger.shape, is_quantised=is_quantised)
    onnx.checker.check_model(model)
    options = onnxruntime.SessionOptions()
    # As the detector opens a graph: without it, processors without VNNI overflow.
    options.add_session_config_entry("session.x64quantprecision", "1")
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def unit_tagger() -> Tagger:
    """Reads units."""
    return tiny_tagger(5, has_units=True)


def feed(tagger: Tagger, batch: int, length: int, seed: int = 0) -> dict[str, np.ndarray]:
    chance = np.random.default_rng(seed)
    ids = chance.integers(4, len(PIECES), (batch, length, SLOTS))
    ids[:, :, 1:][chance.random((batch, length, SLOTS - 1)) < 0.7] = tagger.shape.padding
    return {
        "input_ids": ids if tagger.has_units else ids[:, :, 0],
        "case_ids": chance.integers(0, 8, (batch, length)),
        "gap_ids": chance.integers(0, 4, (batch, length)),
    }


def from_torch(tagger: Tagger, given: dict[str, np.ndarray]) -> np.ndarray:
    tensors = [torch.from_numpy(value) for value in given.values()]
    with torch.no_grad():
        return tagger(*tensors, torch.ones_like(tensors[1], dtype=torch.bool)).numpy()


@pytest.mark.parametrize("make", [tiny_tagger, distant_tagger, unit_tagger])
def test_float_graph_is_the_network(make):
    tagger = make()
    rows, scales = split_scales(tagger.word.weight.detach().numpy())  # these are bytes in both graphs
    tagger.word.weight.data = torch.from_numpy(rows * scales)
    given = feed(tagger, 3, 11)
    found = opened(tagger, is_quantised=False).run(None, given)[0]
    np.testing.assert_allclose(found, from_torch(tagger, given), atol=1e-4)


@pytest.mark.parametrize("make", [tiny_tagger, distant_tagger, unit_tagger])
def test_int8_graph_is_near_the_network(make):
    tagger = make()
    given = feed(tagger, 8, 20)
    exact = from_torch(tagger, given)
    found = opened(tagger, is_quantised=True).run(None, given)[0]
    assert np.abs(found - exact).mean() < 0.05 * exact.std()
    assert (found.argmax(-1) == exact.argmax(-1)).mean() > 0.9  # of thirty labels drawn by chance, many nearly tied


@pytest.mark.parametrize("make", [tiny_tagger, distant_tagger, unit_tagger])
def test_int8_answers_are_the_same_to_the_last_bit_in_any_batch(make):
    tagger = make()
    session = opened(tagger, is_quantised=True)
    for length in (3, 7, 16, 33):
        given = feed(tagger, 19, length)
        together = session.run(None, given)[0]
        for row in range(19):
            alone = session.run(None, {name: value[row : row + 1] for name, value in given.items()})[0]
            assert (alone[0] == together[row]).all()


def test_split_scales_keeps_a_row_within_half_a_step():
    matrix = np.random.default_rng(1).normal(size=(5, 40)).astype(np.float32) * np.array([[1e-6], [1], [50], [0], [3]])
    integers, scales = split_scales(matrix.astype(np.float32))
    assert integers.dtype == np.int8
    assert (np.abs(integers * scales - matrix) <= scales / 2 * 1.001).all()
