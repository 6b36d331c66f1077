"""Sizes of lowered tensors, as code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import TypeVar, cast

from xdsl.dialects import arith, cf, tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, IntegerAttr, StringAttr, TensorType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from rlx_dialect import dims as expressions
from rlx_dialect.known_sizes import own_sizes
from rlx_dialect.ops import RlxOp
from rlx_dialect.relations import Relation
from rlx_dialect.shapes import Dims, said
from rlx_passes.lowerings.relations import COMPARED
from rlx_passes.rewriting.conversion import Emitter

Size = int | SSAValue
"""A static size, or an index value that holds one."""

Sizes = tuple[Size, ...]

_ARITHMETIC = {
    "+": arith.AddiOp,
    "-": arith.SubiOp,
    "*": arith.MuliOp,
    "//": arith.DivUIOp,
    "max": arith.MaxSIOp,
    "min": arith.MinSIOp,
}


def tensor_type(value: SSAValue) -> TensorType[Attribute]:
    return cast("TensorType[Attribute]", value.type)


def dim_of(size: Size) -> int:
    """The dim of a type for a size: itself, or `?`."""
    return size if isinstance(size, int) else DYNAMIC_INDEX


@dataclass
class SizeBuilder(Emitter):
    """
    Builds sizes at the end of `block`, each read once.

    `values` maps each value of the program to its lowered form.
    """

    values: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    _sizes: dict[tuple[SSAValue, int], SSAValue] = field(default_factory=dict[tuple[SSAValue, int], SSAValue])
    _indices: dict[int, SSAValue] = field(default_factory=dict[int, SSAValue])

    def emit(self, op: Operation) -> SSAValue:
        """Put `op` at the end of the block; its first result."""
        return self(op)

    def index(self, value: int) -> SSAValue:
        """An index constant, one per value."""
        if value not in self._indices:
            self._indices[value] = self.emit(arith.ConstantOp(IntegerAttr(value, IndexType())))
        return self._indices[value]

    def size(self, value: SSAValue, axis: int) -> Size:
        """The size of one axis of a lowered tensor."""
        dim = tensor_type(value).get_shape()[axis]
        if dim != DYNAMIC_INDEX:
            return dim
        if (value, axis) not in self._sizes:
            self._sizes[value, axis] = self.emit(tensor.DimOp(value, self.index(axis)))
        return self._sizes[value, axis]

    def _note(self, value: SSAValue, sizes: Sequence[Size]) -> SSAValue:
        """Remember the sizes that `value` was made with, so that nobody asks for them again; the value itself."""
        self._sizes.update({(value, axis): size for axis, size in enumerate(sizes) if not isinstance(size, int)})
        return value

    def sizes(self, value: SSAValue) -> Sizes:
        """The sizes of all axes."""
        return tuple(self.size(value, axis) for axis in range(len(tensor_type(value).get_shape())))

    def as_index(self, size: Size) -> SSAValue:
        return self.index(size) if isinstance(size, int) else size

    def product(self, sizes: Sequence[Size]) -> Size:
        """The number of elements of `sizes`."""
        static, result = 1, None
        for size in sizes:
            if isinstance(size, int):
                static *= size
            else:
                result = size if result is None else self.emit(arith.MuliOp(result, size))
        if result is None or static == 0:
            return static
        return result if static == 1 else self.emit(arith.MuliOp(result, self.index(static)))

    def result_sizes(self, op: RlxOp, at: int = 0) -> Sizes:
        """The sizes of a result of an op, by its rule on the sizes of the lowered operands."""
        with said({value: self.dims(self.values[value]) for value in op.operands}):
            return tuple(map(self.made, op.infer()[at].dims))

    def dims(self, value: SSAValue) -> Dims:
        """The sizes of a lowered tensor as rules reckon with them."""
        return cast("Dims", own_sizes(value))

    def made(self, size: expressions.Size) -> Size:
        """A size that a rule gives."""
        return reckoned_to_the_end(size, self._atom, self._apply)

    def told(self, size: expressions.Size) -> Size | None:
        """A size of the program, if all that it depends on is lowered already."""
        if isinstance(size, int):
            return size
        lowered: dict[expressions.Atom, expressions.Size] = {}
        for atom in size.atoms():
            match atom:
                case expressions.AxisSize(value, axis) if self._sees(value):
                    lowered[atom] = own_sizes(self.values[value])[axis]
                case expressions.IndexSize(value) if self._sees(value):
                    lowered[atom] = own_sizes(self.values[value])[0]
                case expressions.AxisSize() | expressions.IndexSize():
                    return None
                case _:
                    pass
        return self.made(expressions.substituted(size, lowered))

    def _sees(self, value: SSAValue) -> bool:
        """Whether a value of the program is lowered, and not inside of an op that stands in this block."""
        if (lowered := self.values.get(value)) is None:
            return False
        block = lowered.owner if isinstance(lowered.owner, Block) else lowered.owner.parent
        while block is not None and block is not self.block and (around := block.parent_op()) is not None:
            if around.parent is self.block:
                return False
            block = around.parent
        return True

    def check(self, relation: Relation, op: Operation) -> bool:
        """Ends the run unless a relation of sizes that `op` relies on holds; False where they are not lowered yet."""
        left, right = self.told(relation.left), self.told(relation.right)
        if left is None or right is None:
            return False
        compared, bound = self.as_index(left), self.as_index(right)
        if relation.kind == "a multiple of":
            compared, bound = self.emit(arith.RemUIOp(compared, bound)), self.index(0)
        holds = self.emit(arith.CmpiOp(compared, bound, COMPARED[relation.kind]))
        self.add(cf.AssertOp(holds, StringAttr(f"{op.name}: {relation}")))
        return True

    def _atom(self, atom: expressions.Atom) -> Size:
        match atom:
            case expressions.AxisSize(value, axis):
                return self.size(value, axis)
            case expressions.IndexSize(value):
                return value
            case _:
                raise ValueError(f"nothing says the size {atom}")

    def _apply(self, operator: str, a: Size, b: Size) -> SSAValue:
        return self.emit(apply_operator(operator, self.as_index(a), self.as_index(b)))


def apply_operator(operator: str, a: SSAValue, b: SSAValue) -> Operation:
    """The op for an operator of `reckoned`."""
    return _ARITHMETIC[operator](a, b)


T = TypeVar("T")


def reckoned_to_the_end(
    size: expressions.Size, leaf: Callable[[expressions.Atom], T], apply: Callable[[str, T | int, T | int], T]
) -> T | int:
    """A size by `reckoned`, atoms that are made of others too, with `leaf` for the rest."""

    def whole(part: expressions.Size) -> T | int:
        return part if isinstance(part, int) else expressions.reckoned(part, atom, apply)

    def atom(each: expressions.Atom) -> T:
        match each:
            case expressions.Quotient(dividend, divisor):
                return apply("//", whole(dividend), whole(divisor))
            case expressions.Larger(sizes) | expressions.Smaller(sizes):
                kind = "max" if isinstance(each, expressions.Larger) else "min"
                first, second, *rest = map(whole, sorted(sizes, key=str))
                return reduce(lambda a, b: apply(kind, a, b), rest, apply(kind, first, second))
            case _:
                return leaf(each)

    return whole(size)
