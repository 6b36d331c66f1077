"""Images read between their elements, and boxes, against ONNX Runtime."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from onnx_nodes import NodeCase

from rlx_dialect.reference import Array
from rlx_passes.core.errors import InputError

RNG = np.random.default_rng(29)


def normal(*shape: int) -> Array:
    return RNG.standard_normal(shape).astype(np.float32)


IMAGE, VOLUME = normal(2, 3, 5, 4), normal(2, 3, 4, 5, 3)
GRID, SPACE = normal(2, 3, 2, 2) * 1.5, normal(2, 2, 2, 3, 3) * 1.5
BEYOND = ("zeros", "border", "reflection")


def grids(x: Array, grid: Array, *modes: str) -> list[NodeCase]:
    return [
        NodeCase(f"{mode}_{beyond}_{aligned}_{x.ndim - 2}", "GridSample", [x, grid], (0,), attributes, 20)
        for mode, beyond, aligned in product(modes, BEYOND, (0, 1))
        for attributes in [{"mode": mode, "padding_mode": beyond, "align_corners": aligned}]
    ]


REGIONS = np.array([[0.5, 1, 9, 7], [3, 2, 4, 2.5], [-4, -3, 20, 15], [6, 6, 2, 3]], np.float32)
OF = np.array([0, 1, 1, 0])


def regions(name: str, **attributes: Any) -> NodeCase:
    given = {"output_height": 2, "output_width": 3, "spatial_scale": 0.5, **attributes}
    return NodeCase(f"regions_{name}", "RoiAlign", [IMAGE, REGIONS, OF], (0,), given, 16)


BOXES = np.sort(RNG.random((2, 12, 2, 2)), axis=2).reshape(2, 12, 4).astype(np.float32)
CENTRED = RNG.random((2, 12, 4)).astype(np.float32)
SCORES = RNG.random((2, 3, 12)).astype(np.float32)
LEAST = np.where(SCORES < 0.5, -np.inf, SCORES).astype(np.float32)
NUMBERS = [np.array(each, np.float32) for each in (0.4, 0.3)]


def boxes(name: str, most: int | None, *numbers: Array, boxes: Array = BOXES, **attributes: Any) -> NodeCase:
    inputs = [boxes, SCORES, *([] if most is None else [np.array(most)]), *numbers]
    return NodeCase(f"boxes_{name}", "NonMaxSuppression", inputs, (0,), attributes, 11, stored=(2,) if most else ())


CASES = [
    *grids(IMAGE, GRID, "linear", "nearest", "cubic"),
    *grids(VOLUME, SPACE, "linear", "nearest"),
    regions("of_two_samples", sampling_ratio=2),
    regions("of_their_own_samples", sampling_ratio=0),
    regions("of_their_own_samples_before", coordinate_transformation_mode="output_half_pixel"),
    regions("of_greatest_samples", sampling_ratio=2, mode="max"),
    regions("of_their_own_greatest_samples", mode="max"),
    boxes("none", None),
    boxes("few", 2, *NUMBERS),
    boxes("all", 2**40, *NUMBERS),
    boxes("of_any_score", 5, NUMBERS[0]),
    boxes("that_share_nothing", 5),
    boxes("by_their_centre", 5, *NUMBERS, boxes=CENTRED, center_point_box=1),
    boxes("with_corners_exchanged", 5, *NUMBERS, boxes=BOXES[:, :, [2, 1, 0, 3]]),
    NodeCase("boxes_of_a_number", "NonMaxSuppression", [BOXES, SCORES, np.array([4]), *NUMBERS], opset=11),
    NodeCase("boxes_of_no_class", "NonMaxSuppression", [BOXES, SCORES[:, :0], np.array([4])], opset=11, stored=(2,)),
    NodeCase("boxes_of_no_batch", "NonMaxSuppression", [BOXES[:0], SCORES[:0], np.array([4])], opset=11, stored=(2,)),
    NodeCase("boxes_that_score_least", "NonMaxSuppression", [BOXES, LEAST, np.array([9])], opset=11, stored=(2,)),
    NodeCase("nonzero_of_nothing", "NonZero", [normal(0, 4)]),
    NodeCase("compress_nothing", "Compress", [normal(0, 2), np.zeros(0, np.bool_)], attributes={"axis": 0}),
    NodeCase("nonzero", "NonZero", [np.round(normal(3, 4, 5))]),
    NodeCase("nonzero_of_one", "NonZero", [np.array([0.0, 2.0, 0.0], np.float32)]),
    NodeCase("compress", "Compress", [IMAGE[0], np.array([True, False, True])], attributes={"axis": 0}),
    NodeCase("compress_flat", "Compress", [IMAGE[0, 0], np.array([True, False, True, True])]),
]


@pytest.mark.parametrize("symbolic", [False, True], ids=["known", "at_run_time"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_f24_values_of_onnx_runtime(case: NodeCase, symbolic: bool):
    case.check(symbolic=symbolic)


REFUSED = [
    (
        NodeCase("c", "GridSample", [IMAGE, SPACE], opset=20),
        "a grid of 5 dims, the last 3, for an image of 2 spatial dims",
    ),
    (
        NodeCase("c", "GridSample", [IMAGE, GRID], attributes={"mode": "area"}, opset=20),
        "mode is one of bilinear, bicubic, linear, cubic, nearest, got 'area'",
    ),
    (
        NodeCase("c", "GridSample", [IMAGE, GRID], attributes={"padding_mode": "wrap"}, opset=20),
        "padding_mode is zeros, border or reflection, got 'wrap'",
    ),
    (regions("c", mode="min"), "mode is avg or max, got 'min'"),
    (regions("c", sampling_ratio=-1), "sampling_ratio is -1"),
    (
        NodeCase("c", "RoiAlign", [VOLUME, REGIONS, OF], opset=16),
        "an image of 4 dims and regions of 2 are read, got 5 and 2",
    ),
    (
        boxes("c", 5, boxes=BOXES[:, :, :3]),
        "boxes [batch, boxes, 4] and scores [batch, classes, boxes] are read",
    ),
    (NodeCase("c", "Compress", [IMAGE[0, 0], np.ones((5, 4), np.bool_)]), "flags have one dim, got 2"),
    (boxes("c", 5, center_point_box=2), "center_point_box is 0 or 1, got 2"),
]


@pytest.mark.parametrize(("case", "reason"), REFUSED, ids=lambda each: each if isinstance(each, str) else "")
def test_what_is_refused(case: NodeCase, reason: str):
    with pytest.raises(InputError) as refused:
        case.imported()
    assert str(refused.value) == f"{case.name}: node of 'y0' ({case.op}): {reason}"
