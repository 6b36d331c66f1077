"""
Functions: what one does, with plain arguments, and for a public one the entry that the runtime calls.

    i32 @f(ptr words)

`words` are integers of 64 bits: for each argument the address of its data and then its `?` sizes; after them for each
memref that is returned an address and `?` sizes, which the function fills in. It returns 0, or the number of the
assertion that ended it.
"""

from collections.abc import Sequence

from xdsl.dialects import llvm
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, MemRefType, StringAttr, UnitAttr, i32, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from rlx_passes.core.errors import Refusal
from rlx_passes.lowerings.to_llvm.code import Code
from rlx_passes.lowerings.to_llvm.control import body_name, packed, result_type, unpacked
from rlx_passes.lowerings.to_llvm.lowering import Lowering, Unit, types_of
from rlx_passes.lowerings.to_llvm.types import POINTER
from rlx_passes.lowerings.to_llvm.views import part_types

_ALONE = DictionaryAttr({"llvm.noalias": UnitAttr()})
_ANY = DictionaryAttr({})
_RUNTIME = {
    "rlx_alloc": llvm.LLVMFunctionType([i64], POINTER),
    "rlx_free": llvm.LLVMFunctionType([POINTER]),
    "rlx_parallel": llvm.LLVMFunctionType([POINTER, POINTER, i64, i64]),
}


def function(
    name: str,
    blocks: Sequence[Block],
    result: Attribute | None,
    *,
    public: bool = False,
    alone: Sequence[bool] = (),
    inline: bool = True,
) -> llvm.FuncOp:
    """A function of the llvm dialect. `alone` says of its arguments which point to what no other one points into."""
    properties: dict[str, Attribute | None] = {}
    if any(alone):
        properties["arg_attrs"] = ArrayAttr([_ALONE if each else _ANY for each in alone])
    if not inline:
        properties["no_inline"] = UnitAttr()
    properties["no_unwind"] = UnitAttr()
    return llvm.FuncOp(
        name,
        llvm.LLVMFunctionType([each.type for each in blocks[0].args], result),
        llvm.LinkageAttr("external" if public else "internal"),
        body=Region(blocks),
        other_props=properties,
    )


def declarations(unit: Unit) -> list[Operation]:
    """The functions of the runtime that the module calls."""
    return [
        llvm.FuncOp(name, type_, llvm.LinkageAttr("external"))
        for name, type_ in _RUNTIME.items()
        if name in unit.external
    ]


def lower_function(unit: Unit, op: FuncOp) -> None:
    """Write the functions of the llvm dialect that stand for `op`."""
    name, body = op.sym_name.data, op.body.block
    fallible, shared = name in unit.relations.fallible, unit.relations.shared
    types = list(op.function_type.outputs.data)
    result = result_type([part for type_ in types for part in part_types(type_)], fallible=fallible)

    def fail(low: Lowering, number: SSAValue) -> None:
        low.code.leave(
            number if result == i32 else low.code.with_field(low.code.emit(llvm.UndefOp, (), result or i32), 0, number)
        )

    code = Code(body_name(name), types_of(body.args))
    low = Lowering(unit, code, fail)
    low.bind(body.args, code.first.args)
    parts = [code.ssa(each) for each in low.region(body)]
    if fallible:
        parts.insert(0, code.integer(0, i32))
    code.leave(packed(low, parts, result) if result is not None else None)
    alone = [part == POINTER and value not in shared for value in body.args for part in part_types(value.type)]
    unit.functions[code.name] = function(code.name, code.finish(), result, alone=alone, inline=False)
    if op.sym_visibility != StringAttr("private"):
        unit.functions[name] = _entry(unit, op, result, fallible=fallible)


def _entry(unit: Unit, op: FuncOp, result: Attribute | None, *, fallible: bool) -> llvm.FuncOp:
    code = Code(op.sym_name.data, [POINTER])
    words = code.first.args[0]
    types = op.function_type
    for type_ in (*types.inputs.data, *types.outputs.data):
        if not isinstance(type_, MemRefType):
            raise Refusal(f"has {type_} in the signature of a public function, which takes and returns memrefs alone")
    given = [part for type_ in types.inputs.data for part in part_types(type_)]
    arguments = [code.load(code.pointer(words, place, i64), part, 8) for place, part in enumerate(given)]
    returned = code.call(body_name(code.name), arguments, result)
    low = Lowering(unit, code, lambda low, number: low.code.leave(number))
    made = [part for type_ in types.outputs.data for part in part_types(type_)]
    parts = unpacked(low, returned, len(made) + fallible)
    status = parts.pop(0) if fallible else code.integer(0, i32)
    for place, part in enumerate(parts, len(given)):
        code.store(part, code.pointer(words, place, i64), 8)
    code.leave(status)
    return function(code.name, code.finish(), i32, public=True)
