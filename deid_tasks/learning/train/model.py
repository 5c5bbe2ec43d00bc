"""The network: an encoder of the BERT family that also sees how words are written.

The encoders that ship are uncased; two embeddings put back what lower-casing throws away: the case class of each
piece's word and what stands before the word. Both are added to the word embedding before the first layer norm.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from deid_tasks.engine.text.shapes import CASES, GAPS
from deid_tasks.engine.text.word_groups import SLOTS
from deid_tasks.learning.train.losses import WordChain
from deid_tasks.learning.train.targets import LABELS

_SLOT_WEIGHTS = (1.0, 1.0, 1.0, 1.0, 0.5, 0.5)
"""What training begins with: a word counts for more than the marks beside it."""


@dataclass(frozen=True, slots=True)
class EncoderShape:
    """Sizes of an encoder of the BERT family."""

    vocabulary: int = 30_522
    hidden: int = 384
    heads: int = 12
    layers: int = 6
    inner: int = 1_536
    positions: int = 512
    """Pieces of the longest window, special tokens included."""
    epsilon: float = 1e-12
    buckets: int = 0
    """Classes of the distance between two pieces, each with an attention bias for every head (MPNet); 0 for none."""
    padding: int = 0
    """The id that a window is filled up with."""


class Layer(nn.Module):
    """One post-norm transformer layer."""

    def __init__(self, shape: EncoderShape) -> None:
        super().__init__()
        self.heads = shape.heads
        self.qkv = nn.Linear(shape.hidden, 3 * shape.hidden)
        self.out = nn.Linear(shape.hidden, shape.hidden)
        self.norm1 = nn.LayerNorm(shape.hidden, eps=shape.epsilon)
        self.up = nn.Linear(shape.hidden, shape.inner)
        self.down = nn.Linear(shape.inner, shape.hidden)
        self.norm2 = nn.LayerNorm(shape.hidden, eps=shape.epsilon)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """Return [B, L, H] from ``x`` [B, L, H]; ``mask``: [B, 1, 1, L] booleans, or [B, heads, L, L] to add."""
        batch, length, hidden = x.shape
        qkv = self.qkv(x).view(batch, length, 3, self.heads, hidden // self.heads).permute(2, 0, 3, 1, 4)
        mixed = _attend(qkv[0], qkv[1], qkv[2], mask)
        x = self.norm1(x + self.out(mixed.transpose(1, 2).reshape(batch, length, hidden)))
        return self.norm2(x + self.down(functional.gelu(self.up(x))))  # type: ignore[no-any-return]


def _attend(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
    if query.is_cuda:
        mask = mask.to(query.dtype) if mask.is_floating_point() else mask
        return functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    # On a CPU in bfloat16 the fused kernel's backward pass costs as much as the rest of a step.
    scores = ((query * query.shape[-1] ** -0.5) @ key.transpose(-1, -2)).float()
    scores = scores + mask if mask.is_floating_point() else scores.masked_fill(~mask, -1e4)
    return functional.softmax(scores, dim=-1).to(value.dtype) @ value


class Tagger(nn.Module):
    """Encoder, casing embeddings, and a head over ``outputs``: linear, or a chain over the words.

    Dropout stands before and after the layers only: inside them it costs a CPU a quarter of its time.

    Args:
        shape: sizes of the encoder.
        dropout: share of values dropped in training.
        outputs: names of the outputs, see ``targets.output_names``.
        rules: columns of what rules say of each word, joined to the last hidden state; 0 for none.
        has_casing: whether the two casing embeddings are there.
        has_units: whether it reads units (``text/word_groups.py``): the embeddings of a unit's pieces, each weighed by
            its slot, are added up.
        has_crf: whether a chain scores the outputs of neighbouring words together.
    """

    def __init__(
        self,
        shape: EncoderShape,
        dropout: float = 0.1,
        outputs: Sequence[str] = LABELS,
        *,
        rules: int = 0,
        has_casing: bool = True,
        has_crf: bool = False,
        has_units: bool = False,
    ) -> None:
        super().__init__()
        self.shape = shape
        self.outputs = tuple(outputs)
        self.rules = rules
        self.has_casing = has_casing
        self.has_units = has_units
        self.word = nn.Embedding(shape.vocabulary, shape.hidden)
        self.position = nn.Embedding(shape.positions, shape.hidden)
        if has_units:
            self.slot = nn.Parameter(torch.tensor(_SLOT_WEIGHTS)[:, None].expand(SLOTS, shape.hidden).clone())
        if has_casing:
            self.case = nn.Embedding(CASES, shape.hidden)
            self.gap = nn.Embedding(GAPS, shape.hidden)
            for embedding in (self.case, self.gap):
                nn.init.normal_(embedding.weight, std=0.02)
        self.norm = nn.LayerNorm(shape.hidden, eps=shape.epsilon)
        self.layers = nn.ModuleList(Layer(shape) for _ in range(shape.layers))
        self.head = nn.Linear(shape.hidden + rules, len(outputs))
        self.crf = WordChain(len(outputs)) if has_crf else None
        self.dropout = nn.Dropout(dropout)
        if shape.buckets:
            self.distance = nn.Embedding(shape.buckets, shape.heads)
            # Pretrained, and the same for every layer; a mask with a gradient costs more than it gives.
            self.distance.weight.requires_grad_(False)  # noqa: FBT003

    def forward(self, ids: Tensor, cases: Tensor, gaps: Tensor, mask: Tensor, rules: Tensor | None = None) -> Tensor:
        """Logits [B, L, outputs]; inputs [B, L], ids of units [B, L, SLOTS]; ``mask`` boolean, True where a piece is
        real; ``rules`` [B, L, F].
        """
        positions = torch.arange(ids.shape[1], device=ids.device)
        x = self.word(ids)
        if self.has_units:
            x = (x * self.slot * (ids != self.shape.padding)[..., None]).sum(dim=2)
        x = x + self.position(positions)
        if self.has_casing:
            x = x + self.case(cases) + self.gap(gaps)
        x = self.dropout(self.norm(x))
        attended = mask[:, None, None, :]
        if self.shape.buckets:
            bias = self.distance_bias()[positions[None, :] - positions[:, None] + self.shape.positions - 1]
            attended = torch.where(attended, bias.permute(2, 0, 1)[None], -1e4)
        for layer in self.layers:
            x = layer(x, attended)
        x = self.dropout(x)
        if rules is not None:
            x = torch.cat([x, rules.to(x.dtype)], dim=-1)
        return self.head(x)  # type: ignore[no-any-return]

    def distance_bias(self) -> Tensor:
        """``[2 * positions - 1, heads]``: what a head adds to a score, by the key's place less the query's, smallest
        first.
        """
        last = self.shape.positions - 1
        offsets = torch.arange(-last, last + 1, device=self.distance.weight.device)
        return self.distance(distance_buckets(offsets, self.shape.buckets))  # type: ignore[no-any-return]


def distance_buckets(offsets: Tensor, buckets: int, farthest: int = 128) -> Tensor:
    """Return the class of each offset (key's place less the query's): exact for near ones, by the logarithm for far
    ones.

    Source: Raffel et al., T5 (JMLR 2020); MPNet takes it over with 32 classes.
    """
    half = buckets // 2
    exact = half // 2
    distances = offsets.abs()
    far = exact + (torch.log(distances.clamp(min=1).float() / exact) / math.log(farthest / exact) * (half - exact)).to(
        torch.long
    )
    classes = torch.where(distances < exact, distances, far.clamp(max=half - 1))
    return classes + half * (offsets > 0)
