"""Fine-tuning: batches by length, warm-up and decay, checkpoints from which a stopped run resumes."""

import math
import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from deid_tasks.core.errors import ModelError
from deid_tasks.core.files import atomic_path
from deid_tasks.engine.detect.rule_features import RuleFeatures
from deid_tasks.engine.text.word_pieces import WordPieceTokenizer
from deid_tasks.learning.train.augment import Augmenter, name_words
from deid_tasks.learning.train.distillation import Distillation
from deid_tasks.learning.train.encode import Cutting, Encoded, encode_samples
from deid_tasks.learning.train.losses import first_piece_targets, partial_label_loss, word_scores
from deid_tasks.learning.train.model import Tagger
from deid_tasks.learning.train.sample import Sample
from deid_tasks.learning.train.settings import FitSettings
from deid_tasks.learning.train.targets import ANY, TARGET_ID, allowed_table

_POOL = 64
"""Batches that are drawn, sorted by length and shuffled together: enough for batches of even length."""
_PACE_STEPS = 200
"""The pace is the mean over this number of steps."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Tensors of one step, each ``[B, L]`` but for ``rules`` and the ids of units, ``[B, L, SLOTS]``."""

    ids: Tensor
    cases: Tensor
    gaps: Tensor
    targets: Tensor
    words: Tensor
    """Counted from the window's first; -1 where there is none."""
    mask: Tensor
    rules: Tensor | None = None
    """``[B, L, F]``"""

    def to(self, device: str) -> "Batch":
        """Return the same on another device."""
        moved: dict[str, Any] = {}
        for entry in fields(self):
            tensor = getattr(self, entry.name)
            moved[entry.name] = None if tensor is None else tensor.to(device)
        return Batch(**moved)


@dataclass(frozen=True, slots=True)
class Source:
    """What batches are made from."""

    encoder: WordPieceTokenizer
    samples: Sequence[Sample]
    cutting: Cutting = field(default_factory=Cutting)
    rules: RuleFeatures | None = None


def fit(
    tagger: Tagger, source: Source, settings: FitSettings, folder: Path, report: Callable[[str], None] = print
) -> Tagger:
    """Fit ``tagger`` in place and return it.

    ``folder`` receives ``checkpoint.pt`` every ``checkpoint_every`` steps; a run that finds one there resumes from it.

    Raises:
        ModelError: the loss is NaN or infinite, or the device does not exist.
    """
    torch.set_num_threads(settings.threads)
    torch.manual_seed(settings.seed)
    if settings.device == "cuda" and not torch.cuda.is_available():
        raise ModelError("training on cuda was asked for, but no CUDA device is available")
    tagger.to(settings.device)
    windows = list(encode_samples(source.encoder, source.samples, source.cutting))
    batches = count_batches(windows, settings)
    distillation = (
        None
        if settings.distillation is None
        else Distillation(settings.distillation, windows, settings.device, settings.seed)
    )
    del windows
    total = settings.steps or max(1, round(batches * settings.epochs))
    tagger.word.weight.requires_grad_(not settings.is_word_frozen)
    optimizer = _optimizer(tagger, settings)
    length = [total]
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: _rate(step, length[0], settings))
    path = folder / "checkpoint.pt"
    step, spent = _resume(path, tagger, optimizer, schedule)
    report(f"{len(source.samples)} samples, {batches} batches an epoch, {total} steps, starting at {step}")
    table = torch.from_numpy(allowed_table(tagger.outputs)).to(settings.device)
    tagger.train()
    clock = _Clock(step, spent)
    shown, losses = step, 0.0
    for batch in _batches(source, settings, batches, step):
        if step >= length[0]:
            break
        with torch.autocast(settings.device, torch.bfloat16, enabled=settings.is_bfloat16):
            moved = batch.to(settings.device)
            if distillation is not None:
                moved = distillation.changed(moved, step)
            logits = tagger(moved.ids, moved.cases, moved.gaps, moved.mask, moved.rules)
        loss = tagging_loss(tagger, logits.float(), moved, table, is_first=source.cutting.subwords == "first")
        if distillation is not None:
            loss = loss + distillation.loss(logits.float(), moved)
        if not torch.isfinite(loss):
            raise ModelError(f"the loss is NaN or infinite at step {step}; try a lower learning rate")
        optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(tagger.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        step += 1
        losses += loss.item()
        pace = clock.pace(step)
        if settings.minutes is not None:
            length[0] = max(step, step + round((settings.minutes * 60 - clock.spent()) * pace))
        if step % 50 == 0 or step == length[0]:
            left = (length[0] - step) / pace / 60
            report(
                f"step {step}/{length[0]} loss {losses / (step - shown):.4f} {pace:.2f} steps/s, {left:.1f} min left"
            )
            shown, losses = step, 0.0
        if step % settings.checkpoint_every == 0 or step == length[0]:
            _save(path, tagger, optimizer, schedule, step, clock.spent())
    return tagger.to("cpu").eval()


def tagging_loss(tagger: Tagger, logits: Tensor, batch: Batch, table: Tensor, *, is_first: bool) -> Tensor:
    """Return the loss of a batch: of its pieces, or of its words where the model scores chains of them.

    Args:
        tagger: the model.
        logits: [B, L, outputs], float32.
        batch: what they were computed from.
        table: ``targets.allowed_table`` of the model's outputs.
        is_first: whether the first piece alone speaks for a word.
    """
    if tagger.crf is None:
        counted = batch.mask & (batch.targets != TARGET_ID[ANY])
        return partial_label_loss(logits[counted], batch.targets[counted], table)
    scores, mask = word_scores(logits, batch.words, is_first=is_first)
    return tagger.crf.loss(scores, mask, table[first_piece_targets(batch.targets, batch.words)])


def count_batches(windows: list[Encoded], settings: FitSettings) -> int:
    """Return batches of one epoch without augmentation."""
    return sum(1 for _ in _grouped(windows, settings, random.Random(settings.seed)))  # noqa: S311


def collate(windows: Sequence[Encoded]) -> Batch:
    """Return windows padded to the longest of them."""
    length = max(len(window.ids) for window in windows)

    def padded(values: list[np.ndarray], fill: int) -> Tensor:
        # The ids of units have a second axis, which is full.
        pads = [[(0, length - len(value)), *[(0, 0)] * (value.ndim - 1)] for value in values]
        return torch.from_numpy(
            np.stack([np.pad(value, pad, constant_values=fill) for value, pad in zip(values, pads, strict=True)])
        )

    rules = [window.rules for window in windows if window.rules is not None]
    return Batch(
        padded([w.ids for w in windows], 0),
        padded([w.cases for w in windows], 0),
        padded([w.gaps for w in windows], 0),
        padded([w.targets for w in windows], TARGET_ID[ANY]),
        padded([_from_first(w.words) for w in windows], -1),
        padded([np.ones(len(w.ids), bool) for w in windows], 0),
        torch.from_numpy(np.stack([np.pad(r, ((0, length - len(r)), (0, 0))) for r in rules])) if rules else None,
    )


class _Clock:
    """How fast a run is, and how long it took, earlier parts of it included."""

    def __init__(self, step: int, spent: float) -> None:
        self._before = spent
        self._begun = time.monotonic()
        self._marks = [(self._begun, step)]

    def spent(self) -> float:
        """Return the seconds spent, earlier parts of the run included."""
        return self._before + time.monotonic() - self._begun

    def pace(self, step: int) -> float:
        """Return the recent pace in steps a second."""
        self._marks = [*self._marks[-_PACE_STEPS:], (time.monotonic(), step)]
        (begun, first), (now, last) = self._marks[0], self._marks[-1]
        return (last - first) / max(now - begun, 1e-6)


def _from_first(words: np.ndarray) -> np.ndarray:
    inside = words[words >= 0]
    return np.where(words >= 0, words - (inside[0] if len(inside) else 0), -1).astype(np.int64)


def _batches(source: Source, settings: FitSettings, batches: int, step: int) -> Iterator[Batch]:
    """Yield batches without end, from the one that follows ``step`` on."""
    names = name_words(source.samples)
    epoch, skip = divmod(step, batches)
    while True:
        # An augmented epoch may hold a batch more or less than counted; that many are given all the same.
        given = 0
        while given < batches:
            for batch in _epoch(source, names, settings, f"{epoch}/{given}" if given else str(epoch)):
                given += 1
                if given > skip:
                    yield batch
                if given == batches:
                    break
        epoch, skip = epoch + 1, 0


def _epoch(source: Source, names: Sequence[str], settings: FitSettings, epoch: str) -> Iterator[Batch]:
    chance = random.Random(f"{settings.seed}/{epoch}")  # noqa: S311
    augment = Augmenter(settings.rates, names, chance.getrandbits(32))
    samples = [augment(sample) for sample in source.samples]
    windows = list(encode_samples(source.encoder, samples, source.cutting, source.rules))
    for group in _grouped(windows, settings, chance):
        yield collate(group)


def _grouped(windows: list[Encoded], settings: FitSettings, chance: random.Random) -> Iterator[list[Encoded]]:
    """Yield groups of windows of like length, in random order: of so many windows, or of so many pieces with
    padding.
    """
    order = list(range(len(windows)))
    chance.shuffle(order)
    mean = max(1, sum(len(w.ids) for w in windows) // max(1, len(windows)))
    size = (settings.batch_windows or max(1, settings.batch_word_pieces // mean)) * _POOL
    for first in range(0, len(order), size):
        pool = sorted((windows[i] for i in order[first : first + size]), key=lambda window: len(window.ids))
        groups: list[list[Encoded]] = []
        for window in pool:
            count = len(groups[-1]) + 1 if groups else 0
            has_room = (
                count <= settings.batch_windows
                if settings.batch_windows
                else count * len(window.ids) <= settings.batch_word_pieces
            )
            if groups and has_room:
                groups[-1].append(window)
            else:
                groups.append([window])
        chance.shuffle(groups)
        yield from groups


def _optimizer(tagger: Tagger, settings: FitSettings) -> torch.optim.Optimizer:
    fresh = ("case.", "gap.", "head.", "crf.", "slot")
    groups: dict[tuple[bool, bool], list[torch.nn.Parameter]] = {}
    for name, parameter in tagger.named_parameters():
        if not parameter.requires_grad:
            continue
        groups.setdefault((name.startswith(fresh), parameter.ndim > 1), []).append(parameter)
    rates = [
        {
            "params": parameters,
            "lr": (settings.embedding_rate or settings.learning_rate) if is_fresh else settings.learning_rate,
            "weight_decay": settings.weight_decay if is_matrix else 0.0,
        }
        for (is_fresh, is_matrix), parameters in groups.items()
    ]
    if settings.optimizer == "adam":
        return torch.optim.Adam(rates, fused=True)
    return torch.optim.AdamW(rates, betas=(0.9, 0.98), fused=True)


def _rate(step: int, total: int, settings: FitSettings) -> float:
    rising = max(1, round(total * settings.warmup))
    if step < rising:
        return (step + 1) / rising
    share = min(1.0, (step - rising) / max(1, total - rising))
    return 0.5 * (1 + math.cos(math.pi * share)) if settings.schedule == "cosine" else 1 - share


def _save(
    path: Path,
    tagger: Tagger,
    optimizer: torch.optim.Optimizer,
    schedule: torch.optim.lr_scheduler.LambdaLR,
    step: int,
    spent: float,
) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    state = {"model": tagger.state_dict(), "optimizer": optimizer.state_dict(), "schedule": schedule.state_dict()}
    with atomic_path(path) as new:
        torch.save({**state, "step": step, "spent": spent, "random": torch.get_rng_state()}, new)


def _resume(
    path: Path, tagger: Tagger, optimizer: torch.optim.Optimizer, schedule: torch.optim.lr_scheduler.LambdaLR
) -> tuple[int, float]:
    if not path.exists():
        return 0, 0.0
    state = torch.load(path, weights_only=True)
    tagger.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    schedule.load_state_dict(state["schedule"])
    torch.set_rng_state(state["random"])
    return int(state["step"]), float(state.get("spent", 0.0))
