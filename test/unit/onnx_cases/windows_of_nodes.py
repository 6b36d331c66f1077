"""The pads that an ONNX node asks for."""

from collections.abc import Sequence

from onnx_cases import Node


def pads_of(node: Node, sizes: Sequence[int], kernel: Sequence[int]) -> list[tuple[int, int]]:
    """A pair of low and high for each spatial dim."""
    rank = len(sizes)
    auto = node.attributes.get("auto_pad", "NOTSET")
    if auto == "NOTSET":
        pads = node.attributes.get("pads", [0] * 2 * rank)
        return list(zip(pads[:rank], pads[rank:]))
    if auto == "VALID":
        return [(0, 0)] * rank
    steps = node.attributes.get("strides", [1] * rank)
    dilations = node.attributes.get("dilations", [1] * rank)
    totals = (
        max(0, (-(-size // step) - 1) * step + (k - 1) * d + 1 - size)
        for size, step, k, d in zip(sizes, steps, kernel, dilations)
    )
    return [split(total, auto == "SAME_UPPER") for total in totals]


def split(total: int, upper: bool) -> tuple[int, int]:
    """An odd element goes to the high end with `upper`, else to the low end."""
    half, rest = total // 2, total - total // 2
    return (half, rest) if upper else (rest, half)
