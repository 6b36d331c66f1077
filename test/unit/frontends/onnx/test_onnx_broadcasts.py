"""Dims of different names that meet: what they give is known when the program runs, and is what ONNX Runtime gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np
import pytest
from tools import need_module, sampled
from xdsl.dialects.builtin import ModuleOp

import rlx_passes
from rlx_dialect.reference import Array, run
from rlx_passes.core.errors import RunError
from rlx_passes.frontends.onnx.importer import import_model
from rlx_passes.frontends.onnx.protobuf import model_of

need_module("onnx")
need_module("onnxruntime")

import onnx.parser  # noqa: E402

HEADER = '<ir_version: 8, opset_import: ["" : 18]>'
MODELS = {
    "rows": "float[k, 2] a, float[m, 2] b) => (float[o, 2] y) { y = Add(a, b) }",
    "last": "float[3, k] a, float[m] b) => (float[3, o] y) { y = Mul(a, b) }",
    "both": "float[k, m] a, float[m, k] b) => (float[o, p] y) { y = Sub(a, b) }",
    "chosen": "float[k, 2] a, float[m, 2] b) => (float[o, 2] y) { c = Less(a, b) d = Neg(b) y = Where(c, a, d) }",
    "unnamed": "float[k, 2] a, float[m, 2] b) => (float[o, 2] y) { c = Max(a, b) y = Sum(c, b, a) }",
}


@cache
def model(name: str) -> Any:
    return onnx.parser.parse_model(f"{HEADER} g ({MODELS[name]}")


def inputs(name: str, k: int, m: int) -> dict[str, Array]:
    random = np.random.default_rng([k, m])
    found: dict[str, Array] = {}
    for value in model(name).graph.input:
        given = value.type.tensor_type.shape.dim
        dims = [{"k": k, "m": m}[dim.dim_param] if dim.dim_param else int(dim.dim_value) for dim in given]
        found[value.name] = random.standard_normal(dims).astype(np.float32)
    return found


def on_backend(module: ModuleOp, backend: str) -> Callable[[Mapping[str, Array]], dict[str, Array]]:
    """What runs a module, on the reference where no backend is named."""
    if not backend:
        return lambda given: run(module, None, given)
    need_module({"cpu": "llvmlite", "mlx": "mlx"}[backend])
    return rlx_passes.compile(module, backend, origin="rlx")


@sampled(3)
@pytest.mark.parametrize("backend", ["", "cpu", "mlx"])
@pytest.mark.parametrize("name", MODELS)
def test_f01_dims_of_two_names_broadcast_as_in_onnx(name: str, backend: str):
    from onnxruntime import InferenceSession

    session: Any = InferenceSession(model(name).SerializeToString(), providers=["CPUExecutionProvider"])
    module = import_model(model_of(model(name), "named.onnx")).module
    program = on_backend(module, backend)
    for k, m in ((3, 1), (1, 3), (3, 3), (1, 1), (0, 1), (1, 0), (0, 0)):
        given = inputs(name, k, m)
        (expected,) = session.run(None, given)
        np.testing.assert_array_equal(program(given)["y"], expected)
    with pytest.raises((RunError, ValueError), match=r"dim . of input '.' is [23] and dim . of input '.' is [23], so"):
        program(inputs(name, 3, 2))


def test_f01_three_names():
    text = "float[k] a, float[m] b, float[n] c) => (float[o] y) { y = Sum(a, b, c) }"
    parsed = onnx.parser.parse_model(f"{HEADER} g ({text}")
    module = import_model(model_of(parsed, "named.onnx")).module
    for sizes in ((3, 1, 1), (1, 3, 1), (1, 1, 3), (3, 3, 1), (1, 3, 3), (3, 3, 3), (1, 1, 1), (0, 1, 1), (1, 0, 1)):
        given = [np.arange(1, size + 1, dtype=np.float32) for size in sizes]
        (got,) = run(module, None, given).values()
        np.testing.assert_array_equal(got, given[0] + given[1] + given[2])
    for sizes in ((3, 2, 1), (1, 2, 3), (2, 3, 3)):
        with pytest.raises(ValueError, match="dim 0 of input"):
            run(module, None, [np.ones(size, np.float32) for size in sizes])
