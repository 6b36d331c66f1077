"""
What every fusion shares: the match as a value, its application, and a driver that visits each op once.

A `FusionPattern` is an ordinary xDSL `RewritePattern`: it works in anybody's walker as well as under `run_patterns`.
"""

from abc import abstractmethod
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, cast

from typing_extensions import TypeVar
from xdsl.dialects.builtin import (
    UNKNOWN_LOC,
    ArrayAttr,
    FileLineColLoc,
    FusedLoc,
    LocationAttr,
    ModuleOp,
    NoneAttr,
    UnitAttr,
    UnknownLoc,
)
from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from rlx_dialect.ops import RegionOp
from rlx_dialect.shapes import same_but_for_sizes
from rlx_dialect.xdsl_repairs import retype
from rlx_passes.core.index import Index, forget_index, index_of
from rlx_passes.rewriting.effects import is_dead, is_pure
from rlx_passes.rewriting.legality import NO_FUSE, require, require_pure, same_block
from rlx_passes.rewriting.miss import Miss, Reason, report_miss, require_claimed
from rlx_passes.rewriting.order import is_after, numbered, put_before
from rlx_passes.rewriting.pins import MUST_FUSE
from rlx_passes.rewriting.rewrites import may_rewrite

_NO_METADATA = NoneAttr()


@dataclass(frozen=True)
class Fusion:
    """
    A match: what goes, what comes, and which new value replaces which old one.

    The new ops go before `at`, by default the last absorbed op, which must then be the last of them. An earlier
    `at` is for fusions of which an inner value is read elsewhere; operands that are defined after it move up. An
    absorbed op that is still read stays.
    """

    absorbed: tuple[Operation, ...]
    new: tuple[Operation, ...]
    replaces: Mapping[SSAValue, SSAValue]
    at: Operation | None = None

    @staticmethod
    def of(absorbed: Sequence[Operation], *new: Operation) -> "Fusion":
        """The results of the last new op replace those of the last absorbed one."""
        return Fusion(tuple(absorbed), new, dict(zip(absorbed[-1].results, new[-1].results)))

    @property
    def point(self) -> Operation:
        """The op before which the new ops go."""
        return self.absorbed[-1] if self.at is None else self.at

    def check(self) -> None:
        """Raises `Miss` if the fusion would touch a fenced op, effects or another block, or change a type."""
        point = self.point
        for op in self.absorbed:
            require(NO_FUSE not in op.attributes, Reason.NO_FUSE, op)
            same_block(point, op)
            require_pure(op)
        for op in self.left_dead():
            require(NO_FUSE not in op.attributes, Reason.NO_FUSE, op)
        for old, new in self.replaces.items():
            require(same_but_for_sizes(new.type, old.type), Reason.TYPE_CHANGES, old)

    def left_dead(self) -> Iterator[Operation]:
        """The ops that only absorbed ones read, even through others: what a pattern looked through goes with it."""
        dead = set(map(id, self.absorbed))  # the hash of an op is slow
        pending = list(self.absorbed)
        while pending:
            for op in definitions((pending.pop(),)):
                if id(op) not in dead and _is_read_by(op, dead):
                    dead.add(id(op))
                    pending.append(op)
                    yield op

    def late(self) -> tuple[Operation, ...]:
        """The ops that must move up to before `at`, in order. Raises `Miss` where one cannot."""
        return () if self.at is None else late_definitions(self.new, self.at)


def _is_read_by(op: Operation, readers: Container[int]) -> bool:
    """Whether no other ops read `op` than those of `readers`, by identity."""
    for result in op.results:
        for use in result.uses:
            if id(use.operation) not in readers:
                return False
    return True


def late_definitions(new: Sequence[Operation], at: Operation) -> tuple[Operation, ...]:
    """The ops after `at` that `new` depends on, in order of dependence. Raises `Miss` unless all may move."""
    found: dict[Operation, None] = {}
    fresh = set(new)
    pending: list[tuple[Operation, bool]] = [(op, False) for op in reversed(definitions(new))]
    while pending:
        op, done = pending.pop()
        if done:
            found[op] = None
            continue
        if op in found or op in fresh or op.parent is not at.parent or not is_after(op, at):
            require(op is not at, Reason.DEPENDS_ON_RESULT, op)
            continue
        require(is_pure(op) and not op.regions, Reason.EFFECTS, op, detail="it would have to move up")
        pending.append((op, True))
        pending += [(inner, False) for inner in reversed(definitions((op,)))]
    return tuple(found)


def definitions(ops: Sequence[Operation]) -> list[Operation]:
    """The ops that compute the operands of `ops`."""
    return [operand.op for op in ops for operand in op.operands if type(operand) is OpResult]


RootT = TypeVar("RootT", bound=Operation)


class FusionPattern(RewritePattern, Generic[RootT]):
    """
    A fusion that starts at an op of one of `roots`.

    `match` reads from top to bottom and raises `Miss` at the first guard that does not hold; it makes new ops after the
    last of its guards, since an op counts as a reader of its operands once made. `title` is what reports call it.
    """

    title: str
    roots: tuple[type[RootT], ...]
    fuses: ClassVar[bool] = True
    """Whether `rlx.must_fuse` on an absorbed op is satisfied; otherwise it passes to what replaces the op."""

    def considers(self, root: RootT, /) -> bool:
        """Whether a miss at `root` is reported: not where nobody would look for the fusion."""
        return True

    def accept(self, root: RootT, fusion: Fusion, /) -> None:
        """The last guard, once all others hold. Raises `Miss`."""

    def applied(self, root: Operation, fusion: Fusion, /) -> None:
        """Hears of a fusion before it is applied."""

    @abstractmethod
    def match(self, root: RootT, /) -> Fusion:
        """The fusion that starts at `root`, an op of one of `roots`. Raises `Miss` where there is none."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not isinstance(op, self.roots) or is_step(op) or not self.considers(op):
            return
        new: Sequence[Operation] = ()
        try:
            fusion = self.match(op)
            new = fusion.new
            fusion.check()
            late = fusion.late()
            require_claimed(op)
            self.accept(op, fusion)
        except Miss as miss:
            discard(new)
            report_miss(self.title, op, miss)
            return
        if not may_rewrite(self.title, op):
            discard(new)
            return
        self.applied(op, fusion)
        apply(fusion, rewriter, late, fuses=self.fuses)


def is_step(op: Operation) -> bool:
    """Whether `op` is in the body of a region op, which is fused already."""
    return isinstance(op.parent_op(), RegionOp)


def discard(new: Sequence[Operation]) -> None:
    """Take ops that will not be inserted off the lists of uses of their operands."""
    for op in reversed(new):
        op.erase(safe_erase=False)


def apply(fusion: Fusion, rewriter: PatternRewriter, late: Sequence[Operation] = (), *, fuses: bool = True) -> None:
    """
    Move `late` up, insert the new ops, redirect uses, and erase what is unused. Names, types and locations carry over.

    `rlx.must_fuse` does so unless the rewrite `fuses`.
    """
    point = fusion.point
    location = fused_location([op.location for op in fusion.absorbed])
    for op in late:
        op.detach()
        rewriter.insert(op, InsertPoint.before(point))
    for op in fusion.new:
        op.location = location
    rewriter.insert(fusion.new, InsertPoint.before(point))
    put_before((*late, *fusion.new), point)

    for old, new in fusion.replaces.items():
        _carry_over(old, new)
        rewriter.replace_all_uses_with(old, new)
    if not fuses and fusion.new and any(MUST_FUSE in op.attributes for op in fusion.absorbed):
        fusion.new[-1].attributes[MUST_FUSE] = UnitAttr()
    erase_dead(fusion.absorbed, rewriter)


def _carry_over(old: SSAValue, new: SSAValue) -> None:
    """The new value takes the old one's type, its name, and what foreign attributes its op has."""
    retype(new, old.type)
    new.name_hint = new.name_hint or old.name_hint
    if isinstance(old, OpResult) and isinstance(new, OpResult):
        for name, attribute in old.op.attributes.items():
            if name != MUST_FUSE:
                new.op.attributes.setdefault(name, attribute)


def erase_dead(ops: Iterable[Operation], rewriter: PatternRewriter) -> None:
    """Erase those of `ops` that are trivially dead, and what only they read."""
    pending = list(ops)
    while pending:
        op = pending.pop()
        if op.parent is None or not op.results or not is_dead(op):
            continue
        pending += definitions((op,))
        erase_unread(op, rewriter)


def erase_unread(op: Operation, rewriter: PatternRewriter) -> None:
    """`rewriter.erase` for an op in a block of which no result is read, which xDSL makes sure of at some length."""
    rewriter.has_done_action = True
    rewriter.handle_operation_removal(op)
    op.detach()
    op.drop_all_references()


def sweep(ops: Sequence[Operation], rewriter: PatternRewriter) -> None:
    """Erase what is dead among `ops`, the ops below some root in program order: one step per op, the last first."""
    for op in reversed(ops):
        if op.results and op.parent is not None and is_dead(op):
            erase_unread(op, rewriter)


def swept(module: ModuleOp, rewriter: PatternRewriter) -> Index:
    """The index of `module`, once what is dead there is erased."""
    index = index_of(module)
    if any(map(is_dead, index.unread)):
        sweep(list(module.walk()), rewriter)
        forget_index()
        index = index_of(module)
    index.unread = []
    return index


def fused_location(locations: Sequence[LocationAttr]) -> LocationAttr:
    """The locations as one: unknown ones left out, fused ones opened, none twice."""
    flat: dict[object, LocationAttr] = {}
    pending = list(reversed(locations))
    while pending:
        location = pending.pop()
        if type(location) is FusedLoc and isinstance(location.metadata, NoneAttr):
            pending += reversed(cast(ArrayAttr[LocationAttr], location.locations).data)
        elif type(location) is FileLineColLoc:  # the hash of a location is slow
            flat.setdefault((location.filename.data, location.line.data, location.column.data), location)
        elif type(location) is not UnknownLoc:
            flat.setdefault(location, location)
    if len(flat) < 2:
        return next(iter(flat.values()), UNKNOWN_LOC)
    # As the constructors make them, without their checks of each location, which take longer than all else.
    several, result = object.__new__(ArrayAttr), object.__new__(FusedLoc)
    object.__setattr__(several, "data", tuple(flat.values()))
    object.__setattr__(result, "locations", several)
    object.__setattr__(result, "metadata", _NO_METADATA)
    return result


def run_patterns(root: ModuleOp, patterns: Sequence[FusionPattern[Any]]) -> bool:
    """
    Erase what is dead below `root`, then try the patterns on every op once, in program order, nested regions included.

    The first pattern that fuses an op wins it. Ops that a pattern makes are not visited. Returns whether anything
    changed. Costs nothing where there is no op to start at, if the run has an index of `root`.
    """
    rewriter = PatternRewriter(InsertPoint.at_start(root.regions[0].block))
    index = swept(root, rewriter)
    changed = rewriter.has_done_action

    by_type: dict[type[Operation], tuple[FusionPattern[Any], ...]] = {}

    def starts(kind: type[Operation]) -> bool:
        by_type[kind] = tuple(pattern for pattern in patterns if issubclass(kind, pattern.roots))
        return bool(by_type[kind])

    with numbered(root):
        for op in index.where(starts):
            for pattern in by_type[type(op)]:
                if op.parent is None:
                    break
                rewriter.has_done_action = False
                pattern.match_and_rewrite(op, rewriter)
                if rewriter.has_done_action:
                    changed = True
                    forget_index()
                    break
    return changed
