"""
`scf.parallel` as kernels: functions that run some of the rounds, and that the runtime calls on its threads.

    void @kernel(ptr env, i64 from, i64 to)

`env` is a struct of what the rounds read from outside. The rounds are in a function of their own, whose pointers are
arguments and therefore may be marked as pointing to separate memory, which lets LLVM use vectors. Kernels that do the
same are one.
"""

from collections.abc import Sequence
from typing import cast

from xdsl.dialects import cf, llvm, scf
from xdsl.dialects.builtin import IntegerAttr, MemRefType, i8, i32, i64
from xdsl.dialects.func import CallOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from rlx_passes.core.errors import Refusal
from rlx_passes.lowerings.to_llvm.code import Code, Number
from rlx_passes.lowerings.to_llvm.control import fail_unless
from rlx_passes.lowerings.to_llvm.functions import function
from rlx_passes.lowerings.to_llvm.lowering import Lowering, Rule, Unit
from rlx_passes.lowerings.to_llvm.origins import Piece, overlap, pieces_of
from rlx_passes.lowerings.to_llvm.types import POINTER
from rlx_passes.lowerings.to_llvm.views import Held, View


def _parallel(low: Lowering, op: scf.ParallelOp) -> None:
    if len(op.lowerBound) != 1 or op.initVals or low.number(op.lowerBound[0]) != 0 or low.number(op.step[0]) != 1:
        raise Refusal("has more than one dim, results, or an index that does not count 0, 1, ..")
    if low.in_kernel:
        raise Refusal("stands inside of another")
    code, unit = low.code, low.unit
    count = low.number(op.upperBound[0])
    captures = _Captures(low, op)
    status = None
    if _may_fail(op, unit):
        status = code.slot(i32, 4)
        code.store(code.integer(0, i32), status, 4)
        captures.take(status)
    kernel = _kernel(low, op, captures, fallible=status is not None)
    environment = code.slot(llvm.LLVMStructType.from_type_list([each.type for each in captures.given]), 8)
    struct = llvm.LLVMStructType.from_type_list([each.type for each in captures.given])
    for position, value in enumerate(captures.given):
        code.store(value, code.member(environment, position, struct), _alignment(value.type))
    grain = cast("IntegerAttr | None", op.attributes.get("grain"))
    rounds = code.integer(grain.value.data if grain is not None else 1)
    unit.external.add("rlx_parallel")
    code.call("rlx_parallel", [code.address_of(kernel), environment, code.ssa(count), rounds])
    if status is not None:
        number = code.load(status, i32, 4)
        fail_unless(low, code.compare("eq", number, 0), number)


def _may_fail(op: Operation, unit: Unit) -> bool:
    fallible = unit.relations.fallible
    return any(
        isinstance(each, cf.AssertOp) or (isinstance(each, CallOp) and each.callee.string_value() in fallible)
        for each in op.walk()
    )


def _alignment(type_: Attribute) -> int:
    """A bound of it, for a member of a struct: smaller ones cost nothing here."""
    return 8 if type_ in (POINTER, i64) else 1


class _Captures:
    """What the rounds read from outside: given by the caller, and taken by the function with the rounds."""

    def __init__(self, low: Lowering, op: scf.ParallelOp):
        self.given: list[SSAValue] = []
        self.alone: list[bool] = []
        self._places: dict[SSAValue, int] = {}
        self._apart: dict[SSAValue, tuple[SSAValue, int]] = {}
        """Pointers by one that is taken, and how many bytes they lie after it."""
        self.values: dict[SSAValue, Held] = {}
        """What stands outside for the values of the program that are read."""
        inside: set[SSAValue] = set()
        for each in op.walk():
            inside.update(each.results)
            for region in each.regions:
                for block in region.blocks:
                    inside.update(block.args)
            for operand in each.operands:
                if operand not in inside and each is not op:
                    self.values[operand] = low.of(operand)
        self._share(low)
        for value, held in self.values.items():
            if not isinstance(value.type, MemRefType):
                self._take_all(held)

    def _share(self, low: Lowering) -> None:
        """
        Take the memrefs. Those that may have memory in common and one pointer are given as that, which is then alone.
        """
        code = low.code
        groups: list[tuple[list[SSAValue], frozenset[Piece]]] = []
        memrefs = [value for value in self.values if isinstance(value.type, MemRefType)]
        for value in memrefs:
            pieces = pieces_of(value, low.unit.relations.shared)
            members = [value]
            others: list[tuple[list[SSAValue], frozenset[Piece]]] = []
            for group in groups:
                if overlap(pieces, group[1]):
                    members, pieces = [*group[0], *members], pieces | group[1]
                else:
                    others.append(group)
            groups = [*others, (members, pieces)]
        for members, _ in groups:
            if len(members) == 1:
                view = cast("View", self.values[members[0]])
                view = View(view.start(code), 0, view.sizes, view.strides, view.element)
                self.values[members[0]] = view
            self._point([cast("View", self.values[each]).pointer for each in members], code)
        for value in memrefs:
            view = cast("View", self.values[value])
            for number in (view.offset, *view.sizes, *view.strides):
                self._take_all(number)

    def _point(self, pointers: Sequence[SSAValue], code: Code) -> None:
        """Take pointers to memory that may be the same: where they are known bytes apart, the first of them."""
        places = {pointer: _place(pointer) for pointer in pointers}
        base, first = min(places.values(), key=lambda place: place[1])
        if isinstance(base.owner, llvm.AddressOfOp):
            return
        if any(other is not base for other, _ in places.values()):
            for pointer in pointers:
                self.take(pointer)
            return
        given = code.pointer(base, first, i8)
        self.take(given, alone=True)
        for pointer, (_, place) in places.items():
            self._apart[pointer] = (given, place - first)

    def _take_all(self, held: Held) -> None:
        for each in held if isinstance(held, tuple) else (held,):
            if isinstance(each, SSAValue) and not isinstance(each.owner, llvm.ConstantOp | llvm.AddressOfOp):
                self.take(each)

    def take(self, value: SSAValue, *, alone: bool = False) -> None:
        if value not in self._places:
            self._places[value] = len(self.given)
            self.given.append(value)
            self.alone.append(alone)

    def inside(self, code: Code, arguments: Sequence[SSAValue]) -> dict[SSAValue, Held]:
        """What stands for the values of the program in the function `code`, whose `arguments` are what is taken."""

        pointers: dict[SSAValue, SSAValue] = {
            pointer: code.pointer(arguments[self._places[given]], distance, i8)
            for pointer, (given, distance) in self._apart.items()
        }

        def one(value: SSAValue) -> SSAValue:
            owner = value.owner
            if value in pointers:
                return pointers[value]
            if isinstance(owner, llvm.ConstantOp):
                return code.constant(owner.value, value.type)
            if isinstance(owner, llvm.AddressOfOp):
                return code.address_of(owner.global_name.string_value())
            return arguments[self._places[value]]

        def number(value: Number) -> Number:
            return value if isinstance(value, int) else one(value)

        def held(value: Held) -> Held:
            if isinstance(value, View):
                sizes, strides = tuple(map(number, value.sizes)), tuple(map(number, value.strides))
                return View(one(value.pointer), number(value.offset), sizes, strides, value.element)
            return (one(value[0]), one(value[1])) if isinstance(value, tuple) else number(value)

        return {value: held(given) for value, given in self.values.items()}


def _place(pointer: SSAValue) -> tuple[SSAValue, int]:
    """The pointer that `pointer` lies a known number of bytes after."""
    op = pointer.owner
    if isinstance(op, llvm.GEPOp) and op.elem_type == i8 and not op.ssa_indices:
        return op.ptr, op.rawConstantIndices.get_values()[0]
    return pointer, 0


def _kernel(low: Lowering, op: scf.ParallelOp, captures: _Captures, *, fallible: bool) -> str:
    """The name of the kernel of `op`, which may be one that there is already."""
    unit = low.unit
    types = [each.type for each in captures.given]
    name = f"{low.code.name.removesuffix('.body')}_kernel_{len(unit.kernels)}"
    rounds = _rounds(low, op, captures, name, fallible=fallible)
    key = fingerprint(rounds)
    if (known := unit.kernels.get(key)) is not None:
        return known
    unit.kernels[key] = name
    unit.functions[f"{name}.body"] = rounds
    code = Code(name, [POINTER, i64, i64])
    environment, first, end = code.first.args
    struct = llvm.LLVMStructType.from_type_list(types)
    values = [
        code.load(code.member(environment, position, struct), type_, _alignment(type_))
        for position, type_ in enumerate(types)
    ]
    code.call(f"{name}.body", [first, end, *values])
    code.leave()
    unit.functions[name] = function(name, code.finish(), None)
    return name


def _rounds(low: Lowering, op: scf.ParallelOp, captures: _Captures, name: str, *, fallible: bool) -> llvm.FuncOp:
    code = Code(f"{name}.body", [i64, i64, *(each.type for each in captures.given)])
    first, end, *arguments = code.first.args

    def fail(inner: Lowering, number: SSAValue) -> None:
        inner.code.store(number, arguments[-1], 4, shared=True)
        inner.code.leave()

    inner = Lowering(low.unit, code, fail, in_kernel=True, values=captures.inside(code, arguments))
    loop = code.loop(first, end, 1, natural=True)
    body = op.body.block
    inner.set(body.args[0], loop.index)
    inner.run(body)
    inner.release(0)
    loop.end()
    code.leave()
    return function(code.name, code.finish(), None, alone=[False, False, *captures.alone], inline=False)


def fingerprint(op: llvm.FuncOp) -> object:
    """What is equal for functions that do the same, whatever their names."""
    numbers: dict[SSAValue | Block, int] = {}
    told: list[object] = [op.function_type, op.arg_attrs]
    for block in op.body.blocks:
        for each in (block, *block.args, *(result for inner in block.ops for result in inner.results)):
            numbers[each] = len(numbers)
    for block in op.body.blocks:
        told.append(tuple(argument.type for argument in block.args))
        for each in block.ops:
            told.append(type(each))
            told.append(tuple(numbers[operand] for operand in each.operands))
            told.append(tuple(numbers[successor] for successor in each.successors))
            told.append(tuple(result.type for result in each.results))
            told.append(tuple(each.properties.values()))
    return tuple(told)


RULES: dict[type[Operation], Rule] = {scf.ParallelOp: _parallel}
