"""Composite ops as `stablehlo.composite`: name and attributes are kept, a private function says what it computes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Self

from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from rlx_dialect.decompose import composite_ops, decompose
from rlx_passes.core.errors import Refusal
from rlx_passes.dialects.stablehlo.control_flow import CompositeOp
from rlx_passes.lowerings.to_stablehlo.emitter import StableEmitter, erased, settle, told
from rlx_passes.rewriting.conversion import Conversion, Rules, placed, without_form

Key = tuple[str, tuple[Attribute, ...], tuple[Attribute, ...], tuple[tuple[str, Attribute], ...]]


@dataclass
class Composites:
    """The private functions of a module. Composites with equal types and attributes share one."""

    taken: set[str] = field(default_factory=set[str])
    names: dict[Key, str] = field(default_factory=dict[Key, str])
    pending: list[tuple[FuncOp, Refusal]] = field(default_factory=list[tuple[FuncOp, Refusal]])
    """Those that hold unconverted ops, each with what is refused where one of them is."""


@dataclass
class StableHLOEmitter(StableEmitter):
    """With the functions of composites."""

    composites: Composites = field(default_factory=Composites)

    def inside(self, block: Block) -> Self:
        new = super().inside(block)
        new.composites = self.composites
        return new


def convert_module(module: ModuleOp, conversion: Conversion) -> None:
    """Convert every function of `module`, in place, and those that composites need in addition."""
    taken = {op.sym_name.data for op in module.body.ops if isinstance(op, FuncOp)}
    emit = StableHLOEmitter(module.body.block, conversion, Composites(taken))
    emit.convert(module.body.block)
    for function, written in emit.composites.pending:
        try:
            emit.lower(function)
        except Refusal as fault:
            raise Refusal(
                f"becomes {fault.what}, which {fault.reason}",
                fault.advice,
                what=written.what,
                where=written.where,
                op=written.op,
            ) from fault
    settle(module, conversion.advice)


def _composite(op: Operation, emit: StableHLOEmitter) -> Sequence[SSAValue]:
    """An op with a body, which its attributes do not describe, or with sizes that it is given becomes its plain ops."""
    if op.regions or not all(isinstance(value.type, TensorType) for value in op.operands):
        return emit.require_plain(op)
    composites = emit.composites
    key = (op.name, tuple(map(erased, op.operand_types)), tuple(op.result_types), tuple(sorted(op.properties.items())))
    if key not in composites.names:
        composites.names[key] = _fresh(f"{op.name}.decomposition", composites.taken)
        function = _decomposition(op, composites.names[key], emit.conversion.form)
        composites.pending.append((function, placed(Refusal(""), op, emit.conversion.advice)))
    types = [told(result).type for result in op.results]
    return emit.add(CompositeOp(op.name, op.operands, types, op.properties, composites.names[key])).results


def _fresh(wanted: str, taken: set[str]) -> str:
    name, number = wanted, 0
    while name in taken:
        number += 1
        name = f"{wanted}_{number}"
    taken.add(name)
    return name


def _decomposition(op: Operation, name: str, form: str) -> FuncOp:
    """A private function that does in plain ops what `op` does."""
    types = list(map(erased, op.operand_types))
    block = Block(arg_types=types)
    copy = op.clone(dict(zip(op.operands, block.args)))
    parts = decompose(copy, wide=True)
    if parts is None:
        raise without_form(op, form)
    copy.drop_all_references()
    for part in parts.ops:
        part.location = op.location
    block.add_ops([*parts.ops, ReturnOp(*parts.results)])
    return FuncOp(name, (types, op.result_types), Region(block), "private")


def rules() -> Rules:
    """By op class, for every op that has a plain form."""
    return dict.fromkeys(composite_ops(), _composite)
