"""Rules of `memref`: buffers, views of them, and their elements."""

from collections.abc import Sequence
from math import prod
from typing import Any, cast

from xdsl.dialects import llvm, memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, ArrayAttr, DenseArrayBase, MemRefType, i1, i64
from xdsl.ir import Attribute, Operation, SSAValue

from rlx_passes.core.errors import Refusal
from rlx_passes.lowerings.to_llvm.code import Code, Number
from rlx_passes.lowerings.to_llvm.heap import LARGEST_ON_STACK, is_carried, is_of_region
from rlx_passes.lowerings.to_llvm.lowering import Lowering, Rule
from rlx_passes.lowerings.to_llvm.types import bytes_of, part_of, stored
from rlx_passes.lowerings.to_llvm.views import View, memref_view, row_major, strides_of
from rlx_passes.lowerings.to_loops.memrefs import unit_axes


def _type(value: SSAValue) -> MemRefType[Attribute]:
    return cast("MemRefType[Attribute]", value.type)


# Buffers.


def _allocate(low: Lowering, op: memref.AllocOp | memref.AllocaOp) -> None:
    """Small buffers of a round, and what is asked for on the stack, lie there; larger ones end with their region."""
    type_, result = _type(op.memref), op.memref
    sizes = low.numbers(op.dynamic_sizes)
    known = prod(size for size in type_.get_shape() if size != DYNAMIC_INDEX) * bytes_of(type_.element_type)
    size = low.code.limited_product(known, sizes)
    of_region = is_of_region(op, in_kernel=low.in_kernel)
    if of_region and isinstance(size, int) and low.code.stack + size <= LARGEST_ON_STACK:
        pointer = low.code.on_stack(size)
    else:
        pointer = low.allocate(size, scoped=of_region, known=not is_carried(result))
    low.set(result, memref_view(low.code, type_, pointer, iter(sizes)))


def _free(low: Lowering, op: memref.DeallocOp) -> None:
    pointer = low.view(op.memref).pointer
    low.heap[:] = [None if each is not None and each[0] is pointer else each for each in low.heap]
    if not isinstance(pointer.owner, llvm.AllocaOp):
        low.free(pointer)


def _global(low: Lowering, op: memref.GetGlobalOp) -> None:
    pointer = low.code.address_of(op.name_.string_value())
    low.set(op.memref, memref_view(low.code, _type(op.memref), pointer, iter(())))


# Elements.


def load(code: Code, view: View, indices: Sequence[Number]) -> Any:
    """What stands for the element at `indices`."""
    address = view.address(code, indices)
    if (element := part_of(view.element)) is not None:
        part = stored(element)
        other = code.pointer(address, 1, part)
        return code.load(address, part, view.alignment), code.load(other, part, view.alignment)
    value = code.load(address, view.unit, view.alignment)
    return code.compare("ne", value, 0) if view.element == i1 else value


def store(code: Code, value: Any, view: View, indices: Sequence[Number]) -> None:
    """Write what stands for an element to `indices`."""
    address = view.address(code, indices)
    if (element := part_of(view.element)) is not None:
        part = stored(element)
        code.store(value[0], address, view.alignment)
        code.store(value[1], code.pointer(address, 1, part), view.alignment)
        return
    value = code.ssa(value)
    code.store(code.unary(llvm.ZExtOp, value, view.unit) if view.element == i1 else value, address, view.alignment)


def _load(low: Lowering, op: memref.LoadOp) -> None:
    low.set(op.res, load(low.code, low.view(op.memref), low.numbers(op.indices)))


def _store(low: Lowering, op: memref.StoreOp) -> None:
    store(low.code, low.of(op.value), low.view(op.memref), low.numbers(op.indices))


def _dim(low: Lowering, op: memref.DimOp) -> None:
    index, sizes = low.number(op.index), low.view(op.source).sizes
    if not isinstance(index, int) or not 0 <= index < len(sizes):
        raise Refusal("asks for the size of a dim that is not a constant of the type's rank")
    low.set(op.result, sizes[index])


def _copy(low: Lowering, op: memref.CopyOp) -> None:
    code, source, target = low.code, low.view(op.source), low.view(op.destination)
    sizes = [one if isinstance(one, int) else other for one, other in zip(source.sizes, target.sizes)]
    if source.is_contiguous() and target.is_contiguous():
        size = code.ssa(code.multiply(code.product(sizes), bytes_of(source.element)))
        operands = (target.start(code), source.start(code), size, code.integer(0, i1))
        code.intrinsic("memcpy", operands, None)
        return
    indices: list[Number] = []
    ends: list[Any] = []
    for size in sizes:
        round_ = code.loop(0, size, 1)
        indices.append(round_.index)
        ends.append(round_)
    store(code, load(code, source, indices), target, indices)
    for round_ in reversed(ends):
        round_.end()


# Views.


def _mixed(low: Lowering, static: DenseArrayBase[Any], dynamic: Sequence[SSAValue]) -> list[Number]:
    """Numbers of which some are known."""
    rest = iter(dynamic)
    return [low.number(next(rest)) if each == DYNAMIC_INDEX else each for each in static.get_values()]


def _subview(low: Lowering, op: memref.SubviewOp) -> None:
    code, source = low.code, low.view(op.source)
    offset = source.offset
    for each, stride in zip(_mixed(low, op.static_offsets, op.offsets), source.strides):
        offset = code.add(offset, code.multiply(each, stride))
    sizes = _mixed(low, op.static_sizes, op.sizes)
    steps = [
        code.multiply(stride, step) for stride, step in zip(source.strides, _mixed(low, op.static_strides, op.strides))
    ]
    dropped = unit_axes(sizes, _type(op.result).get_shape())
    kept = [position for position in range(len(sizes)) if position not in dropped]
    view = View(source.pointer, offset, tuple(sizes[i] for i in kept), tuple(steps[i] for i in kept), source.element)
    low.set(op.result, view)


def _reinterpret(low: Lowering, op: memref.ReinterpretCastOp) -> None:
    source = low.view(op.source)
    offset = _mixed(low, op.static_offsets, op.offsets)[0]
    sizes, strides = _mixed(low, op.static_sizes, op.sizes), _mixed(low, op.static_strides, op.strides)
    low.set(op.result, View(source.pointer, offset, tuple(sizes), tuple(strides), source.element))


def _cast(low: Lowering, op: memref.CastOp) -> None:
    """The source itself, of whose numbers the type of either may know some."""
    source, type_ = low.view(op.source), _type(op.dest)
    sizes = tuple(
        known if known != DYNAMIC_INDEX else size for known, size in zip(type_.get_shape(), source.sizes, strict=True)
    )
    strides = tuple(
        stride if known is None else known
        for known, stride in zip(strides_of(type_) or (None,) * len(sizes), source.strides, strict=True)
    )
    low.set(op.dest, View(source.pointer, source.offset, sizes, strides, source.element))


def _groups(reassociation: Attribute) -> list[list[int]]:
    groups = cast("ArrayAttr[ArrayAttr[Any]]", reassociation).data
    return [[each.value.data for each in group.data] for group in groups]


def _collapse(low: Lowering, op: memref.CollapseShapeOp) -> None:
    source = low.view(op.src)
    sizes: list[Number] = []
    strides: list[Number] = []
    for group in _groups(op.reassociation):
        sizes.append(low.code.product([source.sizes[dim] for dim in group]))
        longer = [dim for dim in group if source.sizes[dim] != 1]
        strides.append(source.strides[(longer or group)[-1]])
    low.set(op.result, View(source.pointer, source.offset, tuple(sizes), tuple(strides), source.element))


def _expand(low: Lowering, op: memref.ExpandShapeOp) -> None:
    source = low.view(op.src)
    sizes = _mixed(low, op.static_output_shape, op.output_shape)
    strides: list[Number] = []
    for group, stride in zip(_groups(op.reassociation), source.strides):
        inner = row_major(low.code, [sizes[dim] for dim in group])
        strides.extend(low.code.multiply(stride, each) for each in inner)
    if not source.strides:
        strides = [1] * len(sizes)
    low.set(op.result, View(source.pointer, source.offset, tuple(sizes), tuple(strides), source.element))


def _view(low: Lowering, op: memref.ViewOp) -> None:
    source = low.view(op.source)
    start = low.code.add(source.offset, low.number(op.byte_shift))
    pointer = low.code.pointer(source.pointer, start, source.unit)
    low.set(op.result, memref_view(low.code, _type(op.result), pointer, iter(low.numbers(op.sizes))))


def _pointer(low: Lowering, op: memref.ExtractAlignedPointerAsIndexOp) -> None:
    low.set(op.aligned_pointer, low.code.unary(llvm.PtrToIntOp, low.view(op.source).pointer, i64))


RULES: dict[type[Operation], Rule] = {
    memref.AllocOp: _allocate,
    memref.AllocaOp: _allocate,
    memref.DeallocOp: _free,
    memref.GetGlobalOp: _global,
    memref.LoadOp: _load,
    memref.StoreOp: _store,
    memref.DimOp: _dim,
    memref.ExtractAlignedPointerAsIndexOp: _pointer,
    memref.CopyOp: _copy,
    memref.SubviewOp: _subview,
    memref.ReinterpretCastOp: _reinterpret,
    memref.CastOp: _cast,
    memref.CollapseShapeOp: _collapse,
    memref.ExpandShapeOp: _expand,
    memref.ViewOp: _view,
}
