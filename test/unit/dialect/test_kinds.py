"""The vocabulary of op kinds and the ops of the dialect speak of the same things."""

import pytest
from xdsl.ir import Operation

from rlx_dialect.kinds import KINDS, STANDARD, WITHOUT_OP, Form, kind_of, snake
from rlx_dialect.ops import ALL_OPS
from rlx_passes.policy.policy import claimable


def test_the_vocabulary_has_187_kinds():
    assert len(STANDARD) == len({kind.name for kind in STANDARD}) == 187
    assert len(KINDS) > len(STANDARD)


@pytest.mark.parametrize("op", ALL_OPS, ids=lambda op: op.name)
def test_every_op_has_a_kind(op: type[Operation]):
    kind = kind_of(op.name)
    assert kind is not None, "the kind of this op is missing in rlx_dialect/kinds.py"
    assert kind.form is Form.OWN


def test_every_kind_of_ours_is_an_op():
    """A kind that this dialect added for an op that it does not have would be an idle word."""
    assert [kind.name for kind in KINDS.values() if kind.ours and kind.form is not Form.OWN] == []


def test_kinds_without_an_op_are_those_that_say_so():
    found = {name for name, kind in KINDS.items() if kind.form is Form.CUSTOM}
    assert found == {name for names in WITHOUT_OP.values() for name in names}


@pytest.mark.parametrize(
    ("name", "form", "spelling"),
    [
        ("Input", Form.ARGUMENT, "an argument with the attribute rlx.input"),
        ("Constant", Form.CONSTANT, "arith.constant"),
        ("FusedSwiGLU", Form.OWN, "rlx.fused_swiglu"),
        ("Conv3d", Form.SHARED, "rlx.conv"),
        ("Custom", Form.OWN, "rlx.custom"),
        ("CustomFn", Form.CUSTOM, 'rlx.custom "custom_fn"'),
        ("GaussianSplatRender", Form.CUSTOM, 'rlx.custom "gaussian_splat_render"'),
    ],
)
def test_forms(name: str, form: Form, spelling: str):
    assert (KINDS[name].form, KINDS[name].spelling) == (form, spelling)


@pytest.mark.parametrize(
    ("name", "spelled"),
    [
        ("FusedMatMulBiasAct", "fused_matmul_bias_act"),
        ("FusedResidualLN", "fused_residual_ln"),
        ("ResizeNearest2x", "resize_nearest2x"),
        ("AxialRope2d", "axial_rope2d"),
        ("DequantMoEWeights", "dequant_moe_weights"),
        ("FakeQuantizeLSQBackwardX", "fake_quantize_lsq_backward_x"),
    ],
)
def test_snake(name: str, spelled: str):
    assert snake(name) == spelled


def test_claims_are_kinds():
    assert set(claimable()) <= set(KINDS)
