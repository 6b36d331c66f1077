"""Random numbers against published values, their distribution, and the choice of tokens."""

import math
from typing import Any

import numpy as np
import pytest

from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.reference import Array, run
from rlx_dialect.reference.random import threefry


def value(g: Graph, y: Tensor, *inputs: Any) -> Array:
    """The value of `y` for the inputs of its graph."""
    g.output("y", y)
    return run(g.module(), None, [np.asarray(each) for each in inputs])["y"]


@pytest.mark.parametrize(
    ("key", "counter", "words"),
    [
        ((0, 0), (0, 0), (0x6B200159, 0x99BA4EFE)),
        ((0xFFFFFFFF, 0xFFFFFFFF), (0xFFFFFFFF, 0xFFFFFFFF), (0x1CB996FC, 0xBB002BE7)),
        ((0x13198A2E, 0x03707344), (0x243F6A88, 0x85A308D3), (0xC4923A9C, 0x483DF7A0)),
    ],
)
def test_the_generators_known_answers(key: tuple[int, int], counter: tuple[int, int], words: tuple[int, int]):
    """The answers that its authors publish for 20 rounds."""
    low, high = (np.array([word], np.uint32) for word in counter)
    got = threefry(np.array(key, np.uint32), low, high)
    assert tuple(int(word[0]) for word in got) == words


def uniform(dtype: str, shape: tuple[int, ...], key: int = 7, low: float = 0.0, high: float = 1.0) -> Array:
    g = Graph()
    return value(g, g.rng_uniform(shape, key, low, high, dtype))


def normal(dtype: str, shape: tuple[int, ...], key: int = 7, mean: float = 0.0, deviation: float = 1.0) -> Array:
    g = Graph()
    return value(g, g.rng_normal(shape, key, mean, deviation, dtype))


def test_the_key_decides():
    assert uniform("f32", (4, 5)).tolist() == uniform("f32", (4, 5)).tolist()
    assert uniform("f32", (20,)).reshape(4, 5).tolist() == uniform("f32", (4, 5)).tolist()
    assert uniform("f32", (4,)).tolist() == uniform("f32", (20,))[:4].tolist()
    seen = {uniform("f32", (4,), key).tobytes() for key in (0, 1, 7, 2**32, 2**64 - 1)}
    assert len(seen) == 5


def test_the_first_element_by_hand():
    """The words of the key 0 and the counter 0 are those of the known answer."""
    assert uniform("f32", (1,), 0).item() == (0x6B200159 >> 8) * 2.0**-24
    assert uniform("f64", (1,), 0).item() == ((0x6B200159 >> 5) * 2**26 + (0x99BA4EFE >> 6)) * 2.0**-53
    assert float(uniform("bf16", (1,), 0)[0]) == (0x6B200159 >> 24) * 2.0**-8
    u1, u2 = (0x6B200159 + 1) * 2.0**-32, 0x99BA4EFE * 2.0**-32
    expected = math.sqrt(-2 * math.log(u1)) * math.cos(2 * math.pi * u2)
    assert normal("f64", (1,), 0).item() == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize(
    ("dtype", "step"), [("f32", 2.0**-24), ("f16", 2.0**-11), ("bf16", 2.0**-8), ("f64", 2.0**-53)]
)
def test_uniform_numbers(dtype: str, step: float):
    x = uniform(dtype, (20000,)).astype(np.float64)
    assert x.min() >= 0
    assert x.max() <= 1 - step
    assert (x / step == np.floor(x / step)).all()
    counts = np.bincount((x * 16).astype(int), minlength=16)
    # 15 degrees of freedom: beyond 37.7 once in a thousand keys.
    assert ((counts - 1250) ** 2 / 1250).sum() < 37.7
    assert abs(np.corrcoef(x[:-1], x[1:])[0, 1]) < 0.03


@pytest.mark.parametrize("dtype", ["f32", "f64"])
def test_normal_numbers(dtype: str):
    x = normal(dtype, (20000,), mean=3.0, deviation=2.0).astype(np.float64)
    z = (x - 3) / 2
    assert abs(z.mean()) < 0.03
    assert abs(z.std() - 1) < 0.02
    assert abs((z**3).mean()) < 0.08
    assert abs((z**4).mean() - 3) < 0.2
    assert np.mean(np.abs(z) < 1) == pytest.approx(0.6827, abs=0.015)


def test_open_sizes_and_given_keys():
    g = Graph()
    x, key = g.input("x", (None, 2)), g.input("key", (2,), "ui32")
    got = value(g, g.rng_uniform((g.dim(x, 0), 3), key), np.zeros((2, 2), np.float32), np.array([7, 0], np.uint32))
    assert got.tolist() == uniform("f32", (2, 3)).tolist()
    with pytest.raises(ValueError, match=r"a key must be from 0 to 2\^64 - 1, got -1"):
        Graph().rng_uniform((2,), -1)


def tokens(logits: Any, key: int = 3, **options: Any) -> Array:
    """Tokens of 4000 equal rows."""
    rows = np.tile(np.asarray(logits, np.float32), (4000, 1))
    g = Graph()
    return value(g, g.sample(g.input("x", rows.shape), key, **options), rows)


LOGITS = np.log([0.1, 0.4, 0.2, 0.3])


def shares(chosen: Array) -> list[float]:
    return (np.bincount(chosen, minlength=4) / chosen.size).tolist()


def test_tokens_come_as_often_as_they_should():
    assert shares(tokens(LOGITS)) == pytest.approx([0.1, 0.4, 0.2, 0.3], abs=0.03)
    squared = np.array([0.1, 0.4, 0.2, 0.3]) ** 2
    assert shares(tokens(LOGITS, temperature=0.5)) == pytest.approx((squared / squared.sum()).tolist(), abs=0.03)


def test_the_rest_is_never_chosen():
    assert shares(tokens(LOGITS, top_k=2)) == pytest.approx([0, 4 / 7, 0, 3 / 7], abs=0.03)
    assert shares(tokens(LOGITS, top_p=0.69)) == pytest.approx([0, 4 / 7, 0, 3 / 7], abs=0.03)
    # The token that crosses the limit stays.
    assert shares(tokens(LOGITS, top_p=0.71)) == pytest.approx([0, 4 / 9, 2 / 9, 3 / 9], abs=0.03)
    assert shares(tokens(LOGITS, top_k=3, top_p=1e-9)) == [0, 1, 0, 0]
    assert shares(tokens([-np.inf, 0, -np.inf, 0], top_k=99)) == pytest.approx([0, 0.5, 0, 0.5], abs=0.03)


def test_no_temperature_is_the_greatest():
    assert set(tokens([1, 5, 5, 2], temperature=0.0, index="i32").tolist()) == {1}
    assert set(tokens([1, 5, 5, 2], top_k=1).tolist()) == {1}


def test_one_row():
    g = Graph()
    got = value(g, g.sample(g.input("x", (4,)), 0, index="f32"), LOGITS.astype(np.float32))
    assert got.shape == ()
    # u is 0.418 for the key 0, and the order is 1, 3, 2, 0.
    assert got.item() == 3
