"""Errors of the elementwise functions on each backend that runs here, in units of the last place, against mpmath."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import accuracy
import numpy as np
from accuracy import TRUTHS, Array

import rlx_passes
from rlx_dialect.attributes import Activation
from rlx_dialect.dtypes import element_type, numpy_dtype

COUNT = 150
"""A quarter of the samples of a function, beside the special values."""

DTYPES: Mapping[str, tuple[str, ...]] = {
    "cpu": ("f16", "bf16", "f32", "f64"),
    "mlx": ("f16", "bf16", "f32", "f64"),
    "tpu": ("f16", "bf16", "f32", "f64"),
    "wgpu": ("f16", "bf16", "f32"),
    "metal": ("f16", "bf16", "f32"),
}
"""The float types of each backend. That of tpu is XLA's compiler for CPUs here, that of wgpu lavapipe, that of metal the host."""

KEEP_DENORMALS = frozenset({"mlx"})
KEEP_NAN = frozenset({"cpu", "mlx", "tpu"})
"""What backends promise. IREE and XLA compute with denormal numbers as zeros, shaders may take NaN for a number too."""

SPELLINGS: Mapping[str, str] = {
    **{kind.value: f"rlx.activation {kind.value} %{kind.value}" for kind in Activation},
    **{name: f"rlx.{name} %{name}" for name in ("erfc", "expm1", "log1p")},
    **{name: f"rlx.binary {name} %{name}, %{name}_" for name in ("atan2", "mod", "pow")},
}
"""The ops that are functions of the formulas."""


def operands_of(name: str, dtype: str) -> tuple[Array, ...]:
    return accuracy.samples(name, dtype, COUNT)


def program(dtype: str) -> str:
    """One function that computes each op on samples of its own."""
    arguments: list[str] = []
    results: list[tuple[str, str]] = []
    lines: list[str] = []
    for name, spelling in SPELLINGS.items():
        operands = operands_of(name, dtype)
        tensor = f"tensor<{len(operands[0])}x{dtype}>"
        arguments += [f'%{each}: {tensor} {{rlx.input = "{each}"}}' for each in _names(name, operands)]
        signature = tensor if len(operands) == 1 else f"({tensor}, {tensor}) -> {tensor}"
        lines.append(f"  %{name}_result = {spelling} : {signature}")
        results.append((name, tensor))
    outputs = ", ".join(f'{tensor} {{rlx.output = "{name}"}}' for name, tensor in results)
    lines.append(
        f"  func.return {', '.join(f'%{name}_result' for name, _ in results)} : {', '.join(t for _, t in results)}"
    )
    return f"func.func @main({', '.join(arguments)}) -> ({outputs}) {{\n" + "\n".join(lines) + "\n}\n"


def _names(name: str, operands: tuple[Array, ...]) -> list[str]:
    return [name, f"{name}_"][: len(operands)]


def results(target: str, dtype: str) -> Mapping[str, Any]:
    """What a backend computes, by function."""
    kind = numpy_dtype(element_type(dtype))
    inputs: dict[str, Any] = {}
    for name in SPELLINGS:
        operands = operands_of(name, dtype)
        inputs |= {each: x.astype(kind) for each, x in zip(_names(name, operands), operands)}
    return rlx_passes.compile(program(dtype), target, origin="rlx")(inputs)


def judged(target: str, dtype: str, name: str) -> Any:
    """Which samples count: where a backend does not promise denormal numbers and NaN, those without them."""
    operands = operands_of(name, dtype)
    true, smallest = accuracy.truth_of(name, operands), 2.0 ** accuracy.TYPES[dtype].lowest
    with np.errstate(over="ignore"):
        values = (*operands, np.ldexp(true.high, true.exponent))
    denormal = np.logical_or.reduce([(x != 0) & (np.abs(x) < smallest) for x in values])
    nan = np.logical_or.reduce([np.isnan(x) for x in values])
    return ~(denormal & (target not in KEEP_DENORMALS)) & ~(nan & (target not in KEEP_NAN))


def errors(target: str, dtype: str, got: Mapping[str, Any]) -> dict[str, float]:
    """The largest error of each function."""
    found: dict[str, float] = {}
    for name in SPELLINGS:
        true = accuracy.truth_of(name, operands_of(name, dtype))
        off = accuracy.ulp_errors(dtype, got[name].astype(np.float64), true)
        found[name] = float(np.max(off[judged(target, dtype, name)], initial=0.0))
    return found


def bound(name: str, dtype: str) -> float:
    """The error allowed."""
    return TRUTHS[name].bound if dtype in ("f32", "f64") else 1.0
