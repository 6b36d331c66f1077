"""The pass `rlx-convert-to-llvm`."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects import cf, llvm, memref
from xdsl.dialects.builtin import ArrayAttr, DenseIntOrFPElementsAttr, MemRefType, ModuleOp, StringAttr
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Block, Operation
from xdsl.passes import ModulePass

from rlx_passes.core.errors import Refusal
from rlx_passes.lowerings.to_llvm import arithmetic, complexes, control, kernels, memory, vectors
from rlx_passes.lowerings.to_llvm.functions import declarations, lower_function
from rlx_passes.lowerings.to_llvm.lowering import Rule, Unit
from rlx_passes.lowerings.to_llvm.types import bytes_of
from rlx_passes.lowerings.to_llvm.views import View
from rlx_passes.rewriting.conversion import placed

CHAPTERS = (arithmetic, complexes, vectors, memory, control, kernels)
RULES: dict[type[Operation], Rule] = {op: rule for chapter in CHAPTERS for op, rule in chapter.RULES.items()}

ASSERTIONS = "rlx.assertions"
"""The attribute of the module with the texts of its assertions: the first is that of number 1."""


@dataclass(frozen=True)
class RlxConvertToLlvmPass(ModulePass):
    """
    Loops over memrefs as functions of the llvm dialect. A public `@f` becomes `i32 @f(ptr words)`.

    `half=false` is for chips without instructions between f16 and f32. Raises `Refusal` for an op without a form.
    """

    name = "rlx-convert-to-llvm"

    half: bool = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = [each for each in op.body.block.ops if isinstance(each, FuncOp) and not each.is_declaration]
        unit = Unit(RULES, self.half, *_relations(functions))
        block = Block()
        for each in op.body.block.ops:
            try:
                if isinstance(each, memref.GlobalOp):
                    block.add_op(_global(each))
                elif isinstance(each, FuncOp):
                    lower_function(unit, each)
                else:
                    raise Refusal("stands where functions and constants do, and has no form in the llvm dialect")
            except Refusal as fault:
                raise placed(fault, each) from fault
        block.add_ops((*declarations(unit), *unit.functions.values()))
        old = op.body.block
        op.body.detach_block(old)
        op.body.add_block(block)
        for each in old.ops:
            each.drop_all_references()
        if unit.messages:
            op.attributes[ASSERTIONS] = ArrayAttr([StringAttr(each) for each in unit.messages])


def _relations(functions: Iterable[FuncOp]) -> tuple[frozenset[str], frozenset[str]]:
    """The functions that an assertion may end, and those that others call."""
    calls: dict[str, set[str]] = {}
    failing: set[str] = set()
    for function in functions:
        name = function.sym_name.data
        ops = list(function.walk())
        calls[name] = {each.callee.string_value() for each in ops if isinstance(each, CallOp)}
        if any(isinstance(each, cf.AssertOp) for each in ops):
            failing.add(name)
    while more := {name for name, callees in calls.items() if callees & failing} - failing:
        failing |= more
    return frozenset(failing), frozenset(name for callees in calls.values() for name in callees)


def _global(op: memref.GlobalOp) -> llvm.GlobalOp:
    """A constant; its elements are as in memory."""
    type_ = cast("MemRefType[Any]", op.type)
    value = op.initial_value
    if not isinstance(value, DenseIntOrFPElementsAttr):
        raise Refusal("has no value")
    count = 1
    for size in type_.get_shape():
        count *= size
    pointer = Block(arg_types=[llvm.LLVMPointerType()]).args[0]
    unit = View(pointer, 0, (), (), type_.element_type).unit
    return llvm.GlobalOp(
        llvm.LLVMArrayType(count, unit),
        op.sym_name,
        "internal",
        constant=True,
        value=value,
        alignment=max(64, bytes_of(type_.element_type)),
    )
