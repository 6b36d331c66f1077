"""`rlx-raise-batch-norm`: given statistics, written out, become a batch norm; after a convolution scale and shift."""

from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import AnyFloat, ModuleOp
from xdsl.ir import Operation, SSAValue

from rlx_dialect.attributes import Activation, BinaryKind
from rlx_dialect.decompose.plain import Plain, is_half
from rlx_dialect.ops import ActivationOp, BatchNormInferenceOp, BinaryOp, ConvOp, ExpandOp, ReshapeOp
from rlx_dialect.shape_rules.windows import channel_axis
from rlx_passes.raising.norms import ROOTS, is_weight, other
from rlx_passes.raising.raising_pass import RaisingPass
from rlx_passes.raising.scaled_batch_norm import ScaledBatchNorm
from rlx_passes.raising.trail import RaisingPattern, Trail
from rlx_passes.raising.vectors import Vector, along, require_along, vector_reader
from rlx_passes.rewriting.constants import require_scalar, scalar, shortest
from rlx_passes.rewriting.legality import dims_of, live_uses, only_reader, require, tensor_type
from rlx_passes.rewriting.miss import Reason
from rlx_passes.rewriting.patterns import Fusion, run_patterns


@dataclass(frozen=True)
class Divided:
    """The op that divides `value` by the root, and a gain on either; `root` is how the root lies beside the value."""

    op: BinaryOp
    value: SSAValue
    root: Vector
    gain: Vector | None


@dataclass(frozen=True)
class RaiseBatchNorm(RaisingPattern[ActivationOp]):
    """
    %c = rlx.binary sub %x, %mean                 =>   %y = rlx.batch_norm_inference %x, %gamma, %beta, %mean, %variance
    %y = %c / sqrt(%variance + 1e-5) * %gamma + %beta

    Mean, variance, gain and shift lie along one axis; they are arguments, constants, or made of these. The gain may be
    multiplied to the centred value or to the reciprocal root first. Without gain or shift they are constants 1 and 0.
    """

    title = "batch_norm"
    roots = (ActivationOp,)

    def starts(self, op: Operation) -> bool:
        """The root of a weight to which a number is added."""
        if not isinstance(op, ActivationOp) or op.activation not in ROOTS:
            return False
        if not isinstance(tensor_type(op.result).element_type, AnyFloat) or not any(True for _ in live_uses(op.result)):
            return False
        add = op.input.owner
        if not isinstance(add, BinaryOp) or add.binary is not BinaryKind.ADD:
            return False
        return (scalar(add.lhs) is None) != (scalar(add.rhs) is None) and is_weight(op.input)

    def match(self, root: ActivationOp, /) -> Fusion:
        trail = Trail(root)
        add = trail.binary(root.input, BinaryKind.ADD)
        variance, number = (add.rhs, add.lhs) if scalar(add.rhs) is None else (add.lhs, add.rhs)
        epsilon = shortest(require_scalar(number), tensor_type(root.result).element_type)
        require(epsilon >= 0, Reason.CONSTANT, add, detail=f"an epsilon of {epsilon}")
        spread = require_vector(variance)

        divided = self.divided(trail, root)
        centred = trail.binary(divided.value, BinaryKind.SUB)
        x, mean = centred.lhs, require_along(centred.rhs, divided.root)
        require(is_weight(mean.source), Reason.NOT_PRODUCED_BY, centred, detail="the mean is computed from a value")
        last, gain, shift = divided.op, divided.gain, None
        if gain is None and (found := vector_reader(last.result, BinaryKind.MUL, mean)):
            last, gain = trail.add(found[0]), found[1]
        if found := vector_reader(last.result, BinaryKind.ADD, mean):
            last, shift = trail.add(found[0]), found[1]
        dims = dims_of(x)
        whole = last.result.type == x.type and sum(d != 1 for d in dims) > 1
        require(whole, Reason.TYPE_CHANGES, last)
        axis = len(dims) + mean.axis
        require(axis >= 0 and dims[axis] == mean.size == spread.size, Reason.AXIS, last)
        absorbed = trail.closed(last)

        to = Plain()
        gamma = to.row(1.0, x, axis) if gain is None else gain.row(to)
        beta = to.row(0.0, x, axis) if shift is None else shift.row(to)
        norm = BatchNormInferenceOp(x, gamma, beta, mean.row(to), spread.row(to), epsilon=epsilon, axis=axis)
        return Fusion.of(absorbed, *to.ops, norm)

    def divided(self, trail: Trail, root: ActivationOp) -> Divided:
        """From the root forward: what divides a value that is no vector."""
        value, inverse, gain = root.result, root.activation is Activation.RSQRT, None
        while True:
            laid = require_vector(value)
            op = trail.add(only_reader(value, (ReshapeOp, ExpandOp, ActivationOp, BinaryOp)))
            factor = None
            if isinstance(op, ActivationOp):
                require(not inverse and op.activation is Activation.RECIP, Reason.NOT_CONSUMED_BY, op)
                inverse = True
            elif isinstance(op, BinaryOp):
                over = op.binary is BinaryKind.DIV and op.rhs is value and not inverse
                require(over or (inverse and op.binary is BinaryKind.MUL), Reason.NOT_CONSUMED_BY, op)
                inverse, factor = True, other(op, value)
            if isinstance(op, BinaryOp) and factor is not None and scalar(factor) != 1:
                if along(factor) is None:
                    value, gain = self.unscaled(trail, factor, laid, gain)
                    return Divided(op, value, laid, gain)
                require(gain is None, Reason.NOT_CONSUMED_BY, op, detail="two gains")
                gain = require_along(factor, laid)
            value = op.result

    def unscaled(
        self, trail: Trail, value: SSAValue, laid: Vector, gain: Vector | None
    ) -> tuple[SSAValue, Vector | None]:
        """`value` without a gain that was multiplied to it, and the gain."""
        if gain is not None or not isinstance(value.owner, BinaryOp) or value.owner.binary is not BinaryKind.MUL:
            return value, gain
        product = trail.add(value.owner)
        return trail.operands(product, lambda big, small: (big, require_along(small, laid)))


def require_vector(value: SSAValue) -> Vector:
    """`value` as a vector. Raises `Miss` where it is none."""
    found = along(value)
    require(found is not None, Reason.AXIS, value, detail="it does not lie along one axis")
    assert found is not None, "required above"
    return found


@dataclass(frozen=True)
class BatchNormAsAffine(RaisingPattern[BatchNormInferenceOp]):
    """
    %1 = rlx.batch_norm_inference %0, %g, %b, %m, %v   =>   %s = %g / sqrt(%v + epsilon)
                                                            %1 = %0 * %s + (%b - %m * %s)

    Where %0 is a convolution, over its channels: what convolutions are fused with, and what most exporters write there.
    A bias that is added between them is taken from the mean. A norm of another value stays, since its shift alone has
    lost what the mean is large against the deviation; one of halves stays, since it is computed in f32.
    """

    title = "batch_norm"
    roots = (BatchNormInferenceOp,)

    def starts(self, op: Operation) -> bool:
        return isinstance(op, BatchNormInferenceOp) and convolution(op.input) is not None

    def match(self, root: BatchNormInferenceOp, /) -> Fusion:
        element = tensor_type(root.result).element_type
        require(not is_half(element), Reason.DTYPE, root, detail="halves go on in f32 inside of the op")
        conv = convolution(root.input)
        assert conv is not None, "it starts at no other norm"
        dims = dims_of(conv.result)
        axis = root.axis.value.data % len(dims)
        require(axis == channel_axis(conv.config.layout, len(dims)), Reason.AXIS, root)

        trail, bias = Trail(root), None
        if root.input is not conv.result:
            add = trail.binary(root.input, BinaryKind.ADD)
            bias = require_along(other(add, conv.result), Vector(root.mean, axis - len(dims), dims[axis]))
            require(add.result.type == conv.result.type, Reason.TYPE_CHANGES, add)
        absorbed = trail.closed(root)

        varies = scalar(root.variance) is None
        require(varies, Reason.CONSTANT, root.variance, detail="one variance for all channels would be a number")

        to = Plain()
        gamma, beta, mean = (single(to, v) for v in (root.gamma, root.beta, root.mean))
        mean = mean if bias is None else to.minus(mean, bias.row(to))
        spread = to.plus(root.variance, to.scalar(root.epsilon.value.data, root.variance))
        scale = to.binary(BinaryKind.DIV, gamma, to.activated(Activation.SQRT, spread))
        shift = to.minus(beta, to.times(mean, scale))
        lie = tuple(d if i == axis else 1 for i, d in enumerate(dims))
        along_channels = [to.add(ReshapeOp(v, lie)).result for v in (scale, shift)]
        total = BinaryOp(BinaryKind.ADD, to.times(conv.result, along_channels[0]), along_channels[1])
        return Fusion.of(absorbed, *to.ops, total)


def single(to: Plain, vector: SSAValue) -> SSAValue:
    """A constant of equal elements as one of rank 0, as canonical broadcasts have it; any other value as it is."""
    number = scalar(vector)
    return vector if number is None else to.scalar(number, vector)


def convolution(value: SSAValue) -> ConvOp | None:
    """The convolution that `value` is, or to which one value is added in it."""
    sides = (value, *value.owner.operands) if isinstance(value.owner, BinaryOp) else (value,)
    return next((side.owner for side in sides if isinstance(side.owner, ConvOp)), None)


@dataclass(frozen=True)
class RaiseBatchNormPass(RaisingPass):
    """Batch norms written out become one op with the gain and shift after them; after a convolution scale and shift."""

    name: ClassVar[str] = "rlx-raise-batch-norm"

    def find(self, op: ModuleOp) -> None:
        run_patterns(op, (RaiseBatchNorm(),))
        run_patterns(op, (ScaledBatchNorm(),))
        run_patterns(op, (BatchNormAsAffine(),))
