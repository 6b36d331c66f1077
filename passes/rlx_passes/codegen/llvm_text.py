"""Types, constants and names in the text of LLVM."""

import struct
from collections.abc import Iterable, Sequence
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
    i1,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue

from rlx_passes.core.errors import CodegenError
from rlx_passes.lowerings.to_llvm.types import is_integer, is_vector

_FLOATS = {Float16Type: "half", BFloat16Type: "bfloat", Float32Type: "float", Float64Type: "double"}
_SHORT = {"half": "f16", "bfloat": "bf16", "float": "f32", "double": "f64", "ptr": "p0"}


class Text:
    """What the text of one module calls things; `names` and `blocks` are those of one function."""

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

    def constant(self, value: Attribute, type_: Attribute) -> str:
        if isinstance(value, IntegerAttr):
            if type_ == i1:
                return "true" if value.value.data else "false"
            return str(value.value.data)
        if isinstance(value, FloatAttr):
            return float_constant(value.value.data, type_)
        if isinstance(value, DenseIntOrFPElementsAttr) and is_vector(type_):
            elements = value.get_values()
            shown = [self._element(each, type_.element_type) for each in elements]
            if len(shown) == 1:
                shown *= type_.get_shape()[0]
            return f"<{', '.join(shown)}>"
        raise CodegenError(f"LLVM has no constant {value} of {type_}")

    def _element(self, value: Any, type_: Attribute) -> str:
        shown = int(value) if is_integer(type_) else float_constant(value, type_)
        return f"{self.type(type_)} {shown}"

    def intrinsic(self, name: str, op: Operation, operands: Sequence[SSAValue]) -> str:
        """A call of an intrinsic function, whose full name has the types that tell its forms apart."""
        types = [self.type(operand.type) for operand in operands]
        result = self.type(op.results[0].type) if op.results else "void"
        full = name + "".join(f".{_short(each)}" for each in _overload(name, result, types))
        self.intrinsics.setdefault(full, f"declare {result} @{full}({', '.join(types)})")
        shown = ", ".join([f"{each} {self.names[operand]}" for each, operand in zip(types, operands)])
        target = f"{self.names[op.results[0]]} = " if op.results else ""
        fast = self.fast(op) if is_float(result) else ""
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


def symbol(name: str) -> str:
    plain = name.replace(".", "").replace("_", "").replace("$", "")
    return name if plain.isalnum() and plain.isascii() and not name[0].isdigit() else f'"{escaped(name.encode())}"'


_ESCAPES = [chr(each) if 32 <= each < 127 and each not in b'"\\' else f"\\{each:02X}" for each in range(256)]


def escaped(data: bytes) -> str:
    return "".join([_ESCAPES[each] for each in data])


def is_float(type_: str) -> bool:
    """Whether a type as LLVM writes it is of floats."""
    return any(word in type_ for word in _FLOATS.values())


def float_constant(value: float, type_: Attribute) -> str:
    """A constant by its bits."""
    if isinstance(type_, Float16Type):
        return f"0xH{struct.unpack('<H', struct.pack('<e', value))[0]:04X}"
    if isinstance(type_, Float32Type | Float64Type):
        return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"
    raise CodegenError(f"LLVM has no constant of {type_}")
