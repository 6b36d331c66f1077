"""Edge values of casts, single bits, slices and attention, each row by its id: the reference's value, bit for bit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray
from programs import parse
from test_fault_rows_of_code import PACKAGES, check
from tools import need_module, sampled
from xdsl.utils.exceptions import VerifyException

import rlx_passes
from rlx_dialect.reference import run

FLOATS = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64}
EVERYWHERE = pytest.mark.parametrize("target", ["cpu", "mlx", "tpu", "wgpu"])


def program(op: str, inputs: Mapping[str, str], result: str, before: str = "") -> str:
    arguments = ", ".join(f'%{name}: tensor<{type}> {{rlx.input = "{name}"}}' for name, type in inputs.items())
    return f"""
    func.func @main({arguments}) -> (tensor<{result}> {{rlx.output = "y"}}) {{
      {before}
      %0 = {op}
      func.return %0 : tensor<{result}>
    }}"""


def result(text: str, inputs: Mapping[str, NDArray[Any]]) -> list[float]:
    """What the reference makes of it, which these tests state too: it judges the other backends."""
    return run(parse(text), None, dict(inputs))["y"].astype(np.float64).ravel().tolist()


NARROWED = {
    # Between two neighbours, and a little more or less: through f32 they fall on the tie.
    "f16": ([65519.999999999, 2049 + 2.0**-40, 1 + 2.0**-11 + 2.0**-40, 1.5 * 2.0**-24 * (1 - 2.0**-50)],
            [65504, 2050, 1 + 2.0**-10, 2.0**-24]),
    "bf16": ([1 + 2.0**-8 + 2.0**-40, 1 + 2.0**-8, -3 + 2.0**-7 + 2.0**-45], [1 + 2.0**-7, 1, -3 + 2.0**-6]),
}  # fmt: skip


@EVERYWHERE
@pytest.mark.parametrize("element", NARROWED)
def test_f56_doubles_round_once(element: str, target: str):
    given, wanted = NARROWED[element]
    count = len(given)
    text = program(f"rlx.cast %x : tensor<{count}xf64> -> tensor<{count}x{element}>", {"x": f"{count}xf64"},
                   f"{count}x{element}")  # fmt: skip
    inputs = {"x": np.array(given)}
    assert result(text, inputs) == wanted
    check(text, target, inputs)


@EVERYWHERE
def test_f57_starts_beyond_32_bits(target: str):
    sliced = program(
        "rlx.dynamic_slice %x starts(%i) lengths [2] : (tensor<8xf32>, tensor<i64>) -> tensor<2xf32>",
        {"x": "8xf32", "i": "i64"},
        "2xf32",
    )
    updated = program(
        "rlx.dynamic_update_slice %x, %u starts(%i) : (tensor<8xf32>, tensor<2xf32>, tensor<i64>) -> tensor<8xf32>",
        {"x": "8xf32", "u": "2xf32", "i": "i64"},
        "8xf32",
    )
    for package in PACKAGES[target]:
        need_module(package)
    compiled = [rlx_passes.compile(text, target, origin="rlx") for text in (sliced, updated)]
    line, update = np.arange(8, dtype=np.float32), -np.ones(2, np.float32)
    for start in (2**33, 2**32 + 1, 2**31, -(2**33), -1, 3):
        place, index = min(max(start, 0), 6), np.array(start, np.int64)
        wanted = line.copy()
        wanted[place : place + 2] = -1
        first, second = ({"x": line, "i": index}, {"x": line, "u": update, "i": index})
        assert result(sliced, first) == [place, place + 1] == compiled[0](first)["y"].tolist()
        assert result(updated, second) == wanted.tolist() == compiled[1](second)["y"].tolist()


@EVERYWHERE
def test_f09_exponentials_of_complex_numbers(target: str):
    for package in PACKAGES[target]:
        need_module(package)
    inf, nan = np.inf, np.nan
    given = [0.5 + 1j, -2 + 3j, 0, complex(88, -100), complex(88.8, 1.5), complex(0, -0.0)]
    edges = [complex(inf, 0), complex(-inf, 1), complex(inf, 1), complex(nan, 0)]
    inputs = {"x": np.array(given + edges, np.complex64)}
    text = exponential(len(inputs["x"]))
    wanted = run(parse(text), None, inputs)["y"]
    got = rlx_passes.compile(text, target, origin="rlx")(inputs)["y"]
    for take in (np.real, np.imag):
        part, expected = np.asarray(take(got)), np.asarray(take(wanted))
        np.testing.assert_allclose(part, expected, rtol=1e-6)
        same = (np.signbit(part) == np.signbit(expected))[np.isfinite(expected)]
        assert same.all() or target == "tpu"  # whose compiler does without the sign of zero


def exponential(count: int) -> str:
    type = f"{count}xcomplex<f32>"
    return program(f"rlx.activation exp %x : tensor<{type}>", {"x": type}, type)


def attention(keys: str, rows: str = "uniform") -> str:
    side = f"tensor<1x2x{keys}x4xf32>"
    types = f"(tensor<1x2x3x4xf32>, {side}, {side}, tensor<3x{keys}xf32>) -> tensor<1x2x3x4xf32>"
    op = (
        "rlx.attention %q, %k, %v mask bias(%m) layout(bhsd) heads(2) kv_heads(2) head_dim(4) v_head_dim(4) scale(0.5) "
        f"masked_rows({rows}) : {types}"
    )
    inputs = {"q": "1x2x3x4xf32", "k": f"1x2x{keys}x4xf32", "v": f"1x2x{keys}x4xf32", "m": f"3x{keys}xf32"}
    return program(op, inputs, "1x2x3x4xf32")


@sampled(3)
@pytest.mark.parametrize(("keys", "target"), [("0", "cpu"), ("0", "mlx"), ("0", "tpu"), ("?", "cpu"), ("?", "mlx")])
@pytest.mark.parametrize("rows", ["uniform", "zero", "nan"])
def test_f61_no_keys_at_all(keys: str, target: str, rows: str):
    text = attention(keys, rows)
    none = np.zeros((1, 2, 0, 4), np.float32)
    inputs = {"q": np.ones((1, 2, 3, 4), np.float32), "k": none, "v": none, "m": np.zeros((3, 0), np.float32)}
    assert result(text, inputs) == [0.0] * 24
    check(text, target, inputs)


@pytest.mark.parametrize("target", ["cpu", "tpu"])
@pytest.mark.parametrize("score", [np.nan, np.inf])
def test_f62_hidden_scores_do_not_matter(score: float, target: str):
    key = np.ones((1, 2, 2, 4), np.float32)
    key[:, :, 1] = score
    inputs = {
        "q": np.ones((1, 2, 3, 4), np.float32),
        "k": key,
        "v": np.arange(16, dtype=np.float32).reshape(1, 2, 2, 4),
        "m": np.array([[0, -np.inf]] * 3, np.float32),
    }
    assert result(attention("2"), inputs) == [0, 1, 2, 3] * 3 + [8, 9, 10, 11] * 3
    check(attention("2"), target, inputs)


HALVES = """
func.func @main(%x: tensor<1x4xf16> {rlx.input = "x"}, %u: tensor<1x4xf16> {rlx.input = "u"},
    %g: tensor<4xf16> {rlx.input = "g"}, %b: tensor<4xf16> {rlx.input = "b"})
    -> (tensor<1x4xf16> {rlx.output = "ln"}, tensor<1x4xf16> {rlx.output = "rms"},
    tensor<1x4xf16> {rlx.output = "ada"}, tensor<1x4xf16> {rlx.output = "gated"}) {
  %minus = rlx.activation neg %x : tensor<1x4xf16>
  %0 = rlx.fused_residual_ln %x, %x, %g, %b epsilon(1.0e-05)
      : (tensor<1x4xf16>, tensor<1x4xf16>, tensor<4xf16>, tensor<4xf16>) -> tensor<1x4xf16>
  %1 = rlx.fused_residual_rms_norm %x, %x, %g, %b epsilon(1.0e-05)
      : (tensor<1x4xf16>, tensor<1x4xf16>, tensor<4xf16>, tensor<4xf16>) -> tensor<1x4xf16>
  %2 = rlx.ada_layer_norm %x, %x, %minus epsilon(1.0e-05)
      : (tensor<1x4xf16>, tensor<1x4xf16>, tensor<1x4xf16>) -> tensor<1x4xf16>
  %3 = rlx.gated_residual %minus, %u, %u : (tensor<1x4xf16>, tensor<1x4xf16>, tensor<1x4xf16>) -> tensor<1x4xf16>
  func.return %0, %1, %2, %3 : tensor<1x4xf16>, tensor<1x4xf16>, tensor<1x4xf16>, tensor<1x4xf16>
}"""


@EVERYWHERE
def test_f63_sums_of_halves_are_wide(target: str):
    """What a fused op adds and multiplies on its way fits f32 where it does not fit f16."""
    for package in PACKAGES[target]:
        need_module(package)
    value, update = np.array([[6e4, 1, -3e4, 2]], np.float16), np.array([[256, 1, 1, 1]], np.float16)
    inputs = {"x": value, "u": update, "g": np.ones(4, np.float16), "b": np.zeros(4, np.float16)}
    wanted = run(parse(HALVES), None, inputs)
    assert np.isfinite([each.astype(np.float64) for each in wanted.values()]).all()
    assert [each[0, 0] for each in wanted.values()] == [1.60546875, 1.7890625, 36352, 5536]
    got = rlx_passes.compile(HALVES, target, origin="rlx")(inputs)
    for name, each in wanted.items():
        np.testing.assert_allclose(got[name].astype(np.float64), each.astype(np.float64), rtol=2e-3, atol=2e-3)


@EVERYWHERE
def test_f64_an_operand_that_is_not_read(target: str):
    types = "(tensor<8xf32>, tensor<f32>) -> tensor<8xf32>"
    text = program(f"rlx.binary pow %x, %z : {types}", {"x": "8xf32"}, "8xf32",
                   "%z = arith.constant dense<0.0> : tensor<f32>")  # fmt: skip
    inputs = {"x": np.arange(8, dtype=np.float32)}
    assert result(text, inputs) == [1] * 8
    check(text, target, inputs)


BITS = {"shl": [0, 0, 1, 0], "shr": [0, 0, 1, 0], "pow": [1, 0, 1, 1], "div": [0, 0, 0, 1], "mod": [0, 0, 0, 0]}
"""What each kind gives for 0 0, 0 1, 1 0 and 1 1."""


@EVERYWHERE
def test_f66_single_bits(target: str):
    lines = "".join(
        f"  %{kind} = rlx.binary {kind} %x, %w : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>\n" for kind in BITS
    )
    results = ", ".join(f'tensor<4xi1> {{rlx.output = "{kind}"}}' for kind in BITS)
    text = (
        'func.func @main(%x: tensor<4xi1> {rlx.input = "x"}, %w: tensor<4xi1> {rlx.input = "w"}) -> '
        f"({results}) {{\n{lines}  func.return {', '.join(f'%{kind}' for kind in BITS)} : "
        f"{', '.join(['tensor<4xi1>'] * len(BITS))}\n}}"
    )
    inputs = {"x": np.array([False, False, True, True]), "w": np.array([False, True, False, True])}
    assert {name: value.astype(int).tolist() for name, value in run(parse(text), None, dict(inputs)).items()} == BITS
    check(text, target, inputs)


@pytest.mark.parametrize("element", ["i1", "i32", "ui8"])
def test_f66_atan2_is_of_floats(element: str):
    types = f"(tensor<4x{element}>, tensor<4x{element}>) -> tensor<4x{element}>"
    text = program(f"rlx.binary atan2 %x, %w : {types}", {"x": f"4x{element}", "w": f"4x{element}"}, f"4x{element}")
    with pytest.raises(VerifyException, match="atan2 needs a float element type"):
        parse(text).verify()


LARGE = [
    -0.5, 1.9, -1.9, 127.9, -128.9, 255.9, 256, 32767.5, 65536, 2147483520, 2.0**31, -(2.0**31), 2.0**32, 9.2e18,
    2.0**63, -(2.0**63), -(2.0**65), 1e30, np.inf, -np.inf, np.nan,
]  # fmt: skip
INTEGERS = {
    "i8": (-(2**7), 2**7 - 1), "ui8": (0, 2**8 - 1), "i16": (-(2**15), 2**15 - 1), "i32": (-(2**31), 2**31 - 1),
    "ui32": (0, 2**32 - 1), "i64": (-(2**63), 2**63 - 1),
}  # fmt: skip


@sampled(3)
@EVERYWHERE
@pytest.mark.parametrize("element", FLOATS)
def test_f67_integers_saturate(element: str, target: str):
    count = len(LARGE)
    with np.errstate(over="ignore"):
        given = np.array(LARGE).astype(FLOATS[element])
    types = {name: f"tensor<{count}x{name}>" for name in INTEGERS}
    source = f"tensor<{count}x{element}>"
    lines = "".join(f"  %{name} = rlx.cast %x : {source} -> {type}\n" for name, type in types.items())
    results = ", ".join(f'{type} {{rlx.output = "{name}"}}' for name, type in types.items())
    text = (
        f'func.func @main(%x: {source} {{rlx.input = "x"}}) -> ({results}) {{\n{lines}'
        f"  func.return {', '.join(f'%{name}' for name in types)} : {', '.join(types.values())}\n}}"
    )
    got = run(parse(text), None, {"x": given})
    for name, (least, most) in INTEGERS.items():
        numbers: list[float] = given.astype(np.float64).tolist()
        exact = [0 if np.isnan(x) else least if x < least else most if x > most else int(x) for x in numbers]
        assert got[name].tolist() == exact
    check(text, target, {"x": given})


@sampled(4)
@pytest.mark.parametrize(
    ("element", "target"),
    [
        (element, target)
        for element in FLOATS
        for target in ("cpu", "mlx", "tpu", "wgpu")
        if (element, target) != ("f64", "wgpu")
    ],
)
def test_products_and_sums_round_once(element: str, target: str):
    """To the last bit, where most digits cancel and beside the middle of two values too."""
    dtype, digits = FLOATS[element], {"f16": 10, "bf16": 7, "f32": 23, "f64": 52}[element]
    a, b, c = np.random.default_rng(0).standard_normal((3, 300)).astype(dtype)
    c[::2] = -(a[::2].astype(np.float64) * b[::2].astype(np.float64)).astype(dtype)
    a[:6] = b[:6] = 1 + 2.0 ** -(digits // 2 + 1)
    tiny = 2.0**-24 if element == "f16" else 2.0**-80
    c[:6] = [tiny, 0, -tiny, 1, -1, np.inf]
    type = f"300x{element}"
    row = f"tensor<{type}>"
    text = program(f"rlx.fma %a, %b, %c : ({row}, {row}, {row}) -> {row}", {"a": type, "b": type, "c": type}, type)
    check(text, target, {"a": a, "b": b, "c": c})


@EVERYWHERE
def test_whole_numbers_of_32_bits_are_quantised_exactly(target: str):
    """Those between two floats of 32 bits too, and with a zero point that takes a number over the end."""
    for package in PACKAGES[target]:
        need_module(package)
    types = "(tensor<64xf32>, tensor<f32>) -> tensor<64xi32>"
    text = program(
        f"rlx.quantize %x, %s zero_point(%z : tensor<i32>) : {types}",
        {"x": "64xf32", "s": "f32", "z": "i32"},
        "64xi32",
    )
    back = program(
        "rlx.dequantize %q, %s zero_point(%z : tensor<i32>) : (tensor<64xi32>, tensor<f32>) -> tensor<64xf32>",
        {"q": "64xi32", "s": "f32", "z": "i32"},
        "64xf32",
    )
    rng = np.random.default_rng(0)
    x = (rng.standard_normal(64) * 2.0 ** rng.integers(-3, 34, 64)).astype(np.float32)
    x[:5] = [np.inf, -np.inf, np.nan, 3e38, -3e38]
    sides = {"s": np.asarray(0.3, np.float32), "z": np.asarray(-7, np.int32)}
    whole = run(parse(text), None, {"x": x, **sides})["y"]
    np.testing.assert_array_equal(rlx_passes.compile(text, target, origin="rlx")({"x": x, **sides})["y"], whole)
    wanted = run(parse(back), None, {"q": whole, **sides})["y"]
    got = rlx_passes.compile(back, target, origin="rlx")({"q": whole, **sides})["y"]
    np.testing.assert_allclose(got, wanted, rtol=3e-7)
