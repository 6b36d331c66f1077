"""What the function of a read module says of its sizes."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, ModuleOp, StringAttr, i64
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from rlx_dialect.builder import Graph
from rlx_dialect.dims import Dim
from rlx_dialect.signature import DIMS, donate, find_function
from rlx_passes.frontends.torch.naming import renamed
from rlx_passes.frontends.torch.program import ArgumentSource, Program
from rlx_passes.rewriting.patterns import sweep


def finished(graph: Graph, arguments: Mapping[SSAValue, ArgumentSource], program: Program) -> ModuleOp:
    """
    The verified module of a graph, less what nobody reads, with `rlx.dims` on inputs with run-time sizes. Inputs that
    the program writes to are given up for what they then hold.
    """
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
            IntegerAttr(size, i64) if isinstance(size, int) else StringAttr(renamed(str(size), program.dims))
            for size in source.spec.dims
        ]
        attrs[i] = DictionaryAttr({**attrs[i].data, DIMS: ArrayAttr(dims)})
    func.arg_attrs = ArrayAttr(attrs)
    places = {source.node: i for i, value in enumerate(func.args) if (source := arguments.get(value)) is not None}
    donors = [(places.get(output.donor), i) for i, output in enumerate(program.body.outputs)]
    inputs, outputs = func.function_type.inputs.data, func.function_type.outputs.data
    donate(func, {donor: i for donor, i in donors if donor is not None and inputs[donor] == outputs[i]})
    module.verify()
    return module
