"""Windows through torch: on GPUs in half precision, or on a CPU where there is no GPU.

Torch and the packages that read its models are imported here alone, and only where the settings ask for `backend:
torch`. Weights are read from safetensors or, for our own models, from the int8 rows of the ONNX graph. Files that could
run code are never read.
"""

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deid_tasks.core.errors import ModelError
from deid_tasks.engine.detect.model_files import OWN_MODEL_TYPE
from deid_tasks.engine.detect.window import WindowBatch, Windows
from deid_tasks.settings import ModelSettings

if TYPE_CHECKING:
    import torch

_LENGTH_MULTIPLE = 8
"""Windows are padded to a multiple of this."""
_WAITING = 3
"""Batches that are sent to a device beyond the one that is collected."""
_Forward = Callable[["torch.Tensor", "torch.Tensor", "torch.Tensor", "torch.Tensor"], "torch.Tensor"]


class TorchRunner:
    """One model, with a copy on each device; batches of similar length are given to the devices in turn.

    Raises:
        ModelError: torch or a package that reads the weights is not installed, a device is not available, or the
            weights do not fit the model.
    """

    def __init__(self, weights: Path, config: dict[str, Any], settings: ModelSettings) -> None:
        try:
            import torch
        except ImportError:
            raise ModelError(
                f"{weights.parent}: `backend: torch` needs the extra 'gpu' (torch is not installed)"
            ) from None
        self._torch = torch
        self._folder = weights.parent
        self._pad_id = int(config.get("pad_token_id") or 0)
        self._batch_tokens = settings.batch_word_pieces
        devices = [_device(torch, name) for name in settings.devices] or _default_devices(torch)
        is_own = config.get("model_type") == OWN_MODEL_TYPE
        self._copies: list[tuple[_Forward, torch.device]] = []
        for device in devices:
            dtype = _dtype(torch, settings.precision, device)
            forward = _own(weights, config, device, dtype) if is_own else _foreign(weights, device, dtype)
            self._copies.append((forward, device))

    def logits(self, windows: Windows) -> NDArray[np.float32]:
        """Return ``[L, labels]``: the logits of each token.

        The next batches are sent while the devices compute: a GPU waits for no transfer.

        Raises:
            ModelError: torch failed, for example out of GPU memory. The cause is the model, the settings or the
                machine.
        """
        found = np.empty((0, 0), np.float32)
        waiting: deque[tuple[WindowBatch, _Answer]] = deque()

        def collect() -> None:
            nonlocal found
            batch, answer = waiting.popleft()
            output = self._wait(answer)
            if not found.size:
                found = np.empty((len(windows.ids), output.shape[2]), np.float32)
            batch.unpadded(output, found)

        for batch, copy in zip(self._batches(windows), cycle(self._copies), strict=False):
            waiting.append((batch, self._send(windows, batch, copy)))
            if len(waiting) > _WAITING * len(self._copies):
                collect()
        while waiting:
            collect()
        return found

    def _batches(self, windows: Windows) -> list[WindowBatch]:
        """Return batches of windows of similar length, longest first, so that a lack of memory shows at once."""
        lengths = windows.lengths
        order = np.argsort(-lengths, kind="stable")
        padded = (-(-lengths[order] // _LENGTH_MULTIPLE) * _LENGTH_MULTIPLE).tolist()
        batches: list[WindowBatch] = []
        first = 0
        for index, length in enumerate(padded):
            longest = padded[first]
            is_full = (index + 1 - first) * longest > self._batch_tokens or longest - length > longest // 8
            if index > first and is_full:
                batches.append(WindowBatch(windows, order[first:index], longest))
                first = index
        if padded:
            batches.append(WindowBatch(windows, order[first:], padded[first]))
        return batches

    def _send(self, windows: Windows, batch: WindowBatch, copy: tuple[_Forward, "torch.device"]) -> "_Answer":
        """Have one batch computed; a GPU may still compute it when this returns."""
        torch = self._torch
        forward, device = copy
        is_gpu = device.type == "cuda"
        with self._errors(device), torch.inference_mode():
            # Only pinned memory is transferred while the device computes.
            read = torch.full((*batch.shape, *windows.ids.shape[1:]), self._pad_id, pin_memory=is_gpu)
            values = torch.zeros((3, *batch.shape), dtype=torch.int64, pin_memory=is_gpu)
            batch.padded(windows.ids, read.numpy())
            batch.padded(windows.cases, values[0].numpy())
            batch.padded(windows.gaps, values[1].numpy())
            batch.padded(1, values[2].numpy())
            ids, (cases, gaps, mask) = (tensor.to(device, non_blocking=is_gpu) for tensor in (read, values))
            result = forward(ids, cases, gaps, mask.bool()).float()
            if not is_gpu:
                return _Answer(result.cpu(), device, None)
            host = torch.empty(result.shape, dtype=result.dtype, pin_memory=True)
            host.copy_(result, non_blocking=True)
            done = torch.cuda.Event()
            done.record(torch.cuda.current_stream(device))
            return _Answer(host, device, done)

    def _wait(self, answer: "_Answer") -> NDArray[np.float32]:
        """Return ``[B, L, labels]`` of one batch once it is computed."""
        with self._errors(answer.device):
            if answer.done is not None:
                answer.done.synchronize()
            result: NDArray[np.float32] = answer.output.numpy()
        return result

    @contextmanager
    def _errors(self, device: "torch.device") -> Iterator[None]:
        try:
            yield
        except RuntimeError as error:  # torch raises CUDA errors and a lack of GPU memory as subclasses of it
            raise ModelError(f"{self._folder}: torch failed on {device} ({type(error).__name__})") from error


class _Answer(NamedTuple):
    """The logits of one batch, in memory of the host once ``done`` has happened."""

    output: "torch.Tensor"
    device: "torch.device"
    done: "torch.cuda.Event | None"


def _device(library: Any, name: str) -> "torch.device":
    try:
        device: torch.device = library.device(name)
        library.empty(1, device=device)
    except Exception as error:  # torch raises its backends' classes, AssertionError among them
        raise ModelError(f"device {name!r} is not available ({type(error).__name__})") from error
    return device


def _default_devices(torch: Any) -> list["torch.device"]:
    """Return all GPUs, or the CPU when no GPU is available."""
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    return [torch.device("cuda", number) for number in range(count)] or [torch.device("cpu")]


def _dtype(library: Any, precision: str, device: "torch.device") -> "torch.dtype":
    if precision == "int8":
        raise ModelError("precision int8 needs `backend: onnx`")
    chosen = ("bfloat16" if device.type == "cuda" else "float32") if precision == "auto" else precision
    dtype: torch.dtype = getattr(library, chosen)
    return dtype


def _own(weights: Path, config: dict[str, Any], device: "torch.device", dtype: "torch.dtype") -> _Forward:
    from deid_tasks.engine.detect.torch_tagger import TorchTagger

    return TorchTagger(weights, config, device, dtype)


def _foreign(weights: Path, device: "torch.device", dtype: "torch.dtype") -> _Forward:
    """Return the forward pass of any Hugging Face token-classification model."""
    try:
        import transformers
    except ImportError:
        raise ModelError(f"{weights.parent}: needs the extra 'gpu' (transformers is not installed)") from None
    if weights.suffix != ".safetensors":
        raise ModelError(f"{weights.parent}: `backend: torch` reads model.safetensors, which is missing")
    try:
        model = transformers.AutoModelForTokenClassification.from_pretrained(
            weights.parent, use_safetensors=True, trust_remote_code=False, local_files_only=True, dtype=dtype
        )
    except Exception as error:  # transformers raises its own classes, safetensors' and OSError
        raise ModelError(f"{weights.parent} cannot be read by transformers ({type(error).__name__})") from error
    model = model.to(device).eval()

    def forward(
        ids: "torch.Tensor", cases: "torch.Tensor", gaps: "torch.Tensor", mask: "torch.Tensor"
    ) -> "torch.Tensor":
        del cases, gaps
        logits: torch.Tensor = model(input_ids=ids, attention_mask=mask.long()).logits
        return logits

    return forward
