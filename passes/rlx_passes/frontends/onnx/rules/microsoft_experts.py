"""`com.microsoft.MoE`: each token through the experts that its router prefers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rlx_dialect.attributes import Activation
from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.dims import product
from rlx_dialect.shapes import DYNAMIC
from rlx_passes.core.errors import Refusal
from rlx_passes.frontends.onnx.node import Node, NodeRule, Result
from rlx_passes.frontends.onnx.rules.microsoft import DOMAIN, refuse

ACTIVATIONS: Mapping[str, Activation | None] = {
    "relu": Activation.RELU,
    "gelu": Activation.GELU_APPROX,
    "silu": Activation.SILU,
    "identity": None,
}

APART, INTERLEAVED, SIDE_BY_SIDE = 0, 1, 2
"""Where the gate of swiglu is, as attribute `swiglu_fusion` says: a weight of its own, every other row, half of all."""


def mixture(g: Graph, node: Node) -> Result:
    """
    `sum over the k likeliest experts e of p_e (W2_e act(W1_e x + b1_e) + b2_e)`.

    A third weight gives what the activation is multiplied by.
    """
    refuse(node, "use_sparse_mixer")
    dims, k = node.dims(0), node.attributes.get("k", 1)
    *leading, width = dims
    tokens = product(leading)
    weights, experts = g.top_k(g.softmax(node.required(1)), k, -1)
    if node.attributes.get("normalize_routing_weights"):
        weights = weights / g.sum(weights, (-1,), True)
    to = _Experts(g, node, node.reshape(experts, [tokens * k]))
    several = node.expand(node.reshape(node.required(0), [tokens, 1, width]), [tokens, k, width])
    found = to.product(to.hidden(node.reshape(several, [tokens * k, width])), 4)
    weighted = found * node.reshape(weights, [tokens * k, 1])
    return node.reshape(g.sum(node.reshape(weighted, [tokens, k, width]), (1,)), dims)


@dataclass(frozen=True)
class _Experts:
    """Layers of a node's experts, for rows of which `which` says the expert of each."""

    g: Graph
    node: Node
    which: Tensor

    def product(self, x: Tensor, weight: int) -> Tensor:
        """`W x + b` of each row, by the weight that is input `weight` and the bias behind it."""
        y = self.g.grouped_matmul(x, self.g.transpose(self.node.required(weight), (0, 2, 1)), self.which)
        bias = self.node.optional(weight + 1)
        return y if bias is None else y + self.g.gather(bias, self.which, 0)

    def hidden(self, x: Tensor) -> Tensor:
        name = self.node.attributes.get("activation_type", "relu")
        y, value = self.product(x, 2), self.product(x, 6) if self.node.value(6) else None
        if name == "swiglu":
            return self.swiglu(*((y, value) if value is not None else self.halves(y)))
        if name not in ACTIVATIONS:
            raise Refusal(f"attribute activation_type is one of {', '.join((*ACTIVATIONS, 'swiglu'))}, got '{name}'")
        kind = ACTIVATIONS[name]
        active = y if kind is None else self.g.activation(kind, y)
        return active if value is None else active * value

    def halves(self, y: Tensor) -> tuple[Tensor, Tensor]:
        """Gate and value of one product."""
        place, width = self.node.attributes.get("swiglu_fusion", APART), y.shape[-1]
        if place not in (INTERLEAVED, SIDE_BY_SIDE):
            raise Refusal(f"attribute swiglu_fusion is {place}, and no third weight is given")
        if width == DYNAMIC or width % 2:
            raise Refusal("the experts' gates need an even number of rows, known on import")
        if place == SIDE_BY_SIDE:
            return self.g.narrow(y, -1, 0, width // 2), self.g.narrow(y, -1, width // 2, width // 2)
        rows = self.node.dims_of(y)[0]
        pairs = self.node.reshape(y, [rows, width // 2, 2])
        gate, value = (self.node.reshape(self.g.narrow(pairs, -1, i, 1), [rows, width // 2]) for i in (0, 1))
        return gate, value

    def swiglu(self, gate: Tensor, value: Tensor) -> Tensor:
        """`gate sigmoid(alpha gate) (value + beta)`, neither beyond a limit."""
        given = self.node.attributes
        alpha, beta, limit = (given.get(name, default) for name, default in DEFAULTS.items())
        if limit is not None:
            gate, value = self.g.minimum(gate, limit), self.g.clamp(value, -limit, limit)
        return gate * self.g.activation(Activation.SIGMOID, gate * alpha) * (value + beta if beta else value)


DEFAULTS = {"activation_alpha": 1.0, "activation_beta": 0.0, "swiglu_limit": None}

RULES: Mapping[str, NodeRule] = {f"{DOMAIN}.MoE": mixture}
