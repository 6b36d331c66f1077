"""Every op lowered to linalg: accepted by mlir-opt, compiled and run, compared with the reference."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from cases import CASES
from programs import parse, random_inputs
from tools import ALL, need_module, need_program, shared
from xdsl.dialects.builtin import ModuleOp, StringAttr, TensorType, i1
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation

from rlx_dialect.ops import BinaryOp
from rlx_dialect.reference import run
from rlx_dialect.shapes import shaped
from rlx_dialect.signature import find_function
from rlx_passes.bundle.folder import write_bundle
from rlx_passes.codegen.emit import generator
from rlx_passes.core.errors import Refusal
from rlx_passes.core.numerics import difference
from rlx_passes.core.printing import generic_text
from rlx_passes.core.toolchain import mlir_opt
from rlx_passes.lowerings.to_linalg import ConvertRlxToLinalgPass, lower_to_linalg
from rlx_passes.lowerings.to_linalg.convert import BoolStorage
from rlx_passes.runtime.program import load_bundle

DIALECT = Path(__file__).parents[2] / "filecheck" / "dialect"
SHARE = 15
"""Of as many cases one is compiled for the cpu in every run."""

LOOPS = (
    "func.func(linalg-generalize-named-ops,linalg-fuse-elementwise-ops,canonicalize,cse),"
    "one-shot-bufferize{bufferize-function-boundaries},func.func(convert-linalg-to-parallel-loops),canonicalize"
)


@cache
def lowered(bool_storage: BoolStorage = "i1", every: int = 1) -> ModuleOp:
    """All cases, or each `every`th, in one lowered module, which no test may change."""
    module = parse("".join(case.text for case in list(CASES.values())[::every]))
    lower_to_linalg(module, bool_storage=bool_storage)
    module.verify()
    return module


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The cases that are run, compiled once."""
    need_module("llvmlite")
    path = tmp_path_factory.mktemp("linalg") / "bundle"
    write_bundle(path, generator("cpu")(lowered(every=1 if ALL else SHARE).clone()))
    return path


@pytest.mark.parametrize("name", shared(CASES, SHARE))
def test_compiled_code_agrees_with_the_reference(name: str, bundle: Path):
    case = CASES[name]
    inputs = case.inputs(name)
    expected = run(parse(case.text), name, inputs)
    actual = load_bundle(bundle, name)(inputs)
    wrong = {output: difference(actual[output], value) for output, value in expected.items()}
    assert not any(wrong.values()), {output: text for output, text in wrong.items() if text}


@pytest.mark.parametrize("file", ["fused_attention", "fused_norm", "group_norms", "position"])
def test_ops_that_go_through_their_decomposition(file: str, tmp_path: Path):
    """Every function of the dialect's lit files; two open sizes of `kv_append` are equal, unlike in random inputs."""
    need_module("llvmlite")
    text = (DIALECT / f"{file}.mlir").read_text()
    for i, part in enumerate(text.split("// -----")):
        module = parse(part)
        compiled = module.clone()
        lower_to_linalg(compiled)
        write_bundle(tmp_path / str(i), generator("cpu")(compiled))
        for function in module.ops:
            if not isinstance(function, FuncOp) or (name := function.sym_name.data) == "kv_append":
                continue
            inputs = random_inputs(function)
            actual = load_bundle(tmp_path / str(i), name)(inputs)
            for output, expected in run(module, name, inputs).items():
                assert difference(actual[output], expected) is None, (name, output)


@pytest.mark.parametrize("bool_storage", ["i1", "i32"])
def test_mlir_opt_takes_every_op(bool_storage: BoolStorage):
    need_program("mlir-opt-22", "mlir-opt")
    assert "scf.parallel" in mlir_opt(generic_text(lowered(bool_storage)), LOOPS)


def test_truth_values_are_stored_as_asked():
    for op in lowered("i32").walk():
        for value in (*op.operands, *op.results):
            type: Attribute = value.type
            assert not isinstance(type, TensorType) or shaped(value).element != i1, str(op)
    function = find_function(lowered("i32"), "truth")
    assert function.arg_attrs is not None
    assert str(function.arg_attrs).count('rlx.dtype = "i1"') == 2


def test_nothing_of_rlx_is_left():
    assert not [op.name for op in lowered("i1").walk() if op.name.startswith("rlx.")]


def test_signature_and_attributes_stay():
    module = parse(
        """
        func.func @f(%x: tensor<2xf32> {rlx.input = "x"}, %w: tensor<2xui8> {rlx.param = "w"})
            -> (tensor<2xf32> {rlx.output = "y"})
            attributes {rlx.prepare = @g} {
          func.return %x : tensor<2xf32>
        }
        """
    )
    lower_to_linalg(module)
    function = find_function(module, "f")
    assert str(function.function_type) == "(tensor<2xf32>, tensor<2xi8>) -> tensor<2xf32>"
    assert function.arg_attrs is not None
    assert [sorted(each.data) for each in function.arg_attrs] == [["rlx.input"], ["rlx.dtype", "rlx.param"]]
    assert "rlx.prepare" in function.attributes


def test_an_op_that_cannot_be_lowered_is_named():
    module = parse('func.func @f(%x: tensor<2xf32>) {\n "nowhere.op"(%x) : (tensor<2xf32>) -> ()\n func.return }')
    with pytest.raises(
        Refusal, match=r"'nowhere.op' in @f has no form in linalg; turn it into rlx ops first"
    ) as caught:
        lower_to_linalg(module)
    assert isinstance(caught.value.op, Operation)
    assert caught.value.op.parent_op() is find_function(module, "f")


def test_a_type_without_arithmetic_is_named():
    module = parse(
        """
        func.func @f(%x: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
          %y = rlx.binary add %x, %x : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
          func.return %y : tensor<2xcomplex<f32>>
        }
        """
    )
    (op,) = (op for op in module.walk() if isinstance(op, BinaryOp))
    op.kind = StringAttr("max")  # which the verifier refuses: a pass that made it is found out here
    with pytest.raises(Refusal, match=r"'rlx.binary' in @f has no form in linalg: complex<f32> has no order"):
        lower_to_linalg(module)


def test_structured_control_flow_keeps_its_regions():
    module = parse(
        """
        func.func @f(%c: i1, %x: tensor<2xf32>) -> tensor<2xf32> {
          %y = scf.if %c -> (tensor<2xf32>) {
            %a = rlx.activation neg %x : tensor<2xf32>
            scf.yield %a : tensor<2xf32>
          } else {
            scf.yield %x : tensor<2xf32>
          }
          func.return %y : tensor<2xf32>
        }
        """
    )
    lower_to_linalg(module)
    module.verify()
    assert "arith.negf" in str(module)


def test_the_pass_has_the_name_that_targets_use():
    assert str(ConvertRlxToLinalgPass("i32").pipeline_pass_spec()) == 'convert-rlx-to-linalg{bool_storage="i32"}'
