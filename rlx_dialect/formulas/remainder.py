"""The remainder of a division."""

from rlx_dialect.formulas.machine import Num
from rlx_dialect.formulas.registry import formula


@formula
def mod(a: Num, b: Num) -> Num:
    """C's fmod: exact, with the sign of `a`."""
    raise NotImplementedError
