"""Moves of elements against the cases of the `onnx` package."""

from itertools import accumulate
from math import prod

import pytest
from onnx_cases import Adapter, Case, Node, cases, check

from rlx_dialect.builder import Graph, Tensor


def numbers(node: Node, at: int, name: str, default: list[int]) -> list[int]:
    """Numbers that are an input or an attribute, whichever the node has."""
    given = node.constant(at)
    return node.attributes.get(name, default) if given is None else [int(each) for each in given.ravel()]


def concat(g: Graph, node: Node) -> Tensor:
    return g.concat([node.required(at) for at in range(len(node.inputs))], node.attributes["axis"])


def transpose(g: Graph, node: Node) -> Tensor:
    x = node.required(0)
    return g.transpose(x, node.attributes.get("perm", range(len(x.shape))[::-1]))


def reshape(g: Graph, node: Node) -> Tensor:
    x, shape = node.required(0), numbers(node, 1, "shape", [])
    if not node.attributes.get("allowzero"):
        shape = [x.shape[at] if size == 0 else size for at, size in enumerate(shape)]
    return g.reshape(x, shape)


def squeeze(g: Graph, node: Node) -> Tensor:
    x = node.required(0)
    axes = {axis % len(x.shape) for axis in numbers(node, 1, "axes", [])}
    return g.reshape(x, [size for at, size in enumerate(x.shape) if at not in axes and (axes or size != 1)])


def unsqueeze(g: Graph, node: Node) -> Tensor:
    x, axes = node.required(0), numbers(node, 1, "axes", [])
    rank = len(x.shape) + len(axes)
    ones, rest = {axis % rank for axis in axes}, iter(x.shape)
    return g.reshape(x, [1 if at in ones else next(rest) for at in range(rank)])


def flatten(g: Graph, node: Node) -> Tensor:
    x, axis = node.required(0), int(node.attributes.get("axis", 1))
    at = axis + len(x.shape) if axis < 0 else axis
    return g.reshape(x, (prod(x.shape[:at]), prod(x.shape[at:])))


def split(g: Graph, node: Node) -> list[Tensor]:
    x, axis = node.required(0), int(node.attributes.get("axis", 0))
    parts, whole = len(node.outputs), x.shape[axis]
    each = -(-whole // parts)
    sizes = numbers(node, 1, "split", [min(each, whole - each * part) for part in range(parts)])
    return [g.narrow(x, axis, end - size, size) for size, end in zip(sizes, accumulate(sizes))]


ADAPTERS: dict[str, Adapter] = {
    "Concat": concat,
    "Transpose": transpose,
    "Reshape": reshape,
    "Squeeze": squeeze,
    "Unsqueeze": unsqueeze,
    "Flatten": flatten,
    "Split": split,
}
CASES = list({case.name: case for name in ADAPTERS for case in cases(name.lower(), *ADAPTERS)}.values())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Case):
    check(case, ADAPTERS, {})


def test_all_cases_are_there():
    assert {case.op_type for case in CASES} == set(ADAPTERS)
