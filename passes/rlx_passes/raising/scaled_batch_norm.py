"""Gain and shift that follow a batch norm, part of `rlx-raise-batch-norm`."""

from dataclasses import dataclass
from typing import NamedTuple

from xdsl.ir import Operation

from rlx_dialect.attributes import BinaryKind
from rlx_dialect.decompose.plain import Plain, is_half
from rlx_dialect.ops import BatchNormInferenceOp, BinaryOp
from rlx_dialect.shapes import DYNAMIC
from rlx_passes.raising.trail import RaisingPattern
from rlx_passes.raising.vectors import Vector, vector_reader
from rlx_passes.rewriting.legality import dims_of, require, tensor_type
from rlx_passes.rewriting.miss import Reason
from rlx_passes.rewriting.patterns import Fusion


class Follower(NamedTuple):
    """An op that reads a value beside a vector."""

    op: BinaryOp
    vector: Vector


@dataclass(frozen=True)
class ScaledBatchNorm(RaisingPattern[BatchNormInferenceOp]):
    """
    %0 = rlx.batch_norm_inference %x, %gamma, %beta, %m, %v   =>   %g = %gamma * %s
    %1 = rlx.binary mul %0, %s                                     %b = %beta * %s + %t
    %2 = rlx.binary add %1, %t                                     %2 = rlx.batch_norm_inference %x, %g, %b, %m, %v

    Scale and shift are weights along the axis of the norm; one of them may be absent. Networks that came from Caffe,
    where a norm has no gain, write both after it. A norm of halves stays, as its gain is rounded, then its scale.
    """

    title = "batch_norm"
    roots = (BatchNormInferenceOp,)

    def starts(self, op: Operation) -> bool:
        """A batch norm followed by a gain or a shift."""
        return isinstance(op, BatchNormInferenceOp) and followers(op) != (None, None)

    def match(self, root: BatchNormInferenceOp, /) -> Fusion:
        require(
            not is_half(tensor_type(root.result).element_type), Reason.DTYPE, root, detail="halves are rounded twice"
        )
        scale, shift = followers(root)
        to, gamma, beta = Plain(), root.gamma, root.beta
        absorbed: list[Operation] = [root]
        if scale is not None:
            factor = scale.vector.row(to)
            gamma, beta = to.times(gamma, factor), to.times(beta, factor)
            absorbed.append(scale.op)
        if shift is not None:
            beta = to.plus(beta, shift.vector.row(to))
            absorbed.append(shift.op)
        epsilon, axis = root.epsilon.value.data, root.axis.value.data
        norm = BatchNormInferenceOp(root.input, gamma, beta, root.mean, root.variance, epsilon=epsilon, axis=axis)
        return Fusion.of(absorbed, *to.ops, norm)


def followers(norm: BatchNormInferenceOp) -> tuple[Follower | None, Follower | None]:
    """The product with a gain and the sum with a shift that alone read the norm, in sequence."""
    dims = dims_of(norm.result)
    axis = norm.axis.value.data % len(dims)
    if dims[axis] == DYNAMIC:
        return None, None
    like = Vector(norm.mean, axis - len(dims), dims[axis])
    scale = vector_reader(norm.result, BinaryKind.MUL, like)
    shift = vector_reader(norm.result if scale is None else scale[0].result, BinaryKind.ADD, like)
    return scale and Follower(*scale), shift and Follower(*shift)
