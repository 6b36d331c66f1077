"""`rlx-pack-products`: the second matrix of a product is laid out once, not in every round."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import cast

from xdsl.context import Context
from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import AffineMapAttr, MemRefType, ModuleOp, SymbolRefAttr
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from rlx_dialect.signature import PREPARE, is_kept, is_private
from rlx_passes.lowerings.to_loops.contraction import contraction_of, in_panels
from rlx_passes.lowerings.to_loops.memrefs import Size, constant, divided, part, starts, strides, type_of
from rlx_passes.lowerings.to_loops.preparation import Preparation
from rlx_passes.lowerings.to_loops.products import Panels, lay_out, lays_out, panels_of
from rlx_passes.pipeline.chip import HOST, Chip, nearest
from rlx_passes.rewriting.conversion import on_copy


@dataclass(frozen=True)
class PackProductsPass(ModulePass):
    """
    Lay out the second matrix of a product before the `scf.parallel` that the product is in.

    Where blocks of rows are multiplied with one matrix of known sizes, and each would bring it in the order in which
    the tiles of `chip` read it, that is done once: `(k, n)` becomes `(n / columns, k, n mod columns)`, in rounds that
    run at once. A matrix that is a param or a prepared value is laid out by the function that prepares values, in no
    call. Other products stay.
    """

    name = "rlx-pack-products"

    chip: str = HOST

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        on_copy(op, partial(pack, chip=nearest(self.chip)))


def pack(module: ModuleOp, chip: Chip) -> None:
    """What the pass does, in place."""
    functions = [op for op in module.ops if isinstance(op, func.FuncOp) and op.body.blocks]
    prepares = {op.attributes.get(PREPARE) for op in functions}
    for function in functions:
        preparation = None
        if SymbolRefAttr(function.sym_name) not in prepares and not is_private(function):
            preparation = Preparation(module, function, chip)
        for loop in [op for op in function.walk() if isinstance(op, scf.ParallelOp)]:
            for op in list(loop.body.block.ops):
                if isinstance(op, linalg.GenericOp):
                    _pack(op, loop, chip, preparation)
        if preparation is not None:
            preparation.finish()


def _rounds(loop: scf.ParallelOp) -> int:
    """How many rounds there are, 0 where only a run knows."""
    return constant(loop.upperBound[0]) or 0


def _pack(op: linalg.GenericOp, loop: scf.ParallelOp, chip: Chip, preparation: Preparation | None) -> None:
    form, panels = contraction_of(op), panels_of(op, chip)
    if form is None or panels is None:
        return
    if preparation is not None and form.rhs.widening is None and lays_out(op, chip, ahead=True):
        prepared = _prepared(op, panels, form.element, preparation)
        if prepared is not None:
            read_in_panels(op, panels.operand, prepared)
            view = panels.operand.owner
            if isinstance(view, memref.SubviewOp) and not view.result.uses:
                Rewriter.erase_op(view)
            return
    if _rounds(loop) <= 1 or form.size(form.m) is None or _is_inside(panels.operand, loop):
        return
    if not lays_out(op, chip):
        return
    block = loop.parent
    assert block is not None
    into = memref.AllocOp([], [], MemRefType(form.element, panels.shape))
    block.insert_op_before(into, loop)
    lay_out(loop, panels.operand, panels, into.memref, chip, at_once=True)
    read_in_panels(op, panels.operand, into.memref)


def _prepared(op: linalg.GenericOp, panels: Panels, element: Attribute, preparation: Preparation) -> SSAValue | None:
    """The panels of a second matrix that is the same in every call, or of whole panels' columns of one."""
    if is_kept(panels.operand):
        return preparation.panels(panels, element)
    view = panels.operand.owner
    if not isinstance(view, memref.SubviewOp) or not is_kept(view.source):
        return None
    axis, columns = (0 if panels.turned else 1), panels.shape[2]
    old, new, at = type_of(view.source), type_of(view.result), starts(view)
    if at[1 - axis] != 0 or new.get_shape()[1 - axis] != old.get_shape()[1 - axis] or strides(new) != strides(old):
        return None
    if _factor(at[axis]) % columns:
        return None
    size = old.get_shape()[axis]
    whole = Panels(view.source, (-(-size // columns), panels.shape[1], columns), panels.turned)
    block = op.parent
    assert block is not None

    def emit(new: Operation) -> None:
        block.insert_op_before(new, op)

    start = at[axis]
    first = start // columns if isinstance(start, int) else divided(start, columns, emit)
    return part(preparation.panels(whole, element), [first, 0, 0], panels.shape, [1, 1, 1], emit)


def _factor(value: Size) -> int:
    """A number that `value` is a multiple of."""
    if isinstance(value, int):
        return value
    owner = value.owner
    if isinstance(owner, arith.MuliOp):
        return next((number for each in owner.operands if (number := constant(each)) is not None), 1)
    return 1


def read_in_panels(op: linalg.GenericOp, operand: SSAValue, panels: SSAValue) -> linalg.GenericOp:
    """
    Have a product read `panels` for `operand`, its second matrix; the new op.

    Elements that were widened before they were laid out are not widened again.
    """
    form, block = contraction_of(op), op.parent
    assert form is not None
    assert form.n is not None
    assert form.k is not None
    assert block is not None
    type = cast("MemRefType[Attribute]", panels.type)
    inputs, maps, body = list(op.inputs), list(op.indexing_maps), op.detach_region(op.body)
    at = inputs.index(operand)
    inputs[at] = panels
    maps[at] = AffineMapAttr(in_panels(len(form.sizes), form.k, form.n, type.get_shape()[-1]))
    argument = body.block.args[at]
    if argument.type != type.element_type:
        (widening,) = (use.operation for use in argument.uses)
        argument = Rewriter.replace_value_with_new_type(argument, type.element_type)
        widening.results[0].replace_all_uses_with(argument)
        body.block.erase_op(widening)
    new = linalg.GenericOp(inputs, op.outputs, body, maps, op.iterator_types)
    block.insert_op_before(new, op)
    block.erase_op(op)
    return new


def _is_inside(value: SSAValue, loop: Operation) -> bool:
    parent = value.owner.parent_op() if not isinstance(value.owner, Operation) else value.owner
    return parent is not None and loop.is_ancestor(parent)
