"""The llvm dialect as the text of LLVM."""

import struct
from collections.abc import Callable, Iterable, Sequence
from typing import Any, cast

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    BFloat16Type,
    DenseIntOrFPElementsAttr,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    ModuleOp,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue

from rlx_passes.core.errors import CodegenError
from rlx_passes.dialects.llvm import ExtractElementOp, FCmpOp, SelectOp, UIToFPOp
from rlx_passes.lowerings.to_llvm.types import is_integer, is_vector

_ORDERINGS = {2: "monotonic", 4: "acquire", 5: "release", 6: "acq_rel", 7: "seq_cst"}
_OVERFLOW = {0: "", 1: " nsw", 2: " nuw", 3: " nuw nsw"}
_FLOATS = {Float16Type: "half", BFloat16Type: "bfloat", Float32Type: "float", Float64Type: "double"}
_SHORT = {"half": "f16", "bfloat": "bf16", "float": "f32", "double": "f64", "ptr": "p0"}


def llvm_ir(module: ModuleOp) -> str:
    """The text of a module of the llvm dialect. Raises `CodegenError` for what is not of it."""
    return _Text().module(module)


class _Text:
    """The text of one module, with what it declares."""

    def __init__(self) -> None:
        self.types: dict[Attribute, str] = {}
        self.names: dict[SSAValue, str] = {}
        self.blocks: dict[Block, str] = {}
        self.intrinsics: dict[str, str] = {}
        self.flags: dict[Attribute, str] = {}

    # Types and values.

    def type(self, type_: Attribute) -> str:
        if (known := self.types.get(type_)) is None:
            known = self.types[type_] = self._type(type_)
        return known

    def _type(self, type_: Attribute) -> str:
        if is_integer(type_):
            return f"i{type_.width.data}"
        if isinstance(type_, llvm.LLVMPointerType):
            return "ptr"
        if is_vector(type_):
            return f"<{type_.get_shape()[0]} x {self.type(type_.element_type)}>"
        if isinstance(type_, llvm.LLVMArrayType):
            return f"[{type_.size.data} x {self.type(type_.type)}]"
        if isinstance(type_, llvm.LLVMStructType):
            return f"{{ {', '.join(map(self.type, type_.types))} }}"
        if isinstance(type_, llvm.LLVMVoidType):
            return "void"
        if (name := _FLOATS.get(cast("Any", type(type_)))) is not None:
            return name
        raise CodegenError(f"LLVM has no type {type_}")

    def typed(self, value: SSAValue) -> str:
        return f"{self.type(value.type)} {self.names[value]}"

    def all_typed(self, values: Iterable[SSAValue]) -> str:
        return ", ".join([self.typed(value) for value in values])

    def fast(self, op: Operation) -> str:
        flags = cast("llvm.FastMathAttr | None", op.properties.get("fastmathFlags"))
        if flags is None:
            return ""
        if (known := self.flags.get(flags)) is None:
            names = [flag.value for flag in flags.data]
            known = self.flags[flags] = "".join(f" {name}" for name in (["fast"] if len(names) == 7 else names))
        return known

    # Structure.

    def module(self, module: ModuleOp) -> str:
        parts: list[str] = []
        for op in module.body.block.ops:
            if isinstance(op, llvm.GlobalOp):
                parts.append(self.constant_in_memory(op))
            elif isinstance(op, llvm.FuncOp):
                parts.append(self.function(op))
            else:
                raise CodegenError(f"'{op.name}' has no form in the text of LLVM")
        return "\n".join([*parts, *self.intrinsics.values(), ""])

    def constant_in_memory(self, op: llvm.GlobalOp) -> str:
        align = f", align {op.alignment.value.data}" if op.alignment is not None else ""
        kind = "constant" if op.constant is not None else "global"
        value = cast("DenseIntOrFPElementsAttr", op.value)
        data = _bytes(value, cast("llvm.LLVMArrayType", op.global_type))
        shown = "zeroinitializer" if not any(data) else f'c"{_escaped(data)}"'
        linkage = op.linkage.linkage.data
        return f"@{_name(op.sym_name.data)} = {linkage} {kind} [{len(data)} x i8] {shown}{align}"

    def function(self, op: llvm.FuncOp) -> str:
        type_, name = op.function_type, _name(op.sym_name.data)
        result = self.type(type_.output)
        marks = " #0" + " nounwind" * (op.no_unwind is not None) + " noinline" * (op.no_inline is not None)
        if not op.body.blocks:
            return f"declare {result} @{name}({', '.join(map(self.type, type_.inputs))})"
        attributes = op.arg_attrs.data if op.arg_attrs is not None else [None] * len(type_.inputs)
        arguments = op.body.blocks[0].args
        self._number(op)
        shown = [
            f"{self.type(argument.type)}{_marks(given)} {self.names[argument]}"
            for argument, given in zip(arguments, attributes)
        ]
        linkage = "" if op.linkage.linkage.data == "external" else f"{op.linkage.linkage.data} "
        lines = [f"define {linkage}{result} @{name}({', '.join(shown)}){marks} {{"]
        incoming: dict[Block, list[tuple[str, Sequence[SSAValue]]]] = {}
        for block in op.body.blocks:
            _edges(cast("Operation", block.last_op), self.blocks[block], incoming)
        for position, block in enumerate(op.body.blocks):
            lines.append(f"{self.blocks[block]}:")
            if position:
                lines.extend(self._phis(block, incoming.get(block, [])))
            for each in block.ops:
                if (rule := _RULES.get(type(each))) is None:
                    raise CodegenError(f"'{each.name}' has no form in the text of LLVM")
                if (line := rule(self, each)) is not None:
                    lines.append(line)
        lines.append("}")
        return "\n".join(lines)

    def _number(self, op: llvm.FuncOp) -> None:
        """Name the values and blocks of a function; constants are what they are."""
        self.names.clear()
        self.blocks.clear()
        count = 0
        for position, block in enumerate(op.body.blocks):
            self.blocks[block] = f"b{position}"
            for argument in block.args:
                self.names[argument] = f"%v{count}"
                count += 1
            for each in block.ops:
                if isinstance(each, llvm.ConstantOp):
                    self.names[each.result] = self.constant(each.value, each.result.type)
                elif isinstance(each, llvm.AddressOfOp):
                    self.names[each.result] = f"@{_name(each.global_name.string_value())}"
                elif isinstance(each, llvm.UndefOp):
                    self.names[each.res] = "poison"
                elif each.results:
                    self.names[each.results[0]] = f"%v{count}"
                    count += 1

    def _phis(self, block: Block, incoming: Sequence[tuple[str, Sequence[SSAValue]]]) -> Iterable[str]:
        for position, argument in enumerate(block.args):
            pairs = ", ".join([f"[ {self.names[values[position]]}, %{source} ]" for source, values in incoming])
            yield f"  {self.names[argument]} = phi {self.type(argument.type)} {pairs}"

    def constant(self, value: Attribute, type_: Attribute) -> str:
        if isinstance(value, IntegerAttr):
            if type_ == IntegerType(1):
                return "true" if value.value.data else "false"
            return str(value.value.data)
        if isinstance(value, FloatAttr):
            return _float(value.value.data, type_)
        if isinstance(value, DenseIntOrFPElementsAttr) and is_vector(type_):
            elements = value.get_values()
            shown = [self._element(each, type_.element_type) for each in elements]
            if len(shown) == 1:
                shown *= type_.get_shape()[0]
            return f"<{', '.join(shown)}>"
        raise CodegenError(f"LLVM has no constant {value} of {type_}")

    def _element(self, value: Any, type_: Attribute) -> str:
        shown = int(value) if is_integer(type_) else _float(value, type_)
        return f"{self.type(type_)} {shown}"

    def intrinsic(self, name: str, op: Operation, operands: Sequence[SSAValue]) -> str:
        """A call of an intrinsic function, whose full name has the types that tell its forms apart."""
        types = [self.type(operand.type) for operand in operands]
        result = self.type(op.results[0].type) if op.results else "void"
        full = name + "".join(f".{_short(each)}" for each in _overload(name, result, types))
        self.intrinsics.setdefault(full, f"declare {result} @{full}({', '.join(types)})")
        shown = ", ".join([f"{each} {self.names[operand]}" for each, operand in zip(types, operands)])
        target = f"{self.names[op.results[0]]} = " if op.results else ""
        fast = self.fast(op) if result in _SHORT or "float" in result or "double" in result else ""
        return f"  {target}call{fast} {result} @{full}({shown})"


def _overload(name: str, result: str, types: Sequence[str]) -> Sequence[str]:
    if name == "llvm.memcpy":
        return types[:3]
    if name == "llvm.masked.load":
        return (result, types[0])
    if name == "llvm.masked.store":
        return types[:2]
    if name.startswith("llvm.vector.reduce."):
        return types[1:2] if name in ("llvm.vector.reduce.fadd", "llvm.vector.reduce.fmul") else types[:1]
    if name in ("llvm.fptosi.sat", "llvm.fptoui.sat"):
        return (result, types[0])
    return (result,)


def _short(type_: str) -> str:
    if type_.startswith("<"):
        count, _, element = type_[1:-1].partition(" x ")
        return f"v{count}{_short(element)}"
    return _SHORT.get(type_, type_)


def _edges(last: Operation, source: str, incoming: dict[Block, list[tuple[str, Sequence[SSAValue]]]]) -> None:
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


def _name(name: str) -> str:
    plain = name.replace(".", "").replace("_", "").replace("$", "")
    return name if plain.isalnum() and plain.isascii() and not name[0].isdigit() else f'"{_escaped(name.encode())}"'


_ESCAPES = [chr(each) if 32 <= each < 127 and each not in b'"\\' else f"\\{each:02X}" for each in range(256)]


def _escaped(data: bytes) -> str:
    return "".join([_ESCAPES[each] for each in data])


def _bytes(value: DenseIntOrFPElementsAttr, type_: llvm.LLVMArrayType) -> bytes:
    """The elements as they lie in memory; xDSL may keep one for all."""
    data = value.data.data
    return data * type_.size.data if len(data) == value.get_element_type().compile_time_size else data


def _float(value: float, type_: Attribute) -> str:
    """A constant by its bits."""
    if isinstance(type_, Float16Type):
        return f"0xH{struct.unpack('<H', struct.pack('<e', value))[0]:04X}"
    if isinstance(type_, Float32Type | Float64Type):
        return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"
    raise CodegenError(f"LLVM has no constant of {type_}")


def _marks(given: Any) -> str:
    return "" if given is None else "".join(f" {key.removeprefix('llvm.')}" for key in given.data)


# Ops.

Rule = Callable[[_Text, Any], str | None]


def _binary(word: str) -> Rule:
    def rule(text: _Text, op: Operation) -> str:
        names, (left, right) = text.names, op.operands
        flags = cast("IntegerAttr[Any] | None", op.properties.get("overflowFlags"))
        wraps = _OVERFLOW[flags.value.data] if flags is not None else ""
        marks = "" if not op.properties else wraps + text.fast(op)
        return f"  {names[op.results[0]]} = {word}{marks} {text.type(left.type)} {names[left]}, {names[right]}"

    return rule


def _cast(word: str) -> Rule:
    def rule(text: _Text, op: Operation) -> str:
        result = op.results[0]
        return f"  {text.names[result]} = {word} {text.typed(op.operands[0])} to {text.type(result.type)}"

    return rule


def _compare(text: _Text, op: Operation) -> str:
    number = cast("IntegerAttr[Any]", op.properties["predicate"]).value.data
    if isinstance(op, llvm.ICmpOp):
        word, order, fast = "icmp", llvm.ICmpPredicateFlag.from_int(number).value, ""
    else:
        word, order, fast = "fcmp", llvm.FCmpPredicateFlag.from_int(number).value.strip("_"), text.fast(op)
    left, right = op.operands
    return f"  {text.names[op.results[0]]} = {word}{fast} {order} {text.typed(left)}, {text.names[right]}"


def _select(text: _Text, op: SelectOp) -> str:
    is_float = any(word in text.type(op.res.type) for word in ("float", "double", "half"))
    return f"  {text.names[op.res]} = select{text.fast(op) if is_float else ''} {text.all_typed(op.operands)}"


def _pointer(text: _Text, op: llvm.GEPOp) -> str:
    ssa = iter(op.ssa_indices)
    indices = [
        text.typed(next(ssa)) if index == llvm.GEP_USE_SSA_VAL else f"i32 {index}"
        for index in op.rawConstantIndices.get_values()
    ]
    inbounds = " inbounds" if op.inbounds is not None else ""
    shown = ", ".join([text.type(op.elem_type), text.typed(op.ptr), *indices])
    return f"  {text.names[op.result]} = getelementptr{inbounds} {shown}"


def _load(text: _Text, op: llvm.LoadOp) -> str:
    type_ = text.type(op.results[0].type)
    return f"  {text.names[op.results[0]]} = load {_access(op, f'{type_}, {text.typed(op.operands[0])}')}"


def _store(text: _Text, op: llvm.StoreOp) -> str:
    return f"  store {_access(op, text.all_typed(op.operands))}"


def _access(op: Operation, shown: str) -> str:
    ordering = cast("IntegerAttr[Any]", op.properties["ordering"]).value.data
    alignment = cast("IntegerAttr[Any] | None", op.properties.get("alignment"))
    align = f", align {alignment.value.data}" if alignment is not None else ""
    return f"atomic {shown} {_ORDERINGS[ordering]}{align}" if ordering else f"{shown}{align}"


def _alloca(text: _Text, op: llvm.AllocaOp) -> str:
    align = f", align {op.alignment.value.data}" if op.alignment is not None else ""
    return f"  {text.names[op.res]} = alloca {text.type(op.elem_type)}, {text.typed(op.size)}{align}"


def _branch(text: _Text, op: llvm.BrOp) -> str:
    return f"  br label %{text.blocks[op.successor]}"


def _either(text: _Text, op: llvm.CondBrOp) -> str:
    yes, no = (text.blocks[block] for block in op.successors)
    return f"  br i1 {text.names[op.operands[0]]}, label %{yes}, label %{no}"


def _leave(text: _Text, op: llvm.ReturnOp) -> str:
    return f"  ret {text.typed(op.operands[0])}" if op.operands else "  ret void"


def _call(text: _Text, op: llvm.CallOp) -> str:
    name = _name(cast("Any", op.callee).string_value())
    result = text.type(op.results[0].type) if op.results else "void"
    target = f"{text.names[op.results[0]]} = " if op.results else ""
    return f"  {target}call {result} @{name}({text.all_typed(op.args)})"


def _field(text: _Text, op: llvm.ExtractValueOp) -> str:
    place = ", ".join(map(str, op.position.get_values()))
    return f"  {text.names[op.res]} = extractvalue {text.typed(op.container)}, {place}"


def _with_field(text: _Text, op: llvm.InsertValueOp) -> str:
    place = ", ".join(map(str, op.position.get_values()))
    return f"  {text.names[op.res]} = insertvalue {text.typed(op.container)}, {text.typed(op.value)}, {place}"


def _operands(word: str) -> Rule:
    return lambda text, op: f"  {text.names[op.results[0]]} = {word} {text.all_typed(op.operands)}"


def _shuffle(text: _Text, op: llvm.ShuffleVectorOp) -> str:
    mask = ", ".join([f"i32 {each}" if each >= 0 else "i32 poison" for each in op.mask.get_values()])
    return f"  {text.names[op.res]} = shufflevector {text.all_typed(op.operands)}, <{len(op.mask)} x i32> <{mask}>"


def _named_intrinsic(text: _Text, op: Operation) -> str:
    return text.intrinsic(f"llvm.{op.name.removeprefix('llvm.intr.')}", op, op.operands)


_RULES: dict[type[Operation], Rule] = {
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
            *(llvm.FPTruncOp, llvm.PtrToIntOp, llvm.IntToPtrOp),
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
    llvm.ShuffleVectorOp: _shuffle,
    llvm.UnreachableOp: lambda text, op: "  unreachable",
}
