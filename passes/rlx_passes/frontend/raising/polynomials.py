"""Values read as polynomials of another value with constant coefficients, however the products are written."""

from collections.abc import Iterator, Mapping

from xdsl.ir import Attribute, Block, SSAValue

from rlx_dialect.attributes import Activation, BinaryKind
from rlx_dialect.ops import ActivationOp, BinaryOp
from rlx_passes.constants import is_close, scalar
from rlx_passes.frontend.raising.trail import Trail
from rlx_passes.legality import tensor_type
from rlx_passes.miss import Miss, Reason

Polynomial = dict[int, float]
"""The coefficient of each power; powers with coefficient 0 are left out."""

DEPTH = 6
"""How many ops deep a polynomial is read."""


def polynomial(trail: Trail, value: SSAValue, x: SSAValue, depth: int = DEPTH) -> Polynomial:
    """`value` as a polynomial of `x`; its ops join the trail. Raises `Miss` where it is none, or one of more than `DEPTH` ops in a row."""
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
    element: Attribute = tensor_type(value).element_type
    if actual.keys() != wanted.keys() or not all(is_close(actual[power], wanted[power], element) for power in wanted):
        raise Miss(
            Reason.CONSTANT, value, detail=lambda: f"coefficients {dict(actual)} where {dict(wanted)} are wanted"
        )


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
