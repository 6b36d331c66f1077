"""`rlx-raise-gelu`: the three written forms of gelu become the activation."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from rlx_dialect.attributes import Activation, BinaryKind
from rlx_dialect.ops import ActivationOp, BinaryOp, ErfcOp
from rlx_passes.raising.polynomials import argument, multiplied
from rlx_passes.raising.raising_pass import RaisingPass
from rlx_passes.raising.trail import RaisingPattern, Trail
from rlx_passes.rewriting.constants import require_close, require_scalar, scalar
from rlx_passes.rewriting.legality import only_reader, require
from rlx_passes.rewriting.miss import Reason
from rlx_passes.rewriting.patterns import Fusion, run_patterns

TANH_SCALE = math.sqrt(2 / math.pi)
INNER: Mapping[type[Operation] | Activation, Mapping[int, float]] = {
    ErfcOp: {1: -math.sqrt(0.5)},
    Activation.ERF: {1: math.sqrt(0.5)},
    Activation.TANH: {1: TANH_SCALE, 3: TANH_SCALE * 0.044715},
}
"""What each form applies its function to, as coefficients of the powers of x."""


@dataclass(frozen=True)
class RaiseGelu(RaisingPattern[ErfcOp | ActivationOp]):
    """
    0.5 * x * erfc(-x / sqrt 2)                                      =>   gelu x
    0.5 * x * (1 + erf(x / sqrt 2))                                  =>   gelu x
    0.5 * x * (1 - erf(-x / sqrt 2))                                 =>   gelu x
    0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))        =>   gelu_approx x

    Factors in any order and grouping, constants on either side, as divisions or products; each is compared in the
    tensor's own precision. The erf form loses its last digits below about -5, where gelu does not; the difference is
    below a rounding of x.
    """

    title = "gelu"
    roots = (ErfcOp, ActivationOp)

    def starts(self, op: Operation) -> bool:
        if isinstance(op, ErfcOp):
            return True
        if not isinstance(op, ActivationOp):
            return False
        if op.activation is Activation.TANH:
            return self.one_is_added(op.result)
        return op.activation is Activation.ERF

    @staticmethod
    def one_is_added(value: SSAValue) -> bool:
        """Whether the first reader adds 1: most uses of tanh are no gelu."""
        use = value.first_use
        op = None if use is None else use.operation
        return isinstance(op, BinaryOp) and op.binary is BinaryKind.ADD and 1 in (scalar(op.lhs), scalar(op.rhs))

    def match(self, root: ErfcOp | ActivationOp, /) -> Fusion:
        trail = Trail(root)
        kind = ErfcOp if isinstance(root, ErfcOp) else root.activation
        sign, factor = (1, root.result) if isinstance(root, ErfcOp) else self.from_one(trail, root.result)
        x = argument(trail, root.input, {power: sign * each for power, each in INNER[kind].items()})
        last, _ = multiplied(trail, factor, x, [{1: 0.5}])
        absorbed = trail.closed(last)
        return Fusion.of(
            absorbed, ActivationOp(Activation.GELU_APPROX if kind is Activation.TANH else Activation.GELU, x)
        )

    def from_one(self, trail: Trail, value: SSAValue) -> tuple[int, SSAValue]:
        """The sign with which the value is added to 1, and the sum."""
        add = trail.add(only_reader(value, BinaryOp))
        subtracted = add.binary is BinaryKind.SUB and add.rhs is value
        require(subtracted or add.binary is BinaryKind.ADD, Reason.NOT_CONSUMED_BY, add)
        one = add.rhs if add.lhs is value else add.lhs
        require_close(require_scalar(one), 1.0, one, ulps=0)
        return -1 if subtracted else 1, add.result


@dataclass(frozen=True)
class RaiseGeluPass(RaisingPass):
    """The erf, erfc and tanh forms of gelu become activations."""

    name: ClassVar[str] = "rlx-raise-gelu"

    def find(self, op: ModuleOp) -> None:
        run_patterns(op, (RaiseGelu(),))
