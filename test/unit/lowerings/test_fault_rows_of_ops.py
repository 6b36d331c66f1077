"""Ops that models need and that had no code: examples of the dialect with unknown sizes, compiled."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from programs import parse
from tools import need_module, sampled
from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import IndexType, ModuleOp, StringAttr, TensorType, i64
from xdsl.dialects.func import FuncOp
from xdsl.rewriter import Rewriter

import rlx_passes
from rlx_dialect.description.facts import accepted

DIALECT = Path(__file__).parents[2] / "filecheck" / "dialect"


def functions() -> Iterator[tuple[str, ModuleOp]]:
    """Each function that has results, alone in a module, by file and name."""
    for path in sorted(DIALECT.glob("*.mlir")):
        for text in accepted(path) if "invalid" not in path.stem else ():
            for func in parse(text, path.name).ops:
                if isinstance(func, FuncOp) and func.function_type.outputs and not func.is_declaration:
                    alone = func.clone()
                    alone.sym_name = StringAttr("main")  # XLA runs no other
                    _take_sizes_as_tensors(alone)
                    yield f"{path.stem}-{func.sym_name.data}", ModuleOp([alone])


def _take_sizes_as_tensors(func: FuncOp) -> None:
    """A size that is an argument becomes an element of one, since a program takes tensors."""
    first = func.body.block.first_op
    for argument in func.body.block.args:
        if isinstance(argument.type, IndexType) and first is not None:
            size = Rewriter.replace_value_with_new_type(argument, TensorType(i64, []))
            element = tensor.ExtractOp(size, [], i64)
            index = arith.IndexCastOp(element.result, IndexType())
            size.replace_uses_with_if(index.result, lambda use, element=element: use.operation is not element)
            func.body.block.insert_ops_before([element, index], first)
    func.update_function_type()


F20 = (
    "complex-parts", "cumulative-cumsum", "filling-iota", "general_indexing-rows", "general_indexing-scattered_windows",
    "indexing-gather_nd", "indexing-scatter_elements_of_unknown_many", "indexing-scatter_nd_of_elements",
    "movement-roll", "random-normal", "sorting-argsort", "sorting-histogram", "sorting-smallest_of_unknown_many",
    "sorting-sort",
)  # fmt: skip
MODULES = {name: module for name, module in functions() if name in F20}


@sampled(5)
@pytest.mark.parametrize("target", ["cpu", "mlx"])
@pytest.mark.parametrize("name", F20)
def test_f20_ops_that_models_need_become_code(name: str, target: str):
    if target == "cpu":
        need_module("llvmlite")
    else:
        need_module("mlx")
    assert rlx_passes.compile(MODULES[name], target, origin="rlx").entry.outputs
