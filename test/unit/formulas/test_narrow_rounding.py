"""The rounding of f32 to narrower floats by a kernel whose target has none, on NumPy."""

import ml_dtypes
import numpy as np
import pytest
from accuracy import special_values
from numpy_machine import NumPyMachine

from rlx_dialect.formulas import F32, Num
from rlx_passes.lowerings.to_gpu.narrow import round_float


@pytest.mark.parametrize(("cut", "half"), [(13, True), (16, False)])
def test_rounding_to_narrow_floats(cut: int, half: bool):
    sizes = np.exp(np.random.default_rng(1).uniform(np.log(1e-9), np.log(1e6), 20_000))
    x = np.concatenate([special_values("f32"), sizes, -sizes, np.arange(2048, 4100)]).astype(np.float32)
    with np.errstate(all="ignore"):
        got = round_float(Num(NumPyMachine(F32, fused=True), x), cut, half=half).handle
        want = x.astype(np.float16 if half else ml_dtypes.bfloat16).astype(np.float32)
    np.testing.assert_array_equal(got, want)
