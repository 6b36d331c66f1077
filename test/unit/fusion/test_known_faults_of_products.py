"""What went wrong in other fusers of products, convolutions and RMS norms, one test per fault, named by its id."""

import numpy as np
import pytest
from programs import parse, text_of
from programs_of_fusion import apply, names, reasons, run, same_values
from xdsl.dialects.func import ReturnOp

from rlx_dialect import reference
from rlx_dialect.ops import FusedConvBiasActOp, FusedResidualRmsNormOp, FusedSwiGLUOp, MatMulOp
from rlx_passes.expansion.unfuse import UnfusePass
from rlx_passes.fusion.fuse_conv_affine_act import FuseConvAffineActPass
from rlx_passes.fusion.fuse_conv_bias_act import FuseConvBiasActPass
from rlx_passes.fusion.fuse_residual_ln import FuseResidualLNPass
from rlx_passes.fusion.fuse_residual_rms_norm import FuseResidualRmsNormPass
from rlx_passes.fusion.fuse_shared_input_matmul import FuseSharedInputMatMulPass
from rlx_passes.fusion.fuse_swiglu import FuseSwiGLUPass
from rlx_passes.fusion.fuse_swiglu_dual_matmul import FuseSwiGLUDualMatMulPass
from rlx_passes.pipeline.entries import fuse_passes
from rlx_passes.simplify.dead_code_elimination import DeadCodeEliminationPass

A, W, V = "tensor<4x8xf32>", "tensor<8x8xf32>", "tensor<8xf32>"


def test_k18_the_sum_before_an_rms_norm_is_returned():
    text = f"""
    func.func @f(%x: tensor<4x8xf16>, %r: {A}, %g: {V}, %b: {V}) -> ({A}, {A}) {{
      %c = rlx.cast %x : tensor<4x8xf16> -> {A}
      %s = rlx.binary add %c, %r : ({A}, {A}) -> {A}
      %y = rlx.rms_norm %s, %g, %b epsilon(1.0e-5) : ({A}, {V}, {V}) -> {A}
      func.return %s, %y : {A}, {A}
    }}"""
    module, _ = run(text, FuseResidualRmsNormPass())
    (fused,) = [op for op in module.walk() if isinstance(op, FusedResidualRmsNormOp)]
    assert (fused.input.name_hint, fused.residual.name_hint) == ("c", "r")
    (returned,) = [op for op in module.walk() if isinstance(op, ReturnOp)]
    assert list(returned.operands) == [fused.sum, fused.result]
    same_values(text, module)


def test_k20_the_sum_keeps_its_place():
    text = f"""
    func.func @f(%x: {A}, %r: {A}, %g: {V}, %b: {V}) -> {A} {{
      %y, %s = rlx.fused_residual_rms_norm %x, %r, %g, %b epsilon(1.0e-5) : ({A}, {A}, {V}, {V}) -> ({A}, {A})
      func.return %s : {A}
    }}"""
    module, _ = run(text, UnfusePass(), DeadCodeEliminationPass())
    assert names(module) == ["rlx.binary"]
    same_values(text, module)


@pytest.mark.parametrize("norm", ["layer_norm", "rms_norm"])
def test_k21_k57_a_norm_over_another_axis(norm: str):
    x, g = "tensor<2x8x16xf32>", "tensor<8xf32>"
    text = f"""
    func.func @f(%x: {x}, %r: {x}, %g: {g}, %b: {g}) -> {x} {{
      %s = rlx.binary add %x, %r : ({x}, {x}) -> {x}
      %y = rlx.{norm} %s, %g, %b epsilon(1.0e-5) axis(1) : ({x}, {g}, {g}) -> {x}
      func.return %y : {x}
    }}"""
    module, misses = run(text, FuseResidualLNPass(), FuseResidualRmsNormPass())
    assert names(module) == ["rlx.binary", f"rlx.{norm}"]
    assert reasons(misses) == ["RLX-F016 axis"]


@pytest.mark.parametrize("norm", ["layer_norm", "rms_norm"])
def test_k57_a_residual_that_broadcasts(norm: str):
    text = f"""
    func.func @f(%x: {A}, %r: {V}, %g: {V}, %b: {V}) -> {A} {{
      %s = rlx.binary add %x, %r : ({A}, {V}) -> {A}
      %y = rlx.{norm} %s, %g, %b epsilon(1.0e-5) : ({A}, {V}, {V}) -> {A}
      func.return %y : {A}
    }}"""
    module, misses = run(text, FuseResidualLNPass(), FuseResidualRmsNormPass())
    assert names(module) == ["rlx.binary", f"rlx.{norm}"]
    assert reasons(misses) == ["RLX-F017 residual-broadcasts"]


def test_k23_an_rms_norm_keeps_the_mean():
    """On a row with mean 3 the two norms differ, fused or not."""
    text = f"""
    func.func @f(%x: {A}, %r: {A}, %g: {V}, %b: {V}) -> ({A}, {A}) {{
      %s = rlx.binary add %x, %r : ({A}, {A}) -> {A}
      %t = rlx.binary add %r, %x : ({A}, {A}) -> {A}
      %y = rlx.rms_norm %s, %g, %b epsilon(1.0e-5) : ({A}, {V}, {V}) -> {A}
      %z = rlx.layer_norm %t, %g, %b epsilon(1.0e-5) : ({A}, {V}, {V}) -> {A}
      func.return %y, %z : {A}, {A}
    }}"""
    module, _ = run(text, FuseResidualLNPass(), FuseResidualRmsNormPass())
    assert names(module) == ["rlx.fused_residual_rms_norm", "rlx.fused_residual_ln"]
    x = np.array([[2, 3, 4, 3, 2, 4, 3, 3]] * 4, np.float32)
    ones, zeros = np.ones(8, np.float32), np.zeros(8, np.float32)
    y, z = reference.run(module, None, {"arg0": x, "arg1": 0 * x, "arg2": ones, "arg3": zeros}).values()
    np.testing.assert_allclose(y, x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-5), rtol=1e-5)
    np.testing.assert_allclose(z.mean(-1), 0, atol=1e-6)


def products(*lines: str, weights: int = 2, results: int = 2) -> str:
    """Products of `%x` as `lines` write them; weights `%w0`, `%w1`, .., results `%0`, `%1`, .."""
    arguments = ", ".join(f"%w{i}: {W}" for i in range(weights))
    types = ", ".join([A] * results)
    body = "\n".join(f"  {line}" for line in lines)
    values = ", ".join(f"%{i}" for i in range(results))
    return f"func.func @f(%x: {A}, {arguments}) -> ({types}) {{\n{body}\n  func.return {values} : {types}\n}}"


def product(i: int, weight: str, x: str = "%x") -> str:
    return f"%{i} = rlx.matmul {x}, {weight} : ({A}, {W}) -> {A}"


DEPENDENT = (
    product(0, "%w0"),
    f"%n = rlx.reduce sum %0 axes [0] : {A} -> {V}",
    f"%d = rlx.binary mul %w1, %n : ({W}, {V}) -> {W}",
    product(1, "%d"),
)


def test_k30_products_that_depend_on_each_other():
    text = products(*DEPENDENT)
    module, misses = run(text, FuseSharedInputMatMulPass())
    assert "rlx.concat" not in names(module)
    assert reasons(misses) == ["RLX-F010 depends-on-result"] * 2
    same_values(text, module)


def test_k30_an_independent_third_product_joins_the_first():
    text = products(*DEPENDENT, product(2, "%w1"), results=3)
    module, _ = run(text, FuseSharedInputMatMulPass())
    assert names(module).count("rlx.matmul") == 2
    same_values(text, module)
    once = text_of(module)
    apply(module, FuseSharedInputMatMulPass())
    assert text_of(module) == once


def test_k30_a_product_that_depends_on_a_later_member():
    """The third weight comes from the second product: joining all three would need it before its operand."""
    text = products(
        product(0, "%w0"),
        product(1, "%w1"),
        f"%n = rlx.reduce sum %1 axes [0] : {A} -> {V}",
        f"%d = rlx.binary mul %w1, %n : ({W}, {V}) -> {W}",
        product(2, "%d"),
        results=3,
    )
    module, _ = run(text, FuseSharedInputMatMulPass())
    assert names(module).count("rlx.matmul") == 2
    same_values(text, module)


def test_k31_a_later_weight_moves_if_it_is_pure():
    text = products(product(0, "%w0"), f"%v = rlx.activation tanh %w1 : {W}", product(1, "%v"))
    module, _ = run(text, FuseSharedInputMatMulPass())
    assert names(module) == ["rlx.activation", "rlx.concat", "rlx.matmul", "rlx.narrow", "rlx.narrow"]
    same_values(text, module)


def test_k31_a_later_weight_with_effects_stays():
    text = products(product(0, "%w0"), f'%v = "acme.next"() : () -> {W}', product(1, "%v"), weights=1)
    module, misses = run(text, FuseSharedInputMatMulPass())
    assert names(module) == ["rlx.matmul", "builtin.unregistered", "rlx.matmul"]
    assert "RLX-F008 effects" in reasons(misses)


@pytest.mark.parametrize("operands", ["%u, %a", "%a, %u"])
@pytest.mark.parametrize(("up", "gate"), [(0, 8), (8, 0)])
def test_k32_the_gate_is_where_silu_is(operands: str, up: int, gate: int):
    c = "tensor<4x16xf32>"
    text = f"""
    func.func @f(%c: {c}) -> {A} {{
      %u = rlx.narrow %c axis(1) start({up}) length(8) : {c} -> {A}
      %g = rlx.narrow %c axis(1) start({gate}) length(8) : {c} -> {A}
      %a = rlx.activation silu %g : {A}
      %m = rlx.binary mul {operands} : ({A}, {A}) -> {A}
      func.return %m : {A}
    }}"""
    module, _ = run(text, FuseSwiGLUPass())
    (fused,) = [op for op in module.walk() if isinstance(op, FusedSwiGLUOp)]
    assert (fused.gate_first is not None) == (gate == 0)
    same_values(text, module)


def unit(order: str, operands: str = "%u, %a", result: str = "%m") -> str:
    return (
        f"func.func @f(%x: {A}, %w_u: {W}, %w_g: {W}) -> {A} {{\n"
        + "".join(f"  %{v} = rlx.matmul %x, %w_{v} : ({A}, {W}) -> {A}\n" for v in order)
        + f"  %a = rlx.activation silu %g : {A}\n  %m = rlx.binary mul {operands} : ({A}, {A}) -> {A}\n"
        + f"  func.return {result} : {A}\n}}"
    )


@pytest.mark.parametrize("operands", ["%u, %a", "%a, %u"])
@pytest.mark.parametrize("order", ["ug", "gu"])
def test_k32_two_products_whatever_their_order(order: str, operands: str):
    text = unit(order, operands)
    direct, _ = run(text, FuseSwiGLUDualMatMulPass())
    joined, _ = run(text, FuseSharedInputMatMulPass(), FuseSwiGLUPass())
    for module in (direct, joined):
        assert "rlx.fused_swiglu" in names(module)
        same_values(text, module)


def test_k33_the_largest_match_wins():
    """Three products of one value, two of them a gated unit, which takes its two before all three are joined."""
    text = unit("ug").replace(
        "  func.return %m",
        f"  %z = rlx.matmul %x, %w_u : ({A}, {W}) -> {A}\n  %o = rlx.binary add %m, %z "
        f": ({A}, {A}) -> {A}\n  func.return %o",
    )
    texts: set[str] = set()
    for _ in range(3):
        module = parse(text)
        apply(module, *fuse_passes("cpu").passes())
        texts.add(text_of(module))
        assert names(module).count("rlx.fused_swiglu") == 1
        same_values(text, module)
    assert len(texts) == 1


X, Y, C = "tensor<2x3x6x6xf32>", "tensor<2x8x6x6xf32>", "tensor<8xf32>"
CONV = f"%c = rlx.conv %x, %w pad([1, 1], [1, 1]) : ({X}, tensor<8x3x3x3xf32>) -> {Y}"


def convolution(*lines: str, result: str = "%y") -> str:
    body = "\n".join(f"  {line}" for line in (CONV, *lines))
    return (
        f"func.func @f(%x: {X}, %w: tensor<8x3x3x3xf32>, %b: {C}, %g: {C}, %mean: {C}, %d: {C}, %r: {Y}) "
        f"-> {Y} {{\n{body}\n"
        f"  func.return {result} : {Y}\n}}"
    )


BIAS = (
    f"%b1 = rlx.reshape %b : {C} -> tensor<8x1x1xf32>",
    f"%s = rlx.binary add %c, %b1 : ({Y}, tensor<8x1x1xf32>) -> {Y}",
)


def test_k34_a_batch_norm_without_bias_of_its_convolution():
    lines = (
        f"%var = rlx.binary mul %d, %d : ({C}, {C}) -> {C}",
        "%y = rlx.batch_norm_inference %c, %g, %b, %mean, %var epsilon(1.0e-3) axis(1) "
        f": ({Y}, {C}, {C}, {C}, {C}) -> {Y}",
    )
    text = convolution(*lines)
    module, _ = run(text, FuseConvAffineActPass())
    assert "rlx.conv" not in names(module)
    assert "rlx.fused_conv_bias_act" in names(module)
    same_values(text, module)


def test_k34_a_missing_shift_is_zero_not_one():
    lines = (
        f"%zero = arith.constant dense<0.0> : {C}",
        f"%one = arith.constant dense<1.0> : {C}",
        "%y = rlx.batch_norm_inference %c, %g, %zero, %mean, %one epsilon(1.0e-3) axis(1) "
        f": ({Y}, {C}, {C}, {C}, {C}) -> {Y}",
    )
    text = convolution(*lines)
    module, _ = run(text, FuseConvAffineActPass())
    assert "rlx.fused_conv_bias_act" in names(module)
    same_values(text, module)


def test_k35_bias_and_residual_are_told_apart():
    residual = f"%y = rlx.binary add %c, %r : ({Y}, {Y}) -> {Y}"
    for text, operands in (
        (convolution(*BIAS, result="%s"), 3),
        (convolution(*BIAS, f"%y = rlx.binary add %s, %r : ({Y}, {Y}) -> {Y}"), 4),
        (convolution(residual), 0),
    ):
        module, misses = run(text, FuseConvBiasActPass(), DeadCodeEliminationPass())
        fused = [op for op in module.walk() if isinstance(op, FusedConvBiasActOp)]
        assert [len(op.operands) for op in fused] == ([operands] if operands else [])
        assert reasons(misses) == ([] if operands else ["RLX-F034 not-along-channels"])
        same_values(text, module)


def test_k36_limits_look_at_shapes():
    text = convolution(*BIAS, result="%s")
    module, misses = run(text, FuseConvBiasActPass(kernel_min=5))
    assert "rlx.conv" in names(module)
    assert reasons(misses) == ["RLX-F035 out-of-limits"]
    odd = text.replace("8x3x3x3", "5x3x3x3").replace("2x8x6x6", "2x5x6x6").replace("tensor<8", "tensor<5")
    module, _ = run(odd, FuseConvBiasActPass())
    assert "rlx.fused_conv_bias_act" in names(module)
    same_values(odd, module)


def test_k37_the_residual_is_the_input_of_the_convolution():
    x, w = "tensor<2x3x6x6xf32>", "tensor<3x3x1x1xf32>"
    text = f"""
    func.func @f(%x: {x}, %w: {w}, %b: tensor<3x1x1xf32>) -> {x} {{
      %c = rlx.conv %x, %w : ({x}, {w}) -> {x}
      %s = rlx.binary add %c, %b : ({x}, tensor<3x1x1xf32>) -> {x}
      %t = rlx.binary add %s, %x : ({x}, {x}) -> {x}
      %y = rlx.activation relu %t : {x}
      func.return %y : {x}
    }}"""
    module, _ = run(text, FuseConvBiasActPass())
    (fused,) = [op for op in module.walk() if isinstance(op, FusedConvBiasActOp)]
    assert fused.residual is fused.input
    same_values(text, module)


def test_k15_a_convolution_with_a_second_reader():
    text = convolution(
        f"%z = rlx.activation relu %c : {Y}",
        f"%q = rlx.binary add %c, %r : ({Y}, {Y}) -> {Y}",
        f"%y = rlx.binary add %z, %q : ({Y}, {Y}) -> {Y}",
    )
    module, misses = run(text, FuseConvBiasActPass(), FuseConvAffineActPass())
    assert "rlx.conv" in names(module)
    assert reasons(misses) == ["RLX-F002 multi-use"] * 2


@pytest.mark.parametrize("kept", ["%u", "%g"])
def test_k55_an_up_or_gate_that_is_returned(kept: str):
    text = (
        unit("ug")
        .replace(f"-> {A} {{", f"-> ({A}, {A}) {{")
        .replace(f"return %m : {A}", f"return %m, {kept} : {A}, {A}")
    )
    module, misses = run(text, FuseSwiGLUDualMatMulPass())
    assert names(module) == ["rlx.matmul", "rlx.matmul", "rlx.activation", "rlx.binary"]
    assert reasons(misses) == ["RLX-F003 returned"]


def test_k56_the_same_text_every_run():
    text = products(*(product(i, f"%w{i}") for i in range(4)), weights=4, results=4)
    texts = {text_of(run(text, FuseSharedInputMatMulPass())[0]) for _ in range(4)}
    assert len(texts) == 1
    (module,) = [run(text, FuseSharedInputMatMulPass())[0]]
    (joined,) = [op for op in module.walk() if op.name == "rlx.concat"]
    assert [operand.name_hint for operand in joined.operands] == ["w0", "w1", "w2", "w3"]


def test_k56_weights_of_another_type_are_refused_by_the_verifier_or_the_guard():
    """Element types of a product's operands are equal, so only the type in which it sums can differ."""
    text = products(product(0, "%w0"), product(1, "%w1").replace(" :", " accumulate(f64) :"))
    module, misses = run(text, FuseSharedInputMatMulPass())
    assert [op.accumulate is None for op in module.walk() if isinstance(op, MatMulOp)] == [True, False]
    assert reasons(misses) == ["RLX-F019 attributes"] * 2


def test_k58_norms_before_the_layers_fuse_with_a_tee():
    """Two layers that normalise first: every sum but the last is read by a norm and by the next sum."""
    lines: list[str] = []
    value = "%x"
    for i in range(4):
        lines += [
            f"%h{i} = rlx.matmul {value if i == 0 else f'%n{i}'}, %w0 : ({A}, {W}) -> {A}",
            f"%s{i + 1} = rlx.binary add {value}, %h{i} : ({A}, {A}) -> {A}",
            f"%n{i + 1} = rlx.rms_norm %s{i + 1}, %g, %g epsilon(1.0e-5) : ({A}, {V}, {V}) -> {A}",
        ]
        value = f"%s{i + 1}"
    body = "\n".join(lines)
    text = f"func.func @f(%x: {A}, %w0: {W}, %g: {V}) -> {A} {{\n{body}\n  func.return %n4 : {A}\n}}"
    module, _ = run(text, FuseResidualRmsNormPass())
    fused = [op for op in module.walk() if isinstance(op, FusedResidualRmsNormOp)]
    assert [op.sum is not None for op in fused] == [True, True, True, False]
    same_values(text, module)


@pytest.mark.parametrize("dims", ["?x8", "8x?", "?x?"])
def test_k59_unknown_rows_and_columns_are_no_crash(dims: str):
    weight = f"tensor<{dims}xf32>"
    result = "tensor<4x?xf32>" if dims.endswith("?") else A
    text = unit("ug").replace(W, weight).replace(f"({A}, {weight}) -> {A}", f"({A}, {weight}) -> {result}")
    text = text.replace(f"silu %g : {A}", f"silu %g : {result}").replace(
        f"({A}, {A}) -> {A}", f"({result}, {result}) -> {result}"
    )
    text = text.replace(f"-> {A} {{", f"-> {result} {{").replace(f"return %m : {A}", f"return %m : {result}")
    module, misses = run(text, FuseSwiGLUDualMatMulPass(), FuseSharedInputMatMulPass())
    assert names(module) == ["rlx.matmul", "rlx.matmul", "rlx.activation", "rlx.binary"]
    assert set(reasons(misses)) == {"RLX-F014 dynamic"}
