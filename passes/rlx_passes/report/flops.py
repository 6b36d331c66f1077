"""How many operations on numbers an op takes, by its dims."""

from collections.abc import Callable
from typing import Any

from xdsl.ir import Operation, SSAValue

from rlx_dialect.attributes import AttentionLayout
from rlx_dialect.decompose import decompose, is_fused
from rlx_dialect.ops import (
    AttentionOp,
    ConcatOp,
    ConvOp,
    ConvTransposeOp,
    DotGeneralOp,
    ExpandOp,
    GatherOp,
    MatMulOp,
    RegionOp,
)
from rlx_dialect.ops.attention import split_heads
from rlx_dialect.shapes import count, of_any, shaped
from rlx_passes.budget.io_profile import METADATA

MOVES = (*METADATA, ExpandOp, ConcatOp, GatherOp)
"""Ops that take no arithmetic."""


def flops(op: Operation) -> int:
    """
    Multiplications and additions alike count one, and so does each element of an elementwise op; a fused op counts as
    its parts. Reductions count the elements that they read. Where a size is unknown, 0.
    """
    if isinstance(op, MOVES):
        return 0
    if isinstance(op, RegionOp):
        return sum(map(flops, op.plain()))
    if (rule := _RULES.get(type(op))) is not None:
        return rule(op)
    if is_fused(type(op)) and (plain := decompose(op)) is not None:
        total = sum(map(flops, plain.ops))
        for made in reversed(plain.ops):
            made.erase(safe_erase=False)
        return total
    return max(map(elements, (*op.operands, *op.results)), default=0)


def elements(value: SSAValue) -> int:
    """The number of elements of a tensor; 0 where a dim is unknown, or it is no ranked tensor."""
    found = of_any(value.type)
    return 0 if found is None else count(found.dims) or 0


def _matmul(op: MatMulOp) -> int:
    return 2 * elements(op.result) * max(shaped(op.lhs).dims[-1], 0)


def _dot_general(op: DotGeneralOp) -> int:
    dims = shaped(op.lhs).dims
    return 2 * elements(op.result) * (count([dims[axis] for axis in op.lhs_contracting.get_values()]) or 0)


def _conv(op: ConvOp) -> int:
    return 2 * elements(op.result) * (count(shaped(op.weight).dims[1:]) or 0)


def _conv_transpose(op: ConvTransposeOp) -> int:
    return 2 * elements(op.input) * (count(shaped(op.weight).dims[1:]) or 0)


def _attention(op: AttentionOp) -> int:
    """Both products; the softmax between them is small beside these."""
    layout, config = AttentionLayout(op.layout.data), op.config
    batch, heads, queries, _ = split_heads(shaped(op.query), layout, config.heads, config.head_dim, "query")
    _, _, keys, _ = split_heads(shaped(op.key), layout, config.kv_heads, config.head_dim, "key")
    return 2 * (count((batch, heads, queries, keys)) or 0) * (config.head_dim + config.v_head_dim)


_RULES: dict[type[Operation], Callable[[Any], int]] = {
    MatMulOp: _matmul,
    DotGeneralOp: _dot_general,
    ConvOp: _conv,
    ConvTransposeOp: _conv_transpose,
    AttentionOp: _attention,
}
