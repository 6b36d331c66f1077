"""`docs/accuracy.md`: the largest error of each elementwise function on each backend, as measured by `test/backend_accuracy.py`."""

import json
from pathlib import Path

MEASURED = Path(__file__).parents[1] / "test" / "data" / "accuracy.json"
BACKENDS = ("cpu", "mlx", "tpu", "wgpu", "metal")


def accuracy_page() -> str:
    measured = json.loads(MEASURED.read_text())
    lines = [
        "# Accuracy",
        "",
        "<!-- Made by docs/generate.py from test/data/accuracy.json, which test/backend_accuracy.py measures. -->",
        "",
        "Every function is here that `rlx_dialect.formulas` knows, at default parameters where it has any: those that are one op of the dialect,",
        "and those that importers and `Graph.function` write as several ops. Each has one formula, and every backend emits it in its own ops. Where a",
        "backend has one op that is as good, that is used: those are marked with a star, which functions of several ops never are. Derivatives,",
        "which the activations have, are tested against mpmath in `test/unit/formulas/test_derivatives.py`, on NumPy arrays in the place of a backend.",
        "",
        "The tables show the largest error in units of the last place against mpmath, rounded up, over both zeros, infinities, NaN, halves, the",
        "largest and smallest numbers, large angles, and random numbers of all magnitudes. Tests hold each cell to its bound: 1 for f16 and bf16;",
        "for f32 and f64 8 for pow, sin, cos, tan, lgamma and digamma, 0 for mod and whatever rounds to whole numbers, and 4 for all others. lgamma and",
        "digamma below 0 are judged by the digits of 1 or of their value at the number's magnitude, the larger one. Signs of zero and infinities count;",
        "NaN does not on wgpu and metal, where compilers may disregard it; denormal numbers count on mlx alone, for the others take them for zero.",
        "wgpu and metal have no f64, for GPUs refuse its functions.",
        "",
        "What ran: for cpu IREE, for mlx MLX on a CPU, for tpu XLA's compiler for CPUs, for wgpu Mesa's lavapipe, for metal its source as C++.",
        "Another processor may give other digits of a function that is not ours.",
    ]
    for dtype in ("f32", "f64", "f16", "bf16"):
        shown = [backend for backend in BACKENDS if f"{backend} {dtype}" in measured]
        columns = [measured[f"{backend} {dtype}"] for backend in shown]
        lines += ["", f"## {dtype}", "", f"| function | {' | '.join(shown)} |", "| --- |" + " --- |" * len(shown)]
        for name in sorted(columns[0]):
            cells = [f"{column[name]['error']}{'*' if column[name]['native'] else ''}" for column in columns]
            lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"
