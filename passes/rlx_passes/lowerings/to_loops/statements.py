"""What each op over tensors is over memory; those of control flow are in `control_flow`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from xdsl.dialects import arith, memref, tensor
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    DenseArrayBase,
    i64,
)
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.attrs import IteratorType, IteratorTypeAttr
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from rlx_passes.core.errors import Refusal
from rlx_passes.lowerings.to_loops.memrefs import (
    Size,
    allocate,
    allocate_static,
    dense_steps,
    index,
    is_contiguous,
    is_tensor,
    memref_of,
    part,
    type_of,
    unit_axes,
)
from rlx_passes.lowerings.to_loops.places import Memory, home_of
from rlx_passes.lowerings.to_loops.placing import Placing, Rule


def _empty(op: tensor.EmptyOp, p: Placing) -> None:
    left = list(op.dynamic_sizes)
    shape = [p.size(size, left) for size in memref_of(op.tensor.type).get_shape()]
    p.new(op.tensor, allocate(memref_of(op.tensor.type), shape, p.emit), home_of(op), defined=False)


def _constant(op: arith.ConstantOp, p: Placing) -> None:
    if not is_tensor(op.result.type):
        p.copy(op)
        return
    p.place(op.result, p.constants.get(op, p.emit), Memory(None))


def _view(result: SSAValue, source: SSAValue, value: SSAValue, p: Placing) -> None:
    old = p.places[source]
    p.place(result, value, old.memory, defined=old.defined)


def _dim(op: tensor.DimOp, p: Placing) -> None:
    new = memref.DimOp(p.at(op.source), p.values[op.index])
    p.emit(new)
    p.values[op.result] = new.result


def _cast(op: tensor.CastOp, p: Placing) -> None:
    value = p.at(op.source)
    if is_contiguous(type_of(value)):
        value = p.fitted(value, memref_of(op.dest.type))
    _view(op.dest, op.source, value, p)


def _extract(op: tensor.ExtractOp, p: Placing) -> None:
    load = memref.LoadOp.get(p.at(op.tensor), [p.values[each] for each in op.indices])
    p.emit(load)
    p.values[op.result] = load.res


def _from_elements(op: tensor.FromElementsOp, p: Placing) -> None:
    alloc = allocate_static(memref_of(op.result.type), p.emit)
    shape = type_of(alloc.memref).get_shape()
    for number, element in enumerate(op.elements):
        indices: list[SSAValue] = []
        for step, size in zip(dense_steps(type_of(alloc.memref)), shape, strict=True):
            indices.append(index(number // step % size, p.emit))
        p.emit(memref.StoreOp.get(p.values[element], alloc.memref, indices))
    p.new(op.result, alloc, home_of(op))


def _extract_slice(op: tensor.ExtractSliceOp, p: Placing) -> None:
    shape = p.mixed(op.static_sizes, op.sizes)
    value = part(
        p.at(op.source),
        p.mixed(op.static_offsets, op.offsets),
        shape,
        _known(op.static_strides, op),
        p.emit,
        dropped=unit_axes(shape, memref_of(op.result.type).get_shape()),
    )
    _view(op.result, op.source, value, p)


def _insert_slice(op: tensor.InsertSliceOp, p: Placing) -> None:
    whole = p.destination(op, op.dest, keeps=True)
    source = p.at(op.source)
    shape = p.mixed(op.static_sizes, op.sizes)
    value = part(
        whole,
        p.mixed(op.static_offsets, op.offsets),
        shape,
        _known(op.static_strides, op),
        p.emit,
        dropped=unit_axes(shape, type_of(source).get_shape()),
    )
    p.copy_into(source, value)


def _known(steps: DenseArrayBase[Any], op: Operation) -> list[int]:
    found = [int(each) for each in steps.get_values()]
    if DYNAMIC_INDEX in found:
        raise Refusal("has steps that only a run knows", op=op, what=f"'{op.name}'")
    return found


def _expand(op: tensor.ExpandShapeOp, p: Placing) -> None:
    shape = p.mixed(op.static_output_shape, op.dynamic_output_shape)
    source = p.contiguous(op.src, home_of(op))
    new = memref.ExpandShapeOp(
        operands=[source.value, [each for each in shape if not isinstance(each, int)]],
        result_types=[memref_of(op.result.type)],
        properties={"reassociation": op.reassociation, "static_output_shape": _static(shape)},
    )
    p.emit(new)
    p.place(op.result, new.result, source.memory, defined=source.defined)


def _collapse(op: tensor.CollapseShapeOp, p: Placing) -> None:
    source = p.contiguous(op.src, home_of(op))
    new = memref.CollapseShapeOp(
        operands=[source.value],
        result_types=[memref_of(op.result.type)],
        properties={"reassociation": op.reassociation},
    )
    p.emit(new)
    p.place(op.result, new.result, source.memory, defined=source.defined)


def _static(shape: Sequence[Size]) -> DenseArrayBase[Any]:
    return DenseArrayBase.from_list(i64, [each if isinstance(each, int) else DYNAMIC_INDEX for each in shape])


def _fill(op: linalg.FillOp, p: Placing) -> None:
    value = op.inputs[0]
    target = p.destination(op, op.outputs[0], keeps=False)
    p.emit(linalg.FillOp([p.values[value]], [target], []))


def _generic(op: linalg.GenericOp, p: Placing) -> None:
    keeps = bool(op.body.block.args[-1].uses)
    target = None if keeps else _read_in_place(op, p)
    _structured(op, op.body.block, op.indexing_maps, op.iterator_types, p, keeps=keeps, target=target)


def _read_in_place(op: linalg.GenericOp, p: Placing) -> SSAValue | None:
    """The operand that an elementwise op reads at the element it writes, and nobody after it: it writes over that."""
    out, kinds = op.outputs[0], {each.data for each in op.iterator_types}
    if kinds != {IteratorType.PARALLEL} or p.places[out].defined:
        return None
    maps = dict(enumerate(op.indexing_maps))
    for value in op.inputs:
        alike = value.type == out.type and all(
            use.operation is op and maps[use.index] == maps[len(op.inputs)]
            for use in value.uses
            if p.statements.of(use.operation) is op
        )
        if alike and p.statements.may_overwrite(value, p.places, op, reads=value):
            return value
    return None


def _matmul(op: linalg.MatmulOp, p: Placing) -> None:
    kinds = [IteratorType.PARALLEL, IteratorType.PARALLEL, IteratorType.REDUCTION]
    maps = op.get_indexing_maps()
    _structured(op, op.body.block, maps, [IteratorTypeAttr(kind) for kind in kinds], p, keeps=True)


def _transpose(op: linalg.TransposeOp, p: Placing) -> None:
    order = [int(each) for each in op.permutation.get_values()]
    rank = len(order)
    from_ = AffineMap(rank, 0, tuple(AffineExpr.dimension(order.index(axis)) for axis in range(rank)))
    maps = [AffineMapAttr(from_), AffineMapAttr(AffineMap.identity(rank))]
    _structured(op, op.body.block, maps, [IteratorTypeAttr(IteratorType.PARALLEL)] * rank, p, keeps=False)


def _structured(
    op: Any,
    old: Block,
    maps: Iterable[AffineMapAttr],
    kinds: Iterable[IteratorTypeAttr],
    p: Placing,
    *,
    keeps: bool,
    target: SSAValue | None = None,
) -> None:
    """
    A linalg op over memory, as `linalg.generic`; what its body takes out of tensors is loaded.

    It writes over the tensor `target`, else over its destination.
    """
    place = p.over(op, target) if target is not None else p.destination(op, op.outputs[0], keeps=keeps)
    block = Block(arg_types=list(old.arg_types))
    inner = p.inside(block)
    for value, argument in zip(old.args, block.args, strict=True):
        p.values[value] = argument
    inner.body(old)
    last = old.last_op
    assert last is not None
    block.add_op(linalg.YieldOp(*(p.values[value] for value in last.operands)))
    ins = [p.at(value) if is_tensor(value.type) else p.values[value] for value in op.inputs]
    p.emit(linalg.GenericOp(ins, [place], Region(block), list(maps), list(kinds)))


RULES: Mapping[type[Operation], Rule] = {
    tensor.EmptyOp: _empty,
    tensor.DimOp: _dim,
    tensor.CastOp: _cast,
    tensor.ExtractOp: _extract,
    tensor.FromElementsOp: _from_elements,
    tensor.ExtractSliceOp: _extract_slice,
    tensor.InsertSliceOp: _insert_slice,
    tensor.ExpandShapeOp: _expand,
    tensor.CollapseShapeOp: _collapse,
    arith.ConstantOp: _constant,
    linalg.FillOp: _fill,
    linalg.GenericOp: _generic,
    linalg.MatmulOp: _matmul,
    linalg.TransposeOp: _transpose,
}
"""By statement; those of control flow are in `control_flow`."""
