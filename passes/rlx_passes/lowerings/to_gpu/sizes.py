"""Index arithmetic of host functions, read as sizes and written as ops."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from xdsl.dialects import arith, cf, memref
from xdsl.dialects.builtin import IndexType, IntegerAttr, StringAttr
from xdsl.ir import Block, Operation, SSAValue

from rlx_dialect.dims import Atom, AxisSize, Dim, Size, Symbol, larger, smaller
from rlx_dialect.relations import Kind, Relation
from rlx_passes.lowerings.relations import COMPARED
from rlx_passes.lowerings.to_gpu.views import SizeOf
from rlx_passes.lowerings.to_linalg.sizes import apply_operator, reckoned_to_the_end

_READ: Mapping[type[Operation], Callable[[Size, Size], Size]] = {
    arith.AddiOp: lambda a, b: a + b,
    arith.SubiOp: lambda a, b: a - b,
    arith.MuliOp: lambda a, b: a * b,
    arith.DivUIOp: lambda a, b: a // b,
    arith.DivSIOp: lambda a, b: a // b,
    arith.FloorDivSIOp: lambda a, b: a // b,
    arith.CeilDivUIOp: lambda a, b: (a + b - 1) // b,
    arith.CeilDivSIOp: lambda a, b: (a + b - 1) // b,
    arith.RemUIOp: lambda a, b: a % b,
    arith.RemSIOp: lambda a, b: a % b,
    arith.MaxUIOp: larger,
    arith.MaxSIOp: larger,
    arith.MinUIOp: smaller,
    arith.MinSIOp: smaller,
}
"""Indices are sizes or places, which are not negative."""

_KINDS: Mapping[int, Kind] = {0: "equal to", 3: "at most", 5: "at least", 7: "at most", 9: "at least"}
"""The predicates of `arith.cmpi` that relations have."""


def is_arithmetic(op: Operation) -> bool:
    """Whether an index that `op` gives follows from its operands."""
    return type(op) in _READ


def read_index(op: Operation, size_of: SizeOf) -> Size | None:
    """What the index that `op` gives comes to by what its operands do; None where they do not say it."""
    if isinstance(op, arith.ConstantOp):
        return op.value.value.data if isinstance(op.value, IntegerAttr) else None
    read = _READ.get(type(op))
    if read is None:
        return None
    a, b = map(size_of, op.operands)
    try:
        return None if a is None or b is None else read(a, b)
    except ArithmeticError:  # divided by zero
        return None


def read_assert(op: cf.AssertOp, size_of: SizeOf) -> Relation | None:
    """The relation of sizes that an assertion relies on, None where it is about something else."""
    compared = op.arg.owner
    if not isinstance(compared, arith.CmpiOp) or not isinstance(compared.lhs.type, IndexType):
        return None
    if (kind := _KINDS.get(compared.predicate.value.data)) is None:
        return None
    left, right = size_of(compared.lhs), size_of(compared.rhs)
    return None if left is None or right is None else Relation(left, kind, right)


@dataclass
class HostBuilder:
    """
    Fills a block of a host function: sizes are made once for each scope.

    `buffers` are the arguments by the values that sizes speak of, `numbers` what symbols stand for, `variables` the
    `memref<index>` of those that change, which sizes are read of again.
    """

    block: Block
    buffers: Mapping[SSAValue, SSAValue]
    numbers: dict[str, SSAValue] = field(default_factory=dict[str, SSAValue])
    variables: dict[str, SSAValue] = field(default_factory=dict[str, SSAValue])
    _made: dict[Size, SSAValue] = field(default_factory=dict[Size, SSAValue])
    _read: dict[Atom, SSAValue] = field(default_factory=dict[Atom, SSAValue])

    def __call__(self, op: Operation) -> SSAValue:
        """Append `op`; its first result if it has one."""
        self.block.add_op(op)
        return op.results[0] if op.results else SSAValue.get(op.operands[0])

    def inside(self, block: Block, numbers: Mapping[str, SSAValue]) -> HostBuilder:
        """A builder for a block within this one's, which sees what was made so far."""
        known = (dict(self._made), dict(self._read))
        return HostBuilder(block, self.buffers, {**self.numbers, **numbers}, self.variables, *known)

    def size(self, size: Size) -> SSAValue:
        """An index value that is `size`."""
        if size not in self._made or self._varies(size):
            if isinstance(size, int):
                self._made[size] = self(arith.ConstantOp(IntegerAttr(size, IndexType())))
            else:
                made = reckoned_to_the_end(size, self._atom, self._apply)
                self._made[size] = self.size(made) if isinstance(made, int) else made
        return self._made[size]

    def _varies(self, size: Size) -> bool:
        atoms = size.atoms() if isinstance(size, Dim) else ()
        return any(isinstance(atom, Symbol) and atom.name in self.variables for atom in atoms)

    def _atom(self, atom: Atom) -> SSAValue:
        if isinstance(atom, Symbol):
            if atom.name in self.variables:
                return self(memref.LoadOp.get(self.variables[atom.name], []))
            return self.numbers[atom.name]
        if not isinstance(atom, AxisSize):
            raise ValueError(f"nothing says the size {atom}")
        if atom not in self._read:
            self._read[atom] = self(memref.DimOp(self.buffers[atom.tensor], self.size(atom.axis)))
        return self._read[atom]

    def _apply(self, operator: str, a: SSAValue | int, b: SSAValue | int) -> SSAValue:
        a, b = (self.size(each) if isinstance(each, int) else each for each in (a, b))
        return self(apply_operator(operator, a, b))

    def check(self, relation: Relation, message: str) -> None:
        """Ends the run unless `relation` holds."""
        holds = self(arith.CmpiOp(self.size(relation.left), self.size(relation.right), COMPARED[relation.kind]))
        self.block.add_op(cf.AssertOp(holds, StringAttr(message)))
