"""The instructions of LLVM, a rule for each op of the llvm dialect."""

from collections.abc import Callable
from typing import Any, cast

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Operation

from rlx_passes.codegen.llvm_text import Text, is_float, symbol
from rlx_passes.dialects.llvm import ExtractElementOp, FCmpOp, FPToSIOp, FPToUIOp, FreezeOp, SelectOp, UIToFPOp

_ORDERINGS = {2: "monotonic", 4: "acquire", 5: "release", 6: "acq_rel", 7: "seq_cst"}
_OVERFLOW = {0: "", 1: " nsw", 2: " nuw", 3: " nuw nsw"}

Rule = Callable[[Text, Any], str | None]
"""The line of an op; none for one that is written where it is read."""


def _binary(word: str) -> Rule:
    def rule(text: Text, op: Operation) -> str:
        names, (left, right) = text.names, op.operands
        flags = cast("IntegerAttr[Any] | None", op.properties.get("overflowFlags"))
        wraps = _OVERFLOW[flags.value.data] if flags is not None else ""
        marks = "" if not op.properties else wraps + text.fast(op)
        return f"  {names[op.results[0]]} = {word}{marks} {text.type(left.type)} {names[left]}, {names[right]}"

    return rule


def _cast(word: str) -> Rule:
    def rule(text: Text, op: Operation) -> str:
        result = op.results[0]
        return f"  {text.names[result]} = {word} {text.typed(op.operands[0])} to {text.type(result.type)}"

    return rule


def _compare(text: Text, op: Operation) -> str:
    number = cast("IntegerAttr[Any]", op.properties["predicate"]).value.data
    if isinstance(op, llvm.ICmpOp):
        word, order, fast = "icmp", llvm.ICmpPredicateFlag.from_int(number).value, ""
    else:
        word, order, fast = "fcmp", llvm.FCmpPredicateFlag.from_int(number).value.strip("_"), text.fast(op)
    left, right = op.operands
    return f"  {text.names[op.results[0]]} = {word}{fast} {order} {text.typed(left)}, {text.names[right]}"


def _select(text: Text, op: SelectOp) -> str:
    fast = text.fast(op) if is_float(text.type(op.res.type)) else ""
    return f"  {text.names[op.res]} = select{fast} {text.all_typed(op.operands)}"


def _pointer(text: Text, op: llvm.GEPOp) -> str:
    ssa = iter(op.ssa_indices)
    indices = [
        text.typed(next(ssa)) if index == llvm.GEP_USE_SSA_VAL else f"i32 {index}"
        for index in op.rawConstantIndices.get_values()
    ]
    inbounds = " inbounds" if op.inbounds is not None else ""
    shown = ", ".join([text.type(op.elem_type), text.typed(op.ptr), *indices])
    return f"  {text.names[op.result]} = getelementptr{inbounds} {shown}"


def _load(text: Text, op: llvm.LoadOp) -> str:
    type_ = text.type(op.results[0].type)
    return f"  {text.names[op.results[0]]} = load {_access(op, f'{type_}, {text.typed(op.operands[0])}')}"


def _store(text: Text, op: llvm.StoreOp) -> str:
    return f"  store {_access(op, text.all_typed(op.operands))}"


def _access(op: Operation, shown: str) -> str:
    ordering = cast("IntegerAttr[Any]", op.properties["ordering"]).value.data
    alignment = cast("IntegerAttr[Any] | None", op.properties.get("alignment"))
    align = f", align {alignment.value.data}" if alignment is not None else ""
    return f"atomic {shown} {_ORDERINGS[ordering]}{align}" if ordering else f"{shown}{align}"


def _alloca(text: Text, op: llvm.AllocaOp) -> str:
    align = f", align {op.alignment.value.data}" if op.alignment is not None else ""
    return f"  {text.names[op.res]} = alloca {text.type(op.elem_type)}, {text.typed(op.size)}{align}"


def _branch(text: Text, op: llvm.BrOp) -> str:
    return f"  br label %{text.blocks[op.successor]}"


def _either(text: Text, op: llvm.CondBrOp) -> str:
    yes, no = (text.blocks[block] for block in op.successors)
    return f"  br i1 {text.names[op.operands[0]]}, label %{yes}, label %{no}"


def _leave(text: Text, op: llvm.ReturnOp) -> str:
    return f"  ret {text.typed(op.operands[0])}" if op.operands else "  ret void"


def _call(text: Text, op: llvm.CallOp) -> str:
    name = symbol(cast("Any", op.callee).string_value())
    result = text.type(op.results[0].type) if op.results else "void"
    target = f"{text.names[op.results[0]]} = " if op.results else ""
    return f"  {target}call {result} @{name}({text.all_typed(op.args)})"


def _field(text: Text, op: llvm.ExtractValueOp) -> str:
    place = ", ".join(map(str, op.position.get_values()))
    return f"  {text.names[op.res]} = extractvalue {text.typed(op.container)}, {place}"


def _with_field(text: Text, op: llvm.InsertValueOp) -> str:
    place = ", ".join(map(str, op.position.get_values()))
    return f"  {text.names[op.res]} = insertvalue {text.typed(op.container)}, {text.typed(op.value)}, {place}"


def _operands(word: str) -> Rule:
    return lambda text, op: f"  {text.names[op.results[0]]} = {word} {text.all_typed(op.operands)}"


def _shuffle(text: Text, op: llvm.ShuffleVectorOp) -> str:
    mask = ", ".join([f"i32 {each}" if each >= 0 else "i32 poison" for each in op.mask.get_values()])
    return f"  {text.names[op.res]} = shufflevector {text.all_typed(op.operands)}, <{len(op.mask)} x i32> <{mask}>"


def _named_intrinsic(text: Text, op: Operation) -> str:
    return text.intrinsic(f"llvm.{op.name.removeprefix('llvm.intr.')}", op, op.operands)


RULES: dict[type[Operation], Rule] = {
    llvm.ConstantOp: lambda text, op: None,
    llvm.AddressOfOp: lambda text, op: None,
    llvm.UndefOp: lambda text, op: None,
    **{
        op: _binary(op.name.removeprefix("llvm."))
        for op in (
            *(llvm.AddOp, llvm.SubOp, llvm.MulOp, llvm.UDivOp, llvm.SDivOp, llvm.URemOp, llvm.SRemOp, llvm.AndOp),
            *(llvm.OrOp, llvm.XOrOp, llvm.ShlOp, llvm.LShrOp, llvm.AShrOp),
            *(llvm.FAddOp, llvm.FSubOp, llvm.FMulOp, llvm.FDivOp, llvm.FRemOp),
        )
    },
    **{
        op: _cast(op.name.removeprefix("llvm."))
        for op in (
            *(llvm.TruncOp, llvm.ZExtOp, llvm.SExtOp, llvm.BitcastOp, llvm.SIToFPOp, UIToFPOp, llvm.FPExtOp),
            *(llvm.FPTruncOp, llvm.PtrToIntOp, llvm.IntToPtrOp, FPToSIOp, FPToUIOp),
        )
    },
    **{
        op: _named_intrinsic
        for op in (
            *(llvm.FAbsOp, llvm.FCeilOp, llvm.FSqrtOp, llvm.FFloorOp, llvm.FCopySignOp, llvm.FMAOp),
            *(llvm.VectorFMaxOp, llvm.VectorFMinOp),
        )
    },
    llvm.FNegOp: lambda text, op: f"  {text.names[op.results[0]]} = fneg{text.fast(op)} {text.typed(op.operands[0])}",
    llvm.CallIntrinsicOp: lambda text, op: text.intrinsic(op.intrin.data, op, op.args),
    llvm.ICmpOp: _compare,
    FCmpOp: _compare,
    SelectOp: _select,
    llvm.GEPOp: _pointer,
    llvm.LoadOp: _load,
    llvm.StoreOp: _store,
    llvm.AllocaOp: _alloca,
    llvm.BrOp: _branch,
    llvm.CondBrOp: _either,
    llvm.ReturnOp: _leave,
    llvm.CallOp: _call,
    llvm.ExtractValueOp: _field,
    llvm.InsertValueOp: _with_field,
    llvm.InsertElementOp: _operands("insertelement"),
    ExtractElementOp: _operands("extractelement"),
    FreezeOp: _operands("freeze"),
    llvm.ShuffleVectorOp: _shuffle,
    llvm.UnreachableOp: lambda text, op: "  unreachable",
}
