"""
The guards that more than one pattern needs, each once, each with the reason it gives.

A guard returns what it found or raises `Miss`. One use means one operand that reads the value: `m + m` is two, a return
is one, a reader in a nested region is one, a reader that is trivially dead is none.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import islice
from typing import cast

from typing_extensions import TypeVar
from xdsl.dialects.builtin import AnyFloat, TensorType
from xdsl.ir import Attribute, Block, Operation, OpResult, SSAValue, Use

from rlx_dialect.attributes import BinaryKind
from rlx_dialect.marks import NO_FUSE as NO_FUSE
from rlx_dialect.ops import BinaryOp, ExpandOp, ReshapeOp
from rlx_dialect.shapes import (
    DYNAMIC,
    Dims,
    ShapeError,
    broadcast_dims,
    by_identity,
    compatible,
    normalize_axis,
    of_any,
    show,
)
from rlx_passes.rewriting.effects import is_dead, is_pure, is_terminator
from rlx_passes.rewriting.miss import Blocker, CodedReason, Miss, Reason

OpT = TypeVar("OpT", bound=Operation)


def require(holds: bool, reason: CodedReason, *blockers: Blocker, detail: str | Callable[[], str] = "") -> None:
    """Raise `Miss` with the reason unless the condition holds."""
    if not holds:
        raise Miss(reason, *blockers, detail=detail)


# Uses

SHOWN_READERS = 4
"""As many readers of a value are looked at and named, so that a value with a thousand of them costs no more."""


def live_uses(value: SSAValue) -> Iterator[Use]:
    """The uses of `value` by ops that are not trivially dead."""
    return (use for use in value.uses if not is_dead(use.operation))


def sole_use(value: SSAValue) -> Use:
    """The one live use of `value`. Raises `Miss`: unused, multi-use or returned."""
    uses: list[Use] = []
    for use in value.uses:
        if not is_dead(use.operation):
            uses.append(use)
            if len(uses) == SHOWN_READERS:
                break
    require(len(uses) > 0, Reason.UNUSED, value)
    for use in uses:
        if is_terminator(type(use.operation)):
            raise Miss(Reason.RETURNED, use.operation)
    if len(uses) > 1:
        raise Miss(Reason.MULTI_USE, *dict.fromkeys(use.operation for use in uses))
    return uses[0]


def only_reader(value: SSAValue, wanted: type[OpT] | tuple[type[OpT], ...]) -> OpT:
    """
    The op that alone reads `value`, in the block of its definition, of a type in `wanted`.

    Raises `Miss`, which is a candidate where one of several readers is of such a type.
    """
    try:
        reader = sole_use(value).operation
    except Miss as miss:
        readers = islice(value.uses, SHOWN_READERS)
        miss.candidate = any(isinstance(use.operation, wanted) for use in readers) or None
        raise
    require(reader.parent is block_of(value), Reason.OTHER_BLOCK, reader)
    if not isinstance(reader, wanted):
        raise Miss(Reason.NOT_CONSUMED_BY, reader, wanted=wanted)
    return reader


def optional_reader(value: SSAValue, wanted: type[OpT] | tuple[type[OpT], ...]) -> OpT | None:
    """`only_reader`, or None where there is none: for the part of a pattern that may be absent."""
    try:
        return only_reader(value, wanted)
    except Miss:
        return None


def read_only_by(value: SSAValue, readers: Collection[Operation]) -> None:
    """Every live use of `value` is by one of `readers`. Raises `Miss` otherwise."""
    for use in live_uses(value):
        reader = use.operation
        if reader not in readers:
            returned = is_terminator(type(reader))
            raise Miss(Reason.RETURNED if returned else Reason.MULTI_USE, reader)


def block_of(value: SSAValue) -> Block | None:
    """The block in which `value` is defined."""
    if isinstance(value, OpResult):
        return value.op.parent
    owner = value.owner
    return owner if isinstance(owner, Block) else owner.parent


# Definitions


def producer(value: SSAValue, wanted: type[OpT] | tuple[type[OpT], ...]) -> OpT:
    """The op that defines `value`. Raises `Miss` unless it is of a type in `wanted`."""
    owner = value.owner
    if not isinstance(owner, wanted):
        raise Miss(Reason.NOT_PRODUCED_BY, value, wanted=wanted)
    return owner


def same_block(op: Operation, other: Operation) -> None:
    require(op.parent is other.parent, Reason.OTHER_BLOCK, other)


def other_operand(op: BinaryOp, value: SSAValue) -> SSAValue:
    """The operand of `op` that is not `value`, which is the other one; `value` itself where both are."""
    return op.rhs if op.lhs is value else op.lhs


def require_kind(op: BinaryOp, kind: BinaryKind) -> None:
    """`op` is of `kind`. Raises `Miss`: not-consumed-by."""
    require(op.kind.data == kind.value, Reason.NOT_CONSUMED_BY, op, detail=lambda: f"{kind.value} wanted")


def require_pure(op: Operation) -> None:
    require(is_pure(op), Reason.EFFECTS, op)


# Types


def tensor_type(value: SSAValue) -> TensorType[Attribute]:
    """The type of `value`, a ranked tensor. Raises `Miss` for any other type."""
    type: Attribute = value.type
    if type.__class__ is not TensorType and not isinstance(type, TensorType):  # the question is slow
        raise Miss(Reason.DTYPE, value, detail="a ranked tensor is wanted")
    return cast("TensorType[Attribute]", type)


def dims_of(value: SSAValue) -> Dims:
    """The dims of a ranked tensor, `DYNAMIC` where unknown."""
    found = of_any(value.type)
    if found is None:
        raise Miss(Reason.DTYPE, value, detail="a ranked tensor is wanted")
    return found.dims


@by_identity
def _name_of_element(type: TensorType[Attribute]) -> str:
    element = type.element_type
    return element.name if isinstance(element, AnyFloat) else str(element)


def require_dtype(value: SSAValue, dtypes: Collection[str]) -> None:
    """The element type of `value` is a float whose name is among `dtypes`."""
    name = _name_of_element(tensor_type(value))
    require(name in dtypes, Reason.DTYPE, value, detail=lambda: f"{name} is not among {', '.join(dtypes)}")


def keeps_dims(before: Sequence[int], after: Sequence[int]) -> bool:
    """
    Whether a value of dims `before` has the dims `after` once something was broadcast against it.

    A size that is only known at run time never stretches, so `?` may become known; a static 1 must stay.
    """
    if len(before) != len(after):
        return False
    return all(a == b or a == DYNAMIC or (b == DYNAMIC and a != 1) for a, b in zip(before, after))


def neither_stretches(a: Sequence[int], b: Sequence[int]) -> bool:
    """Whether values of these dims in an elementwise op have equal dims at run time: no static 1 meets another size."""
    return len(a) == len(b) and all((x == 1) == (y == 1) for x, y in zip(a, b))


def broadcasts_to(value: Dims, dims: Dims) -> bool:
    """Whether a value of dims `value` stretches to `dims`."""
    try:
        stretched = broadcast_dims(value, dims)
    except ShapeError:
        return False
    return len(stretched) == len(dims) and all(map(compatible, stretched, dims))


def require_last_axis(axis: int, rank: int, op: Operation) -> None:
    last = rank > 0 and normalize_axis(axis, rank) == rank - 1
    require(last, Reason.AXIS, op, detail=lambda: f"axis {axis} of {rank}, the last is wanted")


# Broadcasts


_STRETCHING = frozenset({ExpandOp, ReshapeOp})


def broadcast_source(value: SSAValue) -> SSAValue:
    """
    What `value` is a broadcast of: looks through `rlx.expand` and reshapes that only prepend ones, save `rlx.no_fuse`.

    NumPy's rule stretches the source to the same elements if the other operand brings the dims; the caller checks that.
    """
    while True:
        owner = value.owner
        if type(owner) not in _STRETCHING or not isinstance(owner, ExpandOp | ReshapeOp):
            return value
        if NO_FUSE in owner.attributes or (isinstance(owner, ReshapeOp) and not prepends_ones(owner)):
            return value
        value = owner.input


def prepends_ones(reshape: ReshapeOp) -> bool:
    """Whether the result's dims are those of the input after leading ones."""
    before, after = dims_of(reshape.input), dims_of(reshape.result)
    extra = len(after) - len(before)
    return extra >= 0 and after[:extra] == (1,) * extra and after[extra:] == before


def is_trailing(source: Sequence[int], dims: Sequence[int]) -> bool:
    """Whether `source` is a suffix of `dims` after leading ones, or one element: what a kernel indexes by a modulus."""
    core = tuple(source)
    while core and core[0] == 1:
        core = core[1:]
    return not core or (DYNAMIC not in core and tuple(dims[len(dims) - len(core) :]) == core)


def row_vector(value: SSAValue, blocker: Operation) -> SSAValue:
    """
    The broadcast source of an addend that lies along the last axis: dims `[]`, `[N]` or `[1, .., 1, N]`.

    Raises `Miss` for any other dims, which is no candidate where the addend is as large as the sum: that is a residual.
    That the row is as long as the axis is for the caller to check.
    """
    source = broadcast_source(value)
    dims = dims_of(source)
    if any(d != 1 for d in dims[:-1]):
        whole = any(dims == dims_of(result) for result in blocker.results)
        raise Miss(
            Reason.NOT_A_ROW_VECTOR,
            blocker,
            detail=lambda: f"the addend has dims {show(dims)}",
            candidate=not whole,
        )
    return source
