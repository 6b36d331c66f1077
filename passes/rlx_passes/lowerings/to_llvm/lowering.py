"""The walk over one function, and what its rules share."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue

from rlx_passes.core.errors import Refusal
from rlx_passes.lowerings.to_llvm.code import Code, Number
from rlx_passes.lowerings.to_llvm.relations import Relations
from rlx_passes.lowerings.to_llvm.types import POINTER
from rlx_passes.lowerings.to_llvm.views import Held, View, gather, part_types, spread
from rlx_passes.rewriting.conversion import placed

Rule = Callable[["Lowering", Any], None]
"""Writes the code of an op of the class it is listed under, and says what stands for its results."""


@dataclass
class Unit:
    """What the functions of a module share."""

    rules: Mapping[type[Operation], Rule]
    half: bool
    """Whether the chip has instructions between f16 and f32."""
    fma: bool
    """Whether it has one for a product and a sum that are rounded once."""
    relations: Relations
    functions: dict[str, Operation] = field(default_factory=dict[str, Operation])
    """What there is in the llvm dialect, by name."""
    kernels: dict[object, str] = field(default_factory=dict[object, str])
    """The names of kernels by what they do."""
    messages: list[str] = field(default_factory=list[str])
    """The texts of assertions; the number that one returns is its place here, counted from 1."""
    external: set[str] = field(default_factory=set[str])
    """The functions of the runtime that are called."""

    def number_of(self, message: StringAttr) -> int:
        if message.data not in self.messages:
            self.messages.append(message.data)
        return self.messages.index(message.data) + 1


@dataclass
class Lowering:
    """Writes `code` for the ops of a region; `values` says what stands for those of the program so far."""

    unit: Unit
    code: Code
    fail: Callable[["Lowering", SSAValue], None]
    """Leaves the function with the number of an assertion."""
    in_kernel: bool = False
    values: dict[SSAValue, Held] = field(default_factory=dict[SSAValue, Held])
    heap: list[tuple[SSAValue, bool]] = field(default_factory=list[tuple[SSAValue, bool]])
    """The buffers that were allocated on the way here, and whether they end with the region they were made in."""

    # Values.

    def of(self, value: SSAValue) -> Held:
        return self.values[value]

    def number(self, value: SSAValue) -> Number:
        """An index."""
        return cast("Number", self.values[value])

    def numbers(self, values: Iterable[SSAValue]) -> list[Number]:
        return [cast("Number", self.values[value]) for value in values]

    def ssa(self, value: SSAValue) -> SSAValue:
        """A scalar or vector."""
        return self.code.ssa(cast("Number", self.values[value]))

    def view(self, value: SSAValue) -> View:
        return cast("View", self.values[value])

    def set(self, value: SSAValue, held: Held) -> None:
        self.values[value] = held

    def spread(self, values: Sequence[SSAValue]) -> list[Number]:
        """What stands for `values` where they go to another block or function."""
        return [part for value in values for part in spread(self.code, self.values[value], value.type)]

    def bind(self, values: Sequence[SSAValue], parts: Iterable[SSAValue]) -> None:
        """The opposite: `parts`, which came from another block or function, stand for `values`."""
        rest = iter(parts)
        for value in values:
            self.values[value] = gather(self.code, value.type, rest)

    # The walk.

    def run(self, block: Block) -> Operation:
        """Write the ops of `block` but for its last, which is returned."""
        op = cast("Operation", block.first_op)
        while (following := op.next_op) is not None:
            self.lower(op)
            op = following
        return op

    def lower(self, op: Operation) -> None:
        """Write `op`. Raises `Refusal`, with its name and place, for one that has no form."""
        rule = self.unit.rules.get(type(op))
        try:
            if rule is None:
                raise Refusal("has no form in the llvm dialect")
            rule(self, op)
        except Refusal as fault:
            raise placed(fault, op) from fault

    def region(self, block: Block) -> list[Number]:
        """Write a region of the structured kind; what stands for the values that it ends with."""
        before = len(self.heap)
        last = self.run(block)
        parts = self.spread(last.operands)
        self.release(before)
        return parts

    def release(self, before: int) -> None:
        """Free what ends with a region, which began when `before` buffers were allocated."""
        for pointer, scoped in reversed(self.heap[before:]):
            if scoped:
                self.free(pointer)
        del self.heap[before:]

    # Memory of the heap.

    def allocate(self, size: Number, *, scoped: bool) -> SSAValue:
        """A new buffer of `size` bytes, aligned to 64."""
        self.unit.external.add("rlx_alloc")
        pointer = cast("SSAValue", self.code.call("rlx_alloc", [self.code.ssa(size)], POINTER))
        self.heap.append((pointer, scoped))
        return pointer

    def free(self, pointer: SSAValue) -> None:
        self.unit.external.add("rlx_free")
        self.code.call("rlx_free", [pointer])


def types_of(values: Iterable[SSAValue]) -> list[Attribute]:
    """The types of what stands for `values` in another block or function."""
    return [part for value in values for part in part_types(value.type)]
