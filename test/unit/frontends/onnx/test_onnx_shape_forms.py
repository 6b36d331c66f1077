"""Ops that move elements in the forms of older op sets and of rarer operands, against ONNX Runtime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx_nodes import NodeCase

from rlx_dialect.reference import Array
from rlx_passes.core.errors import InputError

RNG = np.random.default_rng(12)
FAR, NEAR = 2**63 - 1, -(2**63)


def normal(*shape: int) -> Array:
    return RNG.standard_normal(shape).astype(np.float32)


def numbers(*values: int) -> Array:
    return np.array(values, np.int64)


def case(
    op: str, opset: int, *inputs: Array | None, outputs: int = 1, known: bool = True, **attributes: Any
) -> NodeCase:
    """A node whose inputs after the first are stored in the model, unless they are not to be `known` on import."""
    words = [op, str(opset), *(f"{key}={value}" for key, value in attributes.items())]
    words += ["_" if each is None else "x".join(map(str, each.shape)) or "scalar" for each in inputs]
    words += [
        str(each.tolist()) for each in inputs[1:] if each is not None and each.dtype == np.int64 and each.size < 9
    ]
    stored = [at for at in range(1, len(inputs)) if known and inputs[at] is not None]
    return NodeCase("-".join(words).replace(" ", ""), op, inputs, range(outputs), attributes, opset, stored=stored)


X, IMAGE, CUBE = normal(2, 3, 4), normal(2, 4, 6, 4), normal(2, 3, 5)
SQUARE = normal(4, 4)

SHAPES = [
    case("Reshape", 7, X, numbers(0, -1)),
    case("Reshape", 13, X, numbers(-1)),
    case("Reshape", 14, X, numbers(0, 0, 2, 2)),
    case("Reshape", 14, X, numbers(2, 12), allowzero=1),
    case("Reshape", 13, np.array([5.0], np.float32), numbers()),
    case("Flatten", 9, X),
    case("Flatten", 11, X, axis=-1),
    case("Flatten", 13, X, axis=0),
    case("Flatten", 13, X, axis=3),
    case("Transpose", 7, X),
    case("Transpose", 13, X, perm=[1, 2, 0]),
    case("Squeeze", 7, normal(1, 3, 1), axes=[0]),
    case("Squeeze", 11, normal(1, 3, 1), axes=[-1]),
    case("Squeeze", 13, normal(1, 3, 1), numbers(0, 2)),
    case("Unsqueeze", 7, X, axes=[0, 4]),
    case("Unsqueeze", 11, X, axes=[-1]),
    case("Unsqueeze", 13, X, numbers(-2, 0)),
    case("Expand", 8, normal(3, 1), numbers(2, 1, 4)),
    case("Expand", 13, X, numbers(1)),
    case("Tile", 7, X, numbers(2, 1, 3)),
    case("Tile", 13, X, numbers(1, 0, 1)),
    case("Concat", 7, X, X, X, known=False, axis=2),
    case("Concat", 13, X, X[:, :1], known=False, axis=-2),
    case("DepthToSpace", 7, IMAGE, blocksize=2),
    case("DepthToSpace", 11, IMAGE, blocksize=2, mode="CRD"),
    case("SpaceToDepth", 7, IMAGE, blocksize=2),
    case("Shape", 15, X, start=-2),
    case("Shape", 15, X, start=1, end=-1),
    case("Size", 13, X),
]
PARTS = [
    case("Slice", 7, X, starts=[0, 1], ends=[1, FAR], axes=[0, 2]),
    case("Slice", 9, X, starts=[1], ends=[-1], axes=[2]),
    case("Slice", 10, X, numbers(-1), numbers(NEAR), numbers(1), numbers(-1)),
    case("Slice", 13, X, numbers(0, -2), numbers(FAR, FAR), numbers(1, -1)),
    case("Slice", 13, X, numbers(FAR), numbers(NEAR), numbers(2), numbers(-2)),
    case("Slice", 13, X, numbers(5), numbers(FAR), numbers(2)),
    case("Slice", 13, X, np.array([1], np.int32), np.array([2**31 - 1], np.int32), np.array([1], np.int32)),
    case("Split", 7, X, outputs=2, axis=2),
    case("Split", 11, X, outputs=2, axis=-1, split=[1, 3]),
    case("Split", 13, X, numbers(1, 3), outputs=2, axis=2),
    case("Split", 13, X, outputs=3, axis=1),
    case("Split", 18, X, outputs=3, axis=2, num_outputs=3),
    case("Pad", 7, X, pads=[0, 1, 0, 0, 0, 2], value=1.5),
    case("Pad", 10, X, pads=[0, 1, 1, 0, 0, 2], mode="reflect"),
    case("Pad", 11, X, numbers(0, 1, 1, 0, 0, 2), mode="edge"),
    case("Pad", 11, X, numbers(0, -1, 1, 0, 0, -2), np.array(3, np.float32)),
    case("Pad", 13, np.arange(6).reshape(2, 3), numbers(1, 0, 0, 1), np.array(7)),
    case("Pad", 13, X > 0, numbers(0, 1, 1, 0, 0, 2)),
    case("Pad", 18, X, numbers(1, 2), np.array(3, np.float32), numbers(-1)),
    case("Pad", 19, X, numbers(2, 1), None, numbers(2), mode="wrap"),
    case("ReverseSequence", 10, normal(4, 3, 2), numbers(4, 1, 2)),
    case("ReverseSequence", 10, normal(3, 4), numbers(4, 1, 2), batch_axis=0, time_axis=1),
    case("Trilu", 14, SQUARE, np.array(-1), upper=0),
    case("Trilu", 14, SQUARE),
    case("EyeLike", 9, SQUARE, k=1),
    case("EyeLike", 9, normal(3, 5), k=-1, dtype=7),
    case("Compress", 9, X, np.array([True, False]), axis=1),
    case("Compress", 11, X, np.array([False, True, True])),
]
FILLS = [
    case("OneHot", 9, np.array([0, 2, -1, 5]), np.array(3), np.array([0.5, 2], np.float32)),
    case("OneHot", 11, np.array([[0, 2], [-1, -4]]), np.array([3]), np.array([0, 1]), axis=0),
    case("OneHot", 11, np.array([1, 0], np.float32), np.array(2, np.float32), np.array([0, 1], np.float32), axis=-1),
]
INDICES = [
    case("Gather", 7, X, numbers(1, 0)),
    case("Gather", 11, X, numbers(-1, 0), axis=-1),
    case("Gather", 13, X, np.array(-2), axis=1),
    case("Gather", 13, X, np.array(-2), known=False, axis=1),
    case("Gather", 13, X, np.array([[0, -1], [1, 2]], np.int32), known=False, axis=2),
    case("GatherElements", 11, X, np.array([[[0, -1, 1, 0]] * 3] * 2), known=False, axis=1),
    case("GatherND", 11, X, np.array([[0, 1], [1, -1]])),
    case("GatherND", 12, X, np.array([[1], [0]]), batch_dims=1),
    case("Scatter", 9, SQUARE, np.array([[0, 1]]), normal(1, 2), axis=1),
    case("ScatterElements", 11, SQUARE, np.array([[0, -1]]), normal(1, 2), axis=1),
    case("ScatterElements", 16, SQUARE, np.array([[0, 1], [0, 0]]), normal(2, 2), reduction="add"),
    case("ScatterElements", 18, SQUARE, np.array([[0, 1], [0, 0]]), normal(2, 2), reduction="min", axis=1),
    case("ScatterND", 11, X, np.array([[0, 1]]), normal(1, 4)),
    case("ScatterND", 16, X, np.array([[0, 1], [0, 1]]), normal(2, 4), reduction="mul"),
    case("TopK", 7, X, outputs=2, k=2),
    case("TopK", 10, X, numbers(2), outputs=2, axis=1),
    case("TopK", 11, X, numbers(1), outputs=2, largest=0),
]
NEED_SIZES = [
    (
        case("Squeeze", 11, normal(1, 3, 1)),
        "whether dim 1 is 1 and dropped is known at run time only; axes say which are",
    ),
    (
        case("Slice", 13, X, numbers(3, 0, 0), numbers(9, 2, 4), None, numbers(1, 1, 2)),
        "whether a dim has the 9 entries that are taken at most is known at run time only",
    ),
    (case("ConstantOfShape", 9, numbers(2, 3)), "how many sizes there are is known at run time only"),
    (
        case("Expand", 13, X, numbers(2, 3, 4)),
        "whether a dim is stretched or has that size already is known at run time only",
    ),
    (case("Split", 18, normal(4), outputs=2, num_outputs=2), "whether 2 parts are even is known at run time only"),
]
"""What is refused where only a run knows the sizes, and why."""
CASES = [*SHAPES, *PARTS, *FILLS, *INDICES]


@pytest.mark.parametrize("each", [*CASES, *(each for each, _ in NEED_SIZES)], ids=lambda each: each.name)
def test_values_of_onnx_runtime(each: NodeCase):
    each.check()


@pytest.mark.parametrize("each", CASES, ids=lambda each: each.name)
def test_values_where_sizes_are_known_at_run_time(each: NodeCase):
    each.check(symbolic=True)


@pytest.mark.parametrize(
    ("each", "reason"), NEED_SIZES, ids=lambda each: each.name if isinstance(each, NodeCase) else ""
)
def test_what_needs_sizes_on_import(each: NodeCase, reason: str):
    with pytest.raises(InputError, match=f"{each.op}\\): {reason}$"):
        each.imported(symbolic=True)
