"""Adaptive norms and gated residuals in plain ops. Each function gives the parts, or says why there are none."""

from collections.abc import Collection, Iterator
from typing import NamedTuple

from xdsl.ir import Block, Operation, SSAValue

from rlx_dialect.attributes import BinaryKind
from rlx_dialect.ops import BinaryOp, ExpandOp, NormOp, ReshapeOp
from rlx_dialect.shapes import DYNAMIC, Dims, show
from rlx_passes.rewriting.constants import is_one, is_positive_zero
from rlx_passes.rewriting.legality import (
    broadcast_source,
    broadcasts_to,
    dims_of,
    keeps_dims,
    live_uses,
    neither_stretches,
    only_reader,
    other_operand,
    producer,
    require,
    require_dtype,
    require_kind,
    require_last_axis,
    sole_use,
)
from rlx_passes.rewriting.miss import Miss, Reason


class ModulatedNorm(NamedTuple):
    """`norm * (1 + scale) + shift`: the operands of the modulation, and its ops, the last addition last."""

    scale: SSAValue
    shift: SSAValue
    ops: tuple[BinaryOp, ...]


def modulated_norm(norm: NormOp, dtypes: Collection[str]) -> ModulatedNorm:
    """
    The modulation of a plain norm: `n * (1 + scale) + shift` or `(n + n * scale) + shift`, operands in any order.

    Each is read once (n twice in the second form); scale and shift broadcast to the norm's dims. Raises `Miss`.
    """
    if not is_one(norm.gamma):
        scaled = any(isinstance(use.operation, BinaryOp) for use in live_uses(norm.result))
        raise Miss(Reason.CONSTANT, norm.gamma, detail="a gain of ones is wanted", candidate=scaled)
    require(is_positive_zero(norm.beta), Reason.CONSTANT, norm.beta, detail="a shift of zeros is wanted")
    value, dims = norm.result, dims_of(norm.result)
    require(len(dims) == len(dims_of(norm.input)), Reason.RANK, norm, detail="the norm flattens")
    require_dtype(value, dtypes)
    require_last_axis(norm.axis.value.data, len(dims), norm)

    readers = _two_readers(value)
    scale, ops = _scaled(value) if readers is None else _scaled_by_itself(value, readers)
    scaled = ops[-1]
    shifted = only_reader(scaled.result, BinaryOp)
    require_kind(shifted, BinaryKind.ADD)
    shift = broadcast_source(other_operand(shifted, scaled.result))
    for operand, op in ((scale, scaled), (shift, shifted)):
        size = dims_of(operand)
        fits = broadcasts_to(size, dims) and keeps_dims(dims, dims_of(op.result))
        require(fits, Reason.BROADCASTS_UP, op, detail=lambda size=size: f"{show(size)} on {show(dims)}")
    return ModulatedNorm(scale, shift, (*ops, shifted))


def _two_readers(value: SSAValue) -> tuple[BinaryOp, BinaryOp] | None:
    """The two ops that read `value`, if there are as many, each a binary one that reads it once."""
    readers = [use.operation for _, use in zip(range(3), live_uses(value))]
    if len(readers) != 2 or readers[0] is readers[1]:
        return None
    first, second = readers
    return (first, second) if isinstance(first, BinaryOp) and isinstance(second, BinaryOp) else None


def _scaled(value: SSAValue) -> tuple[SSAValue, tuple[BinaryOp, BinaryOp]]:
    """The scale of `value * (1 + scale)`, and its ops."""
    product = only_reader(value, BinaryOp)
    require_kind(product, BinaryKind.MUL)
    gain = other_operand(product, value)
    source = broadcast_source(gain)
    while gain is not source and isinstance(gain.owner, ExpandOp | ReshapeOp):
        sole_use(gain)
        gain = gain.owner.input
    sole_use(source)
    add = producer(source, BinaryOp)
    require(add.kind.data == BinaryKind.ADD.value, Reason.NOT_PRODUCED_BY, add)
    for one, scale in orders(add):
        if is_one(one):
            return broadcast_source(scale), (add, product)
    raise Miss(Reason.CONSTANT, add, detail="1 plus a scale is wanted")


def _scaled_by_itself(
    value: SSAValue, readers: tuple[BinaryOp, BinaryOp]
) -> tuple[SSAValue, tuple[BinaryOp, BinaryOp]]:
    """The scale of `value + value * scale`, and its ops."""
    for product, add in (readers, readers[::-1]):
        if is_kind(product, BinaryKind.MUL) and is_kind(add, BinaryKind.ADD):
            require(only_reader(product.result, BinaryOp) is add, Reason.NOT_CONSUMED_BY, add)
            return broadcast_source(other_operand(product, value)), (product, add)
    raise Miss(Reason.MULTI_USE, *readers)


class GatedSum(NamedTuple):
    """`x + gate * y`, and the product in it."""

    x: SSAValue
    y: SSAValue
    gate: SSAValue
    product: BinaryOp


def gated_sum(add: BinaryOp, dtypes: Collection[str]) -> GatedSum:
    """
    The parts of the sum `x + gate * y`, operands in any order; the product is read once, x is no broadcast and not y, y
    has the dims of x, and the gate is smaller and broadcasts to them. Where both addends are such products, the right
    one is, as unfusing writes it. Raises `Miss`.
    """
    misses: list[Miss] = []
    for x, addend in orders(add):
        if isinstance(addend.owner, BinaryOp) and is_kind(addend.owner, BinaryKind.MUL):
            try:
                return _gated(add, addend.owner, x, dtypes)
            except Miss as miss:
                misses.append(miss)
    raise misses[0] if misses else Miss(Reason.NOT_PRODUCED_BY, add, detail="no addend is a product")


def _gated(add: BinaryOp, product: BinaryOp, x: SSAValue, dtypes: Collection[str]) -> GatedSum:
    dims = dims_of(x)
    require_dtype(x, dtypes)
    only_reader(product.result, BinaryOp)
    require(broadcast_source(x) is x, Reason.RESIDUAL_BROADCASTS, x)
    require(keeps_dims(dims, dims_of(add.result)), Reason.BROADCASTS_UP, product)
    require(not turns(x.owner, product), Reason.NOT_A_GATE, product, detail="half of what turns elements in pairs")
    for factor, y in orders(product):
        gate = broadcast_source(factor)
        if y is not x and neither_stretches(dims_of(y), dims) and is_gate(dims_of(gate), dims):
            return GatedSum(x, y, gate, product)
    raise Miss(Reason.NOT_A_GATE, product)


def turns(first: Operation | Block, second: BinaryOp) -> bool:
    """Whether two products `a * n` and `b * c` are added where `a * c` and `b * n` are subtracted elsewhere."""
    if not isinstance(first, BinaryOp) or not is_kind(first, BinaryKind.MUL):
        return False
    return any(
        is_subtracted(a, c, b, n) or is_subtracted(b, n, a, c) for a, n in orders(first) for b, c in orders(second)
    )


def is_subtracted(a: SSAValue, c: SSAValue, b: SSAValue, n: SSAValue) -> bool:
    """Whether the program has `a * c - b * n`."""
    products = [use.operation for use in a.uses if is_product(use.operation, a, c)]
    differences = [use.operation for op in products for use in op.results[0].uses if use.index == 0]
    return any(
        isinstance(op, BinaryOp) and is_kind(op, BinaryKind.SUB) and is_product(op.rhs.owner, b, n)
        for op in differences
    )


def is_product(op: Operation | Block, a: SSAValue, b: SSAValue) -> bool:
    """Whether an op multiplies these two values."""
    return isinstance(op, BinaryOp) and is_kind(op, BinaryKind.MUL) and (a, b) in orders(op)


def is_gate(gate: Dims, dims: Dims) -> bool:
    """Whether a gate of dims `gate` is smaller than a value of `dims`, as long on the last axis, and broadcastable."""
    if not gate or neither_stretches(gate, dims):
        return False
    return gate[-1] == dims[-1] != DYNAMIC and broadcasts_to(gate, dims)


def orders(op: BinaryOp) -> Iterator[tuple[SSAValue, SSAValue]]:
    """The operands both ways round."""
    yield op.lhs, op.rhs
    yield op.rhs, op.lhs


def is_kind(op: BinaryOp, kind: BinaryKind) -> bool:
    return op.kind.data == kind.value
