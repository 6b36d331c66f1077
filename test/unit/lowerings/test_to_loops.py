"""Programs of rlx ops as native code, against the reference: rows in rounds, odd sizes, memory used again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from graph_op import Build, program_of
from programs import joined
from tools import need_module

from rlx_dialect.attributes import ReduceKind
from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.reference import Array, run
from rlx_passes.bundle.folder import write_bundle
from rlx_passes.codegen.emit import generator
from rlx_passes.core.numerics import Tolerance, difference
from rlx_passes.lowerings.to_linalg import lower_to_linalg
from rlx_passes.runtime.native import NativeProgram
from rlx_passes.runtime.program import load_bundle

RNG = np.random.default_rng(7)


def floats(*shape: int, dtype: Any = np.float32) -> Array:
    return RNG.standard_normal(shape).astype(dtype)


def softmax_and_back(g: Graph, x: Tensor, y: Tensor) -> Sequence[Tensor]:
    """Rows that several ops share, then columns of the same memory, read by rows again."""
    rows = g.softmax(x * y)
    columns = g.softmax(rows + y, 0)
    return [columns - g.sum(rows, [1], keep_dims=True), rows]


def odd_sums(g: Graph, x: Tensor) -> Sequence[Tensor]:
    turned = g.transpose(x, [2, 0, 1])
    return [
        g.reduce(ReduceKind.SUM, x, [2, 0]),
        g.reduce(ReduceKind.MAX, turned, [1, 2]),
        g.reduce(ReduceKind.SUM, g.exp(turned), [0], keep_dims=True),
        g.reduce(ReduceKind.SUM, x, [0, 1, 2]),
    ]


def turns(g: Graph, x: Tensor) -> Sequence[Tensor]:
    once = g.transpose(x, [1, 2, 0])
    twice = g.transpose(once * 2.0, [2, 1, 0])
    thrice = g.transpose(twice, [0, 2, 1])
    return [g.transpose(g.transpose(thrice + x, [1, 0, 2]), [0, 2, 1]), once]


def parts(g: Graph, x: Tensor) -> Sequence[Tensor]:
    """Parts of parts, with steps, put together with what they are parts of."""
    inner = g.slice(g.slice(x, [1, 2], [499, 90], [1, 1]), [0, 1], [250, 30], [2, 3])
    again = g.concat([inner, g.reverse(inner, [0]), inner + 1.0], 1)
    shifted = g.concat([g.narrow(x, 0, 1, 500), g.narrow(x, 0, 0, 1)], 0)
    return [again, shifted - x, g.concat([shifted, x, shifted], 0), g.narrow(again, 1, 29, 32)]


def product(g: Graph, x: Tensor, w: Tensor, b: Tensor) -> Sequence[Tensor]:
    hidden = g.gelu(x @ w + b)
    return [hidden, g.sum(hidden, [0]), g.transpose(hidden, [1, 0]) @ x]


def narrow_types(g: Graph, h: Tensor, b: Tensor, c: Tensor) -> Sequence[Tensor]:
    larger = g.exp(h) * 2.0
    yes = g.logical_not(c)
    return [larger, g.tanh(b), yes, g.where(yes, larger, h), g.sum(g.cast(yes, "i32"), [1])]


def complex_numbers(g: Graph, z: Tensor, w: Tensor) -> Sequence[Tensor]:
    return [z * w, g.conjugate(z) / w, g.real(g.transpose(z * z, [1, 0]))]


def same_twice(g: Graph, x: Tensor, n: Tensor) -> Sequence[Tensor]:
    double = x + x
    return [x, double, double, g.reshape(double, [3, 2, 1]), n, g.reshape(g.sum(n, []), [1, 1])]


def nothing(g: Graph, x: Tensor) -> Sequence[Tensor]:
    return [g.sum(x, [1]), g.sum(x, [0]), g.concat([x, x], 0), g.softmax(x, 0), g.transpose(x, [1, 0])]


def swaps(g: Graph, p: Tensor, x: Tensor, y: Tensor) -> Sequence[Tensor]:
    """Carried values change places in rounds, in a branch and outside; what a round began with is read at its end."""

    def step(a: Tensor, b: Tensor, c: Tensor, q: Tensor, x: Tensor) -> Sequence[Tensor]:
        first, second = a.graph.cond(q, [a, b], lambda s, t: [t, s], lambda s, t: [s + t, t])
        inner = a.graph.scan([first, second], [], lambda s, t, x: [t + x, s], captures=[x], length=3)
        return [inner[1], a, b + c, a - inner[0]]

    carried = g.scan([x, y, x], [], step, captures=[p, x], length=4)
    return [*carried, x + y]


CASES: Mapping[str, tuple[Build, Sequence[Array]]] = {
    "softmax_and_back": (softmax_and_back, [floats(517, 131), floats(517, 131)]),
    "odd_sums": (odd_sums, [floats(31, 67, 53)]),
    "turns": (turns, [floats(67, 67, 33)]),
    "parts": (parts, [floats(501, 97)]),
    "product": (product, [floats(97, 131), floats(131, 77) / 8, floats(77)]),
    "narrow_types": (
        narrow_types,
        [floats(301, 203, dtype=np.float16), floats(301, 203, dtype=ml_dtypes.bfloat16), floats(301, 203) > 0],
    ),
    "complex_numbers": (
        complex_numbers,
        [(floats(203, 101) + 1j * floats(203, 101)).astype(np.complex64) for _ in range(2)],
    ),
    "same_twice": (same_twice, [floats(1, 6), np.float32(3).reshape(())]),
    "nothing": (nothing, [floats(3, 0)]),
    "swaps": (swaps, [np.array(False), floats(5, 7), floats(5, 7)]),
    "swaps_if": (swaps, [np.array(True), floats(5, 7), floats(5, 7)]),
}


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    need_module("llvmlite")
    module = joined({name: program_of(build, *arrays) for name, (build, arrays) in CASES.items()})
    lower_to_linalg(module)
    path = tmp_path_factory.mktemp("loops") / "bundle"
    write_bundle(path, generator("cpu", "native")(module))
    return path


def results(bundle: Path, name: str, threads: int) -> list[Array]:
    program = load_bundle(bundle, name).load({})
    assert isinstance(program, NativeProgram)
    arrays = [array.copy() for array in CASES[name][1]]
    found = program.use_threads(threads)({f"x{i}": array for i, array in enumerate(arrays)})
    assert all(np.array_equal(a, b) for a, b in zip(arrays, CASES[name][1], strict=True))
    return [np.asarray(array) for array in found.values()]


@pytest.mark.parametrize("name", CASES)
def test_programs_do_what_the_reference_does(bundle: Path, name: str):
    """With as many threads as there are, and the same bits with one."""
    build, arrays = CASES[name]
    expected = list(run(program_of(build, *arrays), "main", arrays).values())
    one, three = results(bundle, name, 1), results(bundle, name, 3)
    for actual, other, wanted in zip(one, three, expected, strict=True):
        assert actual.tobytes() == other.tobytes()
        tolerance = Tolerance(2e-5, 2e-5) if wanted.dtype in (np.float32, np.complex64) else None
        assert difference(actual, wanted, tolerance) is None
