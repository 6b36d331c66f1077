"""Branches, loops and calls over memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects import func, memref, scf
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from rlx_passes.core.errors import Refusal
from rlx_passes.lowerings.to_loops.memrefs import allocate_static, is_static, is_tensor, memref_of
from rlx_passes.lowerings.to_loops.places import Memory, home_of
from rlx_passes.lowerings.to_loops.placing import Placing, Rule


def _is_tensor(value: SSAValue) -> bool:
    return is_tensor(value.type)


def _if(op: scf.IfOp, p: Placing) -> None:
    """A tensor of known sizes is copied into memory made before; another one is a memref that the branch makes."""
    made = {
        i: allocate_static(memref_of(result.type), p.emit)
        for i, result in enumerate(op.results)
        if _is_tensor(result) and is_static(memref_of(result.type))
    }
    left = [i for i in range(len(op.results)) if i not in made]

    def branch(region: Region) -> Region:
        if not region.blocks:
            return Region()
        inner = p.inside(Block())
        inner.body(region.block)
        given = _last(region.block).operands
        for i, alloc in made.items():
            inner.copy_into(inner.at(given[i]), alloc.memref)
        taken: set[Memory] = set()
        inner.emit(scf.YieldOp(*(_own(given[i], op.results[i].type, inner, taken) for i in left)))
        return Region(inner.block)

    types = [memref_of(op.results[i].type) if _is_tensor(op.results[i]) else op.results[i].type for i in left]
    new = scf.IfOp(p.values[op.cond], types, branch(op.true_region), branch(op.false_region))
    p.emit(new)
    for i, alloc in made.items():
        p.new(op.results[i], alloc, home_of(op))
    _bind([op.results[i] for i in left], new.results, op, p)


def _own(value: SSAValue, type: Attribute, p: Placing, taken: set[Memory]) -> SSAValue:
    """A scalar, or a tensor in memory that nobody else has."""
    return p.owned(value, type, taken) if _is_tensor(value) else p.values[value]


def _bind(old: Sequence[SSAValue], new: Sequence[SSAValue], op: Operation, p: Placing) -> None:
    """What comes out of `op`: scalars, and memory that belongs to its block."""
    for value, now in zip(old, new, strict=True):
        if _is_tensor(value):
            p.place(value, now, Memory(home_of(op), now))
        else:
            p.values[value] = now


class Carried:
    """
    What a loop carries. A tensor of known sizes stays in one memory for all rounds; of another one each round gives the
    memory on: that of the round before, if all was written in there, else a new one.
    """

    def __init__(self, start: Sequence[SSAValue], op: Operation, p: Placing):
        self.op, self.types = op, [value.type for value in start]
        self.fixed: dict[int, SSAValue] = {}
        self.start: list[SSAValue] = []
        for i, value in enumerate(start):
            if not _is_tensor(value):
                self.start.append(p.values[value])
                continue
            place = p.places[value]
            type = memref_of(value.type)
            taken = p.fitted(place.value, type) if self._may_take(value, i, p) else p.fresh(place, type)
            if is_static(type):
                self.fixed[i] = taken
            else:
                self.start.append(taken)
        self.given = [i for i in range(len(self.types)) if i not in self.fixed]
        """The numbers of what is handed from round to round."""

    def _may_take(self, value: SSAValue, i: int, p: Placing) -> bool:
        """Whether the loop may write where its `i`-th start value lies: it is all of its memory, and nobody else's."""
        place = p.places[value]
        whole = isinstance(place.value.owner, Operation) and place.value is place.memory.whole
        alone = sum(1 for each in self.op.operands if each in place.memory.versions) == 1
        return whole and alone and p.statements.may_overwrite(value, p.places, self.op, reads=value)

    def types_of(self) -> list[Attribute]:
        return [value.type for value in self.start]

    def bind(self, old: Sequence[SSAValue], new: Sequence[SSAValue], home: Block, p: Placing) -> list[Memory | None]:
        """Say where the arguments of a region lie, or the results; the memory of each."""
        ahead = iter(new)
        memories: list[Memory | None] = []
        for i, value in enumerate(old):
            now = self.fixed[i] if i in self.fixed else next(ahead)
            if _is_tensor(value):
                memory = Memory(home, None if i in self.fixed else now)
                p.place(value, now, memory)
                memories.append(memory)
            else:
                p.values[value] = now
                memories.append(None)
        return memories

    def next(
        self, values: Sequence[SSAValue], memories: Sequence[Memory | None], args: Sequence[SSAValue], p: Placing
    ) -> list[SSAValue]:
        """
        Hand `values` on, at the end of a round that had `memories`; `args` are what it was handed.

        Nothing is written before all that lies in memory of another value has been saved, or handed on.
        """
        saved: dict[int, SSAValue] = {}
        for i, value in enumerate(values):
            if _is_tensor(value) and i in self.fixed:
                place = p.places[value]
                if place.memory in memories and place.value is not self.fixed[i]:
                    saved[i] = p.copied(place.value).memref
        handed: list[SSAValue] = []
        dropped: list[SSAValue] = []
        taken: set[Memory] = set()
        for mine, i in zip(args, self.given, strict=True):
            value = values[i]
            if _is_tensor(value) and p.at(value) is not mine:
                handed.append(p.owned(value, self.types[i], taken))
                dropped.append(mine)
            else:
                handed.append(mine if _is_tensor(value) else p.values[value])
        for i, target in self.fixed.items():
            source = saved.get(i, p.at(values[i]))
            if source is not target:
                p.copy_into(source, target)
        for each in dropped:
            p.emit(memref.DeallocOp.get(each))
        return handed


def _for(op: scf.ForOp, p: Placing) -> None:
    carried = Carried(op.iter_args, op, p)
    old = op.body.block
    inner = p.inside(Block(arg_types=[old.args[0].type, *carried.types_of()]))
    p.values[old.args[0]] = inner.block.args[0]
    memories = carried.bind(old.args[1:], inner.block.args[1:], old, p)
    inner.body(old)
    inner.emit(scf.YieldOp(*carried.next(_last(old).operands, memories, inner.block.args[1:], inner)))
    new = scf.ForOp(p.values[op.lb], p.values[op.ub], p.values[op.step], carried.start, inner.block)
    p.emit(new)
    carried.bind(op.results, new.results, home_of(op), p)


def _while(op: scf.WhileOp, p: Placing) -> None:
    condition = _last(op.before_region.block)
    if list(condition.operands[1:]) != list(op.before_region.block.args):
        raise Refusal("hands on other values than it was given", op=op, what="'scf.while'")
    carried = Carried(op.arguments, op, p)
    before, after = (p.inside(Block(arg_types=carried.types_of())) for _ in range(2))
    carried.bind(op.before_region.block.args, before.block.args, op.before_region.block, p)
    before.body(op.before_region.block)
    before.emit(scf.ConditionOp(p.values[condition.operands[0]], *before.block.args))
    memories = carried.bind(op.after_region.block.args, after.block.args, op.after_region.block, p)
    after.body(op.after_region.block)
    after.emit(scf.YieldOp(*carried.next(_last(op.after_region.block).operands, memories, after.block.args, after)))
    new = scf.WhileOp(carried.start, carried.types_of(), Region(before.block), Region(after.block))
    p.emit(new)
    carried.bind(op.results, new.results, home_of(op), p)


def _call(op: func.CallOp, p: Placing) -> None:
    """The caller makes the memory of results of known sizes."""
    arguments = [
        p.contiguous(value, home_of(op)).value if _is_tensor(value) else p.values[value] for value in op.arguments
    ]
    made = {
        i: allocate_static(memref_of(result.type), p.emit)
        for i, result in enumerate(op.results)
        if _is_tensor(result) and is_static(memref_of(result.type))
    }
    left = [result for i, result in enumerate(op.results) if i not in made]
    types = [memref_of(result.type) if _is_tensor(result) else result.type for result in left]
    new = func.CallOp(op.callee, [*arguments, *(alloc.memref for alloc in made.values())], types)
    p.emit(new)
    for i, alloc in made.items():
        p.new(op.results[i], alloc, home_of(op))
    _bind(left, new.results, op, p)


def _last(block: Block) -> Operation:
    assert block.last_op is not None
    return block.last_op


CONTROL: Mapping[type[Operation], Rule] = {scf.IfOp: _if, scf.ForOp: _for, scf.WhileOp: _while, func.CallOp: _call}
