"""Our own models in torch: the network of the ONNX graph, from its int8 weights or from safetensors."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from deid_tasks.core.errors import ModelError

if TYPE_CHECKING:
    import torch

_NEEDED = frozenset({"word.weight", "position.weight", "norm.weight", "norm.bias", "head.weight", "head.bias"})
_NEEDED_OF_GRAPH = ("word.rows", "head.W", "layers.0.query.W")


class TorchTagger:
    """The forward pass of one of our models.

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
        if not set(floats) >= _NEEDED or not self._layers:
            raise ModelError(f"{path} does not hold the weights of one of our models")
        if floats["head.weight"].shape[1] != floats["word.weight"].shape[1]:
            raise ModelError(f"{path}: a model that reads rule features runs with `backend: onnx` only")
        self._weights = {name: torch.from_numpy(value).to(device, dtype) for name, value in floats.items()}
        self._padding = int(config.get("pad_token_id") or 0)
        self._torch, self._dtype = torch, dtype
        # cuDNN's attention compiles a plan for each shape of a batch, which takes longer than the batches.
        kernel = torch.nn.attention.SDPBackend
        self._kernels = [kernel.EFFICIENT_ATTENTION, kernel.MATH]

    def __call__(
        self, ids: "torch.Tensor", cases: "torch.Tensor", gaps: "torch.Tensor", mask: "torch.Tensor"
    ) -> "torch.Tensor":
        """Return the logits of a batch.

        Args:
            ids: ``[B, L]`` for word pieces, ``[B, L, SLOTS]`` for word groups.
            cases: ``[B, L]``, case classes.
            gaps: ``[B, L]``, gap classes.
            mask: ``[B, L]``, boolean; False where a token is padding.

        Returns:
            ``[B, L, labels]``
        """
        x = self._embedded(ids, cases, gaps)
        attended = self._attention_mask(ids, mask)
        with self._torch.nn.attention.sdpa_kernel(self._kernels):
            for layer in range(self._layers):
                x = self._layer(x, attended, f"layers.{layer}")
        return self._linear(x, "head")

    def _embedded(self, ids: "torch.Tensor", cases: "torch.Tensor", gaps: "torch.Tensor") -> "torch.Tensor":
        w, embedding = self._weights, self._torch.nn.functional.embedding
        x = embedding(ids, w["word.weight"])
        if "slot" in w:
            x = (x * w["slot"] * (ids != self._padding)[..., None]).sum(dim=2)
        x = x + w["position.weight"][: ids.shape[1]]
        if "case.weight" in w:
            x = x + embedding(cases, w["case.weight"]) + embedding(gaps, w["gap.weight"])
        return self._norm(x, "norm")

    def _attention_mask(self, ids: "torch.Tensor", mask: "torch.Tensor") -> "torch.Tensor":
        """Return the mask of padding, with the bias of relative distances where the model has one."""
        attended = mask[:, None, None, :]
        if "distance.biases" not in self._weights:
            return attended
        table = self._weights["distance.biases"]
        positions = self._torch.arange(ids.shape[1], device=ids.device)
        distances = positions[None, :] - positions[:, None] + (len(table) - 1) // 2
        bias = table[distances].permute(2, 0, 1)[None]
        return bias.masked_fill(~attended, float(self._torch.finfo(self._dtype).min) / 2)

    def _layer(self, x: "torch.Tensor", attended: "torch.Tensor", name: str) -> "torch.Tensor":
        functional = self._torch.nn.functional
        batch, length, hidden = x.shape
        qkv = self._linear(x, f"{name}.qkv").view(batch, length, 3, self._heads, hidden // self._heads)
        query, key, value = qkv.permute(2, 0, 3, 1, 4)
        mixed = functional.scaled_dot_product_attention(query, key, value, attn_mask=attended)
        mixed = mixed.transpose(1, 2).reshape(batch, length, hidden)
        x = self._norm(x + self._linear(mixed, f"{name}.out"), f"{name}.norm1")
        inner = functional.gelu(self._linear(x, f"{name}.up"))
        return self._norm(x + self._linear(inner, f"{name}.down"), f"{name}.norm2")

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
    """Return the weights of an ONNX graph that ``learning.train.graph`` wrote.

    Args:
        path: the graph.

    Returns:
        Weights as floats by name (bytes times the scale of their row), the number of attention heads, and the norms'
        epsilon.

    Raises:
        ModelError: the package ``onnx`` is not installed, or the graph was exported by an earlier version.
    """
    try:
        import onnx
    except ImportError:
        raise ModelError(
            f"{path} needs the extra 'gpu' (onnx is not installed), or model.safetensors beside it"
        ) from None
    graph = onnx.load(str(path)).graph
    held = {one.name: onnx.numpy_helper.to_array(one) for one in graph.initializer}
    attributes = {one.name: onnx.helper.get_attribute_value(one) for node in graph.node for one in node.attribute}
    has_attributes = "num_heads" in attributes and "epsilon" in attributes
    if not has_attributes or any(name not in held for name in _NEEDED_OF_GRAPH):
        raise ModelError(f"{path} was exported by an earlier version: export the model again")
    found = {
        name: value
        for name, value in held.items()
        if (name.endswith((".weight", ".bias")) and ".query" not in name) or name == "slot"
    }
    found["word.weight"] = held["word.rows"].astype(np.float32) * held["word.scales"]
    if "distance.biases" in held:
        found["distance.biases"] = held["distance.biases"]
    for layer in sorted({name.rsplit(".", 2)[0] for name in held if name.endswith(".query.W")}):
        _read_layer(held, layer, found)
    found["head.weight"] = _matrix(held, "head")
    floats = {name: np.array(value, np.float32) for name, value in found.items()}
    return floats, int(attributes["num_heads"]), float(attributes["epsilon"])


def _read_layer(held: dict[str, NDArray[Any]], layer: str, found: dict[str, NDArray[Any]]) -> None:
    """Add the weights of one layer of the graph to ``found``."""
    parts = [_matrix(held, f"{layer}.{part}") for part in ("query", "key", "value")]
    found[f"{layer}.qkv.weight"] = np.concatenate(parts)
    bias = held[f"{layer}.query.bias"]
    # The graph has no bias of the keys, which would change nothing, and holds the values' bias in the following
    # product.
    found[f"{layer}.qkv.bias"] = np.concatenate([bias, np.zeros(2 * len(bias), np.float32)])
    for part in ("out", "up", "down"):
        found[f"{layer}.{part}.weight"] = _matrix(held, f"{layer}.{part}")


def _matrix(held: dict[str, NDArray[Any]], name: str) -> NDArray[np.float32]:
    values: NDArray[np.float32] = held[f"{name}.W"].T.astype(np.float32)
    scales = held.get(f"{name}.W.scales")
    return np.ascontiguousarray(values if scales is None else values * scales[:, None])
