"""Convolutions against the cases of the `onnx` package."""

import numpy as np
import pytest
from one_op import evaluate, normal
from onnx_cases import Case, cases_of, check_import, sized

from rlx_dialect.ops import Im2ColOp, PoolConfig
from rlx_passes.frontends.onnx.rules import convolution

CASES = cases_of(*sorted(convolution.RULES))
SIZES = {
    "test_conv_with_autopad_same": "how much auto_pad adds to a dim known at run time only is known then only",
    "test_convtranspose_output_shape": "the pads that give the wanted dims are known at run time only",
    "test_convtranspose_kernel_shape": "the pads that give the wanted dims are known at run time only",
}
"""What is refused where only a run knows the sizes."""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Case):
    check_import(case, {})


@pytest.mark.parametrize("case", sized(CASES, {}), ids=lambda case: case.name)
def test_sizes_known_at_run_time(case: Case):
    check_import(case, SIZES, symbolic=True)


def test_all_cases_are_there():
    assert {case.op_type for case in CASES} == set(convolution.RULES)
    assert set(SIZES) <= {case.name for case in CASES}


@pytest.mark.parametrize("case", cases_of("Col2Im"), ids=lambda case: case.name)
def test_im2col_is_the_adjoint_of_col2im(case: Case):
    columns, sizes, block = case.inputs
    assert columns is not None
    assert sizes is not None
    assert block is not None
    (image,) = case.outputs
    rank = len(sizes)
    pads = case.attributes.get("pads", [0] * 2 * rank)
    config = PoolConfig(
        *(block.tolist(), case.attributes.get("strides", ()), pads[:rank], pads[rank:]),
        case.attributes.get("dilations", ()),
    )
    x = normal(image.shape, seed=0)
    seen = evaluate(lambda v: Im2ColOp(*v, config=config), x)
    assert seen.shape[1] == columns.shape[1]
    np.testing.assert_allclose(np.vdot(seen, columns), np.vdot(x, image), rtol=1e-5)
