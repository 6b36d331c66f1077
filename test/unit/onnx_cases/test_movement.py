"""Slices, pads, repetitions, triangles, bounds and fills against the cases of the `onnx` package."""

import numpy as np
import pytest
from onnx_cases import Case, Node, Unsupported, cases, check

from rlx_dialect.attributes import PadMode, Triangle
from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.reference import Array


def whole(node: Node, at: int) -> list[int]:
    """An input that the dialect wants as numbers. Raises `Unsupported` where the node leaves it out."""
    value = node.constant(at)
    if value is None:
        raise Unsupported(f"input {at} is left out")
    return [int(each) for each in value.ravel()]


def slice_(g: Graph, node: Node) -> Tensor:
    x = node.required(0)
    rank = len(x.shape)
    begins, ends = whole(node, 1), whole(node, 2)
    axes = whole(node, 3) if node.constant(3) is not None else list(range(len(begins)))
    steps = whole(node, 4) if node.constant(4) is not None else [1] * len(begins)
    starts, lengths, strides = [0] * rank, list(x.shape), [1] * rank
    for axis, begin, end, step in zip(axes, begins, ends, steps):
        kept = range(*slice(begin, end, step).indices(x.shape[axis]))
        starts[axis], lengths[axis], strides[axis] = kept.start if kept else 0, len(kept), step
    return g.slice(x, starts, lengths, strides)


def pad(g: Graph, node: Node) -> Tensor:
    x = node.required(0)
    rank = len(x.shape)
    given = whole(node, 1)
    axes = whole(node, 3) if node.constant(3) is not None else list(range(rank))
    low, high = [0] * rank, [0] * rank
    for axis, before, after in zip(axes, given, given[len(axes) :]):
        low[axis], high[axis] = before, after
    modes = {
        "constant": PadMode.CONSTANT,
        "reflect": PadMode.REFLECT,
        "edge": PadMode.REPLICATE,
        "wrap": PadMode.CIRCULAR,
    }
    value = node.constant(2)
    return g.pad(x, low, high, modes[node.attributes.get("mode", "constant")], 0 if value is None else value.item())


def tile(g: Graph, node: Node) -> Tensor:
    return g.tile(node.required(0), whole(node, 1))


def trilu(g: Graph, node: Node) -> Tensor:
    part = Triangle.UPPER if node.attributes.get("upper", 1) else Triangle.LOWER
    return g.trilu(part, node.required(0), 0 if node.constant(1) is None else whole(node, 1)[0])


def bound(array: Array | None) -> float | None:
    return None if array is None else array.item()


def clip(g: Graph, node: Node) -> Tensor:
    return g.clamp(node.required(0), bound(node.constant(1)), bound(node.constant(2)))


def expand(g: Graph, node: Node) -> Tensor:
    x = node.required(0)
    return g.expand(x, np.broadcast_shapes(x.shape, whole(node, 1)))


def constant_of_shape(g: Graph, node: Node) -> Tensor:
    value = node.attributes["value"]
    number = value.float_data[0] if value.float_data else value.int32_data[0]
    return g.filled(whole(node, 0), number, {1: "f32", 6: "i32"}[value.data_type])


ADAPTERS = {
    "Slice": slice_,
    "Pad": pad,
    "Tile": tile,
    "Trilu": trilu,
    "Clip": clip,
    "Expand": expand,
    "ConstantOfShape": constant_of_shape,
}
MODULES = ("slice", "pad", "tile", "trilu", "clip", "expand", "constantofshape")
CASES = list({case.name: case for module in MODULES for case in cases(module, *ADAPTERS)}.values())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Case):
    check(case, ADAPTERS, {})


def test_all_cases_are_there():
    assert {case.op_type for case in CASES} == set(ADAPTERS)
