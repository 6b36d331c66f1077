"""
The emitter of this lowering, which knows sizes that only a run knows.

While a program is converted, the types of converted values hold such sizes as expressions over the axes of others
(`rlx_dialect.dims`), so that rules reckon with all sizes alike. `settle` writes them as `?` in the end.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar, cast

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import IndexType, IntegerAttr, TensorType, i32
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from rlx_dialect import dims as expressions
from rlx_dialect.constants import dense
from rlx_dialect.decompose import decompose
from rlx_dialect.dims import AxisSize, Dim, IndexSize, Size
from rlx_dialect.known_sizes import KnownSizes, is_open, named_sizes, own_sizes
from rlx_dialect.ops import RlxOp
from rlx_dialect.shapes import DYNAMIC, Dims, Shaped, same_but_for_sizes, shaped
from rlx_dialect.xdsl_repairs import retype
from rlx_passes.core.errors import Refusal
from rlx_passes.dialects.stablehlo.data_movement import ConcatenateOp, ConstantOp, ReshapeOp, SliceOp
from rlx_passes.dialects.stablehlo.dynamism import DynamicReshapeOp, GetDimensionSizeOp
from rlx_passes.dialects.stablehlo.elementwise_binary import (
    AddOp,
    DivideOp,
    MaximumOp,
    MinimumOp,
    MultiplyOp,
    SubtractOp,
)
from rlx_passes.dialects.stablehlo.elementwise_unary import ConvertOp
from rlx_passes.lowerings.to_linalg.sizes import reckoned_to_the_end
from rlx_passes.rewriting.conversion import Advice, Emitter, placed

OpT = TypeVar("OpT", bound=Operation)

NUMBER = Shaped((), i32)
"""What a size is in StableHLO, which gives that of an axis as one."""

_OPERATORS = {
    "+": AddOp,
    "-": SubtractOp,
    "*": MultiplyOp,
    "//": DivideOp,
    "max": MaximumOp,
    "min": MinimumOp,
}
_INDEX_OPS: dict[type[Operation], str] = {
    arith.AddiOp: "+",
    arith.SubiOp: "-",
    arith.MuliOp: "*",
    arith.DivUIOp: "//",
    arith.DivSIOp: "//",
    arith.MaxSIOp: "max",
    arith.MaxUIOp: "max",
    arith.MinSIOp: "min",
    arith.MinUIOp: "min",
}


def sized(value: SSAValue) -> Shaped:
    """Dims and element type of a value, with expressions for the dims that only a run knows."""
    found = shaped(value)
    return Shaped(cast("Dims", KnownSizes().of(value)), found.element) if is_open(value) else found


def told(result: SSAValue) -> Shaped:
    """`sized`, with `?` for what nobody knows before the op has run."""
    found = sized(result)
    return found.with_dims(
        DYNAMIC if size == Dim.of(AxisSize(result, axis)) else size for axis, size in enumerate(found.dims)
    )


def erased(type: Attribute) -> Attribute:
    """A type with `?` for dims that only a run knows."""
    if not isinstance(type, TensorType):
        return type
    found = Shaped(*_parts(cast("TensorType[Attribute]", type)))
    return found.with_dims(DYNAMIC if isinstance(size, Dim) else size for size in found.dims).type


def _of_sizes(op: Operation) -> bool:
    """Whether an op makes numbers outside of tensors, which only sizes are."""
    of_numbers = op.name.partition(".")[0] in ("arith", "tensor") and bool(op.results)
    return of_numbers and not any(isinstance(result.type, TensorType) for result in op.results)


@dataclass
class StableEmitter(Emitter):
    """Builds StableHLO; numbers and shapes are made once in a block, those of loops inside, where XLA wants bounds."""

    _numbers: dict[Size, SSAValue] = field(default_factory=dict[Size, SSAValue], init=False)
    _shapes: dict[tuple[Size, ...], SSAValue] = field(default_factory=dict[tuple[Size, ...], SSAValue], init=False)

    def add(self, op: OpT) -> OpT:
        super().add(op)
        for result in op.results:
            name_sizes(result)
        return op

    def __call__(self, op: Operation) -> SSAValue:
        return self.add(op).results[0]

    # Sizes as values.

    def number(self, size: Size) -> SSAValue:
        """A size as an i32 of rank 0."""
        if size not in self._numbers:
            self._numbers[size] = self._as_number(reckoned_to_the_end(size, self._atom, self._apply))
        return self._numbers[size]

    def shape(self, dims: Sequence[Size]) -> SSAValue:
        """Sizes as a vector of i32."""
        import numpy as np

        key = tuple(dims)
        if key not in self._shapes:
            if all(isinstance(size, int) for size in key):
                made = self(ConstantOp(dense(Shaped((len(key),), i32).type, np.array(key, dtype=np.int32))))
            else:
                row = Shaped((1,), i32).type
                parts = [self(ReshapeOp(self.number(size), row)) for size in key]
                made = parts[0] if len(parts) == 1 else self(ConcatenateOp(parts, 0, Shaped((len(parts),), i32).type))
            self._shapes[key] = made
        return self._shapes[key]

    def _as_number(self, value: SSAValue | int) -> SSAValue:
        import numpy as np

        if isinstance(value, SSAValue):
            return value
        return self(ConstantOp(dense(NUMBER.type, np.array(value, dtype=np.int32))))

    def _apply(self, operator: str, a: SSAValue | int, b: SSAValue | int) -> SSAValue:
        return self(_OPERATORS[operator](self._as_number(a), self._as_number(b)))

    def _atom(self, atom: expressions.Atom) -> SSAValue:
        match atom:
            case AxisSize(value, axis) if not isinstance(value.owner, RlxOp) and self._sees(value):
                size = GetDimensionSizeOp.create(
                    operands=[value],
                    properties={"dimension": IntegerAttr(axis, 64)},
                    result_types=[NUMBER.type],
                )
                return self(size)
            case IndexSize(value):
                return self._index(value)
            case _:
                raise Refusal("has a size that is only known at run time", "make its sizes static")

    def _sees(self, value: SSAValue) -> bool:
        """Whether a value stands in this block or one around it."""
        home, block = value.owner if isinstance(value.owner, Block) else value.owner.parent, self.block
        while block is not home:
            around = block.parent_op()
            if around is None:
                # A body is put into its op once it is done: values that it sees are arguments or stand in a block.
                return home is not None
            if around.parent is None:
                return False
            block = around.parent
        return True

    def scalar(self, value: SSAValue) -> SSAValue:
        """A number of the program outside of tensors, which is a size or an element, in rank 0."""
        if isinstance(value.type, IndexType):
            return self.number(KnownSizes().index(value))
        match value.owner:
            case arith.IndexCastOp() as op:
                return self.scalar(op.input)
            case tensor.ExtractOp() as op:
                return self._element(op)
            case _:
                raise Refusal("has a size that is only known at run time", "make its sizes static")

    def _index(self, value: SSAValue) -> SSAValue:
        """An index value of which nobody knows more, as an i32."""
        match value.owner:
            case arith.ConstantOp(value=IntegerAttr() as number):
                return self._as_number(number.value.data)
            case arith.IndexCastOp() as op:
                read = self.scalar(op.input)
                return read if shaped(read).element == i32 else self(ConvertOp(read, NUMBER.type))
            case Operation() as op if type(op) in _INDEX_OPS:
                return self._apply(_INDEX_OPS[type(op)], *map(self.scalar, op.operands))
            case _:
                raise Refusal("has a size that is only known at run time", "make its sizes static")

    def _element(self, op: tensor.ExtractOp) -> SSAValue:
        known = KnownSizes()
        places = [known.index(index) for index in op.indices]
        if not places:
            return op.tensor
        if not all(isinstance(place, int) for place in places):
            raise Refusal("has a size that is only known at run time", "make its sizes static")
        starts = cast("list[int]", places)
        one = self(SliceOp(op.tensor, starts, [place + 1 for place in starts]))
        return self(ReshapeOp(one, Shaped((), shaped(one).element).type))

    # The driver.

    def fitted(self, value: SSAValue, declared: Attribute, *, new: bool) -> SSAValue:
        """A size that the declared type alone knows is taken over; what is known besides is not forgotten."""
        if new:
            known = (own if size == DYNAMIC else size for own, size in zip(shaped(value).dims, _parts(declared)[0]))
            retype(value, Shaped(tuple(known), shaped(value).element).type)
        return value

    def as_type(self, value: SSAValue, type: Attribute) -> SSAValue:
        """`value` with a type that differs in how much it knows of sizes."""
        if erased(value.type) == erased(type):
            return value
        wanted = Shaped(*_parts(erased(type)))
        if not same_but_for_sizes(erased(value.type), wanted.type):
            raise Refusal(f"gives {erased(value.type)} where {wanted.type} is declared")
        return self(
            DynamicReshapeOp.create(operands=[value, self.shape(shaped(value).dims)], result_types=[wanted.type])
        )

    def keep(self, op: Operation) -> None:
        if isinstance(op, FuncOp) and op.body.blocks:
            for argument, sizes in zip(op.args, _of_arguments(op)):
                if is_open(argument):
                    retype(argument, Shaped(cast("Dims", sizes), shaped(argument).element).type)
        for result in op.results:
            name_sizes(result)
        if isinstance(op, ReturnOp) and isinstance(func := self.block.parent_op(), FuncOp):
            op.operands = [self.as_type(*pair) for pair in zip(op.operands, func.function_type.outputs)]
        super().keep(op)

    def _ruled(self, op: Operation) -> Sequence[SSAValue] | None:
        return None if _of_sizes(op) else super()._ruled(op)

    def plain(self, op: Operation) -> Sequence[SSAValue] | None:
        """Plain forms are made from types: of `?`, and then of what stands for the operands."""
        block, given = Block(), dict[SSAValue, SSAValue]()
        for operand in dict.fromkeys(op.operands):
            if isinstance(operand.type, TensorType):
                given[operand] = block.insert_arg(erased(shaped(operand).type), len(block.args))
        copy = op.clone(given)
        parts = decompose(copy, wide=True)
        if parts is None:
            copy.drop_all_references()
            return None
        back = {argument: operand for operand, argument in given.items()}
        for argument, operand in back.items():
            argument.replace_all_uses_with(operand)
        made: dict[SSAValue, SSAValue] = {
            old: new for part in parts.ops for old, new in zip(part.results, self.lower(part))
        }
        copy.drop_all_references()
        return [made.get(value) or back.get(value) or value for value in parts.results]


def _parts(type: Attribute) -> tuple[Dims, Attribute]:
    tensor = cast("TensorType[Attribute]", type)
    return tensor.get_shape(), tensor.element_type


def _of_arguments(func: FuncOp) -> Sequence[Sequence[Size]]:
    """The sizes of the arguments of a function; those that other types say are left to what checks a call."""
    try:
        named = named_sizes(func)
    except ValueError:
        return [own_sizes(argument) for argument in func.args]
    return [
        tuple(alone if isinstance(alone, int) or isinstance(size, int) else size for alone, size in zip(own, sizes))
        for own, sizes in zip(map(own_sizes, func.args), named)
    ]


def name_sizes(value: SSAValue) -> None:
    """Each size of `value` that nothing is known of becomes its own name."""
    if is_open(value):
        retype(value, Shaped(cast("Dims", own_sizes(value)), shaped(value).element).type)


def settle(root: Operation, advice: Advice) -> None:
    """Write `?` for sizes that only a run knows, and take out what only they were made of. Raises `Refusal`."""
    for op in reversed(list(root.walk())):
        if _of_sizes(op) and not any(result.uses for result in op.results):
            op.detach()
            op.erase()
    for op in root.walk():
        for region in op.regions:
            for block in region.blocks:
                for argument in block.args:
                    retype(argument, erased(argument.type))
        if _of_sizes(op):
            known = isinstance(op, arith.ConstantOp) and not isinstance(op.result.type, IndexType)
            reason = f"is no dense tensor, but {op.results[0].type}" if known else "has no form in StableHLO"
            raise placed(Refusal(reason), op, advice)
        for result in op.results:
            retype(result, erased(result.type))
