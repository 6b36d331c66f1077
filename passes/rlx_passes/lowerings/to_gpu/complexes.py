"""Complex numbers in kernels: buffers of their parts, in turns, and two values wherever there was one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import cast

from xdsl.dialects import arith, complex, gpu, memref
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    FloatAttr,
    FunctionType,
    IndexType,
    IntegerAttr,
    MemRefType,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue

from rlx_passes.core.errors import Refusal
from rlx_passes.lowerings.to_gpu.inline_math import emit_math
from rlx_passes.lowerings.to_linalg.scalars import component, is_complex
from rlx_passes.lowerings.to_loops.complexes import Emit, Parts, expanded


def part_of(type_: Attribute) -> Attribute:
    """The type of both parts of complex numbers of `type_`; another type is its own."""
    return component(type_) if is_complex(type_) else type_


def buffer_of_parts(type_: MemRefType) -> MemRefType:
    """The type of a flat buffer by the parts of its elements; the same one where they are not complex."""
    element: Attribute = type_.element_type
    if not is_complex(element):
        return type_
    (size,) = type_.get_shape()
    return MemRefType(part_of(element), [DYNAMIC_INDEX if size == DYNAMIC_INDEX else 2 * size])


def split_complex(kernel: gpu.FuncOp) -> None:
    """
    Write `kernel` without complex numbers, in place; its buffers of them become buffers of parts.

    Raises `Refusal` for an op on complex numbers that has no form in parts.
    """
    if not any(_is_concerned(op) for op in kernel.walk()):
        return
    splitter = _Splitter()
    splitter.split(kernel.body.block)
    splitter.clean()
    for argument in list(kernel.body.block.args):
        type_: Attribute = argument.type
        if isinstance(type_, MemRefType):
            _retype(argument, buffer_of_parts(cast(MemRefType, type_)))
    kernel.function_type = FunctionType.from_lists([argument.type for argument in kernel.body.block.args], [])


def _retype(argument: SSAValue, type_: MemRefType) -> None:
    if argument.type == type_ or not isinstance(block := argument.owner, Block):
        return
    (place,) = (i for i, each in enumerate(block.args) if each is argument)
    argument.replace_all_uses_with(block.insert_arg(type_, place))
    block.erase_arg(block.args[place + 1])


def _is_concerned(op: Operation) -> bool:
    arguments = (argument for region in op.regions for block in region.blocks for argument in block.args)
    return any(is_complex(value.type) for value in (*op.operands, *op.results, *arguments))


class _Splitter:
    """What stands for each complex value of a kernel; the ops on these stay until all are known."""

    def __init__(self) -> None:
        self.parts: dict[SSAValue, Parts] = {}
        self._dead: list[Operation] = []

    def split(self, block: Block) -> None:
        """Put what works on parts in front of every op of `block`, and of the blocks inside."""
        for op in list(block.ops):
            new = op
            if _is_concerned(op):
                new = self._written(op, block)
                self._dead.append(op)
            for region in new.regions if new is not None else ():
                for inner in region.blocks:
                    self.split(inner)

    def clean(self) -> None:
        """Erase what was split."""
        for op in self._dead:
            op.detach()
            op.drop_all_references()
        for value in self.parts:
            if isinstance(block := value.owner, Block):
                block.erase_arg(next(argument for argument in block.args if argument is value))

    def _written(self, op: Operation, block: Block) -> Operation | None:
        """`op` on parts; the op that holds its regions now, if it has any."""

        def put(new: Operation) -> SSAValue:
            block.insert_op_before(new, op)
            return new.results[0] if new.results else new.operands[0]

        def emit(new: Operation) -> SSAValue:
            of_math = new.name.startswith("math.")
            return emit_math(new.name, list(new.operands), new.results[0].type, put) if of_math else put(new)

        if (rule := _RULES.get(type(op))) is not None:
            self.parts.update(zip(op.results, rule(op, self.parts, emit), strict=False))
            return None
        if op.name.startswith(("complex.", "arith.", "memref.")):
            raise Refusal(f"{op.name} on complex numbers has no device code")
        return self._rebuilt(op, block)

    def _rebuilt(self, op: Operation, block: Block) -> Operation:
        """An op of control flow that carries parts."""
        new = type(op).create(
            operands=[part for value in op.operands for part in self.parts.get(value, (value,))],
            result_types=[type_ for result in op.results for type_ in _flat(result.type)],
            properties=op.properties,
            attributes=op.attributes,
            regions=[op.detach_region(region) for region in list(op.regions)],
        )
        block.insert_op_before(new, op)
        self._pair(op.results, new.results)
        for inner in (each for region in new.regions for each in region.blocks):
            given = list(inner.args)
            for argument in given:
                if is_complex(argument.type):
                    part = part_of(argument.type)
                    first, second = (inner.insert_arg(part, argument.index + i) for i in (0, 1))
                    self.parts[argument] = first, second
        return new

    def _pair(self, old: Sequence[SSAValue], new: Sequence[SSAValue]) -> None:
        left = iter(new)
        for value in old:
            if is_complex(value.type):
                self.parts[value] = next(left), next(left)
            else:
                value.replace_all_uses_with(next(left))


def _flat(type_: Attribute) -> tuple[Attribute, ...]:
    return (part_of(type_),) * (2 if is_complex(type_) else 1)


Known = Mapping[SSAValue, Parts]
Rule = Callable[[Operation, Known, Emit], Sequence[Parts]]
"""The parts of an op's complex result, by those of its operands; none where it has none."""


def _places(indices: Sequence[SSAValue], emit: Emit) -> tuple[SSAValue, SSAValue]:
    (at,) = indices
    one, two = (emit(arith.ConstantOp(IntegerAttr(n, IndexType()))) for n in (1, 2))
    first = emit(arith.MuliOp(at, two))
    return first, emit(arith.AddiOp(first, one))


def _load(op: Operation, known: Known, emit: Emit) -> Sequence[Parts]:
    assert isinstance(op, memref.LoadOp)
    part = part_of(op.res.type)
    places = _places(list(op.indices), emit)
    first, second = (emit(memref.LoadOp.create(operands=[op.memref, at], result_types=[part])) for at in places)
    return [(first, second)]


def _store(op: Operation, known: Known, emit: Emit) -> Sequence[Parts]:
    assert isinstance(op, memref.StoreOp)
    for value, at in zip(known[op.value], _places(list(op.indices), emit), strict=True):
        emit(memref.StoreOp.create(operands=[value, op.memref, at]))
    return ()


def _constant(op: Operation, known: Known, emit: Emit) -> Sequence[Parts]:
    assert isinstance(op, complex.ConstantOp)
    values = cast("ArrayAttr[FloatAttr]", op.value)
    first, second = (emit(arith.ConstantOp(value)) for value in values)
    return [(first, second)]


def _create(op: Operation, known: Known, emit: Emit) -> Sequence[Parts]:
    assert isinstance(op, complex.CreateOp)
    return [(op.real, op.imaginary)]


def _part(number: int) -> Rule:
    def rule(op: Operation, known: Known, emit: Emit) -> Sequence[Parts]:
        op.results[0].replace_all_uses_with(known[op.operands[0]][number])
        return ()

    return rule


def _each(kind: type[Operation]) -> Rule:
    """Part by part; what is not complex is the same for both."""

    def rule(op: Operation, known: Known, emit: Emit) -> Sequence[Parts]:
        first, second = (
            emit(
                kind.create(
                    operands=[known[value][i] if value in known else value for value in op.operands],
                    result_types=[part_of(op.results[0].type)],
                    properties={"fastmath": arith.FastMathFlagsAttr("none")} if kind is not arith.SelectOp else {},
                )
            )
            for i in (0, 1)
        )
        return [(first, second)]

    return rule


def _compound(op: Operation, known: Known, emit: Emit) -> Sequence[Parts]:
    assert isinstance(op, complex.MulOp | complex.DivOp)
    return [expanded(op, known[op.lhs], known[op.rhs], emit)]


_RULES: Mapping[type[Operation], Rule] = {
    memref.LoadOp: _load,
    memref.StoreOp: _store,
    complex.ConstantOp: _constant,
    complex.CreateOp: _create,
    complex.ReOp: _part(0),
    complex.ImOp: _part(1),
    complex.AddOp: _each(arith.AddfOp),
    complex.SubOp: _each(arith.SubfOp),
    complex.NegOp: _each(arith.NegfOp),
    arith.SelectOp: _each(arith.SelectOp),
    complex.MulOp: _compound,
    complex.DivOp: _compound,
}
