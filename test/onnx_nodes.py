"""Models of one node, imported and run through the reference, against what ONNX Runtime gives for them."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from tools import need_module

from rlx_dialect.reference import Array, run
from rlx_passes.frontends.onnx.importer import import_model
from rlx_passes.frontends.onnx.protobuf import model_of


@dataclass(frozen=True, eq=False)
class NodeCase:
    """
    A node: its op, what each of its inputs holds (None where left out), which of its outputs are read, its attributes.

    `opset` is the version of the default op set. Those of `stored` are not inputs of the model, but stored in it; the
    dims of those of `fixed` are always known.
    """

    name: str
    op: str
    inputs: Sequence[Array | None]
    outputs: Sequence[int] = (0,)
    attributes: Mapping[str, Any] = field(default_factory=dict[str, Any])
    opset: int = 17
    domain: str = ""
    stored: Sequence[int] = ()
    fixed: Sequence[int] = ()

    def given(self) -> dict[str, Array]:
        """What the model is called with."""
        every = enumerate(self.inputs)
        return {f"x{at}": each for at, each in every if each is not None and at not in self.stored}

    def message(self, *, symbolic: bool = False) -> Any:
        """The `ModelProto`. If `symbolic`, only a run knows sizes on the axes of `NAMED`; equal sizes have one name."""
        onnx: Any = importlib.import_module("onnx")
        helper, array_of = onnx.helper, onnx.numpy_helper.from_array
        names = ["" if each is None else f"x{at}" for at, each in enumerate(self.inputs)]
        fixed = {f"x{at}" for at in self.fixed}
        outputs = [f"y{at}" if at in self.outputs else "" for at in range(max(self.outputs) + 1)]
        node = helper.make_node(self.op, names, outputs, domain=self.domain, **self.attributes)
        type_of = helper.np_dtype_to_tensor_dtype
        inputs = [
            helper.make_tensor_value_info(name, type_of(array.dtype), _dims(array, symbolic and name not in fixed))
            for name, array in self.given().items()
        ]
        results = [onnx.ValueInfoProto(name=f"y{at}") for at in self.outputs]
        stored = [array_of(self.inputs[at], f"x{at}") for at in self.stored]
        graph = helper.make_graph([node], self.name, inputs, results, stored)
        opsets = [helper.make_opsetid("", self.opset)]
        opsets += [helper.make_opsetid(self.domain, 1)] if self.domain else []
        return helper.make_model(graph, opset_imports=opsets, ir_version=8)

    def imported(self, *, symbolic: bool = False) -> list[Array]:
        """What the imported model gives. Raises `InputError` where the importer refuses it."""
        program = import_model(model_of(self.message(symbolic=symbolic), self.name))
        got = run(program.module, "main", {**self.given(), **program.params})
        return [got[f"y{at}"] for at in self.outputs]

    def expected(self) -> list[Array]:
        """What ONNX Runtime gives on one thread. Skips the calling test where it is absent."""
        need_module("onnxruntime")
        runtime: Any = importlib.import_module("onnxruntime")
        options = runtime.SessionOptions()
        options.intra_op_num_threads = 1  # on several each takes some rows, and quantises them alone
        model, providers = self.message().SerializeToString(), ["CPUExecutionProvider"]
        return runtime.InferenceSession(model, options, providers=providers).run(None, self.given())

    def check(self, *, symbolic: bool = False) -> None:
        """Both give the same, to the digits of f32."""
        for actual, wanted in zip(self.imported(symbolic=symbolic), self.expected(), strict=True):
            assert (actual.dtype, actual.shape) == (wanted.dtype, wanted.shape)
            np.testing.assert_allclose(actual, wanted, rtol=2e-5, atol=2e-5)


NAMED: Mapping[int, Sequence[int]] = {0: (), 1: (0,), 2: (0,), 3: (0, 1), 4: (0, 2), 5: (1, 3)}
"""Of an input of so many dims, those of the batch and of the positions."""


def _dims(array: Array, symbolic: bool) -> list[int | str]:
    named = NAMED[array.ndim] if symbolic else ()
    return [f"n{size}" if axis in named and size != 1 else size for axis, size in enumerate(array.shape)]
