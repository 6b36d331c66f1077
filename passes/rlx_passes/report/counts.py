"""Counting the nodes of a program as reports do: arguments, constants and ops, without terminators."""

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.traits import IsTerminator

OPAQUE = frozenset({"rlx.elementwise_region", "rlx.batch_elementwise_region", "rlx.transform_region"})
"""Region ops that count as one node, whatever they hold."""


def nodes(root: Operation) -> Iterator[Operation]:
    """The ops below `root` in program order: no functions, no terminators, no bodies of fused regions."""
    pending = _starts(root)
    while pending:
        op = pending.pop()
        while op is not None:
            if _is_node(type(op)):
                yield op
            if op.regions and op.name not in OPAQUE:
                pending += (op.next_op, *_starts(op))
                break
            op = op.next_op


def _starts(op: Operation) -> list[Operation | None]:
    """The first op of each block, the last block first."""
    return [block.first_op for region in reversed(op.regions) for block in reversed(region.blocks)]


@cache
def _is_node(kind: type[Operation]) -> bool:
    return not issubclass(kind, FuncOp | ModuleOp) and not kind.has_trait(IsTerminator)


def count(module: ModuleOp) -> Mapping[str, int]:
    """
    How often each kind of node occurs in `module`, by op name; `nodes` counts all of them and the functions' arguments.

    Activations and binary ops count a second time with their kind, as `rlx.activation silu`.
    """
    counts = Counter[str]()
    kinds = Counter[tuple[str, str]]()
    for op in nodes(module):
        counts[op.name] += 1
        kind = op.properties.get("kind")
        if kind is not None and isinstance(kind, StringAttr):
            kinds[op.name, kind.data] += 1
    counts["nodes"] = counts.total()
    counts.update({f"{name} {kind}": number for (name, kind), number in kinds.items()})
    for function in bodies(module):
        counts["nodes"] += len(function.args)
    return counts


def bodies(module: ModuleOp) -> Iterator[FuncOp]:
    """The functions in `module` that have a body, in program order."""
    return (op for op in module.walk() if op.regions and isinstance(op, FuncOp) and op.body.blocks)
