"""The models of the `onnx` package that PyTorch and others once wrote, with their inputs and outputs."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tools import need_module

from rlx_dialect.reference import Array, run
from rlx_passes.core.errors import InputError
from rlx_passes.frontends.onnx.importer import OPSETS, import_model
from rlx_passes.frontends.onnx.protobuf import model_of

need_module("onnx")

DATA = Path(importlib.import_module("onnx").__file__ or "").parent / "backend" / "test" / "data"
FOLDERS = [
    path.parent
    for group in ("pytorch-converted", "pytorch-operator", "simple")
    for path in DATA.glob(f"{group}/*/model.onnx")
]
RUN_TIME_SHAPE = "whether a dim is stretched or has that size already is known at run time only"
SEQUENCES = "no rule reads .*Sequence"
REFUSED = {
    **dict.fromkeys((f"test_PReLU_{rank}d_multiparam" for rank in (1, 2, 3)), "rhs .* do not broadcast"),
    **dict.fromkeys((f"test_expand_shape_model{i}" for i in range(1, 5)), RUN_TIME_SHAPE),
    **dict.fromkeys((f"test_sequence_model{i}" for i in range(1, 9)), SEQUENCES),
    **dict.fromkeys(("test_gradient_of_add", "test_gradient_of_add_and_mul"), r"training\.Gradient"),
}
"""What the importer says, by folder: shapes as inputs, sequences, training, a slope only op set 6 stretched."""


def model_in(folder: Path) -> Any:
    """The model, brought to an op set that is read."""
    onnx: Any = importlib.import_module("onnx")
    model = onnx.load(folder / "model.onnx")
    old = any(each.domain == "" and each.version < OPSETS.start for each in model.opset_import)
    return onnx.version_converter.convert_version(model, 13) if old else model


def recorded(folder: Path, kind: str) -> list[Array]:
    onnx: Any = importlib.import_module("onnx")
    tensors = list[Array]()
    for at in range(len(list(folder.glob(f"{kind}_*.pb")))):
        tensor = onnx.TensorProto()
        tensor.ParseFromString((folder / f"{kind}_{at}.pb").read_bytes())
        tensors.append(onnx.numpy_helper.to_array(tensor))
    return tensors


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_model_gives_the_recorded_outputs(folder: Path):
    model = model_in(folder)
    if folder.name in REFUSED or folder.name.startswith("test_strnorm"):
        with pytest.raises(InputError, match=REFUSED.get(folder.name, "element type string has no counterpart")):
            import_model(model_of(model, folder.name))
        return
    program = import_model(model_of(model, folder.name))
    names = [each.name for each in model.graph.input]
    for data in sorted(folder.glob("test_data_set_*")):
        # A weight may be an input with a stored value, and the data has it too.
        given = {
            name: array
            for name, array in zip(names, recorded(data, "input"))
            if name not in {each.name for each in model.graph.initializer}
        }
        got = run(program.module, "main", {**given, **program.params})
        for actual, expected in zip(got.values(), recorded(data, "output"), strict=True):
            assert (actual.dtype, actual.shape) == (expected.dtype, expected.shape)
            np.testing.assert_allclose(actual, expected, rtol=1e-3, atol=1e-5)


def test_all_models_are_there():
    assert len(FOLDERS) > 100
    assert set(REFUSED) <= {folder.name for folder in FOLDERS}
