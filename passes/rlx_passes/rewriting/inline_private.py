"""Calls of private functions replaced by what those functions do."""

from collections.abc import Iterator
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, SymbolRefAttr
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from rlx_passes.core.index import Index
from rlx_passes.dialects.stablehlo.control_flow import CompositeOp

Call = CallOp | CompositeOp


def inline_private_calls(module: ModuleOp) -> None:
    """
    Inline every call of a private function that has one block, and every composite, innermost first; then erase the
    private functions that nothing names any more.

    A function that calls itself, directly or through others, stays, and so do its calls.
    """
    functions = {op.sym_name.data: op for op in module.body.ops if isinstance(op, FuncOp)}
    inlinable = {name: func for name, func in functions.items() if _is_inlinable(func)}
    for name in _callees_first(functions) if Index(module).of(CallOp, CompositeOp) else ():
        for call in list(_calls(functions[name])):
            callee = inlinable.get(_callee(call))
            if callee is not None:
                _inline(call, callee)
        if name in inlinable and any(_callee(call) in inlinable for call in _calls(functions[name])):
            del inlinable[name]
    _erase_unnamed(module, set(inlinable))


def _is_inlinable(func: FuncOp) -> bool:
    private = func.sym_visibility is not None and func.sym_visibility.data == "private"
    return private and len(func.body.blocks) == 1 and isinstance(func.body.block.last_op, ReturnOp)


def _calls(func: FuncOp) -> Iterator[Call]:
    return (op for op in func.walk() if isinstance(op, CallOp | CompositeOp))


def _callee(call: Call) -> str:
    symbol = call.callee if isinstance(call, CallOp) else call.decomposition
    return symbol.string_value()


def _callees_first(functions: dict[str, FuncOp]) -> list[str]:
    """The names ordered so that a function comes after those it calls, as far as there are no cycles; iterative."""
    callees = {name: [_callee(call) for call in _calls(func)] for name, func in functions.items()}
    order: dict[str, None] = {}
    open_names: set[str] = set()
    pending = [(name, False) for name in reversed(functions)]
    while pending:
        name, done = pending.pop()
        if done:
            order[name] = None
        elif name in functions and name not in open_names:
            open_names.add(name)
            pending.append((name, True))
            pending += [(callee, False) for callee in reversed(callees[name])]
    return list(order)


def _inline(call: Call, callee: FuncOp) -> None:
    body = callee.body.block
    values: dict[SSAValue, SSAValue] = dict(zip(body.args, call.operands, strict=True))
    copies = [op.clone(values) for op in body.ops if not isinstance(op, ReturnOp)]
    terminator = cast(ReturnOp, body.last_op)
    results = [values.get(value, value) for value in terminator.operands]
    Rewriter.insert_op(copies, InsertPoint.before(call))
    Rewriter.replace_op(call, [], results)


def _erase_unnamed(module: ModuleOp, candidates: set[str]) -> None:
    """Erase the functions among `candidates` that no remaining op names, again until all that are left are named."""
    while candidates:
        named = set(named_symbols(module))
        unnamed = [
            op
            for op in module.body.ops
            if isinstance(op, FuncOp) and op.sym_name.data in candidates and op.sym_name.data not in named
        ]
        if not unnamed:
            return
        for op in unnamed:
            candidates.discard(op.sym_name.data)
            Rewriter.erase_op(op)


def named_symbols(root: Operation) -> Iterator[str]:
    """The symbols that ops below `root` name, nested attributes included."""
    for op in root.walk():
        for attribute in (*op.properties.values(), *op.attributes.values()):
            yield from _symbols(attribute)


def _symbols(attribute: Attribute) -> Iterator[str]:
    """The symbols that an attribute names, nested ones included."""
    if isinstance(attribute, SymbolRefAttr):
        yield attribute.root_reference.data
    elif isinstance(attribute, ArrayAttr):
        for item in cast("ArrayAttr[Attribute]", attribute).data:
            yield from _symbols(item)
    elif isinstance(attribute, DictionaryAttr):
        for item in attribute.data.values():
            yield from _symbols(item)
