"""The RLX dialect: ML ops, fused ops, their meaning and their text."""

from xdsl.ir import Dialect

from rlx_dialect.ops import ALL_OPS as _ALL_OPS

RLX = Dialect("rlx", [*_ALL_OPS], [])
"""The dialect object, for `Context.load_dialect`."""

__all__ = ["RLX"]
