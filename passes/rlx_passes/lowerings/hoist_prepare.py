"""
`rlx-hoist-prepare`: what depends on params and constants alone is computed once, in a function of its own.

The signatures and the names that bind the two functions are described in docs/design.md.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects import arith, func, tensor
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    IndexType,
    ModuleOp,
    StringAttr,
    SymbolRefAttr,
    TensorType,
)
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.traits import IsolatedFromAbove, is_side_effect_free

from rlx_dialect.constants import dense, is_dtype
from rlx_dialect.dtypes import dtype_of
from rlx_dialect.ops import ExpandOp, NarrowOp, ReshapeOp
from rlx_dialect.shapes import count, shaped
from rlx_dialect.signature import PARAM, PREPARE, PREPARED, arguments_of, fresh, keep_arguments, results_of
from rlx_passes.core.errors import Refusal
from rlx_passes.rewriting.evaluation import evaluated

FREE = (ExpandOp, NarrowOp, ReshapeOp, tensor.EmptyOp, arith.ConstantOp)
"""
Ops that save nothing when they are done ahead: views, and an expand, whose result is bigger. Both sides get a copy, as
of scalars, which no function takes.
"""

MOST_OPS = 256
"""By how many ops a constant may be computed."""

MOST_ELEMENTS = 1 << 20
"""How many elements each value on the way to it may have."""

MOST_BYTES = 1 << 16
"""How large it may be: beyond that the program is shorter with the ops, which are hoisted."""


@dataclass(frozen=True)
class HoistPreparePass(ModulePass):
    """
    Move the pure ops of each public function `@F` that depend on params and constants alone into
    `@F_prepare(params) -> (prepared)`.

        func.func @F(%x {rlx.input}, %w {rlx.param = "w"})       func.func @F_prepare(%w {rlx.param = "w"})
          %0 = rlx.transpose %w                             =>       -> ({rlx.prepared = "p0"})
          %1 = rlx.matmul %x, %0                                 func.func @F(%x {rlx.input}, %p0 {rlx.prepared = "p0"})

    Params that only hoisted ops read are no longer arguments of `@F`. What constants alone give becomes a constant
    first, computed by the reference, where it has at most 65,536 bytes, and 256 ops of at most 1,048,576 elements and
    no loops lead to it. A function that others call, or that was treated before, stays. Raises `Refusal` for an
    argument or a result of indices or of elements that are no dtype, which no entry of a bundle has.
    """

    name = "rlx-hoist-prepare"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = [each for each in op.body.block.ops if isinstance(each, func.FuncOp) and each.body.blocks]
        names = {each.sym_name.data for each in functions}
        referenced = _referenced(op)
        for function in functions:
            if _is_entry(function) and function.sym_name.data not in referenced:
                check_ends(function)
                hoist_prepare(function, names)


def _referenced(module: ModuleOp) -> set[str]:
    """The functions that something in the module names: a call, or `rlx.prepare`."""
    found: set[str] = set()
    for op in module.walk():
        for attribute in (*op.properties.values(), *op.attributes.values()):
            if isinstance(attribute, SymbolRefAttr):
                found.add(attribute.root_reference.data)
    return found


def _is_entry(function: func.FuncOp) -> bool:
    private = function.sym_visibility is not None and function.sym_visibility.data == "private"
    return not private and PREPARE not in function.attributes and len(function.body.blocks) == 1


def check_ends(function: func.FuncOp) -> None:
    """Raises `Refusal` for what a caller can neither give nor get."""
    ends = (("takes", arguments_of(function)), ("gives", results_of(function)))
    for verb, binding in ((verb, each) for verb, bindings in ends for each in bindings):
        ranked = isinstance(binding.type, TensorType)
        element = cast("TensorType[Attribute]", binding.type).element_type if ranked else binding.type
        index = isinstance(element, IndexType)
        if index or (ranked and not is_dtype(element)):
            raise Refusal(
                f"{verb} '{binding.name}' of type {binding.type}, which no entry does",
                "make it a tensor of i64" if index else "cast it to a dtype of the dialect",
                what=f"@{function.sym_name.data}",
                op=function,
            )


def hoist_prepare(function: func.FuncOp, names: set[str]) -> func.FuncOp | None:
    """
    Hoist out of one function; the new function, placed before it, or None where there is nothing to hoist.

    `names` are those of the functions of the module; that of the new one is added.
    """
    block = function.body.block
    fold(block)
    params = {arg for arg, binding in zip(block.args, arguments_of(function)) if binding.role == PARAM}
    prepared = _computed_ahead(block, params)
    if not prepared:
        return None
    return _split(function, _needed(block, prepared), prepared, names)


def fold(block: Block) -> None:
    """Replace what ops compute from constants alone, and others read, by constants."""
    values = _computed_ahead(block, ())
    for value in values:
        elements = count(shaped(value).dims)
        if elements is None or elements * dtype_of(shaped(value).element).size > MOST_BYTES:
            continue
        array = evaluated(value, MOST_OPS, MOST_ELEMENTS)
        if array is not None and isinstance(owner := value.owner, Operation):
            constant = arith.ConstantOp(dense(shaped(value).type, array))
            constant.location = owner.location
            block.insert_op_before(constant, owner)
            value.replace_all_uses_with(constant.result)
    _erase_unused(_needed(block, values))


def _computed_ahead(block: Block, params: Collection[SSAValue]) -> list[SSAValue]:
    """What ops compute from `params` and constants alone, at a cost, and others read, in order."""
    invariant = _invariant(block, params)
    hoisted = {op for op in invariant if not _is_free(op)}
    return [
        result
        for op in block.ops
        if op in hoisted
        for result in op.results
        if any(_stays(use.operation, hoisted, invariant) for use in result.uses)
    ]


def _is_free(op: Operation) -> bool:
    return isinstance(op, FREE) or not all(isinstance(result.type, TensorType) for result in op.results)


def _invariant(block: Block, params: Iterable[SSAValue]) -> dict[Operation, None]:
    """The pure ops that read nothing but params and results of such ops, in order."""
    values = set(params)
    found: dict[Operation, None] = {}
    for op in block.ops:
        closed = not op.regions or op.has_trait(IsolatedFromAbove)
        if closed and all(operand in values for operand in op.operands) and is_side_effect_free(op):
            found[op] = None
            values.update(op.results)
    return found


def _stays(user: Operation, hoisted: Collection[Operation], invariant: Collection[Operation]) -> bool:
    """Whether `user` will read the value in the function itself."""
    if user in hoisted:
        return False
    if user not in invariant:
        return True
    return any(_stays(use.operation, hoisted, invariant) for result in user.results for use in result.uses)


def _needed(block: Block, values: Sequence[SSAValue]) -> list[Operation]:
    """The ops of `block` that `values` depend on, in order."""
    wanted: set[Operation] = set()
    pending = [value.owner for value in values]
    while pending:
        op = pending.pop()
        if isinstance(op, Operation) and op not in wanted:
            wanted.add(op)
            pending += [operand.owner for operand in op.operands]
    return [op for op in block.ops if op in wanted]


def _split(
    function: func.FuncOp, ops: Sequence[Operation], prepared: Sequence[SSAValue], names: set[str]
) -> func.FuncOp:
    """Build the new function of copies of `ops`, and let `function` read its results."""
    block = function.body.block
    dicts = list(function.arg_attrs.data) if function.arg_attrs else [DictionaryAttr({}) for _ in block.args]
    read = {operand for op in ops for operand in op.operands if isinstance(operand, BlockArgument)}
    taken = [arg for arg in block.args if arg in read]

    body = Block(arg_types=[arg.type for arg in taken])
    copies: dict[SSAValue, SSAValue] = dict(zip(taken, body.args))
    for old, new in zip(taken, body.args):
        new.name_hint = old.name_hint
    for op in ops:
        body.add_op(op.clone(copies))
    body.add_op(func.ReturnOp(*(copies[value] for value in prepared)))
    labels = [DictionaryAttr({PREPARED: StringAttr(f"p{i}")}) for i in range(len(prepared))]
    name = fresh(f"{function.sym_name.data}_prepare", names)
    prepare = func.FuncOp(
        name,
        FunctionType.from_lists([arg.type for arg in taken], [value.type for value in prepared]),
        Region(body),
        arg_attrs=ArrayAttr([dicts[arg.index] for arg in taken]),
        res_attrs=ArrayAttr(labels),
    )
    if function.parent is not None:
        function.parent.insert_op_before(prepare, function)

    for value in prepared:
        argument = block.insert_arg(value.type, len(block.args))
        argument.name_hint = value.name_hint
        value.replace_all_uses_with(argument)
    _erase_unused(ops)
    function.update_function_type()
    function.arg_attrs = ArrayAttr([*dicts, *labels])
    keep_arguments(function, [arg.index for arg in block.args if arg.uses or arg not in taken])
    function.attributes[PREPARE] = SymbolRefAttr(name)
    return prepare


def _erase_unused(ops: Sequence[Operation]) -> None:
    for op in reversed(ops):
        if not any(result.uses for result in op.results):
            op.detach()
            op.erase()
