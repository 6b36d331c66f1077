"""Every lowering takes region ops, prologues included: what compiled code gives is what the reference gives."""

from pathlib import Path

import numpy as np
import pytest
from programs import parse, random_inputs
from tools import need_module
from xdsl.context import Context

from rlx_dialect.reference import Array, run
from rlx_dialect.signature import find_function
from rlx_passes.bundle.folder import read_bundle, write_bundle
from rlx_passes.codegen.emit import generator
from rlx_passes.core.printing import generic_text
from rlx_passes.lowerings.convert_rlx_to_stablehlo import ConvertRLXToStableHLOPass
from rlx_passes.lowerings.to_linalg import lower_to_linalg
from rlx_passes.lowerings.to_mlx.convert import ConvertRlxToMlxPass
from rlx_passes.runtime.mlx import MlxProgram
from rlx_passes.runtime.program import load_bundle


def program(half: str, full: str, twice: str, joined: str) -> str:
    """All region ops on tensors of these dims; the two batch regions have bodies that differ in one word."""
    return f"""
    func.func @main(%x: tensor<{half}>, %y: tensor<{full}>)
        -> (tensor<{full}>, tensor<{twice}>, tensor<{joined}>, tensor<{joined}>) {{
      %0 = rlx.elementwise_region(%a = %x, %b = %y) prologue(resize_nearest2x)
          : (tensor<{half}>, tensor<{full}>) -> tensor<{full}> {{
        %1 = rlx.binary sub %b, %a : (tensor<{full}>, tensor<{full}>) -> tensor<{full}>
        %2 = rlx.activation tanh %1 : tensor<{full}>
        rlx.yield %2 : tensor<{full}>
      }}
      %3 = rlx.transform_region(%c = %x) : (tensor<{half}>) -> tensor<{twice}> {{
        %4 = rlx.resize_nearest2x %c : tensor<{half}> -> tensor<{full}>
        %5 = rlx.resize_nearest2x %4 : tensor<{full}> -> tensor<{twice}>
        rlx.yield %5 : tensor<{twice}>
      }}
      %6 = rlx.batch_elementwise_region(%d = [%x, %x]) prologue(resize_nearest2x)
          : (tensor<{half}>, tensor<{half}>) -> tensor<{joined}> {{
        %7 = rlx.activation relu %d : tensor<{full}>
        rlx.yield %7 : tensor<{full}>
      }}
      %8 = rlx.batch_elementwise_region(%e = [%x, %x]) prologue(resize_nearest2x)
          : (tensor<{half}>, tensor<{half}>) -> tensor<{joined}> {{
        %9 = rlx.activation exp %e : tensor<{full}>
        rlx.yield %9 : tensor<{full}>
      }}
      func.return %0, %3, %6, %8 : tensor<{full}>, tensor<{twice}>, tensor<{joined}>, tensor<{joined}>
    }}"""


STATIC = program("2x3x4x5xf32", "2x3x8x10xf32", "2x3x16x20xf32", "4x3x8x10xf32")
DYNAMIC = program("?x3x4x?xf32", "?x3x8x?xf32", "?x3x16x?xf32", "?x3x8x?xf32")
PROGRAMS = pytest.mark.parametrize("text", [STATIC, DYNAMIC], ids=["static", "dynamic"])


def inputs_of(text: str) -> dict[str, Array]:
    """Arguments that fit together: `%y` is as large as `%x` resized."""
    inputs = random_inputs(find_function(parse(text)))
    inputs["arg1"] = np.flip(inputs["arg0"].repeat(2, 2).repeat(2, 3)).copy()
    return inputs


def agree(actual: dict[str, Array], text: str) -> None:
    for name, wanted in run(parse(text), None, inputs_of(text)).items():
        np.testing.assert_allclose(actual[name], wanted, rtol=1e-5, atol=1e-5, err_msg=name)


@PROGRAMS
def test_linalg(text: str, tmp_path: Path):
    need_module("llvmlite")
    module = parse(text)
    lower_to_linalg(module)
    module.verify()
    write_bundle(tmp_path / "bundle", generator("cpu")(module))
    agree(load_bundle(tmp_path / "bundle", "main")(inputs_of(text)), text)


@PROGRAMS
def test_mlx(text: str, tmp_path: Path):
    need_module("mlx")
    module = parse(text)
    ConvertRlxToMlxPass().apply(Context(), module)
    module.verify()
    write_bundle(tmp_path / "bundle", generator("mlx")(module))
    bundle = read_bundle(tmp_path / "bundle")
    agree(MlxProgram(bundle, bundle.manifest.entry("main"))(inputs_of(text)), text)


def test_stablehlo():
    """As plain ops, not as composites: those are told apart by their attributes, and bodies are none."""
    need_module("jax")
    from rlx_passes.runtime.xla import XlaFunction

    module = parse(STATIC)
    ConvertRLXToStableHLOPass().apply(Context(), module)
    module.verify()
    assert "region" not in str(module)
    generic = generic_text(module)
    inputs = inputs_of(STATIC)
    actual = XlaFunction(generic, "test")([inputs["arg0"], inputs["arg1"]])
    agree({f"out{i}": value for i, value in enumerate(actual)}, STATIC)
