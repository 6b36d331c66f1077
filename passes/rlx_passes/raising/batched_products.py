"""Products whose batch axes were joined into one, as einsum and `bmm` want it, and are split again behind them."""

from dataclasses import dataclass
from math import prod

from xdsl.ir import Operation, SSAValue

from rlx_dialect.ops import MatMulOp, ReshapeOp, SoftmaxOp, TransposeOp
from rlx_dialect.shapes import DYNAMIC, Dims, normalize_axis
from rlx_passes.raising.trail import RaisingPattern
from rlx_passes.rewriting.legality import NO_FUSE, dims_of, only_reader, optional_reader, producer, require
from rlx_passes.rewriting.miss import Reason
from rlx_passes.rewriting.patterns import Fusion

View = ReshapeOp | TransposeOp


@dataclass(frozen=True)
class SplitProductBatch(RaisingPattern[MatMulOp]):
    """
    %0 = rlx.reshape %x : [b, h, s, d] -> [b * h, s, d]
    %1 = rlx.reshape %y : [b, h, d, t] -> [b * h, d, t]           =>    %3 = rlx.matmul %x, %y
    %2 = rlx.matmul %0, %1
    %3 = rlx.reshape %2 : [b * h, s, t] -> [b, h, s, t]

    Axes of size 1 may come, go and move on the way, and a transpose may lie below either join. Where there is no batch,
    rows may be joined: `[b, s, k] @ [k, n]` as `[1, b * s, k] @ [1, k, n]`.
    """

    title = "batched_product"
    roots = (MatMulOp,)

    def starts(self, op: Operation) -> bool:
        ranks = [len(dims_of(value)) for value in (*op.operands, *op.results)]
        return ranks == [3, 3, 3] and bool(_views(op.results[0]))

    def match(self, root: MatMulOp, /) -> Fusion:
        sides = dims_of(root.lhs), dims_of(root.rhs)
        batch, rows, columns = dims_of(root.result)
        static = DYNAMIC not in (*sides[0], *sides[1]) and 0 not in (*sides[0], *sides[1])
        require(static, Reason.DYNAMIC, root, detail="the joined axes must be known")
        require(sides[0][0] == sides[1][0] == batch, Reason.DIMS_NOT_KNOWN_EQUAL, root, detail="one batch is 1")
        views = _views(root.result)
        found = [dims_of(view.results[0]) for view in views]
        leads = [_leading(dims, batch, rows, columns) for dims in found]
        split = [at for at, lead in enumerate(leads) if lead]
        flat = [at for at, dims in enumerate(found) if batch == 1 != len(dims) and dims[-1:] == (columns,)]
        require(bool(split or flat), Reason.NOT_CONSUMED_BY, views[0], detail="the joined axes are not split again")
        for side in root.operands:
            require(_is_joined(side), Reason.NOT_PRODUCED_BY, side, detail="its axes are not joined here")

        new: list[Operation] = []
        if flat and (not split or _is_matrix(root.rhs)):
            behind = views[: flat[-1] + 1]
            lhs = viewed(root.lhs, (*found[flat[-1]][:-1], sides[0][2]), new)
            rhs = viewed(root.rhs, sides[1][1:], new)
        else:
            behind = views[: split[-1] + 1]
            leading = leads[split[-1]]
            lhs = viewed(root.lhs, (*leading, *sides[0][1:]), new)
            rhs = viewed(root.rhs, (*leading, *sides[1][1:]), new)
        product = MatMulOp(lhs, rhs, accumulate=root.accumulate)
        new.append(product)
        after = dims_of(behind[-1].results[0])
        if dims_of(product.result) != after:
            new.append(ReshapeOp(product.result, after))
        return Fusion.of((root, *behind), *new)


@dataclass(frozen=True)
class SplitSoftmaxBatch(RaisingPattern[SoftmaxOp]):
    """
    %0 = rlx.reshape %x : [b, h, s, t] -> [b * h, s, t]
    %1 = rlx.softmax %0 axis(2)                                   =>    %2 = rlx.softmax %x axis(3)
    %2 = rlx.reshape %1 : [b * h, s, t] -> [b, h, s, t]
    """

    title = "batched_product"
    roots = (SoftmaxOp,)

    def starts(self, op: Operation) -> bool:
        return isinstance(op.operands[0].owner, ReshapeOp) and optional_reader(op.results[0], ReshapeOp) is not None

    def match(self, root: SoftmaxOp, /) -> Fusion:
        joined, split = producer(root.input, ReshapeOp), only_reader(root.result, ReshapeOp)
        dims, before = dims_of(root.result), dims_of(joined.input)
        last = normalize_axis(root.axis.value.data, len(dims)) == len(dims) - 1
        require(last and before[-1:] == dims[-1:], Reason.AXIS, root, detail="the rows are cut")
        require(DYNAMIC not in before, Reason.DYNAMIC, joined)
        require(dims_of(split.result) == before, Reason.NOT_CONSUMED_BY, split, detail="other axes come out of it")
        softmax = SoftmaxOp(joined.input, len(before) - 1, accumulate=root.accumulate)
        return Fusion.of((root, split), softmax)


def viewed(value: SSAValue, dims: Dims, new: list[Operation]) -> SSAValue:
    """`value` with other dims, from as far up as it goes; the ops for it are appended to `new`."""
    if dims_of(value) == dims:
        return value
    owner = value.owner
    if isinstance(owner, View) and _keeps_order(owner):
        return viewed(owner.operands[0], dims, new)
    if isinstance(owner, TransposeOp) and NO_FUSE not in owner.attributes:
        permutation = list(owner.permutation.get_values())
        if (groups := _groups(dims_of(value), dims)) is not None:
            before = dims_of(owner.input)
            order = sorted(range(len(permutation)), key=permutation.__getitem__)  # the result's axis, by the input's
            inner = [axis for at in order for axis in groups[at]]
            if [prod(dims[axis] for axis in groups[at]) for at in order] == list(before):
                source = viewed(owner.input, tuple(dims[axis] for axis in inner), new)
                op = TransposeOp(source, [inner.index(axis) for axis in range(len(dims))])
                new.append(op)
                return op.result
    op = ReshapeOp(value, dims)
    new.append(op)
    return op.result


def _is_matrix(value: SSAValue) -> bool:
    """Whether `value` is a view of one with two axes."""
    while len(dims_of(value)) != 2 and isinstance(value.owner, View):
        value = value.owner.operands[0]
    return len(dims_of(value)) == 2


def _groups(joined: Dims, dims: Dims) -> list[list[int]] | None:
    """For each of `joined` the axes of `dims` that make it, none for a 1 that is dropped; None if there are none."""
    groups: list[list[int]] = []
    at = 0
    for number, size in enumerate(joined):
        group, whole = list[int](), 1
        while at < len(dims) and (whole != size or (size == 1 and not group and dims[at] == 1)):
            whole *= dims[at]
            group.append(at)
            at += 1
        if whole != size:
            return None
        groups.append(group)
        if number == len(joined) - 1 and at < len(dims):
            return None
    return groups


def _views(value: SSAValue) -> list[View]:
    """The views, one of the other, by which alone `value` is read."""
    views: list[View] = []
    while (view := optional_reader(value, (ReshapeOp, TransposeOp))) is not None and _keeps_order(view):
        views.append(view)
        value = view.results[0]
    return views


def _keeps_order(op: View) -> bool:
    """Whether nothing but axes of size 1 changes its place."""
    if NO_FUSE in op.attributes:
        return False
    if isinstance(op, ReshapeOp):
        return True
    dims = dims_of(op.input)
    moved = [axis for axis in op.permutation.get_values() if dims[axis] != 1]
    return moved == sorted(moved)


def _leading(dims: Dims, batch: int, rows: int, columns: int) -> Dims:
    """The axes, two at least, into which the batch of `[batch, rows, columns]` was split; ones may lie behind them."""
    for at in range(2, len(dims) - 1):
        rest = [size for size in dims[at:] if size != 1]
        if prod(dims[:at]) == batch and rest == [size for size in (rows, columns) if size != 1]:
            return dims[:at]
    return ()


def _is_joined(value: SSAValue) -> bool:
    """Whether `value` is a view, or the softmax of one: what is of three axes anyway stays so."""
    owner = value.owner
    return isinstance(owner.operands[0].owner if isinstance(owner, SoftmaxOp) else owner, View)
