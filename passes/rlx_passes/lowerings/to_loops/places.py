"""What memory a tensor lies in, and whether a new value may be written over it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from xdsl.dialects import scf
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.ir import Block, Operation, SSAValue

LOOPS = (scf.ForOp, scf.WhileOp)


@dataclass(eq=False)
class Memory:
    """
    One piece of memory.

    `home` is the block of the tensor program whose run it belongs to, None for memory that is not ours to write.
    `versions` are the tensors that lie or lay in it, `whole` is all of it, as it was made.
    """

    home: Block | None
    whole: SSAValue | None = None
    versions: list[SSAValue] = field(default_factory=list[SSAValue])


@dataclass(frozen=True)
class Place:
    """Where a tensor lies: a memref over some of a memory. `defined` says that its elements are values."""

    value: SSAValue
    memory: Memory
    defined: bool = True


class Statements:
    """The ops of a function in order, those in bodies of linalg ops taken with their op."""

    def __init__(self, top: Block):
        self._position: dict[Operation, int] = {}
        self._number(top)

    def _number(self, block: Block) -> None:
        for op in block.ops:
            self._position[op] = len(self._position)
            if not isinstance(op, LinalgStructuredOperation):
                for region in op.regions:
                    for inner in region.blocks:
                        self._number(inner)

    def of(self, op: Operation) -> Operation:
        """The statement that `op` belongs to."""
        while op not in self._position:
            parent = op.parent_op()
            assert parent is not None
            op = parent
        return op

    def may_overwrite(
        self, tensor: SSAValue, places: Mapping[SSAValue, Place], by: Operation, *, reads: SSAValue | None = None
    ) -> bool:
        """
        Whether `by` may put its result where `tensor` lies, which it takes as its destination.

        Nothing may read what lay there at the same time or later, in another round of a loop neither; `by` itself may
        read `reads`.
        """
        memory = places[tensor].memory
        if memory.home is None:
            return False
        block = by.parent
        while block is not memory.home:
            parent = block.parent_op() if block is not None else None
            if parent is None or isinstance(parent, LOOPS):
                return False
            block = parent.parent
        position = self._position[by]
        for version in memory.versions:
            for use in version.uses:
                reader = self.of(use.operation)
                if reader is by and version is reads:
                    continue
                if reader is by:
                    if version is not tensor or use.operation is not by or not _is_destination(by, use.index):
                        return False
                elif self._position[reader] > position:
                    return False
        return True


def _is_destination(op: Operation, operand: int) -> bool:
    """Whether an operand is what the op writes its result into: the last one of linalg ops, the second of others."""
    return operand == len(op.operands) - 1 if isinstance(op, LinalgStructuredOperation) else operand == 1


def home_of(op: Operation) -> Block:
    """The block that an op stands in."""
    assert op.parent is not None
    return op.parent
