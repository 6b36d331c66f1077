"""`rlx-raise-activations`: sigmoid, silu, quick_gelu and relu written out become activations."""

from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from rlx_dialect.attributes import Activation, BinaryKind
from rlx_dialect.ops import ActivationOp, BinaryOp
from rlx_passes.raising.polynomials import argument, rescaled
from rlx_passes.raising.raising_pass import RaisingPass
from rlx_passes.raising.trail import RaisingPattern, Trail
from rlx_passes.rewriting.constants import require_scalar, scalar
from rlx_passes.rewriting.legality import live_uses, only_reader, other_operand, require
from rlx_passes.rewriting.miss import Reason
from rlx_passes.rewriting.patterns import Fusion, run_patterns


@dataclass(frozen=True)
class RaiseSigmoid(RaisingPattern[ActivationOp]):
    """
    1 / (1 + e^-x)   =>   sigmoid x
    x / (1 + e^-x)   =>   silu x

    Where e^-x overflows the written forms give 0, and so does the activation up to a rounding of 1.
    """

    title = "sigmoid"
    roots = (ActivationOp,)

    def starts(self, op: Operation) -> bool:
        """An exponential of a negated value to which 1 is added: most are none of a sigmoid."""
        if not isinstance(op, ActivationOp) or op.activation is not Activation.EXP:
            return False
        inner = op.input.owner
        negated = isinstance(inner, ActivationOp) and inner.activation is Activation.NEG
        return negated and any(is_one_more(use.operation) for use in live_uses(op.result))

    def match(self, root: ActivationOp, /) -> Fusion:
        trail = Trail(root)
        x = trail.activation(root.input, Activation.NEG).input
        add = trail.add(only_reader(root.result, BinaryOp))
        require(is_one_more(add), Reason.NOT_CONSUMED_BY, add)
        last = trail.add(only_reader(add.result, (BinaryOp, ActivationOp)))
        kind = Activation.SIGMOID
        if isinstance(last, ActivationOp):
            require(last.activation is Activation.RECIP, Reason.NOT_CONSUMED_BY, last)
        else:
            require(last.binary is BinaryKind.DIV and last.rhs is add.result, Reason.NOT_CONSUMED_BY, last)
            if last.lhs is x:
                kind = Activation.SILU
            else:
                require(require_scalar(last.lhs) == 1, Reason.CONSTANT, last.lhs)
        require(last.result.type == x.type, Reason.TYPE_CHANGES, last)
        return Fusion.of(trail.closed(last), ActivationOp(kind, x))


def is_one_more(op: Operation) -> bool:
    """Whether `op` adds 1."""
    return isinstance(op, BinaryOp) and op.binary is BinaryKind.ADD and 1 in (scalar(op.lhs), scalar(op.rhs))


@dataclass(frozen=True)
class RaiseScaledTanh(RaisingPattern[ActivationOp]):
    """`0.5 * tanh(x / 2) + 0.5   =>   sigmoid x`, in any grouping. Far left the written form loses digits to the 1."""

    title = "sigmoid"
    roots = (ActivationOp,)

    def starts(self, op: Operation) -> bool:
        """A tanh of a half: most are of values as they come."""
        if not isinstance(op, ActivationOp) or op.activation is not Activation.TANH:
            return False
        inner = op.input.owner
        return isinstance(inner, BinaryOp) and bool({0.5, 2.0} & {scalar(inner.lhs), scalar(inner.rhs)})

    def match(self, root: ActivationOp, /) -> Fusion:
        trail = Trail(root)
        x = argument(trail, root.input, {1: 0.5})
        last = rescaled(trail, root.result, {1: 0.5, 0: 0.5})
        require(last.result.type == x.type, Reason.TYPE_CHANGES, last)
        return Fusion.of(trail.closed(last), ActivationOp(Activation.SIGMOID, x))


@dataclass(frozen=True)
class RaiseSilu(RaisingPattern[ActivationOp]):
    """`x * sigmoid x   =>   silu x`"""

    title = "silu"
    roots = (ActivationOp,)

    def starts(self, op: Operation) -> bool:
        """A sigmoid whose x is a factor beside it: most are gates of other values."""
        if not isinstance(op, ActivationOp) or op.activation is not Activation.SIGMOID:
            return False
        return any(is_factor(use.operation, op.result, op.input) for use in live_uses(op.result))

    def match(self, root: ActivationOp, /) -> Fusion:
        trail = Trail(root)
        product = trail.add(only_reader(root.result, BinaryOp))
        return Fusion.of(trail.closed(product), ActivationOp(Activation.SILU, root.input))


@dataclass(frozen=True)
class RaiseQuickGelu(RaisingPattern[ActivationOp]):
    """`x * sigmoid(1.702 x)   =>   quick_gelu x`"""

    title = "quick_gelu"
    roots = (ActivationOp,)

    def starts(self, op: Operation) -> bool:
        """A sigmoid of what is 1.702 times another value: other slopes are another function."""
        if not isinstance(op, ActivationOp) or op.activation is not Activation.SIGMOID:
            return False
        inner = op.input.owner
        return isinstance(inner, BinaryOp) and inner.binary in (BinaryKind.MUL, BinaryKind.DIV)

    def match(self, root: ActivationOp, /) -> Fusion:
        trail = Trail(root)
        x = argument(trail, root.input, {1: 1.702})
        product = trail.add(only_reader(root.result, BinaryOp))
        require(is_factor(product, root.result, x), Reason.NOT_CONSUMED_BY, product)
        return Fusion.of(trail.closed(product), ActivationOp(Activation.QUICK_GELU, x))


def is_factor(op: Operation, factor: SSAValue, x: SSAValue) -> bool:
    """Whether `op` is the product of `factor` and `x`."""
    return isinstance(op, BinaryOp) and op.binary is BinaryKind.MUL and other_operand(op, factor) is x


@dataclass(frozen=True)
class RaiseRelu(RaisingPattern[BinaryOp]):
    """`max(x, 0)   =>   relu x`, on either side. A choice by `x > 0` is another function: it gives 0 for NaN."""

    title = "relu"
    roots = (BinaryOp,)

    def starts(self, op: Operation) -> bool:
        return isinstance(op, BinaryOp) and op.binary is BinaryKind.MAX and 0 in (scalar(op.lhs), scalar(op.rhs))

    def match(self, root: BinaryOp, /) -> Fusion:
        x = root.lhs if scalar(root.rhs) == 0 else root.rhs
        require(root.result.type == x.type, Reason.TYPE_CHANGES, root)
        return Fusion.of((root,), ActivationOp(Activation.RELU, x))


@dataclass(frozen=True)
class RaiseActivationsPass(RaisingPass):
    """Sigmoid, silu, quick_gelu and relu written out become activations."""

    name: ClassVar[str] = "rlx-raise-activations"

    def find(self, op: ModuleOp) -> None:
        run_patterns(op, (RaiseSigmoid(), RaiseScaledTanh(), RaiseRelu()))
        run_patterns(op, (RaiseSilu(), RaiseQuickGelu()))
