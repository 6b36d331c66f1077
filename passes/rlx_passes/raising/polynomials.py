"""Values read as polynomials of another value with constant coefficients, however the products are written."""

from collections.abc import Iterator, Mapping, Sequence

from xdsl.ir import Attribute, Block, SSAValue

from rlx_dialect.attributes import Activation, BinaryKind
from rlx_dialect.ops import ActivationOp, BinaryOp
from rlx_passes.raising.trail import Trail
from rlx_passes.rewriting.constants import is_close, require_scalar, scalar
from rlx_passes.rewriting.legality import only_reader, require, tensor_type
from rlx_passes.rewriting.miss import Miss, Reason

Polynomial = dict[int, float]
"""The coefficient of each power; powers with coefficient 0 are left out."""

DEPTH = 6
"""How many ops deep a polynomial is read."""


def polynomial(trail: Trail, value: SSAValue, x: SSAValue, depth: int = DEPTH) -> Polynomial:
    """`value` as a polynomial of `x`; its ops join the trail. Raises `Miss` for none, or deeper than `DEPTH` ops."""
    if value is x:
        return {1: 1.0}
    number = scalar(value)
    if number is not None:
        return {0: number} if number else {}
    owner = value.owner
    if isinstance(owner, Block) or not depth:
        raise Miss(Reason.NOT_PRODUCED_BY, value)
    if isinstance(owner, ActivationOp) and owner.activation is Activation.NEG:
        trail.add(owner)
        return times({0: -1.0}, polynomial(trail, owner.input, x, depth - 1))
    if not isinstance(owner, BinaryOp):
        raise Miss(Reason.NOT_PRODUCED_BY, value)
    trail.add(owner)
    left = polynomial(trail, owner.lhs, x, depth - 1)
    right = polynomial(trail, owner.rhs, x, depth - 1)
    return combine(owner, left, right)


def combine(op: BinaryOp, left: Polynomial, right: Polynomial) -> Polynomial:
    """The polynomial of a sum, difference, product, quotient or power."""
    match op.binary:
        case BinaryKind.ADD:
            return plus(left, right)
        case BinaryKind.SUB:
            return plus(left, times({0: -1.0}, right))
        case BinaryKind.MUL:
            return times(left, right)
        case BinaryKind.DIV if right.keys() == {0}:
            return {power: factor / right[0] for power, factor in left.items()}
        case BinaryKind.POW if right in ({0: 2.0}, {0: 3.0}):
            square = times(left, left)
            return square if right[0] == 2.0 else times(square, left)
        case _:
            raise Miss(Reason.NOT_PRODUCED_BY, op)


def plus(a: Polynomial, b: Polynomial) -> Polynomial:
    total = {power: a.get(power, 0.0) + b.get(power, 0.0) for power in {*a, *b}}
    return {power: factor for power, factor in total.items() if factor}


def times(a: Polynomial, b: Polynomial) -> Polynomial:
    product: Polynomial = {}
    for i, left in a.items():
        for j, right in b.items():
            product[i + j] = product.get(i + j, 0.0) + left * right
    return product


def require_polynomial(actual: Polynomial, wanted: Mapping[int, float], value: SSAValue) -> None:
    """Each coefficient is the wanted one in the precision of `value`. Raises `Miss` otherwise."""
    if not is_polynomial(actual, wanted, value):
        raise Miss(
            Reason.CONSTANT, value, detail=lambda: f"coefficients {dict(actual)} where {dict(wanted)} are wanted"
        )


def is_polynomial(actual: Polynomial, wanted: Mapping[int, float], value: SSAValue) -> bool:
    """Whether each coefficient is the wanted one in the precision of `value`."""
    element: Attribute = tensor_type(value).element_type
    return actual.keys() == wanted.keys() and all(is_close(actual[power], wanted[power], element) for power in wanted)


def argument(trail: Trail, value: SSAValue, wanted: Mapping[int, float]) -> SSAValue:
    """The x of which `value` is the polynomial `wanted`. Raises `Miss` where there is none."""

    def of(x: SSAValue) -> SSAValue:
        require_polynomial(polynomial(trail, value, x), wanted, value)
        return x

    candidates = [x for x in variables(value) if x is not value]
    require(len(candidates) > 0, Reason.NOT_PRODUCED_BY, value)
    return trail.first(*(lambda x=x: of(x) for x in candidates))


def multiplied(
    trail: Trail, factor: SSAValue, x: SSAValue, wanted: Sequence[Mapping[int, float]]
) -> tuple[BinaryOp, int]:
    """From `factor` forward: the op that has multiplied it by one of the polynomials of x in `wanted`, and by which."""
    beside, value = {0: 1.0}, factor
    for _ in range(DEPTH):
        op = trail.add(only_reader(value, BinaryOp))
        other = op.rhs if op.lhs is value else op.lhs
        if op.binary is BinaryKind.DIV and op.lhs is value and (divisor := require_scalar(other)):
            beside = times(beside, {0: 1 / divisor})
        else:
            require(op.binary is BinaryKind.MUL, Reason.NOT_CONSUMED_BY, op)
            beside = times(beside, polynomial(trail, other, x))
        value = op.result
        for which, each in enumerate(wanted):
            if is_polynomial(beside, each, value):
                require(value.type == x.type, Reason.TYPE_CHANGES, op)
                return op, which
    raise Miss(Reason.CONSTANT, value)


def variables(value: SSAValue, depth: int = DEPTH) -> Iterator[SSAValue]:
    """The values of which `value` may be a polynomial, nearest first, none twice."""
    level, seen = [value], set[SSAValue]()
    for _ in range(depth):
        below: list[SSAValue] = []
        for inner in level:
            if inner in seen or scalar(inner) is not None:
                continue
            seen.add(inner)
            yield inner
            owner = inner.owner
            if isinstance(owner, BinaryOp):
                below += owner.operands
            elif isinstance(owner, ActivationOp) and owner.activation is Activation.NEG:
                below.append(owner.input)
        level = below


def rescaled(trail: Trail, value: SSAValue, wanted: Mapping[int, float]) -> BinaryOp:
    """From `value` forward: the op whose result is the polynomial `wanted` of it. Raises `Miss` where there is none."""
    found: Polynomial = {1: 1.0}
    last = value
    for _ in range(DEPTH):
        op = trail.add(only_reader(last, BinaryOp))
        left, right = (found if side is last else polynomial(trail, side, value) for side in op.operands)
        found, last = combine(op, left, right), op.result
        if is_polynomial(found, wanted, last):
            return op
    raise Miss(Reason.CONSTANT, last)
