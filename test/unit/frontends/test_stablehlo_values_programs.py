"""Loops, branches, transforms, convolutions, solvers and random numbers of JAX mean in RLX what they mean in JAX."""

# What JAX traces has no type that is known here.
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false, reportUnknownParameterType=false

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest
from stablehlo_values import check, check_text, imported, integers, normal, stays, texts
from tools import need_module

from rlx_dialect.ops import WhileOp

X, SQUARE = normal(4, 8), normal(4, 4)
Z = (normal(4, 8) + 1j * normal(4, 8)).astype(np.complex64)
POSITIVE = SQUARE @ SQUARE.T + 4 * np.eye(4, dtype=np.float32)
IMAGES, KERNEL = normal(2, 6, 6, 3), normal(3, 3, 3, 6)
KEY = np.array([1, 2], np.uint32)


class Jax:
    """JAX's modules, imported by the test that asks for them."""

    def __init__(self):
        need_module("jax")
        self.jax: Any = importlib.import_module("jax")
        self.numpy, self.lax, self.random = self.jax.numpy, self.jax.lax, self.jax.random


@pytest.fixture(name="j")
def modules() -> Jax:
    return Jax()


def test_loops(j: Jax):
    lax, np_ = j.lax, j.numpy
    check(lambda a: lax.while_loop(lambda s: s[0] < 5, lambda s: (s[0] + 1, s[1] * 1.1), (0, a)), X, gives=("while",))
    check(lambda a: lax.while_loop(lambda s: np_.sum(s) < 50, lambda s: s * 1.5, np_.abs(a)), X)
    check(lambda a, n: lax.fori_loop(0, n, lambda i, s: s + a * i, a), X, np.int32(3))
    check(lambda a, n: lax.fori_loop(0, n, lambda i, s: s + a * i, a), X, np.int32(-3))
    check(lambda a: lax.scan(lambda s, row: (s + row, s * row), a[0], a), X)
    check(lambda a: lax.scan(lambda s, row: (s + row, s * row), a[0], a, reverse=True), X)
    check(lambda a, w: lax.scan(lambda h, each: (np_.tanh(h @ each), None), a, w)[0], X, normal(3, 8, 8))
    check(lambda a: lax.map(np_.sin, a), X)
    check(lambda a: lax.scan(lambda s, row: (s + row, row), np_.zeros(3), a), np.zeros((0, 3), np.float32))


def test_bounds_of_loops(j: Jax):
    """A loop that counts between known numbers is known to end."""

    def bounds(function: Any) -> list[int | None]:
        module, _ = imported(texts(function, (X,))[0])
        return [op.limit for op in module.walk() if isinstance(op, WhileOp)]

    lax = j.lax
    assert bounds(lambda a: lax.scan(lambda s, row: (s + row, None), a[0], a)[0]) == [4]
    assert bounds(lambda a: lax.fori_loop(2, 9, lambda i, s: s * i, a)) == [7]
    assert bounds(lambda a: lax.while_loop(lambda s: s[0] < 10, lambda s: (s[0] + 3, s[1] * 2), (1, a))) == [3]
    assert bounds(lambda a: lax.while_loop(lambda s: s[0] < 0, lambda s: (s[0] + 3, s[1] * 2), (1, a))) == [0]
    assert bounds(lambda a: lax.while_loop(lambda s: s.sum() < 10, lambda s: s + 1, a)) == [None]
    assert bounds(lambda a: lax.while_loop(lambda s: s[0] < 9, lambda s: (s[0] * 2, s[1] * 2), (1, a))) == [None]


@pytest.mark.parametrize("truth", [-1, 1])
def test_branches(j: Jax, truth: int):
    lax = j.lax
    check(lambda a, s: lax.cond(s > 0, lambda q: q + 1, lambda q: q * a, a), X, np.int32(truth), gives=("if",))
    check(lambda a, s: lax.cond(s > 0, lambda: (a, a.sum()), lambda: (a * 2, a[0, 0])), X, np.int32(truth))


@pytest.mark.parametrize("index", [-5, 0, 1, 2, 3, 9])
def test_cases(j: Jax, index: int):
    branches = [lambda q: q, lambda q: q * 2, lambda q: q - X, lambda q: q**2]
    check(lambda a, i: j.lax.switch(i, branches, a), X, np.int32(index), gives=("if",))


@pytest.mark.parametrize("index", [-1, 0, 1, 2, 7])
def test_an_index_out_of_range_takes_the_last_branch(index: int):
    need_module("jax")
    branches = ", ".join(f'{{ "stablehlo.return"(%{name}) : (tensor<2xf32>) -> () }}' for name in "abc")
    text = f"""
    func.func @main(%i: tensor<i32>, %a: tensor<2xf32>, %b: tensor<2xf32>, %c: tensor<2xf32>) -> tensor<2xf32> {{
      %0 = "stablehlo.case"(%i) ({branches}) : (tensor<i32>) -> tensor<2xf32>
      return %0 : tensor<2xf32>
    }}"""
    check_text(text, np.int32(index), normal(2), normal(2), normal(2), gives=("if",))
    check_text(text.replace(branches, branches.split(", ")[0]), np.int32(index), normal(2), normal(2), normal(2))


def test_control_flow_inside_of_control_flow(j: Jax):
    lax = j.lax

    def nested(a: Any) -> Any:
        def outer(i: Any, s: Any) -> Any:
            inner = lax.fori_loop(0, i, lambda k, r: r + a[0, 0] * k, s)
            return inner + lax.cond(i > 1, lambda: a, lambda: lax.switch(i, [lambda: a * 0, lambda: a * 3]))

        return lax.fori_loop(0, 3, outer, a)

    check(nested, X, gives=("while", "if"))


@pytest.mark.parametrize("name", ["fft", "ifft", "fft2", "ifft2", "fftn", "irfft", "irfft2", "rfft", "rfft2"])
def test_transforms(j: Jax, name: str):
    transform = getattr(j.numpy.fft, name)
    check(transform, X if name.startswith("rfft") else Z, rtol=1e-5, atol=1e-5)


def test_transforms_of_other_lengths(j: Jax):
    fft = j.numpy.fft
    check(lambda a: (fft.irfft(a, n=7), fft.fft(a, axis=0), fft.fft(a, n=5), fft.hfft(a)), Z, rtol=1e-5, atol=1e-5)
    check(lambda a: (fft.rfft(a, n=7), fft.rfft(a, axis=0), fft.fftshift(a)), X, rtol=1e-5, atol=1e-5)
    check(lambda a: fft.rfft(a), normal(3, 1), rtol=1e-5)


def test_convolutions(j: Jax):
    jax, np_ = j.jax, j.numpy
    lies = ("NHWC", "HWIO", "NHWC")

    def conv(a: Any, w: Any, strides: Any = (1, 1), **rest: Any) -> Any:
        return j.lax.conv_general_dilated(a, w, strides, ((1, 1), (1, 1)), dimension_numbers=lies, **rest)

    def loss(w: Any, a: Any) -> Any:
        return np_.sum(np_.sin(conv(a, w, (2, 2))))

    def grouped(w: Any, a: Any) -> Any:
        return np_.sum(np_.sin(conv(a, w, feature_group_count=3)))

    close: dict[str, Any] = {"rtol": 1e-5, "atol": 2e-5}
    check(conv, IMAGES, KERNEL, gives=("conv",), **close)
    check(lambda a, w: conv(a, w, batch_group_count=2), IMAGES, KERNEL, gives=("conv",), **close)
    check(lambda a, w: conv(a, w, rhs_dilation=(2, 1), lhs_dilation=(1, 2)), IMAGES, KERNEL, **close)
    check(
        lambda a, w: j.lax.conv_transpose(a, w, (2, 2), "SAME", transpose_kernel=True),
        IMAGES,
        normal(3, 3, 4, 3),
        **close,
    )
    for argument in (0, 1):
        check(jax.grad(loss, argnums=argument), KERNEL, IMAGES, **close)
        check(jax.grad(grouped, argnums=argument), normal(3, 3, 1, 6), IMAGES, **close)


def test_products(j: Jax):
    np_ = j.numpy
    check(lambda a, b: (np_.einsum("ab,cb->ac", a, b), np_.dot(a, b.T), a @ b.T, np_.vdot(a, b)), X, X, rtol=1e-5)
    check(lambda a: a @ a.T, X.astype(normal(1, dtype="bfloat16").dtype))
    check(lambda a: a @ a.T, integers(-9, 9, 4, 8))
    check(lambda a: a @ a.T, Z, rtol=1e-5, atol=1e-5)
    check(lambda a: a @ np_.ones((0, 3), np_.float32), np.zeros((2, 0), np.float32))
    half = X.astype(np.float16)
    check(
        lambda a: j.lax.dot_general(a, a, (((1,), (1,)), ((), ())), preferred_element_type=np.float32), half, rtol=1e-5
    )


@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("left", [True, False])
def test_triangular_systems(j: Jax, left: bool, lower: bool):
    for transpose in (True, False):
        for unit in (True, False):
            options = {"left_side": left, "lower": lower, "transpose_a": transpose, "unit_diagonal": unit}
            check(
                lambda a, b, options=options: j.lax.linalg.triangular_solve(a, b, **options),
                POSITIVE / 4,
                SQUARE,
                platform="tpu",
                gives=("triangular_solve",),
                rtol=1e-4,
                atol=1e-4,
            )


def test_cholesky(j: Jax):
    cholesky = j.numpy.linalg.cholesky
    check(cholesky, POSITIVE, platform="tpu", gives=("cholesky",), rtol=1e-5, atol=1e-5)
    check(lambda a: cholesky(a, upper=True), np.stack([POSITIVE, POSITIVE * 2]), platform="tpu", rtol=1e-5, atol=1e-5)


def test_the_upper_factor():
    need_module("jax")
    text = """
    func.func @main(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
      %0 = stablehlo.cholesky %a, lower = false : tensor<4x4xf32>
      return %0 : tensor<4x4xf32>
    }"""
    module, kept = imported(text)
    assert kept == []
    from rlx_dialect.reference import run

    (upper,) = run(module, None, [POSITIVE]).values()
    np.testing.assert_allclose(upper.T @ upper, POSITIVE, rtol=1e-5, atol=1e-5)
    np.testing.assert_array_equal(upper, np.triu(upper))


def test_random_numbers(j: Jax):
    """Threefry in unsigned integers, with JAX's 64-bit counters; the generator's words are RLX ops, bit for bit."""
    random = j.random

    def key(words: Any) -> Any:
        return random.wrap_key_data(words)

    check(lambda k: random.uniform(key(k), (4, 8)), KEY, exact=True)
    check(lambda k: (random.bits(key(k), (3, 5)), random.key_data(random.split(key(k)))), KEY)
    check(lambda k: (random.normal(key(k), (4, 8)), random.bernoulli(key(k), 0.3, (7,))), KEY, rtol=1e-5)
    check(lambda k: (random.randint(key(k), (5,), 0, 10), random.permutation(key(k), 6)), KEY)
    check(lambda k, a: random.categorical(key(k), a), KEY, X)
    check(lambda k: (random.exponential(key(k), (9,)), random.gumbel(key(k), (9,))), KEY, rtol=1e-5)


def test_a_generator_of_bits_stays():
    text = """
    func.func @main(%s: tensor<2xui32>, %a: tensor<f32>, %n: tensor<1xi64>) -> (tensor<4xui32>, tensor<3xf32>) {
      %0, %1 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY
          : (tensor<2xui32>) -> (tensor<2xui32>, tensor<4xui32>)
      %2 = stablehlo.rng %a, %a, %n, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<3xf32>
      return %1, %2 : tensor<4xui32>, tensor<3xf32>
    }"""
    _, kept = imported(text)
    assert dict(kept) == {
        "stablehlo.rng_bit_generator": "gives bits and a state, which rlx.rng_uniform and rlx.rng_normal do not",
        "stablehlo.rng": "draws from a state that is not in the program",
    }


def test_barriers(j: Jax):
    jax, np_ = j.jax, j.numpy
    check(lambda a: j.lax.optimization_barrier((a, a * 2)), X)
    check(jax.grad(lambda a: np_.sum(jax.checkpoint(lambda q: np_.sin(np_.sin(q)))(a))), X)


def test_calls_outside_stay(j: Jax):
    stays(
        j.numpy.linalg.solve, POSITIVE, SQUARE, reasons={"stablehlo.custom_call": "calls code outside of the program"}
    )
