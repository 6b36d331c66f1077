"""`rlx-flatten-convolutions`: convolutions as products over flat memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.context import Context
from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import AffineMapAttr, FloatAttr, IntegerAttr, MemRefType, ModuleOp
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.attrs import IteratorType, IteratorTypeAttr
from xdsl.ir import Block, Operation, SSAValue, Use
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.passes import ModulePass

from rlx_passes.lowerings.to_loops.contraction import with_taps
from rlx_passes.lowerings.to_loops.convolutions import Convolution, convolution_of
from rlx_passes.lowerings.to_loops.memrefs import Emit, collapsed, part, type_of
from rlx_passes.lowerings.to_loops.phases import in_phases
from rlx_passes.rewriting.conversion import on_copy

FEW = 8
"""A convolution of fewer windows is no product."""


@dataclass(frozen=True)
class FlattenConvolutionsPass(ModulePass):
    """
    Make a product of every convolution of known sizes whose channels come before its spatial axes.

    The spatial axes of the input are one axis of columns. Tap `t` of a window reads the column of the window and some
    elements on, the same number for all windows, so that rows of the second matrix are rows of memory, and nothing is
    laid out for it. With strides, every `stride`-th element of the input is brought together first. Between the windows
    of two rows lie columns that are none; they are summed into memory that nobody reads.
    """

    name = "rlx-flatten-convolutions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        on_copy(op, flatten)


def flatten(module: ModuleOp) -> None:
    """What the pass does, in place."""
    for op in list(module.walk()):
        if isinstance(op, linalg.GenericOp) and (form := convolution_of(op)) is not None:
            fill = _start(op)
            if fill is not None and prod(axis.count for axis in form.axes) >= FEW:
                _flatten(form, fill)


def _flatten(form: Convolution, fill: linalg.FillOp) -> None:
    op, block = form.op, form.op.parent
    assert block is not None

    def emit(new: Operation) -> None:
        block.insert_op_before(new, op)

    n, g, m, *counts = type_of(form.out).get_shape()
    columns = form.columns
    source = _flat(in_phases(form, emit) if form.has_steps else form.input, (n, g), 3, emit)
    if form.taps.count == 1:
        source = _first(source, columns, emit)
    weight = _flat(form.weight, (g, m), 2, emit)
    lengths = [axis.length for axis in form.axes]
    whole = form.out
    if lengths[1:] != counts[1:]:
        alloc = memref.AllocOp([], [], MemRefType(type_of(form.out).element_type, [n, g, m, counts[0], *lengths[1:]]))
        emit(alloc)
        whole = alloc.memref
    out = _first(_flat(whole, (n, g, m), 3, emit), columns, emit)
    emit(linalg.FillOp(list(fill.inputs), [out], []))
    emit(_product(form, weight, source, out))
    if whole is not form.out:
        windows = part(whole, [0] * (3 + len(counts)), [n, g, m, *counts], [1] * (3 + len(counts)), emit)
        _read_instead(form, windows, emit, {op, fill})
    for old in (op, fill):
        old.detach()
        old.erase()


def _start(op: linalg.GenericOp) -> linalg.FillOp | None:
    """The fill before a sum that puts zeros where it adds, the only op before it that knows that memory."""
    fills = [use.operation for use in op.outputs[0].uses if isinstance(use.operation, linalg.FillOp)]
    if len(fills) != 1 or fills[0].parent is not op.parent:
        return None
    scalar = fills[0].inputs[0].owner
    value = scalar.value if isinstance(scalar, arith.ConstantOp) else None
    if not isinstance(value, FloatAttr | IntegerAttr) or value.value.data != 0:
        return None
    readers = {use.operation for use in op.outputs[0].uses}
    before = fills[0].next_op
    while before is not None and before is not op:
        if before in readers or (before.regions and any(inside in readers for inside in before.walk())):
            return None
        before = before.next_op
    return fills[0] if before is op else None


def _flat(value: SSAValue, leading: Sequence[int], kept: int, emit: Emit) -> SSAValue:
    """All axes from number `kept` on as one, and none of the first ones, of sizes `leading`, that has one element."""
    groups: list[list[int]] = [[]]
    for axis in range(kept):
        groups[-1].append(axis)
        if axis >= len(leading) or leading[axis] != 1:
            groups.append([])
    groups[-1].extend(range(kept, len(type_of(value).get_shape())))
    return collapsed(value, groups, emit)


def _first(value: SSAValue, count: int, emit: Emit) -> SSAValue:
    """The first elements of the last axis."""
    shape = type_of(value).get_shape()
    return part(value, [0] * len(shape), [*shape[:-1], count], [1] * len(shape), emit)


def _product(form: Convolution, weight: SSAValue, source: SSAValue, out: SSAValue) -> linalg.GenericOp:
    """The product of the weight, rows of one sum each, and the flat input."""
    n, g, m = (size > 1 for size in type_of(form.out).get_shape()[:3])
    loops = [each for each, there in zip("ngm", (n, g, m), strict=True) if there] + ["p", "k"]
    at = {each: loops.index(each) for each in loops}

    def axes(names: str) -> tuple[AffineExpr, ...]:
        return tuple(AffineExpr.dimension(at[name]) for name in names if name in at)

    taps = form.taps
    by_weight, by_out = (AffineMap(len(loops), 0, axes(names)) for names in ("gmk", "ngmp"))
    by_source = AffineMap(len(loops), 0, axes("ngkp"))
    if taps.count > 1:
        by_source = with_taps(len(loops), [at[name] for name in "ng" if name in at], at["k"], at["p"], taps)
    op = form.op
    body = op.body.clone()
    _exchange(body.block)
    kinds = [IteratorType.REDUCTION if each == "k" else IteratorType.PARALLEL for each in loops]
    return linalg.GenericOp(
        [weight, source],
        [out],
        body,
        [AffineMapAttr(map) for map in (by_weight, by_source, by_out)],
        [IteratorTypeAttr(kind) for kind in kinds],
    )


def _exchange(block: Block) -> None:
    """The first two arguments of a body in the place of each other."""
    first = block.args[0]
    new = block.insert_arg(first.type, 2)
    first.replace_all_uses_with(new)
    block.erase_arg(first)


def _read_instead(form: Convolution, windows: SSAValue, emit: Emit, old: set[Operation]) -> None:
    """Have linalg ops that read the result read `windows`, a part of other memory; it is copied for others."""
    shapes: list[memref.CollapseShapeOp] = []
    uses = [use for use in form.out.uses if use.operation not in old]
    for use in list(uses):
        if isinstance(use.operation, memref.CollapseShapeOp):
            shapes.append(use.operation)
            uses.extend(use.operation.result.uses)
    readers = [use for use in uses if use.operation not in shapes]
    own = isinstance(form.out.owner, memref.AllocOp)
    if not own or not all(_only_reads(use) for use in readers):
        emit(memref.CopyOp(windows, form.out))
        return
    for shape in shapes:
        groups = [[axis.value.data for axis in group] for group in shape.reassociation]
        shape.result.replace_all_uses_with(collapsed(windows, groups, emit))
        shape.detach()
        shape.erase()
    form.out.replace_all_uses_with(windows)


def _only_reads(use: Use) -> bool:
    """Whether a linalg op reads here, and does not write."""
    op = use.operation
    return isinstance(op, linalg.GenericOp) and use.index < len(op.inputs)
