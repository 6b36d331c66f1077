"""What params and constants give before a program runs, each fault by its id."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from programs import context, parse
from tools import need_module

from rlx_dialect.ops import ElementwiseRegionOp
from rlx_dialect.reference import run
from rlx_dialect.signature import find_function
from rlx_passes import build_pipeline, compile, from_onnx
from rlx_passes.lowerings.hoist_prepare import HoistPreparePass
from rlx_passes.reading.dialects import tool_context
from rlx_passes.reading.parsing import parse as read
from rlx_passes.reading.source import Source

MODELS = Path(__file__).parents[2] / "models"


@pytest.mark.parametrize(
    ("w", "scale", "x"), [(60.0, 2000.0, 1e-3), (1e-4, 1e-4, 3e4), (60.0, 0.5, 1.0)], ids=["large", "small", "fits"]
)
@pytest.mark.parametrize("known", [True, False], ids=["constants", "params"])
def test_f06_a_scale_of_halves_behind_a_convolution(w: float, scale: float, x: float, known: bool):
    numbers = {"w": w, "k": scale, "b": 0.0}
    lines = [f"%{name} = arith.constant dense<{value}> : tensor<1x1x1x1xf16>" for name, value in numbers.items()]
    params = [f', %{name}: tensor<1x1x1x1xf16> {{rlx.param = "{name}"}}' for name in numbers]
    text = f"""
    func.func @main(%x: tensor<1x1x1x1xf16> {{rlx.input = "x"}}{"" if known else "".join(params)})
        -> (tensor<1x1x1x1xf16> {{rlx.output = "y"}}) {{
      {" ".join(lines) if known else ""}
      %c = rlx.conv %x, %w : (tensor<1x1x1x1xf16>, tensor<1x1x1x1xf16>) -> tensor<1x1x1x1xf16>
      %m = rlx.binary mul %c, %k : (tensor<1x1x1x1xf16>, tensor<1x1x1x1xf16>) -> tensor<1x1x1x1xf16>
      %y = rlx.binary add %m, %b : (tensor<1x1x1x1xf16>, tensor<1x1x1x1xf16>) -> tensor<1x1x1x1xf16>
      func.return %y : tensor<1x1x1x1xf16>
    }}"""
    given = {"x": x} if known else {"x": x, **numbers}
    inputs: dict[str, NDArray[Any]] = {name: np.full((1, 1, 1, 1), v, np.float16) for name, v in given.items()}
    module = parse(text)
    for one in build_pipeline("cuda", stage="fuse", origin="rlx"):
        one.apply(context(), module)
    fused = "rlx.fused_conv_bias_act" in {op.name for op in module.walk()}
    assert fused == (known and (w, scale) == (60.0, 0.5))
    (wanted,), (got,) = run(parse(text), None, inputs).values(), run(module, None, inputs).values()
    np.testing.assert_allclose(got, wanted, rtol=2e-3)


def test_f06_a_batch_norm_of_halves_is_multiplied_in_f32():
    text = """
    func.func @main(%x: tensor<2x8x6x6xf16>, %w: tensor<8x8x3x3xf16>, %g: tensor<8xf16>, %b: tensor<8xf16>,
        %m: tensor<8xf16>, %d: tensor<8xf16>) -> tensor<2x8x4x4xf16> {
      %v = rlx.binary mul %d, %d : (tensor<8xf16>, tensor<8xf16>) -> tensor<8xf16>
      %c = rlx.conv %x, %w : (tensor<2x8x6x6xf16>, tensor<8x8x3x3xf16>) -> tensor<2x8x4x4xf16>
      %n = rlx.batch_norm_inference %c, %g, %b, %m, %v epsilon(1.0e-5) axis(1) : (tensor<2x8x4x4xf16>, tensor<8xf16>,
          tensor<8xf16>, tensor<8xf16>, tensor<8xf16>) -> tensor<2x8x4x4xf16>
      %y = rlx.activation relu %n : tensor<2x8x4x4xf16>
      func.return %y : tensor<2x8x4x4xf16>
    }"""
    module = parse(text)
    for one in build_pipeline("cuda", stage="fuse", origin="rlx"):
        one.apply(context(), module)
    assert "rlx.fused_conv_bias_act" in {op.name for op in module.walk()}
    random = np.random.default_rng(0)
    shapes = [(2, 8, 6, 6), (8, 8, 3, 3), (8,), (8,), (8,), (8,)]
    inputs = [random.standard_normal(shape).astype(np.float16) for shape in shapes]
    inputs[5] = np.abs(inputs[5]) + np.float16(0.5)
    exact = run(parse(text.replace("f16", "f32")), "main", [each.astype(np.float32) for each in inputs])["out0"]
    got = run(module, "main", inputs)["out0"].astype(np.float32)
    assert np.abs(got - exact).max() <= 6e-3 * np.abs(exact).max()


SIZES = """
func.func @main(%x: tensor<{n}x4xf32> {{rlx.input = "x"}}) -> (tensor<2xi64> {{rlx.output = "y"}}) {{
  %zero = arith.constant 0 : index
  %four = arith.constant 4 : index
  %d = tensor.dim %x, %zero : tensor<{n}x4xf32>
  %a = arith.index_cast %four : index to i64
  %b = arith.index_cast %d : index to i64
  %y = tensor.from_elements %a, %b : tensor<2xi64>
  func.return %y : tensor<2xi64>
}}"""


@pytest.mark.parametrize("n", ["?", "3"])
@pytest.mark.parametrize(("target", "package"), [("cpu", "llvmlite"), ("mlx", "mlx")])
def test_f07_scalars_stay_where_they_are_read(target: str, package: str, n: str):
    need_module(package)
    program = compile(SIZES.format(n=n), target, origin="rlx")
    assert program({"x": np.zeros((3, 4), np.float32)})["y"].tolist() == [4, 3]


@pytest.mark.parametrize("dims", [{"b": 2}, {"s": 7}], ids=["batch", "tokens"])
@pytest.mark.parametrize(("target", "package"), [("cpu", "llvmlite"), ("mlx", "mlx")])
def test_f07_a_bert_with_one_dim_given(target: str, package: str, dims: Mapping[str, int]):
    need_module("onnx")
    need_module(package)
    imported = from_onnx(MODELS / "bert_tiny_sdpa_ts.onnx", dims=dims)
    ids = np.random.default_rng(0).integers(0, 30, (2, 7))
    inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
    program = compile(imported.module, target, origin="rlx").load(imported.params)
    (got,), (wanted,) = program(inputs).values(), run(imported.module, None, {**imported.params, **inputs}).values()
    assert np.abs(got - wanted).max() <= 1e-5


@pytest.mark.parametrize("target", ["cuda", "rocm", "tpu"])
def test_f11_weights_of_a_resnet_are_folded_once(target: str):
    module = read(tool_context(), Source("resnet", (MODELS / "resnet.mlir").read_text()))
    params = tuple(f"arg{i}" for i in range(1, 35))
    for one in build_pipeline(target, stage="fuse", params=params):
        one.apply(context(), module)
    every = Counter(op.name for op in find_function(module, "main").walk())
    HoistPreparePass().apply(context(), module)
    module.verify()
    prepare = Counter(op.name for op in find_function(module, "main_prepare").walk())
    assert prepare[ElementwiseRegionOp.name] == 12
    assert Counter(op.name for op in find_function(module, "main").walk()) < every


MASK = """
func.func @main(%x: tensor<2x7x7xf32> {rlx.input = "x"}) -> (tensor<2x7x7xf32> {rlx.output = "y"}) {
  %one = arith.constant dense<1> : tensor<i64>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %places = rlx.iota axis(1) : tensor<2x7xi64>
  %steps = rlx.compare ne %places, %one : (tensor<2x7xi64>, tensor<i64>) -> tensor<2x7xi1>
  %counts = rlx.cast %steps : tensor<2x7xi1> -> tensor<2x7xi64>
  %segments = rlx.cumsum %counts axis(1) : tensor<2x7xi64>
  %rows = rlx.reshape %segments : tensor<2x7xi64> -> tensor<2x7x1xi64>
  %columns = rlx.reshape %segments : tensor<2x7xi64> -> tensor<2x1x7xi64>
  %mask = rlx.compare le %columns, %rows : (tensor<2x1x7xi64>, tensor<2x7x1xi64>) -> tensor<2x7x7xi1>
  %y = rlx.where %mask, %x, %zero : (tensor<2x7x7xi1>, tensor<2x7x7xf32>, tensor<f32>) -> tensor<2x7x7xf32>
  func.return %y : tensor<2x7x7xf32>
}"""


def test_f21_a_mask_of_constants_is_a_constant():
    module = parse(MASK)
    HoistPreparePass().apply(context(), module)
    module.verify()
    names = Counter(op.name for op in module.walk() if op.name.startswith(("rlx.", "arith.")))
    assert names == {"arith.constant": 2, "rlx.where": 1}
    x = np.random.default_rng(0).standard_normal((2, 7, 7)).astype(np.float32)
    np.testing.assert_array_equal(run(module, "main", [x])["y"], run(parse(MASK), "main", [x])["y"])


@pytest.mark.parametrize("target", ["cpu", "cuda", "rocm", "wgpu", "metal", "mlx", "tpu"])
def test_f21_it_is_one_behind_the_fusions_of_every_target(target: str):
    module = parse(MASK)
    for one in (*build_pipeline(target, stage="fuse", origin="rlx"), HoistPreparePass()):
        one.apply(context(), module)
    assert len([op for op in module.walk() if op.name.startswith("rlx.") and op.name != "rlx.yield"]) <= 2


LARGE = """
func.func @main(%x: tensor<{n}xf32> {{rlx.input = "x"}}) -> (tensor<{n}xf32> {{rlx.output = "y"}}) {{
  %places = rlx.iota axis(0) : tensor<{n}xf32>
  %sums = rlx.cumsum %places axis(0) : tensor<{n}xf32>
  %y = rlx.binary add %x, %sums : (tensor<{n}xf32>, tensor<{n}xf32>) -> tensor<{n}xf32>
  func.return %y : tensor<{n}xf32>
}}"""


@pytest.mark.parametrize(("n", "kept"), [(1 << 14, 0), ((1 << 14) + 1, 1)])
def test_f21_large_ones_are_computed_when_the_program_is_loaded(n: int, kept: int):
    module = parse(LARGE.format(n=n))
    HoistPreparePass().apply(context(), module)
    assert sum(op.name == "rlx.cumsum" for op in module.walk()) == kept
    assert len(list(module.body.block.ops)) == 1 + kept
