"""
Errors of the elementwise functions on each backend that runs here, in units of the last place, against mpmath.

    python test/backend_accuracy.py [cpu mlx ..]     # measure, and write test/data/accuracy.json, of which docs/accuracy.md is made
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import accuracy
import numpy as np
from accuracy import Array
from programs import parse
from tools import need_module, need_program
from truths import TRUTHS

import rlx_passes
from rlx_dialect.attributes import Activation
from rlx_dialect.dtypes import element_type, numpy_dtype
from rlx_dialect.signature import find_function, results_of
from rlx_passes.core.printing import generic_text
from rlx_passes.lowerings import arith_machine
from rlx_passes.lowerings.convert_rlx_to_stablehlo import ConvertRLXToStableHLOPass
from rlx_passes.lowerings.to_mlx import functions as mlx
from rlx_passes.lowerings.to_stablehlo import machine as stablehlo
from rlx_passes.reading.dialects import tool_context
from rlx_passes.runtime.xla import XlaFunction

MEASURED = Path(__file__).parent / "data" / "accuracy.json"

COUNT = 100
"""A sixth of the samples of a function, beside the special values."""

DTYPES: Mapping[str, tuple[str, ...]] = {
    "cpu": ("f16", "bf16", "f32", "f64"),
    "mlx": ("f16", "bf16", "f32", "f64"),
    "tpu": ("f16", "bf16", "f32", "f64"),
    "wgpu": ("f16", "bf16", "f32"),
    "metal": ("f16", "bf16", "f32"),
}
"""The float types of each backend. That of tpu is XLA's compiler for CPUs here, that of wgpu lavapipe, that of metal the host."""

NEEDS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "cpu": (("iree.compiler", "iree.runtime"), ()),
    "mlx": (("mlx",), ()),
    "tpu": (("jax",), ()),
    "wgpu": (("wgpu",), ("mlir-opt-22", "mlir-translate-22")),
    "metal": ((), ("mlir-opt-22", "mlir-translate-22", "spirv-cross", "g++")),
}
"""The Python packages and the programs that each takes."""

KEEP_DENORMALS = frozenset({"mlx"})
KEEP_NAN = frozenset({"cpu", "mlx", "tpu"})
"""What backends promise. IREE and XLA compute with denormal numbers as zeros, shaders may take NaN for a number too."""

SPELLINGS: Mapping[str, str] = {
    **{kind.value: f"rlx.activation {kind.value} %{{0}}" for kind in Activation},
    **{name: f"rlx.{name} %{{0}}" for name in ("erfc", "expm1", "log1p")},
    **{name: f"rlx.binary {name} %{{0}}, %{{1}}" for name in ("atan2", "mod", "pow")},
}
"""The ops that are functions of the formulas."""


def need(target: str) -> None:
    """Skip the calling test, or fail it, where a backend's tools are absent."""
    modules, programs = NEEDS[target]
    for module in modules:
        need_module(module)
    for program in programs:
        need_program(program, program.removesuffix("-22"))


def is_native(target: str, dtype: str, name: str) -> bool:
    """Whether a backend computes a function of a float type by its own."""
    wide = dtype if dtype == "f64" else "f32"
    match target:
        case "cpu":
            return name in (arith_machine.CPU.f64 if dtype == "f64" else arith_machine.CPU.f32)
        case "mlx":
            return name in (mlx.NATIVE[dtype] | mlx.NATIVE[wide] | ({"mod", "sin"} if wide == "f32" else {"mod"}))
        case "tpu":
            return name in stablehlo.NATIVE[dtype] | stablehlo.NATIVE[wide]
        case _:
            return name in arith_machine.KERNEL.f32


def operands_of(name: str, dtype: str) -> tuple[Array, ...]:
    return accuracy.samples(name, dtype, COUNT)


def _names(name: str, dtype: str) -> list[str]:
    """What the operands are called in the program."""
    return [f"{name}_{dtype}", f"{name}_{dtype}_"][: 2 if name in accuracy.BINARY else 1]


def program(dtypes: tuple[str, ...]) -> str:
    """One function that computes each op on samples of its own."""
    arguments: list[str] = []
    outputs: list[str] = []
    returned: list[tuple[str, str]] = []
    lines: list[str] = []
    for name, dtype in ((name, dtype) for dtype in dtypes for name in SPELLINGS):
        operands = _names(name, dtype)
        tensor = f"tensor<{len(operands_of(name, dtype)[0])}x{dtype}>"
        arguments += [f'%{each}: {tensor} {{rlx.input = "{each}"}}' for each in operands]
        signature = tensor if len(operands) == 1 else f"({tensor}, {tensor}) -> {tensor}"
        lines.append(f"  %r_{operands[0]} = {SPELLINGS[name].format(*operands)} : {signature}")
        outputs.append(f'{tensor} {{rlx.output = "{operands[0]}"}}')
        returned.append((f"%r_{operands[0]}", tensor))
    values, types = zip(*returned)
    lines.append(f"  func.return {', '.join(values)} : {', '.join(types)}")
    return f"func.func @main({', '.join(arguments)}) -> ({', '.join(outputs)}) {{\n" + "\n".join(lines) + "\n}\n"


def results(target: str, dtypes: tuple[str, ...]) -> Mapping[str, Any]:
    """What a backend computes, by `<function>_<dtype>`."""
    inputs: dict[str, Any] = {}
    for name, dtype in ((name, dtype) for dtype in dtypes for name in SPELLINGS):
        kind = numpy_dtype(element_type(dtype))
        inputs |= {each: x.astype(kind) for each, x in zip(_names(name, dtype), operands_of(name, dtype))}
    if target == "tpu":
        return _by_xla(program(dtypes), inputs)
    return rlx_passes.compile(program(dtypes), target, origin="rlx")(inputs)


def _by_xla(text: str, inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    """As a bundle for tpu runs here, without the code for a real one, where f64 takes minutes to compile."""
    module = parse(text)
    names = [binding.name for binding in results_of(find_function(module, "main"))]
    ConvertRLXToStableHLOPass().apply(tool_context(), module)
    return dict(zip(names, XlaFunction(generic_text(module), "main")(list(inputs.values())), strict=True))


def _judged(target: str, dtype: str, name: str) -> Any:
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
        off = accuracy.ulp_errors(dtype, got[f"{name}_{dtype}"].astype(np.float64), true)
        found[name] = float(np.max(off[_judged(target, dtype, name)], initial=0.0))
    return found


def bound(name: str, dtype: str) -> float:
    """The error allowed."""
    return TRUTHS[name].bound if dtype in ("f32", "f64") else 1.0


def rows(targets: tuple[str, ...] = tuple(DTYPES)) -> Iterator[tuple[str, str, str, bool]]:
    """The target, the float type and the name of each function, and whether it is the target's own."""
    for target in targets:
        for dtype in DTYPES[target]:
            yield from ((target, dtype, name, is_native(target, dtype, name)) for name in SPELLINGS)


def main(targets: tuple[str, ...]) -> None:
    for target in targets:
        got = results(target, DTYPES[target])
        known: dict[str, Any] = json.loads(MEASURED.read_text()) if MEASURED.exists() else {}
        for dtype in DTYPES[target]:
            found = errors(target, dtype, got)
            known[f"{target} {dtype}"] = {
                name: {"error": math.ceil(min(found[name], 1e9) * 10) / 10, "native": is_native(target, dtype, name)}
                for name in SPELLINGS
            }
        MEASURED.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main(tuple(sys.argv[1:]) or tuple(DTYPES))
