"""`rlx-fuse-gated-residual`"""

from collections.abc import Collection
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from rlx_dialect.attributes import BinaryKind
from rlx_dialect.ops import BinaryOp, GatedResidualOp
from rlx_passes.core.index import PatternPass
from rlx_passes.fusion.defaults import DTYPES
from rlx_passes.fusion.modulation import gated_sum, is_kind
from rlx_passes.fusion.options import check_dtypes
from rlx_passes.rewriting.patterns import Fusion, FusionPattern, run_patterns
from rlx_passes.switches.original import restored


@dataclass(frozen=True)
class GatedResidual(FusionPattern[BinaryOp]):
    """
    %0 = rlx.binary mul %gate, %y
    %1 = rlx.binary add %x, %0       =>    %1 = rlx.gated_residual %x, %y, %gate

    `%y` has the dims of `%x`; the gate is smaller and broadcasts to them, mostly from `[B, 1, D]`.
    """

    title = "gated_residual"
    roots = (BinaryOp,)

    dtypes: Collection[str] = DTYPES

    def considers(self, root: BinaryOp, /) -> bool:
        products = (value.owner for value in root.operands)
        return is_kind(root, BinaryKind.ADD) and any(
            isinstance(op, BinaryOp) and is_kind(op, BinaryKind.MUL) for op in products
        )

    def match(self, add: BinaryOp, /) -> Fusion:
        parts = gated_sum(add, self.dtypes)
        return Fusion.of((parts.product, add), GatedResidualOp(parts.x, parts.y, parts.gate))


@dataclass(frozen=True)
class FuseGatedResidualPass(PatternPass):
    """
    Fuse a residual sum with the gate of its update.

    `dtypes` are the element types that may be fused; `compat-dtypes` restores f32 alone.
    """

    name = "rlx-fuse-gated-residual"

    dtypes: tuple[str, ...] = DTYPES
    compat_dtypes: bool = False

    def __post_init__(self) -> None:
        check_dtypes(self.name, self.dtypes)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        run_patterns(op, (GatedResidual(restored(self).dtypes),))
