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
    pending = [
        op for region in reversed(root.regions) for block in reversed(region.blocks) for op in reversed(block.ops)
    ]
    while pending:
        op = pending.pop()
        if _is_node(type(op)):
            yield op
        if op.regions and op.name not in OPAQUE:
            pending += [
                inner
                for region in reversed(op.regions)
                for block in reversed(region.blocks)
                for inner in reversed(block.ops)
            ]


@cache
def _is_node(kind: type[Operation]) -> bool:
    return not issubclass(kind, FuncOp | ModuleOp) and not kind.has_trait(IsTerminator)


def count(module: ModuleOp) -> Mapping[str, int]:
    """
    How often each kind of node occurs in `module`, by op name; `nodes` counts all of them and the functions' arguments.

    Activations and binary ops count a second time with their kind, as `rlx.activation silu`.
    """
    counts = Counter[str]()
    for op in nodes(module):
        counts["nodes"] += 1
        counts[op.name] += 1
        kind = op.properties.get("kind")
        if isinstance(kind, StringAttr):
            counts[f"{op.name} {kind.data}"] += 1
    for op in module.walk():
        if isinstance(op, FuncOp) and op.body.blocks:
            counts["nodes"] += len(op.body.blocks[0].args)
    return counts
