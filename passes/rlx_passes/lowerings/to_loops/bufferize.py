"""`rlx-bufferize`: tensors become memory, and results the caller's."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    IntegerAttr,
    ModuleOp,
    i64,
)
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from rlx_dialect.signature import RESULT, WRITTEN, donations_of
from rlx_passes.lowerings.to_loops.constants import Constants
from rlx_passes.lowerings.to_loops.control_flow import CONTROL
from rlx_passes.lowerings.to_loops.memrefs import is_static, is_tensor, memref_of
from rlx_passes.lowerings.to_loops.places import Memory, Place, Statements
from rlx_passes.lowerings.to_loops.placing import Placing
from rlx_passes.lowerings.to_loops.statements import RULES
from rlx_passes.rewriting.conversion import on_copy


@dataclass(frozen=True)
class BufferizePass(ModulePass):
    """
    Give every tensor a place in memory.

    Functions over tensors become functions over memrefs, without a layout. A result of known sizes is one more argument
    after the others, memory that the caller gives (`rlx.result` on it is the number of the result), and is never read
    before it is written; other results are memory that the function allocates. Constants become globals. An op writes
    over its destination where nobody reads that again, an elementwise op over what it reads at the same element, else
    into memory of its own. An input that is given up (`rlx.donate`) may be written over, too: where its result is what
    is left in it, `rlx.written` on it has the number of the result, which is copied only if the caller wants it
    elsewhere. Of the ops of linalg `linalg.fill` and `linalg.generic` are left.

    Raises `Refusal` for an op that has no form over memory.
    """

    name = "rlx-bufferize"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        on_copy(op, bufferize)


def bufferize(module: ModuleOp) -> None:
    """What the pass does, in place; a module that is refused may be left half done."""
    constants = Constants()
    given = [op for op in module.ops if isinstance(op, func.FuncOp) and op.body.blocks]
    for function in given:
        new = _function(function, constants)
        module.body.block.insert_op_before(new, function)
    for function in given:
        function.detach()
        function.erase(safe_erase=False)
    first = module.body.block.first_op
    for each in constants.globals:
        if first is None:
            module.body.block.add_op(each)
        else:
            module.body.block.insert_op_before(each, first)


def is_given(type: Attribute) -> bool:
    """Whether the caller gives the memory of a result of `type`, a tensor."""
    return is_static(memref_of(type))


def converted(type: Attribute) -> Attribute:
    return memref_of(type) if is_tensor(type) else type


def _function(old: func.FuncOp, constants: Constants) -> func.FuncOp:
    """`old` over memory; its arguments keep their attributes, results that the caller gives take theirs along."""
    inputs, outputs = old.function_type.inputs.data, old.function_type.outputs.data
    given = {i: memref_of(type) for i, type in enumerate(outputs) if is_given(type)}
    block = Block(arg_types=[*map(converted, inputs), *given.values()])
    for new, argument in zip(block.args, (*old.args, *[None] * len(given)), strict=True):
        new.name_hint = argument.name_hint if argument is not None else None

    placing = Placing(block, Statements(old.body.block), constants, {**RULES, **CONTROL})
    donors = {i: result for i, result in donations_of(old).items() if result in given}
    for i, (argument, new) in enumerate(zip(old.args, block.args, strict=False)):
        if not is_tensor(argument.type):
            placing.values[argument] = new
        elif i in donors:
            placing.place(argument, new, Memory(old.body.block, new))
        else:
            placing.places[argument] = Place(new, Memory(None))
    placing.body(old.body.block)
    last = old.body.block.last_op
    assert isinstance(last, func.ReturnOp)
    results = dict(zip(given, block.args[len(inputs) :], strict=True))
    written = {i: result for i, result in donors.items() if placing.is_all_of(last.arguments[result], block.args[i])}
    left = placing.returned(list(last.arguments), results, kept=frozenset(written.values()))
    for i, result in written.items():
        _copy_elsewhere(block.args[i], results[result], block)
    block.add_op(func.ReturnOp(*left))
    for op in [op for op in block.walk() if isinstance(op, memref.AllocOp) and not op.memref.uses]:
        Rewriter.erase_op(op)

    type_ = FunctionType.from_lists(list(block.arg_types), [value.type for value in left])
    new = func.FuncOp(old.sym_name.data, type_, Region(block), old.sym_visibility)
    new.attributes.update(old.attributes)
    attributes = _dictionaries(old.res_attrs, len(outputs))
    arguments = [*_dictionaries(old.arg_attrs, len(inputs))]
    for i, result in written.items():
        arguments[i][WRITTEN] = IntegerAttr(result, i64)
    arguments += [{**attributes[i], RESULT: IntegerAttr(i, i64)} for i in given]
    if any(arguments):
        new.properties["arg_attrs"] = ArrayAttr(DictionaryAttr(each) for each in arguments)
    kept = [each for i, each in enumerate(attributes) if i not in given]
    if any(kept):
        new.properties["res_attrs"] = ArrayAttr(DictionaryAttr(each) for each in kept)
    return new


def _copy_elsewhere(source: SSAValue, target: SSAValue, block: Block) -> None:
    """Copy what is done in place to the memory of a result, where the caller gives another one."""
    places = [memref.ExtractAlignedPointerAsIndexOp.get(value) for value in (source, target)]
    apart = arith.CmpiOp(places[0].aligned_pointer, places[1].aligned_pointer, "ne")
    copy = memref.CopyOp(source, target)
    block.add_ops([*places, apart, scf.IfOp(apart.result, [], Region(Block([copy, scf.YieldOp()])))])


def _dictionaries(given: ArrayAttr[DictionaryAttr] | None, count: int) -> list[dict[str, Attribute]]:
    return [dict(each.data) for each in given.data] if given is not None else [{} for _ in range(count)]
