"""Sizes known at run time only: their arithmetic, and the axis that each comes from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

from rlx_dialect.attributes import (
    Activation,
    AttentionLayout,
    CompareKind,
    Extremum,
    PadMode,
    PoolKind,
    ReduceKind,
    ScatterReduction,
)
from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.dims import (
    Atom,
    AxisSize,
    Dim,
    IndexSize,
    Quotient,
    Size,
    Undecided,
    at_least,
    equal,
    larger,
    product,
    total,
)
from rlx_dialect.known_sizes import sizes_of
from rlx_dialect.ops import AttentionConfig

GRAPH = Graph("sizes")
TENSOR = GRAPH.input("x", (None, None, None)).value
ATOMS = [AxisSize(TENSOR, axis) for axis in range(3)]
A, B, C = map(Dim.of, ATOMS)


def value(size: Size, run: Mapping[Atom, int]) -> int:
    """What a size is in a run."""
    if isinstance(size, int):
        return size
    return sum(
        coefficient * int(np.prod([_atom(atom, run) ** power for atom, power in monomial]))
        for monomial, coefficient in size.terms()
    )


def _atom(atom: Atom, run: Mapping[Atom, int]) -> int:
    if isinstance(atom, Quotient):
        return value(atom.dividend, run) // value(atom.divisor, run)
    return run[atom]


RUNS: list[Mapping[Atom, int]] = [dict(zip(ATOMS, sizes)) for sizes in ((1, 1, 1), (2, 3, 5), (7, 4, 9), (12, 1, 6))]
FORMULAS: list[Callable[[Any, Any, Any], Any]] = [
    lambda a, b, c: a + b + c,
    lambda a, b, c: a - b + b * c,
    lambda a, b, c: 5 - a,
    lambda a, b, c: -a * 3 + 2,
    lambda a, b, c: (a + b) * (a + b),
    lambda a, b, c: (a + 1) * (b - 2) * c,
    lambda a, b, c: 64 * a * b // (16 * a),
    lambda a, b, c: (6 * a + 4 * b) // 2,
    lambda a, b, c: a // 2 + b // c,
    lambda a, b, c: a // 2 * 2,
    lambda a, b, c: 100 // a,
    lambda a, b, c: (a * b + c) // b,
    lambda a, b, c: a % 3 + 12 * b % 4,
]


@pytest.mark.parametrize("formula", FORMULAS)
@pytest.mark.parametrize("run", RUNS, ids=lambda run: str(list(run.values())))
def test_formulas_mean_what_they_mean_for_numbers(formula: Callable[[Any, Any, Any], Any], run: Mapping[Atom, int]):
    assert value(formula(A, B, C), run) == formula(*run.values())


def test_what_is_written_in_another_order_is_equal():
    assert A + B == B + A
    assert A * B * C == C * B * A
    assert hash(A * B + C) == hash(C + B * A)
    assert (A + B) * C == A * C + B * C
    assert A + B != A + C
    assert A * A != A


def test_sizes_cancel_out():
    assert A - A == 0
    assert A + 2 - A == 2
    assert 0 * A == 0
    assert A * B - B * A + 7 == 7
    assert A // A == 1
    assert (A + B) // (A + B) == 1


def test_quotients_are_exact_where_each_term_is_a_multiple():
    assert 64 * A * B // (16 * A) == 4 * B
    assert (6 * A + 4 * B) // 2 == 3 * A + 2 * B
    assert A * A * B // (A * B) == A
    assert 64 * A * B // (A * B) == 64
    assert 12 * A % 4 == 0
    assert 0 // A == 0


def test_other_quotients_stay_as_they_are():
    assert Dim.of(Quotient(A, 2)) == A // 2
    assert A // 2 * 2 != A
    assert Dim.of(Quotient(A, B)) == A // B
    assert Dim.of(Quotient(A * B, A + B)) == A * B // (A + B)
    assert Dim.of(Quotient(64, A)) == 64 // A
    assert A // 2 - A // 2 == 0


@pytest.mark.parametrize("divisor", [0, -2])
def test_nothing_is_divided_by_what_is_below_1(divisor: int):
    with pytest.raises(Undecided, match=f"a size is divided by {divisor}"):
        _ = A // divisor


def test_products_and_sums():
    assert product([2, A, 3, B]) == 6 * A * B
    assert product([]) == 1
    assert total([2, A, 3, A]) == 2 * A + 5
    assert total([]) == 0
    assert product([A, 0]) == 0


def test_equal_sizes():
    assert equal(A * B, B * A)
    assert equal(4, 4)
    assert not equal(4, 5)
    assert not equal(A + 1, A)
    assert not equal(A, -1)
    assert not equal(A + B + 1, 0)
    assert not equal(-1 - A, 0)


@pytest.mark.parametrize(("a", "b"), [(A, B), (A, 4), (A, 0), (A - B, 1), (A * B, A)])
def test_whether_sizes_are_equal_may_depend_on_the_run(a: Size, b: Size):
    with pytest.raises(Undecided, match="equal is known at run time only"):
        equal(a, b)


def test_sizes_are_not_negative():
    assert at_least(A, 0)
    assert at_least(A + B, A)
    assert at_least(A + 3, 3)
    assert not at_least(-1, A)
    assert not at_least(-1 - A, 0)
    assert at_least(3, 3)
    assert not at_least(2, 3)


@pytest.mark.parametrize(("a", "b"), [(A, 1), (A, B), (5, A), (A - 1, 0)])
def test_which_size_is_larger_may_depend_on_the_run(a: Size, b: Size):
    with pytest.raises(Undecided, match="larger is known at run time only"):
        at_least(a, b)


# Where sizes come from.


class Program:
    """A graph with tensors that have sizes known at run time only."""

    def __init__(self) -> None:
        self.graph = Graph("program")
        self.x = self.graph.input("x", (None, None, 8))
        self.y = self.graph.input("y", (None, None, 8))
        self.square = self.graph.input("square", (None, 8, 8))
        self.image = self.graph.input("image", (None, None, 8, 8))
        self.whole = self.graph.input("whole", (None, None), "i64")
        self.vector = self.graph.param("vector", (8,))
        self.scale = self.graph.param("scale", (None, 1, 8))


Build = Callable[[Graph, Program], Tensor]
FROM: dict[str, tuple[Build, list[tuple[str, int] | None]]] = {
    "activation": (lambda g, p: g.activation(Activation.TANH, p.x), [("x", 0), ("x", 1)]),
    "binary": (lambda g, p: p.x + p.y, [("x", 0), ("x", 1)]),
    "binary stretched": (lambda g, p: p.scale + p.y, [("scale", 0), ("y", 1)]),
    "compare": (lambda g, p: g.compare(CompareKind.LT, p.x, 0), [("x", 0), ("x", 1)]),
    "where": (lambda g, p: g.where(g.is_finite(p.x), 0, p.y), [("x", 0), ("x", 1)]),
    "fma": (lambda g, p: g.fma(p.x, p.y, p.x), [("x", 0), ("x", 1)]),
    "cast": (lambda g, p: g.cast(p.x, "i32"), [("x", 0), ("x", 1)]),
    "softmax": (lambda g, p: g.softmax(p.x), [("x", 0), ("x", 1)]),
    "layer_norm": (lambda g, p: g.layer_norm(p.x, p.vector, p.vector), [("x", 0), ("x", 1)]),
    "rms_norm": (lambda g, p: g.rms_norm(p.x, p.vector, p.vector), [("x", 0), ("x", 1)]),
    "log1p": (lambda g, p: g.log1p(p.x), [("x", 0), ("x", 1)]),
    "cumsum": (lambda g, p: g.cumsum(p.x, 1), [("x", 0), ("x", 1)]),
    "argsort": (lambda g, p: g.argsort(p.x), [("x", 0), ("x", 1)]),
    "top_k": (lambda g, p: g.top_k(p.x, 2)[1], [("x", 0), ("x", 1)]),
    "arg_max": (lambda g, p: g.arg_max(p.x, 0), [("x", 1)]),
    "arg_max kept": (lambda g, p: g.arg_max(p.x, 2, keep_dims=True), [("x", 0), ("x", 1)]),
    "arg_reduce": (lambda g, p: g.arg_reduce(Extremum.MIN, p.x, 2)[0], [("x", 0), ("x", 1)]),
    "matmul": (lambda g, p: p.x @ p.square, [("x", 0), ("x", 1)]),
    "matmul turned": (lambda g, p: p.square @ g.transpose(p.y, (0, 2, 1)), [("square", 0), None, ("y", 1)]),
    "transpose": (lambda g, p: g.transpose(p.x, (1, 2, 0)), [("x", 1), None, ("x", 0)]),
    "reduce": (lambda g, p: g.reduce(ReduceKind.MAX, p.x, (0,)), [("x", 1)]),
    "reduce kept": (lambda g, p: g.sum(p.x, (-1,), keep_dims=True), [("x", 0), ("x", 1)]),
    "concat": (lambda g, p: g.concat([p.x, p.y], 2), [("x", 0), ("x", 1)]),
    "narrow": (lambda g, p: g.narrow(p.x, 2, 1, 3), [("x", 0), ("x", 1)]),
    "pad": (lambda g, p: g.pad(p.x, (0, 0, 1), (0, 0, 1), PadMode.CONSTANT), [("x", 0), ("x", 1)]),
    "tile": (lambda g, p: g.tile(p.x, (1, 1, 2)), [("x", 0), ("x", 1)]),
    "gather": (lambda g, p: g.gather(p.x, p.whole, 1), [("x", 0), ("whole", 0), ("whole", 1)]),
    "gather_elements": (lambda g, p: g.gather_elements(g.sum(p.x, (2,)), p.whole, 1), [("whole", 0), ("whole", 1)]),
    "gather_nd": (
        lambda g, p: g.gather_nd(p.x, g.narrow(p.whole, 1, 0, 1)),
        [("whole", 0), ("x", 1)],
    ),
    "scatter_elements": (
        lambda g, p: g.scatter_elements(p.whole, p.whole, p.whole, 0, ScatterReduction.ADD),
        [("whole", 0), ("whole", 1)],
    ),
    "conv": (lambda g, p: g.conv(p.square, g.param("w", (4, 8, 3))), [("square", 0)]),
    "pool": (lambda g, p: g.pool(PoolKind.MAX, p.image, 2), [("image", 0), ("image", 1)]),
    "attention": (
        lambda g, p: g.attention(
            *(p.x, p.y, p.y),
            AttentionConfig(heads=2, kv_heads=2, head_dim=4, v_head_dim=4, scale=0.5),
            layout=AttentionLayout.BSM,
        ),
        [("x", 0), ("x", 1)],
    ),
    "several ops": (lambda g, p: g.softmax(g.tanh(g.cast(p.x + 1, "f64")) * 2), [("x", 0), ("x", 1)]),
}


@pytest.mark.parametrize("name", FROM)
def test_sizes_are_traced_to_where_they_come_from(name: str):
    program = Program()
    build, expected = FROM[name]
    tensor = build(program.graph, program)
    for axis, source in enumerate(expected):
        if source is not None:
            argument: Tensor = getattr(program, source[0])
            assert sizes_of(tensor.value)[axis] == Dim.of(AxisSize(argument.value, source[1]))


def test_an_op_that_takes_sizes_gives_them():
    program = Program()
    g = program.graph
    rows = g.dim(program.x, 0)
    a, b = (Dim.of(AxisSize(program.x.value, axis)) for axis in range(2))
    flat = g.reshape(program.x, (rows, g.size("*", g.dim(program.x, 1), 8)))
    assert sizes_of(flat.value) == (a, b * 8)
    filled = g.filled((2, rows, 3, rows), 1.0)
    assert sizes_of(g.tanh(filled).value) == (2, a, 3, a)
    assert sizes_of(g.expand(g.reshape(filled, (2, rows, 3, rows)), (2, rows, 3, rows)).value) == (2, a, 3, a)


def test_an_index_value_that_nothing_is_known_of():
    """A rule says more where it can: what does not stretch, and the last size of a reshape."""
    program = Program()
    g = program.graph
    a, b = (Dim.of(AxisSize(program.x.value, axis)) for axis in range(2))
    loose = g.size_at(program.whole, 0, 0)
    assert sizes_of(g.filled((loose, 2), 1.0).value) == (Dim.of(IndexSize(loose)), 2)
    assert sizes_of(g.expand(program.x, (loose, loose, 8)).value) == (a, b, 8)
    assert sizes_of(g.reshape(program.x, (loose, 4)).value) == (2 * a * b, 4)
    assert sizes_of(g.reshape(program.x, (loose, 7)).value) == (Dim.of(IndexSize(loose)), 7)


Wanted = Callable[[Size, Size, Size], tuple[Size, ...]]
"""From dims 0 and 1 of x and dim 1 of y."""

MADE: dict[str, tuple[Build, Wanted]] = {
    "concat": (lambda g, p: g.concat([p.x, p.y], 1), lambda a, b, c: (a, b + c, 8)),
    "pad": (lambda g, p: g.pad(p.x, (0, 1, 0), (0, 0, 0), PadMode.CONSTANT), lambda a, b, c: (a, b + 1, 8)),
    "tile": (lambda g, p: g.tile(p.x, (1, 2, 1)), lambda a, b, c: (a, b * 2, 8)),
    "conv": (
        lambda g, p: g.conv(g.reshape(p.x, (1, 8, g.dim(p.x, 0))), g.param("w", (4, 8, 3))),
        lambda a, b, c: (1, 4, larger(a - 2, 0)),
    ),
    "pool": (
        lambda g, p: g.pool(PoolKind.MAX, g.reshape(p.x, (1, g.dim(p.x, 1), 8, g.dim(p.x, 0))), 2, stride=2),
        lambda a, b, c: (1, b, 4, a // 2),
    ),
    "dot_general": (
        lambda g, p: g.dot_general(p.y, p.x, contracting=((2,), (2,)), batch=((0,), (0,))),
        lambda a, b, c: (c, b),
    ),
    "reduce of products": (
        lambda g, p: g.sum(g.reshape(p.x, (g.size("*", g.dim(p.x, 0), 2), g.dim(p.x, 1), 4)), (2,)),
        lambda a, b, c: (2 * a, b),
    ),
    "several": (
        lambda g, p: g.concat([g.tile(p.x, (1, 2, 1)), g.pad(p.x, (0, 0, 0), (0, 3, 0), PadMode.CONSTANT)], 1),
        lambda a, b, c: (a, 3 * b + 3, 8),
    ),
}


@pytest.mark.parametrize("name", MADE)
def test_sizes_that_ops_make(name: str):
    program = Program()
    build, wanted = MADE[name]
    made = build(program.graph, program)
    a, b = (Dim.of(AxisSize(program.x.value, axis)) for axis in range(2))
    sizes = wanted(a, b, Dim.of(AxisSize(program.y.value, 1)))
    if name == "dot_general":
        sizes = (Dim.of(AxisSize(program.y.value, 0)), *sizes)
    assert sizes_of(made.value) == sizes
    assert sizes_of((made * 2.0).value) == sizes
