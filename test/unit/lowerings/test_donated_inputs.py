"""Inputs that are given up keep their results through passes, in bundles and in reports."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest
from programs import context, parse
from tools import need_module, need_program

from rlx_dialect.signature import donations_of, find_function, keep_results
from rlx_passes import build_pipeline, compile, from_torch
from rlx_passes.codegen.entries import entry_specs
from rlx_passes.reading.dialects import tool_context
from rlx_passes.reading.parsing import parse as read
from rlx_passes.reading.source import Source

CACHE = """
func.func @main(%x: tensor<2x4xf32> {rlx.input = "x"}, %w: tensor<4xf32> {rlx.param = "w"},
    %c: tensor<4x4xf32> {rlx.input = "c", rlx.donate = 1 : i64}, %i: tensor<i64> {rlx.input = "i"},
    %m: tensor<2x4xi1> {rlx.input = "m", rlx.donate = 2 : i64})
    -> (tensor<2xf32> {rlx.output = "s"}, tensor<4x4xf32> {rlx.output = "c"}, tensor<2x4xi1> {rlx.output = "m"}) {
  %e = rlx.activation exp %w : tensor<4xf32>
  %z = arith.constant dense<0> : tensor<i64>
  %s = rlx.reduce sum %x axes [1] : tensor<2x4xf32> -> tensor<2xf32>
  %y = rlx.binary mul %x, %e : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %n = rlx.dynamic_update_slice %c, %y starts(%i, %z)
      : (tensor<4x4xf32>, tensor<2x4xf32>, tensor<i64>, tensor<i64>) -> tensor<4x4xf32>
  %l = rlx.logical_not %m : tensor<2x4xi1>
  func.return %s, %n, %l : tensor<2xf32>, tensor<4x4xf32>, tensor<2x4xi1>
}"""


@pytest.mark.parametrize("target", ["cpu", "cuda", "rocm", "wgpu", "metal", "mlx", "tpu"])
def test_f22_every_pass_keeps_them(target: str):
    if target in ("cuda", "rocm", "wgpu", "metal"):
        need_program("mlir-opt-22", "mlir-opt")
    module = parse(CACHE)
    for one in build_pipeline(target, stage="lower", origin="rlx"):
        one.apply(context(), module)
    (entry,) = entry_specs(module)
    assert entry.donated == {"c": "c", "m": "m"}


def test_f22_the_bundle_says_so_and_runs():
    need_module("llvmlite")
    program = compile(CACHE, "cpu", origin="rlx").load({"w": np.zeros(4, np.float32)})
    assert program.entry.donated == {"c": "c", "m": "m"}
    header = program.bundle.read("program.h").decode()
    assert '/* Input "c" is written over; no copy if output "c" has its address. */' in header.replace("'", '"')
    cache = np.zeros((4, 4), np.float32)
    x, mask = np.ones((2, 4), np.float32), np.zeros((2, 4), np.bool_)
    outputs = program({"x": x, "c": cache, "i": np.array(1), "m": mask})
    assert outputs["c"].sum(axis=1).tolist() == [0, 4, 4, 0]
    assert outputs["c"] is cache
    assert outputs["m"] is mask
    assert mask.all()


def test_f22_what_cannot_be_written_over_is_copied():
    need_module("llvmlite")
    program = compile(CACHE, "cpu", origin="rlx").load({"w": np.zeros(4, np.float32)})
    inputs = {"x": np.ones((2, 4), np.float32), "i": np.array(1), "m": np.zeros((2, 4), np.bool_)}
    expected = [[0] * 4, [1] * 4, [1] * 4, [0] * 4]
    constant = np.zeros((4, 4), np.float32)
    constant.flags.writeable = False
    outputs = program({**inputs, "c": constant})
    assert outputs["c"].tolist() == expected
    assert not constant.any()

    whole = np.zeros((6, 4), np.float32)
    whole[4:] = 1
    shared = program({**inputs, "c": whole[2:], "x": whole[4:]})["c"]  # x is memory of c
    assert shared.tolist() == [[0] * 4, [1] * 4, [1] * 4, [1] * 4]
    assert whole[:4].sum() == 0

    other = np.full((4, 4), 7, np.float32)
    cache = np.zeros((4, 4), np.float32)
    outputs = program({**inputs, "c": cache}, out={"c": other})
    assert outputs["c"] is other
    assert other.tolist() == expected
    outputs = program({**inputs, "c": cache}, out={"c": cache})
    assert outputs["c"] is cache
    outputs = program({**inputs, "c": cache}, out={"s": cache[0, :2]})  # s is memory of c
    assert cache[0, :2].tolist() == [4, 4]
    assert outputs["c"].tolist() == expected


def test_f22_a_result_that_goes_takes_its_donor_along():
    func = find_function(parse(CACHE))
    keep_results(func, [2, 0])
    assert donations_of(func) == {4: 0}
    keep_results(func, [1])
    assert donations_of(func) == {}


def test_f22_buffers_that_jax_donates():
    need_module("jax")
    jax: Any = importlib.import_module("jax")

    def step(x: Any, cache: Any, i: Any) -> Any:
        return x.sum(), jax.lax.dynamic_update_slice(cache, x, (i, 0))

    arguments = np.ones((1, 4), np.float32), np.zeros((3, 4), np.float32), np.array(1, np.int32)
    text = jax.jit(step, donate_argnums=(1,)).lower(*arguments).as_text()
    module = read(tool_context(), Source("step", text))
    for one in build_pipeline("cpu", stage="fuse"):
        one.apply(context(), module)
    assert donations_of(find_function(module, "main")) == {1: 1}


def test_f22_inputs_that_pytorch_writes_to():
    need_module("torch")
    torch: Any = importlib.import_module("torch")

    class Step(torch.nn.Module):
        def forward(self, k: Any, kv: Any, pos: Any, seen: Any) -> Any:
            kv.index_copy_(2, pos, k)
            seen[:, 0] = seen[:, 0] + 1
            return {"keys": kv * 2, "seen": seen}

    arguments = torch.randn(2, 3, 1, 4), torch.zeros(2, 3, 5, 4), torch.tensor([2]), torch.zeros(2, 3)
    inputs = {name: value.numpy().copy() for name, value in zip(("k", "kv", "pos", "seen"), arguments)}
    imported = from_torch(Step(), arguments)
    assert donations_of(find_function(imported.module)) == {1: 2, 3: 3}
    need_module("llvmlite")
    program = compile(imported.module, "cpu", origin="rlx")
    assert program.entry.donated == {"kv": "kv", "seen": "seen.new"}
    outputs = program(inputs)
    returned = Step()(*arguments)
    assert outputs.keys() == {"keys", "seen", "kv", "seen.new"}
    for name, expected in {**returned, "kv": arguments[1], "seen.new": arguments[3]}.items():
        np.testing.assert_allclose(outputs[name], expected.numpy())
