"""Reductions."""

from xdsl.dialects.builtin import i1
from xdsl.ir import SSAValue

from rlx_dialect.attributes import BinaryKind, ReduceKind
from rlx_dialect.ops import BinaryOp, ReduceOp
from rlx_passes.conversion import Declined, Emitter, Rules
from rlx_passes.frontend.from_stablehlo.elementwise import binary_kind
from rlx_passes.frontend.from_stablehlo.vocabulary import constant_array, real
from rlx_passes.frontend.stablehlo import reduction as stable
from rlx_passes.frontend.stablehlo.base import BinaryOp as StableBinaryOp

NUMBERS = {
    BinaryKind.ADD: ReduceKind.SUM,
    BinaryKind.MAX: ReduceKind.MAX,
    BinaryKind.MIN: ReduceKind.MIN,
    BinaryKind.MUL: ReduceKind.PROD,
}
TRUTHS = {BinaryKind.BIT_OR: ReduceKind.ANY, BinaryKind.BIT_AND: ReduceKind.ALL}


def _combination(op: stable.ReduceOp) -> type[StableBinaryOp]:
    """The one elementwise op that the body applies to its two arguments."""
    if len(op.inputs) != 1:
        raise Declined(f"combines {len(op.inputs)} inputs together")
    if op.combination is None:
        raise Declined("combines its elements by more than one op")
    return type(op.combination)


def _reduce(op: stable.ReduceOp, emit: Emitter) -> SSAValue:
    """An initial value other than the identity is combined in afterwards."""
    combination, (input,), (init,) = _combination(op), op.inputs, op.init_values
    element = real(input).element
    kind = binary_kind(combination, element)
    reduction = (TRUTHS if element == i1 else NUMBERS).get(kind)
    if reduction is None:
        raise Declined(f"combines by {combination.name} on {element}, which is no RLX reduction")
    reduced = emit(ReduceOp(reduction, input, op.dimensions.get_values()))
    if _is_identity(init, reduction):
        return reduced
    return emit(BinaryOp(kind, reduced, init))


def _is_identity(init: SSAValue, kind: ReduceKind) -> bool:
    import numpy as np

    from rlx_dialect.reference.reduction import reduce

    array = constant_array(init)
    return array is not None and bool(array == reduce(np.empty(0, array.dtype), kind, (0,), keep_dims=False))


RULES: Rules = {stable.ReduceOp: _reduce}
