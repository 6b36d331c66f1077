"""What ops ask of modules that know the ops. `rlx_dialect/__init__.py` knows both ends and puts it here."""

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xdsl.pattern_rewriter import RewritePattern

CANONICALIZATION: "list[Callable[[], tuple[RewritePattern, ...]]]" = []
"""Where the rules of canonicalisation come from."""
