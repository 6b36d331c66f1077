"""`rlx-raise-tanh`: tanh written out by exponentials or by a sigmoid becomes the activation."""

from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import AnyFloat, ModuleOp
from xdsl.ir import Operation, SSAValue

from rlx_dialect.attributes import Activation, BinaryKind
from rlx_dialect.ops import ActivationOp, BinaryOp
from rlx_passes.raising.polynomials import (
    Polynomial,
    argument,
    is_polynomial,
    plus,
    polynomial,
    rescaled,
    times,
    variables,
)
from rlx_passes.raising.raising_pass import RaisingPass
from rlx_passes.raising.trail import RaisingPattern, Trail
from rlx_passes.rewriting.constants import scalar
from rlx_passes.rewriting.legality import live_uses, require, tensor_type
from rlx_passes.rewriting.miss import Reason
from rlx_passes.rewriting.patterns import Fusion, run_patterns

NARROW = ("f16",)
"""Types in which exponentials overflow at numbers that networks have: e^12 in f16, e^89 in f32 and bf16."""


@dataclass(frozen=True)
class RaiseQuotient(RaisingPattern[BinaryOp]):
    """
    (e^x - e^-x) / (e^x + e^-x)     =>   tanh x
    (e^2x - 1) / (e^2x + 1)         =>   tanh x
    (1 - e^-2x) / (1 + e^-2x)       =>   tanh x

    Exponentials may be computed twice. Where they overflow, beyond 88 in f32, the written forms give NaN and tanh 1 or
    -1; f16, where that is beyond 11, is left alone.
    """

    title = "tanh"
    roots = (BinaryOp,)

    def starts(self, op: Operation) -> bool:
        """A difference over a sum, at least one of the addends an exponential."""
        if not isinstance(op, BinaryOp) or op.binary is not BinaryKind.DIV:
            return False
        above, below = op.lhs.owner, op.rhs.owner
        if not isinstance(above, BinaryOp) or not isinstance(below, BinaryOp):
            return False
        kinds = (above.binary, below.binary) == (BinaryKind.SUB, BinaryKind.ADD)
        return kinds and any(map(is_exponential, below.operands))

    def match(self, root: BinaryOp, /) -> Fusion:
        element = tensor_type(root.result).element_type
        wide = isinstance(element, AnyFloat) and element.name not in NARROW
        require(wide, Reason.DTYPE, root, detail="the exponentials overflow soon")
        trail = Trail(root)
        difference, total = trail.into(root.lhs, BinaryOp), trail.into(root.rhs, BinaryOp)
        left, right = difference.operands
        trail.operands(total, lambda a, b: require_same(trail, (left, a), (right, b)))
        first, second = exponent(trail, left), exponent(trail, right)

        def of(x: SSAValue) -> SSAValue:
            powers = plus(of_exponent(trail, first, x), times({0: -1.0}, of_exponent(trail, second, x)))
            require(is_polynomial(powers, {1: 2.0}, x), Reason.CONSTANT, x, detail="the exponents do not differ by 2 x")
            return x

        candidates = [x for value in (first, second) if value is not None for x in variables(value)]
        require(len(candidates) > 0, Reason.NOT_PRODUCED_BY, root, detail="no exponential")
        x = trail.first(*(lambda x=x: of(x) for x in candidates))
        require(root.result.type == x.type, Reason.TYPE_CHANGES, root)
        return Fusion.of(trail.closed(root), ActivationOp(Activation.TANH, x))


def require_same(trail: Trail, *pairs: tuple[SSAValue, SSAValue]) -> None:
    """The values of each pair are one. Raises `Miss` otherwise."""
    for a, b in pairs:
        same = trail.same(a, b) or (scalar(a) is not None and scalar(a) == scalar(b))
        require(same, Reason.NOT_PRODUCED_BY, b, detail="another exponential")


def is_exponential(value: SSAValue) -> bool:
    return isinstance(value.owner, ActivationOp) and value.owner.activation is Activation.EXP


def exponent(trail: Trail, value: SSAValue) -> SSAValue | None:
    """The y of `e^y`, None for 1."""
    return None if scalar(value) == 1 else trail.activation(value, Activation.EXP).input


def of_exponent(trail: Trail, value: SSAValue | None, x: SSAValue) -> Polynomial:
    return {} if value is None else polynomial(trail, value, x)


@dataclass(frozen=True)
class RaiseScaledSigmoid(RaisingPattern[ActivationOp]):
    """`2 * sigmoid(2 x) - 1   =>   tanh x`, in any grouping. Near 0 the written form loses digits to the 1."""

    title = "tanh"
    roots = (ActivationOp,)

    def starts(self, op: Operation) -> bool:
        """A sigmoid that is doubled, or from which a number is taken: most are gates."""
        if not isinstance(op, ActivationOp) or op.activation is not Activation.SIGMOID:
            return False
        readers = (use.operation for use in live_uses(op.result))
        return any(isinstance(r, BinaryOp) and 2 in (scalar(r.lhs), scalar(r.rhs)) for r in readers)

    def match(self, root: ActivationOp, /) -> Fusion:
        trail = Trail(root)
        x = argument(trail, root.input, {1: 2.0})
        last = rescaled(trail, root.result, {1: 2.0, 0: -1.0})
        require(last.result.type == x.type, Reason.TYPE_CHANGES, last)
        return Fusion.of(trail.closed(last), ActivationOp(Activation.TANH, x))


@dataclass(frozen=True)
class RaiseTanhPass(RaisingPass):
    """Tanh written out becomes the activation."""

    name: ClassVar[str] = "rlx-raise-tanh"

    def find(self, op: ModuleOp) -> None:
        run_patterns(op, (RaiseQuotient(), RaiseScaledSigmoid()))
