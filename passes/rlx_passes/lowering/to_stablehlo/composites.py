"""Ops that stand for several plain ones, as `stablehlo.composite`: the op keeps its name and attributes, a private function says what it computes."""

from collections.abc import Iterator

from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region
from xdsl.rewriter import Rewriter

from rlx_dialect.decompose import Decomposition, composite_ops, decompose
from rlx_dialect.shapes import DYNAMIC
from rlx_passes.frontend.stablehlo.control_flow import CompositeOp
from rlx_passes.lowering.errors import LoweringError

Key = tuple[str, tuple[Attribute, ...], tuple[Attribute, ...], tuple[tuple[str, Attribute], ...]]


def outline_composites(module: ModuleOp) -> None:
    """
    Replace every op that has a decomposition by a composite of the same name, its attributes as `composite_attributes`, and a private function of plain
    ops. Ops with equal types and attributes share one function. An op with a body, which its attributes do not describe, becomes its plain ops.
    """
    for op in reversed([op for op in _composite_ops(module) if op.regions]):
        _inline(op)
    taken = {op.sym_name.data for op in module.body.ops if isinstance(op, FuncOp)}
    functions: dict[Key, str] = {}
    pending = list(_composite_ops(module))
    while pending:
        op = pending.pop(0)
        key = (
            op.name,
            tuple(operand.type for operand in op.operands),
            tuple(result.type for result in op.results),
            tuple(sorted(op.properties.items())),
        )
        if key not in functions:
            functions[key] = _fresh(f"{op.name}.decomposition", taken)
            function = _decomposition(op, functions[key])
            module.body.block.add_op(function)
            pending += _composite_ops(function)
        composite = CompositeOp(op.name, op.operands, key[2], op.properties, functions[key])
        composite.location = op.location
        composite.attributes = dict(op.attributes)
        Rewriter.replace_op(op, composite)


def _composite_ops(root: Operation) -> Iterator[Operation]:
    return (op for op in root.walk() if type(op) in composite_ops())


def _inline(op: Operation) -> None:
    """The plain ops of `op` in its place."""
    parts = _plain(op, op)
    for part in parts.ops:
        part.location = op.location
    Rewriter.replace_op(op, parts.ops, parts.results)


def _plain(op: Operation, written: Operation) -> Decomposition:
    """The plain form of `op`, which stands for `written` in the program. Raises `LoweringError` where it has none."""
    parts = decompose(op)
    if not isinstance(parts, Decomposition):
        if all(_is_known(value.type) for value in (*op.operands, *op.results)):
            raise LoweringError(written, "has no StableHLO form with these types and sizes")
        raise LoweringError(
            written,
            "has a size that is only known at run time, so it cannot be written in plain ops: make its sizes static",
        )
    return parts


def _is_known(type: Attribute) -> bool:
    """Whether no size of a type is only known at run time."""
    return not isinstance(type, TensorType) or DYNAMIC not in type.get_shape()


def _fresh(wanted: str, taken: set[str]) -> str:
    name, number = wanted, 0
    while name in taken:
        number += 1
        name = f"{wanted}_{number}"
    taken.add(name)
    return name


def _decomposition(op: Operation, name: str) -> FuncOp:
    """A private function that does in plain ops what `op` does."""
    block = Block(arg_types=[operand.type for operand in op.operands])
    copy = op.clone(dict(zip(op.operands, block.args)))
    parts = _plain(copy, op)
    copy.drop_all_references()
    for part in parts.ops:
        part.location = op.location
    block.add_ops([*parts.ops, ReturnOp(*parts.results)])
    inputs, outputs = [argument.type for argument in block.args], [result.type for result in op.results]
    return FuncOp(name, (inputs, outputs), Region(block), "private")
