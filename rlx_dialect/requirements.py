"""What a function relies on of the sizes that only a run knows: what is to be checked before or while it runs."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from xdsl.dialects.arith import DivUIOp, IndexCastOp
from xdsl.dialects.builtin import IndexType, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from rlx_dialect.dims import Atom, AxisSize, Dim, IndexSize, Size, Undecided, product
from rlx_dialect.known_sizes import KnownSizes, Unfit, is_open, learn, own_sizes, settled
from rlx_dialect.ops import RegionOp, RlxOp
from rlx_dialect.relations import MOST, Relation
from rlx_dialect.shapes import ShapeError

LONGEST = 2**31 - 1
"""The largest size that the elements of a tensor may say."""
_LIKE_AN_ARGUMENT = 2**10
"""A tensor of at most so many times the elements of an argument is not looked at."""


@dataclass
class Requirements:
    """`of_callers` speak of sizes that a caller gives alone; `of_runs` are to be checked at an op, before it runs."""

    of_callers: list[Relation] = field(default_factory=list[Relation])
    of_runs: dict[Operation, list[Relation]] = field(default_factory=dict[Operation, "list[Relation]"])


def requirements(func: FuncOp, sizes: KnownSizes, given: Collection[SSAValue]) -> Requirements:
    """
    The relations that `func` relies on, none of which follows from those before it; `given` are the arguments whose
    sizes somebody can look at before a run.

    Raises `ShapeError` for an op whose sizes fit in no run.
    """
    found, equalities = Requirements(), dict[Atom, Size]()
    for op, relation in _relations(func, sizes):
        always = _always_runs(op, func)
        if always:
            left, right = (settled(size, equalities) for size in (relation.left, relation.right))
            relation = Relation(left, relation.kind, right)
            learn(equalities, relation)
        if isinstance(relation.left, int) and relation.kind == "at least":
            relation = Relation(relation.right, "at most", relation.left)
        if not isinstance(op, IndexCastOp) and is_certain(relation):
            continue
        if always and _is_of(relation, given):
            found.of_callers.append(relation)
        else:
            found.of_runs.setdefault(op, []).append(relation)
    found.of_callers += _counts(func, sizes, given)
    return found


def _relations(func: FuncOp, sizes: KnownSizes) -> Iterator[tuple[Operation, Relation]]:
    """By the op that relies on them, in order; `func` relies on what its arguments say."""
    for argument in func.args:
        for own, size in zip(own_sizes(argument), sizes.of(argument)) if _is_tensor(argument) else ():
            yield func, Relation(size, "equal to", own)
    for op in func.walk():
        try:
            yield from ((op, relation) for relation in relied_on(op, sizes))
        except Unfit as fault:
            if _always_runs(op, func):
                raise ShapeError(f"{op.name} fits in no run: {fault}") from fault
            yield op, fault.relation


def relied_on(op: Operation, sizes: KnownSizes) -> Iterator[Relation]:
    """What one op relies on, some of which may be certain. Raises `Unfit` where its sizes fit in no run."""
    match op:
        case DivUIOp():
            yield Relation(sizes.index(op.rhs), "at least", 1)
        case IndexCastOp() if isinstance(op.result.type, IndexType):
            yield Relation(sizes.index(op.result), "at least", 0)
            yield Relation(sizes.index(op.result), "at most", LONGEST)
        case RlxOp() if any(is_open(value) for value in (*op.operands, *op.results)):
            yield from (Relation(sizes.index(index), "at least", 0) for index in op.size_operands)
            yield from sizes.relied_on(op)
        case _:
            pass


def _counts(func: FuncOp, sizes: KnownSizes, given: Collection[SSAValue]) -> Iterator[Relation]:
    """That the tensors that an op makes are not too many times larger than the arguments."""
    seen: list[Size] = [_LIKE_AN_ARGUMENT * product(sizes.of(argument)) for argument in given]
    for op in func.walk():
        for result in op.results if isinstance(op, RlxOp) else ():
            count = product(sizes.of(result)) if _is_tensor(result) else 0
            relation = Relation(count, "at most", MOST)
            if _is_of(relation, given) and not any(is_certain(Relation(count, "at most", n)) for n in seen):
                seen.append(count)
                if not is_certain(relation):
                    yield relation


def _is_tensor(value: SSAValue) -> bool:
    return isinstance(value.type, TensorType)


def is_certain(relation: Relation) -> bool:
    """Whether it holds in every run."""
    try:
        return relation.holds()
    except (Undecided, ZeroDivisionError):
        return False


def _always_runs(op: Operation, func: FuncOp) -> bool:
    """Whether no branch or loop is around `op`."""
    while op is not func and isinstance(parent := op.parent_op(), RegionOp | FuncOp):
        op = parent
    return op is func


def _is_of(relation: Relation, given: Collection[SSAValue]) -> bool:
    atoms = (atom for size in (relation.left, relation.right) if isinstance(size, Dim) for atom in size.atoms())
    return all(
        atom.tensor in given if isinstance(atom, AxisSize) else not isinstance(atom, IndexSize) for atom in atoms
    )
