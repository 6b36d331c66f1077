"""Attention over a cache of the domain `com.microsoft` against ONNX Runtime, which defines it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from onnx_nodes import NodeCase

from rlx_dialect.reference import Array
from rlx_passes.core.errors import InputError

RNG = np.random.default_rng(23)
HEADS, GROUPS, WIDTH = 4, 2, 16


def normal(*shape: int) -> Array:
    return RNG.standard_normal(shape).astype(np.float32)


def case(
    name: str,
    queries: int,
    past: int,
    *,
    lengths: Sequence[int] = (),
    batch: int = 1,
    room: int | None = None,
    at: dict[int, Array] | None = None,
    packed: bool = False,
    **attributes: Any,
) -> NodeCase:
    """`past` entries before, in a cache of `room`; `lengths` of samples with the new ones; `at` are inputs by place."""
    total = past + queries
    inputs: list[Array | None] = [
        normal(batch, queries, (HEADS + 2 * GROUPS if packed else HEADS) * WIDTH),
        None if packed else normal(batch, queries, GROUPS * WIDTH),
        None if packed else normal(batch, queries, GROUPS * WIDTH),
        normal(batch, GROUPS, past if room is None else room, WIDTH),
        normal(batch, GROUPS, past if room is None else room, WIDTH),
        np.array(lengths or [total] * batch, np.int32) - 1,
        np.array(total, np.int32),
        *[None] * 10,
    ]
    for place, array in (at or {}).items():
        inputs[place] = array
    while inputs[-1] is None:
        inputs.pop()
    heads = {"num_heads": HEADS, "kv_num_heads": GROUPS, **attributes}
    return NodeCase(name, "GroupQueryAttention", inputs, (0, 1, 2), heads, domain="com.microsoft", stored=(6,))


TABLES = {7: normal(16, WIDTH // 2), 8: normal(16, WIDTH // 2)}
SINK = {11: normal(HEADS)}
CASES = [
    case("prompt", 5, 0),
    case("token", 1, 6),
    case("tokens", 3, 4),
    case("packed", 3, 4, packed=True),
    case("scaled", 3, 4, scale=0.2),
    case("capped", 3, 4, softcap=2.0),
    case("window", 5, 0, local_window_size=2),
    case("window_of_a_token", 1, 6, local_window_size=3),
    case("biased", 3, 4, at={10: normal(1, 1, 3, 7)}),
    case("rotated_prompt", 5, 0, at=TABLES, do_rotary=1),
    case("rotated_token", 1, 6, at=TABLES, do_rotary=1),
    case("rotated_pairs", 1, 6, at=TABLES, do_rotary=1, rotary_interleaved=1),
    case("rotated_packed", 3, 4, at=TABLES, do_rotary=1, packed=True),
    case("samples", 1, 6, batch=3),
    case("samples_of_their_own_lengths", 1, 6, batch=3, lengths=[7, 4, 2]),
    case("rotated_samples_of_their_own_lengths", 1, 6, batch=3, lengths=[7, 4, 2], at=TABLES, do_rotary=1),
    case("window_of_samples_of_their_own_lengths", 1, 6, batch=3, lengths=[7, 4, 2], local_window_size=3),
    case("sink_of_a_prompt", 5, 0, at=SINK),
    case("sink_of_a_token", 1, 6, at=SINK),
    case("sink_and_window", 5, 0, at=SINK, local_window_size=2),
    case("sink_and_bias", 3, 4, at={**SINK, 10: normal(1, 1, 3, 7)}),
    case("sink_and_cap", 3, 4, at=SINK, softcap=2.0),
    case("sink_of_samples_of_their_own_lengths", 1, 6, batch=3, lengths=[7, 4, 2], at=SINK),
    case("smooth", 3, 4, smooth_softmax=1),
    case("all_keys_are_seen", 5, 0, causal=0),
    case("all_keys_of_samples_are_seen", 1, 6, batch=3, lengths=[7, 4, 2], causal=0),
    case("at_places", 1, 6, batch=2, at={**TABLES, 9: np.array([[3], [9]])}, do_rotary=1),
]


@pytest.mark.parametrize("symbolic", [False, True], ids=["known", "at_run_time"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_values_of_onnx_runtime(case: NodeCase, symbolic: bool):
    case.check(symbolic=symbolic)


REFUSED = [
    (
        case("c", 5, 0, causal=0, local_window_size=2),
        "a window of keys is one of a causal attention, and attribute causal is 0",
    ),
    (
        case("c", 1, 6, at={14: normal(WIDTH)}),
        "inputs 14 and 15 (q_norm_weight, k_norm_weight): one is there without the other",
    ),
    (case("c", 1, 6, at={12: normal(1)}), "input 12 (k_scale)"),
    (case("c", 1, 6, at={16: np.array([1], np.int32)}), "input 16 (query_seqlens)"),
    (case("c", 1, 6, sliding_window_cache=1), "attribute sliding_window_cache is 1"),
    (case("c", 1, 6, kv_num_heads=0), "attribute 'kv_num_heads' is missing"),
    (case("c", 1, 6, kv_num_heads=3), "4 heads of queries do not share 3 heads of keys evenly"),
    (
        case("c", 1, 6, packed=True, num_heads=6),
        "queries, keys and values of 6 and twice 2 heads do not fill 128 entries",
    ),
]


@pytest.mark.parametrize(("case", "reason"), REFUSED, ids=lambda each: each if isinstance(each, str) else "")
def test_what_is_refused(case: NodeCase, reason: str):
    with pytest.raises(InputError) as refused:
        case.imported()
    assert str(refused.value) == f"c: node of 'y0' (com.microsoft.{case.op}): {reason}"


def test_norms_of_heads_are_taken_before_they_are_rotated():
    """The cpu of ONNX Runtime has no such norms: beside the same call whose heads are normalised by NumPy."""
    plain = case("plain", 3, 4, at=TABLES, do_rotary=1)
    raw = [*plain.inputs, *[None] * (16 - len(plain.inputs))]
    unit = list(plain.inputs)
    for at in (0, 1):
        raw[14 + at] = gain = normal(WIDTH)
        x = np.asarray(raw[at])
        heads = x.reshape(1, 3, -1, WIDTH)
        unit[at] = (heads / np.sqrt((heads * heads).mean(-1, keepdims=True) + 1e-6) * gain).reshape(x.shape)
    for actual, wanted in zip(
        replace(plain, inputs=raw).imported(), replace(plain, inputs=unit).expected(), strict=True
    ):
        np.testing.assert_allclose(actual, wanted, rtol=2e-5, atol=2e-5)
