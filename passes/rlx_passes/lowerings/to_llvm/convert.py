"""The pass `rlx-convert-to-llvm`."""

from dataclasses import dataclass
from math import prod
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects import llvm, memref
from xdsl.dialects.builtin import (
    ArrayAttr,
    BytesAttr,
    DenseIntOrFPElementsAttr,
    MemRefType,
    ModuleOp,
    StringAttr,
    TensorType,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation
from xdsl.passes import ModulePass

from rlx_passes.core.errors import Refusal
from rlx_passes.lowerings.to_llvm import arithmetic, complexes, control, kernels, memory, vectors
from rlx_passes.lowerings.to_llvm.functions import declarations, lower_function
from rlx_passes.lowerings.to_llvm.lowering import Rule, Unit
from rlx_passes.lowerings.to_llvm.relations import relations
from rlx_passes.lowerings.to_llvm.types import bytes_of, part_of, stored
from rlx_passes.rewriting.conversion import placed

CHAPTERS = (arithmetic, complexes, vectors, memory, control, kernels)
RULES: dict[type[Operation], Rule] = {op: rule for chapter in CHAPTERS for op, rule in chapter.RULES.items()}

ASSERTIONS = "rlx.assertions"
"""The attribute of the module with the texts of its assertions: the first is that of number 1."""


@dataclass(frozen=True)
class RlxConvertToLlvmPass(ModulePass):
    """
    Loops over memrefs as functions of the llvm dialect. A public `@f` becomes `i32 @f(ptr words)`.

    `half=false` is for chips without instructions between f16 and f32, `fma=false` for those without one for a product
    and a sum that are rounded once. Raises `Refusal` for an op without a form.
    """

    name = "rlx-convert-to-llvm"

    half: bool = True
    fma: bool = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = [each for each in op.body.block.ops if isinstance(each, FuncOp) and not each.is_declaration]
        unit = Unit(RULES, self.half, self.fma, relations(functions))
        block = Block()
        for each in op.body.block.ops:
            try:
                if isinstance(each, memref.GlobalOp):
                    block.add_op(_global(each))
                elif isinstance(each, FuncOp) and not each.is_declaration:
                    lower_function(unit, each)
                else:
                    raise Refusal("stands among functions and constants, and has no form in the llvm dialect")
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


def _global(op: memref.GlobalOp) -> llvm.GlobalOp:
    """A constant; its elements are as in memory."""
    type_ = cast("MemRefType[Any]", op.type)
    value = op.initial_value
    if not isinstance(value, DenseIntOrFPElementsAttr):
        raise Refusal("has no value")
    count, data, part = prod(type_.get_shape()), value.data.data, part_of(type_.element_type)
    if part is not None:
        # One pair may stand for all; of single floats that is no constant.
        data = data * (count * bytes_of(type_.element_type) // max(len(data), 1))
        count *= 2
    unit = stored(part or type_.element_type)
    return llvm.GlobalOp(
        llvm.LLVMArrayType(count, unit),
        op.sym_name,
        "internal",
        constant=True,
        value=DenseIntOrFPElementsAttr(cast("Any", TensorType(unit, [count])), BytesAttr(data)),
        alignment=64,
    )
