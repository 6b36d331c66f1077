"""Elements placed elsewhere: pads, repetitions, turns and triangles."""

from __future__ import annotations

from rlx_dialect.attributes import PadMode, Triangle
from rlx_dialect.builder import Tensor
from rlx_dialect.shapes import DYNAMIC
from rlx_passes.core.errors import Refusal
from rlx_passes.frontends.torch.call import FLOATS, Call
from rlx_passes.frontends.torch.registry import rule
from rlx_passes.frontends.torch.rules.shape import stretched

MODES = {
    "constant": PadMode.CONSTANT,
    "reflect": PadMode.REFLECT,
    "replicate": PadMode.REPLICATE,
    "circular": PadMode.CIRCULAR,
}


def padded(c: Call, mode: PadMode) -> Tensor:
    """`pad` holds low and high for the last dim, then for the one before it."""
    x, ends = c.tensor("self"), c.integers("padding" if "padding" in c.args else "pad")
    rank = len(x.shape)
    low, high = [0] * rank, [0] * rank
    for i, (before, behind) in enumerate(zip(ends[::2], ends[1::2])):
        low[rank - 1 - i], high[rank - 1 - i] = before, behind
    value = c.args.get("value") or 0
    return c.g.pad(x, low, high, mode, float(value) if x.dtype in FLOATS else int(value))


@rule("constant_pad_nd.default")
def constant_pad(c: Call) -> Tensor:
    return padded(c, PadMode.CONSTANT)


@rule("reflection_pad1d.default", "reflection_pad2d.default", "reflection_pad3d.default")
def reflection_pad(c: Call) -> Tensor:
    return padded(c, PadMode.REFLECT)


@rule("replication_pad1d.default", "replication_pad2d.default", "replication_pad3d.default")
def replication_pad(c: Call) -> Tensor:
    return padded(c, PadMode.REPLICATE)


@rule("pad.default")
def pad(c: Call) -> Tensor:
    return padded(c, MODES[c.word("mode")])


@rule("repeat.default")
def repeat(c: Call) -> Tensor:
    """The whole tensor several times along each dim, with new dims before the old ones."""
    x = c.tensor("self")
    more = len(c.args["repeats"]) - len(x.shape)
    if more:
        x = c.g.reshape(x, [1] * more + c.sizes.sizes(c.sizes.dims(x), [x]))
    if all(size == 1 or times == 1 for size, times in zip(x.shape, c.args["repeats"])):
        return stretched(c, x)
    return c.g.tile(x, c.integers("repeats"))


@rule("repeat_interleave.self_int")
def repeat_interleave(c: Call) -> Tensor:
    """Each entry of a dim several times in a row."""
    x, times = c.tensor("self"), c.integer("repeats")
    if not c.given("dim"):
        if DYNAMIC in x.shape:
            raise Refusal("sizes known at run time only")
        x = c.g.reshape(x, (-1,))
    axis = c.axis("dim", len(x.shape)) if c.given("dim") else 0
    dims = c.sizes.sizes(c.sizes.dims(x), [x])
    single = c.g.reshape(x, [*dims[: axis + 1], 1, *dims[axis + 1 :]])
    return c.reshaped(c.g.expand(single, [*dims[: axis + 1], times, *dims[axis + 1 :]]), x)


@rule("unfold.default")
def unfold(c: Call) -> Tensor:
    """Windows of a dim, a row for each step, whose entries are a new last dim."""
    x = c.tensor("self")
    rank, length = len(x.shape), c.integer("size")
    if not rank:
        return c.g.narrow(c.g.reshape(x, (1,)), 0, 0, length)
    axis = c.axis("dimension", rank)
    first = c.g.iota([c.sizes.size(c.out.dims[axis], [x], axis), 1], 0) * c.integer("step")
    windows = c.g.gather(x, first + c.g.iota([1, length], 1), axis)
    order = [at for at in range(rank + 1) if at != axis + 1]
    return c.g.transpose(windows, [*order, axis + 1])


@rule("flip.default")
def flip(c: Call) -> Tensor:
    return c.g.reverse(c.tensor("self"), c.integers("dims"))


@rule("roll.default")
def roll(c: Call) -> Tensor:
    x = c.tensor("self")
    if axes := c.integers("dims"):
        return c.g.roll(x, c.integers("shifts"), axes)
    if DYNAMIC in x.shape:
        raise Refusal("sizes known at run time only")
    return c.reshaped(c.g.roll(c.g.reshape(x, (-1,)), c.integers("shifts"), (0,)))


@rule("triu.default")
def triu(c: Call) -> Tensor:
    return c.g.trilu(Triangle.UPPER, c.tensor("self"), c.integer("diagonal"))


@rule("tril.default")
def tril(c: Call) -> Tensor:
    return c.g.trilu(Triangle.LOWER, c.tensor("self"), c.integer("diagonal"))


@rule("copy.default")
def copy(c: Call) -> Tensor:
    return stretched(c, c.cast(c.tensor("src"), c.dtype))
