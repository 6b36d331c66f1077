"""Shapes, parts, places and fills against the cases of the `onnx` package."""

import pytest
from onnx_cases import Case, cases_of, check_import, foreign, sized

from rlx_passes.frontends.onnx.rules import filling, movement, parts, shape, sizes

OPS = {*filling.RULES, *movement.RULES, *parts.RULES, *shape.RULES, *sizes.RULES}
CASES = cases_of(*sorted(OPS))
UNSUPPORTED = foreign(CASES)

REACH = "whether a dim has the {} entries that are taken at most is known at run time only"
EVEN = "whether {} parts are even is known at run time only"
CUT = "whether dim {} is cut or filled is known at run time only"
SIZES = {
    "test_expand_dim_unchanged": "whether a dim is stretched or has that size already is known at run time only",
    "test_slice": REACH.format(3),
    "test_slice_end_out_of_bounds": REACH.format(1000),
    "test_slice_default_axes": REACH.format(20),
    "test_slice_default_steps": REACH.format(20),
    "test_slice_neg_steps": REACH.format(21),
    "test_slice_negative_axes": REACH.format(20),
    "test_split_equal_parts_1d_opset18": EVEN.format(3),
    "test_split_equal_parts_2d": EVEN.format(2),
    "test_split_equal_parts_default_axis_opset18": EVEN.format(3),
    "test_split_1d_uneven_split_opset18": EVEN.format(4),
    "test_split_2d_uneven_split_opset18": EVEN.format(3),
    "test_center_crop_pad_crop": CUT.format(0),
    "test_center_crop_pad_pad": CUT.format(0),
    "test_center_crop_pad_crop_and_pad": CUT.format(0),
    "test_center_crop_pad_crop_axes_hwc": CUT.format(0),
    "test_center_crop_pad_crop_negative_axes_hwc": CUT.format(0),
    "test_center_crop_pad_crop_axes_chw": CUT.format(1),
}
"""What is refused where only a run knows the sizes."""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Case):
    check_import(case, UNSUPPORTED)


@pytest.mark.parametrize("case", sized(CASES, UNSUPPORTED), ids=lambda case: case.name)
def test_sizes_known_at_run_time(case: Case):
    check_import(case, SIZES, symbolic=True)


def test_all_cases_are_there():
    assert {case.op_type for case in CASES} == OPS
    assert set(SIZES) <= {case.name for case in CASES}
