"""What JAX lowers reductions, prefix sums, pools, sorts and searches to means in RLX what it means in JAX."""

# What JAX traces has no type that is known here.
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false, reportUnknownParameterType=false

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest
from stablehlo_values import Array, as_dtype, check, integers, normal, stays
from tools import need_module, sampled

X, WHOLE = normal(4, 8), integers(-3, 9, 4, 8)
IMAGES, CHANNELS = normal(2, 8, 8, 3), normal(2, 4, 8, 8)
ODD = np.array([-0.0, 0.0, 1.5, -1.5, np.inf, -np.inf, np.nan, 1.5, np.nan], np.float32)
LOWEST, HIGHEST = -np.float32(np.inf), np.float32(np.inf)


class Jax:
    """JAX's modules, imported by the test that asks for them."""

    def __init__(self):
        need_module("jax")
        self.jax: Any = importlib.import_module("jax")
        self.numpy, self.lax = self.jax.numpy, self.jax.lax


@pytest.fixture(name="j")
def modules() -> Jax:
    return Jax()


def of_type(dtype: str) -> Array:
    return (np.abs(X * 3) if dtype.startswith("u") else X * 3).astype(as_dtype(dtype))


@sampled(4)
@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "int32", "uint32", "bool"])
@pytest.mark.parametrize("name", ["max", "min", "sum", "prod", "all", "any", "mean", "var", "argmax", "argmin"])
def test_reductions(j: Jax, name: str, dtype: str):
    reduction, values = getattr(j.numpy, name), of_type(dtype)
    check(lambda a: reduction(a, axis=1), values)
    if not name.startswith("arg"):
        check(lambda a: reduction(a), values)


@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_extrema(j: Jax, name: str):
    """The first of equal elements, NaN before all else."""
    extremum = getattr(j.numpy, name)
    for values in (ODD, ODD[:6], ODD[6:], ODD[:2], np.array([2, 1, 2, 1], np.int8), np.full(3, LOWEST)):
        check(lambda a: extremum(a), values, gives=("arg_reduce",))
    check(lambda a: extremum(a, axis=0), CHANNELS, gives=("arg_reduce",))
    check(lambda a: extremum(a, axis=-1, keepdims=True), WHOLE, gives=("arg_reduce",))


def test_reductions_of_nothing(j: Jax):
    empty = np.zeros((0, 3), np.float32)
    check(lambda a: (j.numpy.sum(a, 0), j.numpy.sum(a, 1), j.numpy.prod(a), j.numpy.max(a, 1)), empty)
    check(lambda a: j.lax.reduce(a, np.int32(5), j.lax.bitwise_xor, (0,)), np.zeros((0, 3), np.int32))


@pytest.mark.parametrize("axes", [(1,), (0, 1), (0,)])
def test_reductions_by_other_functions(j: Jax, axes: tuple[int, ...]):
    lax = j.lax
    check(lambda a: lax.reduce(a, np.int32(0), lax.bitwise_xor, axes), WHOLE)
    check(lambda a: lax.reduce(a, np.int32(-1), lax.bitwise_and, axes), WHOLE)
    check(lambda a: lax.reduce(a, np.float32(2), lax.add, axes), X)
    check(lambda a: lax.reduce(a, np.float32(0), lambda p, q: lax.max(lax.abs(p), lax.abs(q)), axes), X)

    def both(p: Any, q: Any) -> Any:
        return p[0] + q[0], p[1] * q[1]

    check(lambda a, b: lax.reduce((a, b), (np.float32(0), np.float32(1)), both, axes), X, X[::-1].copy())


def test_the_last_of_equal_elements(j: Jax):
    lax = j.lax

    def later(p: Any, q: Any) -> Any:
        first = (p[0] > q[0]) | ((p[0] == q[0]) & (p[1] >= q[1]))
        return lax.select(first, p[0], q[0]), lax.select(first, p[1], q[1])

    values = np.array([[1, 3, 3, 0], [2, 2, 2, 2]], np.int32)
    init = (np.int32(-(2**31)), np.int32(0))
    check(
        lambda a: lax.reduce((a, lax.broadcasted_iota(np.int32, (2, 4), 1)), init, later, (1,)),
        values,
        gives=("arg_reduce",),
    )


@sampled(4)
@pytest.mark.parametrize("platform", ["cpu", "tpu"])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("name", ["cumsum", "cumprod", "cummax", "cummin", "cumlogsumexp"])
def test_prefixes(j: Jax, name: str, reverse: bool, platform: str):
    """As JAX writes them for the cpu, by halves, and for an accelerator, as a window."""
    prefix = getattr(j.lax, name)
    windows = {"cumsum": "cumsum", "cumprod": "cumprod", "cummax": "cummax", "cummin": "cummax"}
    gives = (windows[name],) if platform == "tpu" and name in windows else ()
    for values in (X, WHOLE, X.astype(as_dtype("bfloat16")))[: 1 if name == "cumlogsumexp" else 3]:
        check(lambda a: prefix(a, axis=1, reverse=reverse), values, platform=platform, gives=gives, rtol=1e-5)


def test_prefixes_of_odd_sizes(j: Jax):
    check(lambda a: j.lax.associative_scan(j.numpy.maximum, a, axis=1), normal(2, 7))
    check(lambda a: j.numpy.cumsum(a, 0), np.zeros((0, 3), np.float32))
    check(lambda a: j.numpy.cumsum(a, 0), normal(1), platform="tpu")
    check(lambda a: j.lax.cummin(a, axis=0), np.array([5, -(2**31), 3], np.int32), platform="tpu")


NHWC, NCHW = ((1, 3, 3, 1), (1, 2, 2, 1)), ((1, 1, 2, 2), (1, 1, 2, 2))


@pytest.mark.parametrize("padding", ["VALID", "SAME"])
@pytest.mark.parametrize("channels_last", [True, False])
def test_pools(j: Jax, channels_last: bool, padding: str):
    values, (window, strides) = (IMAGES, NHWC) if channels_last else (CHANNELS, NCHW)
    lax, count = j.lax, np.float32(np.prod(window))

    def pool(a: Any, init: Any, function: Any) -> Any:
        return lax.reduce_window(a, init, function, window, strides, padding)

    check(lambda a: pool(a, LOWEST, lax.max), values, gives=("pool",))
    check(lambda a: pool(a, HIGHEST, lax.min), values, gives=("pool",))
    check(lambda a: pool(a, np.float32(0), lax.add) / count, values, gives=("pool",))
    check(lambda a: pool(a, np.float32(0), lax.add), values)
    check(lambda a: pool(a, np.int32(-(2**31)), lax.max), integers(-9, 9, *values.shape), gives=("pool",))
    check(lambda a: pool(a, np.int32(2**31 - 1), lax.min), integers(-9, 9, *values.shape), gives=("pool",))


def test_windows(j: Jax):
    lax = j.lax
    check(lambda a: lax.reduce_window(a, np.int32(0), lax.add, (2, 2), (1, 1), "SAME"), WHOLE)
    check(lambda a: lax.reduce_window(a, np.float32(1), lax.mul, (2, 3), (2, 1), "VALID"), X)
    check(lambda a: lax.reduce_window(a, np.int32(5), lax.add, (2, 2), (1, 1), "VALID"), WHOLE)
    edges = ((1, 0), (0, 1))
    check(
        lambda a: lax.reduce_window(
            a, np.float32(0), lax.add, (2, 2), (1, 2), edges, base_dilation=(2, 1), window_dilation=(1, 2)
        ),
        X,
    )
    check(lambda a: lax.reduce_window(a, LOWEST, lax.max, (3,), (1,), "SAME"), ODD[:6])

    def larger(p: Any, q: Any) -> Any:
        first = p[0] >= q[0]
        return lax.select(first, p[0], q[0]), lax.select(first, p[1], q[1])

    places = np.arange(32, dtype=np.int32).reshape(4, 8)
    check(lambda a, i: lax.reduce_window((a, i), (LOWEST, np.int32(0)), larger, (2, 2), (2, 2), "VALID"), X, places)


def test_windows_that_stay(j: Jax):
    """StableHLO pads with the initial value, XLA with nothing."""
    stays(
        lambda a: j.lax.reduce_window(a, np.int32(5), j.lax.add, (2, 2), (1, 1), "SAME"),
        WHOLE,
        reasons={"stablehlo.reduce_window": "pads with an initial value"},
    )


@pytest.mark.parametrize("platform", ["cpu", "tpu"])
def test_gradients_of_pools(j: Jax, platform: str):
    def loss(function: Any, init: Any) -> Any:
        def value(a: Any) -> Any:
            return j.numpy.sum(j.numpy.sin(j.lax.reduce_window(a, init, function, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")))

        return j.jax.grad(value)

    check(loss(j.lax.max, LOWEST), IMAGES, platform=platform, gives=("max_pool_backward",) if platform == "cpu" else ())
    check(loss(j.lax.add, np.float32(0)), IMAGES, platform=platform)


@pytest.mark.parametrize("values", [X, WHOLE, ODD[None], X.astype(np.float16), X > 0, np.zeros((2, 0), np.float32)])
def test_sorts(j: Jax, values: Array):
    np_ = j.numpy
    check(lambda a: (np_.sort(a, axis=1), np_.sort(a, axis=0), np_.sort(a, axis=1, descending=True)), values)
    check(lambda a: (np_.argsort(a, axis=1), np_.argsort(a, axis=1, descending=True)), values)


def test_sorts_of_several_inputs(j: Jax):
    lax, np_ = j.lax, j.numpy
    other = WHOLE[::-1].copy()
    check(lambda a, b: lax.sort((a, b), num_keys=1), WHOLE, X)
    check(lambda a, b, c: lax.sort((a, b, c), num_keys=2), WHOLE, other, X)
    check(lambda a, b: lax.sort((b, a), num_keys=2, dimension=0), WHOLE, np.where(X > 0, 1, ODD[0]).astype(np.float32))
    check(lambda a, b: np_.lexsort((a, b)), WHOLE, other)
    stays(lambda a: lax.sort((a, a, a), num_keys=3), WHOLE, reasons={"stablehlo.sort": "compares 3 of its inputs"})


@pytest.mark.parametrize("platform", ["cpu", "tpu"])
def test_greatest_elements(j: Jax, platform: str):
    for values in (X, WHOLE, np.array([3, 1, 3, 3], np.int32), ODD[[2, 3, 4, 5, 7]]):
        check(lambda a: j.lax.top_k(a, 3), values, platform=platform, gives=("top_k",))


def test_functions_of_sorted_values(j: Jax):
    np_ = j.numpy
    check(lambda a: (np_.median(a, axis=1), np_.quantile(a, 0.3, axis=1)), X)
    check(lambda a: (np_.unique(a, size=6), np_.nonzero(a, size=5)), WHOLE)
    check(lambda a: np_.histogram(a, 5, (-1, 1))[0], X)
    check(lambda a: np_.interp(a, np_.arange(4.0), np_.arange(4.0) ** 2), X)


def test_functions_made_of_reductions(j: Jax):
    nn = j.jax.nn
    check(
        lambda a: (nn.softmax(a), nn.log_softmax(a), nn.logsumexp(a, axis=1), nn.standardize(a)),
        X,
        rtol=1e-5,
        atol=1e-5,
    )
