"""Small programs of two texts, StableHLO and ONNX, and what import, raising and fusion make of them."""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from programs import context
from stablehlo_values import texts
from tools import need_module
from xdsl.dialects.builtin import ModuleOp

from rlx_dialect.ops import AttentionOp
from rlx_dialect.reference import Array, run
from rlx_dialect.xdsl_repairs import parse_module, verify_dominance
from rlx_passes import build_pipeline
from rlx_passes.frontends.onnx.importer import import_model
from rlx_passes.frontends.onnx.protobuf import model_of
from rlx_passes.frontends.stablehlo.convert_stablehlo_to_rlx import ConvertStableHLOToRLXPass
from rlx_passes.reading.dialects import tool_context
from rlx_passes.registry.composite import flatten
from rlx_passes.rewriting.miss import CodedReason, Miss, listening

WRITTEN = pytest.mark.parametrize("written", ["stablehlo", "onnx"])

need_module("jax")
need_module("onnx")

jax: Any = importlib.import_module("jax")
jnp: Any = jax.numpy

RNG = np.random.default_rng(17)


def normal(*shape: int) -> Array:
    return RNG.standard_normal(shape).astype(np.float32)


@dataclass(frozen=True)
class Program:
    """
    A row's program: the function whose StableHLO text JAX prints, the ONNX nodes that give `y` (and `s` where `results`
    says so), and arrays by name.
    """

    function: Callable[..., Any]
    nodes: str
    inputs: Mapping[str, Array]
    results: tuple[str, ...] = ("y",)

    def imported(self, written: str) -> ModuleOp:
        if written == "stablehlo":
            module = parse_module(tool_context(), texts(self.function, tuple(self.inputs.values()))[0])
            ConvertStableHLOToRLXPass().apply(tool_context(), module)
            return module
        import onnx.parser

        kinds = {"float32": "float", "bool": "bool"}
        given = (f"{kinds[x.dtype.name]}[{', '.join(map(str, x.shape))}] {n}" for n, x in self.inputs.items())
        expected: Any = importlib.import_module("jax").tree.leaves(self.function(*self.inputs.values()))
        gives = (f"float[{', '.join(map(str, x.shape))}] {n}" for n, x in zip(self.results, expected, strict=True))
        head = f'<ir_version: 8, opset_import: ["": 17]>\ng ({", ".join(given)}) => ({", ".join(gives)})'
        parse: Any = onnx.parser.parse_model
        imported = import_model(model_of(parse(f"{head} {{\n{self.nodes}\n}}"), "fault.onnx"))
        assert not imported.params
        return imported.module

    def fused(self, written: str, equal_nan: bool = False) -> tuple[ModuleOp, set[CodedReason]]:
        """The program after raising and fusion, and the reasons given; every op verifies, and values stay."""
        before = self.imported(written)
        before.verify()
        reasons: set[CodedReason] = set()

        def listen(pattern: str, root: object, miss: Miss) -> None:
            reasons.add(miss.reason)

        after = before.clone()
        with listening(listen):
            for pass_ in flatten(build_pipeline("cpu", stage="fuse", origin="rlx")):
                pass_.apply(context(), after)
                after.verify()
                verify_dominance(after)
        for a, b in zip(outputs(after, self.inputs), outputs(before, self.inputs), strict=True):
            assert (a.dtype, a.shape) == (b.dtype, b.shape)
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5, equal_nan=equal_nan)
            assert equal_nan or np.isfinite(a).all()
        return after, reasons


def outputs(module: ModuleOp, inputs: Mapping[str, Array]) -> list[Array]:
    with np.errstate(all="ignore"):
        return list(run(module, None, list(inputs.values())).values())


def kinds(module: ModuleOp) -> Counter[str]:
    return Counter(op.name.removeprefix("rlx.") for op in module.walk())


def attention(module: ModuleOp) -> AttentionOp:
    (found,) = (op for op in module.walk() if isinstance(op, AttentionOp))
    return found
