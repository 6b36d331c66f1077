"""Parallel iterators before reductions, in every linalg op: the loops that become threads must be the outer ones."""

from typing import cast

from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, IntegerAttr, ModuleOp, TensorType
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.attrs import IteratorType, IteratorTypeAttr
from xdsl.ir import Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap


def parallel_first(module: ModuleOp) -> None:
    """Permute the iterators of the linalg ops of `module` in place; a `linalg.reduce` becomes a `linalg.generic`."""
    for op in list(module.walk()):
        if isinstance(op, linalg.ReduceOp):
            _interchange(_generic(op))
        elif isinstance(op, linalg.GenericOp):
            _interchange(op)


def _generic(op: linalg.ReduceOp) -> linalg.GenericOp:
    inputs: list[SSAValue] = [op.input]
    outputs: list[SSAValue] = [op.init]
    rank = len(cast(TensorType, op.input.type).get_shape())
    reduced = set(op.dimensions.get_values())
    whole = AffineMap.identity(rank)
    kept = AffineMap(rank, 0, tuple(AffineExpr.dimension(dim) for dim in range(rank) if dim not in reduced))
    kinds = [IteratorType.REDUCTION if dim in reduced else IteratorType.PARALLEL for dim in range(rank)]
    body = Region()
    op.region.move_blocks(body)
    generic = linalg.GenericOp(
        inputs,
        outputs,
        body,
        [AffineMapAttr(whole), AffineMapAttr(kept)],
        [IteratorTypeAttr(kind) for kind in kinds],
        [result.type for result in op.results],
    )
    _replace(op, generic)
    return generic


def _replace(op: Operation, new: Operation) -> None:
    block = op.parent
    if block is None:
        return
    block.insert_op_before(new, op)
    for old, result in zip(op.results, new.results, strict=True):
        old.replace_all_uses_with(result)
    op.detach()
    op.erase()


def _interchange(op: linalg.GenericOp) -> None:
    kinds = [each.data for each in op.iterator_types]
    order = sorted(range(len(kinds)), key=lambda dim: kinds[dim] is not IteratorType.PARALLEL)
    if order == list(range(len(kinds))):
        return
    place = {old: new for new, old in enumerate(order)}
    renamed = [AffineExpr.dimension(place[dim]) for dim in range(len(kinds))]
    maps = [each.data.replace_dims_and_symbols(renamed, [], len(kinds), 0) for each in op.indexing_maps]
    op.properties["indexing_maps"] = ArrayAttr(AffineMapAttr(each) for each in maps)
    op.properties["iterator_types"] = ArrayAttr(IteratorTypeAttr(kinds[old]) for old in order)
    for inside in op.body.walk():
        if isinstance(inside, linalg.IndexOp):
            inside.properties["dim"] = IntegerAttr(place[inside.dim.value.data], inside.dim.type)
