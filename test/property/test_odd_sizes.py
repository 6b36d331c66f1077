"""Programs with odd, empty, huge and unfitting sizes: the exact result or an error of one line, never a signal."""

from pathlib import Path

import pytest
from odd_runs import hunt
from tools import need_module, shared

ROOT = Path(__file__).parents[2]
NEEDED = {"cpu": ("iree.compiler", "iree.runtime"), "mlx": ("mlx",), "tpu": ("jax",), "wgpu": ("wgpu",)}
BATCH, BATCHES = 20, 10
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
    "case",
    [*shared(RANDOM, BATCHES), *shared(EXAMPLES, PARTS), *shared(GUARDED, len(GUARDED)), *shared(WHOLE, len(WHOLE))],
    ids=lambda case: "-".join(Path(str(part)).stem for part in case if part != ""),
)
def test_nothing_but_the_result_or_one_line(case: tuple[str, str, int, int, str]):
    backend, source, *_ = case
    for module in (*NEEDED[backend], *(["onnx"] if source.endswith(".onnx") else [])):
        need_module(module)
    assert hunt(*case) == []
