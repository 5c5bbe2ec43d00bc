"""Chains of labels cost and say what counting all of them one by one gives."""

from itertools import pairwise, product

import numpy as np
import pytest
import torch

from deid_tasks.core.errors import ModelError
from deid_tasks.engine.detect.crf import LinearChainCrf
from deid_tasks.learning.train.losses import WordChain, first_piece_targets, word_scores

OUTPUTS, WORDS = 3, 4


@pytest.fixture
def chain() -> WordChain:
    torch.manual_seed(0)
    made = WordChain(OUTPUTS)
    with torch.no_grad():
        for parameter in made.parameters():
            parameter.normal_()
    return made


def weight(chain: WordChain, scores: torch.Tensor, labels: tuple[int, ...]) -> float:
    total = chain.start[labels[0]] + chain.end[labels[-1]] + sum(scores[i, label] for i, label in enumerate(labels))
    total = total + sum(chain.transitions[a, b] for a, b in pairwise(labels))
    return float(torch.exp(total))


def test_the_loss_is_the_share_of_what_is_allowed(chain: WordChain) -> None:
    scores = torch.randn(1, WORDS + 2, OUTPUTS)
    mask = torch.tensor([[True] * WORDS + [False] * 2])
    allowed = torch.zeros(1, WORDS + 2, OUTPUTS)
    allowed[0, 1, [0, 2]] = -1e4
    allowed[0, 2, 0] = -1e4
    with torch.no_grad():
        every = {labels: weight(chain, scores[0], labels) for labels in product(range(OUTPUTS), repeat=WORDS)}
        share = sum(w for labels, w in every.items() if labels[1] == 1 and labels[2] != 0) / sum(every.values())
        assert float(chain.loss(scores, mask, allowed)) == pytest.approx(-np.log(share) / WORDS, rel=1e-4)


def test_the_detector_gives_the_chances_of_single_words(chain: WordChain) -> None:
    scores = torch.randn(WORDS, OUTPUTS)
    with torch.no_grad():
        every = {labels: weight(chain, scores, labels) for labels in product(range(OUTPUTS), repeat=WORDS)}
    expected = np.zeros((WORDS, OUTPUTS))
    for labels, value in every.items():
        expected[range(WORDS), labels] += value / sum(every.values())
    content = {name: value.tolist() for name, value in chain.state_dict().items()}
    said = LinearChainCrf.read(content, OUTPUTS, "here").probabilities(scores.numpy())
    assert np.allclose(said, expected, atol=1e-5)
    assert np.allclose(LinearChainCrf.read(content, OUTPUTS, "here").probabilities(scores.numpy()[:1]).sum(), 1)


@pytest.mark.parametrize("content", [{}, None, {"transitions": [["a"]], "start": [], "end": []}])
def test_a_broken_chain_is_refused(content: object) -> None:
    with pytest.raises(ModelError, match=r"here: crf has no transitions"):
        LinearChainCrf.read(content, OUTPUTS, "here")


def test_a_chain_of_other_labels_is_refused(chain: WordChain) -> None:
    content = {name: value.tolist() for name, value in chain.state_dict().items()}
    with pytest.raises(ModelError, match="crf does not fit 4 labels"):
        LinearChainCrf.read(content, 4, "here")


def test_words_speak_through_all_their_pieces_or_the_first() -> None:
    logits = torch.tensor([[[9.0], [1], [3], [5], [9]], [[9.0], [2], [9], [9], [9]]])
    words = torch.tensor([[-1, 0, 0, 1, -1], [-1, 0, -1, -1, -1]])
    mean, mask = word_scores(logits, words, is_first=False)
    first, _ = word_scores(logits, words, is_first=True)
    assert mean[:, :, 0].tolist() == [[2, 5], [2, 0]]
    assert first[:, :, 0].tolist() == [[1, 5], [2, 0]]
    assert mask.tolist() == [[True, True], [True, False]]
    targets = torch.tensor([[7, 4, 5, 6, 7], [7, 3, 7, 7, 7]])
    assert first_piece_targets(targets, words).tolist() == [[4, 6], [3, 0]]
