"""How near test results must be, by dtype and kind of computation: the only such table beside `core/numerics.py`."""

from collections.abc import Mapping

from rlx_dialect.reference import Array
from rlx_passes.core.numerics import EXACT, TOLERANCES, Tolerance, difference

SAME_ROUNDING: Mapping[str, Tolerance] = TOLERANCES
"""Both round at the same places."""

ONE_OP = {**SAME_ROUNDING, **dict.fromkeys(("float32", "complex64"), Tolerance(2e-6, 2e-6))}
"""One op, or a few, that both compute by the same formula."""

TRANSFORMED = {**SAME_ROUNDING, **dict.fromkeys(("float32", "complex64"), Tolerance(2e-6, 5e-5))}
"""Each result of a Fourier transform is a sum over all samples, so its error goes by the largest of them."""

OTHER_ROUNDING = {**SAME_ROUNDING, "float16": Tolerance(4e-3, 4e-3), "bfloat16": Tolerance(2e-2, 2e-2)}
"""One rounds where the other does not: about four units in the last place of a half."""

FOLDED = {**OTHER_ROUNDING, "float16": Tolerance(1e-2, 1e-2)}
"""A weight was multiplied by a factor and rounded before it is used, as where a batch norm goes into a convolution."""

FOUR_DIGITS = {**SAME_ROUNDING, "float32": Tolerance(0, 1e-4)}
"""Expected values are cut off after four digits."""

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
