"""One kernel: a loop nest of the host function, copied into a `gpu.func` over flat buffers."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects import arith, gpu, memref, scf
from xdsl.dialects.builtin import DYNAMIC_INDEX, DenseArrayBase, IndexType, IntegerAttr, MemRefType, UnitAttr, i1, i32
from xdsl.ir import Block, Operation, Region, SSAValue

from rlx_dialect.dims import Dim, Size, product, smaller
from rlx_passes.core.errors import Refusal
from rlx_passes.lowerings.to_gpu.accumulation import Accumulation, find_accumulator
from rlx_passes.lowerings.to_gpu.inline_math import emit_math
from rlx_passes.lowerings.to_gpu.narrow import emit_narrow, fit_float, is_narrow, register_type
from rlx_passes.lowerings.to_gpu.storage import Kept
from rlx_passes.lowerings.to_gpu.views import SizeOf, View, axis_of, is_view_op, memref_type, view_of
from rlx_passes.rewriting.conversion import name_of

BLOCK = 128
SMALL_BLOCK = 32
GRID_ROW = 32768
"""Blocks in one row of the grid; more make a second dim (WebGPU allows 65535 blocks a dim)."""


@dataclass(frozen=True)
class Grid:
    """Blocks in x and y, and threads a block, of a launch of `threads` threads in all."""

    threads: Size

    @property
    def block(self) -> int:
        """Threads a block."""
        if isinstance(self.threads, Dim):
            return BLOCK
        return 1 if self.threads == 1 else SMALL_BLOCK if self.threads <= SMALL_BLOCK else BLOCK

    @property
    def blocks(self) -> tuple[Size, Size]:
        """Blocks in x and in y."""
        count = (self.threads + self.block - 1) // self.block
        return smaller(count, GRID_ROW), (count + GRID_ROW - 1) // GRID_ROW

    @property
    def is_full(self) -> bool:
        """Whether no block has more threads than are needed."""
        x, y = self.blocks
        return isinstance(self.threads, int) and x * y * self.block == self.threads


class KernelBuilder:
    """
    Copies ops of a host function into a kernel.

    Buffers become flat arguments in the order of first use, sizes that only a run knows index arguments after them;
    other scalars of the host function are computed again inside.
    A thread may do the work of several iterations, its lanes; `values` are those of the lane that is being copied.
    `views` maps every memref value of the host function to the memory it stands for, `size_of` gives what the host
    knows of its index values; `storage` says what buffers hold.
    """

    def __init__(self, views: Mapping[SSAValue, View], size_of: SizeOf, storage: Kept) -> None:
        self.views = dict(views)
        self.size_of = size_of
        self.storage = storage
        self.values: dict[SSAValue, SSAValue] = {}
        self.lanes = [self.values]
        self.buffers: dict[SSAValue, SSAValue] = {}
        self.sizes: dict[Dim, SSAValue] = {}
        self.reads: set[SSAValue] = set()
        self.writes: set[SSAValue] = set()
        self.entry = Block()
        self._prologue: list[Operation] = []
        self._block = self.entry

    # Small ops, put at the end of the block being filled.

    def emit(self, op: Operation) -> SSAValue:
        """Append `op`; its first result."""
        self._block.add_op(op)
        return op.results[0]

    def index(self, value: Size) -> SSAValue:
        """An index constant, or the argument that a size of run time is."""
        if isinstance(value, Dim):
            if value not in self.sizes:
                self.sizes[value] = self.entry.insert_arg(IndexType(), len(self.entry.args))
            return self.sizes[value]
        return self.emit(arith.ConstantOp(IntegerAttr(value, IndexType())))

    def add(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """`a + b`."""
        return self.emit(arith.AddiOp(a, b))

    def times(self, a: SSAValue, factor: Size) -> SSAValue:
        """`a * factor`."""
        return a if factor == 1 else self.emit(arith.MuliOp(a, self.index(factor)))

    # What a kernel is made of.

    def thread_number(self, grid: Grid) -> SSAValue:
        """The number of the running thread among all of the launch."""
        x = gpu.DimensionAttr(gpu.DimensionEnum.X)
        block = self.emit(gpu.BlockIdOp(x))
        if grid.blocks[1] != 1:
            row = self.emit(gpu.BlockIdOp(gpu.DimensionAttr(gpu.DimensionEnum.Y)))
            block = self.add(self.times(row, GRID_ROW), block)
        thread = self.emit(gpu.ThreadIdOp(x))
        return self.add(self.times(block, grid.block), thread)

    def guarded(self, grid: Grid, number: SSAValue) -> None:
        """Go on filling a block that only the threads below `grid.threads` run."""
        if grid.is_full:
            return
        inside = self.emit(arith.CmpiOp(number, self.index(grid.threads), "ult"))
        body = Block()
        self._block.add_op(scf.IfOp(inside, (), Region(body)))
        self._block = body

    def coordinates(self, number: SSAValue, shape: Sequence[Size]) -> tuple[SSAValue, ...]:
        """The index along each dim of `shape` of element `number` in row-major order."""
        found: list[SSAValue] = []
        for dim, size in enumerate(shape):
            below = product(shape[dim + 1 :])
            at = number if below == 1 else self.emit(arith.DivUIOp(number, self.index(below)))
            found.append(at if dim == 0 else self.emit(arith.RemUIOp(at, self.index(size))))
        return tuple(found)

    def load(self, view: View, at: Sequence[SSAValue]) -> SSAValue:
        """The element of `view` at `at`."""
        self.reads.add(view.base)
        value = self.emit(memref.LoadOp.get(self._buffer(view.base), [self._address(view, at)]))
        if memref_type(view.base).element_type != i1:
            return value
        return self.emit(arith.CmpiOp(value, self.emit(arith.ConstantOp(IntegerAttr(0, i32))), "ne"))

    def store(self, value: SSAValue, view: View, at: Sequence[SSAValue]) -> None:
        """Write the element of `view` at `at`."""
        self.writes.add(view.base)
        if memref_type(view.base).element_type == i1:
            value = self.emit(arith.ExtUIOp(value, i32))
        self._block.add_op(memref.StoreOp.get(value, self._buffer(view.base), [self._address(view, at)]))

    def _buffer(self, base: SSAValue) -> SSAValue:
        if base not in self.buffers:
            self.buffers[base] = self.entry.insert_arg(flat_type(base, self.storage), len(self.buffers))
        return self.buffers[base]

    def _address(self, view: View, at: Sequence[SSAValue]) -> SSAValue:
        parts = [self.times(i, stride) for i, stride, size in zip(at, view.strides, view.shape) if size != 1]
        parts += [self.times(self.value(term), stride) for term, stride in view.terms]
        if view.offset != 0 or not parts:
            parts.append(self.index(view.offset))
        total = parts[0]
        for part in parts[1:]:
            total = self.add(total, part)
        return total

    # Copying from the host function.

    def value(self, value: SSAValue) -> SSAValue:
        """The kernel's copy of a host value; a scalar from outside the nest is computed at the kernel's start."""
        if (known := self.values.get(value)) is not None:
            return known
        if not isinstance(value.owner, arith.ConstantOp) and (size := self.size_of(value)) is not None:
            return self.index(size)
        if not isinstance(value.owner, Operation) or value.owner.regions:
            raise Refusal(f"a kernel cannot be cut out around a value of type {value.type} from control flow")
        here, self._block = self._block, Block()
        self.copy(value.owner)
        for op in list(self._block.ops):
            op.detach()
            self._prologue.append(op)
        self._block = here
        return self.values[value]

    def add_lanes(self, count: int) -> None:
        """Give the thread `count` lanes in all; before anything was copied."""
        self.lanes += [{} for _ in range(count - 1)]

    def copy_for_lanes(self, ops: Iterable[Operation]) -> None:
        """Copy ops for every lane: op by op, so that what the lanes share is adjacent, and sums in one loop."""
        for op in list(ops):
            found = find_accumulator(op, self._base_of) if isinstance(op, scf.ForOp) else None
            if found is not None:
                self._copy_accumulation(found)
                continue
            for lane in self.lanes:
                self.values = lane
                self.copy(op)
        self.values = self.lanes[0]

    def copy(self, op: Operation) -> None:
        """Copy one op, with all that it holds, for the present lane."""
        if isinstance(op, memref.LoadOp):
            view = self._view(op.memref)
            self.values[op.res] = self.load(view, [self.value(i) for i in op.indices])
        elif isinstance(op, memref.StoreOp):
            self.store(self.value(op.value), self._view(op.memref), [self.value(i) for i in op.indices])
        elif isinstance(op, scf.ParallelOp):
            self._copy_parallel(op)
        elif isinstance(op, scf.ForOp) and (found := find_accumulator(op, self._base_of)) is not None:
            lanes, self.lanes = self.lanes, [self.values]
            self._copy_accumulation(found)
            self.lanes = lanes
        elif is_view_op(op):
            self.views[op.results[0]] = view_of(op, self._view(op.operands[0]), self.size_of)
        elif isinstance(op, memref.DimOp):
            self.values[op.result] = self.index(self._view(op.source).shape[axis_of(op)])
        elif (name := name_of(op)).startswith("math."):
            self._copy_math(name, op)
        elif name.startswith("memref."):
            raise Refusal(f"{name} inside a loop cannot become part of a GPU kernel")
        else:
            self._copy_plain(op)

    def _base_of(self, value: SSAValue) -> SSAValue | None:
        while value not in self.views:
            if not isinstance(value.owner, Operation) or not is_view_op(value.owner):
                return None
            value = value.owner.operands[0]
        return self.views[value].base

    def _view(self, value: SSAValue) -> View:
        if (view := self.views.get(value)) is not None:
            return view
        raise Refusal(f"a buffer of type {value.type} is chosen at run time, which a GPU kernel cannot do")

    def _copy_plain(self, op: Operation) -> None:
        operands = [self.value(operand) for operand in op.operands]
        if (on_truth := _ON_TRUTH.get(type(op))) is not None and op.results[0].type == i1:
            self.values[op.results[0]] = self.emit(on_truth.create(operands=operands, result_types=[i1]))
            return
        if any(is_narrow(value.type, self.storage) for value in (*op.operands, *op.results)):
            value = emit_narrow(op, operands, self.storage, self.emit)
            if value is not None:
                self.values[op.results[0]] = value
                return
        copy = type(op).create(
            operands=operands,
            result_types=[register_type(result.type, self.storage) for result in op.results],
            properties=op.properties,
            attributes=op.attributes,
            regions=[Region() for _ in op.regions],
        )
        for mine, theirs in zip(copy.regions, op.regions, strict=True):
            for block in theirs.blocks:
                new = Block(arg_types=[register_type(type_, self.storage) for type_ in block.arg_types])
                mine.add_block(new)
                self.values.update(zip(block.args, new.args, strict=True))
                self._fill(new, block.ops)
        self._block.add_op(copy)
        self.values.update(zip(op.results, copy.results, strict=True))

    def _copy_math(self, name: str, op: Operation) -> None:
        operands = [self.value(operand) for operand in op.operands]
        type_ = op.results[0].type
        value = emit_math(name, operands, register_type(type_, self.storage), self.emit)
        narrow = is_narrow(type_, self.storage)
        self.values[op.results[0]] = fit_float(value, type_, self.emit) if narrow else value

    def _fill(self, block: Block, ops: Iterable[Operation]) -> None:
        here, self._block = self._block, block
        for op in list(ops):
            self.copy(op)
        self._block = here

    def _copy_parallel(self, op: scf.ParallelOp) -> None:
        """A parallel loop inside a kernel runs as plain loops of one thread."""
        if op.initVals:
            raise Refusal("a parallel loop with a reduction inside a kernel cannot be compiled for GPUs")
        here = self._block
        for argument, low, high, step in zip(op.body.block.args, op.lowerBound, op.upperBound, op.step, strict=True):
            body = Block(arg_types=[IndexType()])
            self._block.add_op(scf.ForOp(self.value(low), self.value(high), self.value(step), (), body))
            self.values[argument] = body.args[0]
            self._block = body
        inner = self._block
        for inside in list(op.body.block.ops)[:-1]:
            self.copy(inside)
        while inner is not here:
            inner.add_op(scf.YieldOp())
            loop = inner.parent_op()
            if loop is None or loop.parent is None:
                break
            inner = loop.parent
        self._block = here

    def _copy_accumulation(self, found: "Accumulation") -> None:
        """A loop nest that adds into one element per lane keeps it in a register: one load before, one store after."""
        view = self._view(found.store.memref)
        places: list[list[SSAValue]] = []
        carried: list[SSAValue] = []
        for lane in self.lanes:
            self.values = lane
            places.append([self.value(i) for i in found.store.indices])
            carried.append(self.load(view, places[-1]))
        self.values = self.lanes[0]
        outer = self._block
        loops: list[scf.ForOp] = []
        for loop in found.loops:
            body = Block(arg_types=[IndexType(), *(value.type for value in carried)])
            copy = scf.ForOp(self.value(loop.lb), self.value(loop.ub), self.value(loop.step), carried, body)
            self._block.add_op(copy)
            loops.append(copy)
            for lane in self.lanes:
                lane[loop.body.block.args[0]] = body.args[0]
            carried = [*body.args[1:]]
            self._block = body
        for lane, value in zip(self.lanes, carried, strict=True):
            lane[found.load.res] = value
        inside = [op for op in list(found.loops[-1].body.block.ops)[:-1] if op not in (found.load, found.store)]
        self.copy_for_lanes(inside)
        results = [lane[found.store.value] for lane in self.lanes]
        for loop in reversed(loops):
            loop.body.block.add_op(scf.YieldOp(*results))
            results = list(loop.results)
        self._block = outer
        for lane, place, result in zip(self.lanes, places, results, strict=True):
            self.values = lane
            self.store(result, view, place)
        self.values = self.lanes[0]

    # The end.

    def finish(self, name: str, grid: Grid) -> gpu.FuncOp:
        """The kernel, complete."""
        if self._block is not self.entry:
            self._block.add_op(scf.YieldOp())
        if self._prologue:
            first = self.entry.first_op
            if first is None:
                self.entry.add_ops(self._prologue)
            else:
                self.entry.insert_ops_before(self._prologue, first)
        self.entry.add_op(gpu.ReturnOp([]))
        types = [argument.type for argument in self.entry.args]
        kernel = gpu.FuncOp(name, (types, []), Region(self.entry))
        # mlir-opt reads these two under these names, as plain attributes.
        kernel.attributes["gpu.kernel"] = UnitAttr()
        kernel.attributes["known_block_size"] = DenseArrayBase.from_list(i32, [grid.block, 1, 1])
        return kernel


_ON_TRUTH: Mapping[type[Operation], type[Operation]] = {
    arith.AddiOp: arith.XOrIOp,
    arith.SubiOp: arith.XOrIOp,
    arith.MuliOp: arith.AndIOp,
    arith.MaxUIOp: arith.OrIOp,
    arith.MinUIOp: arith.AndIOp,
    arith.MaxSIOp: arith.AndIOp,
    arith.MinSIOp: arith.OrIOp,
}
"""Arithmetic on one bit, which shaders do not have, as logic; signed, the set bit is -1."""


def flat_type(base: SSAValue, storage: Kept) -> MemRefType:
    """The type of a kernel's argument for the buffer `base`: one dim, packed; never empty, as no GPU binds 0 bytes."""
    type_ = memref_type(base)
    element = storage.get(type_.element_type, type_.element_type)
    shape = type_.get_shape()
    return MemRefType(element, [DYNAMIC_INDEX if DYNAMIC_INDEX in shape else max(1, prod(shape))])
