"""Attention."""

from __future__ import annotations

from rlx_dialect.attributes import AttentionLayout, MaskedRows, MaskKind
from rlx_dialect.builder import Tensor
from rlx_dialect.dims import Size
from rlx_dialect.ops import AttentionConfig
from rlx_dialect.shapes import DYNAMIC
from rlx_passes.core.errors import Refusal
from rlx_passes.frontends.torch.call import Call
from rlx_passes.frontends.torch.program import Spec
from rlx_passes.frontends.torch.registry import rule
from rlx_passes.rewriting.evaluation import evaluated

EVERYWHERE = -1
"""The offset of a mask that hides nothing."""


@rule("scaled_dot_product_attention.default")
def attention(c: Call) -> Tensor:
    """
    One attention, heads before places. Operands without heads have one; dims before the heads are one batch.

    A query that sees no key gives 0. A mask of truth values that depends on batch and key alone says which keys are
    seen; any other becomes 0 and -inf, added.
    """
    if c.real("dropout_p"):
        raise Refusal(f"dropout of {c.args['dropout_p']} in training mode; call module.eval() first")
    query, key, value = c.tensor("query"), c.tensor("key"), c.tensor("value")
    rank = len(query.shape)
    query, key, value = (by_head(c, each, rank) for each in (query, key, value))
    heads, width = query.shape[1], query.shape[3]
    if DYNAMIC in (heads, width, key.shape[1], value.shape[3]):
        raise Refusal("heads known at run time only")
    mask, offset = c.optional("attn_mask"), 0 if c.flag("is_causal") else None
    if mask is not None and offset is None and (known := seen(mask)) is not None:
        offset, mask = known, None
    kind, mask = masked(c, mask, query, key, rank)
    config = AttentionConfig.make(
        heads,
        width,
        scale=c.real("scale") if c.given("scale") else None,
        kv_heads=key.shape[1],
        v_head_dim=value.shape[3],
        causal_offset=None if offset == EVERYWHERE else offset,
        masked_rows=MaskedRows.UNIFORM if mask is None else MaskedRows.ZERO,
    )
    result = c.g.attention(query, key, value, config, layout=AttentionLayout.BHSD, mask=mask, mask_kind=kind)
    return result if rank == 4 else c.reshaped(result, c.tensor("query"))


def by_head(c: Call, x: Tensor, rank: int) -> Tensor:
    """`x` as `[B, H, S, D]`."""
    dims = c.sizes.dims(x)
    if rank == 4:
        return x
    if rank < 4:
        wanted = ((1,) * (3 - rank)) + dims[: rank - 2] + (1,) + dims[-2:]
    else:
        lead = 1
        for size in dims[:-3]:
            if not isinstance(size, int):
                raise Refusal("several batch dims, some known at run time only")
            lead *= size
        wanted = (lead, *dims[-3:])
    return c.laid(x, wanted)


def seen(mask: Tensor) -> int | None:
    """
    The offset of a constant mask that lets each query see the keys up to its own place and so many more, the largest
    that makes a difference or `EVERYWHERE` for one that hides nothing; None for any other mask.
    """
    import numpy as np

    found = evaluated(mask.value, most_ops=256)
    if found is None or found.ndim < 2 or not found.size:
        return None
    tables = found.reshape(-1, *found.shape[-2:])
    table = tables[0]
    if (tables != table).any():
        return None
    visible = table if table.dtype == np.bool_ else table == 0
    if visible.all():
        return EVERYWHERE
    if table.dtype != np.bool_ and not (table[~visible] == -np.inf).all():
        return None
    offset = int(visible[0].sum()) - 1
    rows, keys = table.shape
    return offset if offset >= 0 and np.array_equal(visible, np.tri(rows, keys, offset, dtype=np.bool_)) else None


def masked(
    c: Call, mask: Tensor | None, query: Tensor, key: Tensor, rank: int
) -> tuple[MaskKind | None, Tensor | None]:
    """What hides keys, and how."""
    if mask is None:
        return None, None
    dims = c.sizes.dims(mask)
    if rank > 4 and len(dims) > 3:
        raise Refusal("a mask over several batch dims")
    full: tuple[Size, ...] = (1,) * (4 - len(dims)) + dims if rank >= 4 else (*(1,) * (3 - len(dims)), *dims)
    if rank < 4:
        full = (*full[:1], 1, *full[1:])
    batch, keys = c.sizes.dims(query)[0], c.sizes.dims(key)[2]
    if mask.dtype == "i1" and full[1] == full[2] == 1 and full[3] == keys:
        rows = c.laid(mask, (full[0], keys))
        if full[0] != batch:
            rows = c.g.expand(rows, c.shape(query, key, of=Spec((batch, keys), "i1")))
        return MaskKind.KEYS, rows
    if full != dims and (rank < 4 or len(dims) > 4):
        mask = c.laid(mask, full)
    if mask.dtype == "i1":
        zero, hidden = (c.g.full((), number, query.dtype) for number in (0.0, float("-inf")))
        return MaskKind.BIAS, c.g.where(mask, zero, hidden)
    return MaskKind.BIAS, c.cast(mask, query.dtype)
