"""Windows that slide over the spatial dims: what convolutions and pools have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rlx_dialect.dims import Size
from rlx_passes.core.errors import Refusal
from rlx_passes.frontends.onnx.node import Node


@dataclass(frozen=True)
class Steps:
    """How a window of `kernel` elements moves, an entry for each spatial dim; `pads` are pairs of low and high."""

    kernel: tuple[int, ...]
    stride: tuple[int, ...]
    dilation: tuple[int, ...]
    pads: tuple[tuple[int, int], ...]

    @property
    def spans(self) -> tuple[int, ...]:
        """How many elements lie between the ends of the window, these included."""
        return tuple((k - 1) * d + 1 for k, d in zip(self.kernel, self.dilation))


def steps_of(node: Node, sizes: Sequence[Size], kernel: Sequence[int]) -> Steps:
    """What the node says of a window over `sizes`; `auto_pad` is worked out."""
    rank = len(sizes)
    stride, dilation = steps_per_axis(node, "strides", rank), steps_per_axis(node, "dilations", rank)
    steps = Steps(tuple(kernel), stride, dilation, given_pads(node, rank))
    auto = auto_pad(node)
    if auto not in ("SAME_UPPER", "SAME_LOWER"):
        return steps
    places = zip(sizes, stride, steps.spans)
    pads = tuple(halves(_missing(size, step, span), auto) for size, step, span in places)
    return Steps(steps.kernel, stride, dilation, pads)


def _missing(size: Size, step: int, span: int) -> int:
    """How many elements must come to `size` for as many windows as steps fit into it."""
    if isinstance(size, int):
        return max(0, (-(-size // step) - 1) * step + span - size)
    if step != 1:
        raise Refusal("how much auto_pad adds to a dim known at run time only is known then only")
    return span - 1


def auto_pad(node: Node) -> str:
    """The way in which pads are found."""
    auto = node.attributes.get("auto_pad", "NOTSET")
    if auto not in ("NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"):
        raise Refusal(f"auto_pad is NOTSET, VALID, SAME_UPPER or SAME_LOWER, got '{auto}'")
    return auto


def given_pads(node: Node, rank: int) -> tuple[tuple[int, int], ...]:
    """The pads that the node writes down, none where they are found in another way."""
    if auto_pad(node) != "NOTSET":
        return ((0, 0),) * rank
    pads = per_axis(node, "pads", 2 * rank, 0)
    return tuple(zip(pads[:rank], pads[rank:]))


def per_axis(node: Node, name: str, count: int, default: int) -> tuple[int, ...]:
    """An attribute with `count` entries."""
    values = tuple(node.attributes.get(name, (default,) * count))
    if len(values) != count:
        raise Refusal(f"{name} must have {count} entries, got {list(values)}")
    return values


def steps_per_axis(node: Node, name: str, rank: int) -> tuple[int, ...]:
    """An attribute with a positive entry for each spatial dim."""
    steps = per_axis(node, name, rank, 1)
    if any(step < 1 for step in steps):
        raise Refusal(f"{name} must be positive, got {list(steps)}")
    return steps


def halves(total: int, auto: str) -> tuple[int, int]:
    """An odd element goes to the high end with SAME_UPPER, else to the low end."""
    half, rest = total // 2, total - total // 2
    return (half, rest) if auto == "SAME_UPPER" else (rest, half)


def spatial(node: Node, at: int = 0) -> tuple[Size, ...]:
    """The spatial dims of an input `[N, C, ..]`."""
    dims = node.dims(at)
    if not 3 <= len(dims) <= 5:
        raise Refusal(f"one to three spatial dims are read, got {len(dims) - 2}")
    return dims[2:]
