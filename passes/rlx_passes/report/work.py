"""What one run of a program costs: ops, launches, bytes, operations on numbers."""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from rlx_dialect.shapes import of_any
from rlx_passes.budget.io_profile import METADATA, size
from rlx_passes.report.counts import nodes
from rlx_passes.report.flops import flops


@dataclass(frozen=True)
class Work:
    """
    Each op that is no view is a launch and moves its operands and results; bodies of loops count once.

    Values of unknown size count for nothing in `bytes` and `flops`; `unsized` says how many ops have one.
    """

    ops: int = 0
    launches: int = 0
    bytes: int = 0
    flops: int = 0
    unsized: int = 0

    @staticmethod
    def of(module: ModuleOp) -> "Work":
        """That of all functions of `module`, each once."""
        every = list(nodes(module))
        ops = [op for op in every if not isinstance(op, METADATA) and not op.name.startswith("func.")]
        return Work(
            len(every),
            len(ops),
            sum(size(value) for op in ops for value in _values(op)),
            sum(map(flops, ops)),
            sum(any(map(_unknown, _values(op))) for op in ops),
        )

    def to_json(self) -> dict[str, object]:
        return dict(vars(self))


def _values(op: Operation) -> Sequence[SSAValue]:
    return (*op.operands, *op.results)


def _unknown(value: SSAValue) -> bool:
    found = of_any(value.type)
    return found is not None and any(dim < 0 for dim in found.dims)
