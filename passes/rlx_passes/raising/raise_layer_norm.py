"""`rlx-raise-layer-norm`: a centred value over its root mean square becomes a layer norm."""

from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp

from rlx_dialect.attributes import BinaryKind
from rlx_dialect.ops import ActivationOp, LayerNormOp
from rlx_dialect.shapes import DYNAMIC
from rlx_passes.raising.narrow_norms import RaiseNarrowNorm
from rlx_passes.raising.norms import NormPattern, mean, mean_square, operands, scaled
from rlx_passes.raising.raising_pass import RaisingPass
from rlx_passes.raising.trail import Trail, require_along
from rlx_passes.rewriting.legality import dims_of, require
from rlx_passes.rewriting.miss import Reason
from rlx_passes.rewriting.patterns import Fusion, run_patterns


@dataclass(frozen=True)
class RaiseLayerNorm(NormPattern):
    """
    %m = mean of %x
    %c = rlx.binary sub %x, %m
    %v = mean of %c * %c                        =>   %y = rlx.layer_norm %x, %gamma, %beta epsilon(1.0e-5)
    %y = %c / sqrt(%v + 1e-5) * %gamma + %beta

    Over the last axis. Means are `reduce mean`, or a sum divided by the number of elements or multiplied by its
    reciprocal; the root may be divided by or, reciprocal, multiplied by. Without gain or shift they are constants 1 and
    0, without an addend in the root epsilon is 0.

    The variance must be taken of the centred value. `E[x^2] - E[x]^2` is another number where the mean is large against
    the deviation, down to a negative one, so that form is left alone.
    """

    title = "layer_norm"

    def match(self, root: ActivationOp, /) -> Fusion:
        trail = Trail(root)
        square = mean_square(trail, root)
        centred = trail.binary(square.x, BinaryKind.SUB)
        x, dims = centred.lhs, dims_of(centred.result)
        require(dims_of(x) == dims, Reason.BROADCASTS_UP, centred)
        middle = trail.spread(centred.rhs)
        require_along(middle, dims, len(dims) - 1, centred)
        average = mean(trail, middle)
        require(trail.same(x, average.input), Reason.NOT_PRODUCED_BY, average.op, detail="the mean of another value")
        require(average.accumulate == square.accumulate, Reason.ATTRIBUTES, average.op, detail="two accumulate types")

        norm = scaled(trail, root, square.x)
        require(dims[-1] != DYNAMIC, Reason.DYNAMIC, x, detail="gain and shift need the size of the axis")
        absorbed = trail.closed(norm.last)
        new, gamma, beta = operands(norm, x)
        fused = LayerNormOp(x, gamma, beta, epsilon=square.epsilon, accumulate=square.accumulate)
        return Fusion.of(absorbed, *new, fused)


@dataclass(frozen=True)
class RaiseLayerNormPass(RaisingPass):
    """Centred values over their root mean square become layer norms."""

    name: ClassVar[str] = "rlx-raise-layer-norm"

    def find(self, op: ModuleOp) -> None:
        run_patterns(op, (RaiseLayerNorm(),))
        run_patterns(op, (RaiseNarrowNorm(LayerNormOp),))
