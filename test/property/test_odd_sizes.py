"""Programs with odd, empty, huge and unfitting sizes: the exact result or an error of one line, never a signal."""

from pathlib import Path

import pytest
from odd_runs import hunt
from tools import need_module, shared

ROOT = Path(__file__).parents[2]
NEEDED = {"cpu": ("iree.compiler", "iree.runtime"), "mlx": ("mlx",), "tpu": ("jax",), "wgpu": ("wgpu",)}
BATCH, BATCHES = 25, 8
PARTS = 16
MODELS = sorted((ROOT / "test" / "models").glob("*.onnx"))

RANDOM = [(backend, "random", BATCH * i, BATCH, "") for backend in NEEDED for i in range(BATCHES)]
FOLDER = str(ROOT / "test" / "filecheck" / "dialect")
EXAMPLES = [
    (backend, FOLDER, part, PARTS, ("end", "start")[part % 2] if backend == "cpu" else "")
    for backend in NEEDED
    for part in range(PARTS)
]
GUARDED = [("cpu", "random", 1000 + 10 * i, 10, at) for i in range(4) for at in ("end", "start")]
WHOLE = [(backend, str(model), 0, 1, "") for model in MODELS for backend in NEEDED]


@pytest.mark.parametrize(
    ("backend", "source", "seed", "count", "at"),
    [*shared(RANDOM, BATCHES), *shared(EXAMPLES, PARTS), *shared(GUARDED, 4), *shared(WHOLE, len(WHOLE))],
)
def test_nothing_but_the_result_or_one_line(backend: str, source: str, seed: int, count: int, at: str):
    for module in NEEDED[backend]:
        need_module(module)
    if source.endswith(".onnx"):
        need_module("onnx")
    assert hunt(backend, source, seed, count, at) == []
