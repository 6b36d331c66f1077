"""
Random programs of all ops. Every op of the dialect's examples is a template: its operands are values of the program so
far, brought to the types that the example has, or new arguments.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import inf, nan
from pathlib import Path
from typing import cast

from programs import parse
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import FunctionType, ModuleOp, TensorType, i1
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.utils.exceptions import VerifyException

from rlx_dialect.attributes import BinaryKind
from rlx_dialect.constants import splat
from rlx_dialect.description.facts import accepted
from rlx_dialect.dtypes import is_float, is_integer
from rlx_dialect.ops import BinaryOp, ClampOp, ConcatOp, NarrowOp, ReshapeOp, RlxOp
from rlx_dialect.shapes import DYNAMIC, Shaped, count, of_type, shaped

EXAMPLES = Path(__file__).parent / "filecheck" / "dialect"
LARGEST = 1 << 12
"""As many elements an operand or result may have."""
SIZES = (3, 4, 2, 1, 5, 6, 8)
"""What a `?` of an example may be, tried in this order."""
REALS = (1.0, 0.0, -0.0, inf, -inf, nan, 2.0)
"""Constants that a rule may treat in a way of their own."""


@cache
def templates() -> dict[str, list[Operation]]:
    """The ops of the examples that work with known sizes, by name."""
    found: dict[str, list[Operation]] = {}
    for path in sorted(EXAMPLES.glob("*.mlir")):
        if path.stem.endswith("_invalid"):
            continue
        for text in accepted(path):
            for op in parse(text, path.name).walk():
                inner = isinstance(op.parent_op(), RlxOp)
                template = _template(op) if isinstance(op, RlxOp) and not inner else None
                if template is not None:
                    found.setdefault(op.name, []).append(template)
    return found


def _template(op: RlxOp) -> Operation | None:
    """A copy of `op` whose sizes are all known, on values of its own."""
    for size in SIZES:
        operands = [_known(value.type, size) for value in op.operands]
        if any(operand is None for operand in operands):
            return None
        block = Block(arg_types=[cast(Shaped, operand).type for operand in operands])
        copy = op.clone(dict(zip(op.operands, block.args)))
        copy.operands = block.args
        try:
            copy.refine()
            copy.verify()
        except (ValueError, VerifyException):
            continue
        dims = [shaped(value).dims for value in (*copy.operands, *copy.results)]
        sizes = [count(each) for each in dims]
        if all(each is not None and each <= LARGEST for each in sizes):
            return copy
    return None


def _known(type: Attribute, size: int) -> Shaped | None:
    if not isinstance(type, TensorType):
        return None
    value = of_type(cast("TensorType[Attribute]", type))
    return value.with_dims(size if each == DYNAMIC else each for each in value.dims)


class Program:
    """A program in the making."""

    def __init__(self) -> None:
        self.block = Block()
        self.pool: list[SSAValue] = []

    def add(self, name: str, choice: int) -> None:
        """Append an op of that name. `choice` says which example it follows and which values it reads."""
        known = templates()[name]
        template = known[choice % len(known)]
        operands: list[SSAValue] = []
        for operand in template.operands:
            choice = choice * 48271 % 0x7FFFFFFF
            operands.append(self.operand(shaped(operand), choice))
        copy = template.clone(dict(zip(template.operands, operands)))
        copy.operands = operands
        self.block.add_op(copy)
        self.pool += copy.results

    def operand(self, wanted: Shaped, choice: int) -> SSAValue:
        """A value of the wanted type: one of the program so far, a constant of equal elements, or a new argument."""
        if choice % 5 == 0 and (is_float(wanted.element) or is_integer(wanted.element)):
            numbers = REALS if is_float(wanted.element) else (0, 1)
            return self.emit(ConstantOp(splat(wanted.type, numbers[choice // 5 % len(numbers)])))
        candidates = [value for value in self.pool if _fits(shaped(value), wanted)]
        if choice % (len(candidates) + 1) == len(candidates):
            return self.block.insert_arg(wanted.type, len(self.block.args))
        return self.brought(candidates[choice % (len(candidates) + 1)], wanted)

    def brought(self, value: SSAValue, wanted: Shaped) -> SSAValue:
        """`value` with the wanted elements in the wanted order; integers become 0 or 1, so that they index all."""
        total, size = count(shaped(value).dims) or 0, count(wanted.dims) or 0
        if shaped(value).dims != wanted.dims:
            flat = self.emit(ReshapeOp(value, [total]))
            if total < size:
                flat = self.emit(ConcatOp([flat] * -(-size // total), axis=0))
            flat = self.emit(NarrowOp(flat, axis=0, start=0, length=size))
            value = self.emit(ReshapeOp(flat, wanted.dims))
        if is_integer(wanted.element) and wanted.element != i1:
            value = self.emit(ClampOp(value, 0, 1))
        return value

    def emit(self, op: Operation) -> SSAValue:
        self.block.add_op(op)
        return op.results[0]

    def module(self) -> ModuleOp:
        """The finished program: everything that was made is returned, and a sum that reads a value twice."""
        block, returned = self.block, list(self.pool)
        for value in self.pool[:1]:
            if shaped(value).element != i1:
                returned.append(self.emit(BinaryOp(BinaryKind.ADD, value, value)))
        block.add_op(ReturnOp(*returned))
        types = FunctionType.from_lists(list(block.arg_types), [value.type for value in returned])
        module = ModuleOp([FuncOp("main", types, Region(block))])
        module.verify()
        return module


def _fits(value: Shaped, wanted: Shaped) -> bool:
    return value.element == wanted.element and bool(count(value.dims)) and bool(count(wanted.dims))


def program(steps: Sequence[tuple[str, int]]) -> ModuleOp:
    """The program of these ops, each with the number that says how."""
    result = Program()
    for name, choice in steps:
        result.add(name, choice)
    return result.module()
