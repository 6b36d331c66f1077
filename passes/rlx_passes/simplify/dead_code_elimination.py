"""`rlx-dead-code-elimination`"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, SymbolRefAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from rlx_dialect.signature import keep_arguments
from rlx_passes.core.index import PatternPass, forget_index
from rlx_passes.rewriting.patterns import swept


@dataclass(frozen=True)
class DeadCodeEliminationPass(PatternPass):
    """
    Erase every op that has no effect and of which no result is read, nested regions included.

    Arguments stay, whether they are read or not; `compat-signatures` drops unread ones of unreferenced functions.
    """

    name = "rlx-dead-code-elimination"

    compat_signatures: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        swept(op, PatternRewriter(InsertPoint.at_start(op.body.block)))
        if self.compat_signatures:
            drop_unused_arguments(op)
            forget_index()


def drop_unused_arguments(module: ModuleOp) -> None:
    """Drop arguments that nothing reads, with their attributes, of functions that nothing in the module refers to."""
    functions: list[FuncOp] = []
    referred: set[str] = set()
    for op in module.walk():
        if isinstance(op, FuncOp) and op.body.blocks:
            functions.append(op)
        for attribute in (*op.properties.values(), *op.attributes.values()):
            referred.update(_symbols(attribute))
    for func in functions:
        if func.sym_name.data not in referred:
            arguments = func.body.blocks[0].args
            keep_arguments(func, [i for i, argument in enumerate(arguments) if argument.first_use is not None])


def _symbols(attribute: Attribute) -> Iterator[str]:
    """The symbols that an attribute refers to, inside lists and dictionaries too."""
    if isinstance(attribute, SymbolRefAttr):
        yield attribute.root_reference.data
    elif isinstance(attribute, ArrayAttr):
        for item in cast(ArrayAttr[Attribute], attribute):
            yield from _symbols(item)
    elif isinstance(attribute, DictionaryAttr):
        for item in attribute.data.values():
            yield from _symbols(item)
