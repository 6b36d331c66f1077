"""`rlx-lower-control-flow`"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from xdsl.context import Context
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import AnyFloat, ModuleOp, TensorType, UnknownLoc
from xdsl.ir import Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from rlx_dialect.attributes import BinaryKind
from rlx_dialect.canonicalize.folding import folded
from rlx_dialect.canonicalize.movement import fixed_slice
from rlx_dialect.constants import scalar
from rlx_dialect.decompose.plain import Decomposition, Plain
from rlx_dialect.ops import DynamicSliceOp, IfOp, ReshapeOp, WhereOp, WhileOp, YieldOp
from rlx_dialect.shapes import DYNAMIC
from rlx_passes.core.errors import PipelineError
from rlx_passes.core.index import PatternPass, forget_index
from rlx_passes.fusion.steps import BOUNDARY, require_equal_dims
from rlx_passes.rewriting.effects import is_dead, is_pure
from rlx_passes.rewriting.legality import NO_FUSE, dims_of, require, require_pure
from rlx_passes.rewriting.miss import Miss, Reason, report_miss
from rlx_passes.rewriting.patterns import sweep, swept

Speculate = Literal["pure", "always", "never"]


def inlined(to: Plain, region: Region, arguments: Sequence[SSAValue]) -> list[SSAValue]:
    """Copies of the ops of `region` on `arguments`; what it yields."""
    block = region.block
    value_of = dict[SSAValue, SSAValue](zip(block.args, arguments))
    for op in block.ops:
        if isinstance(op, YieldOp):
            return [value_of.get(value, value) for value in op.arguments]
        to.add(op.clone(value_of))
    return []


def told(to: Plain, region: Region, arguments: Sequence[SSAValue]) -> list[SSAValue]:
    """As `inlined`, but integers that follow from constants are constants, and slices from there are fixed ones."""
    block = region.block
    value_of = dict[SSAValue, SSAValue](zip(block.args, arguments))
    for op in block.ops:
        if isinstance(op, YieldOp):
            return [value_of.get(value, value) for value in op.arguments]
        copy = op.clone(value_of)
        new = known_integers(copy) or (fixed_slice(copy) if isinstance(copy, DynamicSliceOp) else None)
        if new is None:
            to.add(copy)
            continue
        values = [new] if isinstance(new, SSAValue) else new.results
        if isinstance(new, Operation):
            new.location = op.location
            to.add(new)
        copy.erase(safe_erase=False)
        value_of.update(zip(op.results, values))
    return []


def known_integers(op: Operation) -> Operation | None:
    """The constant that an op gives whose one result is no float and follows from constants."""
    if len(op.results) != 1 or not isinstance(type := op.results[0].type, TensorType) or type.get_shape():
        return None
    if isinstance(type.get_element_type(), AnyFloat) or (constants := folded(op)) is None:
        return None
    return constants[0]


def selected(to: Plain, condition: SSAValue, chosen: SSAValue, other: SSAValue) -> SSAValue:
    """`chosen` where the one element of `condition` holds, else `other`."""
    if chosen is other:
        return chosen
    if len(dims_of(condition)) > len(dims_of(chosen)):
        condition = to.add(ReshapeOp(condition, ())).result
    return to.add(WhereOp(condition, chosen, other)).result


def require_arguments(region: Region, values: Sequence[SSAValue]) -> None:
    """The arguments of `region` have the very types of `values`. Raises `Miss` otherwise."""
    for argument, value in zip(region.block.args, values):
        require(argument.type == value.type, Reason.TYPE_CHANGES, value)


@dataclass(frozen=True)
class FlattenIf:
    """
    %0 = rlx.if %p(%a = %x) {            %1 = rlx.activation relu %x
      %1 = rlx.activation relu %a    =>  %2 = rlx.activation exp %x
      rlx.yield %1                       %0 = rlx.where %p, %1, %2
    } else(%b) {..exp..}

    Both branches run, so neither has effects; unless `always`, each has at most `max_ops` ops, no product among them.
    """

    title = "if"

    always: bool = False
    max_ops: int = 16

    def match(self, op: IfOp) -> Decomposition:
        """The plain form of `op`. Raises `Miss` where it must stay."""
        require(NO_FUSE not in op.attributes, Reason.NO_FUSE, op)
        require_pure(op)
        for region in (op.then, op.otherwise):
            require_arguments(region, op.captures)
            if not self.always:
                self.require_small(op, region)
        for result, first, second in zip(op.results, _given(op.then), _given(op.otherwise)):
            require_equal_dims(first, second)
            require(first.type == result.type, Reason.TYPE_CHANGES, result)

        to = Plain()
        pairs = zip(inlined(to, op.then, op.captures), inlined(to, op.otherwise, op.captures))
        return to.done(*(selected(to, op.condition, *pair) for pair in pairs))

    def require_small(self, op: IfOp, region: Region) -> None:
        inner = list(region.walk())
        require(
            len(inner) <= self.max_ops + 1, Reason.TOO_LARGE, op, detail=lambda: f"a branch has {len(inner) - 1} ops"
        )
        for each in inner:
            require(
                each.name not in BOUNDARY, Reason.TOO_LARGE, each, detail="it would run whether it is needed or not"
            )


def _given(region: Region) -> Sequence[SSAValue]:
    last = region.block.last_op
    return () if last is None else last.operands


@dataclass(frozen=True)
class UnrollWhile:
    """
    A loop of at most N rounds as N copies of its body, each of which counts only where every condition up to it holds.
    Of a counter that starts at a constant nothing is left: its rounds are known, and so is what they slice.

    `nest` is how many copies of the innermost body there would be if the loops around this one and inside of it were
    unrolled too: either all of them are or none, so that a second run has nothing left to do.
    """

    title = "while"

    limit: int = 16

    def match(self, op: WhileOp, nest: int) -> Decomposition:
        """The plain form of `op`. Raises `Miss` where it must stay."""
        require(NO_FUSE not in op.attributes, Reason.NO_FUSE, op)
        rounds = op.limit
        if rounds is None:
            raise Miss(Reason.LOOP_BOUND, op)
        require(max(rounds, nest) <= self.limit, Reason.LOOP_BOUND, op, detail=lambda: f"{max(rounds, nest)} rounds")
        for region in (op.cond, op.body):
            require_arguments(region, op.operands)
            for inner in region.block.ops:
                require(is_pure(inner), Reason.EFFECTS, inner)
        for value, result in zip(op.carried, op.results):
            require(DYNAMIC not in dims_of(value), Reason.DYNAMIC, value)
            require(value.type == result.type, Reason.TYPE_CHANGES, result)

        to, values = Plain(), list[SSAValue](op.carried)
        active: SSAValue | None = None
        for _ in range(rounds):
            (goes_on,) = told(to, op.cond, [*values, *op.captures])
            certain = scalar(goes_on) if isinstance(goes_on.owner, ConstantOp) else None
            if certain == 0:
                break
            if certain is None:
                active = goes_on if active is None else to.binary(BinaryKind.BIT_AND, active, goes_on)
            given = told(to, op.body, [*values, *op.captures])
            if active is not None:
                given = [selected(to, active, new, old) for new, old in zip(given, values)]
            values = given
        return to.done(*values)


@dataclass(frozen=True)
class LowerControlFlowPass(PatternPass):
    """
    Turn small conditionals and short loops into plain ops; all others stay as they are.

    `speculate=pure` flattens an `rlx.if` to selections where both branches are without effects, have `max-branch-ops`
    ops at most, and hold no product or convolution; `always` asks for the first only, `never` keeps all. An `rlx.while`
    is unrolled where `max_iterations` is known and not above `unroll-limit`; loops inside of each other count together.
    Innermost loops go first.
    """

    name = "rlx-lower-control-flow"

    unroll_limit: int = 16
    speculate: Speculate = "pure"
    max_branch_ops: int = 16

    def __post_init__(self) -> None:
        for option, value in (("unroll-limit", self.unroll_limit), ("max-branch-ops", self.max_branch_ops)):
            if value < 0:
                raise PipelineError(f"option '{option}' of pass '{self.name}' must not be negative, got {value}")

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewriter = PatternRewriter(InsertPoint.at_start(op.body.block))
        run = _Lowering(self, rewriter)
        for inner in reversed(swept(op, rewriter).of(IfOp, WhileOp)):
            if inner.parent is not None:
                run.lower(inner)


@dataclass
class _Lowering:
    """One run of the pass. `rounds` is how many rounds the loops inside an op make, along the longest nest of them."""

    options: LowerControlFlowPass
    rewriter: PatternRewriter
    rounds: dict[Operation, int] = field(default_factory=dict[Operation, int])

    def lower(self, op: IfOp | WhileOp) -> None:
        inside = self.rounds.get(op, 1) * (self.bound(op) or 1)
        parent = op.parent_op()
        if parent is not None:
            self.rounds[parent] = max(self.rounds.get(parent, 1), inside)
        try:
            plain = self.plain(op, inside * self.around(op))
        except Miss as miss:
            report_miss(FlattenIf.title if isinstance(op, IfOp) else UnrollWhile.title, op, miss)
        else:
            if plain is not None:
                self.replace(op, plain)

    def bound(self, op: Operation) -> int | None:
        """The rounds of a loop that could be unrolled alone; 1 for any other op, None for a loop that stays."""
        if not isinstance(op, WhileOp):
            return 1
        return op.limit if op.limit is not None and op.limit <= self.options.unroll_limit else None

    def around(self, op: Operation) -> int:
        """How often the loops around `op` make it run, out to the first that stays."""
        count, outer = 1, op.parent_op()
        while outer is not None and (rounds := self.bound(outer)) is not None:
            count, outer = count * rounds, outer.parent_op()
        return count

    def plain(self, op: IfOp | WhileOp, nest: int) -> Decomposition | None:
        """What replaces `op`; None where the options leave it alone."""
        options = self.options
        if isinstance(op, WhileOp):
            return UnrollWhile(options.unroll_limit).match(op, nest)
        if options.speculate == "never":
            return None
        return FlattenIf(options.speculate == "always", options.max_branch_ops).match(op)

    def replace(self, op: IfOp | WhileOp, plain: Decomposition) -> None:
        new = set(plain.ops)
        for old, value in zip(op.results, plain.results):
            if value.owner in new and value.name_hint is None:
                value.name_hint = old.name_hint
        for each in plain.ops:
            if isinstance(each.location, UnknownLoc):
                each.location = op.location
        forget_index()
        self.rewriter.insert(plain.ops, InsertPoint.before(op))
        for old, value in zip(op.results, plain.results):
            self.rewriter.replace_all_uses_with(old, value)
        read = [value.owner for value in op.operands]
        self.rewriter.erase(op)
        sweep(plain.ops, self.rewriter)
        while read:
            owner = read.pop()
            if isinstance(owner, Operation) and owner.parent is not None and is_dead(owner):
                read += [value.owner for value in owner.operands]
                sweep((owner,), self.rewriter)
