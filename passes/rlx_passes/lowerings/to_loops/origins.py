"""What memory a memref shows, and which sizes are equal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, IntegerAttr
from xdsl.ir import Operation, SSAValue

from rlx_passes.lowerings.to_loops.memrefs import type_of, unit_axes

Known: TypeAlias = "int | SSAValue | tuple[SSAValue, int]"
"""A size that compares equal to equal ones: a number, a value, or an axis of memory that comes from outside."""


@dataclass(frozen=True)
class Origin:
    """The memory that a memref shows; `axes` are those of its axes that run all along one of that memory, by axis."""

    root: SSAValue
    axes: Mapping[int, int]


def origin(value: SSAValue) -> Origin:
    """Where a memref comes from."""
    op = value.owner
    if isinstance(op, memref.CastOp):
        return origin(op.source)
    if isinstance(op, memref.ExpandShapeOp | memref.CollapseShapeOp):
        return _through(origin(op.src), _kept(op))
    if isinstance(op, memref.SubviewOp):
        return _through(origin(op.source), _covered(op))
    if isinstance(op, memref.ReinterpretCastOp | memref.ViewOp):
        return Origin(origin(op.source).root, {})
    return Origin(value, {axis: axis for axis in range(len(type_of(value).get_shape()))})


def _through(source: Origin, axes: Mapping[int, int]) -> Origin:
    return Origin(source.root, {new: source.axes[old] for new, old in axes.items() if old in source.axes})


def _kept(op: memref.ExpandShapeOp | memref.CollapseShapeOp) -> dict[int, int]:
    """The axes of a reshaped memref that are axes of its source, but for others of one element."""
    axes: dict[int, int] = {}
    expands = isinstance(op, memref.ExpandShapeOp)
    shape = type_of(op.result if expands else op.src).get_shape()
    at = 0
    for number, group in enumerate(op.reassociation):
        many = range(at, at + len(group.data))
        long = [axis for axis in many if shape[axis] != 1] or list(many[-1:])
        if len(long) == 1:
            new, old = (long[0], number) if expands else (number, long[0])
            axes[new] = old
        at = many.stop
    return axes


def _covered(op: memref.SubviewOp) -> dict[int, int]:
    """The axes of a part of a memref that run all along an axis of it."""
    starts, steps = _numbers(op.static_offsets), _numbers(op.static_strides)
    shape = [None if size == DYNAMIC_INDEX else size for size in _numbers(op.static_sizes)]
    dynamic = iter(op.sizes)
    sizes: list[Known] = [known(next(dynamic)) if size is None else size for size in shape]
    dropped = unit_axes(
        [size if isinstance(size, int) else op.sizes[0] for size in sizes], type_of(op.result).get_shape()
    )
    kept = [axis for axis in range(len(sizes)) if axis not in dropped]
    return {
        new: old
        for new, old in enumerate(kept)
        if starts[old] == 0 and steps[old] == 1 and sizes[old] == size_of(op.source, old)
    }


def _numbers(given: Any) -> list[int]:
    return [int(each) for each in given.get_values()]


def size_of(value: SSAValue, axis: int) -> Known:
    """A size of a memref, as far back as it can be followed."""
    size = type_of(value).get_shape()[axis]
    if size != DYNAMIC_INDEX:
        return size
    op = value.owner
    if isinstance(op, memref.AllocOp):
        before = type_of(value).get_shape()[:axis].count(DYNAMIC_INDEX)
        return known(op.dynamic_sizes[before])
    if isinstance(op, Operation):
        source = origin(value)
        if source.root is not value and axis in source.axes:
            return size_of(source.root, source.axes[axis])
        if isinstance(op, memref.ExpandShapeOp):
            return known(op.output_shape[type_of(value).get_shape()[:axis].count(DYNAMIC_INDEX)])
        if isinstance(op, memref.SubviewOp):
            at = [i for i, each in enumerate(_numbers(op.static_sizes)) if each == DYNAMIC_INDEX]
            if len(type_of(value).get_shape()) == len(_numbers(op.static_sizes)):
                return known(op.sizes[at.index(axis)])
    return value, axis


def known(value: SSAValue) -> Known:
    """A value of a size, as far back as it can be followed."""
    op = value.owner
    if isinstance(op, arith.ConstantOp) and isinstance(op.value, IntegerAttr):
        return op.value.value.data
    if isinstance(op, memref.DimOp):
        axis = known(op.index)
        if isinstance(axis, int):
            return size_of(op.source, axis)
    return value
