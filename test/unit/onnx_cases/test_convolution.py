"""Convolutions against the cases of the `onnx` package."""

import pytest
from onnx_cases import Case, Node, cases, check
from windows_of_nodes import pads_of, split

from rlx_dialect.builder import Graph, Tensor


def conv(g: Graph, node: Node) -> Tensor:
    x, weight, bias = node.required(0), node.required(1), node.optional(2)
    rank = len(x.shape) - 2
    result = g.conv(
        *(x, weight),
        stride=node.attributes.get("strides", 1),
        padding=pads_of(node, x.shape[2:], weight.shape[2:]),
        dilation=node.attributes.get("dilations", 1),
        groups=node.attributes.get("group", 1),
    )
    return result if bias is None else result + g.reshape(bias, (-1, *(1,) * rank))


def conv_transpose(g: Graph, node: Node) -> Tensor:
    x, weight, bias = node.required(0), node.required(1), node.optional(2)
    rank = len(x.shape) - 2
    kernel = weight.shape[2:]
    steps = node.attributes.get("strides", [1] * rank)
    dilations = node.attributes.get("dilations", [1] * rank)
    more = node.attributes.get("output_padding", [0] * rank)
    auto = node.attributes.get("auto_pad", "NOTSET")
    full = [
        step * (size - 1) + (k - 1) * d + 1 + extra
        for step, size, k, d, extra in zip(steps, x.shape[2:], kernel, dilations, more)
    ]
    if auto.startswith("SAME"):
        wanted = [size * step for size, step in zip(x.shape[2:], steps)]
    else:
        wanted = node.attributes.get("output_shape")
    if wanted is None:
        pads = node.attributes.get("pads", [0] * 2 * rank)
        pairs = list(zip(pads[:rank], pads[rank:]))
    else:
        totals = [have - want for have, want in zip(full, wanted[-rank:])]
        pairs = [split(total, auto == "SAME_UPPER") for total in totals]
    # A case may ask for a larger result than the input reaches.
    more = [extra + max(0, -low - high) for extra, (low, high) in zip(more, pairs)]
    pairs = [(low, high) if low + high >= 0 else (0, 0) for low, high in pairs]
    result = g.conv_transpose(
        *(x, weight),
        stride=steps,
        padding=pairs,
        output_padding=more,
        dilation=dilations,
        groups=node.attributes.get("group", 1),
    )
    return result if bias is None else result + g.reshape(bias, (-1, *(1,) * rank))


ADAPTERS = {"Conv": conv, "ConvTranspose": conv_transpose}
MODULES = ("conv", "convtranspose")
CASES = [case for module, op in zip(MODULES, ADAPTERS) for case in cases(module, op)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Case):
    check(case, ADAPTERS, {})


def test_all_cases_are_there():
    assert {case.op_type for case in CASES} == set(ADAPTERS)
