"""ONNX files as they come: one BERT as four exports, and well-known networks, with sizes known on import or not."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tools import need_module

from rlx_dialect.reference import Array, run
from rlx_dialect.shapes import shaped
from rlx_dialect.signature import DIMS, find_function
from rlx_passes.frontends.imported import Imported
from rlx_passes.frontends.onnx.importer import import_model
from rlx_passes.frontends.onnx.protobuf import model_of, read_model

need_module("onnx")

HERE = Path(__file__).parent
LIMIT = 1e-5
EXPORTS = [f"bert_tiny_{attention}_{exporter}" for attention in ("eager", "sdpa") for exporter in ("ts", "dynamo")]
STATIC = {"b": 2, "s": 16}


def recorded(export: str) -> dict[str, Array]:
    """The inputs and the hidden states of an export."""
    return dict(np.load(HERE / f"{export.rsplit('_', 1)[0]}.npz"))


def imported(export: str, dims: dict[str, int]) -> Imported:
    return import_model(read_model(HERE / f"{export}.onnx"), dims=dims)


def hidden_states(program: Imported, inputs: dict[str, Array]) -> Array:
    (states,) = run(program.module, "main", {**inputs, **program.params}).values()
    return states


@pytest.mark.parametrize("dims", [{}, {"b": 2}, {"s": 16}, STATIC], ids=str)
@pytest.mark.parametrize("export", EXPORTS)
def test_export_gives_the_recorded_states(export: str, dims: dict[str, int]):
    inputs = recorded(export)
    expected, seen = inputs.pop("out"), inputs["attention_mask"] == 1
    states = hidden_states(imported(export, dims), inputs)
    assert states.dtype == expected.dtype
    np.testing.assert_allclose(states[seen], expected[seen], rtol=0, atol=LIMIT)


@pytest.mark.parametrize("export", EXPORTS)
def test_sizes_known_at_run_time_are_any(export: str):
    """Three rows of seven tokens, the last of which are padding in some."""
    rng = np.random.default_rng(5)
    mask = np.arange(7) < np.array([7, 4, 5])[:, None]
    inputs: dict[str, Array] = {
        "input_ids": rng.integers(0, 97, (3, 7)),
        "attention_mask": mask.astype(np.int64),
        "token_type_ids": rng.integers(0, 2, (3, 7)),
    }
    open_sizes = hidden_states(imported(export, {}), inputs)
    known_sizes = hidden_states(imported(export, {"b": 3, "s": 7}), inputs)
    assert np.array_equal(open_sizes, known_sizes)


@pytest.mark.parametrize("export", EXPORTS)
def test_sizes_are_reckoned_on_import(export: str):
    """Shapes leave no op but the reads of the two sizes; of known sizes there is none at all."""
    ops = [op.name for op in imported(export, {}).module.walk()]
    assert ops.count("tensor.dim") == 2
    assert not {"arith.divui", "tensor.extract"} & set(ops)
    known = {op.name for op in imported(export, STATIC).module.walk()}
    assert not {name for name in known if name.startswith("tensor.")}
    assert "rlx.iota" not in known


@pytest.mark.parametrize("export", EXPORTS)
def test_arguments_name_their_dims(export: str):
    func = find_function(imported(export, {}).module, "main")
    assert func.arg_attrs is not None
    named = [attrs.data[DIMS] for attrs in func.arg_attrs if DIMS in attrs.data]
    assert [str(each) for each in named] == ['["b", "s"]'] * 3


NETWORKS = {
    "bvlc_alexnet": (1000,),
    "densenet121": (1000, 1, 1),
    "inception_v1": (1000,),
    "inception_v2": (1000,),
    "resnet50": (1000,),
    "shufflenet": (1000,),
    "squeezenet": (1000, 1, 1),
    "vgg19": (1000,),
    "zfnet512": (1000,),
}
"""Graphs of the onnx package with constants of one number as weights, and the dims they give for an image."""


def network(name: str, *, batch: str | None) -> tuple[Imported, str]:
    """The program, for one image or for a `batch` of them, and the name of its input."""
    onnx: Any = importlib.import_module("onnx")
    message = onnx.load(light(f"{name}.onnx"))
    stored = {each.name for each in message.graph.initializer}
    (image,) = (each for each in message.graph.input if each.name not in stored)
    if batch is not None:
        image.type.tensor_type.shape.dim[0].dim_param = batch
    return import_model(model_of(message, name)), image.name


def light(name: str) -> Path:
    onnx: Any = importlib.import_module("onnx")
    return Path(onnx.__file__).parent / "backend" / "test" / "data" / "light" / f"light_{name}"


@pytest.mark.parametrize("name", NETWORKS)
def test_network_is_read(name: str):
    program, _ = network(name, batch=None)
    returned = find_function(program.module, "main").get_return_op()
    assert returned is not None
    (result,) = returned.operands
    assert shaped(result).dims == (1, *NETWORKS[name])


@pytest.mark.parametrize("name", ["densenet121", "shufflenet", "squeezenet"])
def test_network_gives_the_recorded_scores(name: str):
    onnx: Any = importlib.import_module("onnx")
    tensor = onnx.TensorProto()
    tensor.ParseFromString(light(f"{name}_output_0.pb").read_bytes())
    program, argument = network(name, batch="n")
    count = 3 * 224 * 224
    image = (np.arange(count).reshape(1, 3, 224, 224) / count).astype(np.float32)
    (scores,) = run(program.module, "main", {argument: image, **program.params}).values()
    np.testing.assert_allclose(scores, onnx.numpy_helper.to_array(tensor), rtol=1e-5, atol=1e-6)
