"""Attention against a loop over heads, queries and keys that follows the definition word by word."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from rlx_dialect.attributes import AttentionLayout, MaskedRows, MaskKind
from rlx_dialect.ops import AttentionConfig
from rlx_dialect.reference.attention import attend, from_bhsd, to_bhsd

B, H, KV, SQ, SK, D, DV = 2, 4, 2, 3, 5, 6, 7


@dataclass(frozen=True)
class Case:
    offset: int | str | None = None
    left: int | None = None
    right: int | None = None
    softcap: float | None = None
    kind: MaskKind | None = None
    rows: MaskedRows = MaskedRows.UNIFORM


CASES = {
    "plain": Case(),
    "causal": Case(offset="end"),
    "causal_hides_rows": Case(offset=-2, rows=MaskedRows.ZERO),
    "window": Case(offset="end", left=1),
    "window_both_sides": Case(left=1, right=1),
    "softcap": Case(softcap=2.0),
    "keys": Case(kind=MaskKind.KEYS),
    "keys_and_causal": Case(kind=MaskKind.KEYS, offset="end", rows=MaskedRows.NAN),
    "bias": Case(kind=MaskKind.BIAS),
    "blind_rows_uniform": Case(kind=MaskKind.BIAS, offset=-1, rows=MaskedRows.UNIFORM),
}


def by_loops(q: Any, k: Any, v: Any, case: Case, mask: Any) -> Any:
    out = np.zeros((B, H, SQ, DV))
    offset = SK - SQ if case.offset == "end" else case.offset
    for b in range(B):
        for h in range(H):
            for i in range(SQ):
                scores: dict[int, float] = {}
                for j in range(SK):
                    score = float(q[b, h, i] @ k[b, h // (H // KV), j]) * 0.4
                    if case.softcap is not None:
                        score = case.softcap * math.tanh(score / case.softcap)
                    at = i + (int(offset) if offset is not None else 0)
                    seen = offset is None or j <= at
                    seen = seen and (case.left is None or j >= at - case.left)
                    seen = seen and (case.right is None or j <= at + case.right)
                    if case.kind is MaskKind.KEYS:
                        seen = seen and bool(mask[b, j])
                    elif case.kind is MaskKind.BIAS:
                        seen = seen and mask[b, h, i, j] != -np.inf
                        score += float(mask[b, h, i, j])
                    if seen:
                        scores[j] = score
                if scores:
                    total = sum(math.exp(s) for s in scores.values())
                    out[b, h, i] = sum(math.exp(s) / total * v[b, h // (H // KV), j] for j, s in scores.items())
                elif case.rows is MaskedRows.UNIFORM:
                    out[b, h, i] = v[b, h // (H // KV)].mean(0)
                elif case.rows is MaskedRows.NAN:
                    out[b, h, i] = np.nan
    return out


@pytest.mark.parametrize("name", CASES)
def test_attention(name: str):
    case = CASES[name]
    rng = np.random.default_rng(3)
    q, k, v = (
        rng.standard_normal((B, H, SQ, D)),
        rng.standard_normal((B, KV, SK, D)),
        rng.standard_normal((B, KV, SK, DV)),
    )
    mask = None
    if case.kind is MaskKind.KEYS:
        mask = rng.random((B, SK)) < 0.6
        mask[1] = False
    elif case.kind is MaskKind.BIAS:
        mask = rng.standard_normal((B, H, SQ, SK))
        mask[0, 1] = -np.inf
    config = AttentionConfig.make(
        H,
        D,
        scale=0.4,
        kv_heads=KV,
        v_head_dim=DV,
        softcap=case.softcap,
        causal_offset=case.offset,
        window_left=case.left,
        window_right=case.right,
        masked_rows=case.rows,
    )
    got = attend(q, k, v, config, mask, case.kind)
    np.testing.assert_allclose(got, by_loops(q, k, v, case, mask), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("layout", list(AttentionLayout))
def test_layouts_are_inverse(layout: AttentionLayout):
    x = np.random.default_rng(0).standard_normal((B, H, SQ, D))
    rank = 3 if layout is AttentionLayout.BSM else 4
    np.testing.assert_array_equal(to_bhsd(from_bhsd(x, layout, rank), layout, H), x)
