"""Sizes beyond 32 bits: one clear sentence of what cannot hold them."""

import numpy as np
import pytest
from programs import parse
from tools import need_module, need_program

import rlx_passes
from rlx_dialect.reference import run
from rlx_passes.core.errors import CodegenError


def convolution(rows: int) -> str:
    """Of a padded input, with a kernel that is as wide as the pad: much is read, 3x3 elements come out."""
    x, w, y = "tensor<1x1x3x3xf32>", "tensor<1x1x2x2xf32>", "tensor<1x1x3x3xf32>"
    return f"""
    func.func @main(%x: {x} {{rlx.input = "x"}}, %w: {w} {{rlx.input = "w"}}) -> ({y} {{rlx.output = "y"}}) {{
      %0 = rlx.conv %x, %w pad([{rows}, {rows}], [0, 0]) dilation [{rows}, {rows}] : ({x}, {w}) -> {y}
      func.return %0 : {y}
    }}"""


def test_values_on_the_way_that_numpy_cannot_hold():
    x, w = np.ones((1, 1, 3, 3), np.float32), np.ones((1, 1, 2, 2), np.float32)
    with pytest.raises(MemoryError, match=r"^@main has values that are too large for NumPy: array is too big"):
        run(parse(convolution(2**33)), None, [x, w])


def test_mlx_has_no_such_dims():
    need_module("mlx")
    with pytest.raises(CodegenError, match=r"^MLX cannot trace .* a size or an attribute does not fit 32 bits$"):
        rlx_passes.compile(convolution(2**33), "mlx", origin="rlx")
    large = convolution(1).replace("1x1x3x3", f"{2**33}x1x3x3")
    with pytest.raises(CodegenError, match=r"^MLX has no dim of 8589934592, which does not fit 32 bits"):
        rlx_passes.compile(large, "mlx", origin="rlx")


@pytest.mark.parametrize("target", ["cuda", "wgpu"])
def test_kernels_do_not_reach_such_places(target: str):
    need_program("mlir-opt-22", "mlir-opt")
    with pytest.raises(CodegenError, match=r"^GPU kernels reckon places in 32 bits, and \d+ does not fit"):
        rlx_passes.compile(convolution(1).replace("1x1x3x3", f"{2**33}x1x3x3"), target, origin="rlx")
