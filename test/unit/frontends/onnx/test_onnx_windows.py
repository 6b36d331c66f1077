"""Convolutions, pools and resampling in forms that the package's cases lack, against ONNX Runtime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx_nodes import NodeCase
from xdsl.ir import Operation

from rlx_dialect.ops import ReduceOp, ResizeNearest2xOp, ResizeOp
from rlx_dialect.reference import Array
from rlx_passes.core.errors import InputError
from rlx_passes.frontends.onnx.importer import import_model
from rlx_passes.frontends.onnx.protobuf import model_of
from rlx_passes.raising.raise_resize_nearest2x import RaiseResizeNearest2xPass
from rlx_passes.reading.dialects import tool_context

RNG = np.random.default_rng(13)


def normal(*shape: int) -> Array:
    return RNG.standard_normal(shape).astype(np.float32)


def floats(*values: float) -> Array:
    return np.array(values, np.float32)


def case(op: str, opset: int, *inputs: Array | None, outputs: int = 1, **attributes: Any) -> NodeCase:
    """A node whose inputs after the first are stored in the model."""
    words = [op, str(opset), *(f"{key}={value}" for key, value in attributes.items())]
    words += ["_" if each is None else "x".join(map(str, each.shape)) for each in inputs]
    words += [str(each.round(2).tolist()) for each in inputs[1:] if each is not None and each.size < 7]
    stored = [at for at in range(1, len(inputs)) if inputs[at] is not None]
    return NodeCase("-".join(words).replace(" ", ""), op, inputs, range(outputs), attributes, opset, stored=stored)


LINE, IMAGE, VOLUME = normal(2, 4, 9), normal(2, 4, 7, 6), normal(1, 2, 4, 5, 3)
KERNEL = normal(6, 4, 3, 2)

CONVOLUTIONS = [
    case("Conv", 7, LINE, normal(3, 4, 3), normal(3)),
    case("Conv", 11, IMAGE, KERNEL, normal(6), strides=[2, 1], pads=[1, 0, 2, 1], dilations=[1, 2]),
    case("Conv", 11, IMAGE, normal(4, 2, 3, 3), group=2, kernel_shape=[3, 3]),
    case("Conv", 11, IMAGE, normal(8, 1, 3, 3), group=4, auto_pad="SAME_UPPER"),
    case("Conv", 11, IMAGE, KERNEL, auto_pad="VALID", strides=[2, 2]),
    case("Conv", 11, VOLUME, normal(3, 2, 2, 3, 1), normal(3), pads=[1, 0, 0, 0, 1, 0]),
    case("ConvTranspose", 11, LINE, normal(4, 3, 3), normal(3), strides=[2], output_padding=[1]),
    case("ConvTranspose", 11, IMAGE, normal(4, 2, 3, 2), normal(4), group=2, pads=[1, 0, 1, 1], strides=[2, 2]),
    case("ConvTranspose", 11, IMAGE, normal(4, 5, 3, 3), dilations=[2, 1], auto_pad="VALID"),
    case("ConvTranspose", 11, IMAGE, normal(4, 5, 3, 3), auto_pad="SAME_LOWER"),
]
POOLS = [
    case("MaxPool", 7, LINE, kernel_shape=[3]),
    case("MaxPool", 11, IMAGE, kernel_shape=[3, 3], auto_pad="SAME_LOWER"),
    case("MaxPool", 12, RNG.integers(-9, 9, (1, 2, 5, 5)).astype(np.int8), kernel_shape=[2, 2]),
    case("AveragePool", 7, LINE, kernel_shape=[3], pads=[1, 1], count_include_pad=1),
    case("AveragePool", 10, IMAGE, kernel_shape=[3, 3], pads=[1, 1, 1, 1], strides=[2, 2]),
    case("AveragePool", 11, IMAGE, kernel_shape=[3, 2], auto_pad="SAME_UPPER"),
    case("AveragePool", 19, IMAGE, kernel_shape=[2, 2], dilations=[2, 1], ceil_mode=1, strides=[2, 2]),
    case("LpPool", 11, IMAGE, kernel_shape=[3, 2], strides=[2, 1], pads=[1, 0, 1, 1]),
    case("LpPool", 11, LINE, kernel_shape=[2], p=1),
    case("LpPool", 11, IMAGE, kernel_shape=[3, 3], p=3),
    case("GlobalAveragePool", 7, IMAGE),
    case("GlobalMaxPool", 7, VOLUME),
    case("GlobalLpPool", 7, IMAGE),
    case("GlobalLpPool", 7, LINE, p=1),
    case("MaxUnpool", 9, floats(5, 6, 7, 8).reshape(1, 1, 2, 2), np.array([0, 6, 9, 15]).reshape(1, 1, 2, 2),
         kernel_shape=[2, 2], strides=[2, 2]),
]  # fmt: skip
NONE = np.zeros(0, np.float32)
RESIZES = [
    case("Upsample", 7, IMAGE, scales=[1.0, 1.0, 2.0, 3.0]),
    case("Upsample", 7, IMAGE, scales=[1.0, 1.0, 2.0, 2.0], mode="linear"),
    case("Upsample", 9, IMAGE, floats(1, 1, 1.5, 2)),
    case("Resize", 10, IMAGE, floats(1, 1, 2, 2)),
    case("Resize", 10, IMAGE, floats(1, 1, 0.5, 1.5), mode="linear"),
    case("Resize", 11, IMAGE, NONE, floats(1, 1, 2, 2)),
    case("Resize", 11, IMAGE, NONE, NONE, np.array([2, 4, 3, 9]), mode="linear"),
    case("Resize", 11, IMAGE, NONE, NONE, np.array([2, 4, 10, 9]), coordinate_transformation_mode="align_corners"),
    case("Resize", 13, IMAGE, None, None, np.array([2, 4, 10, 9]), mode="cubic", cubic_coeff_a=-0.5),
    case("Resize", 13, IMAGE, None, floats(1, 1, 0.6, 1), mode="cubic", exclude_outside=1),
    case("Resize", 13, IMAGE, None, None, np.array([2, 4, 1, 1]), mode="linear",
         coordinate_transformation_mode="pytorch_half_pixel"),
    case("Resize", 13, IMAGE, None, floats(1, 1, 1, 1)),
    case("Resize", 18, IMAGE, None, floats(0.5, 2), mode="linear", antialias=1, axes=[2, 3]),
    case("Resize", 18, LINE, None, floats(2), axes=[-1]),
]  # fmt: skip
CASES = [*CONVOLUTIONS, *POOLS, *RESIZES]

INDICES = "the indices need spatial dims that are known on import"
NEED_SIZES = [
    (case("MaxPool", 8, IMAGE, outputs=2, kernel_shape=[2, 2], strides=[2, 2]), INDICES),
    (case("MaxPool", 8, IMAGE, outputs=2, kernel_shape=[3, 2], pads=[1, 0, 1, 1], storage_order=1), INDICES),
    (
        case("MaxPool", 10, IMAGE, outputs=2, kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1, dilations=[1, 2]),
        INDICES,
    ),
    (case("MaxPool", 12, VOLUME, outputs=2, kernel_shape=[2, 2, 2], strides=[1, 2, 1]), INDICES),
    (
        case("LpPool", 18, IMAGE, kernel_shape=[3, 2], ceil_mode=1, strides=[2, 2], dilations=[1, 2]),
        "ceil_mode needs spatial dims that are known on import",
    ),
    (
        case("AveragePool", 11, IMAGE, kernel_shape=[3, 2], auto_pad="SAME_UPPER", strides=[2, 1]),
        "how much auto_pad adds to a dim known at run time only is known then only",
    ),
]
"""What is refused where only a run knows the sizes, and why."""


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


SAMPLINGS = [
    (coordinates, rounding)
    for coordinates in ("half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel")
    for rounding in ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")
]
REPEATING = {
    ("half_pixel", "round_prefer_floor"),
    ("half_pixel", "round_prefer_ceil"),
    ("pytorch_half_pixel", "round_prefer_floor"),
    ("pytorch_half_pixel", "round_prefer_ceil"),
    ("asymmetric", "floor"),
    ("asymmetric", "round_prefer_floor"),
    ("align_corners", "round_prefer_floor"),
    ("align_corners", "round_prefer_ceil"),
}
"""Twice the size: the ways to find the nearest pixel that take each pixel twice."""
DEPENDING = {"pytorch_half_pixel", "align_corners"}
"""Where the places depend on the size, not only on the scale: a size known at run time only says nothing of them."""


@pytest.mark.parametrize("symbolic", [False, True])
@pytest.mark.parametrize(("coordinates", "rounding"), SAMPLINGS)
def test_k38_only_what_repeats_pixels_becomes_the_repetition(coordinates: str, rounding: str, symbolic: bool):
    scales = floats(1, 1, 2, 2)
    node = case(
        *("Resize", 13, normal(2, 3, 4, 4), None, scales),
        coordinate_transformation_mode=coordinates,
        nearest_mode=rounding,
    )
    node.check(symbolic=symbolic)
    ops = raised(node, symbolic=symbolic)
    repeated = (coordinates, rounding) in REPEATING and not (symbolic and coordinates in DEPENDING)
    assert (ResizeNearest2xOp in ops, ResizeOp in ops) == (repeated, not repeated)


def raised(node: NodeCase, *, symbolic: bool = False) -> set[type[Operation]]:
    """The ops of the imported model, pixels that are repeated as an op of their own."""
    module = import_model(model_of(node.message(symbolic=symbolic), node.name)).module
    RaiseResizeNearest2xPass().apply(tool_context(), module)
    return {type(op) for op in module.walk()}


@pytest.mark.parametrize(
    "node",
    [
        case("Resize", 13, normal(2, 3, 4, 4), None, None, np.array([2, 3, 8, 9])),
        case("Resize", 13, normal(2, 3, 4, 4), None, floats(1, 1, 2, 3)),
        case("Resize", 13, normal(2, 3, 4, 4), None, floats(1, 2, 2, 2)),
        case("Resize", 13, normal(2, 3, 4, 4), None, floats(1, 1, 2, 2), mode="linear"),
        case("Resize", 13, normal(3, 4, 4), None, floats(1, 2, 2)),
    ],
    ids=lambda node: node.name,
)
def test_other_sizes_are_no_repetition(node: NodeCase):
    ops = raised(node)
    assert ResizeOp in ops
    assert ResizeNearest2xOp not in ops


def test_sizes_of_the_input_twice_are_a_repetition():
    node = case("Resize", 13, normal(2, 3, 4, 5), None, None, np.array([2, 3, 8, 10]))
    ops = raised(node)
    assert ResizeNearest2xOp in ops


def test_global_pools_are_reductions():
    assert ReduceOp in raised(case("GlobalAveragePool", 7, IMAGE))


@pytest.mark.parametrize(
    ("node", "reason"),
    [
        (
            case("Conv", 11, IMAGE, KERNEL, auto_pad="SAME"),
            "auto_pad is NOTSET, VALID, SAME_UPPER or SAME_LOWER, got 'SAME'",
        ),
        (case("Conv", 11, IMAGE, KERNEL, kernel_shape=[3, 3]), r"kernel_shape is \[3, 3\], the weight has \[3, 2\]"),
        (case("Conv", 11, IMAGE, KERNEL, pads=[1, 1]), r"pads must have 4 entries, got \[1, 1\]"),
        (case("Conv", 11, normal(2, 4), normal(3, 4)), "one to three spatial dims are read, got 0"),
        (
            case("Resize", 11, IMAGE, NONE, floats(1, 1, 2, 2), coordinate_transformation_mode="tf_half_pixel_for_nn"),
            "coordinate_transformation_mode is one of .*, got 'tf_half_pixel_for_nn'",
        ),
        (case("Resize", 13, IMAGE, None, floats(2, 2)), "there are 2 scales for 4 axes"),
        (case("Resize", 13, IMAGE, None, None, np.array([1, 2])), "there are 2 sizes for 4 axes"),
    ],
    ids=lambda each: each.name if isinstance(each, NodeCase) else "",
)
def test_what_cannot_be_read(node: NodeCase, reason: str):
    with pytest.raises(InputError, match=rf"{node.op}\): {reason}$"):
        node.imported()
