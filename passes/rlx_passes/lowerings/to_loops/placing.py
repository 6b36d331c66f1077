"""The ops of a function over tensors, one after the other, over memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from xdsl.dialects import memref
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseArrayBase,
    MemRefType,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue

from rlx_passes.core.errors import Refusal
from rlx_passes.lowerings.to_loops.constants import Constants
from rlx_passes.lowerings.to_loops.memrefs import (
    Size,
    allocate_like,
    dense_steps,
    is_contiguous,
    is_tensor,
    memref_of,
    type_of,
)
from rlx_passes.lowerings.to_loops.places import Memory, Place, Statements, home_of

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
            return self.over(op, tensor)
        alloc = allocate_like(old.value, self.emit)
        if keeps and old.defined:
            self.emit(memref.CopyOp(old.value, alloc.memref))
        self.new(result, alloc, home_of(op))
        return alloc.memref

    def over(self, op: Operation, tensor: SSAValue) -> SSAValue:
        """Have the result of `op` where `tensor` lies."""
        old = self.places[tensor]
        self.place(op.results[0], old.value, old.memory)
        return old.value

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

    def contiguous(self, tensor_: SSAValue, home: Block) -> Place:
        """Where a tensor lies, or a copy of it for `home`, without a layout and of the sizes that its type says."""
        place = self.places[tensor_]
        value, memory = place.value, place.memory
        if not is_contiguous(type_of(value)):
            value = self.copied(value).memref
            memory = Memory(home, value)
        return Place(self.fitted(value, memref_of(tensor_.type)), memory, place.defined)

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

    def is_all_of(self, tensor: SSAValue, memory: SSAValue) -> bool:
        """Whether a tensor is what lies in all of a memory."""
        place = self.places[tensor]
        type = type_of(place.value)
        return place.memory.whole is memory and is_contiguous(type) and _count(type) == _count(type_of(memory))

    def returned(
        self, values: Sequence[SSAValue], given: Mapping[int, SSAValue], kept: frozenset[int] = frozenset()
    ) -> list[SSAValue]:
        """
        Put results into the memory that is given for them, by number, but for those of `kept`, which stay where they
        are; the others in memory of their own.
        """
        left: list[SSAValue] = []
        taken: set[Memory] = set()
        for i, old in enumerate(values):
            if not is_tensor(old.type):
                left.append(self.values[old])
                continue
            if i in kept:
                continue
            if i not in given:
                left.append(self.owned(old, old.type, taken))
                continue
            place = self.places[old]
            alloc = place.memory.whole.owner if place.memory.whole is not None else None
            own = isinstance(alloc, memref.AllocOp) and alloc.parent is self.block and place.memory not in taken
            taken.add(place.memory)
            if not (own and self._renamed(place, cast("memref.AllocOp", alloc), given[i])):
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

    def _renamed(self, place: Place, alloc: memref.AllocOp, given: SSAValue) -> bool:
        """Whether `place`, all of `alloc`, could be made to be memory that is given: `alloc` is no more then."""
        value, type = place.value, type_of(alloc.memref)
        if not is_contiguous(type_of(value)) or DYNAMIC_INDEX in type.get_shape():
            return False
        if _count(type) != _count(type_of(given)) or _count(type_of(value)) != _count(type):
            return False
        renamed = given
        if type != given.type:
            op = memref.ReinterpretCastOp.from_dynamic(given, [0], list(type.get_shape()), dense_steps(type), type)
            self.block.insert_op_before(op, alloc)
            renamed = op.result
        for old, place in self.places.items():
            if place.value is alloc.memref:
                self.places[old] = Place(renamed, place.memory, place.defined)
        alloc.memref.replace_all_uses_with(renamed)
        for version in place.memory.versions:
            if self.at(version) is alloc.memref:
                self.places[version] = replace(self.places[version], value=renamed)
        alloc.detach()
        alloc.erase()
        return True


def _count(type: MemRefType) -> int:
    count = 1
    for size in type.get_shape():
        count *= size
    return count
