"""What other compilers got wrong after fusion, in lowered code and its runs: a test per fault, named by its id."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from programs import context, parse
from tools import need_module
from xdsl.dialects.builtin import ModuleOp, StringAttr, f32

from rlx_dialect.ops import FusedResidualLNOp, FusedResidualRmsNormOp
from rlx_dialect.reference import Array, run
from rlx_dialect.signature import find_function
from rlx_passes.bundle.folder import write_bundle
from rlx_passes.codegen.emit import generator
from rlx_passes.core.numerics import difference
from rlx_passes.core.printing import generic_text
from rlx_passes.fusion.fuse_residual_ln import FuseResidualLNPass
from rlx_passes.fusion.fuse_residual_rms_norm import FuseResidualRmsNormPass
from rlx_passes.lowerings.convert_rlx_to_stablehlo import ConvertRLXToStableHLOPass
from rlx_passes.lowerings.to_linalg import lower_to_linalg
from rlx_passes.reading.dialects import tool_context
from rlx_passes.runtime.program import load_bundle

TAIL = """
func.func @tail(%x: tensor<64xf32> {rlx.input = "x"}) -> (tensor<64xf32> {rlx.output = "y"}) {
  %y = rlx.activation gelu %x : tensor<64xf32>
  func.return %y : tensor<64xf32>
}"""

TAKEN = """
func.func @taken(%x: tensor<?x4xf32> {rlx.input = "x"}, %i: tensor<?xi32> {rlx.input = "i"})
    -> (tensor<4xf32> {rlx.output = "total"}, tensor<4xf32> {rlx.output = "largest"},
        tensor<?x4xf32> {rlx.output = "twice"}) {
  %0 = rlx.gather %x, %i axis(0) : (tensor<?x4xf32>, tensor<?xi32>) -> tensor<?x4xf32>
  %1 = rlx.reduce sum %0 axes [0] : tensor<?x4xf32> -> tensor<4xf32>
  %2 = rlx.reduce max %0 axes [0] : tensor<?x4xf32> -> tensor<4xf32>
  %3 = rlx.binary add %0, %0 : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  func.return %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<?x4xf32>
}"""

EMPTY = {"rows": (1, 0), "batch": (0, 4)}
"""Batch and rows of products without elements, by the name of their function."""

NORMS = {"layer_norm": FusedResidualLNOp, "rms_norm": FusedResidualRmsNormOp}


def residual_norms(accumulate: str) -> ModuleOp:
    """A function for each norm of a residual sum of halves, fused."""
    half, vector = "tensor<4x128xf16>", "tensor<128xf16>"
    module = parse(
        "".join(
            f"""
    func.func @{norm}(%x: {half} {{rlx.input = "x"}}, %r: {half} {{rlx.input = "r"}},
                      %g: {vector} {{rlx.param = "g"}}, %b: {vector} {{rlx.param = "b"}})
                          -> ({half} {{rlx.output = "y"}}) {{
      %s = rlx.binary add %x, %r : ({half}, {half}) -> {half}
      %y = rlx.{norm} %s, %g, %b epsilon(1.0e-5) {accumulate} : ({half}, {vector}, {vector}) -> {half}
      func.return %y : {half}
    }}"""
            for norm in NORMS
        )
    )
    for pass_ in (FuseResidualLNPass(), FuseResidualRmsNormPass()):
        pass_.apply(context(), module)
    return module


def empty_products() -> ModuleOp:
    """A function for each product of `EMPTY`, with bias and gelu."""
    text = ""
    for name, (batch, rows) in EMPTY.items():
        x, w, b, y = (
            f"tensor<{batch}x{rows}x32xf32>",
            "tensor<32x16xf32>",
            "tensor<16xf32>",
            f"tensor<{batch}x{rows}x16xf32>",
        )
        text += f"""
    func.func @{name}(%x: {x} {{rlx.input = "x"}}, %w: {w} {{rlx.param = "w"}}, %b: {b} {{rlx.param = "b"}})
        -> ({y} {{rlx.output = "y"}}) {{
      %y = rlx.fused_matmul_bias_act %x, %w, %b activation(gelu) : ({x}, {w}, {b}) -> {y}
      func.return %y : {y}
    }}"""
    return parse(text)


def large_rows() -> dict[str, Array]:
    """Rows whose squares are no halves, while rows, sums and norms are. Sums are whole numbers, so nothing rounds."""
    rng = np.random.default_rng(16)
    signs = np.where(rng.random((4, 128)) < 0.5, -1.0, 1.0)
    arrays = {
        "x": signs * (300 + rng.integers(-20, 21, (4, 128))),
        "r": rng.integers(-8, 9, (4, 128)).astype(np.float64),
        "g": 1 + rng.integers(-2, 3, 128) / 8,
        "b": rng.integers(-2, 3, 128) / 8,
    }
    return {name: array.astype(np.float16) for name, array in arrays.items()}


def norm_of_sum(norm: str, inputs: Mapping[str, Array]) -> Array:
    """The norm in double precision."""
    x, r, g, b = (inputs[name].astype(np.float64) for name in "xrgb")
    total = x + r
    centred = total - total.mean(-1, keepdims=True) if norm == "layer_norm" else total
    return (centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5) * g + b).astype(np.float16)


def fused_op(module: ModuleOp, norm: str) -> FusedResidualLNOp | FusedResidualRmsNormOp:
    """The one fused op of that kind."""
    (op,) = [op for op in module.walk() if isinstance(op, NORMS[norm])]
    return op


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The norms without a word on their sums, and the other programs of this file, compiled for the cpu."""
    need_module("llvmlite")
    parts = (residual_norms(""), parse(TAIL), parse(TAKEN), empty_products())
    module = ModuleOp([op.clone() for part in parts for op in part.ops])
    lower_to_linalg(module)
    path = tmp_path_factory.mktemp("faults") / "bundle"
    write_bundle(path, generator("cpu")(module))
    return path


def run_by_xla(module: ModuleOp, name: str, inputs: Sequence[Array]) -> Array:
    """The one result of a function, exported to StableHLO and run by XLA."""
    need_module("jax")
    from rlx_passes.runtime.xla import XlaFunction

    main = find_function(module, name).clone()
    main.sym_name = StringAttr("main")
    alone = ModuleOp([main])
    ConvertRLXToStableHLOPass().apply(tool_context(), alone)
    (result,) = XlaFunction(generic_text(alone), name)(inputs)
    return result


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("accumulate", ["", "accumulate(f32)"])
def test_k16_halves_are_summed_in_f32(accumulate: str, norm: str):
    module, inputs = residual_norms(accumulate), large_rows()
    assert fused_op(module, norm).accumulate == (f32 if accumulate else None)
    wanted = norm_of_sum(norm, inputs)
    assert np.abs(wanted).max() > 1
    assert difference(run(module, norm, inputs)["y"], wanted) is None


@pytest.mark.parametrize("norm", NORMS)
def test_k16_sums_in_halves_would_be_seen(norm: str):
    module, inputs = residual_norms("accumulate(f16)"), large_rows()
    with np.errstate(over="ignore"):
        narrow = run(module, norm, inputs)["y"]
    assert difference(narrow, norm_of_sum(norm, inputs)) is not None


@pytest.mark.parametrize("norm", NORMS)
def test_k16_lowered_code_sums_halves_in_f32(norm: str, compiled: Path):
    inputs = large_rows()
    wanted = norm_of_sum(norm, inputs)
    program = load_bundle(compiled, norm).load({name: inputs[name] for name in "gb"})
    assert difference(program({name: inputs[name] for name in "xr"})["y"], wanted) is None
    assert difference(run_by_xla(residual_norms(""), norm, list(inputs.values())), wanted) is None


@pytest.mark.parametrize("name", EMPTY)
def test_k06_products_without_elements_are_compiled(name: str, compiled: Path):
    x, w, b = (np.ones(shape, np.float32) for shape in ((*EMPTY[name], 32), (32, 16), (16,)))
    wanted = np.ones((*EMPTY[name], 16), np.float32)
    assert difference(load_bundle(compiled, name).load({"w": w, "b": b})({"x": x})["y"], wanted) is None
    assert difference(run_by_xla(empty_products(), name, [x, w, b]), wanted) is None


def test_k14_lowered_gelu_keeps_its_small_values(compiled: Path):
    x = np.linspace(-8, -4, 64, dtype=np.float32)
    wanted = np.array([0.5 * value * math.erfc(-value / math.sqrt(2)) for value in x.astype(np.float64).tolist()])
    for y in (load_bundle(compiled, "tail")({"x": x})["y"], run_by_xla(parse(TAIL), "tail", [x])):
        np.testing.assert_allclose(y, wanted, rtol=5e-5, atol=0)


def test_k43_a_size_is_asked_for_in_every_run(compiled: Path):
    program = load_bundle(compiled, "taken")
    x = np.arange(20, dtype=np.float32).reshape(5, 4)
    for rows, taken in ((x, [4]), (x, [4, 0]), (x[:3], [2, 0, 2]), (x, [1]), (x[:1], [])):
        index = np.array(taken, np.int32)
        results = program({"x": rows, "i": index})
        assert results["total"].tolist() == rows[index].sum(0).tolist()
        assert results["largest"].tolist() == rows[index].max(0, initial=-np.inf).tolist()
        assert results["twice"].tolist() == (2 * rows[index]).tolist()
