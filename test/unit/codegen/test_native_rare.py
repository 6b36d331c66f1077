"""Native code of functions whose rare cases are branches: which elements are rare depends on what lies beside them."""

import numpy as np
import pytest
from accuracy import samples, ulp_error
from tools import need_module
from truths import TRUTHS

import rlx_passes
from rlx_dialect.builder import Graph
from rlx_dialect.dtypes import element_type, numpy_dtype

LARGE = 1e6
"""Beyond what the common way can do."""


@pytest.mark.parametrize("dtype", ["f32", "f64", "bf16"])
def test_large_angles_among_small_ones(dtype: str):
    """512 elements are looked at together: all small, one large, all large; a rest, and a program of one element."""
    need_module("llvmlite")
    (x,) = samples("sin", dtype, 600)
    small, large = x[np.abs(x) < LARGE], x[~(np.abs(x) < LARGE)]
    mixed = np.concatenate([small[:512], small[512:1000], large[:24], large[:520], small[:100]])
    graph = Graph()
    for size in (len(mixed), 1):
        value = graph.input(f"x{size}", (size,), dtype)
        for name in ("sin", "cos", "tan"):
            graph.output(f"{name}{size}", graph.function(name, value))
    program = rlx_passes.compile(graph.module(), "cpu", origin="rlx")
    for whole in (mixed, mixed[::-1].copy()):
        held = whole.astype(numpy_dtype(element_type(dtype)))
        got = program({f"x{len(mixed)}": held, "x1": held[:1]})
        for name in ("sin", "cos", "tan"):
            bound = 1.0 if dtype == "bf16" else TRUTHS[name].bound
            assert ulp_error(name, dtype, (whole,), got[f"{name}{len(mixed)}"].astype(np.float64)) <= bound
            assert ulp_error(name, dtype, (whole[:1],), got[f"{name}1"].astype(np.float64)) <= bound


def test_a_function_of_itself():
    """The inner one's condition is asked for many at once; the outer one's is not, and its rare way serves."""
    need_module("llvmlite")
    x = np.linspace(-9, 9, 1500, dtype=np.float32)
    x[700] = 1e9
    graph = Graph()
    value = graph.input("x", x.shape, "f32")
    graph.output("y", graph.function("sin", graph.function("cos", value)))
    got = rlx_passes.compile(graph.module(), "cpu", origin="rlx")({"x": x})["y"]
    np.testing.assert_allclose(got, np.sin(np.cos(x.astype(np.float64))), rtol=1e-6, atol=1e-7)
