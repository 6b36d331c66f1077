"""Fourier transforms. ONNX keeps complex pairs on a last axis, the dialect all real parts, then all imaginary ones."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from rlx_dialect.attributes import FftNorm
from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.shapes import normalize_axis
from rlx_passes.core.errors import Refusal
from rlx_passes.frontends.onnx.node import Node, NodeRule


def dft(g: Graph, node: Node) -> Tensor:
    x, rank = node.required(0), len(node.dims(0))
    axis = normalize_axis(_axis(node), rank)
    if axis == rank - 1:
        raise Refusal("the last axis holds the parts of a number and is not transformed")
    swap = list(range(rank))
    swap[axis], swap[-2] = swap[-2], swap[axis]
    inverse, onesided = bool(node.attributes.get("inverse", 0)), bool(node.attributes.get("onesided", 0))
    pairs = g.transpose(x, swap)
    length = _length(node)
    bins = length if length is None or not (inverse and onesided) else length // 2 + 1
    spectrum = _blocks(node, _fitted(g, pairs, bins))
    if inverse and onesided:
        spectrum = _mirrored(g, spectrum, length)
    result = g.fft(spectrum, inverse=inverse, norm=FftNorm.BY_N_ON_INVERSE)
    points = result.shape[-1] // 2
    kept = points // 2 + 1 if onesided and not inverse else points
    return g.transpose(_pairs(node, result, kept, 1 if onesided and inverse else 2), swap)


def _axis(node: Node) -> int:
    """An attribute until op set 20."""
    if node.opset < 20:
        return node.attributes.get("axis", 1)
    given = node.constant(2)
    return -2 if given is None else int(given)


def _length(node: Node) -> int | None:
    """The number of points that are transformed, where the node says it."""
    length = node.constant(1)
    return None if length is None else int(length)


def _fitted(g: Graph, pairs: Tensor, length: int | None) -> Tensor:
    """`[.., N, parts]` cut or filled up with zeros to `length` points."""
    points = pairs.shape[-2]
    if points < 0:
        raise Refusal("the number of points must be known on import")
    if length is None or length == points:
        return pairs
    if length < points:
        return g.narrow(pairs, -2, 0, length)
    rank = len(pairs.shape)
    return g.pad(pairs, [0] * rank, [*[0] * (rank - 2), length - points, 0])


def _blocks(node: Node, pairs: Tensor) -> Tensor:
    """`[.., N, 2]` or `[.., N, 1]` as `[.., 2N]`."""
    g = pairs.graph
    *outer, points, parts = node.dims_of(pairs)
    if not isinstance(parts, int) or parts not in (1, 2):
        raise Refusal("the last axis must hold one part or two")
    halves = [node.reshape(g.narrow(pairs, -1, part, 1), [*outer, points]) for part in range(parts)]
    zeros = g.filled(node.shape([*outer, points]), 0, pairs.dtype)
    return g.concat([halves[0], halves[1] if parts == 2 else zeros], -1)


def _pairs(node: Node, spectrum: Tensor, count: int, parts: int = 2) -> Tensor:
    """The first `count` points of `[.., 2N]` as `[.., count, parts]`."""
    g = spectrum.graph
    *outer, width = node.dims_of(spectrum)
    assert isinstance(width, int)
    halves = [g.narrow(spectrum, -1, part * (width // 2), count) for part in range(parts)]
    return g.concat([node.reshape(half, [*outer, count, 1]) for half in halves], -1)


def _mirrored(g: Graph, half: Tensor, length: int | None) -> Tensor:
    """The bins of a real signal of `length`, else of an even one, followed by the conjugate ones."""
    bins = half.shape[-1] // 2
    points = 2 * (bins - 1) if length is None else length
    order = np.concatenate([np.arange(bins), np.arange((points - 1) // 2, 0, -1)])
    whole = g.gather(half, g.constant(np.concatenate([order, order + bins])), -1)
    signs = np.where(np.arange(2 * len(order)) >= len(order) + bins, -1, 1)
    return whole * g.cast(g.constant(signs.astype(np.int64)), half.dtype)


def stft(g: Graph, node: Node) -> Tensor:
    signal, step, window, length = node.required(0), node.constant(1), node.optional(2), node.constant(3)
    if step is None:
        raise Refusal("input 1, the step, is left out")
    size = int(length) if length is not None else window.shape[0] if window is not None else -1
    if size < 0:
        raise Refusal("the length of a frame must be known on import")
    dims = node.dims(0)
    if len(dims) == 3 and dims[2] != 1:
        raise Refusal("signals of complex numbers are not read")
    pieces = g.frames(node.reshape(signal, dims[:2]), size, int(step))
    if window is not None:
        pieces = pieces * window
    onesided = bool(node.attributes.get("onesided", 1))
    zeros = g.filled(node.shape(node.dims_of(pieces)), 0, pieces.dtype)
    spectrum = g.fft(g.concat([pieces, zeros], -1))
    return _pairs(node, spectrum, size // 2 + 1 if onesided else size)


RULES: Mapping[str, NodeRule] = {"DFT": dft, "STFT": stft}
