"""`rlx.if`, `rlx.while` and `rlx.scan` as scf ops on tensors."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, scf, tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, TensorType, i1
from xdsl.ir import Block, Operation, Region, SSAValue

from rlx_dialect.known_sizes import remembered_sizes, sizes_of
from rlx_dialect.ops import IfOp, ScanOp, WhileOp
from rlx_dialect.shapes import shaped
from rlx_passes.core.errors import Refusal
from rlx_passes.lowerings.to_linalg.builder import LinalgBuilder, Lowerings, Size, Tensor, dim_of
from rlx_passes.lowerings.to_linalg.elements import load
from rlx_passes.lowerings.to_linalg.shape import reshape


def _adapted(values: Sequence[SSAValue], like: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    """`values` in the lowered types of `like`."""
    return [b.adapt(value, b.type_of(old.type)) for value, old in zip(values, like, strict=True)]


def _tensors(values: Sequence[SSAValue], op: Operation) -> list[Tensor]:
    return [Tensor(value, shaped(old).element) for value, old in zip(values, op.results, strict=True)]


def _truth(value: SSAValue, b: LinalgBuilder) -> SSAValue:
    """The one element of a tensor of truth values, as i1."""
    stored = b.stored(i1)
    element = b.emit(tensor.ExtractOp(reshape(b, Tensor(value, i1), ()).value, [], stored))
    return load(b.block, element, i1, b.natives).value


def _if(op: IfOp, b: LinalgBuilder) -> list[Tensor]:
    captures = [b.values[value] for value in op.captures]

    def branch(region: Region) -> Region:
        inner = b.inside(Block())
        inner.block.add_op(scf.YieldOp(*_adapted(inner.body(region, captures), op.results, inner)))
        return Region(inner.block)

    types = [b.type_of(result.type) for result in op.results]
    chosen = scf.IfOp(_truth(b.values[op.condition], b), types, branch(op.then), branch(op.otherwise))
    b.block.add_op(chosen)
    return _tensors(chosen.results, op)


def _while(op: WhileOp, b: LinalgBuilder) -> list[Tensor]:
    """A bound is one more carried value: the number of the round."""
    captures = [b.values[value] for value in op.captures]
    start = _adapted([b.values[value] for value in op.carried], op.results, b)
    count = len(start)
    if op.limit is not None:
        start.append(b.index(0))
    types = [value.type for value in start]

    before, after = b.inside(Block(arg_types=types)), b.inside(Block(arg_types=types))
    (goes_on,) = before.body(op.cond, [*before.block.args[:count], *captures])
    condition = _truth(goes_on, before)
    if op.limit is not None:
        limit = before.index(op.limit)
        below = before.emit(arith.CmpiOp(before.block.args[count], limit, "ult"))
        condition = before.emit(arith.AndIOp(condition, below))
    before.block.add_op(scf.ConditionOp(condition, *before.block.args))

    given = _adapted(after.body(op.body, [*after.block.args[:count], *captures]), op.results, after)
    if op.limit is not None:
        given.append(after.emit(arith.AddiOp(after.block.args[count], after.index(1))))
    after.block.add_op(scf.YieldOp(*given))

    loop = scf.WhileOp(start, types, Region(before.block), Region(after.block))
    b.block.add_op(loop)
    return _tensors(loop.results[:count], op)


def _scan(op: ScanOp, b: LinalgBuilder) -> list[Tensor]:
    """A loop that carries the outputs too, and writes one entry of each a round."""
    captures = [b.values[value] for value in op.captures]
    scanned = [b.tensor(value) for value in op.scanned]
    count = len(op.carried)
    static = op.rounds()
    rounds: Size = b.size(scanned[0].value, 0) if static == DYNAMIC_INDEX else static
    start = _adapted([b.values[value] for value in op.carried], op.results[:count], b)
    with remembered_sizes():
        start += [_room(result, rounds, b) for result in op.results[count:]]

    body = b.inside(Block(arg_types=[IndexType(), *(value.type for value in start)]))
    place, *kept = body.block.args
    if op.reverse is not None:
        last = body.emit(arith.SubiOp(body.as_index(rounds), body.index(1)))
        place = body.emit(arith.SubiOp(last, place))
    entries = [_entry(value, place, body) for value in scanned]
    given = body.body(op.body, [*kept[:count], *entries, *captures])
    carried = _adapted(given[:count], op.results[:count], body)
    outputs = [
        _written(Tensor(value, shaped(result).element), into, place, body)
        for value, into, result in zip(given[count:], kept[count:], op.results[count:], strict=True)
    ]
    body.block.add_op(scf.YieldOp(*carried, *outputs))

    loop = scf.ForOp(b.index(0), b.as_index(rounds), b.index(1), start, body.block)
    b.block.add_op(loop)
    return _tensors(loop.results, op)


def _room(result: SSAValue, rounds: Size, b: LinalgBuilder) -> SSAValue:
    """An output that is still to be written."""
    sizes: list[Size] = [rounds]
    for size in sizes_of(result)[1:]:
        if (told := b.told(size)) is None:
            raise Refusal(
                "has no form in linalg: a size of an output is known in the rounds only", "make its sizes static"
            )
        sizes.append(told)
    return b.empty(sizes, shaped(result).element)


def _entry(whole: Tensor, place: SSAValue, b: LinalgBuilder) -> SSAValue:
    """The entry at `place` of axis 0."""
    sizes = b.sizes(whole.value)
    rest = [0] * (len(sizes) - 1)
    type = TensorType(b.stored(whole.element), [dim_of(size) for size in sizes[1:]])
    steps = [1] * len(sizes)
    return b.emit(tensor.ExtractSliceOp(whole.value, [place, *rest], [1, *sizes[1:]], steps, type))


def _written(value: Tensor, into: SSAValue, place: SSAValue, b: LinalgBuilder) -> SSAValue:
    """`into` with `value` as the entry at `place` of axis 0."""
    row = reshape(b, value, (1, *b.sizes(into)[1:]))
    return b.insert(row.value, into, [place, *[0] * value.rank])


LOWERINGS: Lowerings = {IfOp: _if, WhileOp: _while, ScanOp: _scan}
