"""Gathers and scatters with dimension numbers, prefix sums, sorts."""

from typing import Any

from xdsl.dialects.builtin import BoolAttr, IntegerAttr, TensorType, i64
from xdsl.ir import Block, Region, SSAValue

from rlx_dialect.attributes import ScatterReduction, word_of
from rlx_dialect.dtypes import integer_limits, is_float
from rlx_dialect.ops import ArgsortOp, CummaxOp, CumprodOp, CumsumOp, GeneralGatherOp, GeneralScatterOp
from rlx_dialect.ops.cumulative import PrefixOp
from rlx_dialect.shapes import Shaped, known, normalize_axis, shaped
from rlx_passes.dialects.stablehlo.attributes import (
    ComparisonDirection,
    GatherDimensionNumbers,
    ScatterDimensionNumbers,
)
from rlx_passes.dialects.stablehlo.base import BinaryOp
from rlx_passes.dialects.stablehlo.data_movement import PadOp
from rlx_passes.dialects.stablehlo.elementwise_binary import (
    AddOp,
    AndOp,
    CompareOp,
    MaximumOp,
    MinimumOp,
    MultiplyOp,
    OrOp,
)
from rlx_passes.dialects.stablehlo.indexing import ScatterOp, SortOp
from rlx_passes.dialects.stablehlo.reduction import ReduceWindowOp, ReturnOp, combining_body
from rlx_passes.lowerings.to_stablehlo.emitter import StableEmitter, sized
from rlx_passes.lowerings.to_stablehlo.vocabulary import accumulator, cast_to, gathered, places, splat
from rlx_passes.rewriting.conversion import Rules

COMBINED: dict[ScatterReduction, type[BinaryOp]] = {
    ScatterReduction.ADD: AddOp,
    ScatterReduction.MUL: MultiplyOp,
    ScatterReduction.MAX: MaximumOp,
    ScatterReduction.MIN: MinimumOp,
}


def _general_gather(op: GeneralGatherOp, emit: StableEmitter) -> SSAValue:
    numbers = GatherDimensionNumbers(*op.numbers)
    return gathered(emit, op.input, op.indices, numbers, op.slice_sizes.get_values(), sized(op.result))


def _general_scatter(op: GeneralScatterOp, emit: StableEmitter) -> SSAValue:
    """Sums and products go on in f32 for narrower floats."""
    source, reduction = sized(op.input), word_of(op.reduction, ScatterReduction)
    sums = reduction in (ScatterReduction.ADD, ScatterReduction.MUL)
    wide = accumulator(source.element, None) if sums else source.element
    kind = COMBINED.get(reduction)
    body: Region = _last(wide) if kind is None else combining_body(wide, kind)
    target, updates = cast_to(emit, op.input, wide), cast_to(emit, op.updates, wide)
    scattered = emit(ScatterOp(target, op.indices, updates, ScatterDimensionNumbers(*op.numbers), body))
    return cast_to(emit, scattered, source.element)


def _last(element: Any) -> Region:
    """A body that gives its second argument."""
    scalar = TensorType(element, [])
    block = Block(arg_types=[scalar, scalar])
    block.add_op(ReturnOp([block.args[1]]))
    return Region(block)


def _prefix(op: PrefixOp, emit: StableEmitter, kind: type[BinaryOp], nothing: float) -> SSAValue:
    """A window as long as the axis that ends, or with `reverse` begins, at each place; `exclusive` moves it one on."""
    source = sized(op.input)
    if 0 in source.dims:
        return op.input
    axis, wide = normalize_axis(op.axis.value.data, source.rank), accumulator(source.element, None)
    size, back = source.dims[axis], op.reverse is not None
    if not known(size):
        (by_doubling,) = emit.require_plain(op)
        return by_doubling
    identity = splat(emit, Shaped((), wide), nothing)
    window = [size if i == axis else 1 for i in range(source.rank)]
    around = (0, size - 1) if back else (size - 1, 0)
    padding = [around if i == axis else (0, 0) for i in range(source.rank)]
    found = emit(ReduceWindowOp(cast_to(emit, op.input, wide), identity, window, padding, kind))
    if op.exclusive is not None:
        low = [(-1 if back else 1) if i == axis else 0 for i in range(source.rank)]
        found = emit(PadOp(found, identity, low, [-edge for edge in low], [0] * source.rank, shaped(found).type))
    return cast_to(emit, found, source.element)


def _cumsum(op: CumsumOp, emit: StableEmitter) -> SSAValue:
    return _prefix(op, emit, AddOp, 0)


def _cumprod(op: CumprodOp, emit: StableEmitter) -> SSAValue:
    return _prefix(op, emit, MultiplyOp, 1)


def _cummax(op: CummaxOp, emit: StableEmitter) -> SSAValue:
    element = shaped(op.input).element
    return _prefix(op, emit, MaximumOp, float("-inf") if is_float(element) else integer_limits(element)[0])


def _argsort(op: ArgsortOp, emit: StableEmitter) -> SSAValue:
    """The numbers of the places, sorted along with the elements."""
    source = sized(op.input)
    axis = normalize_axis(op.axis.value.data, source.rank)
    numbers = Shaped(source.dims, i64)
    sort = SortOp.create(
        operands=[op.input, places(emit, axis, numbers)],
        properties={"dimension": IntegerAttr(axis, i64), "is_stable": BoolAttr.from_bool(True)},
        regions=[_comparator(source.element, op.descending is not None)],
        result_types=[source.type, numbers.type],
    )
    emit(sort)
    return cast_to(emit, sort.results[1], shaped(op.result).element)


def _comparator(element: Any, descending: bool) -> Region:
    """Whether the first of two elements comes before the second; NaN is greater than all else."""
    scalar, place = TensorType(element, []), TensorType(i64, [])
    block = Block(arg_types=[scalar, scalar, place, place])
    less, greater = block.args[:2] if not descending else (block.args[1], block.args[0])
    before = CompareOp(ComparisonDirection.LT, less, greater)
    block.add_op(before)
    result = before.result
    if is_float(element):
        number = CompareOp(ComparisonDirection.EQ, less, less)
        nan = CompareOp(ComparisonDirection.NE, greater, greater)
        both = AndOp(number.result, nan.result)
        either = OrOp(before.result, both.result)
        block.add_ops([number, nan, both, either])
        result = either.result
    block.add_op(ReturnOp([result]))
    return Region(block)


RULES: Rules = {
    ArgsortOp: _argsort,
    CummaxOp: _cummax,
    CumprodOp: _cumprod,
    CumsumOp: _cumsum,
    GeneralGatherOp: _general_gather,
    GeneralScatterOp: _general_scatter,
}
