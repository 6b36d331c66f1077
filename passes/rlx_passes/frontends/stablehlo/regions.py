"""
What the bodies of StableHLO ops mean: regions of elementwise ops on scalars.

A body that only compares its arguments with one another and with zero depends on nothing but their order, so trying it
on one example of each order tells what it computes: `decide` runs it on arrays of examples.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from xdsl.dialects.arith import ConstantOp as ArithConstantOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from rlx_dialect.attributes import COMMUTATIVE
from rlx_dialect.constants import array_of
from rlx_dialect.dtypes import is_float, is_unsigned, numpy_dtype
from rlx_dialect.shapes import Shaped, shaped
from rlx_dialect.xdsl_repairs import retype
from rlx_passes.core.errors import Refusal
from rlx_passes.dialects.stablehlo import elementwise_binary as binary
from rlx_passes.dialects.stablehlo import elementwise_unary as unary
from rlx_passes.dialects.stablehlo.attributes import ComparisonDirection, ComparisonType
from rlx_passes.dialects.stablehlo.base import BinaryOp
from rlx_passes.dialects.stablehlo.data_movement import ConstantOp
from rlx_passes.dialects.stablehlo.reduction import ReturnOp
from rlx_passes.frontends.stablehlo import bits, complex, data_movement, elementwise, functions
from rlx_passes.frontends.stablehlo.elementwise import BINARIES
from rlx_passes.rewriting.conversion import Emitter, Rules
from rlx_passes.rewriting.vocabulary import constant_array

if TYPE_CHECKING:
    from rlx_dialect.reference.numeric import Array

ELEMENTWISE: Rules = {**elementwise.RULES, **bits.RULES, **functions.RULES, **complex.RULES}


def returned(block: Block) -> Sequence[SSAValue]:
    """What a body gives."""
    end = block.last_op
    if not isinstance(end, ReturnOp):
        raise Refusal("has a body that does not end in stablehlo.return")
    return end.values


def single_op(region: Region) -> BinaryOp | None:
    """
    The one elementwise op that a body applies to its two arguments; None for any other body.

    The arguments of an op that commutes may change places.
    """
    block = region.block
    first = block.first_op
    if len(block.args) != 2 or not isinstance(first, BinaryOp) or first.next_op is not block.last_op:
        return None
    given, wanted = tuple(first.operands), tuple(block.args)
    ordered = given == wanted or (given == wanted[::-1] and BINARIES.get(type(first)) in COMMUTATIVE)
    return first if ordered and tuple(returned(block)) == (first.result,) else None


def is_second(region: Region) -> bool:
    """Whether a body gives its second argument."""
    block = region.block
    return len(block.args) == 2 and isinstance(block.first_op, ReturnOp) and tuple(returned(block)) == (block.args[1],)


def examples(element: Attribute) -> Array:
    """Elements in every order to each other and to zero; for floats also both zeros and both signs of NaN."""
    import numpy as np

    if is_float(element):
        numbers = np.array([-2.0, -1.0, -0.0, 0.0, 1.0, 2.0, np.nan, -np.nan])
        return np.copysign(numbers, [-1, -1, -1, 1, 1, 1, 1, -1]).astype(numpy_dtype(element))
    dtype = numpy_dtype(element)
    if dtype.kind == "b":
        return np.array([False, True])
    return np.array([0, 1, 2] if is_unsigned(element) else [-2, -1, 0, 1, 2], dtype)


def decide(block: Block, arguments: Sequence[Array]) -> list[Array]:
    """
    What a body of comparisons and choices gives for arrays of examples.

    Raises `Refusal` for a body that does anything else, such as arithmetic, or that compares with other numbers than
    zero and NaN.
    """
    import numpy as np

    values: dict[SSAValue, Any] = dict(zip(block.args, arguments, strict=True))
    with np.errstate(invalid="ignore"):
        for op in block.ops:
            if isinstance(op, ReturnOp):
                break
            values[op.results[0]] = _decided(op, [_known(values, value) for value in op.operands])
    found: list[Array] = [_known(values, value) for value in returned(block)]
    return found


def _known(values: dict[SSAValue, Any], value: SSAValue) -> Any:
    if value in values:
        return values[value]
    return _allowed(constant_array(value))


def _allowed(array: Array | None) -> Any:
    import numpy as np

    if (
        array is None
        or array.size != 1
        or not bool(((array == 0) | (array != array) | (array.dtype == np.bool_)).all())
    ):
        raise Refusal("has a body that compares with other values than zero")
    return array.reshape(())


def _decided(op: Operation, operands: list[Any]) -> Any:
    import numpy as np

    where: Any = np.where
    match op:
        case ConstantOp():
            return _allowed(array_of(op.value))
        case binary.CompareOp():
            total = op.compare_type is not None and op.compare_type.data is ComparisonType.TOTALORDER
            ordered = [_total(operand) for operand in operands] if total else operands
            return COMPARISONS[op.comparison_direction.data](*ordered)
        case binary.SelectOp():
            return where(*operands)
        case binary.AndOp() if operands[0].dtype == np.bool_:
            return np.logical_and(*operands)
        case binary.OrOp() if operands[0].dtype == np.bool_:
            return np.logical_or(*operands)
        case binary.XorOp() if operands[0].dtype == np.bool_:
            return np.logical_xor(*operands)
        case unary.NotOp() if operands[0].dtype == np.bool_:
            return np.logical_not(operands[0])
        case _:
            raise Refusal(f"has a body with {op.name}, which is neither a comparison nor a choice")


def _total(array: Array) -> Array:
    """Numbers whose order is the total order of the examples: -NaN, negative numbers, -0, 0, positive numbers, NaN."""
    import numpy as np

    if array.dtype.kind in "iub":
        return array
    size = np.where(array != array, 4.0, np.abs(array.astype(np.float64)))
    return np.where(np.signbit(array), -size - 0.5, size)


def _comparisons() -> dict[ComparisonDirection, Any]:
    import operator

    return {direction: getattr(operator, direction.value.lower()) for direction in ComparisonDirection}


COMPARISONS = _comparisons()


def applied(block: Block, arguments: Sequence[SSAValue], emit: Emitter) -> list[SSAValue]:
    """The RLX ops that a body of elementwise ops is for each element of `arguments`; all have the same dims."""
    dims = shaped(arguments[0]).dims
    values: dict[SSAValue, SSAValue] = dict(zip(block.args, arguments, strict=True))
    for op in block.ops:
        if isinstance(op, ReturnOp):
            break
        values[op.results[0]] = _applied(op, values, dims, emit)
    found = [values.get(value, value) for value in returned(block)]
    return [value if shaped(value).dims == dims else data_movement.expanded(emit, value, dims) for value in found]


def _applied(op: Operation, values: dict[SSAValue, SSAValue], dims: tuple[int, ...], emit: Emitter) -> SSAValue:
    if isinstance(op, ConstantOp):
        return emit(ArithConstantOp(op.value))  # pyright: ignore[reportArgumentType]
    rule = ELEMENTWISE.get(type(op))
    if rule is None:
        raise Refusal(f"has a body with {op.name}")
    copy = op.clone(dict(values))
    try:
        if any(shaped(value).dims for value in copy.operands):
            retype(copy.results[0], Shaped(dims, shaped(copy.results[0]).element).type)
        return emit.values_of(rule(copy, emit))[0]
    finally:
        copy.drop_all_references()
