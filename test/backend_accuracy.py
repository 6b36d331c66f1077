"""
Errors of the elementwise functions on each backend that runs here, in units of the last place, against mpmath.

    python test/backend_accuracy.py [cpu mlx ..] # measure, and write test/data/accuracy.json, of which docs/accuracy.md
    is made
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import accuracy
import numpy as np
from accuracy import Array, Exact
from tools import need_module, need_program
from truths import INF, TRUTHS
from xdsl.dialects.builtin import ModuleOp

import rlx_passes
from rlx_dialect.builder import Graph
from rlx_dialect.dtypes import element_type, numpy_dtype
from rlx_dialect.formulas import FUNCTIONS
from rlx_dialect.functions import FUNCTIONS as OPS
from rlx_passes.core.printing import generic_text
from rlx_passes.lowerings import arith_machine
from rlx_passes.lowerings.convert_rlx_to_stablehlo import ConvertRLXToStableHLOPass
from rlx_passes.lowerings.to_mlx import functions as mlx
from rlx_passes.lowerings.to_stablehlo import machine as stablehlo
from rlx_passes.reading.dialects import tool_context
from rlx_passes.runtime.xla import XlaFunction

MEASURED = Path(__file__).parent / "data" / "accuracy.json"

COUNT = 100
"""A quarter of the samples of a function that are all judged, beside the special values."""
MANY = 10_000
"""A quarter of the further samples."""
SUSPECTS = 20
"""How many of these are judged: those farthest from the formula in f64."""

DTYPES: Mapping[str, tuple[str, ...]] = {
    "cpu": ("f16", "bf16", "f32", "f64"),
    "mlx": ("f16", "bf16", "f32", "f64"),
    "tpu": ("f16", "bf16", "f32", "f64"),
    "wgpu": ("f16", "bf16", "f32"),
    "metal": ("f16", "bf16", "f32"),
}
"""The float types of each backend. Here tpu is XLA's compiler for CPUs, wgpu is lavapipe, metal the host."""

NEEDS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "cpu": (("llvmlite",), ()),
    "mlx": (("mlx",), ()),
    "tpu": (("jax",), ()),
    "wgpu": (("wgpu",), ("mlir-opt-22", "mlir-translate-22")),
    "metal": ((), ("mlir-opt-22", "mlir-translate-22", "spirv-cross", "g++")),
}
"""The Python packages and the programs that each takes."""

KEEP_DENORMALS = frozenset({"cpu", "mlx"})
KEEP_NAN = frozenset({"cpu", "mlx", "tpu"})
"""What backends promise. XLA computes with denormal numbers as zeros, shaders may take NaN for a number too."""


def need(target: str) -> None:
    """Skip the calling test, or fail it, where a backend's tools are absent."""
    modules, programs = NEEDS[target]
    for module in modules:
        need_module(module)
    for program in programs:
        need_program(program, program.removesuffix("-22"))


def is_native(target: str, dtype: str, name: str) -> bool:
    """Whether a backend computes a float function natively. Never asked for one made of several ops of the dialect."""
    if name not in OPS:
        return False
    wide = dtype if dtype == "f64" else "f32"
    match target:
        case "cpu":
            return name in (arith_machine.CPU.f64 if dtype == "f64" else arith_machine.CPU.f32)
        case "mlx":
            return name in (mlx.NATIVE[dtype] | mlx.NATIVE[wide] | {"mod"})
        case "tpu":
            return name in stablehlo.NATIVE[dtype] | stablehlo.NATIVE[wide]
        case _:
            return name in arith_machine.KERNEL.f32


@cache
def operands_of(name: str, dtype: str) -> tuple[Array, ...]:
    """
    The samples that are all judged, and after them the further ones.

    One operand is in order of its magnitude, so that code which decides for many elements at once decides either way.
    """
    parts = accuracy.samples(name, dtype, COUNT), accuracy.random_samples(name, dtype, MANY)
    if len(parts[0]) == 1:
        parts = tuple((x[np.argsort(np.abs(x), kind="stable")],) for (x,) in parts)
    return tuple(np.concatenate(pair) for pair in zip(*parts, strict=True))


def program(dtype: str) -> ModuleOp:
    """One function that computes each function of the formulas, as importers write it, on samples of its own."""
    graph = Graph()
    for name in FUNCTIONS:
        operands = operands_of(name, dtype)
        tensors = [graph.input(f"{name}_{i}", x.shape, dtype) for i, x in enumerate(operands)]
        graph.output(name, graph.function(name, *tensors))
    return graph.module()


def results(target: str, dtype: str) -> Mapping[str, Any]:
    """What a backend computes, by the name of the function."""
    kind = numpy_dtype(element_type(dtype))
    inputs = {f"{name}_{i}": x.astype(kind) for name in FUNCTIONS for i, x in enumerate(operands_of(name, dtype))}
    if target == "tpu":
        return _by_xla(program(dtype), inputs)
    return rlx_passes.compile(program(dtype), target, origin="rlx")(inputs)


def _by_xla(module: ModuleOp, inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    """As a bundle for tpu runs here, without the code for a real one, where f64 takes minutes to compile."""
    ConvertRLXToStableHLOPass().apply(tool_context(), module)
    return dict(zip(FUNCTIONS, XlaFunction(generic_text(module), "main")(list(inputs.values())), strict=True))


def _judged(target: str, dtype: str, operands: tuple[Array, ...], true: Exact) -> Any:
    """Which samples count: where a backend does not promise denormal numbers and NaN, those without them."""
    smallest = 2.0 ** accuracy.TYPES[dtype].lowest
    with np.errstate(over="ignore"):
        values = (*operands, np.ldexp(true.high, true.exponent))
    denormal = np.logical_or.reduce([(x != 0) & (np.abs(x) < smallest) for x in values])
    nan = np.logical_or.reduce([np.isnan(x) for x in values])
    return ~(denormal & (target not in KEEP_DENORMALS)) & ~(nan & (target not in KEEP_NAN))


def _errors(target: str, dtype: str, operands: tuple[Array, ...], got: Array, true: Exact) -> Array:
    return np.where(_judged(target, dtype, operands, true), accuracy.ulp_errors(dtype, got, true), 0.0)


def errors(target: str, dtype: str, got: Mapping[str, Any]) -> dict[str, float]:
    """The largest error of each function."""
    found: dict[str, float] = {}
    for name in FUNCTIONS:
        operands, results = operands_of(name, dtype), got[name].astype(np.float64)
        seeming = _errors(target, dtype, operands, results, accuracy.estimate(name, *operands))
        seeming[: len(operands[0]) - 4 * MANY] = INF
        chosen = np.sort(np.argsort(seeming)[-(np.count_nonzero(seeming == INF) + SUSPECTS) :])
        kept = tuple(x[chosen] for x in operands)
        off = _errors(target, dtype, kept, results[chosen], accuracy.truth_of(name, kept))
        found[name] = float(np.max(off, initial=0.0))
    return found


def bound(target: str, dtype: str, name: str) -> float:
    """The error allowed: one more unit where a TPU's own instruction is used, which is not what runs here."""
    if dtype not in ("f32", "f64"):
        return 1.0
    return TRUTHS[name].bound + (target == "tpu" and dtype == "f32" and name in stablehlo.HARDWARE)


def rows(targets: tuple[str, ...] = tuple(DTYPES)) -> Iterator[tuple[str, str, str, bool]]:
    """The target, the float type and the name of each function, and whether it is the target's own."""
    for target in targets:
        for dtype in DTYPES[target]:
            yield from ((target, dtype, name, is_native(target, dtype, name)) for name in FUNCTIONS)


def main(targets: tuple[str, ...]) -> None:
    for target in targets:
        known: dict[str, Any] = json.loads(MEASURED.read_text()) if MEASURED.exists() else {}
        for dtype in DTYPES[target]:
            found = errors(target, dtype, results(target, dtype))
            known[f"{target} {dtype}"] = {
                name: {"error": math.ceil(min(found[name], 1e9) * 10) / 10, "native": is_native(target, dtype, name)}
                for name in FUNCTIONS
            }
        MEASURED.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main(tuple(sys.argv[1:]) or tuple(DTYPES))
