"""`rlx-raise-rms-norm`: a value over its root mean square becomes an RMS norm."""

from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp

from rlx_dialect.ops import ActivationOp, RmsNormOp
from rlx_dialect.shapes import DYNAMIC
from rlx_passes.raising.narrow_norms import RaiseNarrowNorm
from rlx_passes.raising.norms import NormPattern, mean_square, operands, scaled
from rlx_passes.raising.raising_pass import RaisingPass
from rlx_passes.raising.trail import Trail
from rlx_passes.rewriting.legality import dims_of, require
from rlx_passes.rewriting.miss import Reason
from rlx_passes.rewriting.patterns import Fusion, run_patterns


@dataclass(frozen=True)
class RaiseRmsNorm(NormPattern):
    """
    %v = mean of %x * %x
    %y = %x / sqrt(%v + 1e-5) * %gamma + %beta   =>   %y = rlx.rms_norm %x, %gamma, %beta epsilon(1.0e-5)

    Over the last axis, in the spellings of `RaiseLayerNorm`. A gain `1 + w` is a row like any other. The mean of x is
    not subtracted: where x is centred before, that stays outside, and `rlx-raise-layer-norm` should run first.
    """

    title = "rms_norm"

    def match(self, root: ActivationOp, /) -> Fusion:
        trail = Trail(root)
        square = mean_square(trail, root)
        x = square.x
        norm = scaled(trail, root, x)
        require(dims_of(x)[-1] != DYNAMIC, Reason.DYNAMIC, x, detail="gain and shift need the size of the axis")
        absorbed = trail.closed(norm.last)
        new, gamma, beta = operands(norm, x)
        fused = RmsNormOp(x, gamma, beta, epsilon=square.epsilon, accumulate=square.accumulate)
        return Fusion.of(absorbed, *new, fused)


@dataclass(frozen=True)
class RaiseRmsNormPass(RaisingPass):
    """Values over their root mean square become RMS norms."""

    name: ClassVar[str] = "rlx-raise-rms-norm"

    def find(self, op: ModuleOp) -> None:
        run_patterns(op, (RaiseRmsNorm(),))
        run_patterns(op, (RaiseNarrowNorm(RmsNormOp),))
