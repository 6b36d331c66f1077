"""Ops on the edge values of their element types, in processes of their own: most that order, choose or round once."""

import pytest
from edges import hunt
from tools import long, need_module, shared

NEEDED = {"cpu": "llvmlite", "mlx": "mlx", "tpu": "jax", "wgpu": "wgpu"}
ROUNDING = [(backend, word) for word in ("fma_", "fake_quantize_") for backend in NEEDED]
CHOOSING = [
    (backend, word) for word in ("cast_", "binary_d", "binary_sh", "sort_", "arg", "top_") for backend in ("cpu", "mlx")
]


@pytest.mark.parametrize("case", [*shared(ROUNDING, 3), *shared(CHOOSING, 12)], ids="-".join)
def test_edge_values(case: tuple[str, str]):
    backend, word = case
    need_module(NEEDED[backend])
    assert hunt(backend, "steady", 0, 1, word) == []


@pytest.mark.parametrize("word", ["cholesky", "spline_activation"])
def test_what_is_not_finite_is_not_lost_on_wgpu(word: str):
    """Its compilers take `x - x` and `x * 0` for 0."""
    need_module("wgpu")
    assert hunt("wgpu", "all", 0, 1, word) == []


@pytest.mark.parametrize("backend", [pytest.param(backend, marks=[long]) for backend in ("cpu", "mlx")])
def test_a_part_of_all_ops(backend: str):
    """All of it by `python test/property/edges.py BACKEND all PART PARTS`."""
    need_module(NEEDED[backend])
    assert hunt(backend, "all", 7, 60) == []
