"""`rlx-raise-hard-swish`: the clamped lines that stand for sigmoid and silu become activations."""

from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import AnyFloat, ModuleOp
from xdsl.ir import Operation

from rlx_dialect.attributes import Activation
from rlx_dialect.ops import ActivationOp, BinaryOp, ClampOp
from rlx_passes.raising.polynomials import argument, multiplied
from rlx_passes.raising.raise_activations import is_factor
from rlx_passes.raising.raising_pass import RaisingPass
from rlx_passes.raising.trail import RaisingPattern, Trail
from rlx_passes.rewriting.legality import live_uses, only_reader, require, tensor_type
from rlx_passes.rewriting.miss import Reason
from rlx_passes.rewriting.patterns import Fusion, run_patterns


@dataclass(frozen=True)
class RaiseHardSigmoid(RaisingPattern[ClampOp]):
    """
    clamp(x / 6 + 1/2, 0, 1)       =>   hard_sigmoid x
    clamp(x + 3, 0, 6) / 6         =>   hard_sigmoid x
    x * clamp(x + 3, 0, 6) / 6     =>   hard_swish x

    Factors in any order and grouping, as divisions or products; each is compared in the tensor's own precision. Another
    slope or offset, as the 0.2 x + 0.5 of other libraries, is another function.
    """

    title = "hard_sigmoid"
    roots = (ClampOp,)

    def starts(self, op: Operation) -> bool:
        """A clamp from 0 of a sum or of a product by a number: most are of values as they come."""
        if not isinstance(op, ClampOp) or not isinstance(tensor_type(op.input).element_type, AnyFloat):
            return False
        inner = op.input.owner
        return op.low.value.data == 0 < op.high.value.data and isinstance(inner, BinaryOp)

    def match(self, root: ClampOp, /) -> Fusion:
        trail, top = Trail(root), float(root.high.value.data)
        x = argument(trail, root.input, {1: top / 6, 0: top / 2})
        if top == 1:
            require(root.result.type == x.type, Reason.TYPE_CHANGES, root)
            return Fusion.of(trail.closed(root), ActivationOp(Activation.HARD_SIGMOID, x))
        last, with_x = multiplied(trail, root.result, x, [{0: 1 / top}, {1: 1 / top}])
        kind = Activation.HARD_SWISH if with_x else Activation.HARD_SIGMOID
        return Fusion.of(trail.closed(last), ActivationOp(kind, x))


@dataclass(frozen=True)
class RaiseHardSwish(RaisingPattern[ActivationOp]):
    """`x * hard_sigmoid x   =>   hard_swish x`"""

    title = "hard_swish"
    roots = (ActivationOp,)

    def starts(self, op: Operation) -> bool:
        """A hard sigmoid whose x is a factor beside it: most are gates of other values."""
        if not isinstance(op, ActivationOp) or op.activation is not Activation.HARD_SIGMOID:
            return False
        return any(is_factor(use.operation, op.result, op.input) for use in live_uses(op.result))

    def match(self, root: ActivationOp, /) -> Fusion:
        trail = Trail(root)
        product = trail.add(only_reader(root.result, BinaryOp))
        return Fusion.of(trail.closed(product), ActivationOp(Activation.HARD_SWISH, root.input))


@dataclass(frozen=True)
class RaiseHardSwishPass(RaisingPass):
    """Clamped lines that stand for sigmoid and silu become activations."""

    name: ClassVar[str] = "rlx-raise-hard-swish"

    def find(self, op: ModuleOp) -> None:
        run_patterns(op, (RaiseHardSigmoid(),))
        run_patterns(op, (RaiseHardSwish(),))
