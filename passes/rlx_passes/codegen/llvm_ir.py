"""The llvm dialect as the text of LLVM."""

from collections.abc import Iterable, Sequence
from typing import Any, cast

from xdsl.dialects import llvm
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, ModuleOp
from xdsl.ir import Block, Operation, SSAValue

from rlx_passes.codegen.llvm_instructions import RULES
from rlx_passes.codegen.llvm_text import Text, escaped, symbol
from rlx_passes.core.errors import CodegenError
from rlx_passes.lowerings.to_llvm.types import bytes_of

Edges = dict[Block, list[tuple[str, Sequence[SSAValue]]]]
"""For each block the names of those that lead to it, with the values that they give."""


def llvm_ir(module: ModuleOp) -> str:
    """The text of a module of the llvm dialect. Raises `CodegenError` for what is not of it."""
    text = Text()
    parts: list[str] = []
    for op in module.body.block.ops:
        if isinstance(op, llvm.GlobalOp):
            parts.append(_constant_in_memory(op))
        elif isinstance(op, llvm.FuncOp):
            parts.append(_function(text, op))
        else:
            raise CodegenError(f"'{op.name}' has no form in the text of LLVM")
    return "\n".join([*parts, *text.intrinsics.values(), ""])


def _constant_in_memory(op: llvm.GlobalOp) -> str:
    align = f", align {op.alignment.value.data}" if op.alignment is not None else ""
    kind = "constant" if op.constant is not None else "global"
    value = cast("DenseIntOrFPElementsAttr", op.value)
    data = _bytes(value, cast("llvm.LLVMArrayType", op.global_type))
    shown = "zeroinitializer" if not any(data) else f'c"{escaped(data)}"'
    linkage = op.linkage.linkage.data
    return f"@{symbol(op.sym_name.data)} = {linkage} {kind} [{len(data)} x i8] {shown}{align}"


def _function(text: Text, op: llvm.FuncOp) -> str:
    type_, name = op.function_type, symbol(op.sym_name.data)
    result = text.type(type_.output)
    # What xDSL reads from text it does not take for properties.
    given = {*op.properties, *op.attributes}
    marks = " nounwind" * ("no_unwind" in given) + " noinline" * ("no_inline" in given)
    if not op.body.blocks:
        return f"declare {result} @{name}({', '.join(map(text.type, type_.inputs))})"
    attributes = op.arg_attrs.data if op.arg_attrs is not None else [None] * len(type_.inputs)
    arguments = op.body.blocks[0].args
    _number(text, op)
    shown = [
        f"{text.type(argument.type)}{_marks(given)} {text.names[argument]}"
        for argument, given in zip(arguments, attributes)
    ]
    linkage = "" if op.linkage.linkage.data == "external" else f"{op.linkage.linkage.data} "
    lines = [f"define {linkage}{result} @{name}({', '.join(shown)}){marks} {{"]
    incoming: Edges = {}
    for block in op.body.blocks:
        _edges(cast("Operation", block.last_op), text.blocks[block], incoming)
    for position, block in enumerate(op.body.blocks):
        lines.append(f"{text.blocks[block]}:")
        if position:
            lines.extend(_phis(text, block, incoming.get(block, [])))
        for each in block.ops:
            if (rule := RULES.get(type(each))) is None:
                raise CodegenError(f"'{each.name}' has no form in the text of LLVM")
            if (line := rule(text, each)) is not None:
                lines.append(line)
    lines.append("}")
    return "\n".join(lines)


def _number(text: Text, op: llvm.FuncOp) -> None:
    """Name the values and blocks of a function; constants are what they are."""
    text.names.clear()
    text.blocks.clear()
    count = 0
    for position, block in enumerate(op.body.blocks):
        text.blocks[block] = f"b{position}"
        for argument in block.args:
            text.names[argument] = f"%v{count}"
            count += 1
        for each in block.ops:
            if isinstance(each, llvm.ConstantOp):
                text.names[each.result] = text.constant(each.value, each.result.type)
            elif isinstance(each, llvm.AddressOfOp):
                text.names[each.result] = f"@{symbol(each.global_name.string_value())}"
            elif isinstance(each, llvm.UndefOp):
                text.names[each.res] = "poison"
            elif each.results:
                text.names[each.results[0]] = f"%v{count}"
                count += 1


def _phis(text: Text, block: Block, incoming: Sequence[tuple[str, Sequence[SSAValue]]]) -> Iterable[str]:
    for position, argument in enumerate(block.args):
        pairs = ", ".join([f"[ {text.names[values[position]]}, %{source} ]" for source, values in incoming])
        yield f"  {text.names[argument]} = phi {text.type(argument.type)} {pairs}"


def _edges(last: Operation, source: str, incoming: Edges) -> None:
    """Note with which values the terminator `last` of the block `source` goes where."""
    if isinstance(last, llvm.BrOp):
        incoming.setdefault(last.successor, []).append((source, last.operands))
    elif isinstance(last, llvm.CondBrOp):
        sizes = cast("Any", last.properties["operandSegmentSizes"]).get_values()
        middle = 1 + sizes[1]
        operands = last.operands
        yes, no = last.successors
        incoming.setdefault(yes, []).append((source, operands[1:middle]))
        incoming.setdefault(no, []).append((source, operands[middle:]))


def _bytes(value: DenseIntOrFPElementsAttr, type_: llvm.LLVMArrayType) -> bytes:
    """The elements as they lie in memory; of equal ones the attribute may have one."""
    data = value.data.data
    return data if not data else data * (type_.size.data * bytes_of(type_.type) // len(data))


def _marks(given: Any) -> str:
    return "" if given is None else "".join(f" {key.removeprefix('llvm.')}" for key in given.data)
