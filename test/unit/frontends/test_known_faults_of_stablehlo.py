"""Faults of other tools with norms and resizes, by row, in StableHLO from JAX: the right ops and values."""

from collections import Counter
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from programs import context
from xdsl.dialects.builtin import ModuleOp

from rlx_dialect.ops import ActivationOp, FusedConvBiasActOp, FusedResidualLNOp
from rlx_dialect.reference import Array, run
from rlx_dialect.xdsl_repairs import verify_dominance
from rlx_passes import build_pipeline
from rlx_passes.reading.dialects import tool_context
from rlx_passes.reading.parsing import parse
from rlx_passes.reading.source import Source
from rlx_passes.registry.composite import flatten
from rlx_passes.rewriting.miss import CodedReason, Miss, Reason, listening

TEXTS = Path(__file__).parents[2] / "data" / "stablehlo_faults"
RNG = np.random.default_rng(3)


def normal(*shape: int, scale: float = 1.0, dtype: str = "float32") -> Array:
    return (RNG.standard_normal(shape) * scale).astype(dtype)


@cache
def fused(name: str, target: str = "cpu") -> tuple[ModuleOp, tuple[CodedReason, ...]]:
    """The program of that name after import, raising and fusion, and the reasons that came up."""
    reasons: list[CodedReason] = []
    module = parse(tool_context(), Source(name, (TEXTS / f"{name}.mlir").read_text(encoding="utf-8")))

    def listen(pattern: str, root: object, miss: Miss) -> None:
        reasons.append(miss.reason)

    with listening(listen):
        for pass_ in flatten(build_pipeline(target, stage="fuse")):
            pass_.apply(context(), module)
            module.verify()
            verify_dominance(module)
    return module, tuple(reasons)


def kinds(module: ModuleOp) -> Counter[str]:
    return Counter(
        op.kind.data if isinstance(op, ActivationOp) else op.name.removeprefix("rlx.") for op in module.walk()
    )


def outputs(module: ModuleOp, *inputs: Array) -> list[Array]:
    return list(run(module, None, inputs).values())


def layer_norm(x: Array, epsilon: float, axis: int = -1) -> Array:
    x = x.astype(np.float64)
    centred = x - x.mean(axis, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axis, keepdims=True) + epsilon)


def test_k16_a_norm_of_halves_sums_in_f32():
    """Squares of 300 are beyond f16, where the text as JAX writes it gives 0: the op takes them in f32."""
    module, _ = fused("k16_halves")
    assert kinds(module)["fused_residual_ln"] == 1
    x, r = normal(4, 128, scale=300, dtype="float16"), normal(4, 128, dtype="float16")
    w, b = normal(128, dtype="float16"), normal(128, dtype="float16")
    (got,) = outputs(module, x, r, w, b)
    total = (x + r).astype(np.float64)
    wanted = layer_norm(total, 1e-5) * w.astype(np.float64) + b
    assert np.isfinite(got).all()
    np.testing.assert_allclose(got.astype(np.float64), wanted, rtol=1e-2, atol=2e-2)


def test_k18_the_sum_that_is_returned_is_the_second_result():
    module, _ = fused("k18_sum_returned")
    (norm,) = [op for op in module.walk() if isinstance(op, FusedResidualLNOp)]
    assert norm.sum is not None
    x, r, w, b = normal(2, 4, 64), normal(2, 4, 64), normal(64), normal(64)
    total, normed = outputs(module, x, r, w, b)
    np.testing.assert_allclose(total, x + r, rtol=1e-6)
    np.testing.assert_allclose(normed, layer_norm(x + r, 1e-5) * w + b, rtol=1e-5, atol=1e-5)


def test_k19_a_gain_of_rank_three_is_taken_as_a_row():
    module, _ = fused("k19_gamma_of_rank_three")
    assert kinds(module)["layer_norm"] == 1
    x, w, b = normal(2, 4, 64), normal(1, 1, 64), normal(64)
    np.testing.assert_allclose(outputs(module, x, w, b)[0], layer_norm(x, 1e-5) * w + b, rtol=1e-5, atol=1e-5)


def test_k21_a_norm_along_another_axis_stays():
    module, reasons = fused("k21_axis_one")
    assert not {"layer_norm", "rms_norm", "group_norm", "fused_residual_ln"} & kinds(module).keys()
    assert Reason.AXIS in reasons
    x, w = normal(2, 8, 16), normal(8)
    wanted = layer_norm(x, 1e-5, axis=1) * w[:, None]
    np.testing.assert_allclose(outputs(module, x, w)[0], wanted, rtol=1e-5, atol=1e-5)


def test_k22_without_an_epsilon_it_is_zero():
    module, _ = fused("k22_no_epsilon")
    assert kinds(module)["layer_norm"] == 1
    x, w, b = normal(2, 4, 16), normal(16), normal(16)
    np.testing.assert_allclose(outputs(module, x, w, b)[0], layer_norm(x, 0) * w + b, rtol=1e-5, atol=1e-5)


def test_k23_an_rms_norm_keeps_the_mean():
    module, _ = fused("k23_rms")
    found = kinds(module)
    assert (found["rms_norm"], found["layer_norm"]) == (1, 0)
    x, w = normal(4, 16) + np.float32(3), normal(16)
    wanted = x / np.sqrt((x.astype(np.float64) ** 2).mean(-1, keepdims=True) + 1e-6) * w
    np.testing.assert_allclose(outputs(module, x, w)[0], wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("target", ["cuda", "cpu"])
def test_k34_a_batch_norm_keeps_its_shift(target: str):
    """Where the target has the fused convolution, the whole chain is one; elsewhere scale and shift stay apart."""
    module, _ = fused("k34_batch_norm", target)
    convolutions = [op for op in module.walk() if isinstance(op, FusedConvBiasActOp)]
    assert len(convolutions) == (target == "cuda")
    assert kinds(module)["batch_norm_inference"] == 0
    x, k = normal(1, 3, 6, 6), normal(5, 3, 3, 3)
    w, b, m, v = normal(5), normal(5), normal(5), np.abs(normal(5)) + np.float32(0.5)
    (got,) = outputs(module, x, k, w, b, m, v)
    padded = np.pad(x.astype(np.float64), ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (2, 3))
    conv = np.einsum("nchwij,ocij->nohw", windows, k.astype(np.float64))
    scale = w / np.sqrt(v.astype(np.float64) + 1e-3)
    wanted = np.maximum(conv * scale[:, None, None] + (b - m * scale)[:, None, None], 0)
    np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-4)


def test_k38_pixels_taken_twice_are_the_resize():
    module, _ = fused("k38_repeated")
    assert kinds(module)["resize_nearest2x"] == 1
    x = normal(1, 2, 3, 4)
    np.testing.assert_array_equal(outputs(module, x)[0], x.repeat(2, 2).repeat(2, 3))


def test_k38_half_a_pixel_rounded_down_is_another():
    """The first pixel is taken three times, the last one once."""
    module, _ = fused("k38_half_pixel_floor")
    assert kinds(module)["resize_nearest2x"] == 0
    x = normal(1, 2, 3, 4)
    rows, columns = [0, 0, 0, 1, 1, 2], [0, 0, 0, 1, 1, 2, 2, 3]
    np.testing.assert_array_equal(outputs(module, x)[0], x[:, :, rows][..., columns])
