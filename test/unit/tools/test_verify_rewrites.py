"""`--verify-rewrites` names the pass, the function and the rewrite that computes something else, and nothing else."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from programs import text_of
from xdsl.context import Context
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from rlx_dialect.attributes import BinaryKind
from rlx_dialect.constants import splat
from rlx_dialect.ops import BinaryOp, FusedMatMulBiasActOp, MatMulOp
from rlx_dialect.signature import find_function, keep_results
from rlx_dialect.xdsl_repairs import parse_module
from rlx_passes.core.numerics import tolerance_of_whole
from rlx_passes.fusion.fuse_matmul_bias_act import FuseMatMulBiasActPass
from rlx_passes.reading.diagnostics import DiagnosticError, Place
from rlx_passes.reading.dialects import tool_context
from rlx_passes.rewriting.legality import only_reader
from rlx_passes.rewriting.patterns import Fusion, FusionPattern, run_patterns
from rlx_passes.tools.instrument import Dumps, Instruments
from rlx_passes.tools.random_arguments import DRAWS, random_arguments
from rlx_passes.tools.running import Runner

LAYERS = """
func.func @other(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = rlx.binary sub %x, %y : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  func.return %0 : tensor<4x8xf32>
}
func.func @layers(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>, %b: tensor<8xf32>) -> (tensor<?x8xf32> {rlx.output = "y"}) {
  %0 = rlx.matmul %x, %w : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32> loc("net.py":1:1)
  %1 = rlx.binary add %0, %b : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  %2 = rlx.matmul %1, %w : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32> loc("net.py":2:1)
  %3 = rlx.binary sub %2, %b : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  %4 = rlx.matmul %3, %w : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32> loc("net.py":3:1)
  %5 = rlx.binary add %4, %b : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  func.return %5 : tensor<?x8xf32>
}
"""


@dataclass(frozen=True)
class CarelessBias(FusionPattern[MatMulOp]):
    """A bias whatever the kind of the binary op."""

    title = "careless_bias"
    roots = (MatMulOp,)

    def match(self, matmul: MatMulOp, /) -> Fusion:
        reader = only_reader(matmul.result, BinaryOp)
        return Fusion.of((matmul, reader), FusedMatMulBiasActOp(matmul.lhs, matmul.rhs, reader.rhs))


@dataclass(frozen=True)
class CarelessBiasPass(ModulePass):
    name = "careless-bias"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        run_patterns(op, (CarelessBias(),))


@dataclass(frozen=True)
class ScaledPass(ModulePass):
    """Multiplies the result of `@other` without any pattern, beside right rewrites."""

    name = "scaled"

    by: float = 2.0

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        FuseMatMulBiasActPass().apply(ctx, op)
        func = find_function(op, "other")
        (difference,) = (inner for inner in func.walk() if isinstance(inner, BinaryOp))
        factor = ConstantOp(splat(difference.result.type, self.by))
        again = BinaryOp(BinaryKind.SUB, difference.lhs, difference.rhs)
        product = BinaryOp(BinaryKind.MUL, again.result, factor.result)
        Rewriter.replace_op(difference, [again, factor, product], [product.result])


@dataclass(frozen=True)
class LosingPass(ModulePass):
    """Drops the result of a function, or the function."""

    name = "losing"

    function: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        func = find_function(op, "layers")
        if self.function:
            func.detach()
            func.erase()
        else:
            keep_results(func, [])


def check(text: str, *passes: ModulePass) -> ModuleOp:
    """The program after `passes`, each of them held against the reference."""
    context = tool_context()
    module = parse_module(context, text)
    steps: Sequence[tuple[ModulePass, Sequence[ModulePass]]] = [(pass_, (pass_,)) for pass_ in passes]
    Runner(steps, Instruments(Dumps(), str), verify_rewrites=True).run(context, module)
    return module


def test_right_passes_are_quiet(capsys: pytest.CaptureFixture[str]):
    module = check(LAYERS, FuseMatMulBiasActPass(), ScaledPass(by=1.0))
    assert text_of(module).count("rlx.fused_matmul_bias_act") == 2
    assert capsys.readouterr() == ("", "")


def test_k53_the_wrong_rewrite_of_a_pass_is_named_with_its_place():
    with pytest.raises(DiagnosticError) as caught:
        check(LAYERS, FuseMatMulBiasActPass(), CarelessBiasPass())
    (found,) = caught.value.diagnostics
    assert found.place == Place("net.py", 2, 1)
    assert found.message.startswith(
        "pass 'careless-bias' changes what @layers computes, "
        "by rewrite careless_bias at 'rlx.matmul': result 'y': 24 of 24"
    )


def test_the_first_wrong_rewrite_of_several_is_named():
    text = LAYERS.replace("binary add %4", "binary mul %4")
    with pytest.raises(DiagnosticError) as caught:
        check(text, CarelessBiasPass())
    assert caught.value.diagnostics[0].place == Place("net.py", 2, 1)


def test_a_change_outside_of_patterns_names_no_rewrite():
    with pytest.raises(DiagnosticError) as caught:
        check(LAYERS, ScaledPass())
    (found,) = caught.value.diagnostics
    assert found.place is None
    assert found.message.startswith(
        "pass 'scaled' changes what @other computes: result 'out0': 32 of 32 elements differ"
    )


@pytest.mark.parametrize(("by", "near"), [(1 + 1e-6, True), (1 + 1e-4, False)])
def test_rounding_is_no_difference(by: float, near: bool):
    if near:
        check(LAYERS, ScaledPass(by))
        return
    with pytest.raises(DiagnosticError, match="pass 'scaled'"):
        check(LAYERS, ScaledPass(by))


@pytest.mark.parametrize(
    ("function", "message"),
    [(False, "result 'y' is gone"), (True, "no function @layers; functions in the module: @other")],
)
def test_what_is_lost_is_named(function: bool, message: str):
    with pytest.raises(DiagnosticError) as caught:
        check(LAYERS, LosingPass(function))
    assert str(caught.value) == f"pass 'losing' changes what @layers computes: {message}"


def test_a_program_without_arguments_that_fit_is_skipped(capsys: pytest.CaptureFixture[str]):
    check(
        """
    func.func @far(%t: tensor<4xf32>) -> tensor<1xf32> {
      %i = arith.constant dense<9> : tensor<1xi32>
      %0 = rlx.gather %t, %i axis(0) : (tensor<4xf32>, tensor<1xi32>) -> tensor<1xf32>
      func.return %0 : tensor<1xf32>
    }""",
        FuseMatMulBiasActPass(),
        FuseMatMulBiasActPass(),
    )
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("rlx-opt: remark: @far is not compared before pass 'rlx-fuse-matmul-bias-act': ")


def test_sizes_of_one_name_are_one_number_and_others_are_tried_apart():
    module = parse_module(
        tool_context(),
        """
    func.func @f(%x: tensor<?x?xf32> {rlx.dims = ["n", "m"]}, %y: tensor<?x5xi8> {rlx.dims = ["n", 5]}, %n: index)
        -> index {
      func.return %n : index
    }""",
    )
    (func,) = (op for op in module.ops if isinstance(op, FuncOp))
    tried = [
        (*arguments["arg0"].shape, *arguments["arg1"].shape, arguments["arg2"])
        for arguments in random_arguments(func, DRAWS[0][0])
    ]
    assert len(tried) == len(set(tried)) == 8
    assert tried[0] == (3, 3, 3, 5, 3)
    assert all(n == again for n, _, again, *_ in tried)
    assert {each[:2] for each in tried} == {(3, 3), (3, 5), (5, 3), (5, 5)}


def test_small_numbers_beside_large_ones_may_be_off_by_more():
    assert tolerance_of_whole(np.zeros(0, np.float32)).absolute == 1e-5
    wide = tolerance_of_whole(np.array([1e3, -2e3, np.inf, np.nan], np.float32))
    assert (wide.relative, wide.absolute) == (1e-5, 2e-2)
