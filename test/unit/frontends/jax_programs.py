"""Small JAX programs of an array `[4, 8]` and three indices, for what they become in StableHLO."""

import importlib
from typing import Any

jax: Any = importlib.import_module("jax")
jnp: Any = jax.numpy
lax: Any = jax.lax

jax.config.update("jax_platforms", "cpu")


def doubling(x: Any, i: Any) -> Any:
    """A loop with a condition."""

    def more(carried: Any) -> Any:
        return carried[0] < 3

    def step(carried: Any) -> Any:
        return carried[0] + 1, carried[1] * 2

    return lax.while_loop(more, step, (i[0], x))


def running(x: Any, i: Any) -> Any:
    """A loop over rows."""

    def step(total: Any, row: Any) -> Any:
        return total + row, total * row

    return lax.scan(step, x[i[0]], x)


def branches(x: Any, i: Any) -> Any:
    """One of two regions."""

    def up(x: Any) -> Any:
        return x + 1

    def down(x: Any) -> Any:
        return x - 1

    return lax.cond(i[0] > 0, up, down, x)


def spectrum(x: Any, i: Any) -> Any:
    """Complex numbers."""
    return jnp.abs(jnp.fft.fft(x[i]))


def take(x: Any, i: Any) -> Any:
    """Gathers in several modes."""
    return jnp.take(x, i, axis=1), x[i], x.at[i].get(mode="clip"), x[i[0], 2:]


def order(x: Any, i: Any) -> Any:
    """Ops whose bodies compare or combine."""
    return jnp.sort(x[i]), lax.top_k(x, 2), jnp.cumsum(x, axis=1), jnp.argmax(x, axis=1)


def windows(x: Any, i: Any) -> Any:
    """Windows, strides and reversal."""
    return lax.reduce_window(x[i], -jnp.inf, lax.max, (2, 2), (1, 1), "VALID"), x[::-1, 1::2], x[1::3, :6:4], x[:, 2::4]


def integers(x: Any, i: Any) -> Any:
    """Integer arithmetic, and a comparison in a product."""
    return i // 2, i % 2, i << 1, -i, jnp.sign(i), i**2, x * (i[0] > 1)


def bits(x: Any, i: Any) -> Any:
    """A random generator: unsigned integers, some of widths that RLX lacks."""
    return x[i] + jax.random.uniform(jax.random.key(0), (8,))


def functions(x: Any, i: Any) -> Any:
    """Functions that JAX writes out, and reductions."""
    return jax.nn.softplus(x) + jax.nn.elu(x[i[0]]) + jax.nn.log_softmax(x) + jnp.var(x, 0)


def gradient(x: Any, i: Any) -> Any:
    """A backward pass."""

    def loss(y: Any) -> Any:
        return jnp.sum(jax.nn.gelu(y @ y.T)[i])

    return jax.grad(loss)(x)


def convolutions(x: Any, i: Any) -> Any:
    """Layouts, strides, pads, dilations and groups."""
    picture, kernel = x.reshape(1, 2, 4, 4), jnp.sin(jnp.arange(36.0)).reshape(2, 2, 3, 3)

    def plain() -> Any:
        return lax.conv_general_dilated(picture, kernel, (2, 1), ((1, 2), (0, 1)), (1, 2), (2, 1))

    def channels_last() -> Any:
        lies = ("NHWC", "HWIO", "NHWC")
        return lax.conv_general_dilated(picture.transpose(0, 2, 3, 1), kernel.T, (1, 1), "SAME", dimension_numbers=lies)

    def mixed() -> Any:
        lies = ("CNHW", "IOHW", "NHWC")
        return lax.conv_general_dilated(picture, kernel[:1], (1, 1), "VALID", dimension_numbers=lies)

    def grouped() -> Any:
        return lax.conv_general_dilated(picture, kernel[:, :1], (1, 1), "SAME", feature_group_count=2)

    def line() -> Any:
        return lax.conv_general_dilated(x[:2].reshape(1, 2, 8), kernel[..., 0], (1,), ((2, -1),))

    return plain(), channels_last(), mixed(), grouped(), line()


PROGRAMS = (
    doubling,
    running,
    branches,
    spectrum,
    take,
    order,
    windows,
    integers,
    bits,
    functions,
    gradient,
    convolutions,
)
