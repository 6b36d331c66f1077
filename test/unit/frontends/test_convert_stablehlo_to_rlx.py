"""Imported programs, run by the reference, give the answers that were recorded for them."""

import importlib
import json
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tools import need_module, sampled
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.printer import Printer

from rlx_dialect.reference import run
from rlx_dialect.signature import INPUT, PARAM, arguments_of, find_function, results_of
from rlx_dialect.xdsl_repairs import parse_module, verify_dominance
from rlx_passes.core.errors import PipelineError
from rlx_passes.core.printing import generic_text
from rlx_passes.frontends.stablehlo.convert_stablehlo_to_rlx import ConvertStableHLOToRLXPass, listen
from rlx_passes.lowerings.convert_rlx_to_stablehlo import ConvertRLXToStableHLOPass
from rlx_passes.reading.dialects import tool_context

MODELS = Path(__file__).parents[2] / "models"
NAMES = sorted(path.name.partition(".")[0] for path in MODELS.glob("*.generic.mlir"))
FORMS = ("", ".generic")
"""The text that JAX prints, and the generic one."""


def read(name: str, form: str = ".generic") -> ModuleOp:
    return parse_module(tool_context(), (MODELS / f"{name}{form}.mlir").read_text(), name)


def arrays(name: str, prefix: str) -> list[NDArray[Any]]:
    with np.load(MODELS / f"{name}.npz") as stored:
        count = sum(key.removeprefix(prefix).isdigit() for key in stored.files)
        return [stored[f"{prefix}{i}"] for i in range(count)]


def stablehlo_ops(module: ModuleOp) -> list[str]:
    return [op.name for op in module.walk() if op.name.startswith(("stablehlo.", "chlo."))]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", NAMES)
def test_import_is_complete_and_right(name: str, form: str):
    module = read(name, form)
    ConvertStableHLOToRLXPass().apply(tool_context(), module)
    module.verify()
    verify_dominance(module)
    assert stablehlo_ops(module) == []
    for got, wanted in zip(run(module, None, arrays(name, "arg_")).values(), arrays(name, "out_"), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-5)


@sampled(3)
@pytest.mark.parametrize("name", NAMES)
def test_there_and_back(name: str):
    """What was imported and exported again gives the answers on XLA, ops that have no RLX kind included."""
    need_module("jax")
    from rlx_passes.runtime.xla import XlaFunction

    module = read(name)
    ConvertStableHLOToRLXPass().apply(tool_context(), module)
    ConvertRLXToStableHLOPass().apply(tool_context(), module)
    module.verify()
    for got, wanted in zip(
        XlaFunction(generic_text(module), name)(arrays(name, "arg_")), arrays(name, "out_"), strict=True
    ):
        np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-5)


def test_roles_and_names():
    module = read("bert")
    ConvertStableHLOToRLXPass(params=("3-",)).apply(tool_context(), module)
    bindings = arguments_of(find_function(module))
    assert [binding.role for binding in bindings] == [INPUT] * 3 + [PARAM] * 34
    assert [binding.name for binding in bindings] == [f"arg{i}" for i in range(37)]
    function = find_function(module)
    assert [binding.name for binding in results_of(function)] == ["out0"]
    assert function.res_attrs is not None
    assert "jax.result_info" in function.res_attrs.data[0].data


def roles(**options: tuple[str, ...]) -> list[tuple[str, str]]:
    module = parse_module(tool_context(), TWO)
    ConvertStableHLOToRLXPass(**options).apply(tool_context(), module)
    return [(binding.role, binding.name) for binding in arguments_of(find_function(module))]


def test_inputs_named_make_all_others_params():
    assert roles(inputs=("x",), names=("x", "w")) == [(INPUT, "x"), (PARAM, "w")]
    assert roles(inputs=("1",)) == [(PARAM, "arg0"), (INPUT, "arg1")]
    assert roles(inputs=("0",), params=("1-",)) == [(INPUT, "arg0"), (PARAM, "arg1")]
    assert roles() == [(INPUT, "arg0"), (INPUT, "arg1")]


def test_names_from_files(tmp_path: Path):
    for file, content in (("list.json", ["x", "w"]), ("object.json", {"arg_names": ["x", "w"]})):
        (tmp_path / file).write_text(json.dumps(content))
    np.savez(tmp_path / "arrays.npz", arg_names=np.array(["x", "w"]), arg_0=np.zeros(2))
    for file in ("list.json", "object.json", "arrays.npz"):
        assert roles(inputs=("x",), names=(str(tmp_path / file),)) == [(INPUT, "x"), (PARAM, "w")]


def test_names_of_the_recorded_programs():
    module = read("bert")
    ConvertStableHLOToRLXPass(inputs=("x", "pos", "keep"), names=(str(MODELS / "bert.npz"),)).apply(
        tool_context(), module
    )
    bindings = arguments_of(find_function(module))
    assert [binding.name for binding in bindings if binding.role == INPUT] == ["x", "pos", "keep"]
    assert len(bindings) == 37


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("absent.json", None, r"absent.json: cannot be read: No such file"),
        ("broken.json", b"[1,", r"broken.json: Expecting value"),
        ("numbers.json", b"[1, 2]", r"numbers.json: holds no list of names, nor one called 'arg_names'"),
        ("other.json", b"{}", r"other.json: holds no list of names"),
        ("broken.npz", b"PK no zip", r"broken.npz: "),
    ],
)
def test_files_without_names(tmp_path: Path, file: str, content: bytes | None, message: str):
    if content is not None:
        (tmp_path / file).write_bytes(content)
    with pytest.raises(PipelineError, match=message) as found:
        roles(names=(str(tmp_path / file),))
    assert "\n" not in str(found.value)


def test_a_npz_without_names(tmp_path: Path):
    np.savez(tmp_path / "arrays.npz", arg_0=np.zeros(2))
    with pytest.raises(PipelineError, match=r"arrays.npz: holds no list of names"):
        roles(names=(str(tmp_path / "arrays.npz"),))


@pytest.mark.parametrize(
    ("params", "inputs", "message"),
    [
        (("0-",), ("0",), r"options 'params' and 'inputs' both list 'arg0' of @main"),
        (("0",), ("0-1",), r"options 'params' and 'inputs' both list 'arg0' of @main"),
        ((), ("y",), r"option 'inputs': @main has no argument 'y'"),
        ((), ("2",), r"option 'inputs': '2' is outside of the 2 arguments of @main"),
    ],
)
def test_inputs_that_do_not_fit(params: tuple[str, ...], inputs: tuple[str, ...], message: str):
    with pytest.raises(PipelineError, match=message):
        roles(params=params, inputs=inputs)


def test_params_and_inputs_leave_nothing_out():
    text = TWO.replace("%b: tensor<2xf32>", "%b: tensor<2xf32>, %c: tensor<2xf32>")
    module = parse_module(tool_context(), text)
    with pytest.raises(PipelineError, match=r"neither option 'params' nor 'inputs' lists 'arg2' of @main"):
        ConvertStableHLOToRLXPass(params=("0",), inputs=("1",)).apply(tool_context(), module)


TWO = """
func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
  func.return %a : tensor<2xf32>
}
"""


@pytest.mark.parametrize(
    ("params", "names", "message"),
    [
        (("w",), ("x", "weight"), r"has no argument 'w'"),
        (("wieght",), ("x", "weight"), r"did you mean 'weight'\?"),
        (("2-",), (), r"'2-' is outside of the 2 arguments of @main"),
        (("1-0",), (), r"'1-0' is outside"),
        ((), ("x",), r"lists 1 names; @main takes 2 arguments"),
        ((), ("x", "x"), r"lists 'x' twice"),
    ],
)
def test_options_that_do_not_fit(params: tuple[str, ...], names: tuple[str, ...], message: str):
    module = parse_module(tool_context(), TWO)
    with pytest.raises(PipelineError, match=message):
        ConvertStableHLOToRLXPass(params, names).apply(tool_context(), module)


def test_importing_twice_changes_nothing():
    module = read("llama")
    ConvertStableHLOToRLXPass(params=("3-5",)).apply(tool_context(), module)
    once = generic_text(module)
    ConvertStableHLOToRLXPass().apply(tool_context(), module)
    assert generic_text(module) == once


def test_listener_hears_what_stays():
    text = """
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = chlo.bessel_i1e %x : tensor<4xf32> -> tensor<4xf32>
      %1 = stablehlo.add %0, %x : tensor<4xf32>
      return %1 : tensor<4xf32>
    }"""
    heard: list[tuple[str, str]] = []

    def hear(op: Operation, reason: str) -> None:
        heard.append((op.name, reason))

    module = parse_module(tool_context(), text)
    with listen(hear):
        ConvertStableHLOToRLXPass().apply(tool_context(), module)
    assert heard == [("chlo.bessel_i1e", "is a function that RLX has no kind for")]
    assert stablehlo_ops(module) == ["chlo.bessel_i1e"]


def test_fused_ops_survive_export_and_import():
    text = """
    func.func @main(%x: tensor<2x3x8xf32>, %w: tensor<8x12xf32>, %w2: tensor<4x8xf32>, %m: tensor<2x3xi1>)
        -> tensor<2x3x8xf32> {
      %0 = rlx.fused_attention_block %x, %w, %w2 mask keys(%m : tensor<2x3xi1>)
           heads(2) kv_heads(2) head_dim(2) v_head_dim(2) scale(0.5)
           : (tensor<2x3x8xf32>, tensor<8x12xf32>, tensor<4x8xf32>) -> tensor<2x3x8xf32>
      func.return %0 : tensor<2x3x8xf32>
    }"""
    module = parse_module(tool_context(), text)
    ConvertStableHLOToRLXPass().apply(tool_context(), module)
    before = generic_text(module)
    ConvertRLXToStableHLOPass().apply(tool_context(), module)
    assert "stablehlo.composite" in generic_text(module)
    again = parse_module(tool_context(), generic_text(module))
    ConvertStableHLOToRLXPass().apply(tool_context(), again)
    assert generic_text(again) == before


def test_a_changed_composite_is_inlined():
    """A composite whose attributes make no op of that name is taken at its decomposition's word."""
    text = """
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = "stablehlo.composite"(%x) <{composite_attributes = {}, decomposition = @d, name = "rlx.softmax",
          version = 0 : i32}>
           : (tensor<4xf32>) -> tensor<4xf32>
      %1 = "stablehlo.composite"(%0) <{composite_attributes = {later = 1
          : i64}, decomposition = @d, name = "rlx.softmax", version = 0 : i32}>
           : (tensor<4xf32>) -> tensor<4xf32>
      func.return %1 : tensor<4xf32>
    }
    func.func private @d(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = "stablehlo.negate"(%x) : (tensor<4xf32>) -> tensor<4xf32>
      func.return %0 : tensor<4xf32>
    }"""
    module = parse_module(tool_context(), text)
    ConvertStableHLOToRLXPass().apply(tool_context(), module)
    ops = [op.name for op in find_function(module).body.block.ops]
    assert ops == ["rlx.softmax", "rlx.activation", "func.return"]


JAX_PROGRAMS = [
    "doubling",
    "running",
    "branches",
    "spectrum",
    "take",
    "order",
    "windows",
    "integers",
    "bits",
    "functions",
    "gradient",
    "convolutions",
]
"""Those of `jax_programs`, which imports JAX."""


@sampled(3)
@pytest.mark.parametrize("name", JAX_PROGRAMS)
def test_what_jax_prints(name: str):
    """Text of `jax.jit(f).lower(...)` as it comes, imported and exported again, gives what JAX gives."""
    need_module("jax")
    from rlx_passes.runtime.xla import XlaFunction

    programs: Any = importlib.import_module("jax_programs")
    assert [program.__name__ for program in programs.PROGRAMS] == JAX_PROGRAMS
    jitted = programs.jax.jit(getattr(programs, name), keep_unused=True)
    x = np.random.default_rng(3).standard_normal((4, 8)).astype(np.float32)
    inputs = (x, np.array([1, 2, 0], np.int32))
    module = parse_module(tool_context(), jitted.lower(*inputs).as_text())
    ConvertStableHLOToRLXPass().apply(tool_context(), module)
    module.verify()
    ConvertRLXToStableHLOPass().apply(tool_context(), module)
    stream = StringIO()
    Printer(stream=stream).print_op(module)
    expected = programs.jax.tree.leaves(jitted(*inputs))
    for got, wanted in zip(XlaFunction(stream.getvalue(), name)(inputs), expected, strict=True):
        np.testing.assert_allclose(got, np.asarray(wanted), rtol=1e-5, atol=1e-5)
