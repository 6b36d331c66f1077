"""The RLX dialect: ML ops, fused ops, their meaning and their text."""

from xdsl.ir import Dialect
from xdsl.pattern_rewriter import RewritePattern

from rlx_dialect.ops import ALL_OPS as _ALL_OPS
from rlx_dialect.ops.base import CANONICALIZATION as _CANONICALIZATION

RLX = Dialect("rlx", [*_ALL_OPS], [])
"""The dialect object, for `Context.load_dialect`."""

__all__ = ["RLX"]


def _canonicalization() -> tuple[RewritePattern, ...]:
    from rlx_dialect.canonicalize import CANONICALIZATION  # loaded when somebody canonicalizes

    return (CANONICALIZATION,)


_CANONICALIZATION.append(_canonicalization)
