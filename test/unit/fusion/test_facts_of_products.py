"""Facts about the passes that join or absorb products and convolutions, as counts and operands."""

from typing import NamedTuple

import numpy as np
import pytest
from programs import parse, random_inputs
from programs_of_fusion import apply, names, run
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from rlx_dialect import reference
from rlx_dialect.ops import FusedConvBiasActOp, FusedSwiGLUOp, NarrowOp
from rlx_dialect.signature import find_function
from rlx_passes.expansion.unfuse import UnfusePass
from rlx_passes.fusion.fuse_conv_affine_act import FuseConvAffineActPass
from rlx_passes.fusion.fuse_conv_bias_act import FuseConvBiasActPass
from rlx_passes.fusion.fuse_shared_input_matmul import FuseSharedInputMatMulPass
from rlx_passes.fusion.fuse_swiglu import FuseSwiGLUPass
from rlx_passes.fusion.fuse_swiglu_dual_matmul import FuseSwiGLUDualMatMulPass
from rlx_passes.report.counts import count
from rlx_passes.simplify.dead_code_elimination import DeadCodeEliminationPass


def nodes(module: ModuleOp) -> int:
    return count(module)["nodes"]


def linears(rows: str, widths: list[int], late: bool = False) -> str:
    """Products of one value; with `late` every weight but the first is computed after the first product."""
    x = f"tensor<{rows}x768xf32>"
    weights = [f"tensor<768x{n}xf32>" for n in widths]
    results = [f"tensor<{rows}x{n}xf32>" for n in widths]
    arguments = ", ".join(f"%w{i}: {w}" for i, w in enumerate(weights))
    lines = [f"func.func @f(%x: {x}, {arguments}) -> ({', '.join(results)}) {{"]
    for i, (w, y) in enumerate(zip(weights, results)):
        weight = f"%w{i}"
        if late and i:
            lines.append(f"  %v{i} = rlx.activation neg %w{i} : {w}")
            weight = f"%v{i}"
        lines.append(f"  %{i} = rlx.matmul %x, {weight} : ({x}, {w}) -> {y}")
    values = ", ".join(f"%{i}" for i in range(len(widths)))
    return "\n".join([*lines, f"  func.return {values} : {', '.join(results)}", "}"])


def test_two_products_of_one_value():
    module, _ = run(linears("60", [2048, 2048]), FuseSharedInputMatMulPass())
    assert nodes(module) <= 7
    (returned,) = [op for op in module.walk() if op.name == "func.return"]
    assert all(isinstance(operand.owner, NarrowOp) for operand in returned.operands)


def test_three_projections_are_nine_nodes():
    module, _ = run(linears("60", [768, 768, 768]), FuseSharedInputMatMulPass())
    assert nodes(module) == 9


def test_eight_products_are_left_alone():
    module, misses = run(linears("60", [64] * 8), FuseSharedInputMatMulPass())
    assert names(module) == ["rlx.matmul"] * 8
    assert {str(miss.reason) for miss in misses} == {"RLX-F021 too-large"}


def test_a_weight_after_the_first_product():
    module, _ = run(linears("60", [64, 32], late=True), FuseSharedInputMatMulPass())
    assert names(module) == ["rlx.activation", "rlx.concat", "rlx.matmul", "rlx.narrow", "rlx.narrow"]


def test_four_experts_on_one_reshaped_value():
    text = linears("60", [64] * 4).replace("%x: tensor<60x768xf32>", "%y: tensor<3x20x768xf32>")
    text = text.replace("{\n", "{\n  %x = rlx.reshape %y : tensor<3x20x768xf32> -> tensor<60x768xf32>\n", 1)
    module, _ = run(text, FuseSharedInputMatMulPass())
    assert names(module).count("rlx.narrow") == 4


def gated_unit(order: str, reader: str = "") -> str:
    """`up * silu(gate)` of two products of one value, in the order of `order`."""
    x, w, y = "tensor<4x768xf32>", "tensor<768x2048xf32>", "tensor<4x2048xf32>"
    products = "".join(f"  %{v} = rlx.matmul %x, %w_{v} : ({x}, {w}) -> {y}\n" for v in order)
    return (
        f"func.func @f(%x: {x}, %w_u: {w}, %w_g: {w}) -> {y} {{\n{products}  %a = rlx.activation silu %g : {y}\n"
        f"  %m = rlx.binary mul %a, %u : ({y}, {y}) -> {y}\n{reader}  func.return %m : {y}\n}}"
    )


def test_gated_linear_unit_of_two_products():
    module, _ = run(gated_unit("gu"), FuseSwiGLUDualMatMulPass())
    assert nodes(module) <= 6
    assert names(module) == ["rlx.concat", "rlx.matmul", "rlx.fused_swiglu"]
    (joined,) = [op for op in module.walk() if op.name == "rlx.concat"]
    assert [operand.name_hint for operand in joined.operands] == ["w_u", "w_g"]


def test_joined_inputs_make_a_gated_linear_unit():
    module, _ = run(gated_unit("gu"), FuseSharedInputMatMulPass(), FuseSwiGLUPass())
    (fused,) = [op for op in module.walk() if isinstance(op, FusedSwiGLUOp)]
    assert fused.gate_first is not None


HALVES = """
func.func @f(%c: tensor<60x4096xf32>) -> tensor<60x2048xf32> {
  %u = rlx.narrow %c axis(1) start(0) length(2048) : tensor<60x4096xf32> -> tensor<60x2048xf32>
  %g = rlx.narrow %c axis(1) start(2048) length(2048) : tensor<60x4096xf32> -> tensor<60x2048xf32>
  %a = rlx.activation silu %g : tensor<60x2048xf32>
  %m = rlx.binary mul %u, %a : (tensor<60x2048xf32>, tensor<60x2048xf32>) -> tensor<60x2048xf32>
  func.return %m : tensor<60x2048xf32>
}"""


def test_gated_linear_unit_of_two_halves():
    module = parse(HALVES)
    before = nodes(module)
    apply(module, FuseSwiGLUPass())
    assert nodes(module) == before - 3
    (fused,) = [op for op in module.walk() if isinstance(op, FusedSwiGLUOp)]
    assert fused.gate_first is None
    assert fused.input.name_hint == "c"


def test_a_half_with_another_reader():
    text = HALVES.replace(
        "  func.return %m : tensor<60x2048xf32>",
        "  %r = rlx.activation relu %u : tensor<60x2048xf32>\n  func.return %m, %r "
        ": tensor<60x2048xf32>, tensor<60x2048xf32>",
    ).replace("-> tensor<60x2048xf32> {", "-> (tensor<60x2048xf32>, tensor<60x2048xf32>) {")
    module = parse(text)
    before = nodes(module)
    apply(module, FuseSwiGLUPass())
    assert nodes(module) == before


X, Y = "tensor<1x3x6x6xf32>", "tensor<1x8x6x6xf32>"


class Shape(NamedTuple):
    """The dims of a weight, the attributes of a convolution, the type of its input."""

    weight: str = "8x3x3x3"
    attributes: str = "pad([1, 1], [1, 1])"
    x: str = X


THREE = Shape()
ONE = Shape("8x3x1x1", "")
DEPTHWISE = Shape("8x1x3x3", "pad([1, 1], [1, 1]) groups(8)", Y)


def convolution(tail: str, shape: Shape = THREE, *, affine: bool = False, residual: bool = False) -> str:
    """A convolution, `[C]` as `[1, C, 1, 1]` stretched and added (and multiplied first), a residual, an activation."""
    x = shape.x
    w, c, v = f"tensor<{shape.weight}xf32>", "tensor<1x8x1x1xf32>", "tensor<8xf32>"
    lines = [
        f"func.func @f(%x: {x}, %w: {w}, %k: {v}, %b: {v}, %r: {Y}) -> {Y} {{",
        f"  %0 = rlx.conv %x, %w {shape.attributes} : ({x}, {w}) -> {Y}",
    ]
    for name in ("k", "b") if affine else ("b",):
        lines += [f"  %{name}1 = rlx.reshape %{name} : {v} -> {c}", f"  %{name}2 = rlx.expand %{name}1 : {c} -> {Y}"]
    value = "%0"
    if affine:
        lines.append(f"  %1 = rlx.binary mul {value}, %k2 : ({Y}, {Y}) -> {Y}")
        value = "%1"
    lines.append(f"  %2 = rlx.binary add {value}, %b2 : ({Y}, {Y}) -> {Y}")
    value = "%2"
    if residual:
        lines.append(f"  %3 = rlx.binary add {value}, %r : ({Y}, {Y}) -> {Y}")
        value = "%3"
    if tail:
        lines.append(f"  %4 = rlx.activation {tail} {value} : {Y}")
        value = "%4"
    return "\n".join([*lines, f"  func.return {value} : {Y}", "}"])


COMPAT = FuseConvBiasActPass(compat_conv=True, compat_epilogues=True)
COMPAT_AFFINE = FuseConvAffineActPass(compat_conv=True, compat_epilogues=True)


def output(module: ModuleOp) -> np.ndarray:
    (value,) = reference.run(module, None, random_inputs(find_function(module))).values()
    return value


def test_convolution_with_bias_and_relu():
    text = convolution("relu")
    module, _ = run(text, COMPAT, DeadCodeEliminationPass())
    (fused,) = [op for op in module.walk() if isinstance(op, FusedConvBiasActOp)]
    assert len(fused.operands) == 3
    assert names(module) == ["rlx.fused_conv_bias_act"]
    apply(module, UnfusePass())
    assert [names(module).count(f"rlx.{op}") for op in ("conv", "activation")] == [1, 1]
    np.testing.assert_allclose(output(module), output(parse(text)), rtol=0, atol=1e-6)


@pytest.mark.parametrize("tail", ["", "relu", "gelu", "sigmoid", "silu"])
def test_convolution_with_other_tails(tail: str):
    compat, _ = run(convolution(tail), COMPAT)
    assert ("rlx.fused_conv_bias_act" in names(compat)) == (tail in ("", "relu"))
    ours, _ = run(convolution(tail), FuseConvBiasActPass(), DeadCodeEliminationPass())
    assert names(ours) == ["rlx.fused_conv_bias_act"]


@pytest.mark.parametrize("shape", [ONE, DEPTHWISE], ids=["one by one", "depthwise"])
@pytest.mark.parametrize(
    ("ours", "compat", "affine"),
    [(FuseConvBiasActPass(), COMPAT, False), (FuseConvAffineActPass(), COMPAT_AFFINE, True)],
    ids=["bias", "affine"],
)
def test_small_kernels_and_groups(shape: Shape, ours: ModulePass, compat: ModulePass, affine: bool):
    text = convolution("relu", shape, affine=affine)
    assert "rlx.conv" in names(run(text, compat)[0])
    assert "rlx.conv" not in names(run(text, ours)[0])


@pytest.mark.parametrize("residual", [False, True])
def test_convolution_with_affine_channels(residual: bool):
    text = convolution("relu", affine=True, residual=residual)
    module, _ = run(text, COMPAT_AFFINE, DeadCodeEliminationPass())
    (fused,) = [op for op in module.walk() if isinstance(op, FusedConvBiasActOp)]
    assert len(fused.operands) == (4 if residual else 3)
    assert not {"rlx.conv", "rlx.activation"} & set(names(module))
    np.testing.assert_allclose(output(module), output(parse(text)), rtol=0, atol=1e-4)


def test_an_affine_convolution_without_relu():
    text = convolution("", affine=True)
    assert "rlx.conv" in names(run(text, COMPAT_AFFINE)[0])
    assert "rlx.conv" not in names(run(text, FuseConvAffineActPass())[0])
