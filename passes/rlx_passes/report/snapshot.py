"""Telling whether a pass changed a module, without printing it."""

from typing import TypeAlias

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation, SSAValue

OpState: TypeAlias = tuple[
    Operation, Operation | None, tuple[SSAValue, ...], tuple[Attribute, ...], tuple[tuple[str, Attribute], ...]
]
Snapshot: TypeAlias = list[OpState]
"""The ops in order, each with parent, operands, result types and attributes. Equal for an unchanged module."""


def snapshot(module: ModuleOp) -> Snapshot:
    """The state of every op of `module`. It keeps the ops alive, so that none can be mistaken for a later one."""
    return [
        (
            op,
            op.parent_op(),
            tuple(op.operands),
            tuple(result.type for result in op.results),
            (*op.properties.items(), *op.attributes.items()),
        )
        for op in module.walk()
    ]
