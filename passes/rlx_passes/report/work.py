"""What one run of a program costs: ops, launches, bytes, operations on numbers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Operation, SSAValue

from rlx_dialect.ops import DynamicUpdateSliceOp
from rlx_dialect.shapes import of_any
from rlx_dialect.signature import donations_of
from rlx_passes.budget.io_profile import METADATA, size
from rlx_passes.report.counts import nodes
from rlx_passes.report.flops import flops


@dataclass(frozen=True)
class Work:
    """
    Each op that is no view is a launch and moves its operands and results; bodies of loops count once. An update of an
    input that is given up, `in_place` where the target writes over such inputs, moves the update alone.

    Values of unknown size count for nothing in `bytes` and `flops`; `unsized` says how many ops have one.
    """

    ops: int = 0
    launches: int = 0
    bytes: int = 0
    flops: int = 0
    unsized: int = 0

    @staticmethod
    def of(module: ModuleOp, *, in_place: bool = False) -> "Work":
        """That of all functions of `module`, each once."""
        every = list(nodes(module))
        ops = [op for op in every if not isinstance(op, METADATA) and not op.name.startswith("func.")]
        functions = [op for op in module.walk() if isinstance(op, FuncOp)] if in_place else []
        over = {op for func in functions for op in _updates(func)}
        return Work(
            len(every),
            len(ops),
            sum(size(value) for op in ops if op not in over for value in _values(op))
            + sum(2 * size(op.update) for op in over),
            sum(map(flops, ops)),
            sum(any(map(_unknown, _values(op))) for op in ops),
        )

    def to_json(self) -> dict[str, object]:
        return dict(vars(self))


def _updates(func: FuncOp) -> Iterator[DynamicUpdateSliceOp]:
    """The updates that lead from inputs that are given up to their results, and alone read what was before."""
    last = func.body.blocks[0].last_op if func.body.blocks else None
    if not isinstance(last, ReturnOp):
        return
    for donor, result in donations_of(func).items():
        value: SSAValue = last.operands[result]
        chain: list[DynamicUpdateSliceOp] = []
        while isinstance(value.owner, DynamicUpdateSliceOp) and value.owner.input.has_one_use():
            chain.append(value.owner)
            value = value.owner.input
        if value is func.body.block.args[donor]:
            yield from chain


def _values(op: Operation) -> Sequence[SSAValue]:
    return (*op.operands, *op.results)


def _unknown(value: SSAValue) -> bool:
    found = of_any(value.type)
    return found is not None and any(dim < 0 for dim in found.dims)
