"""Attention that JAX programs compute block by block of the keys: one attention; near misses stay loops."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from math import inf
from typing import Any

import numpy as np
import pytest
from stablehlo_values import imported, texts
from tolerances import OTHER_ROUNDING, agree
from tools import need_module
from xdsl.dialects.builtin import ModuleOp

from rlx_dialect.ops import AttentionOp, WhileOp
from rlx_dialect.reference import Array, run
from rlx_passes.raising.raise_pass import RaisePass
from rlx_passes.reading.dialects import tool_context
from rlx_passes.registry.composite import flatten

need_module("jax")
jax: Any = importlib.import_module("jax")
jnp: Any = importlib.import_module("jax.numpy")

BATCH, HEADS, PLACES, WIDTH, BLOCK = 2, 2, 4, 8, 4
"""As many queries as keys in a block, so that rows and columns have the same dims."""

Step = Callable[..., Any]
START = -inf


def step(q: Any, k: Any, v: Any, carry: Any) -> Any:
    greatest, total, sums = carry
    scores = jnp.einsum("bhsd,bhtd->bhst", q, k) * 0.5
    risen = jnp.maximum(greatest, scores.max(-1))
    weights, decay = jnp.exp(scores - risen[..., None]), jnp.exp(greatest - risen)
    total = total * decay + weights.sum(-1)
    return risen, total, sums * decay[..., None] + jnp.einsum("bhst,bhtd->bhsd", weights, v)


def kept_axes(q: Any, k: Any, v: Any, carry: Any) -> Any:
    """Rows keep an axis of 1, sums the other order; the scale is on the queries."""
    greatest, total, sums = carry
    scores = (q * 0.5) @ jnp.swapaxes(k, -1, -2)
    risen = jnp.maximum(scores.max(-1, keepdims=True), greatest)
    weights, decay = jnp.exp(scores - risen), jnp.exp(greatest - risen)
    total = weights.sum(-1, keepdims=True) + decay * total
    return risen, total, weights @ v + decay * sums


def start(kept: bool, lowest: float = START) -> Any:
    rows = (BATCH, HEADS, PLACES, *((1,) if kept else ()))
    return jnp.full(rows, lowest), jnp.zeros(rows), jnp.zeros((BATCH, HEADS, PLACES, WIDTH))


def quotient(carry: Any, kept: bool) -> Any:
    total, sums = carry[1:]
    return sums / (total if kept else total[..., None])


def over_stacks(one: Step, kept: bool) -> Callable[[Any, Any, Any], Any]:
    def program(q: Any, k: Any, v: Any) -> Any:
        def blocks(x: Any) -> Any:
            return x.reshape(BATCH, HEADS, -1, BLOCK, WIDTH).transpose(2, 0, 1, 3, 4)

        def body(carry: Any, kv: Any) -> Any:
            return one(q, *kv, carry), None

        return quotient(jax.lax.scan(body, start(kept), (blocks(k), blocks(v)))[0], kept)

    return program


def over_slices(one: Step, kept: bool, lowest: float = START, apart: int = BLOCK) -> Callable[[Any, Any, Any], Any]:
    def program(q: Any, k: Any, v: Any) -> Any:
        def body(i: Any, carry: Any) -> Any:
            kv = (jax.lax.dynamic_slice_in_dim(x, i * apart, BLOCK, axis=2) for x in (k, v))
            return one(q, *kv, carry)

        return quotient(jax.lax.fori_loop(0, k.shape[2] // BLOCK, body, start(kept, lowest)), kept)

    return program


def inputs(blocks: int) -> list[Array]:
    rng = np.random.default_rng(blocks)
    keys = blocks * BLOCK
    return [
        rng.standard_normal((BATCH, HEADS, places, WIDTH)).astype(np.float32) * 2 for places in (PLACES, keys, keys)
    ]


def raised(program: Callable[..., Any], arrays: list[Array]) -> ModuleOp:
    """The program after raising; its values are JAX's."""
    module, stays = imported(texts(program, tuple(arrays))[0])
    assert not stays
    for one in flatten((RaisePass(),)):
        one.apply(tool_context(), module)
        module.verify()
    (actual,) = run(module, None, {f"arg{i}": x for i, x in enumerate(arrays)}).values()
    agree(actual, np.asarray(jax.jit(program)(*arrays)), OTHER_ROUNDING)
    return module


@pytest.mark.parametrize("blocks", [3, 20])
@pytest.mark.parametrize(
    "program",
    [
        over_stacks(step, False),
        over_stacks(kept_axes, True),
        over_slices(step, False),
        over_slices(kept_axes, True),
        over_slices(step, False, float(np.finfo(np.float32).min)),
    ],
)
def test_f26_keys_block_by_block_are_one_attention(program: Callable[..., Any], blocks: int):
    module = raised(program, inputs(blocks))
    (op,) = (op for op in module.walk() if isinstance(op, AttentionOp))
    assert (op.config.scale, op.config.heads, op.masking) == (0.5, HEADS, None)
    assert not any(isinstance(each, WhileOp) for each in module.walk())


def slow_sums(q: Any, k: Any, v: Any, carry: Any) -> Any:
    """Sums that fade less than their total."""
    risen, total, _ = step(q, k, v, carry)
    scores = jnp.einsum("bhsd,bhtd->bhst", q, k) * 0.5
    weights = jnp.exp(scores - risen[..., None])
    return risen, total, carry[2] * jnp.exp((carry[0] - risen) * 0.5)[..., None] + weights @ v


def by_columns(q: Any, k: Any, v: Any, carry: Any) -> Any:
    """The running maximum is subtracted along the keys instead of the queries."""
    greatest, total, sums = carry
    scores = jnp.einsum("bhsd,bhtd->bhst", q, k) * 0.5
    risen = jnp.maximum(greatest, scores.max(-1))
    weights, decay = jnp.exp(scores - risen[..., None, :]), jnp.exp(greatest - risen)
    total = total * decay + weights.sum(-1)
    return risen, total, sums * decay[..., None] + weights @ v


def one_matrix(q: Any, k: Any, v: Any, carry: Any) -> Any:
    """Queries that a round reads as keys."""
    return step(k, k, v, carry)


@pytest.mark.parametrize(
    "program",
    [
        over_slices(slow_sums, False, -8.0),
        over_slices(by_columns, False, -8.0),
        over_slices(one_matrix, False),
        over_slices(step, False, -1.0),
        over_slices(step, False, apart=2),
    ],
    ids=["decay", "columns", "queries", "start", "overlap"],
)
def test_f26_other_loops_stay(program: Callable[..., Any]):
    module = raised(program, inputs(3))
    assert any(isinstance(each, WhileOp) for each in module.walk())
    assert not any(isinstance(each, AttentionOp) for each in module.walk())


def test_f26_sums_that_are_read_elsewhere_keep_the_loop():
    def program(q: Any, k: Any, v: Any) -> Any:
        def body(i: Any, carry: Any) -> Any:
            kb, vb = (jax.lax.dynamic_slice_in_dim(x, i * BLOCK, BLOCK, axis=2) for x in (k, v))
            return step(q, kb, vb, carry)

        carry = jax.lax.fori_loop(0, k.shape[2] // BLOCK, body, start(False))
        return jnp.concatenate([quotient(carry, False), carry[0][..., None]], -1)

    module = raised(program, inputs(3))
    assert any(isinstance(each, WhileOp) for each in module.walk())


def masked(shows: Callable[[Any, Any], Any], number: float, outside: bool) -> Callable[..., Any]:
    """A mask of places in each round; `outside`, those of the queries are made before the loop."""

    def program(q: Any, k: Any, v: Any) -> Any:
        before = jnp.arange(PLACES)[:, None]

        def body(i: Any, carry: Any) -> Any:
            greatest, total, sums = carry
            kb, vb = (jax.lax.dynamic_slice_in_dim(x, i * BLOCK, BLOCK, axis=2) for x in (k, v))
            query = before if outside else jnp.arange(PLACES)[:, None]
            shown = shows(query, i * BLOCK + jnp.arange(BLOCK)[None])
            scores = jnp.where(shown, q @ jnp.swapaxes(kb, -1, -2) * 0.5, number)
            risen = jnp.maximum(greatest, scores.max(-1))
            weights, decay = jnp.exp(scores - risen[..., None]), jnp.exp(greatest - risen)
            total = total * decay + weights.sum(-1)
            return risen, total, sums * decay[..., None] + weights @ vb

        return quotient(jax.lax.fori_loop(0, k.shape[2] // BLOCK, body, start(False)), False)

    return program


@pytest.mark.parametrize("outside", [False, True])
@pytest.mark.parametrize("number", [-inf, -1e30])
def test_f26_masks_of_places_in_rounds_are_those_of_the_attention(number: float, outside: bool):
    module = raised(masked(lambda query, key: key <= query + 5, number, outside), inputs(3))
    (op,) = (op for op in module.walk() if isinstance(op, AttentionOp))
    assert (op.config.causal_offset, op.config.window_left, op.masking) == (5, None, None)


def test_f26_a_window_in_rounds_hides_first_keys_by_finite_numbers_alone():
    def near(query: Any, key: Any) -> Any:
        return (key <= query + 6) & (key >= query + 2)

    module = raised(masked(near, -1e30, False), inputs(3))
    (op,) = (op for op in module.walk() if isinstance(op, AttentionOp))
    assert (op.config.causal_offset, op.config.window_left, op.masking) == (6, 4, None)

    module, _ = imported(texts(masked(near, -inf, False), tuple(inputs(3)))[0])
    for one in flatten((RaisePass(),)):
        one.apply(tool_context(), module)
    assert not any(isinstance(op, AttentionOp) for op in module.walk())
