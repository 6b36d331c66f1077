"""A group of linalg ops as a parallel loop over blocks of its rows."""

from __future__ import annotations

from collections.abc import Container, Sequence
from math import prod

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, IntegerAttr, MemRefType, i64
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap

from rlx_dialect.dtypes import numpy_dtype
from rlx_dialect.signature import is_kept
from rlx_passes.lowerings.to_loops.memrefs import Emit, Size, as_value, divided, index, part, sizes, type_of
from rlx_passes.lowerings.to_loops.origins import Known
from rlx_passes.lowerings.to_loops.rows import Group, Kernel

IN_CACHE = 32768
"""Bytes that the ops of one round should go through: they read each other's in the first cache."""
ROWS_OF_PRODUCT, MANY_ROWS, COLUMNS_OF_PRODUCT = 48, 192, 512
"""Of the result of a product: rows of a round, where it has few and many; columns, where there are few rows."""
LINE = 64
"""Bytes of a line of the cache."""
PANELS = 64
"""Of columns of a matrix that is laid out ahead: a multiple of the panels of every chip."""
ROUNDS = 8
"""So many rounds are wanted at least."""
PRIVATE = 16384
"""Bytes of memory of a group that each round may have for itself."""
TURN = 10000.0
"""Nanoseconds of work for which a thread is woken."""
UNKNOWN = 256
"""What an unknown size counts as."""


def write_rounds(group: Group) -> None:
    """Replace the ops of a group by a loop over blocks of its rows; nothing is done if one block is all."""
    blocks = _blocks(group)
    counts = [
        -(-size // block) if isinstance(size, int) else None for size, block in zip(group.sizes, blocks, strict=True)
    ]
    if all(count == 1 for count in counts):
        return
    work = sum(kernel.work() for kernel in group.kernels)
    first = group.kernels[-1].op
    home = first.parent
    assert home is not None

    def emit(op: Operation) -> None:
        home.insert_op_before(op, first)

    whole = [_row_size(group, number, emit) for number in range(len(blocks))]
    rounds = [_count(size, block, emit) for size, block in zip(whole, blocks, strict=True)]
    total = rounds[0]
    for each in rounds[1:]:
        total = _times(total, each, emit)
    body = Block(arg_types=[IndexType()])
    offsets, shape = _places(body.args[0], rounds, whole, blocks, body.add_op)
    private = _private(group, blocks, shape, body.add_op)
    for kernel in group.kernels:
        _write(kernel, offsets, shape, private, body.add_op)
    body.add_op(scf.ReduceOp([], []))
    total = _times(total, _written(group, private, emit), emit)
    work /= prod(each if isinstance(each, int) else ROUNDS for each in rounds)
    loop = scf.ParallelOp([index(0, emit)], [as_value(total, emit)], [index(1, emit)], [body])
    loop.attributes["grain"] = IntegerAttr(max(1, round(TURN / max(work, 1.0))), i64)
    emit(loop)
    for kernel in group.kernels:
        for op in (kernel.start, kernel.op):
            if op is not None and op.parent is not None:
                op.parent.erase_op(op)
    for root in private:
        owner = root.owner
        if isinstance(owner, Operation) and not root.uses and owner.parent is not None:
            owner.parent.erase_op(owner)


def _number(size: Known) -> int:
    return size if isinstance(size, int) else UNKNOWN


def _blocks(group: Group) -> list[int]:
    """How many of each axis of rows a round takes."""
    product = next((kernel for kernel in group.kernels if kernel.is_product()), None)
    left = max(1, IN_CACHE // max(1, _bytes_of_row(group)))
    blocks = [1] * len(group.sizes)
    if product is None:
        for number in reversed(range(len(blocks))):
            size = group.sizes[number]
            blocks[number] = _even(size, min(_number(size), max(left, _side_by_side(group, number))))
            left = max(1, left // blocks[number])
        return _enough(group.sizes, blocks)
    if (kept := _blocks_of_kept(product, group.sizes)) is not None:
        return kept
    rounds = 1
    for number, (row, size) in enumerate(zip(product.rows, group.sizes, strict=True)):
        reads = [
            any(expr == AffineDimExpr(row) for expr in map.results)
            for value, map in product.memories()
            if value is not product.out
        ]
        if all(reads) or (not reads[0] and product.maps[-1].results[-1] != AffineDimExpr(row)):
            # A batch, of both matrices or of the second one.
            blocks[number] = 1
        elif reads[0]:
            most = min(max(ROWS_OF_PRODUCT, _number(size) // ROUNDS), MANY_ROWS)
            blocks[number] = _even(size, min(_number(size), most))
        elif rounds >= ROUNDS or not isinstance(size, int):
            blocks[number] = min(_number(size), COLUMNS_OF_PRODUCT) if not isinstance(size, int) else size
        else:
            parts = -(-ROUNDS // rounds)
            blocks[number] = min(size, max(64, -(-size // parts // 16) * 16))
        rounds *= -(-_number(size) // blocks[number])
    return blocks


def _blocks_of_kept(product: Kernel, sizes: Sequence[Known]) -> list[int] | None:
    """
    Blocks of rows and columns of a product whose second matrix is the same in every call, and so laid out ahead.

    Such a matrix may be read by parts at no cost: rounds get the blocks that read the least of both matrices.
    """
    columns = [
        {number for number, row in enumerate(product.rows) if AffineDimExpr(row) in map.results}
        for value, map in product.memories()
        if value is not product.out and is_kept(value)
    ]
    if len(sizes) != 2 or len(columns) != 1 or len(columns[0]) != 1:
        return None
    ((at,),) = columns
    n, m = sizes[at], sizes[1 - at]
    if not isinstance(n, int):
        return None
    widths = [each for each in range(PANELS, n + 1, PANELS) if n % each == 0] or [n]
    if not isinstance(m, int):
        height, rounds = ROWS_OF_PRODUCT, ROUNDS
        width = max((each for each in widths if n // each >= rounds), default=widths[0])
    else:
        parts = {_even(m, -(-m // count)) for count in range(1, ROUNDS + 1)} | {_even(m, min(m, MANY_ROWS))}
        pairs = [(h, w) for h in parts for w in widths if h <= MANY_ROWS]
        enough = [(h, w) for h, w in pairs if -(-m // h) * (n // w) >= ROUNDS] or [min(pairs)]
        height, width = min(enough, key=lambda pair: (-(-m // pair[0]) * (n // pair[1]) * sum(pair), pair[1]))
    return [width, height] if at == 0 else [height, width]


def _enough(sizes: Sequence[Known], blocks: list[int]) -> list[int]:
    """Smaller blocks of the first axis that can be cut, where there would be too few rounds."""
    rounds = prod(-(-_number(size) // block) for size, block in zip(sizes, blocks, strict=True))
    for number, size in enumerate(sizes):
        if rounds < ROUNDS and blocks[number] > 1:
            now = -(-_number(size) // blocks[number])
            wanted = min(_number(size), now * -(-ROUNDS // rounds))
            blocks[number] = _even(size, -(-_number(size) // wanted))
            rounds = rounds // now * -(-_number(size) // blocks[number])
    return blocks


def _even(size: Known, block: int) -> int:
    """A block not much smaller than `block` that divides `size`, if there is one."""
    if not isinstance(size, int) or block < 2:
        return max(block, 1)
    return next((each for each in range(block, block // 2, -1) if size % each == 0), block)


def _bytes_of_row(group: Group) -> int:
    """The bytes of memory that one row of a group goes through."""
    found: dict[tuple[SSAValue, AffineMap], int] = {}
    for kernel in group.kernels:
        for value, map in kernel.memories():
            if any(expr == AffineDimExpr(row) for row in kernel.rows for expr in map.results):
                count = numpy_dtype(type_of(value).element_type).itemsize
                for expr in map.results:
                    if isinstance(expr, AffineDimExpr) and expr.position not in kernel.rows:
                        count *= _number(kernel.sizes[expr.position])
                found[value, map] = count
    return sum(found.values())


def _side_by_side(group: Group, number: int) -> int:
    """How many rows are a line of the cache, where one of the matrices has rows for columns; else 1."""
    rows = 1
    for kernel in group.kernels:
        for value, map in kernel.memories():
            if len(map.results) > 1 and map.results[-1] == AffineDimExpr(kernel.rows[number]):
                rows = max(rows, LINE // numpy_dtype(type_of(value).element_type).itemsize)
    return rows


def _row_size(group: Group, number: int, emit: Emit) -> Size:
    """How long an axis of rows is."""
    size = group.sizes[number]
    if isinstance(size, int):
        return size
    kernel = group.kernels[0]
    for value, map in kernel.memories():
        for axis, expr in enumerate(map.results):
            if expr == AffineDimExpr(kernel.rows[number]):
                return sizes(value, emit)[axis]
    raise AssertionError("a loop of which no operand tells the size")


def _count(size: Size, block: int, emit: Emit) -> Size:
    if isinstance(size, int):
        return -(-size // block)
    if block == 1:
        return size
    more = arith.AddiOp(size, index(block - 1, emit))
    emit(more)
    return divided(more.result, block, emit)


def _written(group: Group, private: Container[SSAValue], emit: Emit) -> Size:
    """0 where rows are of no element in all that rounds write, so that none need to run; else 1."""
    found: list[Size] = []
    for kernel in group.kernels:
        if kernel.out in private:
            continue
        rows = [AffineDimExpr(row) for row in kernel.rows]
        dims = sizes(kernel.out, emit)
        left = [size for size, expr in zip(dims, kernel.maps[-1].results) if expr not in rows and size != 1]
        unknown = [size for size in left if not isinstance(size, int)]
        if not unknown or 0 in left:
            return 1
        found.append(_all_of(arith.MinUIOp, [1, *unknown], emit))
    return _all_of(arith.MaxUIOp, found, emit) if found else 1


def _all_of(op: type[arith.MinUIOp | arith.MaxUIOp], numbers: Sequence[Size], emit: Emit) -> Size:
    first, *rest = numbers
    for each in rest:
        combined = op(as_value(first, emit), as_value(each, emit))
        emit(combined)
        first = combined.result
    return first


def _times(a: Size, b: Size, emit: Emit) -> Size:
    if isinstance(a, int) and isinstance(b, int):
        return a * b
    if a == 1 or b == 1:
        return b if a == 1 else a
    op = arith.MuliOp(as_value(a, emit), as_value(b, emit))
    emit(op)
    return op.result


def _places(
    round: SSAValue, rounds: Sequence[Size], whole: Sequence[Size], blocks: Sequence[int], emit: Emit
) -> tuple[list[Size], list[Size]]:
    """Where the block of a round starts on each axis of rows, and its sizes."""
    numbers: list[Size] = [0] * len(blocks)
    left: SSAValue = round
    for number in reversed(range(len(blocks))):
        if rounds[number] == 1:
            continue
        if all(each == 1 for each in rounds[:number]):
            numbers[number] = left
            break
        rest = arith.RemUIOp(left, as_value(rounds[number], emit))
        emit(rest)
        numbers[number] = rest.result
        left = divided(left, rounds[number], emit)
    offsets = [_times(number, block, emit) for number, block in zip(numbers, blocks, strict=True)]
    shape: list[Size] = []
    for offset, size, block in zip(offsets, whole, blocks, strict=True):
        if (isinstance(size, int) and size % block == 0) or block == 1:
            shape.append(block)
            continue
        left_ = arith.SubiOp(as_value(size, emit), as_value(offset, emit))
        emit(left_)
        least = arith.MinUIOp(left_.result, index(block, emit))
        emit(least)
        shape.append(least.result)
    return offsets, shape


def _private(group: Group, blocks: Sequence[int], shape: Sequence[Size], emit: Emit) -> dict[SSAValue, SSAValue]:
    """Memory of a round in place of memory that nobody outside of the group sees."""
    inside: set[Operation] = {op for kernel in group.kernels for op in (kernel.op, kernel.start) if op is not None}
    found: dict[SSAValue, SSAValue] = {}
    left = PRIVATE
    for kernel in group.kernels:
        root = kernel.out
        if root in found or not isinstance(root.owner, memref.AllocOp):
            continue
        if not all(use.operation in inside for use in root.uses) or (kernel.start is None and _keeps(kernel)):
            continue
        dims = list(type_of(root).get_shape())
        wanted: list[Size] = list(dims)
        for axis, expr in enumerate(kernel.maps[-1].results):
            for number, row in enumerate(kernel.rows):
                if expr == AffineDimExpr(row):
                    dims[axis], wanted[axis] = blocks[number], shape[number]
        bytes = prod(dims) * numpy_dtype(type_of(root).element_type).itemsize
        if DYNAMIC_INDEX in dims or bytes > left:
            continue
        left -= bytes
        alloc = memref.AllocOp([], [], MemRefType(type_of(root).element_type, dims))
        emit(alloc)
        found[root] = part(alloc.memref, [0] * len(dims), wanted, [1] * len(dims), emit)
    return found


def _keeps(kernel: Kernel) -> bool:
    return isinstance(kernel.op, linalg.GenericOp) and bool(kernel.op.body.block.args[-1].uses)


def _write(
    kernel: Kernel, offsets: Sequence[Size], shape: Sequence[Size], private: dict[SSAValue, SSAValue], emit: Emit
) -> None:
    """An op of a group on the block of a round."""

    def block_of(value: SSAValue, map: AffineMap) -> SSAValue:
        if not isinstance(value.type, MemRefType):
            return value
        if value in private:
            return private[value]
        at: list[Size] = [0] * len(map.results)
        wanted: list[Size] = list(sizes(value, emit))
        for axis, expr in enumerate(map.results):
            for number, row in enumerate(kernel.rows):
                if expr == AffineDimExpr(row):
                    at[axis], wanted[axis] = offsets[number], shape[number]
        return part(value, at, wanted, [1] * len(at), emit)

    target = block_of(kernel.out, kernel.maps[-1])
    if kernel.start is not None:
        emit(linalg.FillOp(list(kernel.start.inputs), [target], []))
    if isinstance(kernel.op, linalg.FillOp):
        emit(linalg.FillOp(list(kernel.op.inputs), [target], []))
        return
    ins = [block_of(value, map) for value, map in zip(kernel.op.inputs, kernel.maps, strict=False)]
    body = kernel.op.body
    kernel.op.detach_region(body)
    for inside in list(body.block.ops):
        if isinstance(inside, linalg.IndexOp) and inside.dim.value.data in kernel.rows:
            offset = offsets[kernel.rows.index(inside.dim.value.data)]
            _shift(inside, offset)
    emit(linalg.GenericOp(ins, [target], body, kernel.op.indexing_maps, kernel.op.iterator_types))


def _shift(op: linalg.IndexOp, offset: Size) -> None:
    """Count from the start of all rows, not from that of the block."""
    block = op.parent
    if offset == 0 or block is None:
        return
    at: list[Operation] = []
    start = as_value(offset, at.append)
    new = arith.AddiOp(op.result, start)
    block.insert_ops_after([*at, new], op)
    for use in list(op.result.uses):
        if use.operation is not new:
            use.operation.operands[use.index] = new.result
