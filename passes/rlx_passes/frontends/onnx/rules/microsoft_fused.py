"""Ops of the domain `com.microsoft` that are several of the default domain in one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.shapes import DYNAMIC
from rlx_passes.core.errors import Refusal
from rlx_passes.frontends.onnx.node import Node, NodeRule, Result, first
from rlx_passes.frontends.onnx.rules.convolution import conv
from rlx_passes.frontends.onnx.rules.elementwise import RULES as RULES_OF_ONE
from rlx_passes.frontends.onnx.rules.microsoft import DOMAIN, fused_matmul
from rlx_passes.frontends.onnx.rules.microsoft_quantized import in_front
from rlx_passes.frontends.onnx.rules.products import gemm

ACTIVATIONS: Mapping[str, Sequence[str]] = {
    "Relu": (),
    "Tanh": (),
    "Sigmoid": (),
    "LeakyRelu": ("alpha",),
    "Clip": ("min", "max"),
    "HardSigmoid": ("alpha", "beta"),
}
"""The functions that attribute `activation` names, which are ops, and what these call their parameters in order."""


def activated(g: Graph, node: Node, x: Tensor, given: Sequence[float]) -> Tensor:
    """`x` after the function that the node names; `given` are its first parameters."""
    name = node.attributes.get("activation")
    if not name:
        return x
    if name not in ACTIVATIONS:
        raise Refusal(f"attribute activation is one of {', '.join(ACTIVATIONS)}, got '{name}'")
    return first(RULES_OF_ONE[name](g, replace(node.of(x), attributes=dict(zip(ACTIVATIONS[name], given)))))


def _parameters(node: Node) -> list[float]:
    names = [f"activation_{name}" for name in ("alpha", "beta", "gamma")]
    return [node.attributes[name] for name in names if name in node.attributes]


def fused_conv(g: Graph, node: Node) -> Result:
    """A convolution, what is added to it, and a function of that."""
    y, more = first(conv(g, node)), node.optional(3)
    return activated(g, node, y if more is None else y + more, node.attributes.get("activation_params", ()))


def nhwc_conv(g: Graph, node: Node) -> Result:
    """The channels of the kernel are last too."""
    kernel = node.required(1)
    rank = len(kernel.shape)
    turned = g.transpose(kernel, (0, rank - 1, *range(1, rank - 1)))
    return in_front(g, conv, node.of(node.required(0), turned, node.optional(2)))


def fused_gemm(g: Graph, node: Node) -> Result:
    y = first(gemm(g, node))
    return activated(g, node, y, _parameters(node))


def fused_matmul_activation(g: Graph, node: Node) -> Result:
    y = first(fused_matmul(g, node))
    return activated(g, node, y, _parameters(node))


def bias_add(g: Graph, node: Node) -> Result:
    return node.required(0) + node.required(1) + node.required(2)


def bias_split_gelu(g: Graph, node: Node) -> Result:
    """The first half of the last axis times the gelu of the second, after a bias."""
    x = node.required(0) + node.required(1)
    width = x.shape[-1]
    if width == DYNAMIC or width % 2:
        raise Refusal("the last dim must be even and known on import")
    left, right = (g.narrow(x, -1, start, width // 2) for start in (0, width // 2))
    return left * g.gelu(right)


RULES: Mapping[str, NodeRule] = {
    f"{DOMAIN}.{name}": rule
    for name, rule in {
        "BiasAdd": bias_add,
        "BiasSplitGelu": bias_split_gelu,
        "FusedConv": fused_conv,
        "FusedGemm": fused_gemm,
        "FusedMatMulActivation": fused_matmul_activation,
        "NhwcConv": nhwc_conv,
        "TransposeMatMul": fused_matmul,
    }.items()
}
