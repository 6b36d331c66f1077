"""Protobuf messages as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from rlx_dialect.dtypes import element_type as attribute_of
from rlx_dialect.dtypes import numpy_dtype
from rlx_passes.errors import InputError, RlxError
from rlx_passes.frontend.onnx.dtypes import element_type
from rlx_passes.frontend.onnx.model import (
    Array,
    Attribute,
    FunctionDef,
    GraphDef,
    ModelDef,
    NodeDef,
    Reference,
    ValueDef,
)


def read_model(path: Path) -> ModelDef:
    """The model in a file. Raises `InputError` for one that is no model of the format, or a damaged one."""
    onnx = _package()
    try:
        data = path.read_bytes()
    except OSError as problem:
        raise InputError(f"{path}: cannot be read: {problem.strerror or problem}") from None
    message = onnx.ModelProto()
    try:
        message.ParseFromString(data)
    except Exception as problem:
        raise InputError(f"{path}: not an ONNX model, or a damaged one: {problem}") from None
    return model_of(message, str(path))


def model_of(message: Any, file: str) -> ModelDef:
    """A `ModelProto` as plain data; `file` is what messages call it."""
    try:
        functions = {(each.domain, each.name): _function(each) for each in message.functions}
        return ModelDef(file, _graph(message.graph), _opsets(message), functions)
    except RlxError as problem:
        raise InputError(f"{file}: {problem}") from None


def _package() -> Any:
    try:
        import onnx
    except ImportError:
        raise InputError("ONNX models are read by the package onnx: pip install 'rlx-dialect[onnx]'") from None
    return onnx


def _opsets(message: Any) -> Mapping[str, int]:
    return {_domain(each.domain): each.version for each in message.opset_import}


def _domain(name: str) -> str:
    return "" if name == "ai.onnx" else name


def _graph(message: Any) -> GraphDef:
    initializers = {each.name: array_of(each) for each in message.initializer}
    return GraphDef(
        message.name,
        [_value(each) for each in message.input],
        [each.name for each in message.output],
        initializers,
        [_node(each) for each in message.node],
    )


def _function(message: Any) -> FunctionDef:
    attributes: dict[str, Attribute | None] = dict.fromkeys(message.attribute)
    attributes.update((each.name, _attribute(each)) for each in message.attribute_proto)
    nodes = [_node(each) for each in message.node]
    return FunctionDef(list(message.input), list(message.output), attributes, nodes, _opsets(message))


def _node(message: Any) -> NodeDef:
    attributes = {each.name: _attribute(each) for each in message.attribute}
    domain = _domain(message.domain)
    return NodeDef(message.op_type, domain, message.name, list(message.input), list(message.output), attributes)


def _value(message: Any) -> ValueDef:
    kind = message.type.WhichOneof("value")
    if kind not in ("tensor_type", None):
        raise RlxError(f"'{message.name}' is a {kind.removesuffix('_type')}; only tensors are read")
    tensor = message.type.tensor_type
    dims = tuple(_dim(each) for each in tensor.shape.dim)
    return ValueDef(message.name, element_type(tensor.elem_type), dims)


def _dim(message: Any) -> int | str | None:
    match message.WhichOneof("value"):
        case "dim_value":
            return message.dim_value
        case "dim_param":
            return message.dim_param or None
        case _:
            return None


def _attribute(message: Any) -> Attribute:
    if message.ref_attr_name:
        return Reference(message.ref_attr_name)
    types = message.AttributeType
    match message.type:
        case types.FLOAT:
            return message.f
        case types.INT:
            return message.i
        case types.STRING:
            return message.s.decode(errors="replace")
        case types.TENSOR:
            return array_of(message.t)
        case types.GRAPH:
            return _graph(message.g)
        case types.FLOATS:
            return list(message.floats)
        case types.INTS:
            return list(message.ints)
        case types.STRINGS:
            return [each.decode(errors="replace") for each in message.strings]
        case other:
            raise RlxError(f"attribute '{message.name}' is of a type that is not read ({types.Name(other)})")


def array_of(message: Any) -> Array:
    """The contents of a `TensorProto`."""
    from onnx import numpy_helper

    name = element_type(message.data_type)
    array: Array = np.asarray(numpy_helper.to_array(message))
    return array.astype(numpy_dtype(attribute_of(name)), copy=False)
