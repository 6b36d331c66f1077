"""What went wrong in other fusers, one test per fault, named by its id: small inputs and the right outcome."""

import pytest
from programs import parse, text_of
from programs_of_fusion import PIPELINE, apply, encoder, names, reasons, run, same_values
from xdsl.dialects.builtin import FusedLoc, TensorType
from xdsl.dialects.func import ReturnOp
from xdsl.utils.exceptions import VerifyException

from rlx_dialect.ops import FusedMatMulBiasActOp, FusedResidualLNOp
from rlx_passes.expansion.unfuse import UnfusePass
from rlx_passes.fusion.fuse_matmul_bias_act import FuseMatMulBiasActPass
from rlx_passes.pipeline.entries import fuse_passes
from rlx_passes.rewriting.patterns import run_patterns
from rlx_passes.simplify.dead_code_elimination import DeadCodeEliminationPass


def biased(lhs: str, rhs: str, product: str, bias: str, result: str = "", tail: str = "") -> str:
    """`lhs @ rhs + bias`, then `tail` of `%1`; all types in text."""
    result = result or product
    return f"""
    func.func @f(%x: tensor<{lhs}>, %w: tensor<{rhs}>, %b: tensor<{bias}>) -> tensor<{result}> {{
      %0 = rlx.matmul %x, %w : (tensor<{lhs}>, tensor<{rhs}>) -> tensor<{product}>
      %1 = rlx.binary add %0, %b : (tensor<{product}>, tensor<{bias}>) -> tensor<{result}>
      {tail}
      func.return %{2 if tail else 1} : tensor<{result}>
    }}"""


@pytest.mark.parametrize("columns", [4, 5])
def test_k01_a_bias_along_the_rows_is_no_bias(columns: int):
    product = f"tensor<4x{columns}xf32>"
    text = f"""
    func.func @f(%x: tensor<4x4xf32>, %w: tensor<4x{columns}xf32>, %b: tensor<4xf32>) -> {product} {{
      %0 = rlx.matmul %x, %w : (tensor<4x4xf32>, tensor<4x{columns}xf32>) -> {product}
      %1 = rlx.reshape %b : tensor<4xf32> -> tensor<4x1xf32>
      %2 = rlx.expand %1 : tensor<4x1xf32> -> {product}
      %3 = rlx.binary add %0, %2 : ({product}, {product}) -> {product}
      func.return %3 : {product}
    }}"""
    module, misses = run(text, *PIPELINE)
    assert "rlx.fused_matmul_bias_act" not in names(module)
    assert "RLX-F012 not-a-row-vector" in reasons(misses)
    same_values(text, module)


def test_k02_an_addend_of_one_row_is_reshaped():
    text = biased("3x8xf32", "8x5xf32", "3x5xf32", "1x5xf32")
    module, _ = run(text, *PIPELINE)
    assert names(module) == ["rlx.reshape", "rlx.fused_matmul_bias_act"]
    same_values(text, module)


def test_k03_an_addend_of_higher_rank_stays():
    text = biased("4x8xf32", "8x5xf32", "4x5xf32", "1x4x5xf32", "1x4x5xf32")
    module, misses = run(text, *PIPELINE)
    assert names(module) == ["rlx.matmul", "rlx.binary"]
    assert "RLX-F013 broadcasts-up" in reasons(misses)


def test_k04_a_left_side_of_rank_three():
    text = biased("2x3x8xf32", "8x5xf32", "2x3x5xf32", "5xf32", tail="%2 = rlx.activation relu %1 : tensor<2x3x5xf32>")
    module, _ = run(text, *PIPELINE)
    assert names(module) == ["rlx.fused_matmul_bias_act"]
    same_values(text, module)


def test_k05_a_scalar_that_was_raised_to_rank_one():
    text = """
    func.func @f(%s: tensor<f32>, %one: tensor<1xf32>, %w: tensor<1x64xf32>, %b: tensor<64xf32>) -> tensor<1x64xf32> {
      %0 = rlx.binary mul %s, %one : (tensor<f32>, tensor<1xf32>) -> tensor<1xf32>
      %1 = rlx.reshape %0 : tensor<1xf32> -> tensor<1x1xf32>
      %2 = rlx.matmul %1, %w : (tensor<1x1xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
      %3 = rlx.binary add %2, %b : (tensor<1x64xf32>, tensor<64xf32>) -> tensor<1x64xf32>
      func.return %3 : tensor<1x64xf32>
    }"""
    module, _ = run(text, *PIPELINE)
    assert names(module) == ["rlx.binary", "rlx.reshape", "rlx.fused_matmul_bias_act"]
    same_values(text, module)


@pytest.mark.parametrize("lhs", ["1x0x32", "0x3x32"])
def test_k06_dims_of_size_zero(lhs: str):
    rows = lhs.rsplit("x", 1)[0]
    product = f"{rows}x16xf32"
    text = biased(f"{lhs}xf32", "32x16xf32", product, "16xf32", tail=f"%2 = rlx.activation gelu %1 : tensor<{product}>")
    module, _ = run(text, *PIPELINE)
    assert names(module) == ["rlx.fused_matmul_bias_act"]
    same_values(text, module)


def test_k07_the_batch_is_that_of_both_sides():
    text = biased("1x4x8xf32", "5x8x6xf32", "5x4x6xf32", "6xf32")
    module, _ = run(text, *PIPELINE)
    (fused,) = [op for op in module.walk() if isinstance(op, FusedMatMulBiasActOp)]
    assert isinstance(fused.result.type, TensorType)
    assert fused.result.type.get_shape() == (5, 4, 6)
    same_values(text, module)


def test_k08_the_second_reader_is_named_with_its_place():
    module, misses = run(
        """
        func.func @f(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>, %b: tensor<8xf32>)
            -> (tensor<4x8xf32>, tensor<4x8xf32>) {
          %m = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
          %a = rlx.binary add %m, %b : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
          %r = rlx.activation relu %a : tensor<4x8xf32>
          %t = rlx.activation tanh %m : tensor<4x8xf32> loc("net.py":12:5)
          func.return %r, %t : tensor<4x8xf32>, tensor<4x8xf32>
        }""",
        *PIPELINE,
    )
    assert "rlx.matmul" in names(module)
    (miss,) = [miss for miss in misses if miss.pattern == "matmul_bias_act"]
    assert str(miss.reason) == "RLX-F002 multi-use"
    assert "rlx.activation %t at net.py:12:5" in miss.blockers


@pytest.mark.parametrize("activation", ["relu", "silu"], ids=["k09", "k54"])
def test_k09_k54_a_returned_sum_stays_before_its_activation(activation: str):
    text = f"""
    func.func @f(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>, %b: tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {{
      %m = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
      %a = rlx.binary add %m, %b : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
      %r = rlx.activation {activation} %a : tensor<4x8xf32>
      func.return %a, %r : tensor<4x8xf32>, tensor<4x8xf32>
    }}"""
    module, misses = run(text, *PIPELINE)
    assert names(module) == ["rlx.fused_matmul_bias_act", "rlx.activation"]
    (miss,) = [miss for miss in misses if miss.pattern == "matmul_bias_act"]
    assert str(miss.reason) == "RLX-F003 returned"
    same_values(text, module)


def test_k10_a_dtype_that_is_not_claimed():
    module, misses = run(biased("4x8xf16", "8x8xf16", "4x8xf16", "8xf16"), FuseMatMulBiasActPass(dtypes=("f32",)))
    assert "rlx.matmul" in names(module)
    (miss,) = misses
    assert str(miss.reason) == "RLX-F007 dtype"
    assert miss.detail == "f16 is not among f32"


def test_k11_double_precision_on_rocm():
    def fused(dtype: str) -> list[str]:
        tail = f"%2 = rlx.activation relu %1 : tensor<4x8x{dtype}>"
        module = parse(biased(f"4x8x{dtype}", f"8x8x{dtype}", f"4x8x{dtype}", f"8x{dtype}", tail=tail))
        apply(module, *fuse_passes("rocm").passes())
        return names(module)

    assert "rlx.matmul" in fused("f64")
    assert "rlx.fused_matmul_bias_act" not in fused("f64")
    assert fused("f32") == ["rlx.fused_matmul_bias_act"]


@pytest.mark.parametrize("target", ["cpu", "cuda", "rocm", "tpu", "wgpu", "metal", "mlx"])
def test_k12_a_second_run_changes_nothing(target: str):
    module = parse(encoder(2))
    passes = fuse_passes(target).passes()
    apply(module, *passes)
    once = text_of(module, locations=True)
    apply(module, *passes)
    assert text_of(module, locations=True) == once


def test_k18_the_sum_before_the_norm_is_returned():
    text = """
    func.func @f(%x: tensor<4x8xf16>, %r: tensor<4x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>)
        -> (tensor<4x8xf32>, tensor<4x8xf32>) {
      %c = rlx.cast %x : tensor<4x8xf16> -> tensor<4x8xf32>
      %s = rlx.binary add %c, %r : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
      %y = rlx.layer_norm %s, %g, %b epsilon(1.0e-5)
          : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
      func.return %s, %y : tensor<4x8xf32>, tensor<4x8xf32>
    }"""
    module, _ = run(text, *PIPELINE)
    (fused,) = [op for op in module.walk() if isinstance(op, FusedResidualLNOp)]
    assert (fused.input.name_hint, fused.residual.name_hint) == ("c", "r")
    assert fused.sum is not None
    (returned,) = [op for op in module.walk() if isinstance(op, ReturnOp)]
    assert [operand.name_hint for operand in returned.operands] == ["s", "y"]
    same_values(text, module)


def test_k19_a_gain_of_rank_three_is_refused_by_the_verifier():
    with pytest.raises(VerifyException, match="gamma must have rank 1"):
        parse("""
        func.func @f(%x: tensor<2x4x64xf32>, %g: tensor<1x1x64xf32>, %b: tensor<64xf32>) -> tensor<2x4x64xf32> {
          %0 = rlx.layer_norm %x, %g, %b epsilon(1.0e-5)
              : (tensor<2x4x64xf32>, tensor<1x1x64xf32>, tensor<64xf32>) -> tensor<2x4x64xf32>
          func.return %0 : tensor<2x4x64xf32>
        }""")


def test_k20_the_sum_keeps_its_place_when_the_fused_op_is_taken_apart():
    text = """
    func.func @f(%x: tensor<4x8xf32>, %r: tensor<4x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
      %y, %s = rlx.fused_residual_ln %x, %r, %g, %b epsilon(1.0e-5)
          : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>)
      func.return %s : tensor<4x8xf32>
    }"""
    module, _ = run(text, UnfusePass(), DeadCodeEliminationPass())
    assert names(module) == ["rlx.binary"]
    same_values(text, module)


def test_k20_unfuse_restores_the_program_and_fusing_again_the_fused_one():
    text = encoder(2)
    module = parse(text)
    apply(module, *PIPELINE)
    fused = text_of(module)
    apply(module, UnfusePass())
    assert text_of(module) == text_of(parse(text))
    apply(module, *PIPELINE)
    assert text_of(module) == fused


def test_k45_nothing_to_fuse_is_nothing_done():
    module = parse("""
    func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = rlx.activation exp %x : tensor<4xf32>
      %1 = rlx.activation neg %0 : tensor<4xf32>
      func.return %1 : tensor<4xf32>
    }""")
    ops = list(module.walk())
    assert not run_patterns(module, ())
    apply(module, *PIPELINE)
    assert list(module.walk()) == ops


def test_k49_a_value_that_a_region_captures_stays():
    module, misses = run(
        """
        func.func @f(%p: i1, %x: tensor<4x8xf32>, %w: tensor<8x8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
          %m = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
          %a = rlx.binary add %m, %b : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
          %r = scf.if %p -> (tensor<4x8xf32>) {
            %t = rlx.activation relu %a : tensor<4x8xf32>
            scf.yield %t : tensor<4x8xf32>
          } else {
            scf.yield %x : tensor<4x8xf32>
          }
          func.return %r : tensor<4x8xf32>
        }""",
        *PIPELINE,
    )
    assert names(module) == ["rlx.fused_matmul_bias_act", "scf.if", "rlx.activation"]
    (miss,) = [miss for miss in misses if miss.pattern == "matmul_bias_act"]
    assert miss.root == "rlx.activation"
    assert str(miss.reason) == "RLX-F004 other-block"


def test_k51_the_locations_of_all_that_was_fused():
    module, _ = run(
        """
        func.func @f(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
          %m = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32> loc("net.py":1:1)
          %a = rlx.binary add %m, %b : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32> loc("bias")
          %r = rlx.activation relu %a : tensor<4x8xf32> loc(fused["net.py":3:1, "net.py":1:1])
          func.return %r : tensor<4x8xf32>
        }""",
        *PIPELINE,
    )
    (fused,) = [op for op in module.walk() if isinstance(op, FusedMatMulBiasActOp)]
    assert isinstance(fused.location, FusedLoc)
    assert 'loc(fused["net.py":1:1, "bias", "net.py":3:1])' in text_of(module, locations=True)


@pytest.mark.parametrize(
    ("residual", "axis", "reason"),
    [("2x8x8xf32", " axis(1)", "RLX-F016 axis"), ("8xf32", "", "RLX-F017 residual-broadcasts")],
    ids=["axis", "broadcast"],
)
def test_k57_another_axis_and_a_broadcast_residual(residual: str, axis: str, reason: str):
    text = f"""
    func.func @f(%x: tensor<2x8x8xf32>, %r: tensor<{residual}>, %g: tensor<8xf32>, %b: tensor<8xf32>)
        -> tensor<2x8x8xf32> {{
      %s = rlx.binary add %x, %r : (tensor<2x8x8xf32>, tensor<{residual}>) -> tensor<2x8x8xf32>
      %y = rlx.layer_norm %s, %g, %b epsilon(1.0e-5){axis}
          : (tensor<2x8x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x8x8xf32>
      func.return %y : tensor<2x8x8xf32>
    }}"""
    module, misses = run(text, *PIPELINE)
    assert names(module) == ["rlx.binary", "rlx.layer_norm"]
    assert reasons(misses) == [reason]


def test_k58_pre_norm_blocks_fuse_with_a_tee():
    """The sum goes on as the residual stream and is normed: four of four."""
    v, g = "tensor<4x8xf32>", "tensor<8xf32>"
    body = [
        f"  %s{i + 1} = rlx.binary add %s{i}, %n{i} : ({v}, {v}) -> {v}\n"
        f"  %n{i + 1} = rlx.layer_norm %s{i + 1}, %g, %g epsilon(1.0e-5) : ({v}, {g}, {g}) -> {v}"
        for i in range(4)
    ]
    text = "\n".join(
        [
            f"func.func @f(%s0: {v}, %n0: {v}, %g: {g}) -> ({v}, {v}) {{",
            *body,
            f"  func.return %s4, %n4 : {v}, {v}",
            "}",
        ]
    )
    module, misses = run(text, *PIPELINE)
    assert names(module) == ["rlx.fused_residual_ln"] * 4
    assert not misses
    same_values(text, module)
