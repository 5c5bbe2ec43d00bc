"""Windows through an ONNX graph on a CPU. How windows are batched never changes an answer."""

import mmap
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from deid_tasks.core.errors import ModelError
from deid_tasks.engine.detect.window import WindowBatch, Windows
from deid_tasks.settings import ModelSettings

_LENGTH_MULTIPLE = 8
"""Windows are padded to a multiple of this, so that a window's padded length never depends on the other windows."""
_DISABLED_OPTIMIZERS = ("BiasGeluFusion", "SkipLayerNormFusion")
"""Fused operators that take a CPU two to four times as long as their parts."""
_KNOWN_INPUTS = frozenset({"input_ids", "attention_mask", "token_type_ids", "case_ids", "gap_ids", "rule_ids"})


class OnnxRunner:
    """One graph. Calls from different threads may share it.

    A graph without an attention mask, as ours are, reads batches of windows of one exact length. Other graphs read
    batches of windows padded to one length. A graph that quantises its activations with one scale for the whole batch
    (``DynamicQuantizeLinear``) would answer differently with other sentences in the batch: it reads each window alone.

    Raises:
        ModelError: the graph cannot be opened, wants unknown inputs, or the settings ask for a precision that ONNX does
            not have.
    """

    def __init__(self, path: Path, pad_id: int, settings: ModelSettings) -> None:
        if settings.precision not in {"auto", "int8", "float32"}:
            raise ModelError(f"{path}: precision {settings.precision} needs `backend: torch`; a graph is read as it is")
        self.reads_alone: bool = _quantises_by_batch(path)
        self._path, self._pad_id = path, pad_id
        self._session = _open(path)
        self._inputs = frozenset(entry.name for entry in self._session.get_inputs())
        if unknown := self._inputs - _KNOWN_INPUTS:
            raise ModelError(f"{path} wants unknown inputs: {', '.join(sorted(unknown))}")
        self._is_padded = "attention_mask" in self._inputs and not self.reads_alone
        self._batch_tokens = 1 if self.reads_alone else settings.batch_word_pieces
        self._pool = ThreadPoolExecutor(settings.threads) if settings.threads > 1 else None

    def logits(self, windows: Windows) -> NDArray[np.float32]:
        """Return ``[L, labels]``: the logits of each token.

        Raises:
            ModelError: onnxruntime failed. The cause is the model, the settings or the machine, not a note.
        """
        batches = self._batches(windows)
        run = partial(self._run, windows)
        runs = map(run, batches) if self._pool is None else self._pool.map(run, batches)
        found = np.empty((0, 0), np.float32)
        for batch, output in zip(batches, runs, strict=True):
            if not found.size:
                found = np.empty((len(windows.ids), output.shape[2]), np.float32)
            batch.unpadded(output, found)
        return found

    def _batches(self, windows: Windows) -> list[WindowBatch]:
        """Return batches of windows of one padded length, shortest first.

        What a window takes up in a batch depends on its own length alone.
        """
        lengths = windows.lengths
        if self._is_padded:
            lengths = -(-lengths // _LENGTH_MULTIPLE) * _LENGTH_MULTIPLE
        order = np.argsort(lengths, kind="stable")
        distinct, firsts = np.unique(lengths[order], return_index=True)
        batches = []
        for length, group in zip(distinct.tolist(), np.split(order, firsts[1:]), strict=True):
            size = max(1, self._batch_tokens // length)
            batches += [
                WindowBatch(windows, group[first : first + size], length) for first in range(0, len(group), size)
            ]
        return batches

    def _run(self, windows: Windows, batch: WindowBatch) -> NDArray[np.float32]:
        """Return ``[B, L, labels]`` of one batch of windows of one padded length."""
        feed = self._feed(windows, batch)
        try:
            output: NDArray[np.float32] = self._session.run(None, feed)[0]
        except Exception as error:  # onnxruntime's classes have no base of their own
            raise ModelError(f"{self._path}: onnxruntime failed ({type(error).__name__})") from error
        if output.ndim != 3:
            raise ModelError(f"{self._path}: the graph's first output is not [batch, length, labels]")
        return output

    def _feed(self, windows: Windows, batch: WindowBatch) -> dict[str, NDArray[Any]]:
        """Return the graph's inputs, ``[B, L]`` each."""

        def empty() -> NDArray[np.int64]:
            return np.zeros(batch.shape, np.int64)

        ids = np.full((*batch.shape, *windows.ids.shape[1:]), self._pad_id, np.int64)
        feed: dict[str, NDArray[Any]] = {"input_ids": batch.padded(windows.ids, ids)}
        if "attention_mask" in self._inputs:
            feed["attention_mask"] = batch.padded(1, empty())
        if "token_type_ids" in self._inputs:
            feed["token_type_ids"] = empty()
        if "case_ids" in self._inputs:
            feed["case_ids"] = batch.padded(windows.cases, empty())
        if "gap_ids" in self._inputs:
            feed["gap_ids"] = batch.padded(windows.gaps, empty())
        if "rule_ids" in self._inputs:
            if windows.rules is None:
                raise ModelError(f"{self._path}: the graph reads rule features, and its config.json lists none")
            rules = np.zeros((*batch.shape, windows.rules.shape[1]), np.float32)
            feed["rule_ids"] = batch.padded(windows.rules, rules)
        return feed


def _quantises_by_batch(path: Path) -> bool:
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        return content.find(b"DynamicQuantize") >= 0


def session_options(*, has_vnni: bool) -> onnxruntime.SessionOptions:
    """Return the options with which every processor computes the same integers.

    Processors without VNNI add products of bytes in 16 bits, which overflow, unless they are told to read weights as
    unsigned. Others would then compute the same in 1.6 times the time.
    """
    options = onnxruntime.SessionOptions()
    # Threads compute batches side by side. Threads inside one small matrix product would only wait for each other.
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    if not has_vnni:
        options.add_session_config_entry("session.x64quantprecision", "1")
    return options


@cache
def has_vnni(cpuinfo: Path = Path("/proc/cpuinfo")) -> bool:
    """Return whether the processor adds products of bytes in 32 bits; ``False`` where that cannot be told."""
    try:
        lines = cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return False
    flags = next((line.partition(":")[2].split() for line in lines if line.startswith("flags")), [])
    return not {"avx512_vnni", "avx_vnni"}.isdisjoint(flags)


def _open(path: Path) -> onnxruntime.InferenceSession:
    try:
        return onnxruntime.InferenceSession(
            str(path),
            session_options(has_vnni=has_vnni()),
            providers=["CPUExecutionProvider"],
            disabled_optimizers=list(_DISABLED_OPTIMIZERS),
        )
    except Exception as error:  # onnxruntime's classes have no base of their own
        raise ModelError(f"{path} cannot be opened as an ONNX model ({type(error).__name__})") from error
