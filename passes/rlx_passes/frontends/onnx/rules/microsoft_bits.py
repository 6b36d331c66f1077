"""Ops of the domain `com.microsoft` on weights of few bits, several of which share a byte."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from rlx_dialect.attributes import BinaryKind, CodeScheme
from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.shapes import DYNAMIC
from rlx_passes.core.errors import Refusal
from rlx_passes.frontends.onnx.node import Node, NodeRule, Result
from rlx_passes.frontends.onnx.rules.microsoft import DOMAIN, refuse
from rlx_passes.frontends.onnx.rules.precision import as_type

BITS = (2, 4, 8)


def matmul(g: Graph, node: Node) -> Result:
    """`a @ b.T`; a row of `b` is blocks of codes, each with a scale and a zero point."""
    refuse(node, "weight_prepacked")
    bits, rows, columns, block = (_number(node, name) for name in ("bits", "K", "N", "block_size"))
    x, packed, scales = node.required(0), node.required(1), node.required(2)
    blocks = -(-rows // block)
    if packed.shape != (columns, blocks, block * bits // 8):
        raise Refusal(f"the weight must be {[columns, blocks, block * bits // 8]} bytes, got {list(packed.shape)}")
    scales = as_type(g, _table(g, scales, columns, blocks, "scales"), x.dtype)
    zeros, order = node.optional(3), node.optional(4)
    floating = zeros is not None and zeros.dtype != "ui8"
    if floating or order is not None or bits != 4 or rows % 2:
        spread = _Blocks(g, rows, block, order)
        values = as_type(g, g.narrow(unpacked(g, packed, bits), 1, 0, rows), x.dtype)
        points = spread(zero_points(g, zeros, bits, columns, blocks, x.dtype))
        y = x @ g.transpose((values - points) * spread(scales), (1, 0))
    else:
        # Of codes from 0 to 15 those of two's complement, which mean 8 less.
        codes = g.binary(BinaryKind.BIT_XOR, g.reshape(packed, (columns, blocks * block // 2)), 0x88)
        points = g.cast(zero_points(g, zeros, bits, columns, blocks, "i32") - 8, "i8")
        y = g.dequant_matmul(
            *(x, g.transpose(g.narrow(codes, 1, 0, rows // 2), (1, 0)), g.transpose(scales, (1, 0))),
            scheme=CodeScheme.INT4,
            zero_point=g.transpose(points, (1, 0)),
            block=block,
        )
    bias = node.optional(5)
    return y if bias is None else y + bias


def _number(node: Node, name: str) -> int:
    value = node.attributes.get(name, 4 if name == "bits" else None)
    if value is None:
        raise Refusal(f"attribute '{name}' is missing")
    if value < 1 or (name == "bits" and value not in BITS):
        raise Refusal(f"attribute {name} is {value}" + "; 2, 4 and 8 are read" * (name == "bits"))
    return value


class _Blocks:
    """Numbers of blocks as numbers of each of `rows` entries, whose block `order` says where they are not in turn."""

    def __init__(self, g: Graph, rows: int, block: int, order: Tensor | None):
        self.indices = g.constant(np.arange(rows) // block) if order is None else order

    def __call__(self, x: Tensor) -> Tensor:
        return x.graph.gather(x, self.indices, 1)


def _table(g: Graph, x: Tensor, columns: int, blocks: int, name: str) -> Tensor:
    if DYNAMIC in x.shape or np.prod(x.shape) != columns * blocks:
        raise Refusal(f"{name} must be one for each of {columns} times {blocks} blocks, got {list(x.shape)}")
    return x if x.shape == (columns, blocks) else g.reshape(x, (columns, blocks))


def zero_points(g: Graph, given: Tensor | None, bits: int, columns: int, blocks: int, dtype: str) -> Tensor:
    """`[columns, blocks]` of a type; the middle of all codes where none is given."""
    if given is None:
        return g.full((columns, blocks), 2 ** (bits - 1), dtype)
    if given.dtype == "ui8":
        bytes_ = -(-blocks * bits // 8)
        given = g.narrow(unpacked(g, _table(g, given, columns, bytes_, "zero_points"), bits), 1, 0, blocks)
    return as_type(g, _table(g, given, columns, blocks, "zero_points"), dtype)


def unpacked(g: Graph, x: Tensor, bits: int) -> Tensor:
    """The codes `[n, m]` in bytes `[n, ..]`, the lowest bits first."""
    rows, width = x.shape[0], int(np.prod(x.shape[1:]))
    if bits == 8:
        return g.reshape(x, (rows, width))
    column = g.reshape(x, (rows, width, 1))
    parts: Sequence[Tensor] = [
        g.binary(BinaryKind.BIT_AND, g.binary(BinaryKind.SHR, column, at), 2**bits - 1) for at in range(0, 8, bits)
    ]
    return g.reshape(g.concat(parts, 2), (rows, width * len(parts)))


RULES: Mapping[str, NodeRule] = {f"{DOMAIN}.MatMulNBits": matmul}
