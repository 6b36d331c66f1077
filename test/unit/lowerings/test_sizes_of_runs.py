"""Programs of sizes that only a run knows, compiled for the cpu once and run at several, against the reference."""

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest
from tools import need_module, sampled

from rlx_dialect.attributes import CompareKind, PadMode, ReduceKind
from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.dims import Size
from rlx_dialect.known_sizes import sizes_of
from rlx_dialect.reference import Array, run
from rlx_passes.bundle.folder import write_bundle
from rlx_passes.codegen.emit import generator
from rlx_passes.lowerings.to_linalg import lower_to_linalg
from rlx_passes.runtime.program import load_bundle

SIZES = ((3, 5, 2), (1, 4, 1), (2, 1, 7), (0, 4, 3), (2, 5, 0))
"""The sizes b, s and t of each run; s is never 0 where something is divided by it or its last entry is read."""


class Given:
    """`x` is `[b, s, 8]`, `y` is `[b, t, 8]`, `w` is `[s, t]`."""

    def __init__(self, g: Graph):
        self.x = g.input("x", (None, None, 8))
        self.y = g.input("y", (None, None, 8))
        self.w = g.input("w", (None, None))
        self.turn = g.input("turn", (), "i1")
        self.b, self.s = g.dim(self.x, 0), g.dim(self.x, 1)
        self.t = g.dim(self.y, 1)


def _merged(g: Graph, p: Given) -> Tensor:
    """Two dims as one, taken apart in other places and put together again."""
    rows = g.size("*", p.b, p.s)
    flat = g.reshape(p.x, (rows, 8))
    halves = g.reshape(flat * 2.0, (rows, 2, 4))
    turned = g.reshape(g.transpose(halves, (1, 0, 2)), (2, p.b, g.size("*", p.s, 4)))
    return turned + g.reshape(p.x, (2, p.b, g.size("*", p.s, 4)))


def _product(g: Graph, p: Given) -> Tensor:
    """`[b, s, t]`, then with both kept dims as one."""
    scores = g.dot_general(p.x, p.y, contracting=((2,), (2,)), batch=((0,), (0,)))
    return g.reshape(scores + p.w, (p.b, g.size("*", p.s, p.t)))


def _joined(g: Graph, p: Given) -> Tensor:
    both = g.concat([p.x, p.y, p.x], 1)
    return g.reshape(both, (p.b, g.size("*", g.dim(both, 1), 2), 4))


def _padded(g: Graph, p: Given) -> Tensor:
    joined = g.concat([g.pad(p.x, (0, 1, 0), (0, 2, -3), PadMode.CONSTANT, 7.0), g.narrow(p.y, 2, 2, 5)], 1)
    return joined * g.cast(g.iota((p.b, g.dim(joined, 1), 5), 1), "f32")


def _sliced(g: Graph, p: Given) -> Tensor:
    """Every other row but the first ones, as many as there are."""
    padded = g.pad(p.x, (0, 1, 0), (0, 1, 0), PadMode.CONSTANT, 1.0)
    return g.slice(padded, (0, 1, 1), (p.b, g.size("//", g.size("+", p.s, 1), 2), 3), (1, 2, 2))


def _chosen(g: Graph, p: Given) -> Tensor:
    """Branches of different sizes."""
    (found,) = g.cond(
        p.turn,
        [p.x, p.y],
        lambda x, y: [x.graph.concat([x, y], 1)],
        lambda x, y: [x.graph.tanh(y)],
    )
    return g.sum(found, (1,)) + g.sum(found, (1,)) * 2.0


def _looped(g: Graph, p: Given) -> Tensor:
    """A loop that keeps its sizes, and reads a tensor of others."""
    kept, _ = g.while_loop(
        [p.x, g.full((), 0.0)],
        lambda x, n, y: [n.graph.compare(CompareKind.LT, n, 3.0)],
        lambda x, n, y: [x + y.graph.sum(y, (1,), keep_dims=True), n + 1.0],
        captures=[p.y],
    )
    return kept * p.x


def _below(row: Tensor, y: Tensor) -> Tensor:
    g = row.graph
    return g.concat([g.reshape(row, (g.dim(row, 0), 1, 8)), y], 1)


def _scanned(g: Graph, p: Given) -> Tensor:
    """As many rounds as there are rows, each of which gives a table."""
    _, tables = g.scan(
        [g.sum(p.y, (1,))],
        [g.transpose(p.x, (1, 0, 2))],
        lambda state, row, y: [state + row, _below(row, y)],
        captures=[p.y],
    )
    return g.transpose(tables, (1, 0, 2, 3))


def _tiled(g: Graph, p: Given) -> Tensor:
    return g.pad(g.tile(p.x, (2, 3, 1)), (0, 0, 1), (0, 0, 2), PadMode.REFLECT)


def _stretched(g: Graph, p: Given) -> Tensor:
    table = g.expand(g.reshape(p.w, (p.s, 1, p.t)), (p.s, p.b, p.t))
    return g.reduce(ReduceKind.MAX, g.concat([table, g.filled((p.s, p.b, 1), -1.0)], 2), (2,))


Program = Callable[[Graph, Given], Tensor]
Wanted = Callable[[Size, Size, Size], tuple[Size, ...]]
"""The sizes of the result from b, s and t; None where nobody can tell."""

PROGRAMS: Mapping[str, tuple[Program, Wanted | None]] = {
    "merged": (_merged, lambda b, s, t: (2, b, 4 * s)),
    "product": (_product, lambda b, s, t: (b, s * t)),
    "joined": (_joined, lambda b, s, t: (b, 4 * s + 2 * t, 4)),
    "padded": (_padded, lambda b, s, t: (b, s + t + 3, 5)),
    "sliced": (_sliced, lambda b, s, t: (b, (s + 1) // 2, 3)),
    "chosen": (_chosen, None),
    "looped": (_looped, lambda b, s, t: (b, s, 8)),
    "scanned": (_scanned, lambda b, s, t: (b, s, t + 1, 8)),
    "tiled": (_tiled, lambda b, s, t: (2 * b, 3 * s, 11)),
    "stretched": (_stretched, lambda b, s, t: (s, b)),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_where_sizes_come_from(name: str):
    """Told without a run."""
    program, wanted = PROGRAMS[name]
    g = Graph()
    given = Given(g)
    found = sizes_of(program(g, given).value)
    b, s, _ = sizes_of(given.x.value)
    t = sizes_of(given.y.value)[1]
    if wanted is not None:
        assert found == wanted(b, s, t)


def _arrays(b: int, s: int, t: int, *, turn: bool) -> dict[str, Array]:
    random = np.random.default_rng([b, s, t])
    shapes = {"x": (b, s, 8), "y": (b, t, 8), "w": (s, t)}
    return {name: random.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()} | {
        "turn": np.array(turn)
    }


@sampled(4)
@pytest.mark.parametrize("name", PROGRAMS)
def test_runs(name: str, tmp_path: Path):
    need_module("llvmlite")
    g = Graph()
    given = Given(g)
    g.output("found", PROGRAMS[name][0](g, given))
    module = g.module()
    runs = [_arrays(*sizes, turn=turn) for sizes in SIZES for turn in (False, True)]
    wanted = [run(module, inputs=arrays)["found"] for arrays in runs]
    lower_to_linalg(module)
    write_bundle(tmp_path / "bundle", generator("cpu")(module))
    program = load_bundle(tmp_path / "bundle")
    for arrays, expected in zip(runs, wanted):
        found = program(arrays)["found"]
        assert found.shape == expected.shape
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)
