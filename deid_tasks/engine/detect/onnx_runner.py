"""Windows through an ONNX graph on a CPU, in batches that change no answer."""

import mmap
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from deid_tasks.core.errors import ModelError
from deid_tasks.engine.detect.window import Window
from deid_tasks.settings import ModelSettings

_BUCKET = 8
"""Padded windows are padded to a multiple of this, so that a window's length never depends on those beside it."""
_SLOWER = ("BiasGeluFusion", "SkipLayerNormFusion")
"""What onnxruntime would put in the place of several operators and then run, on a CPU, in twice to four times the time of the parts."""
_KNOWN = frozenset({"input_ids", "attention_mask", "token_type_ids", "case_ids", "gap_ids", "rule_ids"})


class OnnxRunner:
    """One graph. Runs of different threads may share it.

    A graph without an attention mask, as ours are, reads batches of windows of exactly one length. Others read batches of windows
    padded to like length. A graph of another tool whose activations are quantised by one scale for all that it reads at once
    (``DynamicQuantizeLinear``) would answer by what stands beside a sentence: it reads each window alone.
    """

    def __init__(self, path: Path, pad_id: int, settings: ModelSettings) -> None:
        if settings.precision not in {"auto", "int8", "float32"}:
            raise ModelError(f"{path}: precision {settings.precision} needs `backend: torch`; a graph is read as it is")
        self.reads_alone: bool = _has_one_scale(path)
        self._pad_id = pad_id
        self._session = _open(path)
        self._inputs = frozenset(entry.name for entry in self._session.get_inputs())
        if unknown := self._inputs - _KNOWN:
            raise ModelError(f"{path} wants inputs nobody knows: {', '.join(sorted(unknown))}")
        self._is_padded = "attention_mask" in self._inputs and not self.reads_alone
        self._batch_pieces = 1 if self.reads_alone else settings.batch_word_pieces
        self._pool = ThreadPoolExecutor(settings.threads) if settings.threads > 1 else None

    def logits(self, windows: Sequence[Window]) -> list[NDArray[np.float32]]:
        """``[L, labels]`` of each window, in order."""
        order = sorted(range(len(windows)), key=lambda index: len(windows[index].ids))
        batches = list(self._batches(order, windows))
        found: list[NDArray[np.float32]] = [np.empty((0, 0), np.float32)] * len(windows)
        inputs = [[windows[index] for index in batch] for batch in batches]
        runs = map(self._run, inputs) if self._pool is None else self._pool.map(self._run, inputs)
        for batch, outputs in zip(batches, runs, strict=True):
            for index, output in zip(batch, outputs, strict=True):
                found[index] = output[: len(windows[index].ids)]
        return found

    def _batches(self, order: list[int], windows: Sequence[Window]) -> Iterator[list[int]]:
        batch: list[int] = []
        for index in order:
            length = self._length(windows[index])
            if batch and (length != self._length(windows[batch[0]]) or (len(batch) + 1) * length > self._batch_pieces):
                yield batch
                batch = []
            batch.append(index)
        if batch:
            yield batch

    def _length(self, window: Window) -> int:
        """Pieces that the window takes up in a batch; its own length alone decides."""
        length = len(window.ids)
        return -(-length // _BUCKET) * _BUCKET if self._is_padded else length

    def _run(self, windows: list[Window]) -> NDArray[np.float32]:
        longest = self._length(windows[0])

        def stacked(values: list[NDArray[np.int64]], fill: int = 0) -> NDArray[np.int64]:
            if not self._is_padded:
                return np.stack(values)
            return np.stack([np.pad(value, (0, longest - len(value)), constant_values=fill) for value in values])

        ids = stacked([window.ids for window in windows], self._pad_id)
        feed: dict[str, NDArray[Any]] = {"input_ids": ids}
        if "attention_mask" in self._inputs:
            feed["attention_mask"] = stacked([np.ones(len(window.ids), np.int64) for window in windows])
        if "token_type_ids" in self._inputs:
            feed["token_type_ids"] = np.zeros_like(ids)
        if "case_ids" in self._inputs:
            feed["case_ids"] = stacked([window.cases for window in windows])
        if "gap_ids" in self._inputs:
            feed["gap_ids"] = stacked([window.gaps for window in windows])
        if "rule_ids" in self._inputs:
            rules = [window.rules for window in windows if window.rules is not None]
            if len(rules) < len(windows):
                raise ModelError("the graph reads rules, and its config.json names none")
            feed["rule_ids"] = np.stack(rules)
        output: NDArray[np.float32] = self._session.run(None, feed)[0]
        if output.ndim != 3:
            raise ModelError("the graph's first output is no [batch, length, labels]")
        return output


def _has_one_scale(path: Path) -> bool:
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        return content.find(b"DynamicQuantize") >= 0


def _open(path: Path) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    # Threads run batches side by side; inside one small matrix product they only wait for each other.
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # Processors without VNNI add products of bytes in 16 bits, which overflow: there weights are read as unsigned, so that every
    # processor computes the same integers. Others ignore the entry.
    options.add_session_config_entry("session.x64quantprecision", "1")
    try:
        return onnxruntime.InferenceSession(
            str(path), options, providers=["CPUExecutionProvider"], disabled_optimizers=list(_SLOWER)
        )
    except Exception as error:  # onnxruntime raises classes of its own that share no base but this
        raise ModelError(f"{path} cannot be opened as an ONNX model ({type(error).__name__})") from None
