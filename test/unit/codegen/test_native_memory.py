"""Memory, control flow and kernels of loops as native code, against NumPy."""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from native import Native
from tools import need_module

PROGRAM = Path(__file__).parents[2] / "data" / "native_loops.mlir"


@cache
def program() -> Native:
    need_module("llvmlite")
    return Native(PROGRAM.read_text())


def random(*shape: int) -> "np.ndarray[Any, Any]":
    return np.random.default_rng(3).normal(size=shape).astype(np.float32)


def test_subviews_of_subviews():
    x, y = random(6, 8), np.zeros((2, 3), np.float32)
    program()("subviews", x, np.array(2), y)
    assert np.array_equal(y, x[2:6, 1:7][0:4:2, 0:6:2])
    x, y = random(3, 5, 7), np.zeros((3, 7), np.float32)
    program()("rank_reduced", x, y)
    assert np.array_equal(y, x[:, 2, :])


def test_reshapes():
    x, y = random(3, 4), np.zeros((2, 6), np.float32)
    program()("reshaped", x, y)
    assert np.array_equal(y, x.reshape(6, 2).T)


def test_views_of_an_arena_and_constants():
    x, y, memory = random(4), np.zeros(4, np.float32), np.zeros(256, np.int8)
    program()("arena", x, y, memory)
    assert np.array_equal(y, (x + np.array([1.5, -2, 3, 4], np.float32)) * np.float32(0.5))
    assert np.array_equal(memory.view(np.float32)[16:20], [1.5, -2, 3, 4])


def test_constants():
    x, y, z, w = np.zeros((2, 5), bool), np.zeros(3, bool), np.zeros(2, np.complex64), np.zeros(0, np.float32)
    program()("constants", x, y, z, w)
    assert x.astype(int).tolist() == [[1, 0, 1, 1, 0], [0, 0, 1, 1, 1]]
    assert y.all()
    assert list(z) == [1 + 2j, 3 + 4j]


def test_truth_values_are_bytes():
    x, y = np.arange(40) % 3 == 0, np.arange(40) % 5 == 0
    z = np.full(40, True)
    program()("truths", x, y, z)
    assert np.array_equal(z, x ^ y)
    assert set(z.view(np.uint8)) == {0, 1}


def test_complex_numbers():
    x = (random(2, 9)[0] + 1j * random(2, 9)[1]).astype(np.complex64)
    y = np.zeros_like(x)
    program()("complexes", x, y)
    assert np.array_equal(y[1:], (x.imag + 1j * x.real)[1:])
    assert np.allclose(y[0], 1 + 2j + x.sum(), 1e-6)


def test_loops_until_a_condition():
    x, y = np.array([1, 7, 27, 97, 1000]), np.zeros(5, np.int64)
    program()("collatz", x, y)
    assert list(y) == [0, 16, 111, 118, 111]


def test_memrefs_are_carried_through_loops():
    x, y = random(4), np.zeros(4, np.float32)
    for rounds in (0, 1, 4, 5):
        program()("swapped", x, np.array(rounds), y)
        assert np.array_equal(y, x * np.float32(2**rounds))


def test_two_views_of_one_place():
    x = random(64)
    wanted = x * x
    program()("in_place", x, np.zeros(512, np.int8))
    assert np.array_equal(x, wanted)


def test_buffers_of_a_round():
    x, y = random(7, 8), np.zeros((7, 8), np.float32)
    program()("scratch", x, y)
    assert np.array_equal(y, x[:, ::-1] - x)


def test_assertions_return_their_numbers():
    x, y = np.abs(random(9)), np.zeros(9, np.float32)
    assert program()("checked", x, y) == (0, [])
    assert np.array_equal(y, np.sqrt(x))
    assert program()("checked", x, y[:8].copy()) == (1, [])
    x[4] = -1
    assert program()("checked", x, y) == (2, [])


def test_functions_call_each_other_and_return_memory():
    count = np.array(0)
    status, (result,) = program()("returned", x := random(3), count)
    assert (status, int(count)) == (0, 6)
    assert np.array_equal(result, np.tile(x * np.float32(3) * np.float32(3), 4))
    assert program()("returned", random(0), count) == (3, [])


def test_vector_ops():
    x, y, sums = random(19), np.zeros(19, np.float32), np.zeros(4, np.float32)
    program()("vectors", x, y, sums)
    assert np.array_equal(y[:16], x[:16] * np.float32(2) + x[:16])
    assert np.array_equal(y[16:], x[16:])
    parts = x[:16].reshape(4, 4)
    total = ((parts[0] + parts[1]) + parts[2]) + parts[3]
    everything = total[0] + total[1] + total[2] + total[3]
    assert np.array_equal(sums, [everything, max(everything, total.max()), 0, total[2]])


def test_vectors_of_narrow_floats():
    import ml_dtypes

    x, y = random(8).astype(ml_dtypes.bfloat16), np.zeros(8, np.float16)
    program()("narrow_vectors", x, y)
    assert np.array_equal(y, (x.astype(np.float32) * 2).astype(np.float16))
