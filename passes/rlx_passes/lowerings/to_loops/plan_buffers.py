"""`rlx-plan-buffers`: one arena for memory of known sizes, and the end of all other memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func, memref, scf
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, MemRefType, ModuleOp, UnitAttr, i8
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from rlx_dialect.dtypes import numpy_dtype
from rlx_passes.lowerings.to_loops.memrefs import index, is_static
from rlx_passes.rewriting.conversion import on_copy

ARENA = "rlx.arena"
"""On the last argument of a function: memory for what is not needed after the call."""
ALIGNMENT = 64
"""Bytes; a line of a cache, and the longest vector."""
STACK = 16384
"""Bytes of memory of one round of a parallel loop that may lie on the stack of its thread."""

VIEWS = (
    *(memref.SubviewOp, memref.CastOp, memref.ExpandShapeOp, memref.CollapseShapeOp),
    *(memref.ReinterpretCastOp, memref.ViewOp),
)
HANDED_ON = (scf.YieldOp, scf.ConditionOp, func.ReturnOp, scf.ForOp, scf.WhileOp)
"""What takes over the memory that it is given."""


@dataclass(frozen=True)
class PlanBuffersPass(ModulePass):
    """
    Put the memory that a function makes into one arena, which its caller gives as one more argument (`rlx.arena`).

    Two memories share a place where one is last read before the other is written. What a round of a parallel loop makes
    is its own: on the stack, or made and freed. Memory of sizes that only a run knows is freed after its last use,
    unless it is handed on.
    """

    name = "rlx-plan-buffers"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        on_copy(op, plan)


def plan(module: ModuleOp) -> None:
    """What the pass does, in place."""
    functions = {op.sym_name.data: op for op in module.ops if isinstance(op, func.FuncOp) and op.body.blocks}
    planned: dict[str, int] = {}
    for name in functions:
        _plan(name, functions, planned)


def _plan(name: str, functions: dict[str, func.FuncOp], planned: dict[str, int]) -> None:
    """Plan a function after those that it calls; `planned` are the bytes that each wants."""
    if name in planned or name not in functions:
        return
    planned[name] = 0
    function = functions[name]
    for op in list(function.walk()):
        if isinstance(op, func.CallOp):
            callee = op.callee.string_value()
            _plan(callee, functions, planned)
            if planned.get(callee):
                _lend(op, planned[callee])
    _free(function.body.block)
    planned[name] = _arena(function)


def _lend(call: func.CallOp, size: int) -> None:
    block = call.parent
    assert block is not None
    arena = memref.AllocOp([], [], MemRefType(i8, [size]))
    block.insert_op_before(arena, call)
    call.operands = [*call.operands, arena.memref]


def aliases(value: SSAValue) -> Iterator[SSAValue]:
    """A memref and what shows parts of it."""
    yield value
    for use in value.uses:
        if isinstance(use.operation, VIEWS):
            yield from aliases(use.operation.results[0])


def _end(value: SSAValue) -> None:
    """Take back what frees memory that will lie elsewhere."""
    for use in list(value.uses):
        if isinstance(use.operation, memref.DeallocOp) and use.operation.parent is not None:
            use.operation.parent.erase_op(use.operation)


def _is_freed(value: SSAValue) -> bool:
    return any(isinstance(use.operation, memref.DeallocOp) for use in value.uses)


def _is_handed_on(value: SSAValue) -> bool:
    return any(isinstance(use.operation, HANDED_ON) for each in aliases(value) for use in each.uses)


def _free(block: Block) -> None:
    """End the memory that belongs to a block, of sizes that are not known, or of rounds of a parallel loop."""
    parallel = isinstance(block.parent_op(), scf.ParallelOp)
    for op in list(block.ops):
        for region in op.regions:
            for inner in region.blocks:
                _free(inner)
        size = _bytes(op) if isinstance(op, memref.AllocOp) else None
        if isinstance(op, memref.AllocOp) and parallel and size is not None and size <= STACK:
            new = memref.AllocaOp.get(op.memref.type.element_type, ALIGNMENT, op.memref.type.get_shape())
            block.insert_op_before(new, op)
            _end(op.memref)
            op.memref.replace_all_uses_with(new.memref)
            block.erase_op(op)
            continue
        if size is not None and not parallel:
            continue  # in the arena
        if isinstance(op, memref.AllocOp | scf.IfOp | scf.ForOp | scf.WhileOp | func.CallOp):
            for value in op.results:
                if isinstance(value.type, MemRefType) and not _is_handed_on(value) and not _is_freed(value):
                    last = _last_use(value, block) or op
                    block.insert_op_after(memref.DeallocOp.get(value), last)


def _bytes(op: memref.AllocOp) -> int | None:
    """The bytes of memory, if they are known."""
    type = op.memref.type
    if not is_static(type):
        return None
    count = numpy_dtype(type.element_type).itemsize
    for size in type.get_shape():
        count *= size
    return count


def _last_use(value: SSAValue, block: Block) -> Operation | None:
    """The last op of `block` that uses a memref, or a view of it, in a region of its own or not."""
    users = {_in(block, use.operation) for each in aliases(value) for use in each.uses}
    op = block.last_op
    while op is not None and op not in users:
        op = op.prev_op
    return op


def _in(block: Block, op: Operation) -> Operation:
    """The op of `block` that holds `op`."""
    while op.parent is not block:
        parent = op.parent_op()
        assert parent is not None
        op = parent
    return op


def _is_private(op: Operation) -> bool:
    """Whether `op` belongs to a round of a parallel loop."""
    parent = op.parent_op()
    while parent is not None:
        if isinstance(parent, scf.ParallelOp):
            return True
        parent = parent.parent_op()
    return False


@dataclass
class _Piece:
    op: memref.AllocOp
    bytes: int
    first: int
    last: int
    offset: int = 0


def _arena(function: func.FuncOp) -> int:
    """Give all memory of known size a place in an arena, the last argument from then on; its bytes, 0 without one."""
    block = function.body.block
    position = {op: i for i, op in enumerate(block.ops)}
    pieces: list[_Piece] = []
    for op in function.walk():
        if not isinstance(op, memref.AllocOp) or (size := _bytes(op)) is None:
            continue
        if _is_private(op) or _is_handed_on(op.memref):
            continue
        _end(op.memref)
        users = [position[_in(block, use.operation)] for each in aliases(op.memref) for use in each.uses]
        first = position[_in(block, op)]
        pieces.append(_Piece(op, size, first, max(users, default=first)))
    if not pieces:
        return 0
    whole = max(_place(pieces), ALIGNMENT)
    arena = block.insert_arg(MemRefType(i8, [whole]), len(block.args))
    function.update_function_type()
    given = list(function.arg_attrs) if function.arg_attrs is not None else []
    given += [DictionaryAttr({})] * (len(block.args) - 1 - len(given))
    function.properties["arg_attrs"] = ArrayAttr([*given, DictionaryAttr({ARENA: UnitAttr()})])
    for piece in pieces:
        home = piece.op.parent
        assert home is not None

        def emit(op: Operation, home: Block = home, piece: _Piece = piece) -> None:
            home.insert_op_before(op, piece.op)

        view = memref.ViewOp(arena, index(piece.offset, emit), [], piece.op.memref.type)
        emit(view)
        piece.op.memref.replace_all_uses_with(view.result)
        home.erase_op(piece.op)
    return whole


def _place(pieces: Sequence[_Piece]) -> int:
    """Give each piece the lowest offset where no other lies that is needed at the same time, large ones first."""
    placed: list[_Piece] = []
    for piece in sorted(pieces, key=lambda piece: -piece.bytes):
        at = 0
        for other in sorted(placed, key=lambda other: other.offset):
            if other.first > piece.last or other.last < piece.first:
                continue
            if at + piece.bytes <= other.offset:
                break
            at = max(at, _aligned(other.offset + other.bytes))
        piece.offset = at
        placed.append(piece)
    return max((_aligned(piece.offset + piece.bytes) for piece in placed), default=0)


def _aligned(bytes: int) -> int:
    return -(-bytes // ALIGNMENT) * ALIGNMENT
