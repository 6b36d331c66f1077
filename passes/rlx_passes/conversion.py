"""
Conversions between dialects: one rule an op kind, one sweep over the program.

A rule takes an op and an `Emitter` and returns the values that stand for the op's results. It raises `Declined` for an op that it cannot
express; the op then stays, and who asked for the conversion hears why.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from xdsl.dialects.builtin import LocationAttr, TensorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from rlx_dialect.shapes import ShapeError, compatible, of_type
from rlx_dialect.xdsl_repairs import retype

OpT = TypeVar("OpT", bound=Operation)


class Declined(Exception):
    """An op that a rule cannot express; the text says why."""


class Emitter:
    """Collects new ops in order, each with the location of the op they stand for."""

    def __init__(self, location: LocationAttr):
        self.ops: list[Operation] = []
        self.location = location

    def add(self, op: OpT) -> OpT:
        """Take `op` as the next one."""
        op.location = self.location
        self.ops.append(op)
        return op

    def __call__(self, op: Operation) -> SSAValue:
        """Take `op` as the next one; its first result."""
        return self.add(op).results[0]


Rule = Callable[[Any, Emitter], SSAValue | Sequence[SSAValue]]
Rules = Mapping[type[Operation], Rule]
Listener = Callable[[Operation, str], None]


@dataclass(frozen=True)
class Conversion(RewritePattern):
    """The rules as a pattern for anybody's walker. `declined` hears of each op that a rule declines."""

    rules: Rules
    declined: Listener

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        rule = self.rules.get(type(op))
        if rule is None:
            return
        emit = Emitter(op.location)
        try:
            converted = rule(op, emit)
            values = [converted] if isinstance(converted, SSAValue) else list(converted)
            _take_types(op, values, emit.ops)
        except (Declined, ShapeError) as reason:
            _discard(op, emit.ops)
            self.declined(op, str(reason))
            return
        _carry_over(op, values, emit.ops)
        rewriter.replace(op, emit.ops, values)


def _discard(op: Operation, new: Sequence[Operation]) -> None:
    """Erase new ops, and let go of the operands of ops whose constructors failed."""
    for value in (*op.operands, *(result for each in new for result in each.results)):
        for use in tuple(value.uses):
            if use.operation.parent is None and use.operation not in new:
                use.operation.drop_all_references()
    for each in reversed(new):
        each.erase()


def _take_types(op: Operation, values: Sequence[SSAValue], new: Sequence[Operation]) -> None:
    """Declare new values as the old ones were, where they differ only in sizes that one of them does not know."""
    for old, value in zip(op.results, values, strict=True):
        declared: Attribute = old.type
        given: Attribute = value.type
        if given == declared:
            continue
        if not _refines(given, declared):
            raise Declined(f"gives {given} where {declared} is declared")
        if value.owner in new:
            retype(value, declared)


def _refines(a: Attribute, b: Attribute) -> bool:
    """Whether two tensor types differ only in sizes that one of them does not know."""
    if not isinstance(a, TensorType) or not isinstance(b, TensorType):
        return False
    x, y = of_type(cast("TensorType[Attribute]", a)), of_type(cast("TensorType[Attribute]", b))
    return x.element == y.element and x.rank == y.rank and all(map(compatible, x.dims, y.dims))


def _carry_over(op: Operation, values: Sequence[SSAValue], new: Sequence[Operation]) -> None:
    """Names and foreign attributes go over to what stands for the op, if that is new."""
    for old, value in zip(op.results, values):
        if value.owner in new:
            value.name_hint = value.name_hint or old.name_hint
    if new:
        for name, attribute in op.attributes.items():
            new[-1].attributes.setdefault(name, attribute)


def convert_ops(root: Operation, rules: Rules, declined: Listener, *, opaque: Iterable[type[Operation]] = ()) -> None:
    """
    Apply the rules to every op below `root` once, in program order; bodies of `opaque` ops and of replaced ops are left alone.

    Iterative, so that deep nesting is no problem.
    """
    pattern, closed = Conversion(rules, declined), tuple(opaque)
    pending = [
        op for region in reversed(root.regions) for block in reversed(region.blocks) for op in reversed(list(block.ops))
    ]
    while pending:
        op = pending.pop()
        pattern.match_and_rewrite(op, PatternRewriter(op))
        if op.parent is None or isinstance(op, closed):
            continue
        for region in reversed(op.regions):
            for block in reversed(region.blocks):
                pending += reversed(list(block.ops))
