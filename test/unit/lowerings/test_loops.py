"""Ops that become loops, or steps that stand for one: linear algebra, running sums, sorts, scatters."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from backends import Runner, on_cpu, on_mlx, on_xla
from graph_op import NAMES, Build, compute, program_of
from tools import shared
from xdsl.dialects.builtin import ModuleOp
from xdsl.rewriter import Rewriter

from rlx_dialect.attributes import ScatterReduction, Triangle
from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.decompose import decompose
from rlx_dialect.reference import Array, run
from rlx_dialect.shapes import DYNAMIC
from rlx_passes.core.numerics import difference

RNG = np.random.default_rng(0)
DType = np.dtype[Any]
F16, F32, F64 = (np.dtype(kind) for kind in (np.float16, np.float32, np.float64))
Case = tuple[Build, Sequence[Array]]


def floats(*dims: int, dtype: DType = F32) -> Array:
    return RNG.standard_normal(dims).astype(dtype)


def places(low: int, high: int, *dims: int, dtype: str = "int64") -> Array:
    return RNG.integers(low, high, dims).astype(np.dtype(dtype))


def definite(*dims: int) -> Array:
    """Symmetric matrices that are positive definite."""
    value = floats(*dims)
    return value @ np.swapaxes(value, -1, -2) + 2 * np.eye(dims[-1], dtype=np.float32)


def heavy(*dims: int) -> Array:
    """Matrices whose triangles can be solved well."""
    return floats(*dims) + 3 * np.eye(dims[-1], dtype=np.float32)


def solved(triangle: Triangle, *, transpose: bool = False) -> Build:
    return lambda g, m, r: g.triangular_solve(m, r, triangle, transpose=transpose)


def linear_algebra() -> Mapping[str, Case]:
    cases: dict[str, Case] = {
        "cholesky": (lambda g, x: g.cholesky(x), [definite(2, 7, 7)]),
        "cholesky_not_definite": (lambda g, x: g.cholesky(x), [np.stack([definite(4, 4), -definite(4, 4)])]),
        "triangular_lower": (solved(Triangle.LOWER), [heavy(2, 5, 5), floats(2, 5, 3)]),
        "triangular_upper": (solved(Triangle.UPPER), [heavy(5, 5), floats(5, 3)]),
        "triangular_upper_transposed": (solved(Triangle.UPPER, transpose=True), [heavy(5, 5), floats(5, 3)]),
        "triangular_half": (
            solved(Triangle.LOWER),
            [heavy(5, 5).astype(np.float16), floats(5, 3, dtype=F16)],
        ),
        "solve": (lambda g, m, r: g.dense_solve(m, r), [floats(6, 6), floats(6, 2)]),
        "solve_f64": (lambda g, m, r: g.dense_solve(m, r), [floats(6, 6, dtype=F64), np.arange(6.0)]),
        "solve_vectors": (lambda g, m, r: g.batched_dense_solve(m, r), [floats(3, 6, 6), floats(3, 6)]),
        "det": (lambda g, x: g.det(x), [floats(3, 5, 5)]),
        "det_singular": (lambda g, x: g.det(x), [np.ones((2, 3, 3), np.float32)]),
        "det_empty": (lambda g, x: g.det(x), [np.ones((2, 0, 0), np.float32)]),
        "log_det": (lambda g, x: g.log_det(x), [np.concatenate([floats(5, 4, 4), np.ones((1, 4, 4), np.float32)])]),
    }
    matrices = [floats(2, 5, 3), floats(3, 5), floats(4, 4), -np.eye(3, dtype=np.float32), np.ones((1, 1), np.float32)]
    matrices += [floats(4, 3) * np.float32(1e25), np.ones((2, 0, 3), np.float32)]
    for i, matrix in enumerate(matrices):
        cases[f"q_{i}"] = lambda g, x: g.qr(x)[0], [matrix]
        cases[f"r_{i}"] = lambda g, x: g.qr(x)[1], [matrix]
    return cases


EDGES = np.array([3, np.nan, -0.0, 0.0, 1, np.inf, np.nan, -np.inf, 3], np.float32)


def prefix(name: str, axis: int, **keywords: bool) -> Build:
    return lambda g, x: getattr(g, name)(x, axis, **keywords)


def ordered(axis: int, *, descending: bool) -> Build:
    return lambda g, x: g.argsort(x, axis, descending=descending)


def in_order() -> Mapping[str, Case]:
    cases: dict[str, Case] = {}
    for name in ("cumsum", "cumprod", "cummax"):
        for exclusive in (False, True):
            for reverse in (False, True):
                build = prefix(name, 1, exclusive=exclusive, reverse=reverse)
                cases[f"{name}_{exclusive}_{reverse}"] = build, [floats(2, 5, 3)]
        for kind, array in (
            ("one", floats(1, 3)),
            ("none", floats(0, 3)),
            ("integers", places(0, 5, 9, dtype="int32")),
            ("halves", floats(9, dtype=F16)),
            ("edges", EDGES),
        ):
            cases[f"{name}_{kind}"] = prefix(name, 0, exclusive=array.ndim > 1), [array]
    for kind, axis, array in (
        ("edges", -1, EDGES),
        ("one", -1, floats(3, 1)),
        ("none", -1, floats(3, 0)),
        ("ties", -1, places(0, 5, 2, 33, dtype="int32")),
        ("network", -1, places(0, 5, 2, 65, dtype="uint8")),
        ("network_halves", -1, floats(2, 200, dtype=F16)),
        ("network_first_axis", 0, places(0, 5, 150, 2, dtype="int32")),
        ("network_edges", -1, np.tile(EDGES, 20)),
        ("network_truth", -1, places(0, 2, 3, 100, dtype="bool")),
    ):
        for descending in (False, True):
            cases[f"argsort_{kind}_{descending}"] = ordered(axis, descending=descending), [array]
    return cases


def scattered(name: str, *axis: int, reduction: ScatterReduction) -> Build:
    return lambda g, x, i, u: getattr(g, name)(x, i, u, *axis, reduction)


def scatters() -> Mapping[str, Case]:
    pairs = np.stack([places(0, 5, 3, 2), places(0, 4, 3, 2)], -1)
    cases: dict[str, Case] = {
        "scatter_add": (lambda g, x, i, u: g.scatter_add(x, i, u, 0), [floats(6, 3), places(0, 6, 8), floats(8, 3)]),
        "scatter_add_inner": (
            lambda g, x, i, u: g.scatter_add(x, i, u, 1),
            [floats(2, 6, 3), places(0, 6, 8), floats(2, 8, 3)],
        ),
    }
    for how in ScatterReduction:
        rows = [floats(5, 4), places(0, 5, 7, 1), floats(7, 4)]
        elements = [floats(3, 4), places(-4, 4, 3, 6), floats(3, 6)]
        integers = [places(0, 9, 3, 4), places(0, 3, 2, 4), places(0, 9, 2, 4)]
        halves = [floats(5, 4, dtype=F16), pairs, floats(3, 2, dtype=F16)]
        cases[f"nd_rows_{how}"] = scattered("scatter_nd", reduction=how), rows
        cases[f"nd_halves_{how}"] = scattered("scatter_nd", reduction=how), halves
        cases[f"elements_{how}"] = scattered("scatter_elements", 1, reduction=how), elements
        cases[f"elements_integers_{how}"] = scattered("scatter_elements", 0, reduction=how), integers
    return cases


CASES = {**linear_algebra(), **in_order(), **scatters()}


@pytest.mark.parametrize("name", CASES)
def test_a_plain_form_computes_the_same(name: str):
    build, arrays = CASES[name]
    module = program_of(build, *arrays)
    for op in list(module.walk()):
        if (plain := decompose(op)) is not None:
            Rewriter.replace_op(op, *plain)
    module.verify()
    (got,) = run(module, "main", arrays).values()
    assert difference(got, compute(build, *arrays)) is None


def together(names: Sequence[str], *, known: bool = True) -> tuple[ModuleOp, list[Array]]:
    """One program of several cases, with sizes that are `known` or not, and its arguments: compilers start slowly."""
    g, arrays = Graph("main"), list[Array]()
    for name in names:
        build, given = CASES[name]
        dims = [array.shape if known else (DYNAMIC,) * array.ndim for array in given]
        tensors = [g.input(f"{name}_{i}", dims[i], NAMES[array.dtype]) for i, array in enumerate(given)]
        g.output(name, cast("Callable[..., Tensor]", build)(g, *tensors))
        arrays += given
    return g.module(), arrays


@pytest.mark.parametrize("runner", [on_cpu, on_xla, on_mlx])
@pytest.mark.parametrize("first", shared(range(0, len(CASES), 12), 3))
def test_compiled_code_computes_the_same(first: int, runner: Runner, tmp_path: Path):
    names = list(CASES)[first : first + 12]
    module, arrays = together(names)
    got = runner(module, arrays, tmp_path)
    wanted = [compute(build, *given) for build, given in (CASES[name] for name in names)]
    assert [difference(*pair) for pair in zip(got, wanted, strict=True)] == [None] * len(names)


UNKNOWN = (
    "solve",
    "log_det",
    "cholesky",
    "cumsum_True_True",
    "cummax_none",
    "argsort_ties_True",
    "argsort_network_True",
)
"""Cases that are tried with sizes which only a run knows."""


@pytest.mark.parametrize("runner", [on_cpu, on_mlx])
def test_sizes_of_a_run(runner: Runner, tmp_path: Path):
    module, arrays = together(UNKNOWN, known=False)
    got = runner(module, arrays, tmp_path)
    wanted = [compute(build, *given) for build, given in (CASES[name] for name in UNKNOWN)]
    assert [difference(*pair) for pair in zip(got, wanted, strict=True)] == [None] * len(UNKNOWN)


def test_a_scatter_skips_what_lies_outside(tmp_path: Path):
    build = scattered("scatter_nd", reduction=ScatterReduction.NONE)
    arrays = [np.zeros((3, 2), np.float32), np.array([[7], [1], [-9]]), np.ones((3, 2), np.float32)]
    for number, runner in enumerate((on_cpu, on_xla, on_mlx)):
        folder = tmp_path / str(number)
        folder.mkdir()
        (got,) = runner(program_of(build, *arrays), arrays, folder)
        assert got.tolist() == [[0, 0], [1, 1], [0, 0]]


# Arguments are the caller's.


def aligned(array: Array) -> Array:
    """A copy in memory that compiled code may take as it is."""
    memory = np.zeros(array.nbytes + 64, np.uint8)
    start = -memory.ctypes.data % 64
    copy = memory[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


def updated(g: Graph, x: Tensor, update: Tensor, at: Tensor) -> Tensor:
    return g.dynamic_update_slice(x, update, [at, at])


def scanned(g: Graph, x: Tensor, update: Tensor, at: Tensor) -> Tensor:
    def body(old: Tensor, new: Tensor, at: Tensor) -> list[Tensor]:
        return [old.graph.dynamic_update_slice(old, new, [at, at])]

    return g.scan([x], [], body, captures=[update, at], length=2)[0]


def added(g: Graph, x: Tensor, update: Tensor, at: Tensor) -> Tensor:
    return g.scatter_add(x, g.reshape(at, [1]), update, 0)


WRITES: Mapping[str, tuple[Callable[..., Tensor], tuple[int, int]]] = {
    "update": (updated, (2, 2)),
    "scan": (scanned, (2, 2)),
    "scatter": (added, (1, 64)),
}


@pytest.mark.parametrize("name", WRITES)
def test_compiled_code_does_not_write_into_arguments(name: str, tmp_path: Path):
    build, dims = WRITES[name]
    arrays: list[Any] = [aligned(x) for x in (floats(64, 64), floats(*dims), np.array(3, np.int64))]
    before = [array.copy() for array in arrays]
    (got,) = on_cpu(program_of(build, *arrays), arrays, tmp_path)
    assert difference(got, compute(build, *before)) is None
    assert all(np.array_equal(old, new) for old, new in zip(before, arrays))
