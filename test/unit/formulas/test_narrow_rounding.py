"""The rounding of f32 to narrower floats by a kernel whose target has none, on NumPy."""

import numpy as np
import pytest
from accuracy import special_values
from numpy_machine import NumPyMachine

from rlx_dialect.dtypes import DTYPES, numpy_dtype
from rlx_dialect.formulas import F32, Num
from rlx_passes.lowerings.to_gpu.narrow import NARROW, round_float


@pytest.mark.parametrize("dtype", ["f16", "bf16", "f8e4m3fn", "f8e5m2"])
def test_rounding_to_narrow_floats(dtype: str):
    sizes = np.exp(np.random.default_rng(1).uniform(np.log(1e-9), np.log(1e6), 20_000))
    ties = np.outer(2.0 ** np.arange(-20, 18), np.arange(16, 33) / 32).ravel()
    x = np.concatenate([special_values("f32"), sizes, -sizes, ties, np.arange(2048, 4100)]).astype(np.float32)
    element = DTYPES[dtype].type
    with np.errstate(all="ignore"):
        got = round_float(Num(NumPyMachine(F32, fused=True), x), NARROW[str(element)]).handle
        want = x.astype(numpy_dtype(element)).astype(np.float32)
    np.testing.assert_array_equal(got, want)
