"""Attention against the cases of the `onnx` package; of their outputs the first is compared."""

import pytest
from onnx_cases import Case, Node, Unsupported, cases, check

from rlx_dialect.attributes import AttentionLayout, MaskedRows, MaskKind
from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.ops import AttentionConfig

LENGTHS = "a length of the keys for each sample"

UNSUPPORTED = {
    f"test_attention_{name}": LENGTHS
    for name in (
        "4d_diff_heads_mask4d_padded_kv",
        "4d_padded_kv_bf16",
        "4d_causal_padded_kv_bf16",
        "4d_gqa_causal_nonpad_decode",
        "4d_gqa_causal_nonpad_decode_fp16",
        "4d_causal_nonpad_continued_prefill",
        "4d_causal_nonpad_negative_offset_structural_empty",
        "4d_causal_nonpad_attn_mask_composition",
        "4d_causal_nonpad_batch_prefill",
        "local_window_ext_cache_rank3_head_mask",
        "local_window_ext_cache_rank4_batch_mask",
        "local_window_ext_cache_rank2_mask",
        "local_window_ext_cache_float16_mask",
    )
}


def heads_of(node: Node, operand: Tensor, attribute: str) -> int:
    return operand.shape[1] if len(operand.shape) == 4 else int(node.attributes[attribute])


def attention(g: Graph, node: Node) -> Tensor:
    if node.optional(6) is not None:
        raise Unsupported(LENGTHS)
    query, key, value = node.required(0), node.required(1), node.required(2)
    packed = len(query.shape) == 3
    heads, kv_heads = heads_of(node, query, "q_num_heads"), heads_of(node, key, "kv_num_heads")
    past = 0
    if (past_key := node.optional(4)) is not None:
        if packed:
            key, value = unpacked(g, key, kv_heads), unpacked(g, value, kv_heads)
            query = unpacked(g, query, heads)
        past = past_key.shape[2]
        key, value = g.concat([past_key, key], 2), g.concat([node.required(5), value], 2)
    bhsd = len(query.shape) == 4
    widths = [x.shape[-1] // (1 if bhsd else n) for x, n in ((query, heads), (value, kv_heads))]
    windows = [node.attributes.get(f"{side}_window_size", -1) for side in ("left", "right")]
    config = AttentionConfig.make(
        heads,
        widths[0],
        scale=node.attributes.get("scale"),
        kv_heads=kv_heads,
        v_head_dim=widths[1],
        softcap=node.attributes.get("softcap") or None,
        causal_offset=past if node.attributes.get("is_causal") else None,
        window_left=None if windows[0] < 0 else windows[0],
        window_right=None if windows[1] < 0 else windows[1],
        masked_rows=MaskedRows.ZERO,
    )
    mask = bias_of(g, node, query.dtype, key.shape[2] if bhsd else key.shape[1])
    layout = AttentionLayout.BHSD if bhsd else AttentionLayout.BSM
    kind = None if mask is None else MaskKind.BIAS
    result = g.attention(query, key, value, config, layout=layout, mask=mask, mask_kind=kind)
    if packed and bhsd:
        batch, _, length, _ = query.shape
        return g.reshape(g.transpose(result, (0, 2, 1, 3)), (batch, length, heads * widths[1]))
    return result


def unpacked(g: Graph, x: Tensor, heads: int) -> Tensor:
    """`[B, S, heads * D]` as `[B, heads, S, D]`"""
    batch, length, width = x.shape
    return g.transpose(g.reshape(x, (batch, length, heads, width // heads)), (0, 2, 1, 3))


def bias_of(g: Graph, node: Node, dtype: str, keys: int) -> Tensor | None:
    """The mask as what is added to the scores; a key that it does not reach is hidden."""
    mask = node.optional(3)
    if mask is None:
        return None
    if mask.dtype == "i1":
        mask = g.where(mask, g.zeros((), dtype), g.full((), float("-inf"), dtype))
    missing = keys - mask.shape[-1]
    if missing > 0:
        mask = g.concat([mask, g.full((*mask.shape[:-1], missing), float("-inf"), dtype)], len(mask.shape) - 1)
    return mask


ADAPTERS = {"Attention": attention}
CASES = cases("attention", *ADAPTERS)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Case):
    check(case, ADAPTERS, UNSUPPORTED)


def test_all_cases_are_there():
    assert set(UNSUPPORTED) <= {case.name for case in CASES}
