"""Products and sums that are rounded once, as native code, against exact fractions."""

from fractions import Fraction

import numpy as np
from native import Native
from test_native_arithmetic import Array, same
from tools import need_module

FMA = """
func.func @fused(%x: memref<?xf32>, %y: memref<?xf32>, %z: memref<?xf32>, %w: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.load %x[%i] : memref<?xf32>
    %b = memref.load %y[%i] : memref<?xf32>
    %c = memref.load %z[%i] : memref<?xf32>
    %d = math.fma %a, %b, %c : f32
    memref.store %d, %w[%i] : memref<?xf32>
  }
  func.return
}
"""


def test_a_product_and_a_sum_are_rounded_once_with_and_without_an_instruction():
    """Against exact fractions, where results are near halves, too small for normal numbers, or not numbers."""
    need_module("llvmlite")
    random = np.random.default_rng(4)
    x = (1 + random.integers(1, 2**12, 600) * 2.0**-23).astype(np.float32)
    y = (1 + random.integers(1, 2**12, 600) * 2.0**-23).astype(np.float32)
    z = (random.integers(-4, 5, 600) * 2.0**-24 * random.choice([1, 2.0**-23, 2.0**-46], 600)).astype(np.float32)
    x[:100], z[:100] = x[:100] * np.float32(2.0**-130), z[:100] * np.float32(2.0**-126)
    z[100:200] = -(x[100:200].astype(np.float64) * y[100:200])
    wanted = [_nearest(Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c))) for a, b, c in zip(x, y, z)]
    edges = np.array([0, -0.0, 1, -1, np.inf, -np.inf, np.nan, 3e38, 1e-45], np.float32)
    cube = [np.ascontiguousarray(each.ravel()) for each in np.meshgrid(edges, edges, edges)]
    results: list[Array] = []
    for fma in (True, False):
        native, out, edge_out = Native(FMA, fma=fma), np.zeros_like(x), np.zeros_like(cube[0])
        native("fused", x, y, z, out)
        assert np.array_equal(out, np.array(wanted, np.float32))
        native("fused", *cube, edge_out)
        results.append(edge_out)
    assert same(results[0], results[1]).all()


def _nearest(exact: Fraction) -> np.float32:
    """The f32 nearest to a fraction, of two the even one."""
    near = np.float32(float(exact))
    around = [np.nextafter(near, np.float32(-np.inf)), near, np.nextafter(near, np.float32(np.inf))]
    return min(around, key=lambda each: (abs(Fraction(float(each)) - exact), int(each.view(np.uint32)) & 1))
