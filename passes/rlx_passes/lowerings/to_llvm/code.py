"""Writing one function of the llvm dialect."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, cast

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
    i8,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue

from rlx_passes.dialects.llvm import FCmpOp, SelectOp, flag_type
from rlx_passes.lowerings.to_llvm.types import POINTER, element_of, is_vector, width_of

Number = int | SSAValue
"""An integer of 64 bits: itself where it is known."""

Parts = Sequence[Number]

EXACT = llvm.FastMathAttr(None)
WRAPS, NSW, NSW_NUW = (IntegerAttr(flags, i32) for flags in (0, 1, 3))
RELAXED = 2
"""The ordering of atomic accesses that says nothing of others."""

_SSA_INDEX = DenseArrayBase.from_list(i32, [llvm.GEP_USE_SSA_VAL])
_NO_WRAP, _UNIT, _NO_BUNDLES = IntegerAttr(0, i32), UnitAttr(), DenseArrayBase.from_list(i32, ())
_CCONV, _NO_TAIL = llvm.CallingConventionAttr("ccc"), llvm.TailCallKindAttr(llvm.TailCallKind.NONE)
_PLAIN, _UNORDERED = IntegerAttr(0, i64), IntegerAttr(RELAXED, i64)
_INTEGER_ORDER = {flag.value: IntegerAttr(flag.to_int(), i64) for flag in llvm.ICmpPredicateFlag}
_FLOAT_ORDER = {flag.value: IntegerAttr(flag.to_int(), i64) for flag in llvm.FCmpPredicateFlag}


@cache
def _indices(*numbers: int) -> DenseArrayBase[Any]:
    return DenseArrayBase.from_list(i32, list(numbers))


@cache
def _alignment(size: int) -> IntegerAttr[Any]:
    return IntegerAttr(size, i64)


class Code:
    """
    One function as it is written, op by op at the end of `block`.

    Constants stand once, in front; so does memory on the stack, which a loop therefore does not make again.
    """

    def __init__(self, name: str, arguments: Sequence[Attribute]):
        self.name = name
        self.first = self.block = Block(arg_types=arguments)
        self.blocks = [self.first]
        self.stack = 0
        """How many bytes of the stack are taken."""
        self._front: list[Operation] = []
        self._constants: dict[tuple[Attribute, Attribute], SSAValue] = {}
        self._integers: dict[tuple[int, Attribute], SSAValue] = {}
        self._addresses: dict[str, SSAValue] = {}

    def finish(self) -> list[Block]:
        """The blocks of the function, which is complete."""
        if (op := self.first.first_op) is not None:
            self.first.insert_ops_before(self._front, op)
        return self.blocks

    # Ops.

    def emit(
        self, op: type[Operation], operands: Sequence[SSAValue], type_: Attribute, **properties: Attribute
    ) -> SSAValue:
        """The result of a new op."""
        made = op.create(operands=operands, result_types=(type_,), properties=properties)
        self.block.add_op(made)
        return made.results[0]

    def act(self, op: type[Operation], operands: Sequence[SSAValue], **properties: Attribute) -> None:
        """A new op without a result."""
        self.block.add_op(op.create(operands=operands, properties=properties))

    def constant(self, value: Attribute, type_: Attribute) -> SSAValue:
        key = (value, type_)
        if (known := self._constants.get(key)) is None:
            op = llvm.ConstantOp.create(result_types=(type_,), properties={"value": value})
            self._front.append(op)
            known = self._constants[key] = op.results[0]
        return known

    def integer(self, value: int, type_: Attribute = i64) -> SSAValue:
        """An integer of a scalar or vector type; the bits of `value`, whichever its sign."""
        key = (value, type_)
        if (known := self._integers.get(key)) is None:
            known = self._integers[key] = self._integer(value, type_)
        return known

    def _integer(self, value: int, type_: Attribute) -> SSAValue:
        width = width_of(type_)
        value = (value + (1 << (width - 1))) % (1 << width) - (1 << (width - 1)) if width > 1 else value & 1
        attribute = IntegerAttr(value, cast("IntegerType", element_of(type_)), truncate_bits=True)
        return self._splat(attribute, type_)

    def floating(self, value: float, type_: Attribute) -> SSAValue:
        """A float of a scalar or vector type."""
        return self._splat(FloatAttr(value, cast("Any", element_of(type_))), type_)

    def _splat(self, value: "IntegerAttr[Any] | FloatAttr[Any]", type_: Attribute) -> SSAValue:
        if is_vector(type_):
            return self.constant(DenseIntOrFPElementsAttr.from_list(cast("Any", type_), [value.value.data]), type_)
        return self.constant(value, type_)

    def unary(self, op: type[Operation], value: SSAValue, type_: Attribute | None = None) -> SSAValue:
        """A conversion to `type_`, or an op that keeps the type."""
        return self.emit(op, (value,), value.type if type_ is None else type_)

    def binary(self, op: type[Operation], left: SSAValue, right: SSAValue | int) -> SSAValue:
        """An op on integers."""
        other = self.integer(right, left.type) if isinstance(right, int) else right
        return self.emit(op, (left, other), left.type)

    def float_binary(self, op: type[Operation], left: SSAValue, right: SSAValue, flags: Attribute = EXACT) -> SSAValue:
        return self.emit(op, (left, right), left.type, fastmathFlags=flags)

    def compare(self, order: str, left: SSAValue, right: SSAValue | int) -> SSAValue:
        """Integers compared."""
        other = self.integer(right, left.type) if isinstance(right, int) else right
        return self.emit(llvm.ICmpOp, (left, other), flag_type(left.type), predicate=_INTEGER_ORDER[order])

    def float_compare(self, order: str, left: SSAValue, right: SSAValue, flags: Attribute = EXACT) -> SSAValue:
        return self.emit(
            FCmpOp, (left, right), flag_type(left.type), predicate=_FLOAT_ORDER[order], fastmathFlags=flags
        )

    def select(self, condition: SSAValue, left: SSAValue, right: SSAValue, flags: Attribute = EXACT) -> SSAValue:
        return self.emit(SelectOp, (condition, left, right), left.type, fastmathFlags=flags)

    def intrinsic(
        self, name: str, operands: Sequence[SSAValue], type_: Attribute | None, flags: Attribute = EXACT
    ) -> SSAValue:
        """`name` is that of LLVM without the types that make it one function of many, which the printer adds."""
        op = llvm.CallIntrinsicOp.create(
            operands=operands,
            result_types=() if type_ is None else (type_,),
            properties={
                "intrin": StringAttr(f"llvm.{name}"),
                "fastmathFlags": flags,
                "op_bundle_sizes": _NO_BUNDLES,
                "operandSegmentSizes": _indices(len(operands), 0),
            },
        )
        self.block.add_op(op)
        return op.results[0] if type_ is not None else operands[0]

    def call(self, name: str, operands: Sequence[SSAValue], type_: Attribute | None = None) -> SSAValue | None:
        op = llvm.CallOp.create(
            operands=operands,
            result_types=() if type_ is None else (type_,),
            properties={
                "callee": SymbolRefAttr(name),
                "fastmathFlags": EXACT,
                "CConv": _CCONV,
                "op_bundle_sizes": _NO_BUNDLES,
                "TailCallKind": _NO_TAIL,
                "operandSegmentSizes": _indices(len(operands), 0),
            },
        )
        self.block.add_op(op)
        return op.results[0] if type_ is not None else None

    # Integers that may be known. They count elements of memory or rounds of loops, so they never wrap.

    def ssa(self, number: Number) -> SSAValue:
        return self.integer(number) if isinstance(number, int) else number

    def add(self, left: Number, right: Number) -> Number:
        if isinstance(left, int) and isinstance(right, int):
            return left + right
        if left == 0:
            return right
        if right == 0:
            return left
        return self.emit(llvm.AddOp, (self.ssa(left), self.ssa(right)), i64, overflowFlags=NSW)

    def multiply(self, left: Number, right: Number) -> Number:
        if isinstance(left, int) and isinstance(right, int):
            return left * right
        for one, other in ((left, right), (right, left)):
            if isinstance(one, int) and one in (0, 1):
                return other if one else 0
        return self.emit(llvm.MulOp, (self.ssa(left), self.ssa(right)), i64, overflowFlags=NSW)

    def product(self, numbers: Sequence[Number]) -> Number:
        result: Number = 1
        for number in numbers:
            result = self.multiply(result, number)
        return result

    def limited_product(self, known: int, numbers: Sequence[Number]) -> Number:
        """The product, or the largest or smallest integer where it is larger or smaller than that."""
        result: Number = known
        for number in numbers:
            if isinstance(result, int) and isinstance(number, int):
                result = result * number
            elif result == 1:
                result = number
            else:
                operands = (self.ssa(result), self.ssa(number), self.integer(0, i32))
                result = self.intrinsic("smul.fix.sat", operands, i64)
        return result

    # Memory.

    def pointer(self, base: SSAValue, index: Number, element: Attribute) -> SSAValue:
        """The address `index` elements after `base`, inside of the same buffer."""
        if index == 0:
            return base
        constant = isinstance(index, int) and -(2**31) < index < 2**31
        return self.emit(
            llvm.GEPOp,
            (base,) if constant else (base, self.ssa(index)),
            POINTER,
            rawConstantIndices=_indices(cast("int", index)) if constant else _SSA_INDEX,
            elem_type=element,
            noWrapFlags=_NO_WRAP,
            inbounds=_UNIT,
        )

    def member(self, base: SSAValue, position: int, struct: Attribute) -> SSAValue:
        """The address of a member of a struct."""
        return self.emit(
            llvm.GEPOp,
            (base,),
            POINTER,
            rawConstantIndices=_indices(0, position),
            elem_type=struct,
            noWrapFlags=_NO_WRAP,
            inbounds=_UNIT,
        )

    def load(self, pointer: SSAValue, type_: Attribute, alignment: int, *, shared: bool = False) -> SSAValue:
        """A value from memory; `shared` with threads that may write it meanwhile."""
        ordering = _UNORDERED if shared else _PLAIN
        return self.emit(llvm.LoadOp, (pointer,), type_, ordering=ordering, alignment=_alignment(alignment))

    def store(self, value: SSAValue, pointer: SSAValue, alignment: int, *, shared: bool = False) -> None:
        ordering = _UNORDERED if shared else _PLAIN
        self.act(llvm.StoreOp, (value, pointer), ordering=ordering, alignment=_alignment(alignment))

    def on_stack(self, size: int, alignment: int = 64) -> SSAValue:
        """Bytes on the stack, as long as the function runs."""
        self.stack += size
        return self.slot(llvm.LLVMArrayType(size, i8), alignment)

    def slot(self, type_: Attribute, alignment: int) -> SSAValue:
        """Memory for one value of `type_`, as long as the function runs."""
        op = llvm.AllocaOp.create(
            operands=(self.integer(1),),
            result_types=(POINTER,),
            properties={"elem_type": type_, "alignment": _alignment(alignment)},
        )
        self._front.append(op)
        return op.results[0]

    def address_of(self, name: str) -> SSAValue:
        """The address of a global or function."""
        if (known := self._addresses.get(name)) is None:
            op = llvm.AddressOfOp(name, POINTER)
            self._front.append(op)
            known = self._addresses[name] = op.result
        return known

    # Structs.

    def field(self, struct: SSAValue, position: int) -> SSAValue:
        type_ = cast("llvm.LLVMStructType", struct.type).types.data[position]
        return self.emit(llvm.ExtractValueOp, (struct,), type_, position=DenseArrayBase.from_list(i64, [position]))

    def with_field(self, struct: SSAValue, position: int, value: SSAValue) -> SSAValue:
        place = DenseArrayBase.from_list(i64, [position])
        return self.emit(llvm.InsertValueOp, (struct, value), struct.type, position=place)

    # Blocks.

    def new_block(self, types: Sequence[Attribute] = ()) -> Block:
        """A block that no op goes to yet, after those before it."""
        block = Block(arg_types=types)
        self.blocks.append(block)
        return block

    def place(self, block: Block) -> None:
        """Go on writing in `block`, as the last of the function so far."""
        self.blocks.remove(block)
        self.blocks.append(block)
        self.block = block

    def go(self, block: Block, values: Parts = ()) -> None:
        operands = [self.ssa(value) for value in values]
        self.block.add_op(llvm.BrOp.create(operands=operands, successors=[block]))

    def branch(self, condition: SSAValue, yes: Block, no: Block, values: Parts = ()) -> None:
        """To `yes`, or with `values` to `no`."""
        operands = [condition, *(self.ssa(value) for value in values)]
        sizes = _indices(1, 0, len(values))
        self.block.add_op(
            llvm.CondBrOp.create(operands=operands, successors=[yes, no], properties={"operandSegmentSizes": sizes})
        )

    def loop(
        self,
        lower: Number,
        upper: Number,
        step: Number,
        carried: Parts = (),
        types: Sequence[Attribute] = (),
        *,
        natural: bool = False,
    ) -> "Loop":
        """
        Begin a loop of rounds with an index from `lower` below `upper`, and values that are carried over.

        `natural` says that `lower` is not negative where that is not known.
        """
        header, body, after = self.new_block((i64, *types)), self.new_block(), self.new_block()
        self.go(header, (lower, *carried))
        self.block = header
        self.branch(self.compare("slt", header.args[0], self.ssa(upper)), body, after)
        self.block = body
        wrap = NSW_NUW if natural or (isinstance(lower, int) and lower >= 0) else NSW
        return Loop(self, header, after, self.ssa(step), wrap)

    def leave(self, value: SSAValue | None = None) -> None:
        self.block.add_op(llvm.ReturnOp.create(operands=[] if value is None else [value]))

    def unless(self, condition: SSAValue) -> Block:
        """Goes on where `condition` is true; the block for where it is not, whose ops the caller writes."""
        here, other = self.new_block(), self.new_block()
        self.branch(condition, here, other)
        self.block = here
        return other


@dataclass(frozen=True)
class Loop:
    """A loop that is being written."""

    code: Code
    header: Block
    after: Block
    step: SSAValue
    wrap: Attribute

    @property
    def index(self) -> SSAValue:
        return self.header.args[0]

    @property
    def carried(self) -> Sequence[SSAValue]:
        """The values carried over, in a round and after the last."""
        return self.header.args[1:]

    def end(self, carried: Parts = ()) -> None:
        """Go on to the next round with `carried`; what is written next comes after the loop."""
        following = self.code.emit(llvm.AddOp, (self.index, self.step), i64, overflowFlags=self.wrap)
        self.code.go(self.header, (following, *carried))
        self.code.place(self.after)
