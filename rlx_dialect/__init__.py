"""The RLX dialect: ML ops, fused ops, their meaning and their text."""

from functools import cache
from typing import TYPE_CHECKING

from rlx_dialect.late import CANONICALIZATION as _CANONICALIZATION

if TYPE_CHECKING:
    from xdsl.ir import Dialect
    from xdsl.pattern_rewriter import RewritePattern

    RLX: Dialect
    """The dialect object, for `Context.load_dialect`; all ops are loaded when it is first asked for."""

__all__ = ["RLX"]


@cache
def __getattr__(name: str) -> "Dialect":
    if name != "RLX":
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    from xdsl.ir import Dialect

    from rlx_dialect.ops import ALL_OPS

    return Dialect("rlx", [*ALL_OPS], [])


def _canonicalization() -> "tuple[RewritePattern, ...]":
    from rlx_dialect.canonicalize import CANONICALIZATION  # loaded when somebody canonicalizes

    return (CANONICALIZATION,)


_CANONICALIZATION.append(_canonicalization)
