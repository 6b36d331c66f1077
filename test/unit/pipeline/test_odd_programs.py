"""Programs that no fusion is made for go through every pipeline, and lose nothing."""

import pytest
from programs import context, parse
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from rlx_dialect.xdsl_repairs import verify_dominance
from rlx_passes import Fuse, FusionReport
from rlx_passes.pipeline.target import builtin_targets

X, W, B = "tensor<4x8xf32>", "tensor<8x8xf32>", "tensor<8xf32>"

BLOCKS = f"""
func.func @f(%c: i1, %x: {X}, %w: {W}, %b: {B}) -> {X} {{
  %0 = rlx.matmul %x, %w : ({X}, {W}) -> {X}
  "cf.cond_br"(%c, %0)[^bb1, ^bb2] <{{operandSegmentSizes = array<i32: 1, 0, 1>}}> : (i1, {X}) -> ()
^bb1:
  %1 = rlx.binary add %0, %b : ({X}, {B}) -> {X}
  func.return %1 : {X}
^bb2(%2: {X}):
  %3 = rlx.binary add %2, %b : ({X}, {B}) -> {X}
  func.return %3 : {X}
}}"""

RECURSIVE = f"""
func.func @f(%x: {X}) -> {X} {{
  %0 = rlx.activation exp %x : {X}
  %1 = func.call @g(%0) : ({X}) -> {X}
  func.return %1 : {X}
}}
func.func private @g(%x: {X}) -> {X} {{
  %0 = func.call @f(%x) : ({X}) -> {X}
  func.return %0 : {X}
}}"""

FOREIGN = f"""
func.func @f(%x: {X}, %w: {W}, %b: {B}) -> {X} {{
  %0 = rlx.matmul %x, %w : ({X}, {W}) -> {X}
  %1 = "acme.stamp"(%0) : ({X}) -> {X}
  %2 = rlx.binary add %1, %b : ({X}, {B}) -> {X}
  "acme.log"(%2) : ({X}) -> ()
  func.return %2 : {X}
}}"""

DECLARED = f"func.func private @f({X}) -> {X}"


def fused(text: str, target: str) -> tuple[ModuleOp, FusionReport]:
    module, report = Fuse(target).run_with_report(parse(text), context())
    module.verify()
    verify_dominance(module)
    return module, report


@pytest.mark.parametrize("target", builtin_targets())
def test_several_blocks(target: str):
    """A product is not joined with a sum in another block, and the miss says so."""
    module, report = fused(BLOCKS, target)
    assert str(module) == str(parse(BLOCKS))
    assert {str(miss.reason) for miss in report.misses if miss.pattern == "matmul_bias_act"} <= {
        "RLX-F002 multi-use",
        "RLX-F003 returned",
        "RLX-F004 other-block",
    }
    assert report.missed_of("matmul_bias_act") == 1


@pytest.mark.parametrize("target", builtin_targets())
@pytest.mark.parametrize("text", [RECURSIVE, DECLARED], ids=["recursive calls", "declaration"])
def test_functions_stay(text: str, target: str):
    module, _ = fused(text, target)
    functions = [op.sym_name.data for op in module.walk() if isinstance(op, FuncOp)]
    assert functions == [op.sym_name.data for op in parse(text).walk() if isinstance(op, FuncOp)]
    assert str(module) == str(parse(text))


@pytest.mark.parametrize("target", builtin_targets())
def test_foreign_ops_between(target: str):
    module, report = fused(FOREIGN, target)
    assert str(module) == str(parse(FOREIGN))
    (miss,) = [miss for miss in report.misses if miss.pattern == "matmul_bias_act"]
    assert str(miss.reason) == "RLX-F005 not-consumed-by"
