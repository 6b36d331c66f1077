"""Programs with odd, empty, huge and unfitting sizes: the exact result or an error of one line, never a signal."""

from pathlib import Path

import pytest
from odd_runs import hunt
from tools import need_module, shared

ROOT = Path(__file__).parents[2]
NEEDED = {"cpu": ("llvmlite",), "mlx": ("mlx",), "tpu": ("jax",), "wgpu": ("wgpu",)}
PARTS = 16

RANDOM = [("cpu", "random", 0, 20, ""), ("mlx", "random", 0, 20, ""), ("cpu", "random", 20, 20, ""),
          ("mlx", "random", 20, 20, ""), ("tpu", "random", 0, 20, ""), ("wgpu", "random", 0, 20, "")]  # fmt: skip
GUARDED = [("cpu", "random", first + 10 * i, 10, at) for i in range(4) for first, at in ((40, "end"), (2000, "start"))]
"""With the random programs above 200."""
FOUND = [("cpu", "random", seed, 1, "end") for seed in (60010, 60050, 60082, 60268, 60280, 60302)]
"""
Once a size that a run makes 1 stretched, sizes in a branch that never fit were not looked at, and the reference took
what the dialect refuses.
"""
TABLES = [("tpu", "random", seed, 1, "") for seed in (70043, 70082)]
"""Once XLA refused to gather from a table without rows."""
UNCHECKED = [("mlx", "random", seed, 1, "") for seed in (70005, 70038, 70067, 70068, 70113, 70177, 70202, 70399)]
"""
Once nothing looked at sizes that elements or branches decide on mlx, nor whether memory holds what is made of them;
some ended the process.
"""
LONG = [("cpu", "random", 60700, 6, "")]
"""Once a softmax over an axis of no element beside one of 2^40 took a round for each of the 2^44 rows."""
EXAMPLES = [("cpu", str(ROOT / "test" / "filecheck" / "dialect"), part, PARTS, "end") for part in range(PARTS)]


@pytest.mark.parametrize(
    "case",
    [*shared(RANDOM, 6), *shared(GUARDED, 8), *FOUND, *TABLES, *UNCHECKED, *LONG, *shared(EXAMPLES, PARTS)],
    ids=lambda case: "-".join(Path(str(part)).stem for part in case if part != ""),
)
def test_nothing_but_the_result_or_one_line(case: tuple[str, str, int, int, str]):
    backend, *_ = case
    for module in NEEDED[backend]:
        need_module(module)
    assert hunt(*case) == []
