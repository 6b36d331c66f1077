"""Plain forms that reckon with sizes only a run knows: compiled once, run at several, against the reference."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest
from tools import need_module, sampled
from xdsl.dialects.builtin import ModuleOp

from rlx_dialect.attributes import AdaNormKind, ScatterReduction
from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.reference import Array, run
from rlx_passes.bundle.folder import write_bundle
from rlx_passes.codegen.emit import generator
from rlx_passes.core.numerics import difference
from rlx_passes.lowerings.to_linalg import lower_to_linalg
from rlx_passes.lowerings.to_mlx.convert import ConvertRlxToMlxPass
from rlx_passes.reading.dialects import tool_context
from rlx_passes.runtime.program import load_bundle

SIZES = ((3, 5), (1, 2), (7, 4), (0, 3))
"""The sizes n and m of each run."""


class Given:
    """`x` is `[n, m, 3]`. Places in it: `along` `[n, m, 3]` on its first axis, `points` `[m, 2]`, `own` `[n, 4, 1]`."""

    def __init__(self, g: Graph):
        self.x = g.input("x", (None, None, 3))
        self.along = g.input("along", (None, None, 3), "i32")
        self.points = g.input("points", (None, 2), "i64")
        self.own = g.input("own", (None, 4, 1), "i64")
        self.scale = g.input("scale", (1, 3))
        self.key = g.input("key", (2,), "ui32")
        self.n, self.m = g.dim(self.x, 0), g.dim(self.x, 1)


Program = Callable[[Graph, Given], Tensor]


def _added(reduction: ScatterReduction) -> Program:
    """What is gathered by place is put back there."""
    return lambda g, p: g.scatter_nd(p.x, p.points, g.gather_nd(p.x, p.points) * 2.0, reduction)


def _ada_layer_norm(g: Graph, p: Given) -> Tensor:
    return g.ada_layer_norm_backward(p.x, p.scale, p.x * 0.5, p.x + 1.0, 1e-5, AdaNormKind.RMS_NORM)


PROGRAMS: Mapping[str, Program] = {
    "gather_elements": lambda g, p: g.gather_elements(p.x, p.along, axis=0),
    "gather_nd": lambda g, p: g.gather_nd(p.x, p.points),
    "gather_nd_in_batches": lambda g, p: g.gather_nd(p.x, p.own, batch_dims=1),
    "gather_nd_of_unknown_slices": lambda g, p: g.gather_nd(g.transpose(p.x, (0, 1, 2)), g.narrow(p.points, 1, 0, 1)),
    "gather_nd_of_slices_in_batches": lambda g, p: g.gather_nd(
        g.reshape(p.x, (p.n, p.m, 3, 1)) * g.cast(g.iota((1, 1, 1, p.m), 3), "f32"), p.own, batch_dims=1
    ),
    "scatter_elements": lambda g, p: g.scatter_elements(p.x, p.along, p.x * 2.0, 0, ScatterReduction.MAX),
    "scatter_nd": _added(ScatterReduction.NONE),
    "scatter_nd_added": _added(ScatterReduction.ADD),
    "sort": lambda g, p: g.sort(p.x, 1),
    "top_k": lambda g, p: g.top_k(p.x, 2, 1)[0],
    "roll": lambda g, p: g.roll(p.x, (9, -2, 1), (0, 1, 2)),
    "rng_normal": lambda g, p: g.rng_normal((p.n, 3, p.m), p.key, 1.0, 2.0) + 0.0,
    "rng_uniform": lambda g, p: g.rng_uniform((p.m, p.n), p.key, -1.0, 2.0),
    "qr": lambda g, p: g.matmul(*g.qr(p.x)),
    "qr_wide": lambda g, p: g.qr(g.transpose(p.x, (0, 2, 1)))[1],
    "resize_nearest2x": lambda g, p: g.resize_nearest2x(g.reshape(p.x, (3, 1, p.n, p.m))),
    "dynamic_update_slice": lambda g, p: g.dynamic_update_slice(
        g.concat([p.x, p.x * 2.0], 1), p.x * 3.0, [g.constant(np.array(at)) for at in (2, 1, 0)]
    ),
    "sample": lambda g, p: g.sample(p.x * 3.0, p.key, temperature=0.7, top_p=0.9),
    "sample_of_unknown_many": lambda g, p: g.sample(g.transpose(p.x, (0, 2, 1)), p.key, top_k=3, top_p=0.8),
    "histogram": lambda g, p: g.histogram(p.x, 4, -1.0, 1.0),
    "ada_layer_norm_backward": _ada_layer_norm,
    "gated_residual_backward": lambda g, p: g.gated_residual_backward(p.x, p.x * 2.0, p.scale, p.x + 1.0),
}


def _arrays(n: int, m: int) -> dict[str, Array]:
    random = np.random.default_rng([n, m])
    points = random.permutation(n * m)[:m]  # no place twice, for the last of equal ones need not stay
    return {
        "x": random.standard_normal((n, m, 3)).astype(np.float32),
        "along": random.integers(-n, max(n, 1), (n, m, 3)).astype(np.int32),
        "points": np.stack([points // m - n, points % m], 1),
        "own": random.integers(-m, m, (n, 4, 1)),
        "scale": random.standard_normal((1, 3)).astype(np.float32),
        "key": np.array([n, m], np.uint32),
    }


def _lower(module: ModuleOp, target: str) -> None:
    if target == "cpu":
        lower_to_linalg(module)
    else:
        ConvertRlxToMlxPass().apply(tool_context(), module)


@sampled(5)
@pytest.mark.parametrize("target", ["cpu", "mlx"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_runs(name: str, target: str, tmp_path: Path):
    for module in ("llvmlite",) if target == "cpu" else ("mlx",):
        need_module(module)
    g = Graph()
    given = Given(g)
    g.output("found", PROGRAMS[name](g, given))
    module = g.module()
    runs = [_arrays(*sizes) for sizes in SIZES]
    wanted = [run(module, inputs=arrays)["found"] for arrays in runs]
    _lower(module, target)
    write_bundle(tmp_path / "bundle", generator(target)(module))
    program = load_bundle(tmp_path / "bundle")
    for arrays, expected in zip(runs, wanted):
        assert difference(program(arrays)["found"], expected) is None
