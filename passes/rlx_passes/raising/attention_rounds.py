"""Attention that a loop computes block by block of the keys, with a running maximum and sum."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import i1
from xdsl.ir import Operation, SSAValue

from rlx_dialect.attributes import Activation, BinaryKind, ReduceKind, word_of
from rlx_dialect.constants import constant_op, dense
from rlx_dialect.ops import (
    ActivationOp,
    BinaryOp,
    ExpandOp,
    MatMulOp,
    ReduceOp,
    ReshapeOp,
    ScanOp,
    SoftmaxOp,
    TransposeOp,
    WhereOp,
    WhileOp,
)
from rlx_dialect.shapes import DYNAMIC, Dims, Shaped
from rlx_passes.raising.attention_operands import scaling
from rlx_passes.raising.attention_scores import Mask, Replaced, scores
from rlx_passes.raising.rounds import Blocks, Carried, Rounds
from rlx_passes.raising.trail import RaisingPattern, Trail
from rlx_passes.rewriting.constants import LOWEST, is_truth, scalar, splat
from rlx_passes.rewriting.legality import dims_of, optional_reader, require, sole_use, tensor_type
from rlx_passes.rewriting.miss import Miss, Reason
from rlx_passes.rewriting.patterns import Fusion

if TYPE_CHECKING:
    from rlx_dialect.reference import Array


@dataclass(frozen=True)
class RaiseAttentionRounds(RaisingPattern[WhileOp | ScanOp]):
    """
    for each block of keys and values:                       =>   %s = %q @ transpose %k * scale
      %n = max %m, max (%q @ transpose %kb * scale)               %p = rlx.softmax %s
      %l, %o = %l * e^(%m - %n) + .., %o * e^(%m - %n) + ..       %o = %p @ %v
    %o / %l
    """

    title = "attention"
    roots = (WhileOp, ScanOp)

    def starts(self, op: Operation) -> bool:
        """Two products in a loop, a greatest element and an exponential."""
        if not isinstance(op, WhileOp | ScanOp):
            return False
        ops = list(op.body.block.ops)
        products = sum(isinstance(each, MatMulOp) for each in ops)
        curves = any(isinstance(each, ActivationOp) and each.activation is Activation.EXP for each in ops)
        return products == 2 and curves and any(isinstance(each, BinaryOp) and is_max(each) for each in ops)

    def match(self, root: WhileOp | ScanOp, /) -> Fusion:
        rounds = Rounds(root)
        quotient, sums, total = divided(rounds)
        trail = Trail()
        rows = dims_of(sums.argument)[:-1]
        decay, added = decayed(trail, sums, rows)
        weights = weighted(trail, added)
        shift, score = shifted(trail, weights.lhs, rows)
        other, summed = decayed(trail, total, rows)
        require(trail.same(decay, other), Reason.NOT_PRODUCED_BY, other, detail="sums that fade otherwise")
        is_row(trail.into(row_of(summed, rows, len(dims_of(summed))), ReduceOp), ReduceKind.SUM, weights.lhs)
        running = greatest(rounds, trail, shift, score, decay, rows)
        for each in (running, total, sums):
            lowest = {-inf, LOWEST[tensor_type(each.initial).element_type.name]}
            wanted = lowest if each is running else {0.0}
            require(scalar(each.initial) in wanted, Reason.CONSTANT, each.initial)

        found = scores(trail, score)
        product = found.product
        plain = found.softcap is None and list(found.permutation) == sorted(found.permutation)
        require(plain, Reason.LAYOUT, product, detail="scores with a cap, or with their axes moved")
        masks = [(mask, shown(rounds, mask, dims_of(score)[-1])) for mask in found.masks]
        query, scale = product.lhs, found.scale
        while isinstance(query.owner, BinaryOp) and (inner := scaling(query.owner)):
            query, scale = inner[0], scale * inner[1]
        outer = rounds.captured(query)
        if outer is None:
            raise Miss(Reason.NOT_PRODUCED_BY, query, detail="the same queries in all rounds are wanted")
        inside = unturned(product.rhs)
        turned = inside is not None
        keys = rounds.blocks(product.rhs if inside is None else inside)
        values = rounds.blocks(weights.rhs)
        rank = len(dims_of(product.result))
        for each, axis in ((keys, -2 if turned else -1), (values, -2)):
            require(each.stacked or each.axis == axis, Reason.AXIS, each.source, detail="blocks of another axis")
            require(len(dims_of(each.source)) == rank + each.stacked, Reason.RANK, each.source)

        new: list[Operation] = []
        key = joined(keys, -2 if turned else -1, new)
        if turned:
            new.append(TransposeOp(key, (*range(rank - 2), rank - 1, rank - 2)))
            key = new[-1].results[0]
        value = joined(values, -2, new)
        first = MatMulOp(outer, key, accumulate=product.accumulate)
        number = splat(tensor_type(first.result).element_type, (), scale)
        scaled = BinaryOp(BinaryKind.MUL, first.result, number.result)
        new += [first, number, scaled]
        for mask, flags in reversed(masks):
            hide(mask, flags, new)
        softmax = SoftmaxOp(new[-1].results[0], axis=rank - 1)
        last = MatMulOp(softmax.result, value, accumulate=weights.accumulate)
        return Fusion.of((*quotient[1:], quotient[0]), *new, softmax, last)


def shown(rounds: Rounds, mask: Mask, width: int) -> Array:
    """
    The condition of a mask in all rounds side by side. Raises `Miss` for one of other than places and constants, and
    where -inf hides the first keys of a row, which makes it NaN.
    """
    import numpy as np

    if not isinstance(mask, Replaced) or not is_truth(mask.condition):
        raise Miss(Reason.LAYOUT, rounds.op, detail="scores with a mask that is added")
    parts = rounds.of_counters(mask.condition)
    if parts is None:
        raise Miss(Reason.NOT_PRODUCED_BY, mask.condition, detail="a mask of places alone is wanted")
    blocks = [np.broadcast_to(part, (*part.shape[:-1], width)) for part in parts]
    first = bool((blocks[0] != mask.inverted).any(-1).all())
    require(first or mask.number > -inf, Reason.ATTRIBUTES, mask.condition, detail="-inf hides a row's first keys")
    return np.concatenate(blocks, -1)


def hide(mask: Mask, flags: Array, new: list[Operation]) -> None:
    """Put a mask on the last of the new values."""
    assert isinstance(mask, Replaced)
    scores = new[-1].results[0]
    condition = constant_op(dense(Shaped(flags.shape, i1).type, flags))
    number = splat(tensor_type(scores).element_type, (), mask.number)
    sides = (number.result, scores) if mask.inverted else (scores, number.result)
    new += [condition, number, WhereOp(condition.result, *sides)]


def divided(rounds: Rounds) -> tuple[tuple[Operation, ...], Carried, Carried]:
    """The op after the loop that divides one carried value by another, with the views between; and the two."""
    by_result = {each.result: each for each in rounds.carried}
    for sums in rounds.carried:
        op = optional_reader(sums.result, BinaryOp)
        if op is None or op.binary is not BinaryKind.DIV or op.lhs is not sums.result:
            continue
        dims, value, views = dims_of(op.result), op.rhs, list[Operation]()
        if len(dims) != len(dims_of(value)):
            continue
        while isinstance(value.owner, ReshapeOp | ExpandOp):
            views.append(value.owner)
            value = value.owner.input
        total = by_result.get(value)
        if total is None or total is sums or total.result is not row_of(op.rhs, dims[:-1], len(dims)):
            continue
        for result in (total.result, *(view.results[0] for view in views)):
            sole_use(result)
        for each in rounds.carried:
            if each not in (sums, total) and each.argument not in rounds.counters:
                require(not list(each.result.uses), Reason.MULTI_USE, each.result)
        return (op, *views), sums, total
    raise Miss(Reason.NOT_CONSUMED_BY, rounds.op, detail="a quotient of two of its results is wanted")


def decayed(trail: Trail, value: Carried, rows: Dims) -> tuple[SSAValue, SSAValue]:
    """Of `value * decay + added`, the decay, one for each row, and what is added."""
    total = trail.binary(value.given, BinaryKind.ADD)

    def step(kept: SSAValue, added: SSAValue) -> tuple[SSAValue, SSAValue]:
        product = trail.binary(kept, BinaryKind.MUL)
        require(value.argument in product.operands, Reason.NOT_PRODUCED_BY, kept)
        decay = product.rhs if product.lhs is value.argument else product.lhs
        return row_of(decay, rows, len(dims_of(value.argument))), added

    return trail.operands(total, step)


def row_of(value: SSAValue, rows: Dims, rank: int) -> SSAValue:
    """
    The numbers of which `value` has one for each of `rows`, where it meets values of that rank; an axis of 1 after them
    comes and goes. Raises `Miss` for any other value.
    """
    require(len(dims_of(value)) == rank, Reason.RANK, value)
    while isinstance(value.owner, ExpandOp) and dims_of(value)[:-1] == rows:
        value = value.owner.input
    require(dims_of(value) == (rows if rank == len(rows) else (*rows, 1)), Reason.AXIS, value)
    while isinstance(value.owner, ReshapeOp) and dims_of(value.owner.input) in (rows, (*rows, 1)):
        value = value.owner.input
    return value


def weighted(trail: Trail, value: SSAValue) -> MatMulOp:
    """The product of weights and values."""
    product = trail.into(value, MatMulOp)
    trail.activation(product.lhs, Activation.EXP)
    return product


def shifted(trail: Trail, weights: SSAValue, rows: Dims) -> tuple[SSAValue, SSAValue]:
    """Of `e^(score - shift)`, the shift of each row and the score."""
    difference = trail.binary(trail.activation(weights, Activation.EXP).input, BinaryKind.SUB)
    require(difference.lhs.type == difference.result.type, Reason.BROADCASTS_UP, difference)
    return row_of(difference.rhs, rows, len(rows) + 1), difference.lhs


def greatest(rounds: Rounds, trail: Trail, shift: SSAValue, score: SSAValue, decay: SSAValue, rows: Dims) -> Carried:
    """The running maximum: `shift` is its next value, `decay` the exponential of what it rises by."""

    def row(value: SSAValue) -> SSAValue:
        return row_of(value, rows, len(dims_of(value)))

    shapes = (rows, (*rows, 1))
    running = next(
        (each for each in rounds.carried if dims_of(each.given) in shapes and row(each.given) is shift), None
    )
    if running is None:
        raise Miss(Reason.NOT_PRODUCED_BY, shift, detail="a running maximum is wanted")
    rise = trail.binary(trail.activation(decay, Activation.EXP).input, BinaryKind.SUB)
    rises = row(rise.lhs) is running.argument and row(rise.rhs) is shift
    require(rises, Reason.NOT_PRODUCED_BY, rise, detail="sums fade by what the maximum rises")
    op = trail.binary(shift, BinaryKind.MAX)
    require(running.argument in op.operands, Reason.NOT_PRODUCED_BY, op)
    other = row(op.rhs if op.lhs is running.argument else op.lhs)
    is_row(trail.into(other, ReduceOp), ReduceKind.MAX, score)
    return running


def is_row(op: ReduceOp, kind: ReduceKind, of: SSAValue) -> None:
    """`op` reduces the rows of `of` so. Raises `Miss` otherwise."""
    rank = len(dims_of(of))
    fits = word_of(op.kind, ReduceKind) is kind and [axis % rank for axis in op.axes.get_values()] == [rank - 1]
    require(fits and op.input is of, Reason.NOT_PRODUCED_BY, op, detail=lambda: f"{kind} of each row is wanted")


def is_max(op: BinaryOp) -> bool:
    return op.binary is BinaryKind.MAX


def unturned(value: SSAValue) -> SSAValue | None:
    """The value of which the last two axes change places in `value`, if it is such."""
    op, rank = value.owner, len(dims_of(value))
    if not isinstance(op, TransposeOp) or tuple(op.permutation.get_values()) != (*range(rank - 2), rank - 1, rank - 2):
        return None
    return op.input


def joined(blocks: Blocks, axis: int, new: list[Operation]) -> SSAValue:
    """All blocks side by side on `axis`, counted from the end; what makes it is appended to `new`."""
    source = blocks.source
    if not blocks.stacked:
        return source
    count, *dims = dims_of(source)
    require(DYNAMIC not in (count, *dims), Reason.DYNAMIC, source)
    at = len(dims) + axis
    wanted = (*dims[:at], count * dims[at], *dims[at + 1 :])
    order = (*range(1, at + 1), 0, *range(at + 1, len(dims) + 1))
    stack = source.owner
    if isinstance(stack, TransposeOp) and isinstance(stack.input.owner, ReshapeOp):
        back = [stack.permutation.get_values()[place] for place in order]
        if back == sorted(back) and dims_of(stack.input.owner.input) == wanted:
            return stack.input.owner.input
    moved = TransposeOp(source, order)
    laid = ReshapeOp(moved.result, wanted)
    new += [moved, laid]
    return laid.result
