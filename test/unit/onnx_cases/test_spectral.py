"""Fourier transforms against the cases of the `onnx` package, whose complex numbers are pairs on a last axis."""

import numpy as np
import pytest
from onnx_cases import Case, Node, cases, check

from rlx_dialect.attributes import FftNorm
from rlx_dialect.builder import Graph, Tensor


def blocks(g: Graph, pairs: Tensor) -> Tensor:
    """`[.., N, 2]` or `[.., N, 1]` as `[.., 2N]`."""
    *outer, points, parts = pairs.shape
    halves = [g.reshape(g.narrow(pairs, -1, part, 1), (*outer, points)) for part in range(parts)]
    return g.concat([halves[0], halves[1] if parts == 2 else g.zeros((*outer, points))], -1)


def parts(g: Graph, spectrum: Tensor, count: int, number: int = 2) -> Tensor:
    """The first `count` points of `[.., 2N]` as `[.., count, number]`."""
    *outer, width = spectrum.shape
    halves = [g.narrow(spectrum, -1, part * (width // 2), count) for part in range(number)]
    return g.concat([g.reshape(half, (*outer, count, 1)) for half in halves], -1)


def mirrored(g: Graph, half: Tensor) -> Tensor:
    """The bins of a real signal of even length, `[.., 2 (N / 2 + 1)]`, with the conjugate ones behind."""
    bins = half.shape[-1] // 2
    order = np.concatenate([np.arange(bins), np.arange(bins - 2, 0, -1)])
    whole = g.gather(half, g.constant(np.concatenate([order, order + bins])), -1)
    signs = np.where(np.arange(2 * len(order)) >= len(order) + bins, -1, 1)
    return whole * g.constant(signs.astype(np.float32))


def dft(g: Graph, node: Node) -> Tensor:
    given = node.constant(2)
    x, axis = node.required(0), node.attributes.get("axis", -2) if given is None else int(given)
    swap = list(range(len(x.shape)))
    swap[axis], swap[-2] = swap[-2], swap[axis]
    spectrum = blocks(g, g.transpose(x, swap))
    inverse, onesided = bool(node.attributes.get("inverse")), bool(node.attributes.get("onesided"))
    if inverse and onesided:
        spectrum = mirrored(g, spectrum)
    result = g.fft(spectrum, inverse=inverse, norm=FftNorm.BY_N_ON_INVERSE)
    points = result.shape[-1] // 2
    kept = points // 2 + 1 if onesided and not inverse else points
    return g.transpose(parts(g, result, kept, 1 if onesided and inverse else 2), swap)


def stft(g: Graph, node: Node) -> Tensor:
    signal, step, window, length = node.required(0), node.constant(1), node.optional(2), node.constant(3)
    assert step is not None
    size = int(length) if length is not None else node.required(2).shape[0]
    pieces = g.frames(g.reshape(signal, signal.shape[:2]), size, int(step))
    if window is not None:
        pieces = pieces * window
    return parts(g, g.fft(g.concat([pieces, g.zeros(pieces.shape)], -1)), size // 2 + 1)


ADAPTERS = {"DFT": dft, "STFT": stft}
CASES = [*cases("dft", "DFT"), *cases("stft", "STFT")]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Case):
    check(case, ADAPTERS, {})


def test_all_cases_are_there():
    assert {case.op_type for case in CASES} == set(ADAPTERS)
