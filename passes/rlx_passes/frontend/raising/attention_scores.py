"""From the input of a softmax back to the product of queries and keys: masks, then the cap, then the scale."""

from dataclasses import dataclass

from xdsl.dialects.builtin import AnyFloat
from xdsl.ir import SSAValue

from rlx_dialect.attributes import Activation, BinaryKind, CompareKind
from rlx_dialect.ops import ActivationOp, BinaryOp, CastOp, CompareOp, MatMulOp, WhereOp
from rlx_passes.frontend.raising.constants import require_close, require_scalar, scalar
from rlx_passes.frontend.raising.trail import Trail
from rlx_passes.legality import producer, require, tensor_type
from rlx_passes.miss import Miss, Reason

DEPTH = 8
"""How many masks, casts and scales may follow each other."""


@dataclass(frozen=True)
class Added:
    """A mask that is added to the scores."""

    bias: SSAValue


@dataclass(frozen=True)
class Replaced:
    """Scores are replaced by `number` where `condition` does not hold, or, `inverted`, where it holds."""

    condition: SSAValue
    inverted: bool
    number: float


Mask = Added | Replaced


@dataclass(frozen=True)
class Scores:
    """`mask(softcap * tanh(scale * product / softcap))`; the outermost mask first."""

    product: MatMulOp
    scale: float
    softcap: float | None
    masks: tuple[Mask, ...]


def scores(trail: Trail, value: SSAValue, depth: int = DEPTH) -> Scores:
    """What `value`, the input of a softmax, is made of. Raises `Miss` where it is no attention's scores."""
    require(depth > 0, Reason.NOT_PRODUCED_BY, value, detail="too many ops between the product and the softmax")
    owner = value.owner
    if isinstance(owner, CastOp):
        return scores(trail, widened(trail, owner), depth - 1)
    if isinstance(owner, WhereOp):
        return replaced(trail, owner, depth)
    if isinstance(owner, BinaryOp) and owner.binary is BinaryKind.ADD:
        return added(trail, owner, depth)
    product, scale, softcap = capped(trail, value)
    return Scores(product, scale, softcap, ())


def replaced(trail: Trail, where: WhereOp, depth: int) -> Scores:
    trail.add(where)
    inverted = scalar(where.on_true) is not None
    number = require_scalar(where.on_true if inverted else where.on_false)
    kept = where.on_false if inverted else where.on_true
    require(kept.type == where.result.type, Reason.BROADCASTS_UP, where)
    inner = scores(trail, kept, depth - 1)
    return Scores(
        inner.product, inner.scale, inner.softcap, (Replaced(where.condition, inverted, number), *inner.masks)
    )


def added(trail: Trail, add: BinaryOp, depth: int) -> Scores:
    trail.add(add)

    def beside(score: SSAValue, bias: SSAValue) -> Scores:
        require(score.type == add.result.type, Reason.BROADCASTS_UP, add)
        inner = scores(trail, score, depth - 1)
        return Scores(inner.product, inner.scale, inner.softcap, (Added(bias), *inner.masks))

    return trail.operands(add, beside)


def widened(trail: Trail, cast: CastOp) -> SSAValue:
    """The input of a cast from one float type to a wider one, which changes no value."""
    before, after = tensor_type(cast.input).element_type, tensor_type(cast.result).element_type
    wider = isinstance(before, AnyFloat) and isinstance(after, AnyFloat) and before.bitwidth < after.bitwidth
    require(wider, Reason.DTYPE, cast, detail="a cast to a wider float is wanted")
    return trail.add(cast).input


def capped(trail: Trail, value: SSAValue) -> tuple[MatMulOp, float, float | None]:
    """`cap * tanh(score / cap)`, or a score without a cap."""
    owner = value.owner
    if not isinstance(owner, BinaryOp) or owner.binary is not BinaryKind.MUL:
        return (*scaled(trail, value), None)
    if not any(isinstance(x.owner, ActivationOp) for x in owner.operands):
        return (*scaled(trail, value), None)
    trail.add(owner)

    def by_cap(curve: SSAValue, factor: SSAValue) -> tuple[MatMulOp, float, float]:
        cap = require_scalar(factor)
        tanh = trail.activation(curve, Activation.TANH)
        product, scale = scaled(trail, tanh.input)
        require(cap > 0, Reason.CONSTANT, factor)
        return product, scale * cap, cap

    return trail.operands(owner, by_cap)


def scaled(trail: Trail, value: SSAValue) -> tuple[MatMulOp, float]:
    """A product times constants."""
    scale = 1.0
    for _ in range(DEPTH):
        owner = value.owner
        if isinstance(owner, CastOp):
            value = widened(trail, owner)
        elif isinstance(owner, BinaryOp):
            value, factor = multiplied(trail.add(owner))
            scale *= factor
        else:
            return trail.into(value, MatMulOp), scale
    raise Miss(Reason.NOT_PRODUCED_BY, value)


def multiplied(op: BinaryOp) -> tuple[SSAValue, float]:
    """The value that `op` multiplies by a constant number, and the number. Raises `Miss` for any other op."""
    right, left = scalar(op.rhs), scalar(op.lhs)
    if op.binary is BinaryKind.MUL and right is not None:
        return op.lhs, right
    if op.binary is BinaryKind.MUL and left is not None:
        return op.rhs, left
    if op.binary is BinaryKind.DIV and right:
        return op.lhs, 1 / right
    raise Miss(Reason.NOT_PRODUCED_BY, op, detail="a product with a constant number is wanted")


def natural(scale: float, head_dim: int, like: SSAValue) -> float:
    """`scale`, or `1 / sqrt(head_dim)` where it is that in the precision of `like`."""
    wanted = head_dim**-0.5
    try:
        require_close(scale, wanted, like)
    except Miss:
        return scale
    return wanted


def guarded(trail: Trail, value: SSAValue) -> SSAValue | None:
    """The result of `where(isnan(value), 0, value)` where that is the one reader of `value`; None where it is not."""
    readers = list(dict.fromkeys(use.operation for use in value.uses))
    tests = [op for op in readers if isinstance(op, CompareOp)]
    choices = [op for op in readers if isinstance(op, WhereOp)]
    if len(readers) != 2 or len(tests) != 1 or len(choices) != 1:
        return None
    test, choice = tests[0], choices[0]
    if not (test.lhs is test.rhs is value) or producer(choice.condition, CompareOp) is not test:
        return None
    for kind, zero, kept in (
        (CompareKind.NE, choice.on_true, choice.on_false),
        (CompareKind.EQ, choice.on_false, choice.on_true),
    ):
        if test.comparison is kind and kept is value and scalar(zero) == 0 and choice.result.type == value.type:
            trail.add(test)
            trail.add(choice)
            return choice.result
    return None
