"""Faults of compiled code that were seen on a backend, each by its id: the reference's value, bit for bit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray
from programs import parse
from tools import need_module

import rlx_passes
from rlx_dialect.reference import run

PACKAGES = {"cpu": ("llvmlite",), "mlx": ("mlx",), "tpu": ("jax",), "wgpu": ("wgpu",)}


def check(text: str, target: str, inputs: Mapping[str, NDArray[Any]]) -> None:
    for package in PACKAGES[target]:
        need_module(package)
    wanted = run(parse(text), None, dict(inputs))
    got = rlx_passes.compile(text, target, origin="rlx")(inputs)
    for name, value in wanted.items():
        assert got[name].dtype == value.dtype
        np.testing.assert_array_equal(got[name].astype(np.float64), value.astype(np.float64))


def test_f55_nan_of_floats_of_8_bits():
    text = """
    func.func @main(%x: tensor<4xf8E4M3FN> {rlx.input = "x"}) -> (tensor<4xf32> {rlx.output = "y"}) {
      %0 = rlx.cast %x : tensor<4xf8E4M3FN> -> tensor<4xf32>
      func.return %0 : tensor<4xf32>
    }"""
    check(text, "cpu", {"x": np.array([0xFF, 0x7F, 0x38, 0x7E], np.uint8).view(ml_dtypes.float8_e4m3fn)})


@pytest.mark.parametrize("target", ["cpu", "mlx"])
@pytest.mark.parametrize("element", ["f16", "bf16"])
def test_f58_greatest_of_halves(element: str, target: str):
    text = f"""
    func.func @main(%x: tensor<1x2x4x4x{element}> {{rlx.input = "x"}})
        -> (tensor<1x2x2x2x{element}> {{rlx.output = "y"}}) {{
      %0 = rlx.pool max %x kernel [2, 2] stride [2, 2] : tensor<1x2x4x4x{element}> -> tensor<1x2x2x2x{element}>
      func.return %0 : tensor<1x2x2x2x{element}>
    }}"""
    values = np.random.default_rng(0).standard_normal((1, 2, 4, 4))
    check(text, target, {"x": values.astype(np.float16 if element == "f16" else ml_dtypes.bfloat16)})


@pytest.mark.parametrize("target", ["cpu", "wgpu"])
@pytest.mark.parametrize("element", ["ui32", "ui8"])
def test_f59_constants_without_elements(element: str, target: str):
    text = f"""
    func.func @main() -> (tensor<0x3x{element}> {{rlx.output = "y"}}) {{
      %0 = arith.constant dense<> : tensor<0x3x{element}>
      func.return %0 : tensor<0x3x{element}>
    }}"""
    check(text, target, {})
