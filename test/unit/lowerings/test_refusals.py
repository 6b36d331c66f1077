"""A refused program is left as it was, and the message says which op, where, and what to do."""

from io import StringIO

import pytest
from programs import parse
from tools import need_program
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass
from xdsl.printer import Printer

import rlx_passes
from rlx_dialect.ops import FmaOp
from rlx_passes.codegen.emit import EmitPass
from rlx_passes.core.errors import CodegenError, Refusal
from rlx_passes.lowerings.convert_rlx_to_gpu import ConvertRlxToGpuPass
from rlx_passes.lowerings.convert_rlx_to_stablehlo import ConvertRLXToStableHLOPass
from rlx_passes.lowerings.forms import GPU_KERNELS, LINALG, LoweringPass, advice, lowering_passes
from rlx_passes.lowerings.to_gpu import convert
from rlx_passes.lowerings.to_linalg import ConvertRlxToLinalgPass
from rlx_passes.lowerings.to_mlx.convert import ConvertRlxToMlxPass
from rlx_passes.pipeline.target import builtin_targets

FIRST = """
func.func @first(%x: tensor<4x4xf32> {rlx.input = "x"}) -> tensor<4x4xf32> {
  %0 = rlx.activation gelu %x : tensor<4x4xf32>
  func.return %0 : tensor<4x4xf32>
}
func.func @last(%x: tensor<4x4xf32> {rlx.input = "x"}) -> tensor<4x4xf32> {
  %0 = rlx.fused_swiglu %x : tensor<4x4xf32> -> tensor<4x2xf32>
  %1 = rlx.binary add %x, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
"""
SINGULAR = FIRST + "  %2 = rlx.svd vt %1 : tensor<4x4xf32> -> tensor<4x4xf32>\n  func.return %2 : tensor<4x4xf32>\n}"
"""No target has a form of the last op."""
FMA = (
    FIRST
    + """
  %2 = rlx.fma %1, %1, %1 : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  func.return %2 : tensor<4x4xf32>
}"""
)

COMPLEX = """
func.func @last() -> tensor<2xcomplex<f32>> {
  %0 = rlx.full 0.25 : tensor<2xcomplex<f32>>
  func.return %0 : tensor<2xcomplex<f32>>
}"""

TOLD = """
func.func @last(%x: tensor<1x3xf32>, %n: tensor<i64>, %c: tensor<2xcomplex<f32>>) -> tensor<?x3xf32> {
  %0 = tensor.extract %n[] : tensor<i64>
  %1 = arith.index_cast %0 : i64 to index
  %2 = rlx.expand %x sizes(%1) : tensor<1x3xf32> -> tensor<?x3xf32>
  %3 = rlx.activation exp %c : tensor<2xcomplex<f32>>
  func.return %2 : tensor<?x3xf32>
}"""
INDEX = """
func.func @last(%x: tensor<1x3xf32>, %n: index) -> tensor<?x3xf32> {
  %0 = rlx.expand %x sizes(%n) : tensor<1x3xf32> -> tensor<?x3xf32>
  func.return %0 : tensor<?x3xf32>
}"""


@pytest.fixture
def _no_complex_buffers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels of a target that holds no complex numbers: something that cpu takes and GPUs do not."""

    def check(function: FuncOp) -> None:
        if "complex" in str(function):
            raise Refusal("no buffer there holds complex<f32>")

    monkeypatch.setattr(convert, "check_holdable", check)


def text_of(module: ModuleOp) -> str:
    stream = StringIO()
    Printer(stream=stream, print_debuginfo=True).print_op(module)
    return stream.getvalue()


def refused(pass_: ModulePass, text: str) -> Refusal:
    """What a pass says of a program, which stays the same to the byte."""
    module = parse(text)
    before = text_of(module)
    with pytest.raises(Refusal) as caught:
        pass_.apply(Context(), module)
    assert text_of(module) == before
    module.verify()
    return caught.value


@pytest.mark.parametrize("cls", [ConvertRlxToLinalgPass, ConvertRLXToStableHLOPass, ConvertRlxToMlxPass])
def test_an_op_that_no_target_has_a_form_of(cls: type[LoweringPass]):
    message = str(refused(cls(), SINGULAR))
    assert message == (
        f"'rlx.svd' in @last has no form in {cls.form}; no other target has a form of it: write it in other "
        "ops, or run the "
        "program by the reference (rlx-run)"
    )


def test_targets_that_have_a_form_are_named():
    fma = next(op for op in parse(FMA).walk() if isinstance(op, FmaOp))
    refusing = (ConvertRlxToMlxPass.form, LINALG, GPU_KERNELS)
    assert advice(refusing, fma) == "write it in other ops, or choose a target that has a rule for it (tpu)"


@pytest.mark.usefixtures("_no_complex_buffers")
def test_only_targets_that_take_the_program_are_named():
    """Of two ops that one lowering has no form of, the others may have none of the second."""
    need_program("mlir-opt-22", "mlir-opt")
    assert str(refused(ConvertRlxToGpuPass("wgpu"), COMPLEX)).endswith("a rule for it (cpu, mlx, tpu)")
    narrow = COMPLEX.replace("func.return", "%1 = rlx.full 0.5 : tensor<2xf8E4M3FN>\n  func.return")
    assert str(refused(ConvertRlxToGpuPass("wgpu"), narrow)).endswith("a rule for it (cpu, tpu)")


@pytest.mark.usefixtures("_no_complex_buffers")
@pytest.mark.parametrize(("text", "op"), [(SINGULAR, "svd"), (COMPLEX, "full")])
def test_what_has_no_kernels(text: str, op: str):
    """Also where another tool or its binding finds out: its words come below the line, and not many."""
    need_program("mlir-opt-22", "mlir-opt")
    refusal = refused(ConvertRlxToGpuPass("cuda"), text)
    line, *rest = str(refusal).splitlines()
    assert line.startswith(f"'rlx.{op}' in @last has no form in ")
    assert "; " in line
    assert len(rest) < 8


@pytest.mark.parametrize("target", builtin_targets())
def test_code_generation_finds_an_op_that_is_not_lowered(target: str):
    assert str(refused(EmitPass(target), SINGULAR)).startswith(
        "'rlx.activation' in @first is not lowered; rlx-emit takes "
    )


def test_what_a_compiler_refuses_stays_as_it_was():
    module = parse("func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n  func.return %x : tensor<4xf32>\n}")
    before = text_of(module)
    with pytest.raises(CodegenError, match="is no chip known for cuda"):
        EmitPass("cuda", chip="sm_1").apply(Context(), module)
    assert text_of(module) == before


def test_advice_names_no_target_without_a_rule():
    """Each lowering has a form of its own; what it lowers is what advice goes by."""
    assert set(lowering_passes()) == set(builtin_targets())
    assert len({cls.form for cls in lowering_passes().values()}) == 4


def test_an_index_of_the_caller_has_no_kernels():
    need_program("mlir-opt-22", "mlir-opt")
    message = str(refused(ConvertRlxToGpuPass("cuda"), INDEX))
    assert message == "@last takes or gives an index, which no entry does; make it an element of a tensor<i64>"


@pytest.mark.usefixtures("_no_complex_buffers")
def test_an_op_with_a_size_of_run_time_is_not_blamed_for_another():
    """Alone it gets its index as the program does: from a tensor."""
    need_program("mlir-opt-22", "mlir-opt")
    message = str(refused(ConvertRlxToGpuPass("cuda"), TOLD))
    assert message.startswith(
        "'rlx.activation' in @last has no form in GPU kernels: no buffer there holds complex<f32>"
    )


@pytest.mark.parametrize("target", builtin_targets())
@pytest.mark.parametrize(
    ("type", "advice"),
    [
        ("index", "make it a tensor of i64"),
        ("tensor<2xindex>", "make it a tensor of i64"),
        ("tensor<2xcomplex<f64>>", "cast it to a dtype of the dialect"),
    ],
)
def test_what_no_entry_takes_or_gives(type: str, advice: str, target: str):
    """The same words on every target."""
    taken = f'func.func @main(%n: {type} {{rlx.input = "n"}}) {{\n  func.return\n}}'
    with pytest.raises(Refusal) as caught:
        rlx_passes.compile(taken, target, origin="rlx")
    assert str(caught.value) == f"@main takes 'n' of type {type}, which no entry does; {advice}"


def test_an_index_that_is_given():
    text = """
    func.func @main(%x: tensor<?x3xf32>) -> index {
      %c = arith.constant 0 : index
      %0 = tensor.dim %x, %c : tensor<?x3xf32>
      func.return %0 : index
    }"""
    with pytest.raises(Refusal, match=r"^@main gives 'out0' of type index, which no entry does; make it a tensor of"):
        rlx_passes.compile(text, "cpu", origin="rlx")
