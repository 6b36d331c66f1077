"""Floats of 8 bits on GPUs, whose buffers keep them as f32: every one of them, and what f32 rounds to."""

import numpy as np
import pytest
from programs import parse
from tools import need_module, need_program

import rlx_passes
from rlx_dialect.dtypes import DTYPES, numpy_dtype
from rlx_dialect.reference import run


@pytest.mark.parametrize("target", ["wgpu", "metal"])
@pytest.mark.parametrize("dtype", ["f8e4m3fn", "f8e5m2"])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_every_float_of_8_bits(dtype: str, target: str):
    need_program("mlir-opt-22", "mlir-opt")
    if target == "wgpu":
        need_module("wgpu")
    else:
        need_program("g++")
        need_program("spirv-cross")
    narrow, element = DTYPES[dtype].type, numpy_dtype(DTYPES[dtype].type)
    some = f"tensor<256x{narrow}>"
    numbers = ", ".join(["1.0, 0.5, -2.0, 0.125"] * 64)
    module = parse(f"""
    func.func @main(%x: {some} {{rlx.input = "x"}}, %z: tensor<512xf32> {{rlx.input = "z"}})
        -> (tensor<256xf32> {{rlx.output = "wide"}}, tensor<512x{narrow}> {{rlx.output = "narrow"}},
        {some} {{rlx.output = "gelu"}}, {some} {{rlx.output = "sum"}}) {{
      %0 = rlx.cast %x : {some} -> tensor<256xf32>
      %1 = rlx.cast %z : tensor<512xf32> -> tensor<512x{narrow}>
      %2 = rlx.activation gelu %x : {some}
      %c = arith.constant dense<[{numbers}]> : {some}
      %3 = rlx.binary add %x, %c : ({some}, {some}) -> {some}
      func.return %0, %1, %2, %3 : tensor<256xf32>, tensor<512x{narrow}>, {some}, {some}
    }}""")
    rng = np.random.default_rng(0)
    z = (rng.standard_normal(512) * 2.0 ** rng.integers(-20, 18, 512)).astype(np.float32)
    z[:10] = [np.inf, np.nan, 448, 464, 464.1, 480, 57344, 61439, 61440, 2.0**-10]
    inputs = {"x": np.arange(256, dtype=np.uint8).view(element), "z": z}
    got = rlx_passes.compile(module, target, origin="rlx")(inputs)
    for name, value in run(module, None, inputs).items():
        assert got[name].dtype == value.dtype
        np.testing.assert_array_equal(got[name].astype(np.float64), value.astype(np.float64))
