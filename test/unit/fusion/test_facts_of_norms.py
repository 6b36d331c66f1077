"""Facts about the passes of norms, gated residuals and encoder layers, as counts and operands."""

import pytest
from programs import parse
from programs_of_fusion import apply, names, run
from xdsl.dialects.builtin import TensorType
from xdsl.passes import ModulePass

from rlx_dialect.attributes import AdaNormKind
from rlx_dialect.ops import AdaLayerNormOp, FusedTransformerLayerOp, GatedResidualOp, RmsNormOp
from rlx_passes.fusion.fuse_ada_layer_norm import FuseAdaLayerNormPass
from rlx_passes.fusion.fuse_attention_block import FuseAttentionBlockPass
from rlx_passes.fusion.fuse_gated_residual import FuseGatedResidualPass
from rlx_passes.fusion.fuse_matmul_bias_act import FuseMatMulBiasActPass
from rlx_passes.fusion.fuse_residual_ln import FuseResidualLNPass
from rlx_passes.fusion.fuse_residual_rms_norm import FuseResidualRmsNormPass
from rlx_passes.fusion.fuse_rms_norm_reshape import FuseRmsNormReshapePass
from rlx_passes.fusion.fuse_transformer_layer import FuseTransformerLayerPass
from rlx_passes.report.counts import count
from rlx_passes.simplify.dead_code_elimination import DeadCodeEliminationPass

X, V = "tensor<4x15x384xf32>", "tensor<384xf32>"
RMS = f"""
func.func @f(%x: {X}, %r: {X}, %g: {V}, %b: {V}) -> {X} {{
  %0 = rlx.binary add %x, %r : ({X}, {X}) -> {X}
  %1 = rlx.rms_norm %0, %g, %b epsilon(1.0e-6) : ({X}, {V}, {V}) -> {X}
  func.return %1 : {X}
}}"""
REUSED = RMS.replace("  func.return %1", f"  %2 = rlx.binary add %0, %1 : ({X}, {X}) -> {X}\n  func.return %2")


def test_residual_rms_norm():
    module = parse(RMS)
    assert count(module)["nodes"] == 6
    apply(module, FuseResidualRmsNormPass(compat_tee=True))
    assert count(module)["nodes"] == 5
    assert names(module) == ["rlx.fused_residual_rms_norm"]


def test_a_sum_that_is_reused_is_teed_or_stays_under_compat():
    assert names(run(REUSED, FuseResidualRmsNormPass())[0]) == ["rlx.fused_residual_rms_norm", "rlx.binary"]
    assert "rlx.rms_norm" in names(run(REUSED, FuseResidualRmsNormPass(compat_tee=True))[0])


def test_rms_norm_and_reshape():
    module, _ = run(
        """
        func.func @f(%x: tensor<1x8x512xf32>, %g: tensor<512xf32>, %b: tensor<512xf32>, %w: tensor<512x16xf32>)
            -> tensor<8x16xf32> {
          %0 = rlx.rms_norm %x, %g, %b epsilon(1.0e-6)
              : (tensor<1x8x512xf32>, tensor<512xf32>, tensor<512xf32>) -> tensor<1x8x512xf32>
          %1 = rlx.reshape %0 : tensor<1x8x512xf32> -> tensor<8x512xf32>
          %2 = rlx.matmul %1, %w : (tensor<8x512xf32>, tensor<512x16xf32>) -> tensor<8x16xf32>
          func.return %2 : tensor<8x16xf32>
        }""",
        FuseRmsNormReshapePass(),
    )
    assert count(module)["nodes"] == 6
    (norm,) = [op for op in module.walk() if isinstance(op, RmsNormOp)]
    assert isinstance(norm.result.type, TensorType)
    assert norm.result.type.get_shape() == (8, 512)


A, G, D = "tensor<2x4x8xf32>", "tensor<2x1x8xf32>", "tensor<8xf32>"


def modulated(norm: str, form: str, wrapped: str = "") -> str:
    """`norm(x) * (1 + scale) + shift` in form A or B, scale and shift by `rlx.expand` or `rlx.reshape`."""
    given = "tensor<2x8xf32>" if wrapped == "reshape" else G
    full = {"reshape": G, "expand": A}.get(wrapped, G)
    lines = [
        f"func.func @f(%x: {A}, %scale: {given}, %shift: {given}) -> {A} {{",
        f"  %ones = arith.constant dense<1.0> : {D}",
        f"  %zeros = arith.constant dense<0.0> : {D}",
        f"  %n = rlx.{norm} %x, %ones, %zeros epsilon(1.0e-6) : ({A}, {D}, {D}) -> {A}",
    ]
    scale, shift = "%scale", "%shift"
    if wrapped:
        lines += [f"  %{v}s = rlx.{wrapped} %{v} : {given} -> {full}" for v in ("scale", "shift")]
        scale, shift = "%scales", "%shifts"
    if form == "A":
        lines += [
            f"  %one = arith.constant dense<1.0> : {full}",
            f"  %gain = rlx.binary add %one, {scale} : ({full}, {full}) -> {full}",
            f"  %m = rlx.binary mul %n, %gain : ({A}, {full}) -> {A}",
        ]
    else:
        lines += [
            f"  %p = rlx.binary mul %n, {scale} : ({A}, {full}) -> {A}",
            f"  %m = rlx.binary add %n, %p : ({A}, {A}) -> {A}",
        ]
    return "\n".join(
        [*lines, f"  %y = rlx.binary add %m, {shift} : ({A}, {full}) -> {A}", f"  func.return %y : {A}", "}"]
    )


@pytest.mark.parametrize("norm", ["layer_norm", "rms_norm"])
@pytest.mark.parametrize("form", ["A", "B"])
@pytest.mark.parametrize("wrapped", ["", "expand", "reshape"])
def test_adaptive_norm(norm: str, form: str, wrapped: str):
    module, _ = run(modulated(norm, form, wrapped), FuseAdaLayerNormPass(), DeadCodeEliminationPass())
    (fused,) = [op for op in module.walk() if isinstance(op, AdaLayerNormOp)]
    assert fused.normalises is AdaNormKind(norm)
    assert len(fused.operands) == 3
    kept = ["rlx.reshape"] * 2 if wrapped == "reshape" else []
    assert names(module) == [*kept, "rlx.ada_layer_norm"]


def gated(dtype: str, dims: str = "2x4x8", gate: str = "2x1x8", expand: bool = True) -> str:
    value, small = f"tensor<{dims}x{dtype}>", f"tensor<{gate}x{dtype}>"
    stretch = f"%e = rlx.expand %gate : {small} -> {value}\n" if expand else ""
    factor, type = ("%e", value) if expand else ("%gate", small)
    return f"""
    func.func @f(%x: {value}, %y: {value}, %gate: {small}) -> {value} {{
      {stretch}%p = rlx.binary mul {factor}, %y : ({type}, {value}) -> {value}
      %s = rlx.binary add %x, %p : ({value}, {value}) -> {value}
      func.return %s : {value}
    }}"""


def test_gated_residual_takes_the_gate_before_its_expand():
    module, _ = run(gated("f32"), FuseGatedResidualPass())
    assert names(module) == ["rlx.gated_residual"]
    (fused,) = [op for op in module.walk() if isinstance(op, GatedResidualOp)]
    assert fused.operands[2].name_hint == "gate"


@pytest.mark.parametrize(
    ("dtype", "fuses"), [("f32", True), ("f64", False), ("f16", False), ("bf16", False), ("i32", False)]
)
def test_gated_residual_is_f32_only_under_compat(dtype: str, fuses: bool):
    module, _ = run(gated(dtype, "2x1", "1", expand=False), FuseGatedResidualPass(compat_dtypes=True))
    assert names(module) == (["rlx.gated_residual"] if fuses else ["rlx.binary", "rlx.binary"])


def test_a_block_of_a_diffusion_transformer():
    """A modulated norm, a product with bias, a gate: one adaptive norm, one product, one gated residual."""
    text = modulated("layer_norm", "A").replace(
        "%shift: ", "%gate: tensor<2x1x8xf32>, %w: tensor<8x8xf32>, %b: tensor<8xf32>, %shift: "
    )
    text = text.replace(
        "  func.return %y",
        f"""  %h = rlx.matmul %y, %w : ({A}, tensor<8x8xf32>) -> {A}
  %i = rlx.binary add %h, %b : ({A}, {D}) -> {A}
  %j = rlx.binary mul %gate, %i : ({G}, {A}) -> {A}
  %k = rlx.binary add %x, %j : ({A}, {A}) -> {A}
  func.return %k""",
    )
    module, _ = run(
        text, FuseMatMulBiasActPass(), FuseAdaLayerNormPass(), FuseGatedResidualPass(), DeadCodeEliminationPass()
    )
    assert names(module) == ["rlx.ada_layer_norm", "rlx.fused_matmul_bias_act", "rlx.gated_residual"]


def layer() -> str:
    """Four heads of width 8, 128 wide between the products, one batch of four rows, a mask of keys."""
    h, m, v = "tensor<1x4x32xf32>", "tensor<1x4xi1>", "tensor<32xf32>"
    square, packed, wide = "tensor<32x32xf32>", "tensor<1x4x96xf32>", "tensor<1x4x128xf32>"
    dense = [
        ("qkv", "%h", h, "tensor<32x96xf32>", "tensor<96xf32>", packed),
        ("out", "%a", h, square, v, h),
        ("up", "%n1", h, "tensor<32x128xf32>", "tensor<128xf32>", wide),
        ("down", "%act", wide, "tensor<128x32xf32>", v, h),
    ]
    arguments = ", ".join(f"%{name}_w: {w}, %{name}_b: {b}" for name, _, _, w, b, _ in dense)
    text = {
        name: f"  %{name}_p = rlx.matmul {x}, %{name}_w : ({xt}, {w}) -> {y}\n"
        f"  %{name} = rlx.binary add %{name}_p, %{name}_b : ({y}, {b}) -> {y}\n"
        for name, x, xt, w, b, y in dense
    }
    slices = "".join(
        f"  %{name} = rlx.narrow %qkv axis(2) start({start}) length(32) : {packed} -> {h}\n"
        for name, start in (("q", 0), ("k", 32), ("v", 64))
    )

    def residual_norm(result: str, x: str, residual: str) -> str:
        return (
            f"  %{result}_s = rlx.binary add {x}, {residual} : ({h}, {h}) -> {h}\n"
            f"  %{result} = rlx.layer_norm %{result}_s, %g, %g epsilon(1.0e-12) : ({h}, {v}, {v}) -> {h}\n"
        )

    return (
        f"func.func @layer(%h: {h}, %m: {m}, %g: {v}, {arguments}) -> {h} {{\n"
        + text["qkv"]
        + slices
        + "  %a = rlx.attention %q, %k, %v mask keys(%m) layout(bsm) heads(4) kv_heads(4) head_dim(8) v_head_dim(8) "
        + f"scale(0.35355339059327373) : ({h}, {h}, {h}, {m}) -> {h}\n"
        + text["out"]
        + residual_norm("n1", "%out", "%h")
        + text["up"]
        + f"  %act = rlx.activation gelu %up : {wide}\n"
        + text["down"]
        + residual_norm("n2", "%down", "%n1")
        + f"  func.return %n2 : {h}\n}}"
    )


ORDERS: list[tuple[ModulePass, ...]] = [
    (FuseMatMulBiasActPass(), FuseResidualLNPass(), FuseAttentionBlockPass(), FuseTransformerLayerPass()),
    (FuseMatMulBiasActPass(), FuseAttentionBlockPass(), FuseResidualLNPass(), FuseTransformerLayerPass()),
    (
        FuseMatMulBiasActPass(compat_epilogues=True, compat_dtypes=True),
        FuseAttentionBlockPass(compat_attention_block=True),
        FuseResidualLNPass(compat_tee=True),
        FuseTransformerLayerPass(compat_attention_block=True, compat_epilogues=True),
    ),
]


@pytest.mark.parametrize("passes", ORDERS, ids=["norms first", "attention first", "compat"])
def test_encoder_layer(passes: tuple[ModulePass, ...]):
    module, _ = run(layer(), *passes)
    assert names(module) == ["rlx.fused_transformer_layer"]
    (fused,) = [op for op in module.walk() if isinstance(op, FusedTransformerLayerOp)]
    assert len(fused.operands) == 14
