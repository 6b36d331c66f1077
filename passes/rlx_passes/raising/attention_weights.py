"""From the softmax of an attention forward: what reads its weights."""

from typing import TypeVar

from xdsl.ir import Operation, SSAValue

from rlx_dialect.ops import BinaryOp, CastOp, MatMulOp, NarrowOp, ReduceOp, ReshapeOp, TransposeOp
from rlx_passes.raising.attention_scores import guarded, multiplied
from rlx_passes.raising.trail import Trail
from rlx_passes.rewriting.effects import is_terminator
from rlx_passes.rewriting.legality import block_of, live_uses, only_reader, optional_reader
from rlx_passes.rewriting.miss import Miss

OpT = TypeVar("OpT", bound=Operation)

MOST_READERS = 8
"""How many ops may lie between weights and the result of the program that they are."""


def read_weights(trail: Trail, value: SSAValue) -> tuple[SSAValue, bool]:
    """What the second product reads, and whether NaN was replaced by 0 on the way."""
    zeroed = False
    for _ in range(3):
        if (guard := guarded(trail, value)) is not None:
            value, zeroed = guard, True
        elif (cast := optional_reader(value, CastOp) or beside_results(value, CastOp)) is not None:
            value = trail.add(cast).result
        else:
            break
    return value, zeroed


def weights_reader(value: SSAValue, wanted: tuple[type[MatMulOp], type[TransposeOp]]) -> MatMulOp | TransposeOp:
    """The op that alone reads weights, but for what makes results of the program of them."""
    return beside_results(value, wanted) or only_reader(value, wanted)


def beside_results(value: SSAValue, wanted: type[OpT] | tuple[type[OpT], ...]) -> OpT | None:
    """The one reader, of a type in `wanted`, beside those that lead to results of the program; None for others."""
    readers = list(dict.fromkeys(use.operation for use in live_uses(value)))
    inner = [op for op in readers if not gives_results(op)]
    if len(readers) < 2 or len(inner) != 1 or inner[0].parent is not block_of(value):
        return None
    return inner[0] if isinstance(inner[0], wanted) else None


def gives_results(op: Operation, most: int = MOST_READERS) -> bool:
    """Whether an op gives a value away, or a view or mean of it that is given away and read by nothing else."""
    if is_terminator(type(op)):
        return True
    if isinstance(op, BinaryOp):
        try:
            multiplied(op)
        except Miss:
            return False
    elif not isinstance(op, ReshapeOp | TransposeOp | NarrowOp | CastOp | ReduceOp):
        return False
    uses = list(live_uses(op.results[0]))
    return most > 0 and bool(uses) and all(gives_results(use.operation, most - 1) for use in uses)
