"""What tests of real ONNX files share: where they are, what ONNX Runtime gives for them, what a program contains."""

from __future__ import annotations

import importlib
import importlib.util
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from real_models import Model, through
from tools import need_module
from xdsl.dialects.builtin import ModuleOp

from rlx_dialect.ops import ActivationOp, FusedConvBiasActOp, FusedMatMulBiasActOp
from rlx_dialect.reference import Array, run
from rlx_passes import from_onnx
from rlx_passes.frontends.imported import Imported

LIMIT = 1e-5
"""The largest error of an output, relative to its norm."""


def packaged(package: str, *parts: str) -> Path:
    """A file of a package, which is not imported: what it needs itself need not be there."""
    need_module(package)
    spec = importlib.util.find_spec(package)
    folders = (spec and spec.submodule_search_locations) or []
    return Path(folders[0], *parts)


class Session:
    """ONNX Runtime on a model as it is written, without optimisations of its own."""

    def __init__(self, model: Path | bytes):
        need_module("onnxruntime")
        runtime: Any = importlib.import_module("onnxruntime")
        options = runtime.SessionOptions()
        options.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.log_severity_level = 3
        source = str(model) if isinstance(model, Path) else model
        self._session = runtime.InferenceSession(source, options, providers=["CPUExecutionProvider"])

    def __call__(self, inputs: Mapping[str, Array]) -> dict[str, Array]:
        names = [output.name for output in self._session.get_outputs()]
        return dict(zip(names, self._session.run(names, dict(inputs)), strict=True))


def model_of(program: Imported, inputs: Mapping[str, Array], outputs: Mapping[str, Array]) -> Model:
    return Model(program.module, "rlx", dict(program.params), dict(inputs), dict(outputs))


def imported(
    path: Path,
    inputs: Mapping[str, Array],
    dims: Mapping[str, int] | None = None,
    values: Mapping[str, float] | None = None,
) -> Model:
    """The model in a file with the inputs that it still has, and what ONNX Runtime gives for all of them."""
    program = from_onnx(path, dims=dims, values=values)
    left = {name: value for name, value in inputs.items() if name not in (values or {})}
    return model_of(program, left, Session(path)(inputs))


def forms(model: Model) -> dict[str, ModuleOp]:
    """The program as imported and as fused for a target with convolution epilogues, and for one without."""
    return {"imported": model.module, **{target: through(model, target, "fuse") for target in ("cuda", "cpu")}}


def show_scores(model: Any) -> None:
    """What the last softmax or sigmoid of a `ModelProto` makes probabilities of becomes an output, the last."""
    onnx: Any = importlib.import_module("onnx")
    *_, last = (node for node in model.graph.node if node.op_type in ("Softmax", "Sigmoid"))
    model.graph.output.append(onnx.ValueInfoProto(name=last.input[0]))


def assert_gives(model: Model, module: ModuleOp, limits: Mapping[str, float] | None = None) -> None:
    """The reference agrees with ONNX Runtime on the inputs of the model; `limits` by output where `LIMIT` is not it."""
    got = run(module, "main", {**model.params, **model.inputs})
    assert got.keys() == model.outputs.keys()
    for name, expected in model.outputs.items():
        assert (got[name].dtype, got[name].shape) == (expected.dtype, expected.shape)
        assert relative_error(got[name], expected) <= (limits or {}).get(name, LIMIT)


def relative_error(got: Array, expected: Array) -> float:
    difference = got.astype(np.float64) - expected
    return float(np.linalg.norm(difference) / np.linalg.norm(expected.astype(np.float64)))


def found(module: ModuleOp) -> Counter[str]:
    """The ops of the dialect by name, with activations, and for a fused convolution whether it takes a residual."""
    return Counter(_title(op) for op in module.walk() if op.name.startswith("rlx."))


def _title(op: Any) -> str:
    words = [op.name.removeprefix("rlx.")]
    if isinstance(op, ActivationOp):
        return op.kind.data
    if isinstance(op, FusedConvBiasActOp) and op.residual is not None:
        words.append("residual")
    if isinstance(op, FusedConvBiasActOp | FusedMatMulBiasActOp) and op.activation is not None:
        words.append(op.activation.data)
    return " ".join(words)


def those_of(counts: Counter[str], *prefixes: str) -> dict[str, int]:
    """The counts of the ops whose title starts with one of `prefixes`."""
    return {title: count for title, count in sorted(counts.items()) if title.split()[0] in prefixes}
