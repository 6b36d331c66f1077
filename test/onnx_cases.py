"""
The single-op cases of the `onnx` package, run through the reference: values that nobody here worked out.

A chapter maps an op type to an adapter, which builds the node in a `Graph`. A case that an adapter cannot express raises `Unsupported`
with the reason; each chapter lists those.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from tools import need_module

from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.dtypes import DTYPES, numpy_dtype
from rlx_dialect.reference import Array, run

_PACKAGE = "onnx.backend.test.case.node"
_NAMES: Mapping[Any, str] = {numpy_dtype(dtype.type): name for name, dtype in DTYPES.items()}
_TOLERANCES: Mapping[Any, float] = {
    np.dtype(np.float64): 1e-9,
    np.dtype(np.float32): 2e-5,
    np.dtype(np.float16): 2e-3,
    np.dtype(ml_dtypes.bfloat16): 1.6e-2,
    np.dtype(ml_dtypes.float8_e4m3fn): 1e-9,
    np.dtype(ml_dtypes.float8_e5m2): 1e-9,
}


class Unsupported(Exception):
    """What of a case the dialect has no op for."""


@dataclass(frozen=True)
class Node:
    """
    A node in a graph: `inputs` holds None where the node leaves one out, `arrays` what runs through them, `outputs` the names of what it
    gives, empty where nobody reads it.
    """

    op_type: str
    attributes: Mapping[str, Any]
    inputs: Sequence[Tensor | None]
    arrays: Sequence[Array | None]
    outputs: Sequence[str]

    def required(self, at: int) -> Tensor:
        """Input `at`. Raises `Unsupported` where the node leaves it out."""
        tensor = self.optional(at)
        if tensor is None:
            raise Unsupported(f"input {at} is left out")
        return tensor

    def optional(self, at: int) -> Tensor | None:
        return self.inputs[at] if at < len(self.inputs) else None

    def constant(self, at: int) -> Array | None:
        """The value of an input that an op of the dialect wants as an attribute."""
        return self.arrays[at] if at < len(self.arrays) else None


Adapter = Callable[[Graph, Node], Tensor | Sequence[Tensor]]
"""Builds a node; its result or results, of which later ones of the case may be left out."""


@dataclass(frozen=True)
class Case:
    """One node with its inputs and the outputs they give."""

    name: str
    op_type: str
    attributes: Mapping[str, Any]
    inputs: Sequence[Array | None]
    outputs: Sequence[Array]
    names: Sequence[str]

    def check(self, adapter: Adapter, tolerance: float | None = None) -> None:
        """
        Build the node, run it, compare, to the digits of the element type unless told. Raises `Unsupported` where the dialect cannot
        express it.
        """
        graph = Graph("case")
        arrays = {f"x{i}": array for i, array in enumerate(self.inputs) if array is not None}
        tensors = {name: graph.input(name, array.shape, _name_of(array)) for name, array in arrays.items()}
        given = [tensors.get(f"x{i}") for i in range(len(self.inputs))]
        node = Node(self.op_type, self.attributes, given, self.inputs, self.names)
        built = adapter(graph, node)
        results = [built] if isinstance(built, Tensor) else list(built)
        for i, result in enumerate(results):
            graph.output(f"y{i}", result)
        got = run(graph.module(), "case", arrays)
        for i, expected in enumerate(self.outputs[: len(results)]):
            actual = got[f"y{i}"]
            assert (actual.dtype, actual.shape) == (expected.dtype, expected.shape)
            digits = _TOLERANCES.get(expected.dtype, 0.0) if tolerance is None else tolerance
            wide = np.float64 if digits else expected.dtype
            np.testing.assert_allclose(actual.astype(wide), expected.astype(wide), rtol=digits, atol=digits)


def check(case: Case, adapters: Mapping[str, Adapter], unsupported: Mapping[str, str]) -> None:
    """The case holds, or it is one of `unsupported` and fails for the reason that stands there."""
    adapter = adapters[case.op_type]
    if case.name not in unsupported:
        case.check(adapter)
        return
    with pytest.raises(Unsupported) as refused:
        case.check(adapter)
    assert str(refused.value) == unsupported[case.name]


def cases(module: str, *op_types: str) -> list[Case]:
    """
    The cases of a module of the `onnx` package, of the named op types or of all, without those that are the expansion of another.

    Skips the calling module where the package is absent.
    """
    need_module("onnx")
    package: Any = importlib.import_module(_PACKAGE)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the cases divide by zero and overflow on purpose
        importlib.import_module(f"{_PACKAGE}.{module}")
    # The public `collect_testcases` works out every case of every op, which takes ten seconds.
    made = [_case(each) for each in package._NodeTestCases if "_expanded" not in each.name]
    return [case for case in made if not op_types or case.op_type in op_types]


def _case(made: Any) -> Case:
    onnx: Any = importlib.import_module("onnx")
    (node,) = made.model.graph.node
    ((given, outputs),) = made.data_sets
    values = iter(map(_array, given))
    attributes = {each.name: _plain(onnx.helper.get_attribute_value(each)) for each in node.attribute}
    inputs = [next(values) if name else None for name in node.input]
    return Case(made.name, node.op_type, attributes, inputs, list(map(_array, outputs)), list(node.output))


def _array(value: Any) -> Any:
    """Elements that NumPy has no type for come as a message of the format; sequences and text stay as they are."""
    onnx: Any = importlib.import_module("onnx")
    return onnx.numpy_helper.to_array(value) if isinstance(value, onnx.TensorProto) else value


def _plain(value: Any) -> Any:
    """An attribute with text in place of bytes."""
    return value.decode() if isinstance(value, bytes) else value


def _name_of(array: Any) -> str:
    """The element type of an input; sequences and text have none."""
    name = _NAMES.get(getattr(array, "dtype", None))
    if name is None:
        raise Unsupported("element type")
    return name
