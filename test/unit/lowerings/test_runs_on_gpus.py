"""Sizes that only a run knows, loops and branches on GPU targets: one bundle, many runs."""

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from programs import parse
from test_control_flow_lowering import BRANCHES, COUNTED, X, gradient_inputs, loop, scan, scan_gradients
from tools import long, need_module, need_program, sampled, shared
from xdsl.context import Context

from rlx_dialect.reference import run
from rlx_passes.bundle.folder import write_bundle
from rlx_passes.bundle.launch_plan import BranchStep, LaunchStep, LoopStep, Plan
from rlx_passes.bundle.manifest import MANIFEST
from rlx_passes.codegen.emit import generator
from rlx_passes.core.errors import BundleError, RunError
from rlx_passes.lowerings.convert_rlx_to_gpu import ConvertRlxToGpuPass
from rlx_passes.lowerings.hoist_prepare import HoistPreparePass
from rlx_passes.runtime.program import Program, load_bundle

Inputs = Mapping[str, NDArray[Any]]

SWAP = """
func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>, %n: tensor<i32>, %one: tensor<i32>)
    -> (tensor<?xf32>, tensor<?xf32>) {
  %0, %1, %2 = rlx.while(%a = %x, %b = %y, %i = %n) captures(%o = %one)
      : (tensor<?xf32>, tensor<?xf32>, tensor<i32>, tensor<i32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<i32>) {
    %3 = rlx.compare ge %i, %o : (tensor<i32>, tensor<i32>) -> tensor<i1>
    rlx.yield %3 : tensor<i1>
  } do(%c, %d, %j, %p) {
    %4 = rlx.binary sub %j, %p : (tensor<i32>, tensor<i32>) -> tensor<i32>
    rlx.yield %d, %c, %4 : tensor<?xf32>, tensor<?xf32>, tensor<i32>
  }
  func.return %0, %1 : tensor<?xf32>, tensor<?xf32>
}"""
NESTED = """
func.func @main(%p: tensor<i1>, %x: tensor<?xf32>, %s: tensor<?x?xf32>, %m: tensor<f32>)
    -> (tensor<?xf32>, tensor<?x?xf32>) {
  %0, %1 = rlx.scan(%a = %x) over(%e = %s) captures(%q = %p, %l = %m)
      : (tensor<?xf32>, tensor<?x?xf32>, tensor<i1>, tensor<f32>) -> (tensor<?xf32>, tensor<?x?xf32>) {
    %2 = rlx.binary add %a, %e : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    %3 = rlx.if %q(%c = %2, %d = %l) : (tensor<i1>, tensor<?xf32>, tensor<f32>) -> tensor<?xf32> {
      %4 = rlx.while(%f = %c) captures(%g = %d) max_iterations(40) : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32> {
        %5 = rlx.reduce max %f axes [0] : tensor<?xf32> -> tensor<f32>
        %6 = rlx.compare lt %5, %g : (tensor<f32>, tensor<f32>) -> tensor<i1>
        rlx.yield %6 : tensor<i1>
      } do(%h, %i) {
        %7 = rlx.binary add %h, %h : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
        rlx.yield %7 : tensor<?xf32>
      }
      rlx.yield %4 : tensor<?xf32>
    } else(%j, %k) {
      %8 = rlx.binary mul %j, %k : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
      rlx.yield %8 : tensor<?xf32>
    }
    rlx.yield %3, %3 : tensor<?xf32>, tensor<?xf32>
  }
  func.return %0, %1 : tensor<?xf32>, tensor<?x?xf32>
}"""
LAYER = """
func.func @layer(%x: tensor<?x?x8xf32> {rlx.input = "x", rlx.dims = ["b", "s", 8]}, %k: tensor<?x?x8xf32>
    {rlx.input = "k", rlx.dims = ["b", "t", 8]}, %w: tensor<8x16xf32> {rlx.param = "w"}, %c: tensor<?x8xf32>
    {rlx.param = "c"}) -> (tensor<?x?x16xf32> {rlx.output = "y"}, tensor<?x?x8xf32> {rlx.output = "keys"},
    tensor<?xf32> {rlx.output = "sums"}, tensor<8x?xf32> {rlx.output = "turned"}) {
  %0 = rlx.attention %x, %k, %k layout(bsm) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5)
      : (tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>) -> tensor<?x?x8xf32>
  %1 = rlx.matmul %0, %w : (tensor<?x?x8xf32>, tensor<8x16xf32>) -> tensor<?x?x16xf32>
  %2 = rlx.softmax %1 axis(-1) : tensor<?x?x16xf32>
  %3 = rlx.concat %k, %x axis(1) : (tensor<?x?x8xf32>, tensor<?x?x8xf32>) -> tensor<?x?x8xf32>
  %4 = rlx.reduce sum %0 axes [1, 2] : tensor<?x?x8xf32> -> tensor<?xf32>
  %5 = rlx.binary add %c, %c : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  %6 = rlx.transpose %5 [1, 0] : tensor<?x8xf32> -> tensor<8x?xf32>
  func.return %2, %3, %4, %6 : tensor<?x?x16xf32>, tensor<?x?x8xf32>, tensor<?xf32>, tensor<8x?xf32>
}"""
IMAGE = """
func.func @image(%x: tensor<?x?x?x?xf32> {rlx.input = "x"}, %w: tensor<4x?x3x3xf32> {rlx.param = "w"},
    %h: tensor<?xf16> {rlx.input = "h"}, %l: tensor<?xi64> {rlx.input = "l"}) -> (tensor<?x4x?x?xf32>
    {rlx.output = "y"}, tensor<?xf16> {rlx.output = "half"}, tensor<?xi64> {rlx.output = "long"}, tensor<?xi1>
    {rlx.output = "low"}) {
  %0 = rlx.conv %x, %w stride [2, 1] pad([1, 0], [1, 2]) : (tensor<?x?x?x?xf32>, tensor<4x?x3x3xf32>)
      -> tensor<?x4x?x?xf32>
  %1 = rlx.binary mul %h, %h : (tensor<?xf16>, tensor<?xf16>) -> tensor<?xf16>
  %2 = rlx.cumsum %l axis(0) : tensor<?xi64>
  %3 = rlx.compare lt %l, %2 : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi1>
  func.return %0, %1, %2, %3 : tensor<?x4x?x?xf32>, tensor<?xf16>, tensor<?xi64>, tensor<?xi1>
}"""

LAYERS = """
func.func @main(%x: tensor<3x40xf32>) -> tensor<3x40xf32> {
  %0 = rlx.scan(%a = %x) length(4) : (tensor<3x40xf32>) -> tensor<3x40xf32> {
    %1 = rlx.softmax %a axis(1) : tensor<3x40xf32>
    %2 = rlx.softmax %1 axis(0) : tensor<3x40xf32>
    %3 = rlx.softmax %2 axis(1) : tensor<3x40xf32>
    rlx.yield %3 : tensor<3x40xf32>
  }
  func.return %0 : tensor<3x40xf32>
}"""
TOLD = """
func.func @main(%x: tensor<?x3xf32>, %n: tensor<i64>) -> (tensor<?x3xf32>, tensor<?x3xf32>) {
  %0 = tensor.extract %n[] : tensor<i64>
  %1 = arith.index_cast %0 : i64 to index
  %2 = rlx.reduce sum %x axes [0] keep_dims : tensor<?x3xf32> -> tensor<1x3xf32>
  %3 = rlx.expand %2 sizes(%1) : tensor<1x3xf32> -> tensor<?x3xf32>
  %4 = rlx.concat %3, %x axis(0) : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
  func.return %4, %3 : tensor<?x3xf32>, tensor<?x3xf32>
}"""

CHOSEN = """
func.func @main(%p: tensor<i1>, %x: tensor<?xf32>, %y: tensor<?xf32>, %u: tensor<3xi1>, %v: tensor<3xi1>)
    -> (tensor<?xf32>, tensor<?xf32>, tensor<3xi1>, tensor<3xi1>) {
  %0, %1, %2 = rlx.if %p(%a = %x, %b = %y, %c = %u, %d = %v)
      : (tensor<i1>, tensor<?xf32>, tensor<?xf32>, tensor<3xi1>, tensor<3xi1>)
      -> (tensor<?xf32>, tensor<3xi1>, tensor<3xi1>) {
    rlx.yield %a, %c, %d : tensor<?xf32>, tensor<3xi1>, tensor<3xi1>
  } else(%e, %f, %g, %h) {
    rlx.yield %f, %h, %h : tensor<?xf32>, tensor<3xi1>, tensor<3xi1>
  }
  %3 = rlx.binary add %0, %0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  func.return %3, %0, %1, %2 : tensor<?xf32>, tensor<?xf32>, tensor<3xi1>, tensor<3xi1>
}"""


GROWN = """
func.func @main(%x: tensor<?xf32>, %n: tensor<i32>, %one: tensor<i32>) -> (tensor<?xf32>, tensor<f32>) {
  %0, %1, %2 = rlx.while(%a = %x, %b = %x, %i = %n) captures(%o = %one)
      : (tensor<?xf32>, tensor<?xf32>, tensor<i32>, tensor<i32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<i32>) {
    %s = rlx.reduce sum %a axes [0] : tensor<?xf32> -> tensor<f32>
    %f = rlx.compare lt %s, %s : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %g = rlx.compare ge %i, %o : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %h = rlx.binary bit_or %f, %g : (tensor<i1>, tensor<i1>) -> tensor<i1>
    rlx.yield %h : tensor<i1>
  } do(%c, %d, %j, %p) {
    %4 = rlx.binary sub %j, %p : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %5 = rlx.concat %c, %d axis(0) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    %6 = rlx.binary add %5, %5 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    rlx.yield %6, %c, %4 : tensor<?xf32>, tensor<?xf32>, tensor<i32>
  }
  %7 = rlx.reduce sum %0 axes [0] : tensor<?xf32> -> tensor<f32>
  %8 = rlx.binary add %0, %0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  func.return %8, %7 : tensor<?xf32>, tensor<f32>
}"""
ROUNDS = """
func.func @main(%x: tensor<?xf32>, %n: tensor<?xi64>) -> (tensor<?xf32>, tensor<f32>) {
  %z = arith.constant dense<0.0> : tensor<f32>
  %0, %1 = rlx.scan(%a = %x, %t = %z) over(%e = %n) : (tensor<?xf32>, tensor<f32>, tensor<?xi64>)
      -> (tensor<?xf32>, tensor<f32>) {
    %2 = tensor.extract %e[] : tensor<i64>
    %3 = arith.index_cast %2 : i64 to index
    %4 = rlx.expand %t sizes(%3) : tensor<f32> -> tensor<?xf32>
    %5 = rlx.concat %4, %a axis(0) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    %6 = rlx.reduce sum %5 axes [0] : tensor<?xf32> -> tensor<f32>
    rlx.yield %5, %6 : tensor<?xf32>, tensor<f32>
  }
  func.return %0, %1 : tensor<?xf32>, tensor<f32>
}"""

TOLD_APART = """
func.func @main(%p: tensor<i1>, %x: tensor<?xf32>, %n: tensor<2xi64>) -> (tensor<?xf32>, tensor<?xf32>) {
  %0 = rlx.scan(%s = %x) over(%e = %n) captures(%q = %p) : (tensor<?xf32>, tensor<2xi64>, tensor<i1>)
      -> tensor<?xf32> {
    %1 = rlx.if %q(%a = %s, %b = %e) : (tensor<i1>, tensor<?xf32>, tensor<i64>) -> tensor<?xf32> {
      %2 = tensor.extract %b[] : tensor<i64>
      %3 = arith.index_cast %2 : i64 to index
      %4 = rlx.reduce sum %a axes [0] keep_dims : tensor<?xf32> -> tensor<1xf32>
      %5 = rlx.expand %4 sizes(%3) : tensor<1xf32> -> tensor<?xf32>
      %6 = rlx.binary add %5, %5 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
      rlx.yield %6 : tensor<?xf32>
    } else(%c, %d) {
      %7 = rlx.concat %c, %c axis(0) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
      rlx.yield %7 : tensor<?xf32>
    }
    rlx.yield %1 : tensor<?xf32>
  }
  %8 = rlx.concat %0, %x axis(0) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  func.return %0, %8 : tensor<?xf32>, tensor<?xf32>
}"""


def _by_place(*values: Any) -> Inputs:
    return {f"arg{i}": np.asarray(value) for i, value in enumerate(values)}


def _layer(b: int, s: int, t: int, n: int) -> Inputs:
    shapes = {"x": (b, s, 8), "k": (b, t, 8), "w": (8, 16), "c": (n, 8)}
    return {name: np.random.default_rng(0).standard_normal(shape, np.float32) for name, shape in shapes.items()}


def _image(b: int, c: int, h: int, w: int, n: int) -> Inputs:
    rng = np.random.default_rng(1)
    return {
        "x": rng.standard_normal((b, c, h, w), np.float32),
        "w": rng.standard_normal((4, c, 3, 3), np.float32),
        "h": rng.standard_normal(n).astype(np.float16),
        "l": rng.integers(-9, 9, n),
    }


def _entries(rounds: int) -> Inputs:
    rng = np.random.default_rng(0)
    return _by_place(rng.standard_normal(4, np.float32), rng.standard_normal((rounds, 4), np.float32), X[1])


def _told(rows: int, told: int) -> Inputs:
    return _by_place(np.arange(3 * rows, dtype=np.float32).reshape(rows, 3), np.int64(told))


def _nested(choice: bool, rounds: int, n: int) -> Inputs:
    return _by_place(choice, np.linspace(0.1, 1, n, dtype=np.float32), np.ones((rounds, n), np.float32), np.float32(9))


def _chosen(choice: bool, n: int, m: int) -> Inputs:
    rows = np.linspace(0, 1, n, dtype=np.float32), np.linspace(2, 3, m, dtype=np.float32)
    return _by_place(choice, *rows, np.array([True, False, False]), np.array([False, True, False]))


START = (np.int32(0), np.int32(1))
Y = np.linspace(-1, 1, 8, dtype=np.float32).reshape(2, 4)
PROGRAMS: Mapping[str, tuple[str, list[Inputs]]] = {
    "layer": (LAYER, [_layer(*n) for n in ((2, 5, 7, 3), (1, 1, 1, 1), (3, 67, 129, 5), (0, 3, 2, 2), (2, 0, 3, 0))]),
    "image": (IMAGE, [_image(*n) for n in ((2, 3, 7, 5, 300), (1, 1, 3, 3, 1), (3, 2, 33, 17, 129), (1, 0, 4, 4, 0))]),
    "branches": (BRANCHES, [_by_place([[choice]], X, y) for choice in (True, False) for y in (Y, Y[:1], Y[:0])]),
    "chosen": (CHOSEN, [_chosen(choice, 2, n) for choice in (True, False) for n in (2, 5, 0)]),
    "told": (TOLD, [_told(*each) for each in ((2, 3), (1, 1), (5, 0), (0, 200))]),
    "free": (loop(""), [_by_place(X, np.float32(limit), *START) for limit in (-9, 5, 1000)]),
    "bound": (loop(" max_iterations(3)"), [_by_place(X, np.float32(limit), *START) for limit in (-9, 5, 1000)]),
    "never": (loop(" max_iterations(0)"), [_by_place(X, np.float32(5), *START)]),
    "scanned": (scan("", "5x4"), [_entries(5)]),
    "backwards": (scan(" reverse", "?x4"), [_entries(rounds) for rounds in (5, 1, 0, 7)]),
    "gradients": (scan_gradients(" reverse", "?x4"), [_by_place(*gradient_inputs(rounds)) for rounds in (5, 1)]),
    "counted": (COUNTED, [_by_place(X[0])]),
    "layers": (LAYERS, [_by_place(np.linspace(-3, 3, 120, dtype=np.float32).reshape(3, 40))]),
    "swapped": (SWAP, [_by_place(X[0], row, np.int32(n), START[1]) for n in (3, 4, 0) for row in (X[1], X[1][:2])]),
    "grown": (GROWN, [_by_place(X[0][:n], np.int32(rounds), START[1]) for n, rounds in ((3, 3), (1, 5), (2, 0))]),
    "told_apart": (
        TOLD_APART,
        [_by_place(p, X[0][:n], np.array(told)) for p in (True, False) for n, told in ((3, [2, 5]), (1, [4, 0]))],
    ),
    "rounds": (ROUNDS, [_by_place(X[0][:n], np.array(told)) for n, told in ((3, [2, 0, 5]), (1, [1]), (2, [0, 0]))]),
    "nested": (NESTED, [_nested(*each) for each in ((True, 3, 5), (False, 2, 130), (True, 1, 1), (False, 3, 0))]),
}
"""By entry: the program, and what to run it with."""
FOUND_OUT = ("told", "branches", "chosen", "swapped", "grown", "rounds", "told_apart")
"""Those with buffers whose sizes show in the midst of a run."""


@cache
def artefacts(target: str) -> Mapping[str, bytes]:
    """One bundle of all programs."""
    module = parse("\n".join(text.replace("@main", f"@{name}") for name, (text, _) in PROGRAMS.items()))
    HoistPreparePass().apply(Context(), module)
    ConvertRlxToGpuPass(target).apply(Context(), module)
    module.verify()
    return generator(target)(module)


@pytest.fixture(autouse=True)
def _mlir() -> None:
    need_program("mlir-opt-22", "mlir-opt")
    need_program("mlir-translate-22", "mlir-translate")


@pytest.fixture(scope="module", params=shared(["wgpu", "metal"], 2))
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundle for a target that runs here."""
    if request.param == "wgpu":
        need_module("wgpu")
    else:
        need_program("spirv-cross")
        need_program("g++")
    path = tmp_path_factory.mktemp("bundle") / request.param
    write_bundle(path, artefacts(request.param))
    return path


def _call(program: Program, inputs: Inputs) -> Inputs:
    program.load({spec.name: inputs[spec.name] for spec in program.entry.params})
    return program({spec.name: inputs[spec.name] for spec in program.entry.inputs})


@sampled(4)
@pytest.mark.parametrize("name", PROGRAMS)
def test_one_bundle_runs_with_all_sizes(name: str, folder: Path):
    text, cases = PROGRAMS[name]
    program = load_bundle(folder, name)
    for inputs in (*cases, cases[0]):
        wanted = run(parse(text), None, inputs)
        actual = _call(program, inputs)
        for output, value in wanted.items():
            assert (actual[output].dtype, actual[output].shape) == (value.dtype, value.shape)
            np.testing.assert_allclose(
                actual[output], value, rtol=2e-3 if value.dtype == np.float16 else 1e-4, atol=1e-6
            )


def test_what_does_not_fit_is_said_in_one_line(folder: Path):
    for told in (-1, 2**40):
        with pytest.raises(RunError, match=rf"entry 'told': .* must be at .*, got {told} and \d+"):
            _call(load_bundle(folder, "told"), _told(2, told))


def test_sizes_are_arguments_of_kernels():
    """By value where kernels have arguments, in one buffer where they have none."""
    ptx = artefacts("cuda")["kernels.ptx"].decode()
    manifest = json.loads(artefacts("cuda")[MANIFEST])
    (layer,) = (entry for entry in manifest["entries"] if entry["name"] == "layer")
    steps = {step["kernel"]: step for step in layer["code"]["plan"]["launches"]}
    assert any("dim 1 of input 'k'" in str(step["sizes"]) for step in steps.values())
    for name, step in steps.items():
        params = re.search(rf"\.entry {name}\((.*?)\)", ptx, re.S)
        assert params is not None
        kinds = re.findall(r"\.param \.(u\d+)", params[1])
        assert kinds == ["u64"] * len(step["buffers"]) + ["u32"] * len(step["sizes"])


def test_cuda_assembles():
    need_program("ptxas")
    assert artefacts("cuda")["kernels.cubin"].startswith(b"\x7fELF")


@long
def test_rocm_links():
    need_program("llvm-mc-22", "llvm-mc")
    need_program("ld.lld-22", "ld.lld")
    assert artefacts("rocm")["kernels.hsaco"].startswith(b"\x7fELF")


def _plans() -> Mapping[str, Plan]:
    entries = json.loads(artefacts("wgpu")[MANIFEST])["entries"]
    names = {name for entry in entries for name in re.findall(r'"(dim [^"]*)"', json.dumps(entry["code"]["plan"]))}
    return {entry["name"]: Plan.from_json(entry["code"]["plan"], "here", frozenset(names)) for entry in entries}


def test_plans_read_back():
    for name, plan in _plans().items():
        if not (names := plan.names()):
            continue
        assert Plan.from_json(plan.to_json(), "here", names) == plan
        with pytest.raises(BundleError, match=r"here is no launch plan: ValueError .dim . of .* is no size"):
            Plan.from_json(plan.to_json(), "here")
        sizes = {each.size for each in plan.at(dict.fromkeys(names, 3)).buffers}
        assert all(isinstance(size, int) for size in sizes) == (name not in FOUND_OUT)


def test_loops_and_branches_stay():
    """A scan is a loop of known rounds, inside of it a branch, and in there a loop whose condition is read back."""
    (outer,) = (step for step in _plans()["nested"].launches if isinstance(step, LoopStep))
    assert outer.condition is None
    assert outer.rounds is not None
    (branch,) = (step for step in outer.body if isinstance(step, BranchStep))
    (inner,) = (step for step in branch.then if isinstance(step, LoopStep))
    assert inner.rounds is None
    assert any(isinstance(step, LaunchStep) for step in inner.before)
    plan = _plans()["nested"]
    data = plan.to_json()
    (endless,) = ({key: step[key] for key in step if key != "rounds"} for step in data["launches"] if "loop" in step)
    with pytest.raises(BundleError, match=r"here: nothing ends the loop 'round \d+'"):
        Plan.from_json({**data, "launches": [endless]}, "here", plan.names())


def test_buffers_of_one_size_share_a_place():
    """As long as they are not alive at once; what a round makes for itself is not alive in the next one."""
    for name in ("layer", "layers"):
        places = [str(each.place) for each in _plans()[name].buffers if each.kind == "temporary" and each.size != 4]
        assert len(set(places)) < len(places)
