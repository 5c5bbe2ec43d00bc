"""Our own models in torch: the network of the ONNX graph, from its int8 weights or from bfloat16 safetensors."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from deid_tasks.core.errors import ModelError

if TYPE_CHECKING:
    import torch


class TorchTagger:
    """Called with ids, cases, gaps and mask, ``[B, L]`` each (ids of units ``[B, L, SLOTS]``), it gives logits ``[B, L, labels]``.

    Raises:
        ModelError: a package is missing, or the weights are not those of one of our models.
    """

    def __init__(self, path: Path, config: dict[str, Any], device: "torch.device", dtype: "torch.dtype") -> None:
        import torch

        if path.suffix == ".safetensors":
            floats = _from_tensors(path)
            try:
                self._heads = int(config["num_attention_heads"])
                self._epsilon = float(config["layer_norm_eps"])
            except (KeyError, TypeError, ValueError):
                raise ModelError(
                    f"{path.parent}: config.json has no num_attention_heads and layer_norm_eps: export the model again"
                ) from None
        else:
            floats, self._heads, self._epsilon = read_graph(path)
        self._layers = len({name.split(".")[1] for name in floats if name.startswith("layers.")})
        needed = {"word.weight", "position.weight", "norm.weight", "norm.bias", "head.weight", "head.bias"}
        if not needed <= set(floats) or not self._layers:
            raise ModelError(f"{path} holds no weights of one of our models")
        if floats["head.weight"].shape[1] != floats["word.weight"].shape[1]:
            raise ModelError(f"{path}: a model that reads rules runs with `backend: onnx` only")
        self._weights = {name: torch.from_numpy(value).to(device, dtype) for name, value in floats.items()}
        self._padding = int(config.get("pad_token_id") or 0)
        self._torch, self._dtype = torch, dtype

    def __call__(
        self, ids: "torch.Tensor", cases: "torch.Tensor", gaps: "torch.Tensor", mask: "torch.Tensor"
    ) -> "torch.Tensor":
        """Logits of a batch; ``mask`` is boolean, True where a piece is real."""
        torch, w = self._torch, self._weights
        functional = torch.nn.functional
        batch, length = ids.shape[:2]
        x = functional.embedding(ids, w["word.weight"])
        if "slot" in w:
            x = (x * w["slot"] * (ids != self._padding)[..., None]).sum(dim=2)
        x = x + w["position.weight"][:length]
        if "case.weight" in w:
            x = x + functional.embedding(cases, w["case.weight"]) + functional.embedding(gaps, w["gap.weight"])
        x = self._norm(x, "norm")
        hidden = x.shape[-1]
        attended = mask[:, None, None, :]
        if "distance.biases" in w:
            table = w["distance.biases"]
            places = torch.arange(length, device=ids.device)
            bias = table[places[None, :] - places[:, None] + (len(table) - 1) // 2].permute(2, 0, 1)[None]
            attended = bias.masked_fill(~attended, float(torch.finfo(self._dtype).min) / 2)
        for layer in range(self._layers):
            at = f"layers.{layer}"
            qkv = self._linear(x, f"{at}.qkv").view(batch, length, 3, self._heads, hidden // self._heads)
            query, key, value = qkv.permute(2, 0, 3, 1, 4)
            mixed = functional.scaled_dot_product_attention(query, key, value, attn_mask=attended)
            mixed = mixed.transpose(1, 2).reshape(batch, length, hidden)
            x = self._norm(x + self._linear(mixed, f"{at}.out"), f"{at}.norm1")
            inner = functional.gelu(self._linear(x, f"{at}.up"))
            x = self._norm(x + self._linear(inner, f"{at}.down"), f"{at}.norm2")
        return self._linear(x, "head")

    def _linear(self, x: "torch.Tensor", name: str) -> "torch.Tensor":
        return self._torch.nn.functional.linear(x, self._weights[f"{name}.weight"], self._weights[f"{name}.bias"])

    def _norm(self, x: "torch.Tensor", name: str) -> "torch.Tensor":
        weight, bias = self._weights[f"{name}.weight"], self._weights[f"{name}.bias"]
        return self._torch.nn.functional.layer_norm(x, (x.shape[-1],), weight, bias, self._epsilon)


def _from_tensors(path: Path) -> dict[str, NDArray[np.float32]]:
    try:
        from safetensors.torch import load_file
    except ImportError:
        raise ModelError(f"{path} needs the extra 'gpu' (safetensors is not installed)") from None
    return {name: value.float().numpy() for name, value in load_file(str(path)).items()}


def read_graph(path: Path) -> tuple[dict[str, NDArray[np.float32]], int, float]:
    """What ``train.graph`` wrote: weights as floats (rows of bytes times their scales), heads, and the epsilon of norms."""
    try:
        import onnx
    except ImportError:
        raise ModelError(
            f"{path} needs the extra 'gpu' (onnx is not installed), or model.safetensors beside it"
        ) from None
    graph = onnx.load(str(path)).graph
    held = {one.name: onnx.numpy_helper.to_array(one) for one in graph.initializer}
    attributes = {one.name: onnx.helper.get_attribute_value(one) for node in graph.node for one in node.attribute}
    if (
        "num_heads" not in attributes
        or "epsilon" not in attributes
        or "word.rows" not in held
        or "head.W" not in held
        or "layers.0.query.W" not in held
    ):
        raise ModelError(f"{path} was exported by an earlier version: export the model again")

    def matrix(name: str) -> NDArray[np.float32]:
        values: NDArray[np.float32] = held[f"{name}.W"].T.astype(np.float32)
        scales = held.get(f"{name}.W.scales")
        return np.ascontiguousarray(values if scales is None else values * scales[:, None])

    found = {
        name: value
        for name, value in held.items()
        if (name.endswith((".weight", ".bias")) and ".query" not in name) or name == "slot"
    }
    found["word.weight"] = held["word.rows"].astype(np.float32) * held["word.scales"]
    if "distance.biases" in held:
        found["distance.biases"] = held["distance.biases"]
    for at in sorted({name.rsplit(".", 2)[0] for name in held if name.endswith(".query.W")}):
        found[f"{at}.qkv.weight"] = np.concatenate([matrix(f"{at}.{part}") for part in ("query", "key", "value")])
        bias = held[f"{at}.query.bias"]
        # The graph has no bias of the keys, which changes nothing, and holds that of the values in the next one.
        found[f"{at}.qkv.bias"] = np.concatenate([bias, np.zeros(2 * len(bias), np.float32)])
        for part in ("out", "up", "down"):
            found[f"{at}.{part}.weight"] = matrix(f"{at}.{part}")
    found["head.weight"] = matrix("head")
    floats = {name: np.array(value, np.float32) for name, value in found.items()}
    return floats, int(attributes["num_heads"]), float(attributes["epsilon"])
