"""
Attention as `mx.fast.scaled_dot_product_attention`, computed in f32 where the operands are narrower: on devices without
a fused kernel for a shape, MLX rounds the scores to the operands' type. A softcap and f64 go through `lib.attention`.
"""

from xdsl.dialects.builtin import f64, i1
from xdsl.ir import SSAValue

from rlx_dialect.attributes import AttentionLayout, MaskedRows, MaskKind
from rlx_dialect.ops import AttentionConfig, AttentionOp
from rlx_dialect.ops.attention import END
from rlx_dialect.shapes import DYNAMIC, Shaped, broadcast_dims, shaped
from rlx_passes.lowerings.to_mlx.calls import Calls, Keyword, sum_element
from rlx_passes.lowerings.to_mlx.reduction import not_empty
from rlx_passes.rewriting.conversion import Rules

KEYS = 3
"""The axis of scores and masks `[B, H, S_q, S_k]` that runs over the keys."""


def to_bhsd(calls: Calls, value: SSAValue, layout: AttentionLayout, heads: int) -> SSAValue:
    """`[B, H, S, D]` of a query, key or value in `layout`."""
    if layout is AttentionLayout.BHSD:
        return value
    if layout is AttentionLayout.BSM:
        given = shaped(value)
        width = (heads, given.dims[-1] // heads)
        split = given.with_dims((*given.dims[:-1], *width))
        value = calls.call("mx.unflatten", value, to=split, axis=given.rank - 1, shape=width)
        if given.rank == 2:
            value = calls.expand_dims(value, [0])
    return calls.transpose(value, [0, 2, 1, 3])


def from_bhsd(calls: Calls, value: SSAValue, layout: AttentionLayout, to: Shaped) -> SSAValue:
    """The inverse of `to_bhsd`, for a result like `to`."""
    if layout is AttentionLayout.BHSD:
        return value
    value = calls.transpose(value, [0, 2, 1, 3])
    if layout is AttentionLayout.BSHD:
        return value
    given = shaped(value)
    batch, length, heads, width = given.dims
    packed = given.with_dims((batch, length, heads * width))
    value = calls.call("mx.flatten", value, to=packed, start_axis=2)
    if to.rank == 3:
        return value
    return calls.call("mx.squeeze", value, to=packed.with_dims(packed.dims[1:]), axis=0)


class AttentionCall:
    """One attention on `[B, H, S, D]` operands of the type that it is computed in."""

    def __init__(self, calls: Calls, query: SSAValue, key: SSAValue, value: SSAValue, config: AttentionConfig) -> None:
        self.calls, self.query, self.key, self.value, self.config = calls, query, key, value, config
        self.queries, self.keys = shaped(query).dims[2], shaped(key).dims[2]
        self.to = shaped(query).with_dims((*shaped(query).dims[:3], config.v_head_dim))

    def run(self, mask: SSAValue | None, kind: MaskKind | None) -> SSAValue:
        """`[B, H, S_q, D_v]`"""
        if self.keys == 0:
            return self._of_no_keys()
        if mask is None and self._is_causal_by_name():
            return self._attend(None, mask="causal")
        seen = self._seen_by_place()
        if mask is not None and kind is MaskKind.KEYS:
            seen = self._both(seen, self._seen_by_keys(mask))
        bias = self.calls.astype(mask, self.to.element) if mask is not None and kind is MaskKind.BIAS else None
        if bias is not None:
            return self._biased(bias, seen)
        if seen is None:
            return self._attend(None)
        return self._with_blind_rows(self._attend(seen), seen)

    def _of_no_keys(self) -> SSAValue:
        """The sum over no key, as the query times zeros: zeros of the result's shape, which may be dynamic."""
        zero = self.calls.scalar(0, self.to.element)
        width = Shaped((self.config.head_dim, self.config.v_head_dim), self.to.element)
        zeros = self.calls.call("mx.broadcast_to", zero, to=width, shape=width.dims)
        return self.calls.call("mx.matmul", self.query, zeros, to=self.to)

    def _is_causal_by_name(self) -> bool:
        """Whether MLX's own causal mask says it: the last query sees the last key, and the first query any."""
        config = self.config
        if config.window_left is not None or config.window_right is not None or self._needs_library():
            return False
        if DYNAMIC in (self.queries, self.keys):
            return False
        return config.causal_offset in (END, self.keys - self.queries) and self.keys >= self.queries

    def _needs_library(self) -> bool:
        return self.config.softcap is not None or self.to.element == f64

    def _attend(self, masks: SSAValue | None, **keywords: Keyword) -> SSAValue:
        operands = (self.query, self.key, self.value) if masks is None else (self.query, self.key, self.value, masks)
        if not self._needs_library():
            callee = "mx.fast.scaled_dot_product_attention"
            return self.calls.call(callee, *operands, to=self.to, scale=self.config.scale, **keywords)
        if self.config.softcap is not None:
            keywords["softcap"] = self.config.softcap
        return self.calls.call("lib.attention", *operands, to=self.to, scale=self.config.scale, **keywords)

    def _seen_by_place(self) -> SSAValue | None:
        """`[S_q, S_k]`: what the causal offset and the window show; None for everything."""
        config = self.config
        keywords: dict[str, Keyword] = {}
        if config.causal_offset == END:
            keywords["end"] = True
        elif config.causal_offset is not None:
            keywords["offset"] = config.causal_offset
        if config.window_left is not None:
            keywords["left"] = config.window_left
        if config.window_right is not None:
            keywords["right"] = config.window_right
        if not keywords:
            return None
        to = Shaped((self.queries, self.keys), i1)
        return self.calls.call("lib.visible_keys", self.query, self.key, to=to, **keywords)

    def _seen_by_keys(self, mask: SSAValue) -> SSAValue:
        """`[B, 1, 1, S_k]` of a mask `[B, S_k]`."""
        return self.calls.expand_dims(self.calls.astype(mask, i1), [1, 2])

    def _both(self, seen: SSAValue | None, other: SSAValue) -> SSAValue:
        if seen is None:
            return other
        to = Shaped(broadcast_dims(shaped(seen).dims, shaped(other).dims), i1)
        return self.calls.call("mx.logical_and", seen, other, to=to)

    def _biased(self, bias: SSAValue, seen: SSAValue | None) -> SSAValue:
        """With `bias` added to the scores; -inf in it hides a key."""
        calls = self.calls
        nothing = calls.scalar(float("-inf"), self.to.element)
        if seen is not None:
            masked = Shaped(broadcast_dims(shaped(seen).dims, shaped(bias).dims), self.to.element)
            bias = calls.call("mx.where", seen, bias, nothing, to=masked)
        shown = calls.call("mx.not_equal", bias, nothing, to=Shaped(shaped(bias).dims, i1))
        return self._with_blind_rows(self._attend(bias), shown)

    def _with_blind_rows(self, result: SSAValue, seen: SSAValue) -> SSAValue:
        """`result`, with what `masked_rows` says where a query sees no key."""
        if not self._may_be_blind(seen):
            return result
        calls = self.calls
        dims = shaped(seen).dims
        sighted = calls.reduce("mx.any", seen, [len(dims) - 1], Shaped((*dims[:-1], 1), i1))
        return calls.call("mx.where", sighted, result, self._blind_row(), to=self.to)

    def _may_be_blind(self, seen: SSAValue) -> bool:
        """False where places alone decide, and every query has a place in its window that is a key."""
        config = self.config
        if shaped(seen).rank != 2 or DYNAMIC in (self.queries, self.keys):
            return True
        offset = self.keys - self.queries if config.causal_offset == END else int(config.causal_offset or 0)
        ahead = 0 if config.causal_offset is not None else config.window_right
        if ahead is not None and offset + ahead < 0:
            return True
        return config.window_left is not None and self.queries - 1 + offset - config.window_left >= self.keys

    def _blind_row(self) -> SSAValue:
        """What a query without a visible key gives, to be broadcast to the result."""
        calls, config, element = self.calls, self.config, self.to.element
        nan = calls.scalar(float("nan"), element)
        if config.masked_rows is MaskedRows.ZERO:
            return calls.scalar(0.0, element)
        if config.masked_rows is MaskedRows.NAN and self.keys != DYNAMIC:
            return nan
        given = shaped(self.value)
        batch, heads, _, width = given.dims
        to = given.with_dims((batch, heads, 1, width))
        if config.masked_rows is MaskedRows.NAN:
            # Nothing where there are no keys.
            mean = calls.reduce("mx.sum", calls.call("mx.multiply", self.value, nan, to=given), [2], to)
        else:
            values = not_empty(calls, self.value, [2], 0.0) if self.keys == DYNAMIC else self.value
            mean = calls.reduce("mx.mean", values, [2], to)
        group = config.heads // config.kv_heads
        if group == 1:
            return mean
        repeated = given.with_dims((batch, config.heads, 1, width))
        return calls.call("mx.repeat", mean, to=repeated, repeats=group, axis=1)


def _attention(op: AttentionOp, calls: Calls) -> SSAValue:
    config, layout, to = op.config, op.lies, shaped(op.result)
    element = sum_element(to.element, config.accumulate)
    sides = ((op.query, config.heads), (op.key, config.kv_heads), (op.value, config.kv_heads))
    query, key, value = (to_bhsd(calls, calls.astype(side, element), layout, heads) for side, heads in sides)
    result = AttentionCall(calls, query, key, value, config).run(op.mask, op.masking)
    return calls.astype(from_bhsd(calls, result, layout, to), to.element)


RULES: Rules = {
    AttentionOp: _attention,
}
