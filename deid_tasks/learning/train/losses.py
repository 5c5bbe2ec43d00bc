"""What a training takes the gradient of: partial labels of single pieces, or of whole chains of words."""

import torch
from torch import Tensor, nn


def partial_label_loss(logits: Tensor, targets: Tensor, table: Tensor) -> Tensor:
    """Return mean over words of minus log of the summed probability of all labels that the word's target allows.

    Where every target allows one label this is cross-entropy.

    Args:
        logits: [N, outputs].
        targets: [N], rows of ``table``.
        table: ``targets.allowed_table()`` as a tensor.
    """
    allowed = torch.logsumexp(logits + table[targets], dim=-1)
    return (torch.logsumexp(logits, dim=-1) - allowed).mean()


class WordChain(nn.Module):
    """A linear-chain conditional random field over the words of a window.

    Source: Lafferty, McCallum and Pereira (ICML 2001); with partial labels Tsuboi et al. (COLING 2008).
    """

    def __init__(self, outputs: int) -> None:
        super().__init__()
        self.transitions = nn.Parameter(torch.zeros(outputs, outputs))
        """[from, to]"""
        self.start = nn.Parameter(torch.zeros(outputs))
        self.end = nn.Parameter(torch.zeros(outputs))

    def loss(self, scores: Tensor, mask: Tensor, allowed: Tensor) -> Tensor:
        """Return minus the log-probability, a word, of all label sequences that the targets allow.

        Args:
            scores: [B, W, outputs], of single words.
            mask: [B, W], True where a word is real; real words stand first.
            allowed: [B, W, outputs], 0 where the word's target allows the output and -1e4 where not.
        """
        both = torch.cat([scores, scores + allowed])
        every, kept = self._log_sums(both, torch.cat([mask, mask])).chunk(2)
        return (every - kept).sum() / mask.sum().clamp(min=1)

    def _log_sums(self, scores: Tensor, mask: Tensor) -> Tensor:
        """Return [B]: log of the summed exponentials of the scores of all sequences."""
        sums = self.start + scores[:, 0]
        for word in range(1, scores.shape[1]):
            after = torch.logsumexp(sums[:, :, None] + self.transitions, dim=1) + scores[:, word]
            sums = torch.where(mask[:, word, None], after, sums)
        last = torch.logsumexp(sums + self.end, dim=-1)
        return torch.where(mask[:, 0], last, torch.zeros_like(last))


def word_scores(logits: Tensor, words: Tensor, *, is_first: bool) -> tuple[Tensor, Tensor]:
    """``(scores [B, W, outputs], mask [B, W])`` of words: of the first piece of each, or the mean of all its pieces.

    Args:
        logits: [B, L, outputs].
        words: [B, L]: the word of each piece counted from the window's first, -1 where there is none.
        is_first: whether the first piece alone speaks for a word.
    """
    is_read = words >= 0
    if is_first:
        is_read = is_read & _is_new(words)
    # Pieces that are not read go to a last word, which is cut off.
    count = int(words.max()) + 1
    place = torch.where(is_read, words, count)
    sums = logits.new_zeros(len(words), count + 1, logits.shape[-1])
    sums = sums.scatter_add(1, place[:, :, None].expand_as(logits), logits)[:, :count]
    pieces = logits.new_zeros(len(words), count + 1).scatter_add(1, place, is_read.to(logits.dtype))[:, :count]
    return sums / pieces.clamp(min=1)[:, :, None], pieces > 0


def first_piece_targets(targets: Tensor, words: Tensor) -> Tensor:
    """Return [B, W]: the target of each word's first piece."""
    count = int(words.max()) + 1
    place = torch.where((words >= 0) & _is_new(words), words, count)
    return targets.new_zeros(len(words), count + 1).scatter(1, place, targets)[:, :count]


def _is_new(words: Tensor) -> Tensor:
    before = torch.nn.functional.pad(words[:, :-1], (1, 0), value=-1)
    return words != before
