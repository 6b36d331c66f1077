"""What the function of a read module says of its sizes."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, ModuleOp, StringAttr, i64
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from rlx_dialect.builder import Graph
from rlx_dialect.dims import Dim
from rlx_dialect.signature import DIMS, find_function
from rlx_passes.frontends.torch.naming import renamed
from rlx_passes.frontends.torch.program import ArgumentSource
from rlx_passes.rewriting.patterns import sweep


def finished(graph: Graph, arguments: Mapping[SSAValue, ArgumentSource], names: Mapping[str, str]) -> ModuleOp:
    """The verified module of a graph, less what nobody reads, with `rlx.dims` on inputs with run-time sizes."""
    module = graph.module()
    sweep(list(module.walk()), PatternRewriter(InsertPoint.at_start(module.body.block)))
    func = find_function(module)
    if func.arg_attrs is None:
        return module
    attrs = list(func.arg_attrs)
    for i, argument in enumerate(func.args):
        source = arguments.get(argument)
        if source is None or not any(isinstance(size, Dim) for size in source.spec.dims):
            continue
        dims = [
            IntegerAttr(size, i64) if isinstance(size, int) else StringAttr(renamed(str(size), names))
            for size in source.spec.dims
        ]
        attrs[i] = DictionaryAttr({**attrs[i].data, DIMS: ArrayAttr(dims)})
    func.arg_attrs = ArrayAttr(attrs)
    module.verify()
    return module
