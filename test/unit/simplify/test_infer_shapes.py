"""Every op follows its operands: sizes erased from its results come back."""

from pathlib import Path

import pytest
from programs import context, parse
from xdsl.dialects.builtin import FunctionType, ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Operation
from xdsl.rewriter import Rewriter

from rlx_dialect.description.facts import accepted
from rlx_dialect.ops import RlxOp
from rlx_dialect.shapes import DYNAMIC, compatible, shaped
from rlx_dialect.xdsl_repairs import retype, verify_dominance
from rlx_passes.simplify.infer_shapes import InferShapesPass

EXAMPLES = Path(__file__).parents[2] / "filecheck" / "dialect"
FILES = sorted(path for path in EXAMPLES.glob("*.mlir") if not path.stem.endswith("_invalid"))


def follows(op: Operation) -> bool:
    """Whether a rule gives all result sizes from operands; none may be forgotten where both have one type."""
    if not isinstance(op, RlxOp) or op.regions:
        return False
    definition = type(op).get_irdl_definition()
    names = {name for name, _ in definition.operands}
    one_type = any("VarConstraint" in repr(field.constr) for _, field in definition.results)
    return "sizes" not in names and not one_type


def without_results(func: FuncOp) -> None:
    """Returned values keep their types: here nothing is returned."""
    for op in list(func.walk()):
        if isinstance(op, ReturnOp):
            Rewriter.replace_op(op, ReturnOp())
    func.function_type = FunctionType.from_lists(list(func.function_type.inputs), [])
    func.res_attrs = None


def erased(module: ModuleOp) -> dict[Operation, list[tuple[int, ...]]]:
    """Forget the sizes of results; what was forgotten."""
    before: dict[Operation, list[tuple[int, ...]]] = {}
    for op in module.walk():
        if isinstance(op, RlxOp) and follows(op) and not isinstance(op.parent_op(), RlxOp):
            # What the rule says before anything is forgotten.
            before[op] = [rule.dims for rule in op.infer()]
    for op in before:
        for result in op.results:
            value = shaped(result)
            retype(result, value.with_dims((DYNAMIC,) * value.rank).type)
    return before


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_sizes_come_back(path: Path):
    for chunk in accepted(path):
        module = parse(chunk, path.name)
        for op in module.body.ops:
            if isinstance(op, FuncOp) and op.body.blocks:
                without_results(op)
        before = erased(module)
        InferShapesPass().apply(context(), module)
        module.verify()
        verify_dominance(module)
        for op, dims in before.items():
            for result, expected in zip(op.results, dims):
                got = shaped(result).dims
                read_outside = any(not isinstance(use.operation, RlxOp) for use in result.uses)
                assert all(map(compatible, got, expected)), op
                assert read_outside or got.count(DYNAMIC) <= expected.count(DYNAMIC), op
        text = str(module)
        InferShapesPass().apply(context(), module)
        assert str(module) == text
