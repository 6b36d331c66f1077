"""MLX programs against the reference: every op and kind, the generated source, and the errors a user sees."""

import sys
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from mlx_cases import all_functions, function, one
from numpy.typing import NDArray
from tolerances import agree
from tools import ALL, need_module, shared
from xdsl.context import Context
from xdsl.dialects.arith import Arith
from xdsl.dialects.builtin import Builtin, ModuleOp, TensorType
from xdsl.dialects.func import Func, FuncOp
from xdsl.dialects.tensor import Tensor
from xdsl.ir import Attribute

from rlx_dialect import RLX
from rlx_dialect.dtypes import numpy_dtype
from rlx_dialect.formulas import FUNCTIONS
from rlx_dialect.reference import run
from rlx_dialect.shapes import DYNAMIC, of_type
from rlx_dialect.signature import arguments_of
from rlx_dialect.xdsl_repairs import parse_module
from rlx_passes.bundle.folder import Bundle, read_bundle, write_bundle
from rlx_passes.codegen import mlx_control, mlx_source
from rlx_passes.codegen.emit import generator
from rlx_passes.codegen.mlx_library import LIBRARY, read_library
from rlx_passes.core.errors import CodegenError, RunError, ToolMissing
from rlx_passes.dialects.mlx import MLX
from rlx_passes.lowerings.to_mlx.convert import ConvertRlxToMlxPass
from rlx_passes.lowerings.to_mlx.functions import UNNAMED
from rlx_passes.runtime.mlx import MlxProgram
from rlx_passes.runtime.program import load_bundle

Array = NDArray[Any]

CASES = {text.split("@")[1].split("(")[0]: text for text in all_functions()}
SHARE = 7
"""Of as many cases one is compiled in every run."""


def parse(text: str) -> ModuleOp:
    context = Context()
    for dialect in (Builtin, Func, Arith, Tensor, RLX, MLX):
        context.load_dialect(dialect)
    module = parse_module(context, text)
    module.verify()
    return module


def compiled(text: str, folder: Path) -> Bundle:
    """The bundle of the program `text`, written to `folder` and read again."""
    module = parse(text)
    ConvertRlxToMlxPass().apply(Context(), module)
    module.verify()
    write_bundle(folder / "bundle", generator("mlx")(module))
    return read_bundle(folder / "bundle")


def values_for(name: str, function: FuncOp, sizes: int = 4) -> dict[str, Array]:
    """Arguments of its types, the same in every run; `?` becomes `sizes`."""
    rng = np.random.default_rng(len(name) + sum(map(ord, name)))
    values: dict[str, Array] = {}
    for binding in arguments_of(function):
        dims, element = of_type(cast("TensorType[Attribute]", binding.type))
        shape = [sizes if size == DYNAMIC else size for size in dims]
        values[binding.name] = values_of(name, rng, shape, numpy_dtype(element))
    return values


def values_of(name: str, rng: np.random.Generator, shape: list[int], dtype: np.dtype[Any]) -> Array:
    if name.startswith(("gather", "grouped")) and dtype.kind in "iu":
        return rng.integers(0, 3, shape).astype(dtype)
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(dtype)
    if dtype.kind in "iu":
        low = 0 if dtype.kind == "u" or name.startswith("cast") else -7
        return special(name, rng.integers(low, 8, shape).astype(dtype))
    # Half precision rounds between the products of a block; small scores keep that from growing.
    spread = 0.3 if name.startswith("block") else 2
    return special(name, rng.normal(0, spread, shape).astype(dtype))


def special(name: str, value: Array) -> Array:
    """Elementwise ops also see the ends of the range, zeros of both signs, halves, infinities and NaN."""
    if (
        not name.startswith(("activation", "binary", "compare", "erfc", "log1p", "expm1", "is_finite"))
        or value.ndim == 0
    ):
        return value
    if value.dtype.kind in "iu":
        limits = np.iinfo(value.dtype.name)
        ends = [0, 1, limits.max, limits.min, 31, 33]
    else:
        ends = [0.0, -0.0, 0.5, 1.5, 2.5, -0.5, -1.5, np.inf, -np.inf, np.nan, 1e-3, -1e-3, 5.0, -5.0, 9.0, -9.0]
    value.reshape(-1)[: len(ends)] = np.asarray(ends).astype(value.dtype)
    return value


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> tuple[ModuleOp, Bundle]:
    """The cases that are run as one program: the module and its bundle."""
    need_module("mlx")
    text = "".join(list(CASES.values())[:: 1 if ALL else SHARE])
    return parse(text), compiled(text, tmp_path_factory.mktemp("mlx"))


@pytest.mark.parametrize("name", shared(CASES, SHARE))
def test_op(name: str, everything: tuple[ModuleOp, Bundle]):
    module, bundle = everything
    program = MlxProgram(bundle, bundle.manifest.entry(name))
    function = next(op for op in module.ops if isinstance(op, FuncOp) and op.sym_name.data == name)
    values = values_for(name, function)
    expected = run(module, name, values)
    actual = program(values)
    assert list(actual) == list(expected)
    for key, value in expected.items():
        agree(actual[key], value)


def main_of(text: str, tmp_path: Path, exported: bool = True) -> MlxProgram:
    """The entry `main` of the program `text`."""
    need_module("mlx")
    bundle = compiled(text, tmp_path)
    return MlxProgram(bundle, bundle.manifest.entry("main"), exported=exported)


PREPARED = """
func.func @main(%x: tensor<2x3xf32> {rlx.input = "x"}, %b: tensor<4xf32> {rlx.param = "b"},
                %w: tensor<3x4xf32> {rlx.prepared = "w_t"}) -> (tensor<2x4xf32> {rlx.output = "y"})
    attributes {rlx.prepare = @main_prepare} {
  %0 = rlx.fused_matmul_bias_act %x, %w, %b activation(relu)
      : (tensor<2x3xf32>, tensor<3x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  func.return %0 : tensor<2x4xf32>
}
func.func @main_prepare(%w: tensor<4x3xf32> {rlx.param = "w"}) -> (tensor<3x4xf32> {rlx.prepared = "w_t"}) {
  %0 = rlx.transpose %w [1, 0] : tensor<4x3xf32> -> tensor<3x4xf32>
  func.return %0 : tensor<3x4xf32>
}
"""


@pytest.mark.parametrize("exported", [True, False])
def test_prepare(exported: bool, tmp_path: Path):
    program = main_of(PREPARED, tmp_path, exported)
    rng = np.random.default_rng(0)
    x, w, b = (rng.normal(size=shape).astype(np.float32) for shape in ((2, 3), (4, 3), (4,)))
    outputs = program.load({"w": w, "b": b})({"x": x})
    np.testing.assert_allclose(outputs["y"], np.maximum(x @ w.T + b, 0), rtol=1e-5, atol=1e-5)


def test_bundle_holds_source_and_exported_functions(tmp_path: Path):
    program = main_of(PREPARED, tmp_path)
    assert program.entry.code["main"] == {"function": "main", "exported": "main.mlxfn"}
    assert program.entry.code["prepare"] == {"function": "main_prepare", "exported": "main_prepare.mlxfn"}
    assert sorted(path.name for path in program.bundle.path.iterdir()) == [
        "main.mlxfn",
        "main_prepare.mlxfn",
        "manifest.json",
        "program.py",
    ]
    assert isinstance(load_bundle(program.bundle.path), MlxProgram)


def test_export_of_another_mlx_is_left_alone(tmp_path: Path):
    need_module("mlx")
    bundle = compiled(PREPARED, tmp_path)
    (bundle.path / "main.mlxfn").write_bytes(b"of another version")
    manifest = (bundle.path / "manifest.json").read_text()
    stamp = bundle.manifest.entry("main").code["stamp"]
    (bundle.path / "manifest.json").write_text(manifest.replace(stamp, "0.0.1 gpu"))
    program = load_bundle(bundle.path).load({"w": np.zeros((4, 3), np.float32), "b": np.ones(4, np.float32)})
    np.testing.assert_array_equal(program({"x": np.zeros((2, 3), np.float32)})["y"], np.ones((2, 4)))


DYNAMIC_PROGRAM = """
func.func @main(%x: tensor<?x4x8xf32>, %m: tensor<?x?xi1>) -> (tensor<?x32xf32>, tensor<?x4x8xf32>, tensor<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4x8xf32>
  %flat = rlx.reshape %x sizes(%n) : tensor<?x4x8xf32> -> tensor<?x32xf32>
  %a = rlx.attention %x, %x, %x mask keys(%m) layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5)
         causal_offset(end) : (tensor<?x4x8xf32>, tensor<?x4x8xf32>, tensor<?x4x8xf32>, tensor<?x?xi1>)
             -> tensor<?x4x8xf32>
  %r = rlx.reduce max %x axes [0] : tensor<?x4x8xf32> -> tensor<4x8xf32>
  func.return %flat, %a, %r : tensor<?x32xf32>, tensor<?x4x8xf32>, tensor<4x8xf32>
}
"""


def test_sizes_known_at_run_time_only(tmp_path: Path):
    program = main_of(DYNAMIC_PROGRAM, tmp_path)
    assert program.entry.code["main"]["exported"] is None
    module = parse(DYNAMIC_PROGRAM)
    for batch in (1, 3, 0):
        rng = np.random.default_rng(batch)
        values = {
            "arg0": rng.normal(size=(batch, 4, 8)).astype(np.float32),
            "arg1": rng.integers(0, 2, (batch, 4)).astype(np.bool_),
        }
        expected = run(module, "main", values)
        for key, value in program(values).items():
            agree(value, expected[key])


def test_constants(tmp_path: Path):
    """Written out, as a splat, empty, and in the file, in every type; a part of the program and not of the source."""
    types = ("f32", "f16", "bf16", "f64", "i8", "i64", "ui8", "ui32")
    lines: list[str] = []
    results: list[str] = []
    for d in types:
        number = "0.1" if d in ("f32", "f16", "bf16", "f64") else "7"
        for value, dims in (
            (number, ""),
            (number, "2x3x"),
            (f"[{number}, {number}, 1{'.0' if '.' in number else ''}]", "3x"),
            (f"[{', '.join([number] * 19)}, 0{'.0' if '.' in number else ''}]", "20x"),
        ):
            results.append(f"tensor<{dims}{d}>")
            lines.append(f"%r{len(lines)} = arith.constant dense<{value}> : {results[-1]}")
    for value, type_ in (
        ("[0x7F800000, 0xFF800000, 0x7FC00000]", "tensor<3xf32>"),
        ("[true, false]", "tensor<2xi1>"),
        ("[9223372036854775807, -9223372036854775808]", "tensor<2xi64>"),
        ("9223372036854775807", "tensor<i64>"),
        ("[[1, 2], [3, 4]]", "tensor<2x2xi32>"),
    ):
        results.append(type_)
        lines.append(f"%r{len(lines)} = arith.constant dense<{value}> : {type_}")
    text = function("main", [], results, *lines)
    expected = run(parse(text), "main", {})
    for exported in (True, False):
        for key, value in main_of(text, tmp_path, exported)({}).items():
            np.testing.assert_array_equal(value, expected[key], strict=True)


def test_names_are_identifiers(tmp_path: Path):
    """No text of the program gets into the source, whatever it is called."""
    hostile = 'x"); import os; os.abort() #'
    text = f"""
    func.func @main(%x: tensor<2xf32> {{rlx.input = "{hostile.replace('"', chr(92) + "22")}"}},
        %y: tensor<2xf32> {{rlx.input = "lambda"}},
                    %z: tensor<2xf32> {{rlx.input = "mx"}}, %u: tensor<2xf32> {{rlx.input = "3"}},
                        %v: tensor<2xf32> {{rlx.input = "gelu"}})
        -> (tensor<2xf32> {{rlx.output = "class"}}) {{
      %gelu = rlx.activation gelu %x : tensor<2xf32>
      %mx = rlx.binary add %gelu, %y : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      %def = rlx.binary add %mx, %z : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      %list = rlx.binary add %def, %u : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      %r = rlx.binary add %list, %v : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      func.return %r : tensor<2xf32>
    }}
    """
    program = main_of(text, tmp_path, exported=False)
    source = (program.bundle.path / "program.py").read_text()
    assert "abort()" not in source
    zeros = dict.fromkeys((hostile, "lambda", "mx", "3", "gelu"), np.zeros(2, np.float32))
    np.testing.assert_array_equal(program(zeros | {"mx": np.ones(2, np.float32)})["class"], [1, 1])


def test_every_library_function_is_used():
    """Nothing in the library is dead, and nothing is called that is not there."""
    library = read_library()
    folder = LIBRARY.parent
    lowering = "".join(path.read_text() for path in folder.glob("*.py") if path != LIBRARY)
    written = "".join(Path(str(module.__file__)).read_text() for module in (mlx_control, mlx_source))
    inside = {name for each in library.values() for name in each.calls}
    assert {
        name for name in library if f'"lib.{name}"' not in lowering and f"library('{name}')" not in written
    } <= inside
    called = {part.split('"')[0] for part in lowering.split('"lib.')[1:]} - {""}
    assert called - {"{name}"} <= {*library, *FUNCTIONS, *UNNAMED}


def test_foreign_op_is_named(tmp_path: Path):
    text = function("main", ["tensor<2xf32>"], ["tensor<2xf32>"], "%r0 = arith.addf %a0, %a0 : tensor<2xf32>")
    with pytest.raises(CodegenError, match=r"'arith\.addf' in @main cannot be written for MLX"):
        main_of(text, tmp_path)


def test_without_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """One line that says what to install, when compiling and when running."""
    program = main_of(PREPARED, tmp_path)
    monkeypatch.setitem(sys.modules, "mlx.core", None)
    with pytest.raises(ToolMissing, match=r"pip install rlx-dialect\[mlx\]"):
        generator("mlx")(parse(PREPARED))
    with pytest.raises(RunError, match=r"pip install rlx-dialect\[mlx\]"):
        load_bundle(program.bundle.path)


def test_code_that_is_missing_in_the_manifest(tmp_path: Path):
    program = main_of(PREPARED, tmp_path)
    path = program.bundle.path / "manifest.json"
    path.write_text(path.read_text().replace('"function": "main",', '"functions": "main",'))
    with pytest.raises(CodegenError, match="entry 'main' of the bundle has no MLX code for its main function"):
        load_bundle(program.bundle.path)


def test_shapes_that_do_not_meet_at_run_time(tmp_path: Path):
    text = one("main", "rlx.binary add %a0, %a1", ["tensor<?xf32>", "tensor<?xf32>"], "tensor<?xf32>")
    program = main_of(text, tmp_path)
    with pytest.raises(RunError, match="dim 0 of input 'arg0' must be equal to dim 0 of input 'arg1', got 2 and 3"):
        program({"arg0": np.zeros(2, np.float32), "arg1": np.zeros(3, np.float32)})


def test_arithmetic_on_sizes(tmp_path: Path):
    """The ops that importers compute sizes with, as Python."""
    text = """
    func.func @main(%x: tensor<?x6xf32>) -> tensor<?x?xf32> {
      %zero = arith.constant 0 : index
      %two = arith.constant 2 : index
      %n = tensor.dim %x, %zero : tensor<?x6xf32>
      %twice = arith.muli %n, %two : index
      %more = arith.addi %twice, %two : index
      %rows = arith.subi %more, %two : index
      %six = arith.constant 6 : index
      %columns = arith.divsi %six, %two : index
      %y = rlx.reshape %x sizes(%rows, %columns) : tensor<?x6xf32> -> tensor<?x?xf32>
      func.return %y : tensor<?x?xf32>
    }
    """
    x = np.arange(24, dtype=np.float32).reshape(4, 6)
    np.testing.assert_array_equal(main_of(text, tmp_path)({"arg0": x})["out0"], x.reshape(8, 3))


def test_a_chip_is_refused():
    with pytest.raises(CodegenError, match="target mlx has no chips to choose from, got 'm3'"):
        generator("mlx")(parse(PREPARED), "m3")


def test_the_source_is_the_same_every_time(tmp_path: Path):
    sources = [(main_of(PREPARED, tmp_path).bundle.path / "program.py").read_bytes() for _ in range(2)]
    assert sources[0] == sources[1]


@pytest.mark.parametrize("kind", ["gelu", "erfc"])
@pytest.mark.parametrize(("dtype", "lowest", "error"), [("f32", -8.0, 1e-5), ("f64", -30.0, 1e-12)])
def test_tails_do_not_cancel(kind: str, dtype: str, lowest: float, error: float, tmp_path: Path):
    """Where gelu and erfc are tiny they are as exact, relative to themselves, as elsewhere."""
    type_ = f"tensor<400x{dtype}>"
    op = f"%r0 = rlx.activation gelu %a0 : {type_}" if kind == "gelu" else f"%r0 = rlx.erfc %a0 : {type_}"
    text = function("main", [type_], [type_], op)
    x = np.linspace(lowest, 2, 400).astype(np.float32 if dtype == "f32" else np.float64) * (
        1 if kind == "gelu" else -0.7
    )
    expected = run(parse(text), "main", {"arg0": x})["out0"]
    actual = main_of(text, tmp_path)({"arg0": x})["out0"]
    normal = np.abs(expected) > np.finfo(x.dtype).tiny
    assert normal.sum() > 300
    np.testing.assert_allclose(actual[normal], expected[normal], rtol=error, atol=0)


ELEMENTS_DECIDE = """func.func @main(%x: tensor<1xf32>, %n: tensor<i64>) -> tensor<?xf32> {
  %0 = tensor.extract %n[] : tensor<i64>
  %1 = arith.index_cast %0 : i64 to index
  %2 = rlx.expand %x sizes(%1) : tensor<1xf32> -> tensor<?xf32>
  %3 = rlx.narrow %2 axis(0) start(1) length(2) : tensor<?xf32> -> tensor<2xf32>
  %4 = rlx.binary add %2, %3 : (tensor<?xf32>, tensor<2xf32>) -> tensor<?xf32>
  func.return %4 : tensor<?xf32>
}"""
UNFIT = [
    (-1, r"arith\.index_cast: \? must be at least 0, got -1 and 0"),
    (2, r"rlx\.narrow: \? must be at least 3, got 2 and 3"),
    (2**62, r"arith\.index_cast: \? must be at most 2147483647, got \d+ and 2147483647"),
]


@pytest.mark.parametrize(("size", "message"), UNFIT)
def test_a_size_that_elements_decide_is_checked_where_it_is_relied_on(size: int, message: str, tmp_path: Path):
    need_module("mlx")
    bundle = compiled(ELEMENTS_DECIDE, tmp_path)
    program = MlxProgram(bundle, bundle.manifest.entries[0])
    with pytest.raises(RunError, match=f"^entry 'main': {message}"):
        program({"arg0": np.ones(1, np.float32), "arg1": np.array(size)})
