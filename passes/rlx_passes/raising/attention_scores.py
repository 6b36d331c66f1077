"""From the input of a softmax back to the product of queries and keys: masks, then the cap, then the scale."""

from dataclasses import dataclass, replace

from xdsl.ir import SSAValue

from rlx_dialect.attributes import Activation, BinaryKind, CompareKind
from rlx_dialect.ops import ActivationOp, BinaryOp, CastOp, CompareOp, MatMulOp, TransposeOp, WhereOp
from rlx_passes.raising.trail import Trail, is_widening
from rlx_passes.rewriting.constants import require_close, require_scalar, scalar
from rlx_passes.rewriting.legality import dims_of, producer, require
from rlx_passes.rewriting.miss import Miss, Reason

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
    """`mask(softcap * tanh(scale * product / softcap))`, outermost mask first; masks see the `permutation`."""

    product: MatMulOp
    scale: float
    permutation: tuple[int, ...]
    softcap: float | None = None
    masks: tuple[Mask, ...] = ()

    def under(self, mask: Mask) -> "Scores":
        """These scores with `mask` on them."""
        return replace(self, masks=(mask, *self.masks))


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
    return capped(trail, value)


def replaced(trail: Trail, where: WhereOp, depth: int) -> Scores:
    trail.add(where)
    inverted = scalar(where.on_true) is not None
    number = require_scalar(where.on_true if inverted else where.on_false)
    kept = where.on_false if inverted else where.on_true
    require(kept.type == where.result.type, Reason.BROADCASTS_UP, where)
    return scores(trail, kept, depth - 1).under(Replaced(where.condition, inverted, number))


def added(trail: Trail, add: BinaryOp, depth: int) -> Scores:
    trail.add(add)

    def beside(score: SSAValue, bias: SSAValue) -> Scores:
        require(score.type == add.result.type, Reason.BROADCASTS_UP, add)
        return scores(trail, score, depth - 1).under(Added(bias))

    return trail.operands(add, beside)


def widened(trail: Trail, cast: CastOp) -> SSAValue:
    """The input of a cast from one float type to a wider one, which changes no value."""
    require(is_widening(cast), Reason.DTYPE, cast, detail="a cast to a wider float is wanted")
    return trail.add(cast).input


def capped(trail: Trail, value: SSAValue) -> Scores:
    """`cap * tanh(score / cap)`, or a score without a cap."""
    owner = value.owner
    if not isinstance(owner, BinaryOp) or owner.binary is not BinaryKind.MUL:
        return scaled(trail, value)
    if not any(isinstance(x.owner, ActivationOp) for x in owner.operands):
        return scaled(trail, value)
    trail.add(owner)

    def by_cap(curve: SSAValue, factor: SSAValue) -> Scores:
        cap = require_scalar(factor)
        require(cap > 0, Reason.CONSTANT, factor)
        inner = scaled(trail, trail.activation(curve, Activation.TANH).input)
        return replace(inner, scale=inner.scale * cap, softcap=cap)

    return trail.operands(owner, by_cap)


def scaled(trail: Trail, value: SSAValue) -> Scores:
    """A product times constants, its axes moved."""
    scale, permutation = 1.0, tuple(range(len(dims_of(value))))
    for _ in range(DEPTH):
        owner = value.owner
        if isinstance(owner, CastOp):
            value = widened(trail, owner)
        elif isinstance(owner, TransposeOp):
            inner = trail.add(owner).permutation.get_values()
            value, permutation = owner.input, tuple(inner[axis] for axis in permutation)
        elif isinstance(owner, BinaryOp):
            value, factor = multiplied(trail.add(owner))
            require(value.type == owner.result.type, Reason.BROADCASTS_UP, owner)
            scale *= factor
        else:
            return Scores(trail.into(value, MatMulOp), scale, permutation)
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
