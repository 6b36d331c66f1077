"""Hoisting keeps what a program computes: `@F` on what `@F_prepare` gives is the old `@F`."""

from __future__ import annotations

import numpy as np
import pytest
from programs import context, parse, random_inputs
from xdsl.dialects.builtin import ModuleOp

from rlx_dialect.reference import run
from rlx_dialect.signature import PARAM, PREPARED, arguments_of, find_function, results_of
from rlx_passes.lowerings.hoist_prepare import HoistPreparePass

PROGRAM = """
func.func @main(%x: tensor<?x4xf32> {rlx.input = "x"}, %w: tensor<6x4xf16> {rlx.param = "w"},
    %b: tensor<6xf32> {rlx.param = "b"},
                %s: tensor<6xf32> {rlx.param = "s", rlx.dims = [6]}, %u: tensor<2xf32> {rlx.param = "unread"})
    -> (tensor<?x6xf32> {rlx.output = "y"}, tensor<4x6xf32> {rlx.output = "packed"}) {
  %two = arith.constant dense<2.0> : tensor<6xf32>
  %wide = rlx.cast %w : tensor<6x4xf16> -> tensor<6x4xf32>
  %t = rlx.transpose %wide [1, 0] : tensor<6x4xf32> -> tensor<4x6xf32>
  %double = rlx.binary mul %b, %two : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
  %row = rlx.reshape %double : tensor<6xf32> -> tensor<1x6xf32>
  %0 = rlx.matmul %x, %t : (tensor<?x4xf32>, tensor<4x6xf32>) -> tensor<?x6xf32>
  %1 = rlx.binary add %0, %row : (tensor<?x6xf32>, tensor<1x6xf32>) -> tensor<?x6xf32>
  %2 = rlx.binary mul %1, %s : (tensor<?x6xf32>, tensor<6xf32>) -> tensor<?x6xf32>
  func.return %2, %t : tensor<?x6xf32>, tensor<4x6xf32>
}
"""


def hoisted(text: str) -> ModuleOp:
    module = parse(text)
    HoistPreparePass().apply(context(), module)
    module.verify()
    return module


def test_values_stay():
    before, after = parse(PROGRAM), hoisted(PROGRAM)
    inputs = random_inputs(find_function(before, "main"))
    prepared = run(after, "main_prepare", {name: inputs[name] for name in ("w", "b")})
    actual = run(after, "main", {**inputs, **prepared})
    for name, expected in run(before, "main", inputs).items():
        assert np.array_equal(actual[name], expected), name


def test_signatures():
    after = hoisted(PROGRAM)
    main, prepare = find_function(after, "main"), find_function(after, "main_prepare")
    assert [(each.role, each.name) for each in arguments_of(prepare)] == [(PARAM, "w"), (PARAM, "b")]
    assert [(each.role, each.name) for each in results_of(prepare)] == [(PREPARED, "p0"), (PREPARED, "p1")]
    names = [each.name for each in arguments_of(main)]
    assert names == ["x", "s", "unread", "p0", "p1"]
    assert main.arg_attrs is not None
    assert "rlx.dims" in main.arg_attrs.data[1].data
    assert [each.name for each in results_of(main)] == ["y", "packed"]


def test_a_second_run_changes_nothing():
    module = hoisted(PROGRAM)
    once = str(module)
    HoistPreparePass().apply(context(), module)
    assert str(module) == once


@pytest.mark.parametrize("role", ["rlx.input", "rlx.prepared"])
def test_only_params_are_invariant(role: str):
    text = (
        f'func.func @f(%x: tensor<2x3xf32> {{{role} = "x"}}) -> tensor<3x2xf32> {{\n'
        "  %0 = rlx.transpose %x [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>\n  func.return %0 : tensor<3x2xf32>\n}\n"
    )
    assert str(hoisted(text)) == str(parse(text))
