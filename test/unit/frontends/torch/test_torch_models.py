"""Whole models of PyTorch: read, raised and fused for every target, with PyTorch's values throughout."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pytest
from tools import need_module
from torch_cases import floats, integers
from torch_models import Bert, CellLoop, LlamaBlock, ResidualBlock, encoder
from torch_oracle import arguments, array, results_of, torch
from xdsl.dialects.builtin import ModuleOp

from rlx_dialect.ops import FusedMatMulBiasActOp
from rlx_dialect.reference import Array
from rlx_passes import compile, from_torch
from rlx_passes.frontends.imported import Imported
from rlx_passes.pipeline.stages import Stage, build_pipeline
from rlx_passes.reading.dialects import tool_context

TARGETS = ("cpu", "metal", "mlx", "wgpu", "cuda", "rocm", "tpu")

IDS, MASK = integers(2, 7, low=0, high=31), torch.tensor([[1] * 7, [1, 1, 1, 1, 0, 0, 0]])

MODELS: dict[str, tuple[Callable[[], Any], Sequence[Any]]] = {
    "bert": (lambda: Bert(eager=False), [IDS, MASK]),
    "bert_eager": (lambda: Bert(eager=True), [IDS, MASK]),
    "encoder": (lambda: encoder(norm_first=False), [floats(2, 7, 16)]),
    "encoder_norm_first": (lambda: encoder(norm_first=True), [floats(2, 7, 16)]),
    "llama": (LlamaBlock, [floats(2, 7, 32)]),
    "llama_eager": (lambda: LlamaBlock(eager=True), [floats(2, 7, 32)]),
    "llama_rms_norm": (lambda: LlamaBlock(own_norm=False), [floats(2, 7, 32)]),
    "resnet": (ResidualBlock, [floats(2, 3, 16, 16)]),
    "lstm_cells": (lambda: CellLoop("LSTMCell"), [floats(2, 4, 5)]),
    "gru_cells": (lambda: CellLoop("GRUCell"), [floats(2, 4, 5)]),
}

FUSED = {
    "bert": {
        "attention": 2,
        "fused_matmul_bias_act": 12,
        "gelu": 2,
        "fused_residual_ln": 4,
        "layer_norm": 1,
        "matmul": 0,
    },
    "encoder": {
        "attention": 2,
        "fused_matmul_bias_act": 8,
        "gelu": 2,
        "fused_residual_ln": 4,
        "layer_norm": 0,
        "matmul": 0,
    },
    "encoder_norm_first": {
        "attention": 2,
        "fused_matmul_bias_act": 8,
        "gelu": 2,
        "fused_residual_ln": 3,
        "layer_norm": 1,
    },
    "llama": {"attention": 1, "rope": 2, "fused_residual_rms_norm": 1, "rms_norm": 1, "softmax": 0},
    "lstm_cells": {"fused_matmul_bias_act": 9, "matmul": 0},
    "gru_cells": {"fused_matmul_bias_act": 9, "matmul": 0},
}
"""
What is left after fusion for every target; `gelu` are epilogues. The first norm of a model has no sum before it, or one
in which a table of places broadcasts.
"""
UNCLAIMED = {"tpu": {"fused_residual_rms_norm": 0, "rms_norm": 2}}
"""What a target does not fuse."""

FUSED["bert_eager"] = FUSED["bert"]
FUSED["llama_eager"] = FUSED["llama_rms_norm"] = FUSED["llama"]


class Read(NamedTuple):
    """A model, the tensors it is given, and what PyTorch makes of them."""

    program: Imported
    inputs: Sequence[Any]
    expected: list[Array]

    def check(self, module: ModuleOp) -> None:
        """The results are PyTorch's to 1e-5, relative to the largest of them."""
        results = results_of(Imported(module, self.program.params), self.inputs)
        assert len(results) == len(self.expected)
        for actual, wanted in zip(results.values(), self.expected):
            assert (actual.dtype, actual.shape) == (wanted.dtype, wanted.shape)
            assert np.max(np.abs(actual - wanted)) <= 1e-5 * max(1.0, np.max(np.abs(wanted)))


@cache
def read(name: str) -> Read:
    make, inputs = MODELS[name]
    model = make().eval()
    with torch.no_grad():
        expected = [array(each) for each in torch.utils._pytree.tree_leaves(model(*inputs))]
    return Read(from_torch(model, tuple(inputs)), inputs, expected)


def through(module: ModuleOp, target: str, stage: Stage) -> ModuleOp:
    result = module.clone()
    for one in build_pipeline(target, stage=stage, origin="rlx"):
        one.apply(tool_context(), result)
    result.verify()
    return result


def kinds(module: ModuleOp) -> Counter[str]:
    """The ops of the dialect by kind, and the products with gelu as epilogue."""
    found = Counter(op.name.removeprefix("rlx.") for op in module.walk() if op.name.startswith("rlx."))
    found["gelu"] = sum(
        isinstance(op, FusedMatMulBiasActOp) and op.activation is not None and op.activation.data == "gelu"
        for op in module.walk()
    )
    return found


@pytest.mark.parametrize("name", MODELS)
def test_values_as_read_and_raised(name: str):
    model = read(name)
    model.check(model.program.module)
    model.check(through(model.program.module, "cpu", "raise"))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", MODELS)
def test_counts_and_values_after_fusion(name: str, target: str):
    model = read(name)
    fused = through(model.program.module, target, "fuse")
    found = kinds(fused)
    wanted = FUSED.get(name, {})
    wanted = {kind: UNCLAIMED.get(target, {}).get(kind, count) for kind, count in wanted.items()}
    assert {kind: found[kind] for kind in wanted} == wanted
    model.check(fused)


@pytest.mark.parametrize(("written", "called"), [("bert_eager", "bert"), ("llama_eager", "llama")])
def test_attention_written_out_is_attention_that_is_called(written: str, called: str):
    """Both raise to the same ops, as many of each."""
    one, other = (through(read(name).program.module, "cpu", "raise") for name in (written, called))
    assert kinds(one) == kinds(other)


def test_convolutions_take_their_norms():
    """A batch norm goes into the weights where a target fuses convolutions."""
    found = kinds(through(read("resnet").program.module, "cuda", "fuse"))
    assert (found["fused_conv_bias_act"], found["conv"], found["batch_norm_inference"]) == (3, 0, 0)


def test_names_of_a_model():
    """Inputs are named by argument, params by parameter, outputs by key; buffers that nothing reads are no params."""
    program = read("bert").program
    assert arguments(program)[:2] == ["ids", "mask"]
    assert set(arguments(program)[2:]) == set(Bert(eager=False).state_dict()) == set(program.params)
    assert list(results_of(program, [IDS, MASK])) == ["hidden", "pooled"]
    assert "bn0.num_batches_tracked" not in read("resnet").program.params
    assert "bn0.running_mean" in read("resnet").program.params


@pytest.mark.parametrize("name", ["bert", "llama", "resnet"])
def test_compiled_for_the_cpu(name: str):
    """With a batch known at run time only, and run on a larger one than it was read with."""
    need_module("llvmlite")
    make, inputs = MODELS[name]
    model = make().eval()
    batch = torch.export.Dim("batch")
    program = from_torch(model, tuple(inputs), dynamic_shapes=tuple({0: batch} for _ in inputs))
    larger = [torch.cat([each, each.flip(0)]) for each in inputs]
    given = dict(zip(arguments(program), map(array, larger)))
    results = compile(program.module, "cpu", origin="rlx").load(program.params)(given)
    with torch.no_grad():
        expected = torch.utils._pytree.tree_leaves(model(*larger))
    for actual, wanted in zip(results.values(), map(array, expected), strict=True):
        assert np.max(np.abs(actual - wanted)) <= 1e-5 * max(1.0, np.max(np.abs(wanted)))
