"""`rlx-fuse-rms-norm-reshape`"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from rlx_dialect.ops import ReshapeOp, RmsNormOp
from rlx_dialect.shapes import DYNAMIC, show
from rlx_passes.core.index import PatternPass
from rlx_passes.rewriting.effects import is_terminator
from rlx_passes.rewriting.legality import dims_of, live_uses, only_reader, optional_reader, require, require_last_axis
from rlx_passes.rewriting.miss import Reason
from rlx_passes.rewriting.patterns import Fusion, FusionPattern, run_patterns


@dataclass(frozen=True)
class RmsNormReshape(FusionPattern[RmsNormOp]):
    """
    %0 = rlx.rms_norm %x, %g, %b
    %1 = rlx.reshape %0              =>    %1 = rlx.rms_norm %x, %g, %b flatten

    `%1` holds the rows of `%x` one under the other, `[M, H]`, and is not returned.
    """

    title = "rms_norm_reshape"
    roots = (RmsNormOp,)

    def considers(self, root: RmsNormOp, /) -> bool:
        return optional_reader(root.result, ReshapeOp) is not None

    def match(self, norm: RmsNormOp, /) -> Fusion:
        dims = dims_of(norm.input)
        reshape = only_reader(norm.result, ReshapeOp)
        require_last_axis(norm.axis.value.data, len(dims), norm)
        after = dims_of(reshape.result)
        width = dims[-1]
        require(width not in (DYNAMIC, 0), Reason.DYNAMIC, norm, detail=lambda: f"the rows of {show(dims)}")
        rows = len(after) == 2 and after[1] == width
        require(rows, Reason.RANK, reshape, detail=lambda: f"{show(dims)} becomes {show(after)}, not its rows")
        for use in live_uses(reshape.result):
            returned = is_terminator(type(use.operation))
            require(not returned, Reason.RETURNED, use.operation)
        fused = RmsNormOp(
            norm.input,
            norm.gamma,
            norm.beta,
            epsilon=norm.epsilon.value.data,
            axis=norm.axis.value.data,
            accumulate=norm.accumulate,
            flatten=True,
        )
        return Fusion.of((norm, reshape), fused)


@dataclass(frozen=True)
class FuseRmsNormReshapePass(PatternPass):
    """Let an RMS norm whose rows are laid one under the other give them so at once."""

    name = "rlx-fuse-rms-norm-reshape"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        run_patterns(op, (RmsNormReshape(),))
