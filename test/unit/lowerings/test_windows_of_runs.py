"""Pads and windows along axes that only a run knows, compiled once and run at several sizes, against the reference."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from tolerances import ONE_OP, agree
from tools import need_module, sampled, shared

import rlx_passes
from rlx_dialect.attributes import PadMode, PoolKind, SpatialLayout
from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.reference import run

Build = Callable[[Graph, Tensor], Tensor]

LAST = SpatialLayout.CHANNELS_LAST


def weight(g: Graph, *dims: int) -> Tensor:
    return g.constant((np.arange(np.prod(dims)) % 7 - 3).astype(np.float32).reshape(dims))


def pad(mode: PadMode, low: int, high: int) -> Build:
    return lambda g, x: g.pad(x, (0, 0, low, 1), (0, 0, high, 2), mode, 1.5 if mode is PadMode.CONSTANT else 0)


def pool(kind: PoolKind, **config: Any) -> Build:
    return lambda g, x: g.pool(kind, x, (3, 2), **config)


BUILDS: dict[str, Build] = {
    **{f"pad_{mode}": pad(mode, 2, 1) for mode in PadMode},
    "pad_that_cuts": pad(PadMode.CONSTANT, -1, -2),
    "pad_that_cuts_and_fills": pad(PadMode.CONSTANT, -3, 4),
    "conv": lambda g, x: g.conv(x, weight(g, 3, 2, 3, 3), stride=(2, 1), padding=((1, 1), (0, 2))),
    "conv_of_gaps": lambda g, x: g.conv(x, weight(g, 3, 2, 2, 2), dilation=2, input_dilation=2, padding=2),
    "conv_of_groups": lambda g, x: g.conv(x, weight(g, 4, 1, 3, 3), groups=2, padding=1),
    "conv_that_cuts": lambda g, x: g.conv(x, weight(g, 3, 2, 2, 2), padding=((-1, 1), (0, -1))),
    "conv_after_a_product": lambda g, x: g.conv(g.conv(x, weight(g, 2, 2, 1, 1)), weight(g, 3, 2, 3, 3), padding=1),
    "conv_transpose": lambda g, x: g.conv_transpose(
        x, weight(g, 2, 3, 3, 3), stride=(2, 1), padding=1, output_padding=(1, 0)
    ),
    "max": pool(PoolKind.MAX, stride=(2, 1), padding=((1, 1), (0, 1))),
    "max_of_gaps": pool(PoolKind.MAX, dilation=2),
    "max_over_the_end": pool(PoolKind.MAX, stride=(2, 3), ceil=True),
    "avg": pool(PoolKind.AVG, stride=(2, 1), padding=((1, 1), (0, 1))),
    "avg_over_the_end": pool(PoolKind.AVG, stride=2, padding=1, ceil=True),
    "avg_with_pads": pool(PoolKind.AVG, stride=(2, 1), padding=1, count_include_pad=True),
    "avg_with_pads_over_the_end": pool(PoolKind.AVG, stride=2, padding=1, ceil=True, count_include_pad=True),
    "im2col": lambda g, x: g.im2col(x, (3, 2), stride=(2, 1), padding=1),
}
SIZES = ((7, 6), (5, 9), (8, 5))


def check(build: Build, target: str, dims: Sequence[int | None]) -> None:
    graph = Graph("main")
    graph.output("y", build(graph, graph.input("x", dims)))
    module = graph.module()
    program = rlx_passes.compile(module, target, origin="rlx")
    for at, sizes in enumerate(SIZES):
        filled = [sizes[axis % 2] if size is None else size for axis, size in enumerate(dims)]
        x = np.random.default_rng(at).standard_normal(filled).astype(np.float32)
        agree(program({"x": x})["y"], run(module, None, {"x": x})["y"], ONE_OP, sizes)


@sampled(4)
@pytest.mark.parametrize("target", ["cpu", "mlx"])
@pytest.mark.parametrize("name", shared(BUILDS, 2))
def test_f25_axes_of_runs(name: str, target: str):
    need_module({"cpu": "llvmlite", "mlx": "mlx"}[target])
    check(BUILDS[name], target, (1, 2, None, None))


@pytest.mark.parametrize("target", ["cpu", "mlx"])
def test_f25_a_known_axis_beside_one_of_a_run(target: str):
    need_module({"cpu": "llvmlite", "mlx": "mlx"}[target])
    check(lambda g, x: g.pad(x, (0, 2), (0, 2), PadMode.REFLECT), target, (None, 8))
    check(lambda g, x: g.pool(PoolKind.AVG, x, (3, 2), stride=2, layout=LAST), target, (1, None, 6, 2))
