"""Every op that orders, chooses or rounds once, on the edge values of its element types, in a process of its own."""

import pytest
from edges import hunt
from tools import need_module, shared

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
