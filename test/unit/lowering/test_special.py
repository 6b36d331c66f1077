"""The expansions that stand for functions of a C library, measured against it: compiled by IREE, over the whole range."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from programs import parse
from tools import need_module

from rlx_dialect.reference import Array
from rlx_passes.codegen.bundle import write_bundle
from rlx_passes.codegen.emit import generator
from rlx_passes.lowering.to_linalg import lower_to_linalg
from rlx_passes.runtime.program import load_bundle

COUNT = 4001
UNARY = {
    "erfc": "rlx.erfc %x",
    "erf": "rlx.activation erf %x",
    "gelu": "rlx.activation gelu %x",
    "tanh": "rlx.activation tanh %x",
    "sin": "rlx.activation sin %x",
    "cos": "rlx.activation cos %x",
    "atan": "rlx.activation atan %x",
}
TRUE: dict[str, Callable[[float], float]] = {
    "erfc": math.erfc,
    "erf": math.erf,
    "gelu": lambda x: 0.5 * x * math.erfc(-x / math.sqrt(2)),
    "tanh": math.tanh,
    "sin": math.sin,
    "cos": math.cos,
    "atan": math.atan,
}
RELATIVE = {
    ("erfc", "f32"): 2e-6,
    ("erf", "f32"): 5e-7,
    ("gelu", "f32"): 1e-5,
    ("erfc", "f64"): 1e-13,
    ("erf", "f64"): 1e-15,
    ("gelu", "f64"): 1e-13,
    ("tanh", "f64"): 4e-15,
    ("atan", "f64"): 1e-15,
}
ABSOLUTE = {("sin", "f64"): 1e-15, ("cos", "f64"): 1e-15}
DTYPES = {"f32": np.float32, "f64": np.float64}


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    need_module("iree.compiler")
    need_module("iree.runtime")
    text = ""
    for dtype in DTYPES:
        tensor = f"tensor<{COUNT}x{dtype}>"
        for name, spelling in UNARY.items():
            text += (
                f'func.func @{name}_{dtype}(%x: {tensor} {{rlx.input = "x"}}) -> ({tensor} {{rlx.output = "y"}}) {{\n'
            )
            text += f"  %y = {spelling} : {tensor}\n  func.return %y : {tensor}\n}}\n"
        for kind in ("mod", "atan2"):
            pair = f'%x: {tensor} {{rlx.input = "x"}}, %z: {tensor} {{rlx.input = "z"}}'
            text += f'func.func @{kind}_{dtype}({pair}) -> ({tensor} {{rlx.output = "y"}}) {{\n'
            text += (
                f"  %y = rlx.binary {kind} %x, %z : ({tensor}, {tensor}) -> {tensor}\n  func.return %y : {tensor}\n}}\n"
            )
    module = parse(text)
    lower_to_linalg(module)
    path = tmp_path_factory.mktemp("special") / "bundle"
    write_bundle(path, generator("cpu")(module))
    return path


@pytest.mark.parametrize(("name", "dtype"), list(RELATIVE) + list(ABSOLUTE))
def test_unary(name: str, dtype: str, bundle: Path):
    ends = 5.0 if name in ("erfc", "gelu") else 30.0
    x = np.linspace(-ends, ends, COUNT).astype(DTYPES[dtype])
    actual = load_bundle(bundle, f"{name}_{dtype}")({"x": x})["y"].astype(np.float64)
    expected = np.array([TRUE[name](value) for value in x.astype(np.float64).tolist()])
    off = np.abs(actual - expected)
    if (name, dtype) in ABSOLUTE:
        assert off.max() <= ABSOLUTE[name, dtype]
        return
    relative = off / np.maximum(np.abs(expected), np.finfo(np.float64).tiny)
    assert relative.max() <= RELATIVE[name, dtype], f"at {x[relative.argmax()]}"


@pytest.mark.parametrize("dtype", DTYPES)
def test_erfc_far_out(dtype: str, bundle: Path):
    x = np.full(COUNT, 3.0, DTYPES[dtype])
    x[:6] = [np.inf, -np.inf, np.nan, 1e30, -1e30, 40.0]
    y = load_bundle(bundle, f"erfc_{dtype}")({"x": x})["y"]
    assert np.array_equal(y[:6], [0.0, 2.0, np.nan, 0.0, 2.0, 0.0], equal_nan=True)


@pytest.mark.parametrize("dtype", DTYPES)
def test_mod_is_exact(dtype: str, bundle: Path):
    rng = np.random.default_rng(0)
    x = (rng.standard_normal(COUNT) * 1000).astype(DTYPES[dtype])
    z = rng.uniform(0.1, 30, COUNT).astype(DTYPES[dtype]) * rng.choice([-1, 1], COUNT).astype(DTYPES[dtype])
    special: list[tuple[float, float]] = [
        (5.0, math.inf),
        (-6.0, 3.0),
        (math.inf, 2.0),
        (1.0, 0.0),
        (-0.0, 2.0),
        (7.5, -2.0),
    ]
    for i, (a, b) in enumerate(special):
        x[i], z[i] = a, b
    y = load_bundle(bundle, f"mod_{dtype}")({"x": x, "z": z})["y"]
    with np.errstate(invalid="ignore"):
        expected: Array = np.fmod(x, z)
    assert np.array_equal(y, expected, equal_nan=True)
    assert np.array_equal(np.signbit(y[[1, 4]]), [True, True])


def test_atan2_in_every_quadrant(bundle: Path):
    rng = np.random.default_rng(1)
    y, x = rng.standard_normal((2, COUNT))
    values = [0.0, -0.0, 1.0, -1.0, math.inf, -math.inf]
    for i, (a, b) in enumerate((a, b) for a in values for b in values):
        y[i], x[i] = a, b
    actual = load_bundle(bundle, "atan2_f64")({"x": y, "z": x})["y"]
    expected = np.arctan2(y, x)
    assert np.abs(actual - expected).max() <= 1e-15
    assert np.array_equal(np.signbit(actual), np.signbit(expected))
