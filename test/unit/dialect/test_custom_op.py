"""`rlx.custom`: what the reference makes of it, and that passes leave it alone unless it is pure."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from programs import parse, text_of
from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.ir import Attribute
from xdsl.transforms.common_subexpression_elimination import cse
from xdsl.transforms.dead_code_elimination import dce

from rlx_dialect.builder import Graph
from rlx_dialect.ops.base import i64_attr
from rlx_dialect.reference import Array, run

X = np.arange(3, dtype=np.float32)


def program(results: int = 1) -> ModuleOp:
    g = Graph("f")
    made = g.custom("power", [g.input("x", (None,))], [((None,), "f32")] * results, {"by": i64_attr(2)})
    for i, tensor in enumerate(made):
        g.output(f"y{i}", tensor)
    return g.module()


def power(attributes: Mapping[str, Attribute], operands: Sequence[Any]) -> list[Array]:
    by = attributes["by"]
    return [operands[0] ** (by.value.data if isinstance(by, IntegerAttr) else 1)]


def test_the_reference_runs_what_it_is_given():
    np.testing.assert_array_equal(run(program(), "f", [X], {"power": power})["y0"], X * X)


def test_nothing_says_what_it_computes():
    with pytest.raises(
        LookupError, match=r'rlx\.custom "power": nothing says what it computes; kinds with a function: sqrt'
    ):
        run(program(), "f", [X], {"sqrt": power})


def test_results_that_do_not_fit():
    with pytest.raises(ValueError, match=r'rlx\.custom "power": 2 results were declared, 1 given'):
        run(program(2), "f", [X], {"power": power})
    with pytest.raises(ValueError, match=r"result #0 must be tensor<\?xf32>, got \[3\] of float64"):
        run(program(), "f", [X], {"power": lambda attributes, operands: [operands[0].astype(np.float64)]})
    with pytest.raises(ValueError, match=r"result #0 must be tensor<\?xf32>, got \[1, 3\] of float32"):
        run(program(), "f", [X], {"power": lambda attributes, operands: [operands[0][None]]})


def test_only_pure_ones_go():
    module = parse("""
      func.func @f(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
        %0 = rlx.custom "a"(%x) : (tensor<3xf32>) -> tensor<3xf32>
        %1 = rlx.custom "b"(%x) pure : (tensor<3xf32>) -> tensor<3xf32>
        %2 = rlx.custom "c"(%x) pure : (tensor<3xf32>) -> tensor<3xf32>
        %3 = rlx.custom "c"(%x) pure : (tensor<3xf32>) -> tensor<3xf32>
        func.return %2, %3 : tensor<3xf32>, tensor<3xf32>
      }""")
    cse(module)
    dce(module)
    assert [line.count('rlx.custom "') for line in text_of(module).splitlines() if "rlx.custom" in line] == [1, 1]
    assert '"a"' in text_of(module)
    assert '"c"' in text_of(module)
