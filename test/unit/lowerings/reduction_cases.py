"""Ops that sum: windows, pools, products, reductions and norms."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from case_text import (
    FLOATS,
    Case,
    Inputs,
    function,
    op,
    special_values,
)


def windows() -> Iterator[dict[str, Case]]:
    image, weight = "2x4x9x7xf32", "6x4x3x2xf32"
    yield op("conv", {"x": image, "w": weight}, "rlx.conv %x, %w", "2x6x7x6xf32")
    pads = "stride [2, 1] pad([1, 0], [2, 1]) dilation [1, 2]"
    yield op("conv_padded", {"x": image, "w": weight}, f"rlx.conv %x, %w {pads}", "2x6x5x6xf32")
    yield op("conv_groups", {"x": image, "w": "6x2x3x2xf32"}, "rlx.conv %x, %w groups(2)", "2x6x7x6xf32")
    yield op(
        "conv_depthwise",
        {"x": image, "w": "4x1x3x3xf32"},
        "rlx.conv %x, %w pad([1, 1], [1, 1]) groups(4)",
        "2x4x9x7xf32",
    )
    last = "rlx.conv %x, %w layout(channels_last)"
    yield op("conv_channels_last", {"x": "2x9x7x4xf32", "w": weight}, last, "2x7x6x6xf32")
    spread = "rlx.conv %x, %w stride [2] pad([-1], [3]) input_dilation [3]"
    yield op("conv_spread", {"x": "2x4x5xf16", "w": "6x4x2xf16"}, spread, "2x6x7xf16")
    yield op("conv_volume", {"x": "1x2x4x5x3xbf16", "w": "3x2x2x2x2xbf16"}, "rlx.conv %x, %w", "1x3x3x4x2xbf16")
    yield op("conv_batches", {"x": "?x4x9x7xf32", "w": weight}, "rlx.conv %x, %w", "?x6x7x6xf32")
    yield op("conv_nothing", {"x": "1x2x3xf32", "w": "2x2x5xf32"}, "rlx.conv %x, %w", "1x2x0xf32")
    fused = "rlx.fused_conv_bias_act %x, %w, %b residual(%r) activation(relu)"
    arguments = {"x": image, "w": weight, "b": "6xf32", "r": "2x6x7x6xf32"}
    yield op("fused_conv", arguments, fused, "2x6x7x6xf32")
    plain = "rlx.fused_conv_bias_act %x, %w, %b activation(silu) stride [2, 2] layout(channels_last)"
    yield op("fused_conv_last", {"x": "2x9x7x4xf32", "w": weight, "b": "6xf32"}, plain, "2x4x3x6xf32")
    for kind in ("max", "avg"):
        for name, text, result in (
            ("plain", "kernel [2, 3]", "2x4x8x5xf32"),
            ("padded", "kernel [3, 3] stride [2, 2] pad([1, 1], [1, 1])", "2x4x5x4xf32"),
            ("ceil", "kernel [2, 2] stride [2, 2] ceil", "2x4x5x4xf32"),
            ("dilated", "kernel [2, 2] dilation [3, 2]", "2x4x6x5xf32"),
        ):
            yield pool(f"pool_{kind}_{name}", f"{kind} %x {text}", image, result)
    counted = "avg %x kernel [3, 3] stride [2, 2] pad([1, 1], [1, 1]) ceil count_include_pad"
    yield pool("pool_counts_pads", counted, image, "2x4x5x4xf32")
    yield pool("pool_last", "max %x kernel [2, 2] layout(channels_last)", "2x9x7x4xi32", "2x8x6x4xi32")


def pool(name: str, text: str, value: str, result: str) -> dict[str, Case]:
    return function(name, {"x": value}, [f"%y = rlx.pool {text} : tensor<{value}> -> tensor<{result}>"], {"y": result})


def contraction() -> Iterator[dict[str, Case]]:
    shapes = {
        "plain": ("4x8x", "8x5x", "4x5x"),
        "rows": ("2x3x4x8x", "8x5x", "2x3x4x5x"),
        "batched": ("2x4x8x", "2x8x5x", "2x4x5x"),
        "stretched": ("2x1x4x8x", "3x8x5x", "2x3x4x5x"),
        "left_matrix": ("4x8x", "2x8x5x", "2x4x5x"),
        "unit_batch": ("1x4x8x", "1x8x5x", "1x4x5x"),
        "right_unit": ("3x4x8x", "1x8x5x", "3x4x5x"),
        "left_unit": ("1x4x8x", "3x8x5x", "3x4x5x"),
        "unit_in_front": ("4x8x", "1x8x5x", "1x4x5x"),
        "dynamic": ("?x?x8x", "8x5x", "?x?x5x"),
        "dynamic_all": ("?x?x?x", "?x?x?x", "?x?x?x"),
        "nothing_to_sum": ("4x0x", "0x5x", "4x5x"),
        "no_rows": ("2x0x8x", "8x5x", "2x0x5x"),
    }
    for name, (a, b, result) in shapes.items():
        yield op(f"matmul_{name}", {"a": f"{a}f32", "b": f"{b}f32"}, "rlx.matmul %a, %b", f"{result}f32")
    yield op("matmul_truth", {"a": "4x8xi1", "b": "8x5xi1"}, "rlx.matmul %a, %b", "4x5xi1")
    yield op("matmul_truth_rows", {"a": "2x4x8xi1", "b": "8x5xi1"}, "rlx.matmul %a, %b", "2x4x5xi1")
    for t in ("f16", "bf16", "f64", "i32", "i8"):
        yield op(f"matmul_{t}", {"a": f"2x4x8x{t}", "b": f"8x5x{t}"}, "rlx.matmul %a, %b", f"2x4x5x{t}")
    yield op("matmul_wide", {"a": "4x8xf32", "b": "8x5xf32"}, "rlx.matmul %a, %b accumulate(f64)", "4x5xf32")
    general = {
        "matrix": ("4x8x", "8x5x", "contracting([1] x [0])", "4x5x"),
        "transposed": ("8x4x", "5x8x", "contracting([0] x [1])", "4x5x"),
        "batch": ("2x4x3x8x", "2x3x8x5x", "contracting([3] x [2]) batch([0, 2] x [0, 1])", "2x3x4x5x"),
        "two_sums": ("2x8x4x", "4x8x5x", "contracting([1, 2] x [1, 0])", "2x5x"),
        "outer": ("3x", "4x", "contracting([] x [])", "3x4x"),
        "inner": ("7x", "7x", "contracting([0] x [0])", ""),
        "dynamic": ("?x?x8x", "?x8x?x", "contracting([2] x [1]) batch([0] x [0])", "?x?x?x"),
    }
    for name, (a, b, axes, result) in general.items():
        yield op(
            f"dot_general_{name}", {"a": f"{a}f32", "b": f"{b}f32"}, f"rlx.dot_general %a, %b {axes}", f"{result}f32"
        )


def reductions() -> Iterator[dict[str, Case]]:
    for t in (*FLOATS, "i32", "i8", "ui8"):
        kinds = ("sum", "max", "min", "prod", *(("mean",) if t in FLOATS else ()))
        lines = [f"%{k} = rlx.reduce {k} %x axes [1] : tensor<3x5x2x{t}> -> tensor<3x2x{t}>" for k in kinds]
        yield function(f"reduce_{t}", {"x": f"3x5x2x{t}"}, lines, {k: f"3x2x{t}" for k in kinds})
    lines = [f"%{k} = rlx.reduce {k} %x axes [0, 2] : tensor<3x5x2xi1> -> tensor<5xi1>" for k in ("any", "all")]
    yield function("reduce_i1", {"x": "3x5x2xi1"}, lines, {"any": "5xi1", "all": "5xi1"})
    kinds = ("sum", "mean", "max", "min", "prod")
    lines = [f"%{k} = rlx.reduce {k} %x axes [1] : tensor<3x0xf32> -> tensor<3xf32>" for k in kinds]
    yield function("reduce_nothing", {"x": "3x0xf32"}, lines, {k: "3xf32" for k in kinds})
    lines = [f"%{k} = rlx.reduce {k} %x axes [-1, 0] keep_dims : tensor<?x4x?xf32> -> tensor<1x4x1xf32>" for k in kinds]
    yield function("reduce_dynamic", {"x": "?x4x?xf32"}, lines, {k: "1x4x1xf32" for k in kinds})
    forms = {
        "all": ("3x4xf32", "axes [0, 1]", "f32"),
        "none": ("3x4xf32", "axes []", "3x4xf32"),
        "scalar": ("f32", "axes []", "f32"),
        "all_kept": ("3x4xf32", "axes [0, 1] keep_dims", "1x1xf32"),
        "wide": ("3x4xf32", "axes [1] accumulate(f64)", "3xf32"),
    }
    for name, (x, axes, y) in forms.items():
        line = f"%y = rlx.reduce sum %x {axes} : tensor<{x}> -> tensor<{y}>"
        yield function(f"reduce_{name}", {"x": x}, [line], {"y": y})
    lines = [f"%{k} = rlx.reduce {k} %x axes [1] : tensor<4x10xf32> -> tensor<4xf32>" for k in kinds]
    yield function("reduce_nan", {"x": "4x10xf32"}, lines, {k: "4xf32" for k in kinds}, change=special_values("x"))


def normalizations() -> Iterator[dict[str, Case]]:
    for t in FLOATS:
        vectors = {"x": f"3x4x8x{t}", "g": f"8x{t}", "b": f"8x{t}"}
        for norm in ("layer_norm", "rms_norm"):
            yield op(f"{norm}_{t}", vectors, f"rlx.{norm} %x, %g, %b epsilon(1.0e-5)", f"3x4x8x{t}")
        yield function(f"softmax_{t}", {"x": f"3x4x{t}"}, [f"%y = rlx.softmax %x : tensor<3x4x{t}>"], {"y": f"3x4x{t}"})
    for norm in ("layer_norm", "rms_norm"):
        vectors = {"x": "3x8x4xf32", "g": "8xf32", "b": "8xf32"}
        yield op(f"{norm}_middle", vectors, f"rlx.{norm} %x, %g, %b epsilon(1.0e-5) axis(1)", "3x8x4xf32")
        vectors = {"x": "?x?xf32", "g": "?xf32", "b": "?xf32"}
        yield op(f"{norm}_dynamic", vectors, f"rlx.{norm} %x, %g, %b epsilon(0.1)", "?x?xf32")
        vectors = {"x": "8xf32", "g": "8xf32", "b": "8xf32"}
        yield op(f"{norm}_vector", vectors, f"rlx.{norm} %x, %g, %b epsilon(1.0e-5)", "8xf32")
    rows = {"x": "2x3x8xf32", "g": "8xf32", "b": "8xf32"}
    yield op("rms_norm_rows", rows, "rlx.rms_norm %x, %g, %b epsilon(1.0e-5) flatten", "6x8xf32")
    far = {"x": "4x8xf32", "g": "8xf32", "b": "8xf32"}
    yield op(
        "layer_norm_far_mean",
        far,
        "rlx.layer_norm %x, %g, %b epsilon(1.0e-5) accumulate(f64)",
        "4x8xf32",
        change=far_off,
    )
    forms = {
        "axis": ("3x4x5xf32", " axis(0)"),
        "dynamic": ("?x?xf32", ""),
        "empty": ("3x0xf32", ""),
        "vector": ("6xf32", ""),
    }
    for name, (x, axis) in forms.items():
        yield function(f"softmax_{name}", {"x": x}, [f"%y = rlx.softmax %x{axis} : tensor<{x}>"], {"y": x})
    yield function(
        "softmax_hidden", {"x": "3x4xf32"}, ["%y = rlx.softmax %x : tensor<3x4xf32>"], {"y": "3x4xf32"}, change=hidden
    )


def far_off(inputs: Inputs) -> None:
    inputs["x"] += 1000


def hidden(inputs: Inputs) -> None:
    """A slice of -inf only, and one with a single -inf."""
    inputs["x"][0] = -np.inf
    inputs["x"][1, 2] = -np.inf
