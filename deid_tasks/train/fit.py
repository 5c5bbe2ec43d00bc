"""Fine-tuning: batches by length, AdamW, warm-up and decay, checkpoints that a stopped run goes on from."""

import math
import os
import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from deid_tasks.text.pieces import PieceEncoder
from deid_tasks.train.augment import Augmenter, AugmentRates, name_words
from deid_tasks.train.encode import Encoded, encode_samples
from deid_tasks.train.labels import ANY, TARGET_ID
from deid_tasks.train.model import Tagger, allowed_tensor, partial_label_loss
from deid_tasks.train.sample import Sample

_POOL = 64
"""Batches that are drawn, sorted by length and shuffled together: enough for batches of even length."""


@dataclass(frozen=True, slots=True)
class FitSettings:
    """How a model is fitted."""

    epochs: float = 3.0
    steps: int | None = None
    """Steps instead of epochs."""
    batch_pieces: int = 2_048
    """Pieces of one batch, padding included."""
    window: int = 128
    learning_rate: float = 3e-4
    embedding_rate: float = 1e-3
    """Of the two casing embeddings and the head, which start from chance."""
    weight_decay: float = 0.01
    warmup: float = 0.06
    """Share of the steps in which the rate rises."""
    seed: int = 0
    threads: int = 2
    is_bfloat16: bool = False
    """Autocast to bfloat16: faster only where the processor has it (amx_bf16, avx512_bf16)."""
    is_word_frozen: bool = True
    """Leave the word embeddings as they are: faster, and names that training never showed keep their place among those
    that it did."""
    checkpoint_every: int = 200
    rates: AugmentRates = field(default_factory=AugmentRates)


@dataclass(frozen=True, slots=True)
class Batch:
    """Tensors of one step, each ``[B, L]``."""

    ids: Tensor
    cases: Tensor
    gaps: Tensor
    targets: Tensor
    mask: Tensor


def fit(
    tagger: Tagger,
    encoder: PieceEncoder,
    samples: Sequence[Sample],
    settings: FitSettings,
    folder: Path,
    report: Callable[[str], None] = print,
) -> Tagger:
    """Fit ``tagger`` in place on ``samples`` and return it.

    ``folder`` takes ``checkpoint.pt`` every so often; a run that finds one there goes on where it stood.
    """
    torch.set_num_threads(settings.threads)
    torch.manual_seed(settings.seed)
    names = name_words(samples)
    batches = count_batches(encoder, samples, settings)
    total = settings.steps or max(1, round(batches * settings.epochs))
    tagger.word.weight.requires_grad_(not settings.is_word_frozen)
    optimizer = _optimizer(tagger, settings)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: _rate(step, total, settings.warmup))
    path = folder / "checkpoint.pt"
    step = _resume(path, tagger, optimizer, schedule)
    report(f"{len(samples)} samples, {batches} batches an epoch, {total} steps, starting at {step}")
    table = allowed_tensor()
    tagger.train()
    begun, seen, window_loss = time.monotonic(), step, 0.0
    while step < total:
        epoch = step // batches
        skip = step % batches
        for batch in _epoch(encoder, samples, names, settings, epoch):
            if skip:
                skip -= 1
                continue
            with torch.autocast("cpu", torch.bfloat16, enabled=settings.is_bfloat16):
                logits = tagger(batch.ids, batch.cases, batch.gaps, batch.mask)
            counted = batch.mask & (batch.targets != TARGET_ID[ANY])
            loss = partial_label_loss(logits.float()[counted], batch.targets[counted], table)
            if not torch.isfinite(loss):
                continue
            optimizer.zero_grad(set_to_none=True)
            loss.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(tagger.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            step += 1
            window_loss += loss.item()
            if step % 50 == 0 or step == total:
                pace = (step - seen) / (time.monotonic() - begun)
                report(
                    f"step {step}/{total} loss {window_loss / 50:.4f} {pace:.2f} steps/s, {(total - step) / pace / 60:.1f} min left"
                )
                window_loss = 0.0
            if step % settings.checkpoint_every == 0 or step == total:
                _save(path, tagger, optimizer, schedule, step)
            if step >= total:
                break
        else:
            # The augmented epoch may hold a batch more or less than counted; the next one starts on its own number.
            step = max(step, (epoch + 1) * batches)
    return tagger.eval()


def count_batches(encoder: PieceEncoder, samples: Sequence[Sample], settings: FitSettings) -> int:
    """Batches of one epoch without augmentation."""
    windows = list(encode_samples(encoder, samples, settings.window))
    return sum(1 for _ in _grouped(windows, settings.batch_pieces, random.Random(settings.seed)))  # noqa: S311


def collate(windows: Sequence[Encoded]) -> Batch:
    """Windows padded to the longest of them."""
    length = max(len(window.ids) for window in windows)

    def padded(values: list[np.ndarray], fill: int) -> Tensor:
        return torch.from_numpy(np.stack([np.pad(v, (0, length - len(v)), constant_values=fill) for v in values]))

    return Batch(
        padded([w.ids for w in windows], 0),
        padded([w.cases for w in windows], 0),
        padded([w.gaps for w in windows], 0),
        padded([w.targets for w in windows], TARGET_ID[ANY]),
        padded([np.ones(len(w.ids), bool) for w in windows], 0),
    )


def _epoch(
    encoder: PieceEncoder, samples: Sequence[Sample], names: Sequence[str], settings: FitSettings, epoch: int
) -> Iterator[Batch]:
    chance = random.Random(f"{settings.seed}/{epoch}")  # noqa: S311
    augment = Augmenter(settings.rates, names, hash((settings.seed, epoch)))
    windows = list(encode_samples(encoder, [augment(sample) for sample in samples], settings.window))
    for group in _grouped(windows, settings.batch_pieces, chance):
        yield collate(group)


def _grouped(windows: list[Encoded], pieces: int, chance: random.Random) -> Iterator[list[Encoded]]:
    """Groups of at most ``pieces`` pieces with padding, of windows of like length, in random order."""
    order = list(range(len(windows)))
    chance.shuffle(order)
    mean = max(1, sum(len(w.ids) for w in windows) // max(1, len(windows)))
    size = max(1, pieces // mean) * _POOL
    for first in range(0, len(order), size):
        pool = sorted((windows[i] for i in order[first : first + size]), key=lambda window: len(window.ids))
        groups: list[list[Encoded]] = []
        for window in pool:
            if groups and (len(groups[-1]) + 1) * len(window.ids) <= pieces:
                groups[-1].append(window)
            else:
                groups.append([window])
        chance.shuffle(groups)
        yield from groups


def _optimizer(tagger: Tagger, settings: FitSettings) -> torch.optim.AdamW:
    fresh = ("case.", "gap.", "head.")
    groups: dict[tuple[bool, bool], list[torch.nn.Parameter]] = {}
    for name, parameter in tagger.named_parameters():
        if not parameter.requires_grad:
            continue
        groups.setdefault((name.startswith(fresh), parameter.ndim > 1), []).append(parameter)
    return torch.optim.AdamW(
        [
            {
                "params": parameters,
                "lr": settings.embedding_rate if is_fresh else settings.learning_rate,
                "weight_decay": settings.weight_decay if is_matrix else 0.0,
            }
            for (is_fresh, is_matrix), parameters in groups.items()
        ],
        betas=(0.9, 0.98),
        fused=True,
    )


def _rate(step: int, total: int, warmup: float) -> float:
    rising = max(1, round(total * warmup))
    if step < rising:
        return (step + 1) / rising
    return max(0.0, 0.5 * (1 + math.cos(math.pi * (step - rising) / max(1, total - rising))))


def _save(
    path: Path, tagger: Tagger, optimizer: torch.optim.Optimizer, schedule: torch.optim.lr_scheduler.LambdaLR, step: int
) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    state = {"model": tagger.state_dict(), "optimizer": optimizer.state_dict(), "schedule": schedule.state_dict()}
    torch.save({**state, "step": step, "random": torch.get_rng_state()}, partial)
    os.replace(partial, path)  # noqa: PTH105 - atomic


def _resume(
    path: Path, tagger: Tagger, optimizer: torch.optim.Optimizer, schedule: torch.optim.lr_scheduler.LambdaLR
) -> int:
    if not path.exists():
        return 0
    state = torch.load(path, weights_only=True)
    tagger.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    schedule.load_state_dict(state["schedule"])
    torch.set_rng_state(state["random"])
    return int(state["step"])
