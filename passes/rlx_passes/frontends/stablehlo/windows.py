"""Reductions over windows: prefix sums, pools, and anything else slice by slice."""

from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple, cast

from xdsl.dialects.builtin import DenseArrayBase, DenseIntOrFPElementsAttr, IntegerType, i1
from xdsl.ir import Operation, SSAValue

from rlx_dialect.attributes import Activation, BinaryKind, PoolKind, ReduceKind, SpatialLayout
from rlx_dialect.dtypes import is_float
from rlx_dialect.ops import (
    ActivationOp,
    BinaryOp,
    CummaxOp,
    CumprodOp,
    CumsumOp,
    MaxPoolBackwardOp,
    PoolConfig,
    PoolOp,
    SliceOp,
)
from rlx_dialect.shapes import shaped
from rlx_passes.core.errors import Refusal
from rlx_passes.dialects.stablehlo import reduction as stable
from rlx_passes.dialects.stablehlo.elementwise_binary import AddOp, DivideOp
from rlx_passes.frontends.stablehlo.bits import flipped
from rlx_passes.frontends.stablehlo.data_movement import expanded, padded
from rlx_passes.frontends.stablehlo.elementwise import binary_kind
from rlx_passes.frontends.stablehlo.reduction import NUMBERS, TRUTHS, is_identity
from rlx_passes.frontends.stablehlo.regions import applied, decide, examples, single_op
from rlx_passes.frontends.stablehlo.vocabulary import Arithmetic, require_static
from rlx_passes.rewriting.conversion import Emitter, Rules
from rlx_passes.rewriting.vocabulary import splat_number

PREFIXES = {BinaryKind.ADD: CumsumOp, BinaryKind.MUL: CumprodOp, BinaryKind.MAX: CummaxOp}
LONGEST = 256
"""Over how many entries of a window, dim by dim, slices are combined."""


class Window(NamedTuple):
    """A window and its steps, an entry for each dim."""

    size: tuple[int, ...]
    stride: tuple[int, ...]
    base_dilation: tuple[int, ...]
    dilation: tuple[int, ...]
    low: tuple[int, ...]
    high: tuple[int, ...]

    @staticmethod
    def of(op: stable.ReduceWindowOp) -> "Window":
        size = op.window_dimensions.get_values()
        return Window(
            size,
            _steps(op.window_strides, size),
            _steps(op.base_dilations, size),
            _steps(op.window_dilations, size),
            *_edges(op.padding, size),
        )

    @property
    def pads(self) -> bool:
        """Whether a window may see what is not of the input."""
        return any((*self.low, *self.high)) or {*self.base_dilation} != {1}

    def prefix(self, dims: Sequence[int]) -> tuple[int, bool] | None:
        """The one axis whose window holds all entries up to each, or with `True` all from it on; else None."""
        axes = [axis for axis, size in enumerate(self.size) if size > 1]
        if len(axes) != 1 or {*self.stride, *self.base_dilation, *self.dilation} != {1}:
            return None
        (axis,) = axes
        reach = tuple(dims[axis] - 1 if i == axis else 0 for i in range(len(dims)))
        none = (0,) * len(dims)
        if self.size[axis] != dims[axis] or (self.low, self.high) not in ((reach, none), (none, reach)):
            return None
        return axis, self.high == reach


def _steps(values: DenseArrayBase[IntegerType] | None, size: Sequence[int]) -> tuple[int, ...]:
    return (1,) * len(size) if values is None else values.get_values()


def _edges(padding: Any, size: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The pads before and after each dim."""
    if padding is None:
        return (0,) * len(size), (0,) * len(size)
    edges = [int(edge) for edge in cast("DenseIntOrFPElementsAttr[Any]", padding).get_values()]
    edges = edges * 2 * len(size) if len(edges) == 1 else edges
    return tuple(edges[::2]), tuple(edges[1::2])


def _reduce_window(op: stable.ReduceWindowOp, emit: Emitter) -> Sequence[SSAValue]:
    """A window over all entries before is a prefix sum, one over spatial dims a pool; any other combines slices."""
    window, single = Window.of(op), single_op(op.body) if len(op.inputs) == 1 else None
    dims = require_static(op.inputs[0]).dims
    if single is None:
        return _by_slices(op, window, emit)
    element = shaped(op.inputs[0]).element
    kind = binary_kind(type(single), element)
    reduction = (TRUTHS if element == i1 else NUMBERS).get(kind)
    if reduction is not None and not is_identity(op.init_values[0], reduction) and window.pads:
        raise Refusal("pads with an initial value that changes what it is combined with")
    if reduction is None or element == i1 or not is_identity(op.init_values[0], reduction) or 0 in dims:
        return _by_slices(op, window, emit)
    found = _prefix(op.inputs[0], kind, window.prefix(dims), emit) or _pool(op, reduction, window, emit)
    return _by_slices(op, window, emit) if found is None else [found]


def _prefix(value: SSAValue, kind: BinaryKind, along: tuple[int, bool] | None, emit: Emitter) -> SSAValue | None:
    """The running minimum is the maximum of the negated values; of the flipped ones for integers, which overflow."""
    if along is None:
        return None
    axis, reverse = along
    if kind is BinaryKind.MIN:
        return _negative(emit, emit(CummaxOp(_negative(emit, value), axis=axis, reverse=reverse)))
    prefix = PREFIXES.get(kind)
    return None if prefix is None else emit(prefix(value, axis=axis, reverse=reverse))


def _negative(emit: Emitter, value: SSAValue) -> SSAValue:
    """Each element in its place in the opposite order."""
    element = shaped(value).element
    return emit(ActivationOp(Activation.NEG, value)) if is_float(element) else flipped(Arithmetic(emit, element), value)


def _pool(op: stable.ReduceWindowOp, kind: ReduceKind, window: Window, emit: Emitter) -> SSAValue | None:
    """The pool over spatial dims; a sum is one where all that reads it divides by the number of elements."""
    layout = _layout(window.size)
    if layout is None or set(window.base_dilation) != {1}:
        return None
    value, config = op.inputs[0], _config(window, layout)
    if config is None:
        return None
    if kind is ReduceKind.MAX:
        return emit(PoolOp(PoolKind.MAX, value, config))
    if kind is ReduceKind.MIN:
        return _negative(emit, emit(PoolOp(PoolKind.MAX, _negative(emit, value), config)))
    count = prod(window.size)
    if kind is not ReduceKind.SUM or not is_float(shaped(value).element) or not _only_divided(op, count):
        return None
    mean = emit(PoolOp(PoolKind.AVG, value, config, count_include_pad=True))
    return Arithmetic(emit, shaped(value).element)(BinaryKind.MUL, mean, float(count))


def _only_divided(op: Operation, count: int) -> bool:
    uses = list(op.results[0].uses)
    return bool(uses) and all(
        isinstance(use.operation, DivideOp) and use.index == 0 and splat_number(use.operation.rhs) == count
        for use in uses
    )


def _divide(op: DivideOp, emit: Emitter) -> SSAValue:
    """The mean that `_pool` multiplied by its number of elements, divided by it again."""
    product = op.lhs.owner
    if isinstance(product, BinaryOp) and product.binary is BinaryKind.MUL and isinstance(product.lhs.owner, PoolOp):
        pool, number = product.lhs.owner, splat_number(product.rhs)
        if pool.pooling is PoolKind.AVG and number == splat_number(op.rhs) == prod(pool.config.kernel):
            return pool.result
    return emit(BinaryOp(binary_kind(DivideOp, shaped(op.lhs).element), op.lhs, op.rhs))


def _layout(size: Sequence[int]) -> SpatialLayout | None:
    """Where batch and channels are, over which no window reaches."""
    if not 3 <= len(size) <= 5 or size[0] != 1:
        return None
    if size[1] == 1:
        return SpatialLayout.CHANNELS_FIRST
    return SpatialLayout.CHANNELS_LAST if size[-1] == 1 else None


def _config(window: Window, layout: SpatialLayout) -> PoolConfig | None:
    """The window over spatial dims; None where it steps over the others."""
    spatial = slice(2, None) if layout is SpatialLayout.CHANNELS_FIRST else slice(1, -1)
    others = slice(0, 2) if layout is SpatialLayout.CHANNELS_FIRST else slice(0, None, len(window.size) - 1)
    if {*window.stride[others]} != {1} or any((*window.low[others], *window.high[others])):
        return None
    return PoolConfig(
        window.size[spatial],
        window.stride[spatial],
        window.low[spatial],
        window.high[spatial],
        window.dilation[spatial],
        layout=layout,
    )


def _by_slices(op: stable.ReduceWindowOp, window: Window, emit: Emitter) -> list[SSAValue]:
    """
    Dim by dim: the entries that a window of one dim sees are as many slices, which are combined one after the other.

    Pads are initial values, and each window starts from one.
    """
    if sum(size for size in window.size if size > 1) > LONGEST:
        raise Refusal(f"combines more than {LONGEST} entries of a window")
    if 0 in window.size:
        raise Refusal("has a window without entries")
    block, results = op.body.block, require_static(op.results[0]).dims
    interior = [dilation - 1 for dilation in window.base_dilation]
    values: list[SSAValue] = []
    for value, init in zip(op.inputs, op.init_values):
        require_static(value)
        values.append(padded(emit, value, init, window.low, window.high, interior))
    for axis, (size, stride, dilation) in enumerate(zip(window.size, window.stride, window.dilation)):
        slices = [
            [_strided(emit, value, axis, place * dilation, stride, results[axis]) for value in values]
            for place in range(size)
        ]
        values = slices[0]
        for others in slices[1:]:
            values = applied(block, [*values, *others], emit)
    starts = [expanded(emit, init, results) for init in op.init_values]
    return applied(block, [*starts, *values], emit)


def _strided(emit: Emitter, value: SSAValue, axis: int, start: int, stride: int, count: int) -> SSAValue:
    """Every `stride`-th of the entries of `axis` from `start`."""
    dims = shaped(value).dims
    if (start, stride, count) == (0, 1, dims[axis]):
        return value
    starts, steps = [0] * len(dims), [1] * len(dims)
    starts[axis], steps[axis] = (start, stride) if count else (0, 1)
    return emit(SliceOp(value, (*dims[:axis], count, *dims[axis + 1 :]), starts=starts, steps=steps))


def _select_and_scatter(op: stable.SelectAndScatterOp, emit: Emitter) -> SSAValue:
    """
    The gradient of a max pool: the first greatest element of a window gets the sum of what comes back through it.

    NaN is the greatest of all to RLX; JAX's comparison in StableHLO keeps the last element of a window with a NaN.
    """
    element = shaped(op.operand).element
    size = _steps(op.window_dimensions, shaped(op.operand).dims)
    ones = (1,) * len(size)
    window = Window(size, _steps(op.window_strides, size), ones, ones, *_edges(op.padding, size))
    if not isinstance(single_op(op.scatter), AddOp) or splat_number(op.init_value) != 0:
        raise Refusal("scatters otherwise than by a sum from zero")
    if not _keeps_first_greatest(op):
        raise Refusal("selects another element than the first greatest of a window")
    layout = _layout(window.size)
    config = None if layout is None else _config(window, layout)
    if config is None or not is_float(element):
        raise Refusal(
            f"has a window over {list(size)} of {shaped(op.operand)}, which is none over spatial dims of floats"
        )
    return emit(MaxPoolBackwardOp(op.operand, op.source, config))


def _keeps_first_greatest(op: stable.SelectAndScatterOp) -> bool:
    """Whether the first of two elements is kept where it is not less than the second, NaN left aside."""
    import numpy as np

    values = examples(shaped(op.operand).element)
    a, b = (grid.ravel() for grid in np.meshgrid(values, values, indexing="ij"))
    (kept,) = decide(op.select.block, (a, b))
    numbers = (a == a) & (b == b)
    return bool((kept == (a >= b))[numbers].all())


RULES: Rules = {
    DivideOp: _divide,
    stable.ReduceWindowOp: _reduce_window,
    stable.SelectAndScatterOp: _select_and_scatter,
}
