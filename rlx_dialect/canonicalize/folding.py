"""Small constants are computed by the reference."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.ir import Operation, SSAValue
from xdsl.traits import Pure

from rlx_dialect.constants import array_of, constant_of, dense, is_dtype
from rlx_dialect.dtypes import dtype_of, is_float
from rlx_dialect.ops.elementwise import CastOp
from rlx_dialect.shapes import count, shaped

if TYPE_CHECKING:
    from xdsl.interpreter import Interpreter

    from rlx_dialect.arrays import Array

MOST_BYTES = 1024
"""As large results become constants."""

MOST_ELEMENTS = 1 << 14
"""As many elements of constants are read for that."""


def folded(op: Operation) -> list[ConstantOp] | None:
    """
    The constants that replace the results of an op that depends on constants alone.

    None for any other op, for one whose results are large, and for one whose computation is an error, such as an index
    outside of a table: that stays for the program's run. So does a cast that `overflows`.
    """
    arrays = _results(op)
    if arrays is None or overflows(op):
        return None
    return [ConstantOp(dense(shaped(result).type, array)) for result, array in zip(op.results, arrays)]


def overflows(op: Operation) -> bool:
    """
    Whether `op` casts a finite constant to a float type in which one of its numbers is infinite, such as -1e12 to f16.

    The number says what was meant, a mask as large as may be; as infinity it makes NaN of a fully masked row.
    """
    if not isinstance(op, CastOp):
        return False
    constant = constant_of(op.input)
    results = None if constant is None else _results(op)
    if constant is None or not results or not is_float(shaped(op.result).element):
        return False
    return bool((_finite(array_of(constant)) & ~_finite(results[0])).any())


def _finite(array: Array) -> Array:
    import numpy as np

    return np.isfinite(array.astype(np.float64))


def _results(op: Operation) -> list[Array] | None:
    """The results of an op that can be folded, or None."""
    if not op.results or op.regions or not op.has_trait(Pure):
        return None
    if not all(isinstance(operand.owner, ConstantOp) for operand in op.operands):
        return None
    if not all(_is_small(result) for result in op.results):
        return None
    inputs = [_constant(operand) for operand in op.operands]
    if any(each is None for each in inputs) or sum(_size(each) for each in inputs) > MOST_ELEMENTS:
        return None
    arrays = _computed(op, tuple(inputs))
    if arrays is None or any(array.shape != shaped(each).dims for array, each in zip(arrays, op.results)):
        return None
    return arrays


def _is_small(result: SSAValue) -> bool:
    value = shaped(result)
    elements = count(value.dims)
    if elements is None or not is_dtype(value.element):
        return False
    size = 8 if isinstance(value.element, IndexType) else dtype_of(value.element).size
    return elements * size <= MOST_BYTES


def _constant(value: SSAValue) -> Array | int | None:
    """The elements of a constant, or the number of one that is an index."""
    owner = value.owner
    if isinstance(owner, ConstantOp) and isinstance(owner.value, IntegerAttr):
        return owner.value.value.data
    constant = constant_of(value)
    return None if constant is None else array_of(constant)


def _size(value: Array | int | None) -> int:
    return 1 if isinstance(value, int) or value is None else value.size


def _computed(op: Operation, inputs: tuple[Any, ...]) -> list[Array] | None:
    import numpy as np

    try:
        with np.errstate(all="ignore"):
            return [np.asarray(value) for value in interpreter().run_op(op, inputs)]
    except (ArithmeticError, LookupError, ValueError):
        return None


@cache
def interpreter() -> Interpreter:
    """The reference, for single ops."""
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.interpreter import Interpreter

    from rlx_dialect.reference import IMPLEMENTATIONS

    result = Interpreter(ModuleOp([]))
    for implementation in IMPLEMENTATIONS:
        result.register_implementations(implementation())
    return result
