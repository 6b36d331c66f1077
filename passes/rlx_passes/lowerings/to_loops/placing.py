"""The ops of a function over tensors, one after the other, over memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from xdsl.dialects import arith, memref, tensor
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    DenseArrayBase,
    MemRefType,
    i64,
)
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.attrs import IteratorType, IteratorTypeAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from rlx_passes.core.errors import Refusal
from rlx_passes.lowerings.to_loops.constants import Constants
from rlx_passes.lowerings.to_loops.memrefs import (
    Size,
    allocate,
    allocate_like,
    allocate_static,
    index,
    is_contiguous,
    is_tensor,
    memref_of,
    part,
    type_of,
    unit_axes,
)
from rlx_passes.lowerings.to_loops.places import Memory, Place, Statements

Rule = Callable[[Any, "Placing"], None]


@dataclass
class Placing:
    """
    Writes into `block` what the statements of a tensor program do over memory.

    `rules` are by class of statement; `places` says where each tensor of the program lies, `values` what its other
    values have become.
    """

    block: Block
    statements: Statements
    constants: Constants
    rules: Mapping[type[Operation], Rule]
    places: dict[SSAValue, Place] = field(default_factory=dict[SSAValue, Place])
    values: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])

    def emit(self, op: Operation) -> None:
        self.block.add_op(op)

    def inside(self, block: Block) -> Placing:
        """The same program, written into `block`."""
        return Placing(block, self.statements, self.constants, self.rules, self.places, self.values)

    def body(self, old: Block) -> None:
        """All statements of `old` but its last, which is the caller's."""
        for op in old.ops:
            if op is not old.last_op:
                self.statement(op)

    def statement(self, op: Operation) -> None:
        rule = self.rules.get(type(op))
        if rule is not None:
            rule(op, self)
        elif any(is_tensor(value.type) for value in (*op.operands, *op.results)) or op.regions:
            raise Refusal("has no form over memory", op=op, what=f"'{op.name}'")
        else:
            self.copy(op)

    def copy(self, op: Operation) -> None:
        """`op` itself, of values that are no tensors."""
        new = op.clone(self.values)
        self.emit(new)
        self.values.update(zip(op.results, new.results, strict=True))

    def size(self, static: int, dynamic: list[SSAValue]) -> Size:
        return static if static != DYNAMIC_INDEX else self.values[dynamic.pop(0)]

    def mixed(self, static: DenseArrayBase[Any], dynamic: Sequence[SSAValue]) -> list[Size]:
        """A list of sizes, some of them written in the op."""
        left = list(dynamic)
        return [self.size(int(each), left) for each in static.get_values()]

    def place(self, tensor: SSAValue, value: SSAValue, memory: Memory, *, defined: bool = True) -> None:
        """Say that `tensor` lies at `value`, in `memory`."""
        self.places[tensor] = Place(value, memory, defined)
        memory.versions.append(tensor)

    def new(self, tensor: SSAValue, alloc: memref.AllocOp, home: Block, *, defined: bool = True) -> None:
        """Say that `tensor` lies in memory of its own."""
        self.place(tensor, alloc.memref, Memory(home, alloc.memref), defined=defined)

    def at(self, tensor: SSAValue) -> SSAValue:
        """Where a tensor lies."""
        return self.places[tensor].value

    def destination(self, op: Operation, tensor: SSAValue, *, keeps: bool) -> SSAValue:
        """
        Where the result of `op` goes, which takes `tensor` as its destination: there, or into new memory.

        `keeps` says that elements of `tensor` are read, or stay.
        """
        old = self.places[tensor]
        (result,) = op.results
        if self.statements.may_overwrite(tensor, self.places, op):
            self.place(result, old.value, old.memory)
            return old.value
        alloc = allocate_like(old.value, self.emit)
        if keeps and old.defined:
            self.emit(memref.CopyOp(old.value, alloc.memref))
        self.new(result, alloc, _home(op))
        return alloc.memref

    def copy_into(self, source: SSAValue, target: SSAValue) -> None:
        """Copy all elements of a memref into another one."""
        old, new = type_of(source), type_of(target)
        if old.get_shape() != new.get_shape():
            source = self.fitted(source, MemRefType(old.element_type, new.get_shape(), old.layout))
        self.emit(memref.CopyOp(source, target))

    def fresh(self, place: Place, type: MemRefType) -> SSAValue:
        """Memory for a tensor of `type` of its own, with the elements of `place` as far as these are values."""
        alloc = allocate_like(place.value, self.emit)
        if place.defined:
            self.emit(memref.CopyOp(place.value, alloc.memref))
        return self.fitted(alloc.memref, type)

    def contiguous(self, tensor_: SSAValue) -> SSAValue:
        """Where a tensor lies, or a copy of it, without a layout and of the sizes that its type says."""
        value = self.at(tensor_)
        if not is_contiguous(type_of(value)):
            value = self.copied(value).memref
        return self.fitted(value, memref_of(tensor_.type))

    def copied(self, value: SSAValue) -> memref.AllocOp:
        """A contiguous copy of a memref."""
        alloc = allocate_like(value, self.emit)
        self.emit(memref.CopyOp(value, alloc.memref))
        return alloc

    def fitted(self, value: SSAValue, type: Attribute) -> SSAValue:
        """`value` as a memref of `type`, which says less of its sizes, or more."""
        if value.type == type:
            return value
        cast_ = memref.CastOp.get(value, cast("MemRefType", type))
        self.emit(cast_)
        return cast_.results[0]

    def returned(self, values: Sequence[SSAValue], given: Mapping[int, SSAValue]) -> list[SSAValue]:
        """Put results into the memory that is given for them, by number; the others in memory of their own."""
        left: list[SSAValue] = []
        taken: set[Memory] = set()
        for i, old in enumerate(values):
            if not is_tensor(old.type):
                left.append(self.values[old])
                continue
            if i not in given:
                left.append(self.owned(old, old.type, taken))
                continue
            place = self.places[old]
            alloc = place.memory.whole.owner if place.memory.whole is not None else None
            own = isinstance(alloc, memref.AllocOp) and alloc.parent is self.block and place.memory not in taken
            taken.add(place.memory)
            if not (own and self._renamed(place.value, cast("memref.AllocOp", alloc), given[i])):
                self.copy_into(place.value, given[i])
        return left

    def owned(self, tensor_: SSAValue, type: Attribute, taken: set[Memory]) -> SSAValue:
        """
        All of a memory that holds a tensor of this block alone, to be handed on as one of `type`: its own, or a copy.

        `taken` are the memories that are handed on already.
        """
        place = self.places[tensor_]
        memory = place.memory
        made = memory.whole.owner if memory.whole is not None else None
        here = (made.parent if isinstance(made, Operation) else made) is self.block and isinstance(made, Operation)
        value = place.value if here and place.value is memory.whole and memory not in taken else None
        taken.add(memory)
        return self.fitted(self.copied(place.value).memref if value is None else value, memref_of(type))

    def _renamed(self, value: SSAValue, alloc: memref.AllocOp, given: SSAValue) -> bool:
        """Whether `value`, all of `alloc`, could be made to be memory that is given: `alloc` is no more then."""
        type = type_of(alloc.memref)
        if not is_contiguous(type_of(value)) or DYNAMIC_INDEX in type.get_shape():
            return False
        if _count(type) != _count(type_of(given)) or _count(type_of(value)) != _count(type):
            return False
        renamed = given
        if type != given.type:
            op = memref.ReinterpretCastOp.from_dynamic(given, [0], list(type.get_shape()), _steps(type), type)
            self.block.insert_op_before(op, alloc)
            renamed = op.result
        alloc.memref.replace_all_uses_with(renamed)
        alloc.detach()
        alloc.erase()
        return True


def _count(type: MemRefType) -> int:
    count = 1
    for size in type.get_shape():
        count *= size
    return count


def _steps(type: MemRefType) -> list[int]:
    steps: list[int] = []
    step = 1
    for size in reversed(type.get_shape()):
        steps.append(step)
        step *= size
    return steps[::-1]


def _home(op: Operation) -> Block:
    assert op.parent is not None
    return op.parent


# Rules: what each statement is over memory.


def _empty(op: tensor.EmptyOp, p: Placing) -> None:
    left = list(op.dynamic_sizes)
    shape = [p.size(size, left) for size in memref_of(op.tensor.type).get_shape()]
    p.new(op.tensor, allocate(memref_of(op.tensor.type), shape, p.emit), _home(op), defined=False)


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
        for step, size in zip(_steps(type_of(alloc.memref)), shape, strict=True):
            indices.append(index(number // step % size, p.emit))
        p.emit(memref.StoreOp.get(p.values[element], alloc.memref, indices))
    p.new(op.result, alloc, _home(op))


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
    source = p.contiguous(op.src)
    new = memref.ExpandShapeOp(
        operands=[source, [each for each in shape if not isinstance(each, int)]],
        result_types=[memref_of(op.result.type)],
        properties={"reassociation": op.reassociation, "static_output_shape": _static(shape)},
    )
    p.emit(new)
    _reshaped(op.result, op.src, source, new.result, p)


def _collapse(op: tensor.CollapseShapeOp, p: Placing) -> None:
    source = p.contiguous(op.src)
    new = memref.CollapseShapeOp(
        operands=[source], result_types=[memref_of(op.result.type)], properties={"reassociation": op.reassociation}
    )
    p.emit(new)
    _reshaped(op.result, op.src, source, new.result, p)


def _reshaped(result: SSAValue, old: SSAValue, source: SSAValue, value: SSAValue, p: Placing) -> None:
    """`result` lies where `old` does, or, where that had to be copied, in the copy."""
    if isinstance(source.owner, memref.AllocOp) and source is not p.at(old):
        p.new(result, source.owner, _home(cast("Operation", result.owner)))
        p.places[result] = Place(value, p.places[result].memory)
        return
    _view(result, old, value, p)


def _static(shape: Sequence[Size]) -> DenseArrayBase[Any]:
    return DenseArrayBase.from_list(i64, [each if isinstance(each, int) else DYNAMIC_INDEX for each in shape])


def _fill(op: linalg.FillOp, p: Placing) -> None:
    value = op.inputs[0]
    target = p.destination(op, op.outputs[0], keeps=False)
    p.emit(linalg.FillOp([p.values[value]], [target], []))


def _generic(op: linalg.GenericOp, p: Placing) -> None:
    keeps = bool(op.body.block.args[-1].uses)
    _structured(op, op.body.block, op.indexing_maps, op.iterator_types, p, keeps=keeps)


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
    op: Any, old: Block, maps: Iterable[AffineMapAttr], kinds: Iterable[IteratorTypeAttr], p: Placing, *, keeps: bool
) -> None:
    """A linalg op over memory, as `linalg.generic`; what its body takes out of tensors is loaded."""
    target = p.destination(op, op.outputs[0], keeps=keeps)
    block = Block(arg_types=list(old.arg_types))
    inner = p.inside(block)
    for value, argument in zip(old.args, block.args, strict=True):
        p.values[value] = argument
    inner.body(old)
    last = old.last_op
    assert last is not None
    block.add_op(linalg.YieldOp(*(p.values[value] for value in last.operands)))
    ins = [p.at(value) if is_tensor(value.type) else p.values[value] for value in op.inputs]
    p.emit(linalg.GenericOp(ins, [target], Region(block), list(maps), list(kinds)))


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
