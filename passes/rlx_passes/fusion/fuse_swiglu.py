"""`rlx-fuse-swiglu`"""

from collections.abc import Collection
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from rlx_dialect.ops import ActivationOp, FusedSwiGLUOp, NarrowOp
from rlx_dialect.shapes import show
from rlx_passes.core.index import PatternPass
from rlx_passes.fusion.defaults import DTYPES
from rlx_passes.fusion.gated_linear import gated_by, opens_gate
from rlx_passes.fusion.options import check_dtypes
from rlx_passes.rewriting.legality import dims_of, require, require_dtype, require_last_axis
from rlx_passes.rewriting.miss import Reason
from rlx_passes.rewriting.patterns import Fusion, FusionPattern, run_patterns


@dataclass(frozen=True)
class SwiGLU(FusionPattern[ActivationOp]):
    """
    %u = rlx.narrow %c axis(1) start(0) length(8)
    %g = rlx.narrow %c axis(1) start(8) length(8)    =>    %1 = rlx.fused_swiglu %c
    %0 = rlx.activation silu %g
    %1 = rlx.binary mul %u, %0

    The two slices are the halves of the last axis; where the gate is the first one the result has `gate_first`. Any
    other activation is its `act`. `%c` may be read elsewhere.
    """

    title = "swiglu"
    roots = (ActivationOp,)

    dtypes: Collection[str] = DTYPES

    def considers(self, root: ActivationOp, /) -> bool:
        return opens_gate(root, NarrowOp)

    def match(self, act: ActivationOp, /) -> Fusion:
        gate, up, product = gated_by(act, NarrowOp)
        packed = gate.input
        require(up.input is packed, Reason.NOT_A_PARTITION, up, detail="the slices are of different values")
        require_dtype(packed, self.dtypes)
        dims = dims_of(packed)
        for piece in (up, gate):
            require_last_axis(piece.axis.value.data, len(dims), piece)

        half = gate.length.value.data
        starts = up.start.value.data, gate.start.value.data
        halves = up.length.value.data == half and dims[-1] == 2 * half and starts in ((0, half), (half, 0))
        require(halves, Reason.NOT_A_PARTITION, up, gate, detail=lambda: f"they are no halves of {show(dims)}")
        return Fusion.of((up, gate, act, product), FusedSwiGLUOp(packed, act.activation, gate_first=starts[1] == 0))


@dataclass(frozen=True)
class FuseSwiGLUPass(PatternPass):
    """Fuse `up * act(gate)` of the two halves of one value. `dtypes` are the element types that may be fused."""

    name = "rlx-fuse-swiglu"

    dtypes: tuple[str, ...] = DTYPES

    def __post_init__(self) -> None:
        check_dtypes(self.name, self.dtypes)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        run_patterns(op, (SwiGLU(self.dtypes),))
