"""Facts about the passes, as counts: a node is an argument, a constant, or an op that is no terminator."""

import pytest
from programs import parse
from programs_of_fusion import PIPELINE, apply, encoder, names, run
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from rlx_dialect.builder import Graph
from rlx_dialect.signature import find_function, find_input, find_param, results_of
from rlx_passes.core.spec import parse_pipeline
from rlx_passes.fusion.fuse_attention_block import FuseAttentionBlockPass
from rlx_passes.fusion.fuse_matmul_bias_act import FuseMatMulBiasActPass
from rlx_passes.fusion.fuse_residual_ln import FuseResidualLNPass
from rlx_passes.fusion.fuse_shared_input_matmul import FuseSharedInputMatMulPass
from rlx_passes.fusion.fuse_swiglu import FuseSwiGLUPass
from rlx_passes.fusion.fuse_swiglu_dual_matmul import FuseSwiGLUDualMatMulPass
from rlx_passes.fusion.pack_attention_projections import PackAttentionProjectionsPass
from rlx_passes.registry.composite import flatten
from rlx_passes.registry.instantiate import create_passes
from rlx_passes.report.counts import count
from rlx_passes.report.fusion_report import FusionReport
from rlx_passes.simplify.dead_code_elimination import DeadCodeEliminationPass

FULL = """
func.func @f(%x: tensor<4x15x384xf32>, %w: tensor<384x1536xf32>, %b: tensor<1536xf32>) -> tensor<4x15x1536xf32> {
  %0 = rlx.matmul %x, %w : (tensor<4x15x384xf32>, tensor<384x1536xf32>) -> tensor<4x15x1536xf32>
  %1 = rlx.binary add %0, %b : (tensor<4x15x1536xf32>, tensor<1536xf32>) -> tensor<4x15x1536xf32>
  %2 = rlx.activation gelu %1 : tensor<4x15x1536xf32>
  func.return %2 : tensor<4x15x1536xf32>
}"""
PLAIN = FULL.replace("  %2 = rlx.activation gelu %1 : tensor<4x15x1536xf32>\n", "").replace("return %2", "return %1")
EXP = """
func.func @f(%x: tensor<8x1024xf32>, %w: tensor<1024x16xf32>, %b: tensor<16xf32>) -> tensor<8x16xf32> {
  %0 = rlx.matmul %x, %w : (tensor<8x1024xf32>, tensor<1024x16xf32>) -> tensor<8x16xf32>
  %1 = rlx.binary add %0, %b : (tensor<8x16xf32>, tensor<16xf32>) -> tensor<8x16xf32>
  %2 = rlx.activation exp %1 : tensor<8x16xf32>
  func.return %2 : tensor<8x16xf32>
}"""
LN = """
func.func @f(%x: tensor<4x15x384xf32>, %r: tensor<4x15x384xf32>, %g: tensor<384xf32>, %b: tensor<384xf32>)
    -> tensor<4x15x384xf32> {
  %0 = rlx.binary add %x, %r : (tensor<4x15x384xf32>, tensor<4x15x384xf32>) -> tensor<4x15x384xf32>
  %1 = rlx.layer_norm %0, %g, %b epsilon(1.0e-12)
      : (tensor<4x15x384xf32>, tensor<384xf32>, tensor<384xf32>) -> tensor<4x15x384xf32>
  func.return %1 : tensor<4x15x384xf32>
}"""
COMPAT = FuseMatMulBiasActPass(compat_epilogues=True, compat_dtypes=True)


@pytest.mark.parametrize(
    ("text", "pass_", "before", "after", "ops"),
    [
        (FULL, COMPAT, 6, 4, ["rlx.fused_matmul_bias_act"]),
        (PLAIN, COMPAT, 5, 4, ["rlx.fused_matmul_bias_act"]),
        (EXP, COMPAT, 6, 5, ["rlx.fused_matmul_bias_act", "rlx.activation"]),
        (LN, FuseResidualLNPass(compat_tee=True), 6, 5, ["rlx.fused_residual_ln"]),
    ],
    ids=["gelu", "no activation", "exp stays outside", "residual norm"],
)
def test_node_counts(text: str, pass_: ModulePass, before: int, after: int, ops: list[str]):
    module = parse(text)
    assert count(module)["nodes"] == before
    apply(module, pass_)
    assert count(module)["nodes"] == after
    assert names(module) == ops


def test_half_width_weights_stay_plain_under_compat():
    module, misses = run(FULL.replace("f32", "f16"), COMPAT)
    assert "rlx.matmul" in names(module)
    assert [str(miss.reason) for miss in misses] == ["RLX-F007 dtype"]


def perceptron() -> ModuleOp:
    g = Graph("f")
    x, w, b = g.input("x", (4, 8)), g.param("w", (8, 16)), g.param("b", (16,))
    g.output("y", g.relu(x @ w + b))
    return g.module()


@pytest.mark.parametrize(("options", "after"), [("compat-epilogues=true", 5), ("", 4)])
def test_one_call_on_cpu_keeps_the_handles(options: str, after: int):
    module = perceptron()
    assert count(module)["nodes"] == 6
    apply(module, *flatten(create_passes(parse_pipeline(f"rlx-fusion{{target=cpu {options}}}"))))
    assert count(module)["nodes"] == after
    func = find_function(module)
    assert [find_input(func, "x"), find_param(func, "w"), find_param(func, "b")] == list(func.args)
    assert [binding.name for binding in results_of(func)] == ["y"]


def test_a_feed_forward_block_shrinks():
    """A biased product, a residual norm, a biased product with gelu, a biased product."""
    g = Graph("f")
    x, square, row = g.input("x", (4, 8)), g.param("square", (8, 8)), g.param("row", (8,))
    inner = g.layer_norm(x @ square + row + x, row, row, 1e-12)
    g.output("y", g.gelu(inner @ square + row) @ square + row)
    module = g.module()
    before = count(module)["nodes"]
    apply(module, FuseMatMulBiasActPass(), FuseResidualLNPass())
    assert names(module) == [
        *("rlx.fused_matmul_bias_act", "rlx.fused_residual_ln"),
        *("rlx.fused_matmul_bias_act", "rlx.fused_matmul_bias_act"),
    ]
    assert count(module)["nodes"] < before


@pytest.mark.parametrize("first", [FuseSharedInputMatMulPass(), FuseSwiGLUDualMatMulPass()], ids=["joined", "dual"])
def test_the_gated_block_of_the_builder_fuses(first: ModulePass):
    g = Graph("f")
    x, up, gate = g.input("x", (4, 768)), g.param("up", (768, 128)), g.param("gate", (768, 128))
    g.output("y", g.swiglu_ffn(x, up, gate, g.param("down", (128, 768))))
    module = g.module()
    before = count(module)
    apply(module, first, FuseSwiGLUPass())
    report = FusionReport.analyze(before, module)
    assert report.fused_swiglu == 1
    assert report.nodes_after < report.nodes_before


def attention(batch: int, sequence: int) -> str:
    """Four heads of width 8 with a mask of keys, projections with bias not yet fused."""
    value, packed = f"tensor<{batch}x{sequence}x32xf32>", f"tensor<{batch}x{sequence}x96xf32>"
    mask = f"tensor<{batch}x{sequence}xi1>"
    return f"""
    func.func @f(%h: {value}, %m: {mask}, %w: tensor<32x96xf32>, %wb: tensor<96xf32>, %o: tensor<32x32xf32>,
        %ob: tensor<32xf32>) -> {value} {{
      %0 = rlx.matmul %h, %w : ({value}, tensor<32x96xf32>) -> {packed}
      %1 = rlx.binary add %0, %wb : ({packed}, tensor<96xf32>) -> {packed}
      %q = rlx.narrow %1 axis(2) start(0) length(32) : {packed} -> {value}
      %k = rlx.narrow %1 axis(2) start(32) length(32) : {packed} -> {value}
      %v = rlx.narrow %1 axis(2) start(64) length(32) : {packed} -> {value}
      %a = rlx.attention %q, %k, %v mask keys(%m) layout(bsm) heads(4) kv_heads(4) head_dim(8) v_head_dim(8)
          scale(0.35355339059327373)
           : ({value}, {value}, {value}, {mask}) -> {value}
      %2 = rlx.matmul %a, %o : ({value}, tensor<32x32xf32>) -> {value}
      %3 = rlx.binary add %2, %ob : ({value}, tensor<32xf32>) -> {value}
      func.return %3 : {value}
    }}"""


@pytest.mark.parametrize("compat", [False, True])
def test_attention_block_of_one_short_row(compat: bool):
    module = parse(attention(1, 4))
    apply(module, FuseMatMulBiasActPass())
    assert names(module).count("rlx.fused_matmul_bias_act") == 2
    apply(module, FuseAttentionBlockPass(compat_attention_block=compat))
    assert names(module) == ["rlx.fused_attention_block"]


@pytest.mark.parametrize("compat", [False, True])
def test_no_attention_block_for_long_rows(compat: bool):
    module, misses = run(
        attention(16, 128), FuseMatMulBiasActPass(), FuseAttentionBlockPass(compat_attention_block=compat)
    )
    assert "rlx.fused_attention_block" not in names(module)
    assert "RLX-F021 too-large" in [str(miss.reason) for miss in misses]


def test_encoder():
    """12 products with bias, 2 with gelu, 2 attentions, 4 residual norms; packed: 2 blocks, 4 products."""
    module, _ = run(encoder(2), *PIPELINE)
    assert sorted(set(names(module))) == ["rlx.attention", "rlx.fused_matmul_bias_act", "rlx.fused_residual_ln"]
    assert [names(module).count(f"rlx.{op}") for op in ("fused_matmul_bias_act", "attention", "fused_residual_ln")] == [
        12,
        2,
        4,
    ]

    packed, _ = run(encoder(2), *PIPELINE[:2], PackAttentionProjectionsPass(), *PIPELINE[2:])
    counts = [
        names(packed).count(f"rlx.{op}")
        for op in ("fused_attention_block", "fused_matmul_bias_act", "fused_residual_ln")
    ]
    assert counts == [2, 4, 4]


def test_dead_code_elimination():
    text = """
    func.func @f(%x: tensor<4xf32> {rlx.input = "x"}, %u: tensor<4xf32> {rlx.param = "u"}) -> tensor<4xf32> {
      %0 = rlx.activation exp %x : tensor<4xf32>
      %1 = rlx.activation neg %0 : tensor<4xf32>
      func.return %1 : tensor<4xf32>
    }"""
    kept, dropped = parse(text), parse(text)
    apply(kept, DeadCodeEliminationPass())
    apply(dropped, DeadCodeEliminationPass(compat_signatures=True))
    assert (count(parse(text))["nodes"], count(kept)["nodes"], count(dropped)["nodes"]) == (4, 4, 3)
