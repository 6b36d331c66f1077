"""`docs/accuracy.md`: the largest error of each elementwise function, by `test/backend_accuracy.py`."""

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
        "Every function of `rlx_dialect.formulas`, at default parameters where it has any: those that are one op of",
        "the dialect, and those that importers and `Graph.function` write as several ops. Each has one formula, which",
        "every backend emits in its own ops. A star marks the functions for which a backend has one op that is as",
        "good and is used instead. The derivatives of activations are held to the same bounds against mpmath in",
        "`test/unit/formulas/test_derivatives.py`, on NumPy arrays, cpu, mlx and tpu. Those of silu, gelu, gelu_approx",
        "and mish have a zero below 0, near which the error is judged by the larger of the two numbers that cancel.",
        "",
        "The tables show the largest error against mpmath in units of the last place, rounded up, over both zeros,",
        "infinities, NaN, halves, the largest and smallest numbers, large angles, and random numbers of all",
        "magnitudes; of 40,000 of these those that are farthest from the formula in f64 are judged. Tests hold each",
        "cell to its bound: 1 for f16 and bf16; for f32 and f64 8 for pow, sin, cos, tan, lgamma and digamma, 0 for",
        "mod and rounding to whole numbers, and 4 for all others, but 5 for exp and tanh of f32 on tpu: native there",
        "since TPUs have an instruction for them, and measured on what is none. lgamma and digamma below",
        "0 are judged by the digits of 1 or of their value at the number's magnitude, whichever is larger. Signs of",
        "zero and infinities count; NaN does not on wgpu and metal, where compilers may disregard it; denormal",
        "numbers count on mlx alone, since the others flush them to zero. wgpu and metal have no f64, and refuse its",
        "functions.",
        "",
        "Measured with this project's native code for cpu, MLX on a CPU for mlx, XLA's compiler for CPUs for tpu,",
        "Mesa's lavapipe for wgpu, and the source as C++ for metal. Another processor may give other digits of a",
        "native function.",
    ]
    for dtype in ("f32", "f64", "f16", "bf16"):
        shown = [backend for backend in BACKENDS if f"{backend} {dtype}" in measured]
        columns = [measured[f"{backend} {dtype}"] for backend in shown]
        lines += ["", f"## {dtype}", "", f"| function | {' | '.join(shown)} |", "| --- |" + " --- |" * len(shown)]
        for name in sorted(columns[0]):
            cells = [f"{column[name]['error']}{'*' if column[name]['native'] else ''}" for column in columns]
            lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"
