"""Programs in text that several tests of the fusion passes start from."""

import numpy as np
from programs import check_uses, context, parse, random_inputs
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from rlx_dialect import reference
from rlx_dialect.signature import find_function
from rlx_dialect.xdsl_repairs import verify_dominance
from rlx_passes.expansion.lower_dot_general import LowerDotGeneralPass
from rlx_passes.fusion.fuse_attention_block import FuseAttentionBlockPass
from rlx_passes.fusion.fuse_matmul_bias_act import FuseMatMulBiasActPass
from rlx_passes.fusion.fuse_residual_ln import FuseResidualLNPass
from rlx_passes.rewriting.miss import MissRecord, collect_misses
from rlx_passes.simplify.dead_code_elimination import DeadCodeEliminationPass

PIPELINE: tuple[ModulePass, ...] = (
    LowerDotGeneralPass(),
    FuseMatMulBiasActPass(),
    FuseAttentionBlockPass(),
    FuseResidualLNPass(),
    DeadCodeEliminationPass(),
)
"""The passes of these tests in the order of the policy."""


def apply(module: ModuleOp, *passes: ModulePass) -> list[MissRecord]:
    """Run `passes` over `module`, verified after each, dominance included; the misses that came up."""
    with collect_misses() as misses:
        for pass_ in passes:
            pass_.apply(context(), module)
            module.verify()
            verify_dominance(module)
            check_uses(module)
    return misses


def run(text: str, *passes: ModulePass) -> tuple[ModuleOp, list[MissRecord]]:
    """The module of `text` after `passes`, and the misses."""
    module = parse(text)
    return module, apply(module, *passes)


def names(module: ModuleOp) -> list[str]:
    """The names of the ops in the functions of `module`, in order, without terminators."""
    skipped = {"builtin.module", "func.func", "func.return", "scf.yield"}
    return [op.name for op in module.walk() if op.name not in skipped]


def encoder(layers: int, *, width: int = 8, heads: int = 2, rows: str = "2x3", dtype: str = "f32") -> str:
    """
    A post-norm encoder of `layers` layers, 17 ops each: attention of three biased projections, a biased output
    projection, a residual norm, two biased products with gelu between, a residual norm.
    """
    value = f"tensor<{rows}x{width}x{dtype}>"
    square = f"tensor<{width}x{width}x{dtype}>"
    vector = f"tensor<{width}x{dtype}>"
    head = width // heads
    lines = [f"func.func @encoder(%h: {value}, %w: {square}, %b: {vector}, %g: {vector}) -> {value} {{"]
    count = 0

    def emit(text: str) -> str:
        nonlocal count
        count += 1
        lines.append(f"  %{count} = {text}")
        return f"%{count}"

    def dense(x: str) -> str:
        product = emit(f"rlx.matmul {x}, %w : ({value}, {square}) -> {value}")
        return emit(f"rlx.binary add {product}, %b : ({value}, {vector}) -> {value}")

    def residual_norm(x: str, residual: str) -> str:
        total = emit(f"rlx.binary add {x}, {residual} : ({value}, {value}) -> {value}")
        return emit(f"rlx.layer_norm {total}, %g, %b epsilon(1.0e-12) : ({value}, {vector}, {vector}) -> {value}")

    hidden = "%h"
    for _ in range(layers):
        query, key, content = dense(hidden), dense(hidden), dense(hidden)
        attended = emit(
            f"rlx.attention {query}, {key}, {content} layout(bsm) heads({heads}) kv_heads({heads}) head_dim({head}) "
            f"v_head_dim({head}) scale(0.5) : ({value}, {value}, {value}) -> {value}"
        )
        hidden = residual_norm(dense(attended), hidden)
        inner = emit(f"rlx.activation gelu {dense(hidden)} : {value}")
        hidden = residual_norm(dense(inner), hidden)
    return "\n".join([*lines, f"  func.return {hidden} : {value}", "}"])


def reasons(misses: list[MissRecord]) -> list[str]:
    return [str(miss.reason) for miss in misses]


def same_values(text: str, module: ModuleOp) -> None:
    """`module` computes what `text` does."""
    before = parse(text)
    inputs = random_inputs(find_function(before))
    wanted, got = reference.run(before, None, inputs), reference.run(module, None, inputs)
    assert wanted.keys() == got.keys()
    for name, value in wanted.items():
        np.testing.assert_allclose(got[name], value, rtol=1e-5, atol=1e-5, err_msg=name)
