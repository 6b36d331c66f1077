"""Sizes of the values of a program: numbers, and polynomials that are equal where the sizes always are."""

from __future__ import annotations

import pytest
from xdsl.ir import SSAValue

from rlx_dialect.xdsl_repairs import parse_module
from rlx_passes.frontend.dim_sources import source_of
from rlx_passes.frontend.dims import AxisSize, Dim, IndexSize, Size
from rlx_passes.frontend.known_sizes import remembered_sizes, size_in, sizes_of
from rlx_passes.tools.dialects import tool_context

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
    assert source_of(values["loose"], 1) == (values["split"], 0)


def test_remembered(values: dict[str, SSAValue]):
    """The same, and nothing stays behind the `with` block."""
    with remembered_sizes():
        once = {name: sizes_of(values[name]) for name in ("x", "relu", "turned", "flat", "loose")}
        assert {name: sizes_of(values[name]) for name in once} == once
    assert {name: sizes_of(values[name]) for name in once} == once
