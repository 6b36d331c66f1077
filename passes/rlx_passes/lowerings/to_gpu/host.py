"""One function of loops over memrefs becomes a host function: launches, and loops and branches around them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import NamedTuple

from xdsl.dialects import arith, cf, func, memref, scf
from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, MemRefType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import is_side_effect_free

from rlx_dialect.dims import Dim, Size, Symbol, larger
from rlx_dialect.known_sizes import KnownSizes
from rlx_passes.core.errors import Refusal
from rlx_passes.lowerings.to_gpu.emission import HostText
from rlx_passes.lowerings.to_gpu.kernels import Kernels
from rlx_passes.lowerings.to_gpu.launching import Launching, rounds_of
from rlx_passes.lowerings.to_gpu.sizes import read_assert, read_index
from rlx_passes.lowerings.to_gpu.steps import Branch, Check, Let, Loop, Step, homes, live
from rlx_passes.lowerings.to_gpu.storage import Kept
from rlx_passes.lowerings.to_gpu.views import View, axis_of, is_view_op, memref_type, stated, view_of
from rlx_passes.rewriting.conversion import name_of

SCALAR = ("arith.", "math.")
"""Dialects with ops on scalars, computed by each thread that wants the value. xDSL does not know all are pure."""


class Carried(NamedTuple):
    """An axis of a tensor that a loop carries: the number of the loop in its function, of the tensor in it, and it."""

    loop: int
    tensor: int
    axis: int


class Room(NamedTuple):
    """
    Where a carried tensor lies: in a round its shape is `now`, between rounds `after`.

    Of an axis whose size changes these are symbols, whose names are in `names`.
    """

    base: SSAValue
    now: tuple[Size, ...]
    after: tuple[Size, ...]
    names: tuple[tuple[str, str], ...]
    carried: tuple[Carried, ...]


class HostFunction(Launching):
    """Turns one function of loops into its host function."""

    def __init__(
        self,
        loops: func.FuncOp,
        given: func.FuncOp,
        constants: Sequence[str],
        kernels: Kernels,
        storage: Kept,
        growing: frozenset[Carried] = frozenset(),
    ) -> None:
        super().__init__(loops.sym_name.data, kernels, storage)
        self.loops, self.given, self.constants = loops, given, constants
        self.growing, self.found = growing, set[Carried]()
        self._loops = 0

    def build(self) -> func.FuncOp:
        """
        The host function. What is `found` to change from round to round then has to be among `growing`, or it is of no
        use.
        """
        if len(self.loops.body.blocks) != 1:
            raise Refusal(f"@{self.name} has branches, which GPU launches cannot be planned for")
        block = self.loops.body.block
        known = KnownSizes()
        for argument, source in zip_longest(block.args, self.given.body.block.args):
            types = memref_type(argument).get_shape()
            self.views[argument] = View.packed(argument, types if source is None else known.of(source))
            self.read_only.add(argument)
        for op in list(block.ops)[:-1]:
            self._visit(op)
        returned = self._returned(block.last_op)
        steps = live(self.steps, {view.base for view in returned})
        text = HostText(self.loops, self.given, self.constants, self.views, self.storage)
        return text.function(steps, returned, homes(steps, self.made))

    def _visit(self, op: Operation) -> None:
        match op:
            case memref.AllocOp():
                sizes = iter(op.dynamic_sizes)
                shape = memref_type(op.memref).get_shape()
                self._place(op.memref, [self.size(next(sizes)) if n == DYNAMIC_INDEX else n for n in shape])
            case memref.DimOp():
                self.sizes[op.result] = self._view(op.source).shape[axis_of(op)]
            case memref.CopyOp():
                self._copy(self._view(op.source), self._view(op.destination))
            case memref.LoadOp():
                self._scalar_load(op)
            case scf.ParallelOp():
                self._parallel(op)
            case cf.AssertOp():
                self._assert(op)
            case scf.ForOp() if _holds_launches(op):
                self._for(op)
            case scf.WhileOp():
                self._while(op)
            case scf.IfOp() if _holds_launches(op):
                self._if(op)
            case arith.SelectOp() if isinstance(op.result.type, MemRefType):
                self._select(op)
            case _ if is_view_op(op):
                self.views[op.results[0]] = view_of(op, self._view(op.operands[0]), self.size_of, self.size)
            case _ if isinstance(op, memref.StoreOp) or (op.regions and not op.results):
                self._serial_builder().copy(op)
            case _ if op.regions or not (is_side_effect_free(op) or name_of(op).startswith(SCALAR)):
                raise Refusal(f"'{name_of(op)}' in @{self.name} cannot become GPU launches")
            case _ if op.results and isinstance(op.results[0].type, IndexType):
                self.sizes[op.results[0]] = read_index(op, self.size_of)
            case _:
                pass

    def _assert(self, op: cf.AssertOp) -> None:
        self._flush()
        relation = read_assert(op, self.size)
        if relation is None:
            raise Refusal(f"a launch plan cannot check what elements decide: {op.msg.data}")
        self.steps.append(Check(relation, op.msg.data))

    # Loops and branches.

    def _for(self, op: scf.ForOp) -> None:
        self._flush()
        low, high, step = (self.size(each) for each in (op.lb, op.ub, op.step))
        name, number = self._new_round()
        index, *arguments = op.body.block.args
        self.sizes[index] = low + number * step
        rooms = self._carried(op.iter_args, arguments)

        def again(last: Operation) -> None:
            self._write_back(last.operands, rooms)

        body = self._inside(op.body.block, again, name, rooms)
        self.steps.append(Loop(name, rounds_of(low, high, step), (), None, body))
        self._bind(op.results, rooms)

    def _while(self, op: scf.WhileOp) -> None:
        """An index that is carried is the number of the round."""
        self._flush()
        name, number = self._new_round()
        before, after = op.before_region.block, op.after_region.block
        rooms = self._carried(op.arguments, before.args)
        for start, argument in zip(op.arguments, before.args, strict=True):
            if isinstance(argument.type, IndexType):
                self.sizes[argument] = number if self.size_of(start) == 0 else None
        condition: list[SSAValue] = []

        def decide(last: scf.ConditionOp) -> None:
            condition.append(self._scalar(last.condition))
            for given, argument, result in zip(last.args, after.args, op.results, strict=True):
                if isinstance(given.type, MemRefType):
                    self.views[argument] = self.views[result] = self._view(given)
                else:
                    self.sizes[argument] = self.size_of(given)

        def again(last: Operation) -> None:
            for given in last.operands:
                if isinstance(given.type, IndexType) and self.size_of(given) != number + 1:
                    raise Refusal("a loop carries an index that is not the number of the round")
            self._write_back(last.operands, rooms)

        self._inner.add(name)  # in front of the body nothing has a place that depends on the round
        first = self._inside(before, decide, rooms=rooms)
        self._inner.discard(name)
        self.steps.append(Loop(name, None, first, condition[0], self._inside(after, again, name, rooms)))

    def _if(self, op: scf.IfOp) -> None:
        self._flush()
        condition = self._scalar(op.cond)
        chosen: list[list[View]] = []

        def choose(last: Operation) -> None:
            chosen.append(self._stated(last.operands, op.results))

        blocks = [region.block for region in (op.true_region, op.false_region) if region.blocks]
        then, otherwise = [*(self._inside(block, choose) for block in blocks), ()][:2]
        self._branch(condition, op.results, (then, otherwise), chosen)

    def _select(self, op: arith.SelectOp) -> None:
        """mlir-opt writes a branch that only chooses between two buffers so."""
        self._flush()
        chosen = [self._stated([value], op.results) for value in (op.lhs, op.rhs)]
        self._branch(self._scalar(op.cond), op.results, ((), ()), chosen)

    def _stated(self, values: Sequence[SSAValue], results: Sequence[SSAValue]) -> list[View]:
        """The views of values that become results, whose types may say more of their shapes."""
        views = [self._view(value) for value in values]
        shapes = [stated(view.shape, result) for view, result in zip(views, results, strict=True)]
        return [replace(view, shape=shape) for view, shape in zip(views, shapes, strict=True)]

    def _branch(
        self,
        condition: SSAValue,
        results: Sequence[SSAValue],
        sides: tuple[tuple[Step, ...], tuple[Step, ...]],
        chosen: Sequence[Sequence[View]],
    ) -> None:
        """Where branches give tensors of two sizes, each says the sizes."""
        then, otherwise = sides
        met: list[View] = []
        for first, second in zip(*chosen, strict=True) if results else ():
            room, names = self._meeting(first, second)
            then += self._collected(self._give, first, room, names)
            otherwise += self._collected(self._give, second, room, names)
            met.append(room)
        self.steps.append(Branch(condition, then, otherwise))
        self.views.update(zip(results, met, strict=True))

    def _meeting(self, first: View, second: View) -> tuple[View, Mapping[int, str]]:
        """Room for the one or the other, and by axis the names of the sizes that tell which."""
        shape, names = list(first.shape), dict[int, str]()
        for axis, other in enumerate(second.shape):
            if shape[axis] != other:
                names[axis], shape[axis] = self._new_name("size")
        element = memref_type(first.base).element_type
        # One room for both, unless only the branches know how large they are.
        known = names and not any(self._is_varying(size) for size in (*first.shape, *second.shape))
        room = self._fresh(element, [larger(first.size, second.size)] if known else shape)
        self.varying |= set(names.values())
        return View.packed(room.base, shape), names

    def _is_varying(self, size: Size) -> bool:
        atoms = size.atoms() if isinstance(size, Dim) else ()
        return any(isinstance(atom, Symbol) and atom.name in self.varying for atom in atoms)

    def _give(self, view: View, room: View, names: Mapping[int, str]) -> None:
        self.steps += [Let(name, view.shape[axis]) for axis, name in names.items()]
        self._copy(view, View.packed(room.base, view.shape))

    def _new_round(self) -> tuple[str, Dim]:
        return self._new_name("round")

    def _inside(
        self, block: Block, end: Callable[..., None], loop: str | None = None, rooms: Sequence[Room | None] = ()
    ) -> tuple[Step, ...]:
        """
        The steps of a block, the body of `loop` if there is one; `end` does what its last op says. What lies in `rooms`
        has the sizes there that it had when the round began.
        """
        outer, veiled = self.scope, self._veiled
        self._veiled = loop is None

        def walk() -> None:
            for room in rooms:
                self.steps += [] if room is None else [Let(now, Dim.of(Symbol(next))) for now, next in room.names]
            for op in list(block.ops)[:-1]:
                self._visit(op)
            self._flush()
            end(block.last_op)

        self.scope = outer if loop is None else (*outer, loop)
        steps = self._collected(walk)
        self.scope, self._veiled = outer, veiled
        return steps

    def _collected(self, do: Callable[..., None], *arguments: object) -> tuple[Step, ...]:
        """The steps that `do` makes, of a branch or a loop."""
        outer, self.steps = self.steps, []
        do(*arguments)
        self._flush()
        steps, self.steps = self.steps, outer
        return tuple(steps)

    def _carried(self, starts: Sequence[SSAValue], arguments: Sequence[SSAValue]) -> list[Room | None]:
        """A buffer for each tensor that a loop carries, holding what it starts from."""
        self._loops += 1
        rooms: list[Room | None] = []
        for number, (start, argument) in enumerate(zip(starts, arguments, strict=True)):
            if not isinstance(start.type, MemRefType):
                rooms.append(None)
                continue
            source = self._view(start)
            carried = [Carried(self._loops, number, axis) for axis in range(len(source.shape))]
            now, after, names = list(source.shape), list(source.shape), list[tuple[str, str]]()
            for axis, each in enumerate(carried):
                if each in self.growing:
                    (name, now[axis]), (later, after[axis]) = self._new_name("size"), self._new_name("size")
                    names.append((name, later))
                    self.varying |= {name, later}
                    self.steps += [Let(name, source.shape[axis]), Let(later, source.shape[axis])]
            base = self._fresh(memref_type(start).element_type, after).base
            self._copy(source, View.packed(base, source.shape))
            self.views[argument] = View.packed(base, now)
            rooms.append(Room(base, tuple(now), tuple(after), tuple(names), tuple(carried)))
        return rooms

    def _write_back(self, values: Sequence[SSAValue], rooms: Sequence[Room | None]) -> None:
        """The values into the rooms, all at once: what lies in a room is taken out before."""
        bases = {room.base for room in rooms if room is not None}
        copies: list[tuple[View, Room]] = []
        for value, room in zip(values, rooms, strict=True):
            if room is None or (source := self._view(value)) == View.packed(room.base, room.now):
                continue
            self._note_growth(source, room)
            if source.base in bases:
                aside = self._fresh(memref_type(value).element_type, source.shape)
                self._copy(source, aside)
                source = aside
            copies.append((source, room))
        self._flush()
        for source, room in copies:
            sizes = (size for size, each in zip(source.shape, room.carried, strict=True) if each in self.growing)
            self.steps += [Let(later, size) for (_, later), size in zip(room.names, sizes, strict=True)]
        for source, room in copies:
            self._copy(source, View.packed(room.base, source.shape))

    def _note_growth(self, source: View, room: Room) -> None:
        """Sizes that a round may change, of which that has to be known before it is written."""
        for size, wanted, each in zip(source.shape, room.now, room.carried, strict=True):
            if size != wanted and each not in self.growing:
                self.found.add(each)

    def _bind(self, results: Sequence[SSAValue], rooms: Sequence[Room | None]) -> None:
        for result, room in zip(results, rooms, strict=True):
            if room is not None:
                self.views[result] = View.packed(room.base, stated(room.after, result))

    # The end.

    def _returned(self, op: Operation | None) -> list[View]:
        """What to return, each all of a buffer: a part or a permutation of one is copied into a fresh one."""
        self._flush()
        views: list[View] = []
        for value in op.operands if op is not None else ():
            view = self._view(value)
            if not view.is_whole(self.views[view.base].size):
                fresh = self._fresh(memref_type(value).element_type, view.shape)
                self._copy(view, fresh)
                view = fresh
            views.append(view)
        return views


def _holds_launches(op: Operation) -> bool:
    """Whether loops for threads, or buffers, lie in a loop or branch: such a one is the host's."""
    buffers = any(isinstance(result.type, MemRefType) for result in op.results)
    wide = scf.ParallelOp | scf.WhileOp | memref.AllocOp | memref.CopyOp
    return buffers or any(isinstance(inner, wide) for inner in op.walk())
