"""Locations as MLIR and JAX print them are read, and printed again as they were."""

import pytest
from programs import text_of
from xdsl.dialects.builtin import FileLineColLoc, ModuleOp

from rlx_passes.reading.diagnostics import DiagnosticError, place_of
from rlx_passes.reading.dialects import tool_context
from rlx_passes.reading.parsing import parse
from rlx_passes.reading.source import Source

LOCATIONS = {
    "range in a line": 'loc("a.py":4:11 to :33)',
    "range of lines": 'loc("a.py":4:11 to 6:2)',
    "metadata": 'loc(fused<"meta">["a.py":1:2 to :5, "b.py":1:2 to 3:5, callsite("x" at "y"("c.py":1:2))])',
    "metadata of another kind": "loc(fused<{a = 1 : i32}>[unknown])",
    "no parts": 'loc("q"("r"(fused["a", "b"])))',
    "range in a call": 'loc("scan"(callsite("f"("a.py":4:11 to :33) at "<module>"("a.py":5:2 to :53))))',
}

NAMED = """#meta = {a = 1 : i32}
#loc2 = loc("x")
module @jit_f {
  func.func public @main(%arg0: tensor<4x8xf32> loc("x")) -> tensor<4x8xf32> {
    %0 = stablehlo.tanh %arg0 : tensor<4x8xf32> loc(#loc5)
    %1 = stablehlo.abs %0 : tensor<4x8xf32> loc(#loc6)
    return %1 : tensor<4x8xf32> loc(#loc3)
  } loc(#loc)
} loc(#loc)
#loc = loc("a.py":0:0)
#loc1 = loc("a.py":4:11 to :33)
#loc3 = loc("f"(#loc1))
#loc4 = loc(callsite(#loc3 at #loc2))
#loc5 = loc("jit(f)/tanh"(#loc4))
#loc6 = loc(fused<#meta>[#loc1, #loc5])
"""
"""What a printer of debug text makes: ranges behind names that stand after the module, metadata before it."""

REDUCER = """func.func @f(
  %x: tensor<4xf32> loc("x"), %y: tensor<4xi32>, %a: tensor<f32>, %b: tensor<i32>
) -> tensor<f32> {
  %0:2 = stablehlo.reduce(%x init: %a), (%y init: %b) across dimensions = [0]
         : (tensor<4xf32>, tensor<4xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
   reducer(%c: tensor<f32> loc("r"("f.py":1:2 to :3)), %d: tensor<f32> loc("s"))
          (%e: tensor<i32> loc("r"), %g: tensor<i32> loc(unknown)) {
    stablehlo.return %c, %e : tensor<f32>, tensor<i32> loc("end")
  } loc("argmax")
  func.return %0#0 : tensor<f32> loc("back")
} loc("f")
"""

REGIONS = """func.func @f(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = rlx.if %c(%a = %x) : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32> {
    %1 = rlx.activation relu %a : tensor<4xf32> loc("then")
    rlx.yield %1 : tensor<4xf32> loc("end")
  } else(%b) {
    rlx.yield %b : tensor<4xf32> loc("end")
  } loc("choice"("f.py":1:2 to :3))
  func.return %0 : tensor<4xf32> loc("back")
} loc("f")
"""

TEXTS = {
    "reducer": (REDUCER, 'tensor<f32> loc("r"("f.py":1:2 to :3))'),
    "regions": (REGIONS, 'loc("choice"("f.py":1:2 to :3))'),
}


def read(text: str) -> ModuleOp:
    return parse(tool_context(), Source("<text>", text))


@pytest.mark.parametrize("name", LOCATIONS)
def test_f42_locations_are_read_and_printed(name: str):
    op = read(f"%0 = arith.constant 1 : i32 {LOCATIONS[name]}").body.block.first_op
    assert op is not None
    assert str(op.location) == LOCATIONS[name]


@pytest.mark.parametrize("name", TEXTS)
def test_f42_debug_text_comes_back(name: str):
    text, location = TEXTS[name]
    printed = text_of(read(f'module {{\n{text}\n}} loc("m")'), locations=True)
    assert location in printed
    assert text_of(read(printed), locations=True) == printed


def test_f42_locations_named_after_the_module_with_ranges_and_metadata():
    printed = text_of(read(NAMED), locations=True)
    assert (
        'loc(fused<{a = 1 : i32}>["a.py":4:11 to :33, "jit(f)/tanh"(callsite("f"("a.py":4:11 to :33) at "x"))])'
        in printed
    )
    assert text_of(read(printed), locations=True) == printed


def test_f42_a_range_is_a_place():
    module = read('func.func @f() {\n  func.return loc("f"("a.py":4:11 to :33))\n}')
    (end,) = (op for op in module.walk() if op.name == "func.return")
    place = place_of(end)
    assert place is not None
    assert (place.file, place.line, place.column) == ("a.py", 4, 11)


def test_f42_a_range_of_one_place_is_that_place():
    op = read('%0 = arith.constant 1 : i32 loc("a.py":4:11 to :11)').body.block.first_op
    assert op is not None
    assert type(op.location) is FileLineColLoc
    line = read('%0 = arith.constant 1 : i32 loc("a.py":4)').body.block.first_op
    assert line is not None
    assert str(line.location) == 'loc("a.py":4:0)'


@pytest.mark.parametrize("location", ['loc("a.py":4:1 to 5)', 'loc("a.py":-4:1)', 'loc(fused<["a"])', "loc(fused[1])"])
def test_f42_other_locations_are_refused(location: str):
    with pytest.raises(DiagnosticError):
        read(f"%0 = arith.constant 1 : i32 {location}")
