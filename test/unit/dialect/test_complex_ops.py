"""Complex numbers against NumPy, their gradient by differences."""

import numpy as np
import pytest

from rlx_dialect.attributes import Activation, BinaryKind, ReduceKind
from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.reference import Array, run

RNG = np.random.default_rng(0)


def numbers(*shape: int) -> Array:
    return (RNG.standard_normal(shape) + 1j * RNG.standard_normal(shape)).astype(np.complex64)


def value(g: Graph, y: Tensor, *inputs: Array) -> Array:
    """The value of `y` for the inputs of its graph."""
    g.output("y", y)
    return run(g.module(), None, inputs)["y"]


def test_parts_are_kept_bit_by_bit():
    re = np.array([1, np.inf, np.nan, -0.0], np.float32)
    im = np.array([np.inf, 2, 3, -0.0], np.float32)
    g = Graph()
    z = g.complex(g.input("re", (4,)), g.input("im", (4,)))
    g.output("re", g.real(z))
    g.output("im", g.imag(z))
    got = run(g.module(), None, [re, im])
    assert got["re"].tobytes() == re.tobytes()
    assert got["im"].tobytes() == im.tobytes()


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (BinaryKind.ADD, np.add),
        (BinaryKind.SUB, np.subtract),
        (BinaryKind.MUL, np.multiply),
        (BinaryKind.DIV, np.divide),
    ],
)
def test_arithmetic_is_rounded_once(kind: BinaryKind, expected: np.ufunc):
    a, b = numbers(5, 1), numbers(4)
    g = Graph()
    got = value(g, g.binary(kind, g.input("a", a.shape, "c64"), g.input("b", b.shape, "c64")), a, b)
    exact = expected(a.astype(np.complex128), b.astype(np.complex128)).astype(np.complex64)
    np.testing.assert_array_equal(got, exact)


def test_functions_and_sums():
    z = numbers(3, 4)
    g = Graph()
    got = value(g, g.activation(Activation.EXP, g.input("z", z.shape, "c64")), z)
    np.testing.assert_allclose(got, np.exp(z), rtol=1e-6)
    g = Graph()
    got = value(g, g.reduce(ReduceKind.SUM, -g.input("z", z.shape, "c64"), [1]), z)
    np.testing.assert_allclose(got, -z.sum(1), rtol=1e-5)
    g = Graph()
    np.testing.assert_array_equal(value(g, g.conjugate(g.input("z", z.shape, "c64")), z), z.conj())
    g = Graph()
    got = value(g, g.complex_norm_sq(g.input("z", z.shape, "c64")), z)
    np.testing.assert_allclose(got, np.abs(z) ** 2, rtol=1e-6)


def test_gradient_of_the_square():
    z, gradient = numbers(6), RNG.standard_normal(6).astype(np.float32)
    g = Graph()
    y = g.complex_norm_sq_backward(g.input("z", (6,), "c64"), g.input("g", (6,)))
    got = value(g, y, z, gradient)

    def loss(parts: Array) -> Array:
        return gradient * (parts**2).sum(0)

    h, parts = 1e-4, np.stack([np.real(z), np.imag(z)]).astype(np.float64)
    steps = h * np.eye(2).reshape(2, 2, 1)
    by_real, by_imag = ((loss(parts + step) - loss(parts - step)) / (2 * h) for step in steps)
    np.testing.assert_allclose(got, by_real + 1j * by_imag, rtol=1e-5)
