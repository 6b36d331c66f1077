"""Transforms of as many points as only a run knows: compiled once, run at several lengths, against the reference."""

from __future__ import annotations

import numpy as np
import pytest
from programs import parse
from test_fault_rows_of_code import PACKAGES
from tools import need_module, sampled
from xdsl.context import Context
from xdsl.dialects.builtin import Float64Type

import rlx_passes
from rlx_dialect.decompose import decompose
from rlx_dialect.ops import FftOp, FftQOp
from rlx_dialect.reference import Array, run
from rlx_passes.core.errors import RunError
from rlx_passes.core.numerics import difference, tolerance_of_whole
from rlx_passes.lowerings.convert_rlx_to_gpu import ConvertRlxToGpuPass
from rlx_passes.runtime.program import Program

COMPLEX = "complex<f32>"
FLOATS = {
    "blocks": ("rlx.fft %x norm(none) : tensor<2x?xf32>", "f32", "f32"),
    "inverse": ("rlx.fft %x inverse norm(ortho) : tensor<2x?xf32>", "f32", "f32"),
    "complex": (f"rlx.fft %x norm(none) : tensor<2x?x{COMPLEX}>", COMPLEX, COMPLEX),
    "real": (f"rlx.rfft %x norm(ortho) : tensor<2x?xf32> -> tensor<2x?x{COMPLEX}>", "f32", COMPLEX),
}
FIXED = [
    "norm(none) scale(0)",
    "norm(none) scale(2)",
    "inverse norm(by_n_on_inverse) scale(0)",
    "norm(ortho) scale(1)",
    "inverse norm(ortho) scale(0)",
]
TARGETS = pytest.mark.parametrize("target", ["cpu", "mlx", "tpu", "wgpu"])


def program(op: str, given: str, made: str) -> str:
    return f"""
    func.func @main(%x: tensor<2x?x{given}>) -> tensor<2x?x{made}> {{
      %0 = {op}
      func.return %0 : tensor<2x?x{made}>
    }}"""


def fixed(how: str, element: str) -> str:
    return program(f"rlx.fft_q %x {how} : tensor<2x?x{element}>", element, element)


def compiled(text: str, target: str) -> Program:
    for package in PACKAGES[target]:
        need_module(package)
    return rlx_passes.compile(text, target, origin="rlx")


def wanted(text: str, x: Array) -> Array:
    return run(parse(text), None, [x])["out0"]


@sampled(2)
@TARGETS
@pytest.mark.parametrize("kind", FLOATS)
def test_floats(kind: str, target: str):
    text = program(*FLOATS[kind])
    run_it = compiled(text, target)
    for points in (1, 2, 3, 4, 7, 100, 257):
        x = np.random.default_rng(points).standard_normal((2, 2 * points)).astype(np.float32)
        if kind == "complex":
            x = x.view(np.complex64)
        expected = wanted(text, x)
        assert difference(run_it({"arg0": x})["out0"], expected, tolerance_of_whole(expected)) is None, points


@sampled(2)
@TARGETS
@pytest.mark.parametrize("element", ["i16", "i32"])
@pytest.mark.parametrize("how", FIXED)
def test_fixed_point(how: str, element: str, target: str):
    """Bit for bit."""
    text, limits = fixed(how, element), np.iinfo(element.replace("i", "int"))
    run_it = compiled(text, target)
    for points in (4, 16, 64, 1024) if "ortho" in how else (4, 8, 32, 256, 2048):
        x = np.random.default_rng(points).integers(limits.min, limits.max, (2, 2 * points), limits.dtype, True)
        np.testing.assert_array_equal(run_it({"arg0": x})["out0"], wanted(text, x))


def test_one_point():
    x = np.array([[3, 4], [5, 6]], np.int16)
    run_it = compiled(fixed(FIXED[0], "i16"), "cpu")
    np.testing.assert_array_equal(run_it({"arg0": x})["out0"], x)


@pytest.mark.parametrize(
    ("how", "points", "said"),
    [
        (FIXED[0], 3, r"2147483648 must be a multiple of .*, got 2147483648 and 3$"),
        (FIXED[0], 0, r"must be at least 1, got 0 and 1$"),
        (FIXED[1], 2, r"must be at least 4, got 2 and 4$"),
        (FIXED[3], 8, r"- 1 must be a multiple of 3, got 7 and 3$"),
    ],
)
def test_lengths_that_no_stages_have(how: str, points: int, said: str):
    text, x = fixed(how, "i16"), np.zeros((2, 2 * points), np.int16)
    with pytest.raises(RunError, match=said):
        compiled(text, "cpu")({"arg0": x})
    with pytest.raises(ValueError, match=said):
        wanted(text, x)


@pytest.mark.parametrize("text", [program(*FLOATS["complex"]), fixed(FIXED[0], "i32")])
def test_no_f64_is_needed(text: str):
    (op,) = (op for op in parse(text).walk() if isinstance(op, FftOp | FftQOp))
    plain = decompose(op)
    assert plain is not None
    types = [str(value.type) for each in plain.ops for value in (*each.operands, *each.results)]
    assert not any(str(Float64Type()) in each for each in types)


def test_constants_that_another_tool_makes():
    """A size of 1 as a tensor becomes a constant on the way to loops."""
    text = """
    func.func @main(%x: tensor<3xi64>) -> tensor<3xi64> {
      %0 = arith.constant 7 : i64
      %1 = tensor.from_elements %0 : tensor<1xi64>
      %2 = rlx.concat %1, %1, %1 axis(0) : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3xi64>
      %3 = rlx.binary add %x, %2 : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi64>
      func.return %3 : tensor<3xi64>
    }"""
    module = parse(text)
    ConvertRlxToGpuPass("wgpu").apply(Context(), module)
    assert "memref.global" in str(module)
    x = np.arange(3)
    np.testing.assert_array_equal(compiled(text, "wgpu")({"arg0": x})["out0"], x + 7)
