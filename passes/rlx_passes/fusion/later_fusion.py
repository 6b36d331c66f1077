"""What the passes that follow a residual norm would take, so that it can leave that to them."""

from collections.abc import Iterator

from xdsl.ir import Operation, SSAValue

from rlx_dialect.attributes import BinaryKind
from rlx_dialect.ops import BinaryOp, ExpandOp, NormOp
from rlx_dialect.shapes import DYNAMIC, Dims, ShapeError, broadcast_dims
from rlx_passes.constants import is_one, is_positive_zero
from rlx_passes.legality import broadcast_source, dims_of, live_uses, optional_reader, other_operand

ADA_LAYER_NORM, GATED_RESIDUAL = "ada_layer_norm", "gated_residual"
LATER = (ADA_LAYER_NORM, GATED_RESIDUAL)
"""The fusions that a residual norm can yield to."""


def feeds_ada_layer_norm(norm: NormOp) -> bool:
    """
    Whether `norm` is affine-free and read as `n * (1 + scale) + shift` or as `(n + n * scale) + shift`, operands in any order.

    Scale and shift broadcast to the norm's dims; every value between is read once.
    """
    if not is_one(norm.gamma) or not is_positive_zero(norm.beta):
        return False
    value, dims = norm.result, dims_of(norm.result)
    product = optional_reader(value, BinaryOp)
    if product is not None:
        scaled = _is(product, BinaryKind.MUL) and _one_plus_scale(other_operand(product, value), dims)
        return scaled and _is_shifted(product.result, dims)
    readers = [use.operation for use in live_uses(value)]
    if len(readers) != 2:
        return False
    return any(_scales_itself(value, mul, add, dims) for mul, add in (readers, readers[::-1]))


def _one_plus_scale(value: SSAValue, dims: Dims) -> bool:
    """Whether `value` is `1 + scale`, read here only, with a scale that broadcasts to `dims`."""
    outer = value.owner
    if isinstance(outer, ExpandOp):
        if optional_reader(value, Operation) is None:
            return False
        value = outer.input
    add = value.owner
    return (
        isinstance(add, BinaryOp)
        and _is(add, BinaryKind.ADD)
        and optional_reader(value, Operation) is not None
        and any(is_one(one) and _broadcasts(scale, dims) for one, scale in _orders(add))
    )


def _scales_itself(value: SSAValue, mul: Operation, add: Operation, dims: Dims) -> bool:
    """Whether `mul` is `value * scale` and `add` is `value + mul`, shifted further on."""
    if not isinstance(mul, BinaryOp) or not isinstance(add, BinaryOp):
        return False
    if not _is(mul, BinaryKind.MUL) or not _is(add, BinaryKind.ADD):
        return False
    scale = other_operand(mul, value)
    inner = scale is not value and _broadcasts(scale, dims) and other_operand(add, value) is mul.result
    return inner and optional_reader(mul.result, BinaryOp) is add and _is_shifted(add.result, dims)


def _is_shifted(value: SSAValue, dims: Dims) -> bool:
    """Whether `value` is read once, by the addition of a shift that broadcasts to `dims`."""
    add = optional_reader(value, BinaryOp)
    return add is not None and _is(add, BinaryKind.ADD) and _broadcasts(other_operand(add, value), dims)


def gated_product(add: BinaryOp) -> BinaryOp | None:
    """The addend of `x + gate * y` that is `gate * y`, if a gated residual could take the sum."""
    for addend, x in _orders(add):
        product = addend.owner
        if isinstance(product, BinaryOp) and _is(product, BinaryKind.MUL) and _is_gated(product, x):
            return product
    return None


def _is_gated(product: BinaryOp, x: SSAValue) -> bool:
    """Whether `product` is `gate * y`, read once, with y of the dims of `x` and a smaller gate that broadcasts to them."""
    dims = dims_of(x)
    if optional_reader(product.result, BinaryOp) is None or broadcast_source(x) is not x:
        return False
    for gate, y in _orders(product):
        gate = broadcast_source(gate)
        size = dims_of(gate)
        if y is x or dims_of(y) != dims or not size or size == dims:
            continue
        if size[-1] == dims[-1] != DYNAMIC and _broadcasts(gate, dims):
            return True
    return False


def _orders(op: BinaryOp) -> Iterator[tuple[SSAValue, SSAValue]]:
    """The operands both ways round."""
    yield op.lhs, op.rhs
    yield op.rhs, op.lhs


def _is(op: BinaryOp, kind: BinaryKind) -> bool:
    return op.kind.data == kind.value


def _broadcasts(value: SSAValue, dims: Dims) -> bool:
    """Whether `value` stretches to exactly `dims`."""
    try:
        return broadcast_dims(dims_of(broadcast_source(value)), dims) == dims
    except ShapeError:
        return False
