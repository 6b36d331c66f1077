"""
Ops that lower through their plain form on every backend: splines, quantised experts, butterflies, and transforms in
fixed point over the whole range of their integers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from backends import Runner, on_cpu, on_mlx, on_xla
from graph_op import Build, program_of
from tools import sampled, shared
from xdsl.dialects.builtin import f64

from rlx_dialect.attributes import CodeScheme, FftNorm
from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.decompose import decompose
from rlx_dialect.ops import HistogramOp
from rlx_dialect.reference import Array, run
from rlx_dialect.shapes import shaped
from rlx_passes.core.numerics import difference

RNG = np.random.default_rng(0)
F16, F32, F64 = (np.dtype(kind) for kind in (np.float16, np.float32, np.float64))
F8: Any = np.dtype(ml_dtypes.float8_e4m3fn)
BF16: Any = np.dtype(ml_dtypes.bfloat16)

Case = tuple[Build, Sequence[Array]]


def floats(*dims: int, dtype: np.dtype[Any] = F32) -> Array:
    return RNG.standard_normal(dims).astype(dtype)


def integers(dtype: str, *dims: int) -> Array:
    """Numbers over the whole range, its ends among them."""
    limits = np.iinfo(dtype)
    values: Array = RNG.integers(limits.min, limits.max, dims, np.dtype(dtype), endpoint=True)
    values[..., ::3], values[..., 1::5] = limits.min, limits.max
    return values


def experts() -> Mapping[str, Case]:
    rows = RNG.integers(0, 3, (2, 5)).astype(np.int32)
    scale, zero = RNG.random((3, 3, 4)).astype(F32), integers("int8", 3, 3, 4)
    plain, packed = integers("uint8", 3, 10, 4), integers("uint8", 3, 5, 4)
    cases: dict[str, Case] = {
        "dequant_plain": (lambda g, w, s: g.dequant_moe_weights(w, s, "f16"), (plain, scale[:, 0].astype(F16))),
        "dequant_int4": (
            lambda g, w, s, z: g.dequant_moe_weights(w, s, scheme=CodeScheme.INT4, zero_point=z, block=4),
            (packed, scale, zero),
        ),
        "grouped_int4": (
            lambda g, x, w, i, s, z: g.dequant_grouped_matmul(
                x, w, i, s, scheme=CodeScheme.INT4, zero_point=z, block=4
            ),
            (floats(2, 5, 10), packed, rows, scale, zero),
        ),
        "grouped_fp4": (
            lambda g, x, w, i, s: g.dequant_grouped_matmul(x, w, i, s, scheme=CodeScheme.FP4, block=4),
            (floats(2, 5, 10, dtype=BF16), packed, rows, scale.astype(BF16)),
        ),
    }
    for bits, dtype in ((1, F32), (3, F32), (4, F16), (5, BF16), (6, F64), (8, F32)):
        words, parts = integers("uint32", 3, 4, 2 * bits), floats(2, 3, 4, 2, dtype=dtype)
        cases[f"mlx_{bits}_{dtype.name}"] = mlx_product(bits), (floats(2, 5, 64, dtype=dtype), words, rows, *parts)
    return cases


def mlx_product(bits: int) -> Build:
    return lambda g, x, w, i, s, b: g.dequant_grouped_matmul_mlx(x, w, i, s, b, bits=bits, group_size=32)


def butterflies() -> Mapping[str, Case]:
    return {
        **{f"stage_{number}": (stage(number), (floats(2, 48),)) for number in (0, 1, 2)},
        **{f"pruned_{count}": (stage(2, pruned=count), (floats(2, 48),)) for count in (1, 4, 6)},
        "stage_inverse": (stage(2, inverse=True), (floats(3, 16),)),
    }


def stage(number: int, **how: Any) -> Build:
    return lambda g, x: g.fft_butterfly_stage(x, number, **how)


def long() -> Mapping[str, Case]:
    """Transforms whose matrix would be too large."""
    return {
        "long_fft": (lambda g, x: g.fft(x, norm=FftNorm.ORTHO), (floats(2, 4096),)),
        "long_inverse": (
            lambda g, x: g.fft(x, inverse=True, norm=FftNorm.ORTHO),
            (floats(4096, dtype=F64),),
        ),
    }


def long_complex() -> Mapping[str, Case]:
    points = (floats(2, 2048) + 1j * floats(2, 2048)).astype(np.complex64)
    return {
        "long_complex": (lambda g, x: g.fft(x, inverse=True, norm=FftNorm.BY_N_ON_INVERSE), (points,)),
        "long_rfft": (lambda g, x: g.rfft(x, FftNorm.ORTHO), (floats(2, 2048),)),
        "long_irfft": (lambda g, x: g.irfft(x, 2048), (points[:, :1025],)),
    }


def fixed_point() -> Mapping[str, Case]:
    return {
        f"fixed_{dtype}_{scale}": (fixed(scale=scale, inverse=inverse), (integers(dtype, 3, 32),))
        for dtype in ("int16", "int32")
        for scale, inverse in ((0, False), (2, True), (4, False))
    } | {"fixed_ortho": (fixed(norm=FftNorm.ORTHO, scale=1), (integers("int16", 8),))}


def fixed(**how: Any) -> Build:
    return lambda g, x: g.fft_q(x, **how)


def counts() -> Mapping[str, Case]:
    """Of integers: bounds that no i32 reaches, ones between integers, and a start of bins that f32 would round."""
    return {
        f"counts_{dtype}_{bins}": (histogram(bins, low, high), (integers(dtype, 3, 200),))
        for dtype, bins, low, high in (
            *(("int8", 7, -100.0, 21.0), ("uint8", 1, 0.5, 254.5), ("int16", 300, -3e4, 3e4), ("uint32", 6, 0.0, 4e9)),
            *(("int32", 5, -3e9, 3e9), ("int64", 9, -9e18, 8e18), ("int32", 3, 2147483640.0, 2147483649.0)),
        )
    }


def histogram(bins: int, low: float, high: float) -> Build:
    return lambda g, x: g.histogram(x, bins, low, high)


def splines() -> Mapping[str, Case]:
    cases: dict[str, Case] = {}
    for degree, dtype in ((0, F32), (1, F64), (2, BF16), (3, F32)):
        x, coefficients, gradient = (floats(*dims, dtype=dtype) for dims in ((3, 5, 2), (2, 4 + degree), (3, 5, 2)))
        name = f"{degree}_{dtype.name}"
        cases[f"spline_{name}"] = spline("spline_activation", degree=degree), (x, coefficients)
        cases[f"spline_by_x_{name}"] = (
            spline("spline_activation_backward_x", degree=degree),
            (x, coefficients, gradient),
        )
        by_coefficients = spline("spline_activation_backward_coeff", degree=degree, intervals=4)
        cases[f"spline_by_coefficients_{name}"] = by_coefficients, (x, gradient)
    return cases


def spline(method: str, **how: int) -> Callable[..., Tensor]:
    """Over the range of most of the random numbers, some beyond."""

    def build(g: Graph, *operands: Tensor) -> Tensor:
        return getattr(g, method)(*operands, low=-1.5, high=1.25, **how)

    return build


CASES: Mapping[str, Case] = {
    "bi_map": (lambda g, x, w: g.bi_map(x, w), (floats(2, 4, 4, dtype=BF16), floats(3, 4, dtype=BF16))),
    **experts(),
    **butterflies(),
    **fixed_point(),
    **long(),
    **splines(),
    **counts(),
}
BYTES: Mapping[str, Case] = {
    "scaled": (
        lambda g, x, w, i, s, t: g.scaled_grouped_matmul(x, w, i, s, t, "bf16"),
        (
            floats(2, 5, 6, dtype=F8),
            floats(3, 4, 6, dtype=F8),
            np.array([[0, 1, 2, 2, 1]] * 2),
            floats(2, 5),
            floats(3),
        ),
    ),
}
"""Floats of 8 bits, which MLX does not have."""
COMPLEX: Mapping[str, Case] = {
    "stage_complex": (stage(1, pruned=1), ((floats(2, 12) + 1j * floats(2, 12)).astype(np.complex64),)),
    **long_complex(),
}
"""Complex numbers, which XLA alone has."""


@sampled(5)
@pytest.mark.parametrize("runner", [on_cpu, on_xla, on_mlx])
@pytest.mark.parametrize("name", shared(CASES, 4))
def test_every_backend_computes_the_same(name: str, runner: Runner, tmp_path: Path):
    agrees(*CASES[name], runner, tmp_path)


def test_integers_are_counted_without_f64():
    """Which wgpu and Metal do not have."""
    for build, arrays in counts().values():
        (op,) = (each for each in program_of(build, *arrays).walk() if isinstance(each, HistogramOp))
        plain = decompose(op)
        assert plain is not None
        types = [shaped(result).element for each in plain.ops for result in each.results]
        assert f64 not in types


@pytest.mark.parametrize("runner", [on_cpu, on_xla])
@pytest.mark.parametrize("name", shared(BYTES, 3))
def test_floats_of_8_bits(name: str, runner: Runner, tmp_path: Path):
    agrees(*BYTES[name], runner, tmp_path)


@sampled(2)
@pytest.mark.parametrize("name", COMPLEX)
def test_complex_numbers(name: str, tmp_path: Path):
    agrees(*COMPLEX[name], on_xla, tmp_path)


def agrees(build: Build, arrays: Sequence[Array], runner: Runner, folder: Path) -> None:
    module = program_of(build, *arrays)
    (expected,) = run(module, "main", arrays).values()
    (got,) = runner(module, arrays, folder)
    assert difference(got, expected) is None
