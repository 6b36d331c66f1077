"""Every op, exported to StableHLO and run by XLA on the CPU, gives what the reference gives."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from exported import check, function

from rlx_dialect.attributes import Activation, BinaryKind, CompareKind, ReduceKind
from rlx_dialect.xdsl_repairs import parse_module
from rlx_passes.core.printing import generic_text
from rlx_passes.lowerings.convert_rlx_to_stablehlo import ConvertRLXToStableHLOPass
from rlx_passes.reading.dialects import tool_context

NEEDS_POSITIVE = {"log", "sqrt", "rsqrt", "recip"}


@pytest.mark.parametrize("element", ["f32", "bf16"])
def test_activations(element: str):
    type = f"tensor<4x5x{element}>"
    for positive in (False, True):
        kinds = [kind for kind in Activation if (kind.value in NEEDS_POSITIVE) == positive]
        lines = [(f"rlx.activation {kind.value} %0 : {type}", type) for kind in kinds]
        check(function([type], lines), positive=positive)


def test_activations_far_from_zero():
    values = np.array([-np.inf, -200, -90, -30, -0.0, 0.0, 1e-6, 30, 90, 200, np.inf, np.nan], np.float32)
    type = "tensor<12xf32>"
    kinds = [kind for kind in Activation if kind.value not in ("gelu", "gelu_approx", "silu", "hard_swish", "mish")]
    kinds = [kind for kind in kinds if kind.value not in ("sin", "cos", "tan", "quick_gelu")]
    check(function([type], [(f"rlx.activation {kind.value} %0 : {type}", type) for kind in kinds]), inputs=[values])


@pytest.mark.parametrize("element", ["f32", "bf16", "i32", "ui8", "i1"])
def test_binary(element: str):
    wide, row, result = f"tensor<3x4x{element}>", f"tensor<4x{element}>", f"tensor<3x4x{element}>"
    integer = element.strip("ui").isdigit()
    bits = {"bit_and", "bit_or", "bit_xor"}
    logic = bits | {"add", "sub", "mul", "max", "min"}
    kinds = [
        kind.value
        for kind in BinaryKind
        if (element != "i1" or kind.value in logic)
        and (integer or kind.value not in bits | {"shl", "shr"})
        and not (integer and kind.value in ("atan2", "div", "mod"))
    ]
    lines = [(f"rlx.binary {kind} %0, %1 : ({wide}, {row}) -> {result}", result) for kind in kinds]
    check(function([wide, row], lines), positive=True)


def test_integer_division_truncates():
    type = "tensor<4xi32>"
    lines = [(f"rlx.binary {kind} %0, %1 : ({type}, {type}) -> {type}", type) for kind in ("div", "mod", "shr")]
    inputs = [np.array([7, -7, 7, -7], np.int32), np.array([2, 2, 3, 3], np.int32)]
    check(function([type, type], lines), inputs=inputs)


@pytest.mark.parametrize("element", ["f32", "i32", "ui32"])
def test_compare_and_where(element: str):
    a, b, truth, out = f"tensor<3x1x{element}>", f"tensor<4x{element}>", "tensor<3x4xi1>", f"tensor<3x4x{element}>"
    lines = [(f"rlx.compare {kind.value} %0, %1 : ({a}, {b}) -> {truth}", truth) for kind in CompareKind]
    lines.append((f"rlx.where %2, %0, %1 : (tensor<4xi1>, {a}, {b}) -> {out}", out))
    check(function([a, b, "tensor<4xi1>"], lines))


def test_comparison_with_nan():
    type, truth = "tensor<3xf32>", "tensor<3xi1>"
    lines = [(f"rlx.compare {kind.value} %0, %1 : ({type}, {type}) -> {truth}", truth) for kind in CompareKind]
    lines += [(f"rlx.binary {kind} %0, %1 : ({type}, {type}) -> {type}", type) for kind in ("max", "min")]
    lines.append((f"rlx.is_finite %0 : {type} -> {truth}", truth))
    nan = np.nan
    check(function([type, type], lines), inputs=[np.array([nan, 1, nan], "f4"), np.array([1, nan, nan], "f4")])


def test_casts_and_unary():
    f, i, t = "tensor<6xf32>", "tensor<6xi32>", "tensor<6xi1>"
    lines = [
        (f"rlx.cast %0 : {f} -> {i}", i),
        (f"rlx.cast %0 : {f} -> {t}", t),
        (f"rlx.cast %0 : {f} -> tensor<6xbf16>", "tensor<6xbf16>"),
        (f"rlx.cast %1 : {i} -> {f}", f),
        (f"rlx.cast %2 : {t} -> {f}", f),
        (f"rlx.erfc %0 : {f}", f),
        (f"rlx.log1p %3 : {f}", f),
        (f"rlx.expm1 %0 : {f}", f),
        (f"rlx.logical_not %2 : {t}", t),
        (f"rlx.activation neg %1 : {i}", i),
        (f"rlx.activation abs %1 : {i}", i),
        (f"rlx.activation relu %1 : {i}", i),
        (f"rlx.activation sign %1 : {i}", i),
    ]
    inputs = [
        np.array([-2.7, -0.3, 0, 0.3, 2.7, 1e-7], "f4"),
        np.array([-3, -1, 0, 1, 2, 3], "i4"),
        np.array([1, 0, 1, 0, 1, 0], bool),
        np.array([0, 1e-7, 0.5, 1, 2, -0.5], "f4"),
    ]
    check(function([f, i, t, f], lines), inputs=inputs)


@pytest.mark.parametrize("element", ["ui8", "ui32", "i1"])
def test_unary_without_a_sign(element: str):
    type = f"tensor<4x{element}>"
    kinds = ("abs", "relu") if element == "i1" else ("abs", "relu", "sign", "neg")
    values = np.array([0, 1, 2, 255], {"ui8": "u1", "ui32": "u4", "i1": bool}[element])
    check(function([type], [(f"rlx.activation {kind} %0 : {type}", type) for kind in kinds]), inputs=[values])


@pytest.mark.parametrize("element", ["f32", "bf16", "f64", "i32"])
def test_products(element: str):
    def t(*dims: int) -> str:
        return "tensor<" + "".join(f"{d}x" for d in dims) + element + ">"

    a, b, c, d = t(4, 8), t(8, 3), t(2, 5, 4, 8), t(5, 8, 3)
    lines = [
        (f"rlx.matmul %0, %1 : ({a}, {b}) -> {t(4, 3)}", t(4, 3)),
        (f"rlx.matmul %2, %1 : ({c}, {b}) -> {t(2, 5, 4, 3)}", t(2, 5, 4, 3)),
        (f"rlx.matmul %2, %3 : ({c}, {d}) -> {t(2, 5, 4, 3)}", t(2, 5, 4, 3)),
        (f"rlx.matmul %0, %3 : ({a}, {d}) -> {t(5, 4, 3)}", t(5, 4, 3)),
        (
            f"rlx.dot_general %2, %3 contracting([3] x [1]) batch([1] x [0]) : ({c}, {d}) -> {t(5, 2, 4, 3)}",
            t(5, 2, 4, 3),
        ),
        (f"rlx.dot_general %0, %1 contracting([1] x [0]) : ({a}, {b}) -> {t(4, 3)}", t(4, 3)),
    ]
    check(function([a, b, c, d], lines))


@pytest.mark.parametrize("element", ["f32", "bf16"])
def test_grouped_product(element: str):
    rows, experts, out = f"tensor<2x5x3x{element}>", f"tensor<4x3x6x{element}>", f"tensor<2x5x6x{element}>"
    line = f"rlx.grouped_matmul %0, %1, %2 : ({rows}, {experts}, tensor<2x5xi32>) -> {out}"
    check(function([rows, experts, "tensor<2x5xi32>"], [(line, out)]))


def test_f32_sums_of_bf16_keep_small_addends():
    a, b, out = "tensor<1x257xbf16>", "tensor<257x1xbf16>", "tensor<1x1xbf16>"
    ones = np.ones(257, ml_dtypes.bfloat16)
    ones[0] = 512
    module = check(
        function([a, b], [(f"rlx.matmul %0, %1 : ({a}, {b}) -> {out}", out)]),
        inputs=[ones.reshape(1, 257), np.ones((257, 1), ml_dtypes.bfloat16)],
    )
    assert "-> tensor<1x1xf32>" in generic_text(module)


@pytest.mark.parametrize(("precision", "shown"), [("highest", "HIGHEST"), ("default", "DEFAULT")])
def test_precision(precision: Any, shown: str):
    a = "tensor<4x4xf32>"
    module = parse_module(tool_context(), function([a], [(f"rlx.matmul %0, %0 : ({a}, {a}) -> {a}", a)]))
    ConvertRLXToStableHLOPass(precision=precision).apply(tool_context(), module)
    assert f"#stablehlo<precision {shown}>" in generic_text(module)


@pytest.mark.parametrize("element", ["f32", "bf16"])
def test_convolutions(element: str):
    x, w, last = f"tensor<2x4x6x5x{element}>", f"tensor<6x2x3x2x{element}>", f"tensor<2x6x5x4x{element}>"
    forms = [
        ("%0", x, "groups(2)", f"tensor<2x6x4x4x{element}>"),
        ("%0", x, "stride [2, 1] pad([1, 0], [2, 1]) dilation [1, 2] groups(2)", f"tensor<2x6x4x4x{element}>"),
        ("%0", x, "input_dilation [2, 1] groups(2)", f"tensor<2x6x9x4x{element}>"),
        ("%2", last, "groups(2) layout(channels_last)", f"tensor<2x4x4x6x{element}>"),
    ]
    lines = [(f"rlx.conv {v}, %1 {form} : ({type}, {w}) -> {out}", out) for v, type, form, out in forms]
    check(function([x, w, last], lines))


@pytest.mark.parametrize("element", ["f32", "bf16"])
def test_norms(element: str):
    x, g3, g2 = f"tensor<2x3x8x{element}>", f"tensor<8x{element}>", f"tensor<3x{element}>"
    lines = [
        (f"rlx.layer_norm %0, %1, %2 epsilon(1.0e-5) : ({x}, {g3}, {g3}) -> {x}", x),
        (f"rlx.layer_norm %0, %3, %4 epsilon(1.0e-5) axis(1) : ({x}, {g2}, {g2}) -> {x}", x),
        (f"rlx.rms_norm %0, %1, %2 epsilon(1.0e-5) : ({x}, {g3}, {g3}) -> {x}", x),
        (f"rlx.rms_norm %0, %3, %4 epsilon(1.0e-5) axis(-2) : ({x}, {g2}, {g2}) -> {x}", x),
        (f"rlx.softmax %0 : {x}", x),
        (f"rlx.softmax %0 axis(1) : {x}", x),
    ]
    check(function([x, g3, g3, g2, g2], lines))


def test_variance_takes_two_passes():
    x, g = "tensor<1x8xf32>", "tensor<8xf32>"
    values = np.array([[10001, 9999, 10001, 9999, 10001, 9999, 10001, 9999]], "f4")
    lines = [(f"rlx.layer_norm %0, %1, %2 epsilon(1.0e-12) : ({x}, {g}, {g}) -> {x}", x)]
    check(function([x, g, g], lines), inputs=[values, np.ones(8, "f4"), np.zeros(8, "f4")])


def test_reductions():
    x, t, i = "tensor<2x3x4xf32>", "tensor<2x3x4xi1>", "tensor<2x3x4xi32>"
    lines: list[tuple[str, str]] = []
    for kind in ReduceKind:
        logical = kind.value in ("any", "all")
        operand, type, element = ("%1", t, "i1") if logical else ("%0", x, "f32")
        lines.append(
            (f"rlx.reduce {kind.value} {operand} axes [1] : {type} -> tensor<2x4x{element}>", f"tensor<2x4x{element}>")
        )
        kept = f"tensor<1x3x1x{element}>"
        lines.append((f"rlx.reduce {kind.value} {operand} axes [0, 2] keep_dims : {type} -> {kept}", kept))
    for kind in ("sum", "max", "min", "prod"):
        lines.append((f"rlx.reduce {kind} %2 axes [-1] : {i} -> tensor<2x3xi32>", "tensor<2x3xi32>"))
    check(function([x, t, i], lines))


def test_reductions_of_nothing_and_of_nan():
    none, nan, out = "tensor<0x2xf32>", "tensor<2x2xf32>", "tensor<2xf32>"
    lines = [
        (f"rlx.reduce {kind} {operand} axes [0] : {type} -> {out}", out)
        for operand, type in (("%0", none), ("%1", nan))
        for kind in ("sum", "max", "min", "prod", "mean")
    ]
    check(function([none, nan], lines), inputs=[np.zeros((0, 2), "f4"), np.array([[1, np.nan], [2, 3]], "f4")])


def test_movement():
    x, i = "tensor<2x3x4xf32>", "tensor<2x2xi32>"
    lines = [
        ("rlx.reshape %0 : tensor<2x3x4xf32> -> tensor<6x4xf32>", "tensor<6x4xf32>"),
        ("rlx.expand %2 : tensor<3x1xf32> -> tensor<2x3x4xf32>", x),
        ("rlx.expand %3 : tensor<f32> -> tensor<2xf32>", "tensor<2xf32>"),
        ("rlx.transpose %0 [2, 0, 1] : tensor<2x3x4xf32> -> tensor<4x2x3xf32>", "tensor<4x2x3xf32>"),
        ("rlx.narrow %0 axis(1) start(1) length(2) : tensor<2x3x4xf32> -> tensor<2x2x4xf32>", "tensor<2x2x4xf32>"),
        (f"rlx.concat %0, %0 axis(2) : ({x}, {x}) -> tensor<2x3x8xf32>", "tensor<2x3x8xf32>"),
        (f"rlx.gather %4, %1 axis(0) : (tensor<4x5xf32>, {i}) -> tensor<2x2x5xf32>", "tensor<2x2x5xf32>"),
        (f"rlx.gather %5, %1 axis(1) : (tensor<3x5x2xf32>, {i}) -> tensor<3x2x2x2xf32>", "tensor<3x2x2x2xf32>"),
        ("rlx.gather %4, %6 axis(-1) : (tensor<4x5xf32>, tensor<i32>) -> tensor<4xf32>", "tensor<4xf32>"),
        ("arith.constant dense<[0xFF800000, 1.0]> : tensor<2xf32>", "tensor<2xf32>"),
    ]
    arguments = [x, i, "tensor<3x1xf32>", "tensor<f32>", "tensor<4x5xf32>", "tensor<3x5x2xf32>", "tensor<i32>"]
    check(function(arguments, lines))


@pytest.mark.parametrize("element", ["f32", "bf16"])
def test_gradients_and_resize(element: str):
    x, table, picture = f"tensor<3x5x2x{element}>", f"tensor<3x4x2x{element}>", f"tensor<1x2x3x2x{element}>"
    doubled = f"tensor<1x2x6x4x{element}>"
    lines = [
        (f"rlx.cumsum_backward %0 axis(1) {flags}: {x}", x)
        for flags in ("", "exclusive ", "reverse ", "exclusive reverse ")
    ]
    lines.append((f"rlx.gather_backward %0, %1 axis(1) size(4) : ({x}, tensor<5xi32>) -> {table}", table))
    lines.append((f"rlx.resize_nearest2x %2 : {picture} -> {doubled}", doubled))
    check(function([x, "tensor<5xi32>", picture], lines))
