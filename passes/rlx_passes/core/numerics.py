"""How near two results must be to count as equal: one tolerance per dtype, for every comparison with the reference."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Tolerance(NamedTuple):
    """`|actual - expected| <= absolute + relative * |expected|`."""

    relative: float
    absolute: float


EXACT = Tolerance(0.0, 0.0)

TOLERANCES = {
    "float64": Tolerance(1e-12, 1e-12),
    "float32": Tolerance(1e-5, 1e-5),
    "float16": Tolerance(2e-3, 2e-3),
    "bfloat16": Tolerance(1.6e-2, 1.6e-2),
    "complex64": Tolerance(1e-5, 1e-5),
}
"""By NumPy dtype name; other dtypes are compared exactly. The narrow ones allow about two units in the last place."""


def tolerance_of(dtype: np.dtype[Any]) -> Tolerance:
    """The tolerance for results of `dtype`."""
    return TOLERANCES.get(dtype.name, EXACT)


def tolerance_of_whole(expected: NDArray[Any]) -> Tolerance:
    """
    The tolerance for results of a program that rounds at other places than the one that gave `expected`.

    If sums cancel, rounding leaves as much as the summands; so the absolute part grows with the largest finite element.
    """
    relative, absolute = tolerance_of(expected.dtype)
    with np.errstate(all="ignore"):
        sizes = np.abs(expected.astype(np.complex128 if expected.dtype.kind == "c" else np.float64))
    return Tolerance(relative, absolute * float(np.max(sizes, initial=1.0, where=np.isfinite(sizes))))


def difference(actual: NDArray[Any], expected: NDArray[Any], tolerance: Tolerance | None = None) -> str | None:
    """
    What is wrong with `actual`, or None where it is as good as `expected`: dtype, shape, or the element furthest off.

    NaN equals NaN, an infinity equals only itself.
    """
    if actual.dtype != expected.dtype or actual.shape != expected.shape:
        return f"{actual.dtype}{list(actual.shape)} instead of {expected.dtype}{list(expected.shape)}"
    relative, absolute = tolerance or tolerance_of(expected.dtype)
    wide = np.complex128 if expected.dtype.kind == "c" else np.float64
    exact = expected.dtype.kind in "iub"
    a, b = (actual, expected) if exact else (actual.astype(wide), expected.astype(wide))
    with np.errstate(all="ignore"):
        off = np.where(a == b, 0.0, 1.0) if exact else np.abs(a - b)
        allowed = absolute + relative * np.where(np.isfinite(b), np.abs(b), 0.0)
        wrong = ~((off <= allowed) | (a == b) | ((a != a) & (b != b)))
    if not wrong.any():
        return None
    excess = np.where(wrong, np.where(np.isfinite(off - allowed), off - allowed, np.inf), -np.inf)
    worst = np.unravel_index(int(np.argmax(excess)), excess.shape)
    place = [int(i) for i in worst]
    return (
        f"{int(wrong.sum())} of {wrong.size} elements differ, "
        f"most at {place}: {actual[worst]} instead of {expected[worst]}"
    )
