"""Conditionals and loops that stay: compiled code takes the same branches and as many rounds as the reference."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from programs import parse
from tools import need_module, sampled
from xdsl.context import Context

from rlx_dialect.reference import run
from rlx_passes.bundle.folder import write_bundle
from rlx_passes.codegen.emit import generator
from rlx_passes.core.errors import Refusal
from rlx_passes.core.printing import generic_text
from rlx_passes.lowerings.convert_rlx_to_stablehlo import ConvertRLXToStableHLOPass
from rlx_passes.lowerings.to_linalg import lower_to_linalg
from rlx_passes.lowerings.to_mlx.convert import ConvertRlxToMlxPass
from rlx_passes.runtime.program import load_bundle

X, S = np.arange(8, dtype=np.float32).reshape(2, 4) - 3, np.float32(0.5)

BRANCHES = """
func.func @main(%p: tensor<1x1xi1>, %x: tensor<2x4xf32>, %y: tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<2x4xi1>) {
  %0, %1 = rlx.if %p(%a = %x, %b = %y) : (tensor<1x1xi1>, tensor<2x4xf32>, tensor<?x4xf32>)
      -> (tensor<?x4xf32>, tensor<2x4xi1>) {
    %2 = rlx.compare gt %a, %a : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xi1>
    rlx.yield %a, %2 : tensor<2x4xf32>, tensor<2x4xi1>
  } else(%c, %d) {
    %3 = rlx.activation exp %d : tensor<?x4xf32>
    %4 = rlx.compare eq %c, %c : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xi1>
    rlx.yield %3, %4 : tensor<?x4xf32>, tensor<2x4xi1>
  }
  func.return %0, %1 : tensor<?x4xf32>, tensor<2x4xi1>
}"""


def loop(bound: str) -> str:
    """Doubles until the sum of a row passes a limit; counts the rounds."""
    return f"""
    func.func @main(%x: tensor<2x4xf32>, %m: tensor<f32>, %n: tensor<i32>, %one: tensor<i32>)
        -> (tensor<2x4xf32>, tensor<i32>) {{
      %0, %1 = rlx.while(%a = %x, %i = %n) captures(%l = %m, %s = %one){bound}
          : (tensor<2x4xf32>, tensor<i32>, tensor<f32>, tensor<i32>) -> (tensor<2x4xf32>, tensor<i32>) {{
        %2 = rlx.reduce max %a axes [0, 1] : tensor<2x4xf32> -> tensor<f32>
        %3 = rlx.compare lt %2, %l : (tensor<f32>, tensor<f32>) -> tensor<i1>
        rlx.yield %3 : tensor<i1>
      }} do(%b, %j, %k, %t) {{
        %4 = rlx.binary add %b, %b : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
        %5 = rlx.binary add %j, %t : (tensor<i32>, tensor<i32>) -> tensor<i32>
        rlx.yield %4, %5 : tensor<2x4xf32>, tensor<i32>
      }}
      func.return %0, %1 : tensor<2x4xf32>, tensor<i32>
    }}"""


def scan(direction: str, entries: str) -> str:
    """Sums entries, and gives each sum and whether its elements are positive."""
    return f"""
    func.func @main(%x: tensor<4xf32>, %s: tensor<{entries}xf32>, %w: tensor<4xf32>)
        -> (tensor<4xf32>, tensor<{entries}xf32>, tensor<{entries}xi1>) {{
      %0, %1, %2 = rlx.scan(%a = %x) over(%e = %s) captures(%c = %w){direction}
          : (tensor<4xf32>, tensor<{entries}xf32>, tensor<4xf32>)
              -> (tensor<4xf32>, tensor<{entries}xf32>, tensor<{entries}xi1>) {{
        %3 = rlx.binary mul %a, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
        %4 = rlx.binary add %3, %e : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
        %5 = rlx.compare gt %4, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
        rlx.yield %4, %4, %5 : tensor<4xf32>, tensor<4xf32>, tensor<4xi1>
      }}
      func.return %0, %1, %2 : tensor<4xf32>, tensor<{entries}xf32>, tensor<{entries}xi1>
    }}"""


COUNTED = """
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<3xf32>) {
  %0, %1 = rlx.scan(%a = %x) length(3) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<3xf32>) {
    %2 = rlx.activation exp %a : tensor<4xf32>
    %3 = rlx.reduce sum %2 axes [0] : tensor<4xf32> -> tensor<f32>
    %4 = rlx.binary div %2, %3 : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    rlx.yield %4, %3 : tensor<4xf32>, tensor<f32>
  }
  func.return %0, %1 : tensor<4xf32>, tensor<3xf32>
}"""


def scan_gradients(direction: str, entries: str) -> str:
    """Two gradients of equal types by different chain rules, a capture's sums in f32 and f16, scanned gradients."""
    v, s = "tensor<4xf32>", f"tensor<{entries}xf32>"
    return f"""
    func.func @main(%g: {v}, %c: {s}, %x: {s}, %y: {s}, %w: {v}, %h: tensor<4xf16>)
        -> ({v}, {v}, {v}, {v}, tensor<4xf16>, {s}) {{
      %0, %1 = rlx.scan_backward(%a = %g) states(%b = %c) over(%e = %x) outputs(%d = %y) captures(%f = %w){direction}
          : ({v}, {s}, {s}, {s}, {v}) -> ({v}, {v}) {{
        %10 = rlx.binary add %a, %d : ({v}, {v}) -> {v}
        %11 = rlx.binary mul %10, %f : ({v}, {v}) -> {v}
        %12 = rlx.binary mul %10, %b : ({v}, {v}) -> {v}
        rlx.yield %11, %12 : {v}, {v}
      }}
      %2, %3 = rlx.scan_backward(%a = %g) states(%b = %c) over(%e = %x) outputs(%d = %y) captures(%f = %w){direction}
          : ({v}, {s}, {s}, {s}, {v}) -> ({v}, {v}) {{
        %13 = rlx.binary mul %a, %e : ({v}, {v}) -> {v}
        %14 = rlx.binary add %13, %d : ({v}, {v}) -> {v}
        rlx.yield %14, %13 : {v}, {v}
      }}
      %4 = rlx.scan_backward() outputs(%d = %y) captures(%f = %h){direction} : ({s}, tensor<4xf16>) -> tensor<4xf16> {{
        %15 = rlx.cast %d : {v} -> tensor<4xf16>
        rlx.yield %15 : tensor<4xf16>
      }}
      %5 = rlx.scan_backward_xs(%a = %g) states(%b = %c) over(%e = %x) outputs(%d = %y){direction}
          : ({v}, {s}, {s}, {s}) -> {s} {{
        %16 = rlx.binary add %a, %d : ({v}, {v}) -> {v}
        %17 = rlx.binary mul %16, %b : ({v}, {v}) -> {v}
        rlx.yield %17, %16 : {v}, {v}
      }}
      func.return %0, %1, %2, %3, %4, %5 : {v}, {v}, {v}, {v}, tensor<4xf16>, {s}
    }}"""


def gradient_inputs(rounds: int) -> list[Any]:
    rng = np.random.default_rng(0)
    stacks = rng.standard_normal((3, rounds, 4), np.float32)
    return [X[0], *stacks, X[1], X[1].astype(np.float16)]


@pytest.fixture(params=["cpu", "mlx"])
def backend(request: pytest.FixtureRequest) -> str:
    """The name of a target whose bundles run here."""
    for name in {"cpu": ("llvmlite",), "mlx": ("mlx",)}[request.param]:
        need_module(name)
    return request.param


def on(backend: str, text: str, tmp_path: Path, *cases: Sequence[Any]) -> None:
    """Compiled once, compared for every list of inputs."""
    module = parse(text)
    if backend == "cpu":
        lower_to_linalg(module)
    else:
        ConvertRlxToMlxPass().apply(Context(), module)
    module.verify()
    write_bundle(tmp_path / "bundle", generator(backend)(module))
    program = load_bundle(tmp_path / "bundle", "main")
    for case in cases:
        inputs = {f"arg{i}": np.asarray(value) for i, value in enumerate(case)}
        actual = program(inputs)
        for name, wanted in run(parse(text), None, inputs).items():
            assert actual[name].dtype == wanted.dtype
            np.testing.assert_allclose(actual[name], wanted, rtol=1e-5, err_msg=name)


def on_xla(text: str, *cases: Sequence[Any]) -> None:
    """As `on`, through StableHLO."""
    need_module("jax")
    from rlx_passes.runtime.xla import XlaFunction

    module = parse(text)
    ConvertRLXToStableHLOPass().apply(Context(), module)
    module.verify()
    program = XlaFunction(generic_text(module), "test")
    for case in cases:
        arrays = [np.asarray(value) for value in case]
        wanted = run(parse(text), None, {f"arg{i}": value for i, value in enumerate(arrays)})
        for actual, (name, value) in zip(program(arrays), wanted.items(), strict=True):
            assert actual.dtype == value.dtype
            np.testing.assert_allclose(actual, value, rtol=1e-5, err_msg=name)


def test_branches(backend: str, tmp_path: Path):
    y = np.linspace(-1, 1, 12, dtype=np.float32).reshape(3, 4)
    on(backend, BRANCHES, tmp_path, *([np.array([[choice]]), X, y] for choice in (True, False)))


@pytest.mark.parametrize("bound", ["", " max_iterations(3)", " max_iterations(0)"])
def test_rounds_of_a_loop(backend: str, bound: str, tmp_path: Path):
    """No round, some, and more than a bound allows."""
    start, one = np.int32(0), np.int32(1)
    on(backend, loop(bound), tmp_path, *([X, np.float32(limit), start, one] for limit in (-9, 5, 1000)))


@pytest.mark.parametrize("direction", ["", " reverse"])
@pytest.mark.parametrize("entries", ["5x4", "?x4"])
def test_entries_of_a_scan(backend: str, direction: str, entries: str, tmp_path: Path):
    rng = np.random.default_rng(0)
    sizes = (5,) if entries == "5x4" else (5, 1, 0)
    cases = [[rng.standard_normal(4, np.float32), rng.standard_normal((n, 4), np.float32), X[1]] for n in sizes]
    on(backend, scan(direction, entries), tmp_path, *cases)


@sampled(3)
@pytest.mark.parametrize("direction", ["", " reverse"])
@pytest.mark.parametrize("entries", ["5x4", "?x4"])
def test_gradients_of_a_scan(backend: str, direction: str, entries: str, tmp_path: Path):
    sizes = (5,) if entries == "5x4" else (5, 1)
    on(backend, scan_gradients(direction, entries), tmp_path, *map(gradient_inputs, sizes))


def test_a_loop_that_carries_two_tensors_of_unknown_sizes(backend: str, tmp_path: Path):
    v, n = "tensor<?xf32>", "tensor<i32>"
    text = f"""
    func.func @main(%x: {v}, %y: {v}, %n: {n}, %one: {n}) -> ({v}, {v}) {{
      %0, %1, %2 = rlx.while(%a = %x, %b = %y, %i = %n) captures(%o = %one) : ({v}, {v}, {n}, {n}) -> ({v}, {v}, {n}) {{
        %3 = rlx.compare ge %i, %o : ({n}, {n}) -> tensor<i1>
        rlx.yield %3 : tensor<i1>
      }} do(%c, %d, %j, %p) {{
        %4 = rlx.binary add %c, %d : ({v}, {v}) -> {v}
        %5 = rlx.binary sub %c, %d : ({v}, {v}) -> {v}
        %6 = rlx.binary sub %j, %p : ({n}, {n}) -> {n}
        rlx.yield %4, %5, %6 : {v}, {v}, {n}
      }}
      func.return %0, %1 : {v}, {v}
    }}"""
    on(backend, text, tmp_path, *([X[0], X[1], np.int32(rounds), np.int32(1)] for rounds in (3, 0)))


def test_f60_a_scan_over_no_entries(backend: str, tmp_path: Path):
    case = [X[0], np.zeros((0, 4), np.float32), X[1]]
    on(backend, scan("", "0x4"), tmp_path, case)
    on_xla(scan("", "0x4"), case)


def test_sizes_of_outputs_of_no_rounds(backend: str, tmp_path: Path):
    """What a capture and an entry have is told without a round, also where each is put beside the other."""
    text = """
    func.func @main(%c: tensor<4xf32>, %x: tensor<?x?xf32>, %w: tensor<?xf32>)
        -> (tensor<4xf32>, tensor<?x?xf32>, tensor<?x3x?xf32>) {
      %0, %1, %2 = rlx.scan(%a = %c) over(%e = %x) captures(%v = %w)
          : (tensor<4xf32>, tensor<?x?xf32>, tensor<?xf32>) -> (tensor<4xf32>, tensor<?x?xf32>, tensor<?x3x?xf32>) {
        %3 = rlx.activation neg %v : tensor<?xf32>
        %4 = rlx.concat %v, %e axis(0) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
        %n = arith.constant 0 : index
        %s = tensor.dim %4, %n : tensor<?xf32>
        %5 = rlx.expand %4 sizes(%s) : tensor<?xf32> -> tensor<3x?xf32>
        rlx.yield %a, %3, %5 : tensor<4xf32>, tensor<?xf32>, tensor<3x?xf32>
      }
      func.return %0, %1, %2 : tensor<4xf32>, tensor<?x?xf32>, tensor<?x3x?xf32>
    }"""
    cases = [[X[0], np.ones((rounds, 2), np.float32), X[0]] for rounds in (2, 0)]
    wanted = [[value.shape for value in run(parse(text), None, case).values()] for case in cases]
    assert wanted == [[(4,), (2, 4), (2, 3, 6)], [(4,), (0, 4), (0, 3, 6)]]
    on(backend, text, tmp_path, *cases)


def test_rounds_of_a_scan_without_entries(backend: str, tmp_path: Path):
    on(backend, COUNTED, tmp_path, [X[0]])


def test_branches_in_stablehlo():
    text = BRANCHES.replace("tensor<?x4xf32>", "tensor<2x4xf32>")
    on_xla(text, *([np.array([[choice]]), X, X * 2] for choice in (True, False)))


@pytest.mark.parametrize("bound", ["", " max_iterations(3)", " max_iterations(0)"])
def test_rounds_of_a_loop_in_stablehlo(bound: str):
    start, one = np.int32(0), np.int32(1)
    on_xla(loop(bound), *([X, np.float32(limit), start, one] for limit in (-9, 5, 1000)))


@pytest.mark.parametrize("direction", ["", " reverse"])
def test_entries_of_a_scan_in_stablehlo(direction: str):
    rng = np.random.default_rng(0)
    on_xla(scan(direction, "5x4"), [rng.standard_normal(4, np.float32), rng.standard_normal((5, 4), np.float32), X[1]])
    on_xla(COUNTED, [X[0]])


@pytest.mark.parametrize("direction", ["", " reverse"])
def test_gradients_of_a_scan_in_stablehlo(direction: str):
    on_xla(scan_gradients(direction, "5x4"), gradient_inputs(5))


def test_gradients_of_a_scan_in_a_scan_in_stablehlo():
    """Each entry of the outer scan is a stack that an inner gradient goes over."""
    text = """
    func.func @main(%g: tensor<2x4xf32>, %c: tensor<2x4xf32>, %x: tensor<2x3x4xf32>) -> tensor<2x4xf32> {
      %0 = rlx.scan_backward_xs() over(%a = %g, %b = %c, %s = %x)
          : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x3x4xf32>) -> tensor<2x4xf32> {
        %1 = rlx.scan_backward(%d = %a) states(%e = %s) captures(%f = %b)
            : (tensor<4xf32>, tensor<3x4xf32>, tensor<4xf32>) -> tensor<4xf32> {
          %2 = rlx.binary mul %d, %e : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
          %3 = rlx.binary add %2, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
          rlx.yield %3 : tensor<4xf32>
        }
        rlx.yield %1 : tensor<4xf32>
      }
      func.return %0 : tensor<2x4xf32>
    }"""
    on_xla(text, [X, X * 2, np.linspace(-1, 1, 24, dtype=np.float32).reshape(2, 3, 4)])


def test_a_loop_in_a_branch_in_stablehlo():
    text = """
    func.func @main(%p: tensor<i1>, %x: tensor<4xf32>, %m: tensor<f32>) -> tensor<4xf32> {
      %0 = rlx.if %p(%a = %x, %l = %m) : (tensor<i1>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32> {
        %1 = rlx.while(%b = %a) captures(%c = %l) max_iterations(40) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32> {
          %2 = rlx.reduce max %b axes [0] : tensor<4xf32> -> tensor<f32>
          %3 = rlx.compare lt %2, %c : (tensor<f32>, tensor<f32>) -> tensor<i1>
          rlx.yield %3 : tensor<i1>
        } do(%d, %e) {
          %4 = rlx.binary add %d, %d : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
          rlx.yield %4 : tensor<4xf32>
        }
        rlx.yield %1 : tensor<4xf32>
      } else(%f, %g) {
        %5 = rlx.binary mul %f, %g : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
        rlx.yield %5 : tensor<4xf32>
      }
      func.return %0 : tensor<4xf32>
    }"""
    on_xla(text, *([np.array(choice), X[1], np.float32(99)] for choice in (True, False)))


def test_branches_of_unknown_sizes_in_stablehlo():
    on_xla(BRANCHES, *([np.array([[choice]]), X, X + 1] for choice in (True, False)))


@pytest.mark.parametrize("rounds", [1, 2])
def test_rounds_of_unknown_number_in_stablehlo(rounds: int):
    on_xla(scan("", "?x4"), [X[0] + 1, X[:rounds], X[1]])


def test_a_size_that_only_a_round_tells():
    text = """
    func.func @main(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<2x?xf32>) {
      %0, %1 = rlx.scan(%a = %x) length(2) : (tensor<?xf32>) -> (tensor<?xf32>, tensor<2x?xf32>) {
        %b = rlx.concat %a, %a axis(0) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
        rlx.yield %b, %b : tensor<?xf32>, tensor<?xf32>
      }
      func.return %0, %1 : tensor<?xf32>, tensor<2x?xf32>
    }"""
    with pytest.raises(
        Refusal, match=r"'rlx.scan' in @main has no form in linalg: a size of an output .*; make its sizes static"
    ):
        lower_to_linalg(parse(text))
