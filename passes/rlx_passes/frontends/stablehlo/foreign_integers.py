"""
Numbers of integer types that RLX lacks, where they are known: the counters that JAX's generator splits into words.

An op that turns such numbers to a type of RLX becomes a constant. Numbers that count 0, 1, 2, .. stay a count.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import TYPE_CHECKING, Any, cast

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntegerType, ModuleOp, Signedness, TensorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import Rewriter

from rlx_dialect.constants import dense
from rlx_dialect.dtypes import is_unsigned, numpy_dtype
from rlx_dialect.ops import ExpandOp, IotaOp, ReshapeOp
from rlx_dialect.shapes import Shaped, shaped
from rlx_passes.core.index import Index
from rlx_passes.dialects.stablehlo import data_movement as movement
from rlx_passes.dialects.stablehlo import elementwise_binary as binary
from rlx_passes.dialects.stablehlo import elementwise_unary as unary
from rlx_passes.rewriting.vocabulary import integer_width

if TYPE_CHECKING:
    from rlx_dialect.reference.numeric import Array

Evaluation = Callable[[Any, list["Array"]], "Array"]
FOREIGN = frozenset(IntegerType(width, Signedness.UNSIGNED) for width in (16, 64))
LARGEST = 1 << 24
"""More numbers are not looked at."""


def fold_foreign_integers(module: ModuleOp) -> None:
    """Replace what follows from known integers of foreign types, and erase the ops that nothing reads then."""
    known: dict[SSAValue, Array] = {}
    for op in Index(module).where(EVALUATIONS.__contains__):
        if not _concerns(op, known):
            continue
        array = EVALUATIONS[type(op)](op, [known[value] for value in op.operands])
        if _is_foreign(op.results[0]):
            known[op.results[0]] = array
            continue
        new = _remade(op.results[0], array)
        for each in new:
            each.location = op.location
        Rewriter.replace_op(op, new)
    for value in reversed(known):
        if value.first_use is None and isinstance(value.owner, Operation):
            Rewriter.erase_op(value.owner)


def _concerns(op: Operation, known: dict[SSAValue, Array]) -> bool:
    """Whether `op` is about numbers of foreign types, all of which are known."""
    operands = op.operands
    if not all(value in known for value in operands) or not (operands or _is_foreign(op.results[0])):
        return False
    dims = shaped(op.results[0])
    return dims.static and prod(dims.dims) <= LARGEST


def _dtype(element: Attribute) -> Any:
    """The NumPy type of any integer type of 8 to 64 bits."""
    import numpy as np

    return np.dtype(f"{'u' if is_unsigned(element) else ''}int{integer_width(element)}")


def _is_foreign(value: SSAValue) -> bool:
    if not isinstance(value.type, TensorType):
        return False
    return shaped(value).element in FOREIGN


def _remade(old: SSAValue, array: Array) -> list[Operation]:
    """Ops of RLX, the last of which gives `array`: of as few numbers as can be."""
    import numpy as np

    result = shaped(old)
    if array.size and bool((array == array.flat[0]).all()):
        number = ConstantOp(dense(Shaped((), result.element).type, array.flat[0].astype(numpy_dtype(result.element))))
        return [number, ExpandOp(number.result, result.dims)]
    if array.size > 1 and bool((array.ravel() == np.arange(array.size)).all()):
        count = IotaOp(Shaped((array.size,), result.element), axis=0)
        return [count] if result.rank == 1 else [count, ReshapeOp(count.result, result.dims)]
    constant = dense(cast("TensorType[Attribute]", old.type), array.astype(numpy_dtype(result.element)))
    return [movement.ConstantOp(constant)]


def _constant(op: movement.ConstantOp, operands: list[Array]) -> Array:
    import numpy as np

    value = cast("DenseIntOrFPElementsAttr[Any]", op.value)
    dims, element = shaped(op.output)
    flat = np.frombuffer(value.data.data, _dtype(element))
    return np.broadcast_to(flat.reshape(()), dims) if flat.size == 1 else flat.reshape(dims)


def _iota(op: movement.IotaOp, operands: list[Array]) -> Array:
    import numpy as np

    dims, element = shaped(op.output)
    axis = op.iota_dimension.value.data
    numbers = np.arange(dims[axis]).astype(_dtype(element))
    return np.broadcast_to(numbers.reshape([-1 if i == axis else 1 for i in range(len(dims))]), dims)


def _broadcast(op: movement.BroadcastInDimOp, operands: list[Array]) -> Array:
    import numpy as np

    (array,) = operands
    dims, axes = shaped(op.result).dims, op.broadcast_dimensions.get_values()
    aligned = np.expand_dims(
        array.transpose(sorted(range(len(axes)), key=axes.__getitem__)), [i for i in range(len(dims)) if i not in axes]
    )
    return np.broadcast_to(aligned, dims)


def _reshape(op: movement.ReshapeOp, operands: list[Array]) -> Array:
    return operands[0].reshape(shaped(op.result).dims)


def _convert(op: unary.ConvertOp, operands: list[Array]) -> Array:
    element = shaped(op.result).element
    return operands[0].astype(_dtype(element) if element in FOREIGN else numpy_dtype(element))


def _by(name: str) -> Evaluation:
    """A NumPy function of two operands of one type, whose integers wrap."""

    def evaluation(op: binary.BinaryOp, operands: list[Array]) -> Array:
        import numpy as np

        with np.errstate(over="ignore"):
            return getattr(np, name)(*operands)

    return evaluation


EVALUATIONS: dict[type[Operation], Evaluation] = {
    movement.ConstantOp: _constant,
    movement.IotaOp: _iota,
    movement.BroadcastInDimOp: _broadcast,
    movement.ReshapeOp: _reshape,
    unary.ConvertOp: _convert,
    binary.AddOp: _by("add"),
    binary.AndOp: _by("bitwise_and"),
    binary.MultiplyOp: _by("multiply"),
    binary.OrOp: _by("bitwise_or"),
    binary.ShiftLeftOp: _by("left_shift"),
    binary.ShiftRightLogicalOp: _by("right_shift"),
    binary.SubtractOp: _by("subtract"),
}
