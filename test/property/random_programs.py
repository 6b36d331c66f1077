"""
Random programs for the fusions: a few values of fitting dims, and pieces around each pattern no two quite alike.

Everything comes from one NumPy generator, so that a seed says it all. A program is small on purpose: its sizes are 1 to
4 where a pattern does not want more.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import FunctionType, ModuleOp, TensorType, i1
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, OpResult, Region, SSAValue
from xdsl.transforms.dead_code_elimination import is_trivially_dead

from rlx_dialect.attributes import Activation, BinaryKind
from rlx_dialect.constants import splat
from rlx_dialect.dtypes import element_type
from rlx_dialect.ops import ActivationOp, BinaryOp, ExpandOp, ReshapeOp
from rlx_dialect.shapes import DYNAMIC, Dims, Shaped, ShapeError, shaped

FLOATS = ("f32", "f16", "bf16", "f64")
TAME = tuple(
    Activation[name]
    for name in ("GELU", "GELU_APPROX", "SILU", "RELU", "SIGMOID", "TANH", "SIN", "ABS", "NEG", "ATAN", "MISH", "ELU")
)
"""Activations that neither blow up nor jump, so that a rounding before them stays one."""

T = TypeVar("T")
Piece = Callable[["Program"], None]


class Program:
    """A function in the making. `rows` are the leading dims of its values, `width` their last one."""

    def __init__(self, rng: np.random.Generator):
        self.rng = rng
        self.block = Block()
        self.dtype = str(rng.choice(FLOATS, p=(0.7, 0.1, 0.1, 0.1)))
        self.element: Attribute = element_type(self.dtype)
        self.rows: Dims = [(4,), (2, 3), (1, 3), (2, 1), (2, 2, 2)][rng.choice(5, p=(0.3, 0.4, 0.1, 0.1, 0.1))]
        self.width = int(rng.choice((4, 8, 3, 1), p=(0.5, 0.35, 0.1, 0.05)))
        self.dynamic = rng.random() < 0.1
        if self.dynamic:
            self.rows = tuple(3 if i == 0 else d for i, d in enumerate(self.rows))
        self.pool: list[SSAValue] = []
        """Values that pieces made, for later ones to read."""

    # Choices

    def chance(self, probability: float) -> bool:
        return bool(self.rng.random() < probability)

    def pick(self, *choices: int) -> int:
        return choices[int(self.rng.integers(len(choices)))]

    def one_of(self, choices: Sequence[T]) -> T:
        return choices[int(self.rng.integers(len(choices)))]

    # Values

    def argument(self, dims: Sequence[int], element: Attribute | None = None) -> SSAValue:
        """A new argument; under dynamic dims its first one is open where it is the program's."""
        shape = tuple(dims)
        if self.dynamic and len(shape) > 1 and shape[0] == 3 and len(shape) == len(self.rows) + 1:
            shape = (DYNAMIC, *shape[1:])
        return self.block.insert_arg(TensorType(element or self.element, shape), len(self.block.args))

    def value(self) -> SSAValue:
        """A value of the program's dims: one that a piece made, or a new argument."""
        dims = (*self.rows, self.width)
        fitting = [value for value in self.pool if self.fits(value, dims)]
        return self.one_of(fitting) if fitting and self.chance(0.6) else self.argument(dims)

    def fits(self, value: SSAValue, dims: Dims) -> bool:
        there = shaped(value)
        same = all(a == b or (a == DYNAMIC and b == 3) for a, b in zip(there.dims, dims))
        return there.element == self.element and len(there.dims) == len(dims) and same

    def constant(self, dims: Sequence[int], number: float) -> SSAValue:
        if DYNAMIC in dims:
            return self.argument(dims)
        return self.emit(ConstantOp(splat(Shaped(tuple(dims), self.element).type, number)))

    def vector(self, size: int, number: float = 0.0, plain: float = 0.3) -> SSAValue:
        """A vector: an argument, or with probability `plain` a constant of `number`."""
        return self.constant((size,), number) if self.chance(plain) else self.argument((size,))

    # Ops

    def emit(self, op: Operation) -> OpResult:
        self.block.add_op(op)
        return op.results[0]

    def keep(self, value: SSAValue) -> None:
        self.pool.append(value)

    def binary(self, kind: BinaryKind, lhs: SSAValue, rhs: SSAValue) -> OpResult:
        """Either way round where the kind allows it."""
        if kind in (BinaryKind.ADD, BinaryKind.MUL, BinaryKind.MAX, BinaryKind.MIN) and self.chance(0.5):
            lhs, rhs = rhs, lhs
        return self.emit(BinaryOp(kind, lhs, rhs))

    def add(self, lhs: SSAValue, rhs: SSAValue) -> OpResult:
        return self.binary(BinaryKind.ADD, lhs, rhs)

    def mul(self, lhs: SSAValue, rhs: SSAValue) -> OpResult:
        return self.binary(BinaryKind.MUL, lhs, rhs)

    def activation(self, value: SSAValue, *kinds: Activation) -> OpResult:
        return self.emit(ActivationOp(self.one_of(kinds or TAME), value))

    def broadcast_form(self, dims: Sequence[int]) -> SSAValue:
        """A value that broadcasts to `dims`, in one of the ways in which exporters write that."""
        dims = tuple(dims)
        form = int(self.rng.integers(8))
        if form == 0:
            return self.argument(dims)
        if form == 1:
            return self.argument(())
        if form == 2:
            return self.argument((1,) * len(dims))
        if form == 3:
            return self.argument((1,) * (len(dims) - 1) + dims[-1:])
        if form == 4:
            kept = [d if self.chance(0.5) else 1 for d in dims]
            return self.argument(kept)
        if form == 5 and DYNAMIC not in dims:
            return self.emit(ExpandOp(self.argument(dims[-1:]), dims))
        if form == 6:
            return self.emit(
                ReshapeOp(self.argument(dims[-1:]), (1,) * self.pick(1, len(dims) - 1, len(dims)) + dims[-1:])
            )
        return self.argument(dims[-1:])

    def maybe_read(self, *values: SSAValue, probability: float = 0.08) -> None:
        """Now and then another reader of an inner value, live or dead."""
        for value in values:
            if self.chance(probability):
                other = self.activation(value)
                if self.chance(0.7):
                    self.keep(other)
            elif self.chance(probability):
                self.keep(value)

    # The whole

    def attempt(self, piece: Piece) -> None:
        """Let `piece` add its ops; what it made before a shape stopped it stays, as dead code may."""
        try:
            piece(self)
        except ShapeError:
            return

    def function(self, name: str) -> FuncOp:
        """The function: some of the values are returned, and the ops are in a random legal order."""
        results = [value for value in self.pool if self.chance(0.35)] or self.pool[-1:]
        if len(results) > 1 and self.chance(0.2):
            results.append(results[0])
        if self.chance(0.4):
            shuffle(self.block, self.rng)
        self.block.add_op(ReturnOp(*results))
        if self.chance(0.7):
            sweep(self.block)
        types = FunctionType.from_lists([arg.type for arg in self.block.args], [value.type for value in results])
        return FuncOp(name, types, Region(self.block))


def shuffle(block: Block, rng: np.random.Generator) -> None:
    """Bring the ops of a block into a random order in which every value is still defined before it is read."""
    ops = list(block.ops)
    inside = set(ops)
    waits = {
        op: {operand.owner for part in op.walk() for operand in part.operands if operand.owner in inside} - {op}
        for op in ops
    }
    ready = [op for op in ops if not waits[op]]
    order: list[Operation] = []
    while ready:
        op = ready.pop(int(rng.integers(len(ready))))
        order.append(op)
        for other, needs in waits.items():
            if op in needs:
                needs.discard(op)
                if not needs:
                    ready.append(other)
    for op in ops:
        op.detach()
    block.add_ops(order)


def sweep(block: Block) -> None:
    """Erase the dead ops of a block."""
    for op in reversed(list(block.ops)):
        if op.results and is_trivially_dead(op):
            op.detach()
            op.erase()


def truth(program: Program, dims: Sequence[int]) -> SSAValue:
    """An argument of truth values."""
    return program.argument(dims, i1)


def make_program(seed: int, pieces: Sequence[Piece], name: str = "f", *, large: bool | None = None) -> FuncOp:
    """The function of a seed: 1 to 3 pieces, one in fifty programs 20 to 50 of them. Verified by whoever uses it."""
    rng = np.random.default_rng(seed)
    program = Program(rng)
    is_large = rng.random() < 0.02 if large is None else large
    for _ in range(int(rng.integers(20, 51) if is_large else rng.integers(1, 4))):
        program.attempt(program.one_of(pieces))
    if not program.pool:
        program.keep(program.activation(program.value()))
    return program.function(name)


def make_module(functions: Sequence[FuncOp]) -> ModuleOp:
    return ModuleOp(list(functions))
