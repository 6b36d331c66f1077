"""Sizes of the values of a program: numbers, and polynomials that are equal where the sizes always are."""

from __future__ import annotations

import pytest
from xdsl.ir import SSAValue

from rlx_dialect.dims import AxisSize, Dim, IndexSize, Size
from rlx_dialect.known_sizes import KnownSizes, remembered_sizes, settled, size_in, sizes_of
from rlx_dialect.xdsl_repairs import parse_module
from rlx_passes.reading.dialects import tool_context

PROGRAM = """
func.func @main(%x: tensor<?x?x8xf32> {rlx.dims = ["b", "s", 8]}, %m: tensor<?x?xi1> {rlx.dims = ["s", "b"]},
                %y: tensor<?x?x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %b = tensor.dim %m, %c1 : tensor<?x?xi1>
  %s = tensor.dim %x, %c1 : tensor<?x?x8xf32>
  %four_b = arith.muli %c4, %b : index
  %b_four = arith.muli %b, %c4 : index
  %more = arith.addi %four_b, %b : index
  %less = arith.subi %more, %four_b : index
  %nothing = arith.subi %more, %more : index
  %of_y = tensor.dim %y, %c0 : tensor<?x?x8xf32>
  %at = tensor.dim %y, %n : tensor<?x?x8xf32>
  %relu = rlx.activation relu %x : tensor<?x?x8xf32>
  %turned = rlx.transpose %relu [2, 1, 0] : tensor<?x?x8xf32> -> tensor<8x?x?xf32>
  %flat = rlx.reshape %turned sizes(%four_b) : tensor<8x?x?xf32> -> tensor<?x2xf32>
  %static = rlx.reshape %c sizes(%c4) : tensor<4x2xf32> -> tensor<?x2xf32>
  %split = rlx.reshape %flat sizes(%b) : tensor<?x2xf32> -> tensor<8x?xf32>
  %loose = rlx.transpose %split [1, 0] : tensor<8x?xf32> -> tensor<?x?xf32>
  func.return
}
"""


@pytest.fixture(scope="module")
def values() -> dict[str, SSAValue]:
    text = PROGRAM.replace("  %static", "  %c = arith.constant dense<0.0> : tensor<4x2xf32>\n  %static")
    module = parse_module(tool_context(), text, "sizes")
    found = {result.name_hint: result for op in module.walk() for result in op.results}
    arguments = {arg.name_hint: arg for op in module.walk() for region in op.regions for arg in region.block.args}
    return {name: value for name, value in {**found, **arguments}.items() if name is not None}


def test_index_values(values: dict[str, SSAValue]):
    b: Size = Dim.of(AxisSize(values["x"], 0))
    s: Size = Dim.of(AxisSize(values["x"], 1))
    y: Size = Dim.of(AxisSize(values["y"], 0))
    expected: dict[str, Size] = {
        "c4": 4,
        "b": b,
        "s": s,
        "four_b": b * 4,
        "b_four": b * 4,
        "more": b * 5,
        "less": b,
        "nothing": 0,
        "of_y": y,
        "at": Dim.of(IndexSize(values["at"])),
        "n": Dim.of(IndexSize(values["n"])),
    }
    assert {name: size_in(values[name]) for name in expected} == expected


def test_tensors(values: dict[str, SSAValue]):
    b: Size = Dim.of(AxisSize(values["x"], 0))
    s: Size = Dim.of(AxisSize(values["x"], 1))
    assert sizes_of(values["x"]) == sizes_of(values["relu"]) == (b, s, 8)
    assert sizes_of(values["m"]) == (s, b)
    assert sizes_of(values["turned"]) == (8, s, b)
    assert sizes_of(values["flat"]) == (b * 4, 2)
    assert sizes_of(values["static"]) == (4, 2)
    assert sizes_of(values["y"])[0] != b


def test_a_static_size_further_up(values: dict[str, SSAValue]):
    b: Size = Dim.of(AxisSize(values["x"], 0))
    assert sizes_of(values["loose"]) == (b, 8)


def test_remembered(values: dict[str, SSAValue]):
    """The same, and nothing outlives the `with` block."""
    with remembered_sizes():
        once = {name: sizes_of(values[name]) for name in ("x", "relu", "turned", "flat", "loose")}
        assert {name: sizes_of(values[name]) for name in once} == once
    assert {name: sizes_of(values[name]) for name in once} == once


CONTROL = """
func.func @main(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %xs: tensor<?x?x4xf32>, %c: tensor<i1>) {
  %either = rlx.if %c(%a = %x, %b = %y) : (tensor<i1>, tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32> {
    %0 = rlx.activation relu %a : tensor<?x4xf32>
    rlx.yield %0 : tensor<?x4xf32>
  } else(%d, %e) {
    rlx.yield %d : tensor<?x4xf32>
  }
  %other = rlx.if %c(%f = %x, %g = %y) : (tensor<i1>, tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32> {
    rlx.yield %f : tensor<?x4xf32>
  } else(%h, %i) {
    rlx.yield %i : tensor<?x4xf32>
  }
  %kept:2 = rlx.while(%j = %c, %k = %x) captures(%l = %y)
      : (tensor<i1>, tensor<?x4xf32>, tensor<?x4xf32>) -> (tensor<i1>, tensor<?x4xf32>) {
    rlx.yield %j : tensor<i1>
  } do(%m, %n, %o) {
    %1 = rlx.activation tanh %n : tensor<?x4xf32>
    rlx.yield %m, %1 : tensor<i1>, tensor<?x4xf32>
  }
  %grown:2 = rlx.while(%p = %c, %q = %x) captures(%r = %y)
      : (tensor<i1>, tensor<?x4xf32>, tensor<?x4xf32>) -> (tensor<i1>, tensor<?x4xf32>) {
    rlx.yield %p : tensor<i1>
  } do(%s, %t, %u) {
    %2 = rlx.concat %t, %u axis(0) : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    rlx.yield %s, %2 : tensor<i1>, tensor<?x4xf32>
  }
  %scan:2 = rlx.scan(%v = %x) over(%w = %xs) : (tensor<?x4xf32>, tensor<?x?x4xf32>)
      -> (tensor<?x4xf32>, tensor<?x?x4xf32>) {
    %3 = rlx.concat %v, %w axis(0) : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    rlx.yield %v, %3 : tensor<?x4xf32>, tensor<?x4xf32>
  }
  %region = rlx.elementwise_region(%z = %y) : (tensor<?x4xf32>) -> tensor<?x4xf32> {
    %4 = rlx.activation relu %z : tensor<?x4xf32>
    rlx.yield %4 : tensor<?x4xf32>
  }
  func.return
}
"""


def test_sizes_pass_regions():
    module = parse_module(tool_context(), CONTROL, "control")
    (func,) = module.body.ops
    x, y, xs, _ = func.regions[0].block.args
    either, other, kept, grown, scan, region = list(func.regions[0].block.ops)[:6]
    n, m = (Dim.of(AxisSize(each, 0)) for each in (x, y))
    rounds, rows = (Dim.of(AxisSize(xs, axis)) for axis in range(2))
    assert sizes_of(either.results[0]) == (n, 4)
    assert sizes_of(other.results[0]) == (Dim.of(AxisSize(other.results[0], 0)), 4)
    assert sizes_of(kept.results[1]) == (n, 4)
    assert sizes_of(grown.results[1]) == (Dim.of(AxisSize(grown.results[1], 0)), 4)
    assert [sizes_of(each) for each in scan.results] == [(n, 4), (rounds, n + rows, 4)]
    assert sizes_of(region.results[0]) == (m, 4)


def test_dims_that_met():
    program = """
    func.func @main(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>, %z: tensor<4x8xf32>, %c: tensor<i1>) {
      %0 = rlx.binary add %x, %y : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
      %1 = rlx.binary add %0, %z : (tensor<?x8xf32>, tensor<4x8xf32>) -> tensor<?x8xf32>
      func.return
    }
    """
    module = parse_module(tool_context(), program, "met")
    known = KnownSizes()
    for op in module.walk():
        for value in op.results:
            known.of(value)
    (func,) = module.body.ops
    sizes = [Dim.of(AxisSize(each, 0)) for each in func.regions[0].block.args[:2]]
    assert [settled(size, known.equalities()) for size in sizes] == [4, 4]
    assert sizes[0] != sizes[1]


def test_a_long_program_takes_no_stack():
    lines = [f"%v{i + 1} = rlx.activation relu %v{i} : tensor<?xf32>" for i in range(3000)]
    text = "func.func @main(%v0: tensor<?xf32>) {" + "\n".join(lines) + "\nfunc.return }"
    values = [op.results[0] for op in parse_module(tool_context(), text, "long").walk() if op.results]
    assert sizes_of(values[-1]) == (Dim.of(AxisSize(values[0].owner.operands[0], 0)),)
