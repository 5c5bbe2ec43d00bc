"""Distillation: a narrow model also learns what a trained one says of every word group, and of sentences whose words
were exchanged.

Gold labels tell a sentence filter whose word it is; what counts for it is whether the larger model behind it would find
one there. Exchanged words show it names and words where no training note has them, and the teacher says what they are
there. Source of soft targets: Hinton, Vinyals and Dean, "Distilling the knowledge in a neural network", 2015.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from deid_tasks.core.entities import CATEGORY, Category
from deid_tasks.core.errors import ModelError
from deid_tasks.engine.detect.model_files import find_model
from deid_tasks.learning.train.encode import Encoded
from deid_tasks.learning.train.encoders import encoder_folder, load_encoder
from deid_tasks.learning.train.model import Tagger
from deid_tasks.learning.train.settings import DistillationSettings
from deid_tasks.learning.train.targets import ANY, BEGIN, PERSON, PLACE, TARGET_ID, coarse
from deid_tasks.learning.train.weights import load_weights, what_is_read

if TYPE_CHECKING:
    from deid_tasks.learning.train.fit import Batch

_NAMED = (Category.NAME, Category.LOCATION, Category.ORGANIZATION, Category.PROFESSION)
_NAMED_TARGETS = [
    TARGET_ID[target]
    for target in (*(entity for entity, category in CATEGORY.items() if category in _NAMED), PERSON, PLACE,
                   *(coarse(category) for category in _NAMED))
]  # fmt: skip
_EXCHANGES = (1.0, 0.5, 0.25)
"""Chance of a first, a second and a third exchange in a window."""
_CROPPED = 0.25
"""Share of the windows with exchanged words that are also cut to a part."""
_SHORT = 3
"""Word groups of a window that is never cut."""
_SHORTEST, _LONGEST = 0.3, 0.9
"""Share of a window that a part of it has."""
_LOWERED, _RAISED = 0.15, 0.07
"""Share of those windows that are written in small letters, and in capitals."""
_LOWER, _UPPER = 1, 3
_WORD_SLOTS = 4
"""Slots of a group that hold the pieces of its word; the others hold marks attached to it."""
_FLOOR = -1e4


class Distillation:
    """The teacher, and the words that are exchanged. It reads word groups, as the taught model must.

    Args:
        settings: of the distillation.
        windows: of the samples as they are written: their words are those that others are exchanged for.
        device: where the models are.
        seed: of the exchanges.

    Raises:
        ModelError: the teacher is missing or damaged, or reads word pieces.
    """

    def __init__(self, settings: DistillationSettings, windows: Sequence[Encoded], device: str, seed: int) -> None:
        self._settings = settings
        self._teacher = load_teacher(settings.teacher, settings.encoder).to(device).eval()
        self._pools = [_Donors(*pool, device=device) for pool in _pools(windows)]
        self._chance = torch.Generator(device)
        self._seed = seed

    def changed(self, batch: "Batch", step: int) -> "Batch":
        """Return a batch in which the first windows have other words; nothing is known of what those should be.

        The changes depend on the seed and the step alone, so that a training goes on as it would have.
        """
        count = int(len(batch.ids) * self._settings.exchanged)
        if not count:
            return batch
        self._chance.manual_seed(self._seed * 1_000_003 + step)
        cropped = self._cropped(batch, count)
        ids, cases = self._exchanged(cropped, count)
        targets = cropped.targets.clone()
        targets[:count] = TARGET_ID[ANY]
        return replace(cropped, ids=ids, cases=cases, targets=targets)

    def loss(self, logits: Tensor, batch: "Batch") -> Tensor:
        """Return how far a model's answers on word groups, and on whole windows, are from the teacher's.

        Args:
            logits: ``[B, L, outputs]``, float32.
            batch: what they were computed from.
        """
        with torch.no_grad():
            said = identifier_logits(self._teacher(batch.ids, batch.cases, batch.gaps, batch.mask).float())
            said = said - self._settings.bias
        own, mask = identifier_logits(logits), batch.mask
        words = self._of(own, said)
        highest = self._of(torch.where(mask, own, _FLOOR).amax(dim=1), torch.where(mask, said, _FLOOR).amax(dim=1))
        of_words = (words * mask).sum() / mask.sum().clamp(min=1)
        return of_words + self._settings.sentence_weight * highest.mean()

    def _of(self, own: Tensor, said: Tensor) -> Tensor:
        """Return the cross-entropy of each answer; missing an identifier costs ``identifier_weight`` times as much."""
        wanted = said.sigmoid()
        cost = functional.binary_cross_entropy_with_logits(own, wanted, reduction="none")
        return cost * (1 + (self._settings.identifier_weight - 1) * wanted)

    def _draw(self, *shape: int) -> Tensor:
        return torch.rand(*shape, device=self._chance.device, generator=self._chance)

    def _cropped(self, batch: "Batch", count: int) -> "Batch":
        """Return a batch in which some of the first ``count`` windows are cut to a part of them."""
        lengths = batch.mask.sum(dim=1)
        rows, length = batch.mask.shape
        kept = _SHORTEST + (_LONGEST - _SHORTEST) * self._draw(rows)
        is_cut = (torch.arange(rows, device=lengths.device) < int(count * _CROPPED)) & (lengths > _SHORT)
        new = torch.where(is_cut, (lengths * kept).long().clamp(min=1), lengths)
        start = ((lengths - new + 1) * self._draw(rows)).long()
        places = torch.arange(length, device=lengths.device)[None]
        mask = places < new[:, None]
        index = torch.where(mask, start[:, None] + places, 0)

        def moved(values: Tensor) -> Tensor:
            wide = index[..., None].expand(-1, -1, values.shape[2]) if values.ndim > 2 else index
            there = mask[..., None] if values.ndim > 2 else mask
            return torch.where(there, values.gather(1, wide), torch.zeros_like(values))

        targets = torch.where(mask, batch.targets.gather(1, index), TARGET_ID[ANY])
        words = torch.where(mask, batch.words.gather(1, index), -1)
        return replace(
            batch, ids=moved(batch.ids), cases=moved(batch.cases), gaps=moved(batch.gaps), targets=targets, words=words,
            mask=mask,
        )  # fmt: skip

    def _exchanged(self, batch: "Batch", count: int) -> tuple[Tensor, Tensor]:
        ids, cases = batch.ids.clone(), batch.cases.clone()
        lengths = batch.mask[:count].sum(dim=1)
        rows = torch.arange(count, device=ids.device)
        for chance in _EXCHANGES:
            is_on = self._draw(count) < chance
            place = (self._draw(count) * lengths).long()
            from_names, at = self._draw(count) < 0.5, self._draw(count)
            (names, name_cases), (every, every_cases) = (pool.drawn(at) for pool in self._pools)
            words = torch.where(from_names[:, None], names, every)
            new_case, old_case = torch.where(from_names, name_cases, every_cases), cases[rows, place]
            is_recased = _is_word(new_case) & _is_word(old_case) & (self._draw(count) < 0.5)
            old = ids[rows, place]
            new = torch.cat([words, old[:, _WORD_SLOTS:]], dim=1)
            ids[rows, place] = torch.where(is_on[:, None], new, old)
            cases[rows, place] = torch.where(is_on, torch.where(is_recased, old_case, new_case), old_case)
        how, has_case = self._draw(count)[:, None], _has_case(cases[:count])
        recased = torch.where(has_case & (how < _LOWERED), _LOWER, cases[:count])
        cases[:count] = torch.where(has_case & (how > 1 - _RAISED), _UPPER, recased)
        return ids, cases


class _Donors:
    """Distinct words, each with the letter case of one of its places."""

    def __init__(self, ids: "np.ndarray", cases: "np.ndarray", *, device: str) -> None:
        self._ids = torch.from_numpy(ids).to(device)
        self._cases = torch.from_numpy(cases).to(device)

    def drawn(self, at: Tensor) -> tuple[Tensor, Tensor]:
        """Return the ids and cases of the words at shares ``at`` of the list, in ``[0, 1)``."""
        index = (at * len(self._ids)).long().clamp(max=len(self._ids) - 1)
        return self._ids[index], self._cases[index]


def identifier_logits(logits: Tensor) -> Tensor:
    """Return ``[…]``: the logit of being an identifier of any kind, of ``[…, outputs]`` with *outside* first."""
    return torch.logsumexp(logits[..., 1:], dim=-1) - logits[..., 0]


def load_teacher(name: str, encoder: str) -> Tagger:
    """Return a trained model of word groups, by the name of one that ships or its folder.

    Raises:
        ModelError: it is missing or damaged, or reads word pieces.
    """
    folder = find_model(name)
    if what_is_read(folder) != "word_groups":
        raise ModelError(
            f"{folder} reads word pieces: a teacher must read word groups, as the model does that it teaches"
        )
    teacher = load_encoder(encoder_folder(encoder), has_units=True)
    load_weights(teacher, folder)
    return teacher


def _is_word(cases: Tensor) -> Tensor:
    """Whether a word is written in small letters, in Title case or in capitals."""
    return (cases >= _LOWER) & (cases <= _UPPER)


def _has_case(cases: Tensor) -> Tensor:
    return (cases >= _LOWER) & (cases <= 4) | (cases == 6)


def _pools(windows: Sequence[Encoded]) -> list[tuple["np.ndarray", "np.ndarray"]]:
    """Return the words that a mark of a name or a place covers somewhere, and all words; each once."""
    ids = np.concatenate([window.ids[:, :_WORD_SLOTS] for window in windows])
    cases = np.concatenate([window.cases for window in windows])
    targets = np.concatenate([window.targets for window in windows])
    _, first = np.unique(ids, axis=0, return_index=True)
    marked = np.flatnonzero(np.isin(targets % BEGIN, _NAMED_TARGETS))
    if not len(marked):
        marked = first
    _, first_marked = np.unique(ids[marked], axis=0, return_index=True)
    return [(ids[chosen], cases[chosen]) for chosen in (marked[first_marked], first)]
