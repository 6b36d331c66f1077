"""`rlx-fuse-elementwise`: linalg ops over tensors that compute element by element, put into those that read them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, math, tensor
from xdsl.dialects.builtin import (
    AffineMapAttr,
    AnyFloat,
    ArrayAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    IntegerType,
    ModuleOp,
    i32,
)
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.attrs import IteratorType
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap
from xdsl.passes import ModulePass

from rlx_dialect.constants import is_splat
from rlx_passes.lowerings.to_loops.nests import dims_of
from rlx_passes.rewriting.conversion import on_copy

CHEAP = 4
"""An op with so many ops in its body, none of them long, may be computed again for each reader."""
MANY = 400
"""Bodies do not grow beyond so many ops."""
LONG = (arith.DivfOp, tensor.ExtractOp, *(each for each in math.Math.operations if each is not math.AbsFOp))


@dataclass(frozen=True)
class FuseElementwisePass(ModulePass):
    """
    Put `linalg.generic`s over parallel loops into the one `linalg.generic` that reads them.

    before: `%a = f(%x)`, `%b = g(%a, %y)`; after: `%b = g(f(%x), %y)`. A few cheap ops are computed again for each
    reader. Constants and fills of one number are written into the bodies that read them. Products read what they read:
    their schedules want memory.
    """

    name = "rlx-fuse-elementwise"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        on_copy(op, fuse)


def fuse(module: ModuleOp) -> None:
    """What the pass does, in place."""
    for op in list(module.walk()):
        if isinstance(op, linalg.GenericOp) and op.parent is not None:
            _fill_in(op)
            while (number := _fusible(op)) is not None:
                op = _fused(op, number)
    for op in reversed(list(module.walk())):
        dead = isinstance(op, linalg.GenericOp | linalg.FillOp | tensor.EmptyOp) and bool(op.results)
        if dead and op.parent is not None and not any(result.uses for result in op.results):
            op.parent.erase_op(op)


def _fill_in(op: linalg.GenericOp) -> None:
    """Write constants of one number into the body, in place of operands."""
    for number in reversed(range(len(op.inputs))):
        scalar = _number(op.inputs[number])
        maps = [each for i, each in enumerate(op.indexing_maps) if i != number]
        if scalar is None or not _tell_sizes(op, maps):
            continue
        block = op.body.block
        if isinstance(scalar, arith.ConstantOp):
            scalar = scalar.clone()
            first = block.first_op
            assert first is not None
            block.insert_op_before(scalar, first)
            scalar = scalar.result
        block.args[number].replace_all_uses_with(scalar)
        block.erase_arg(block.args[number])
        kept = [each for i, each in enumerate(op.inputs) if i != number]
        _take(op, kept, maps)


def _tell_sizes(op: linalg.GenericOp, maps: Iterable[AffineMapAttr]) -> bool:
    """Whether operands with these maps have an axis for every loop of `op`."""
    told = {expr.position for map in maps for expr in map.data.results if isinstance(expr, AffineDimExpr)}
    return len(told) == len(op.iterator_types)


def _take(op: linalg.GenericOp, inputs: Sequence[SSAValue], maps: Sequence[AffineMapAttr]) -> None:
    """Let an op read `inputs`."""
    outputs = list(op.outputs)
    op.operands = [*inputs, *outputs]
    op.properties["operandSegmentSizes"] = DenseArrayBase.from_list(i32, [len(inputs), len(outputs)])
    op.indexing_maps = ArrayAttr(maps)


def _number(value: SSAValue) -> arith.ConstantOp | SSAValue | None:
    """The number that all elements of a tensor are, if that is known: a constant to copy, or a value."""
    owner = value.owner
    if isinstance(owner, linalg.FillOp):
        scalar = owner.inputs[0]
        return scalar.owner if isinstance(scalar.owner, arith.ConstantOp) else scalar
    if not isinstance(owner, arith.ConstantOp) or not isinstance(owner.value, DenseIntOrFPElementsAttr):
        return None
    if not isinstance(owner.value.get_element_type(), AnyFloat | IntegerType) or not is_splat(owner.value):
        return None
    return arith.ConstantOp(next(iter(owner.value.iter_attrs())))


def _is_elementwise(op: linalg.GenericOp) -> bool:
    maps = [each.data for each in op.indexing_maps]
    kinds = [each.data for each in op.iterator_types]
    if len(op.results) != 1 or op.body.block.args[-1].uses or any(kind is not IteratorType.PARALLEL for kind in kinds):
        return False
    return maps[-1] == AffineMap.identity(len(kinds))


def _is_product(op: linalg.GenericOp) -> bool:
    """Whether an op sums up products of what it reads."""
    reduces = any(each.data is not IteratorType.PARALLEL for each in op.iterator_types)
    return (
        reduces
        and len(op.inputs) > 1
        and any(isinstance(each, arith.MulfOp | arith.MuliOp) for each in op.body.block.ops)
    )


def _fusible(op: linalg.GenericOp) -> int | None:
    """The number of an operand that may be computed where it is read."""
    if _is_product(op) or len(op.body.block.ops) > MANY:
        return None
    for number, value in enumerate(op.inputs):
        producer = value.owner
        if (
            not isinstance(producer, linalg.GenericOp)
            or not _is_elementwise(producer)
            or producer.parent is not op.parent
        ):
            continue
        map = op.indexing_maps.data[number].data
        alone = all(use.operation is op and use.index < len(op.inputs) for use in value.uses)
        body = list(producer.body.block.ops)
        cheap = len(body) <= CHEAP + 1 and not any(isinstance(each, LONG) for each in body)
        once = {expr.position for expr in map.results if isinstance(expr, AffineDimExpr)} == set(
            range(len(op.iterator_types))
        )
        simple = all(isinstance(expr, AffineDimExpr) for expr in map.results)
        left = [each for each, operand in zip(op.indexing_maps, op.operands, strict=True) if operand is not value]
        left += [AffineMapAttr(_composed(each.data, map)) for each in producer.indexing_maps.data[:-1]]
        if not _tell_sizes(op, left):
            continue
        if (cheap or (alone and once)) and (simple or not any(isinstance(each, linalg.IndexOp) for each in body)):
            return number
    return None


def _fused(op: linalg.GenericOp, number: int) -> linalg.GenericOp:
    """`op` with what its input `number` is computed of in place of it."""
    producer = op.inputs[number].owner
    assert isinstance(producer, linalg.GenericOp)
    map = op.indexing_maps.data[number].data
    block = Block()
    inputs: list[SSAValue] = []
    maps: list[AffineMap] = []
    arguments: dict[tuple[SSAValue, AffineMap], SSAValue] = {}

    def argument(value: SSAValue, map: AffineMap, old: SSAValue) -> SSAValue:
        if (value, map) not in arguments:
            arguments[value, map] = block.insert_arg(old.type, len(block.args))
            inputs.append(value)
            maps.append(map)
        return arguments[value, map]

    values: dict[SSAValue, SSAValue] = {}
    for value, each, old in zip(producer.inputs, producer.indexing_maps, producer.body.block.args, strict=False):
        values[old] = argument(value, _composed(each.data, map), old)
    computed = _copied(producer.body.block, block, values, map)
    for value, each, old in zip(op.inputs, op.indexing_maps, op.body.block.args, strict=False):
        if value is op.inputs[number] and each.data == map:
            values[old] = computed
        else:
            values[old] = argument(value, each.data, old)
    old = op.body.block.args[-1]
    values[old] = block.insert_arg(old.type, len(block.args))
    block.add_op(linalg.YieldOp(_copied(op.body.block, block, values, None)))
    maps.append(op.indexing_maps.data[-1].data)
    new = linalg.GenericOp(
        inputs,
        list(op.outputs),
        Region(block),
        [AffineMapAttr(each) for each in maps],
        op.iterator_types,
        [result.type for result in op.results],
    )
    home = op.parent
    assert home is not None
    home.insert_op_before(new, op)
    op.results[0].replace_all_uses_with(new.results[0])
    home.erase_op(op)
    if not producer.results[0].uses:
        home.erase_op(producer)
    return new


def _composed(inner: AffineMap, outer: AffineMap) -> AffineMap:
    """The indices of `inner`, where its loops are the results of `outer`."""
    return inner.replace_dims_and_symbols(list(outer.results), [], outer.num_dims, 0)


def _copied(source: Block, target: Block, values: Mapping[SSAValue, SSAValue], map: AffineMap | None) -> SSAValue:
    """Copy the ops of `source` to the end of `target`, its loops being the results of `map`; gives what they yield."""
    known = dict(values)
    for op in source.ops:
        if isinstance(op, linalg.YieldOp):
            (given,) = op.operands
            return known.get(given) or given
        if isinstance(op, linalg.IndexOp) and map is not None:
            (loop,) = dims_of(map.results[op.dim.value.data])
            new: Operation = linalg.IndexOp(loop)
        else:
            new = op.clone(known)
        target.add_op(new)
        known.update(zip(op.results, new.results, strict=True))
    raise AssertionError("a body without a yield")
