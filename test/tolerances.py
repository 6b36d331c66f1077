"""How near results must be in tests, by dtype and by how the two computations differ: the only such table beside `rlx_passes/numerics.py`."""

from collections.abc import Mapping

from rlx_dialect.reference import Array
from rlx_passes.numerics import EXACT, TOLERANCES, Tolerance, difference

SAME_ROUNDING: Mapping[str, Tolerance] = TOLERANCES
"""Both round at the same places."""

ONE_OP = {**SAME_ROUNDING, **dict.fromkeys(("float32", "complex64"), Tolerance(2e-6, 2e-6))}
"""One op, or a few, that both compute by the same formula."""

OTHER_ROUNDING = {
    **SAME_ROUNDING,
    "float16": Tolerance(4e-3, 4e-3),
    "bfloat16": Tolerance(2e-2, 2e-2),
    "float8_e4m3fn": Tolerance(0.25, 0.25),
    "float8_e5m2": Tolerance(0.25, 0.25),
}
"""One rounds where the other does not, as a fused op and its parts do: about four units in the last place."""

NORM = {
    "float64": Tolerance(1e-12, 1e-12),
    "float32": Tolerance(1e-5, 1e-6),
    "float16": Tolerance(2e-3, 2e-3),
    "bfloat16": Tolerance(1.6e-2, 1.6e-2),
}
"""Random programs: the relative part counts by the norm of a row."""


def agree(
    actual: Array, expected: Array, tolerances: Mapping[str, Tolerance] = SAME_ROUNDING, where: object = ""
) -> None:
    """Equal dtypes and dims; values within the tolerance of the dtype, exactly equal where the table has none."""
    wrong = difference(actual, expected, tolerances.get(expected.dtype.name, EXACT))
    assert wrong is None, f"{where} {wrong}".strip()
    _record(actual, expected, tolerances)


def _record(a, b, t):
    import os

    import numpy as np

    if expected_none := (b.dtype.name not in t) or not b.size:
        return
    kind = next(k for k, v in globals().items() if v is t)
    w = np.complex128 if b.dtype.kind == "c" else np.float64
    a, b2 = a.astype(w), b.astype(w)
    with np.errstate(all="ignore"):
        need = np.abs(a - b2) / (1 + np.abs(b2))
    need = need[np.isfinite(need)]
    if need.size:
        with open("/tmp/tests/need.log", "a") as f:
            f.write(f"{kind}\t{b.dtype.name}\t{need.max():.3g}\t{os.environ.get('PYTEST_CURRENT_TEST')}\n")
