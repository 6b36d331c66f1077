"""What JAX lowers slices, pads, gathers, scatters and indexed updates to means in RLX what it means in JAX."""

# What JAX traces has no type that is known here.
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false, reportUnknownParameterType=false

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest
from stablehlo_values import check, integers, normal, stays
from tools import need_module, sampled

X, Z = normal(4, 8), (normal(4, 8) + 1j * normal(4, 8)).astype(np.complex64)
IMAGES = normal(2, 4, 6, 3)
INSIDE, OUTSIDE = integers(0, 4, 5), np.array([0, -9, 3, 11, -1, 4], np.int32)


class Jax:
    """JAX's modules, imported by the test that asks for them."""

    def __init__(self):
        need_module("jax")
        self.jax: Any = importlib.import_module("jax")
        self.numpy, self.lax = self.jax.numpy, self.jax.lax


@pytest.fixture(name="j")
def modules() -> Jax:
    return Jax()


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "int32", "bool", "complex64"])
def test_movement(j: Jax, dtype: str):
    values = (X * 3).astype(normal(1, dtype="bfloat16").dtype if dtype == "bfloat16" else dtype)
    np_ = j.numpy
    check(
        lambda a: (a.T, a.reshape(2, 16), a[1:3, ::2], a[1::3, ::3], a[::-1], np_.flip(a), a[:, None], a[0, 0]), values
    )
    check(lambda a: (np_.concatenate([a, a], 1), np_.tile(a, (2, 1)), np_.roll(a, 3, 1), np_.repeat(a, 2, 1)), values)
    check(lambda a: (np_.broadcast_to(a[:, None], (4, 3, 8)), np_.stack([a, a]), np_.pad(a, ((1, 2), (0, 1)))), values)


def test_counts(j: Jax):
    np_ = j.numpy
    check(lambda: (np_.arange(5.0), np_.eye(3), np_.tri(4), j.lax.broadcasted_iota(np_.int32, (3, 4), 1)))
    check(lambda: (j.lax.iota(np_.uint32, 3), j.lax.iota(np_.bfloat16, 3), np_.zeros((0, 3)), np_.linspace(0, 1, 5)))


@pytest.mark.parametrize(
    "edges",
    [
        ((1, 2, 0), (0, -1, 0)),
        ((1, -2, 2), (-1, 3, 1)),
        ((-1, -1, 0), (-3, -2, 0)),
        ((0, 0, 1), (0, 0, 2)),
        ((-3, 1, 3), (0, 0, 0)),
        ((0, 0, 0), (0, 0, 0)),
    ],
)
def test_pads(j: Jax, edges: Any):
    check(lambda a: j.lax.pad(a, np.float32(2), edges), X)
    check(lambda a: j.lax.pad(a, -np.float32(np.inf), edges), X, exact=True)
    check(lambda a, v: j.lax.pad(a, v, edges), X, np.float32(3))
    check(lambda a: j.lax.pad(a, np.int32(7), edges), integers(-9, 9, 4, 8))
    check(lambda a: j.lax.pad(a, np.complex64(0), edges), Z)
    check(lambda a: j.lax.pad(a, np.complex64(1j), edges), Z)


def test_pads_of_nothing(j: Jax):
    check(lambda a: j.lax.pad(a, np.float32(2), ((1, 2, 3), (0, 0, 1))), np.zeros((0, 2), np.float32))
    check(lambda a: j.lax.pad(a, np.float32(2), ((2, -1, 3),)), np.zeros((0,), np.float32))
    for mode in ("reflect", "edge", "wrap", "symmetric"):
        check(lambda a, mode=mode: j.numpy.pad(a, 2, mode=mode), X)


@pytest.mark.parametrize("start", [-9, -1, 0, 2, 3, 99])
def test_starts_are_clamped(j: Jax, start: int):
    """JAX counts negative starts from the end and leaves what is out of range to StableHLO."""
    at = np.int32(start)
    check(lambda a, s: j.lax.dynamic_slice(a, (s, s), (2, 3)), X, at, gives=("dynamic_slice",))
    check(lambda a: j.lax.dynamic_slice(a, (start, 0), (2, 3)), X, gives=("narrow",))
    check(
        lambda a, u, s: j.lax.dynamic_update_slice(a, u, (s, s)), X, normal(2, 2), at, gives=("dynamic_update_slice",)
    )
    check(lambda a, s: (a[s], j.lax.dynamic_index_in_dim(a, s, 1)), X, at)


def test_starts_without_a_sign(j: Jax):
    check(lambda a, s: j.lax.dynamic_slice(a, (s, s), (2, 3)), X, np.uint32(7))
    check(lambda a, s: j.lax.dynamic_slice(a, (s,), (0,)), X[0], np.int32(3))
    check(lambda a, s: j.lax.dynamic_slice(a, (), ()) + s, np.float32(1), np.float32(3))


@pytest.mark.parametrize("mode", ["clip", "fill", "wrap"])
def test_take(j: Jax, mode: str):
    for axis in (0, 1):
        check(lambda a, i, axis=axis: j.numpy.take(a, i, axis=axis, mode=mode), X, OUTSIDE, gives=("gather",))


def test_gathers(j: Jax):
    np_ = j.numpy
    check(lambda a, i: (a[i, i], a[:, i], a[i][:, 2:4]), X, INSIDE, gives=("general_gather",))
    check(lambda a, i: a[:, i, 1:3], IMAGES, INSIDE)
    check(lambda a, i: np_.take_along_axis(a, i, axis=1), X, integers(0, 8, 4, 3))
    check(lambda a, i: a.at[i].get(mode="fill", fill_value=7), X, OUTSIDE)
    check(lambda a, i: a.at[i].get(mode="clip"), X, OUTSIDE)
    check(lambda a, i: a[i], X, np.zeros((0,), np.int32))
    check(lambda a, i: a[i], X.astype(normal(1, dtype="bfloat16").dtype), INSIDE)
    check(lambda a, i: j.jax.vmap(lambda row, at: row[at])(a, i), X, integers(0, 8, 4))
    check(
        lambda a, i: j.lax.gather(a, i, j.lax.GatherDimensionNumbers((0, 2), (), (1, 0)), (2, 3)),
        X,
        integers(0, 9, 5, 2),
    )
    check(lambda a, i: np_.take(a, i, axis=0), X, OUTSIDE.astype(np.uint8))


@sampled(5)
@pytest.mark.parametrize("how", ["set", "add", "multiply", "min", "max"])
@pytest.mark.parametrize("dtype", ["float32", "int32", "bfloat16"])
def test_scatters(j: Jax, how: str, dtype: str):
    """Updates out of range are left out."""
    values = (X * 3).astype(normal(1, dtype=dtype).dtype)
    places = np.array([0, 3, 1, 2], np.int32)
    for rows in (places, np.array([0, 9, 2, -7], np.int32)):
        check(lambda a, i: getattr(a.at[i], how)(2), values, rows, gives=("general_scatter",))
        check(lambda a, i: getattr(a.at[i, i], how)(2), values, rows)
        check(lambda a, i: getattr(a.at[:, i], how)(a[:, :4]), values, rows)


def test_scatters_of_the_same_place(j: Jax):
    check(lambda a, i: (a.at[i].add(a[:1]), a.at[i].max(0.5)), X, np.array([1, 1, 3, 1], np.int32))
    check(lambda a, i: j.jax.ops.segment_sum(a, i, 6), X, np.array([2, 0, 2, 5], np.int32))
    check(lambda i: (j.numpy.bincount(i, length=7), j.jax.nn.one_hot(i, 4)), INSIDE)
    check(lambda a, i: a.at[i].set(True), X > 0, INSIDE)
    check(lambda a, i: a.at[i].add(1), X, np.zeros((0,), np.int32))
    check(lambda a, i: a.at[i].add(1j), Z, np.array([0, 2], np.int32))
    check(
        lambda a, i: j.lax.scatter_sub(a, i[:, None], a[:2], j.lax.ScatterDimensionNumbers((), (0,), (0,))),
        X[0],
        INSIDE[:2],
    )


def test_gradients_of_gathers(j: Jax):
    check(j.jax.grad(lambda a, i: j.numpy.sum(j.numpy.sin(a[i]))), X, INSIDE)
    check(j.jax.grad(lambda a, s: j.numpy.sum(j.lax.dynamic_slice(a, (s, s), (2, 3)) ** 2)), X, np.int32(9))


def test_a_scatter_by_another_function_stays(j: Jax):
    def scattered(a: Any, i: Any) -> Any:
        return j.lax.scatter_apply(
            a, i[:, None], j.numpy.sin, j.lax.ScatterDimensionNumbers((1,), (0,), (0,)), update_shape=(2, 8)
        )

    stays(
        scattered, X, np.array([0, 2], np.int32), reasons={"stablehlo.scatter": "no reduction of rlx.general_scatter"}
    )


def test_images(j: Jax):
    for method in ("nearest", "bilinear"):
        check(lambda a, method=method: j.jax.image.resize(a, (2, 8, 12, 3), method), IMAGES, rtol=1e-5, atol=1e-5)
