"""Resampling against the cases of the `onnx` package."""

import pytest
from onnx_cases import Case, Node, cases, check

from rlx_dialect.attributes import NearestRounding, ResizeCoordinates, ResizeMode
from rlx_dialect.builder import Graph, Tensor


def resize(g: Graph, node: Node) -> Tensor:
    given = node.attributes
    x, rank = node.required(0), len(node.required(0).shape)
    coordinates = given.get("coordinate_transformation_mode", "half_pixel")
    axes: list[int] = given.get("axes", list(range(rank)))
    scales, sizes = node.constant(2), node.constant(3)
    policy = given.get("keep_aspect_ratio_policy", "stretch")
    size: list[int] | None = None if sizes is None else sizes.tolist()
    if size is not None and policy != "stretch":
        ratios: list[float] = [new / x.shape[axis] for axis, new in zip(axes, size)]
        ratio = min(ratios) if policy == "not_larger" else max(ratios)
        # As the op says: half up.
        size = [int(ratio * x.shape[axis] + 0.5) for axis in axes]
    mode = ResizeMode(given.get("mode", "nearest"))
    rounding = NearestRounding(given.get("nearest_mode", "round_prefer_floor"))
    crop = coordinates == "tf_crop_and_resize"
    region, outside = node.constant(1), given.get("extrapolation_value", 0.0)
    # Places outside give 0 here: what they give there is taken away before and added again.
    resized = g.resize(
        *(mode, x - outside if crop and outside else x, axes, size),
        scales=None if scales is None else scales.tolist(),
        coordinates=ResizeCoordinates.CROP if crop else ResizeCoordinates(coordinates),
        region=region.tolist() if crop and region is not None else None,
        rounding=rounding if mode is ResizeMode.NEAREST else NearestRounding.ROUND_PREFER_FLOOR,
        cubic_coefficient=given.get("cubic_coeff_a", -0.75),
        exclude_outside=bool(given.get("exclude_outside")),
        antialias=bool(given.get("antialias")),
    )
    return resized + outside if crop and outside else resized


ADAPTERS = {"Resize": resize}
CASES = cases("resize", *ADAPTERS)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Case):
    check(case, ADAPTERS, {})


def test_all_cases_are_there():
    assert {case.op_type for case in CASES} == set(ADAPTERS)
