"""Protobuf messages as plain data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rlx_passes.core.errors import InputError, RlxError, one_line
from rlx_passes.frontends.onnx.dtypes import element_type
from rlx_passes.frontends.onnx.model import (
    Attribute,
    FunctionDef,
    GraphDef,
    ModelDef,
    NodeDef,
    Reference,
    ValueDef,
)
from rlx_passes.frontends.onnx.tensors import array_of

_NO_NAMES = ("", "?", "-1", "None", "unk")

_UNDEFINED = 0
"""`TensorProto.DataType` of a value whose type the model does not say."""


def read_model(path: Path) -> ModelDef:
    """The model in a file. Raises `InputError` for another format, a damaged model, or files outside its folder."""
    onnx = _package()
    try:
        data = path.read_bytes()
    except IsADirectoryError:
        raise InputError(f"{path}: is a directory, not a file") from None
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except (OSError, ValueError) as problem:
        raise InputError(f"{path}: cannot be read: {getattr(problem, 'strerror', None) or problem}") from None
    message = onnx.ModelProto()
    try:
        message.ParseFromString(data)
    except Exception as problem:
        raise InputError(f"{path}: not an ONNX model, or a damaged one: {' '.join(str(problem).split())}") from None
    del data  # as large as the message, which holds its own copy
    if not message.HasField("graph"):
        raise InputError(f"{path}: not an ONNX model: it has no graph")
    return model_of(message, str(path), path.parent)


def model_of(message: Any, file: str, folder: Path | None = None) -> ModelDef:
    """A `ModelProto` as plain data; messages call it `file`, its external data is in `folder`. Raises `InputError`."""
    reader = _Reader(folder)
    try:
        functions = _unique(
            "function", ((f"{_text(each.domain)}.{_text(each.name)}", each) for each in message.functions)
        )
        return ModelDef(
            file,
            reader.graph(message.graph),
            _opsets(message),
            {(_domain(each.domain), _text(each.name)): reader.function(each) for each in functions.values()},
        )
    except RlxError as problem:
        raise InputError(one_line(f"{file}: {problem}")) from None


def function_of_message(message: Any, defaults: Mapping[str, Any]) -> FunctionDef:
    """A `FunctionProto` that no file holds; `defaults` are messages for attributes that a node may leave out."""
    reader = _Reader(None)
    function = reader.function(message)
    given = {name: reader.attribute(each) for name, each in defaults.items()}
    return replace(function, attributes={**function.attributes, **given})


def _package() -> Any:
    try:
        import onnx
    except ImportError:
        raise InputError("ONNX models are read by the package onnx: pip install 'rlx-dialect[onnx]'") from None
    return onnx


def _text(value: Any) -> str:
    """A string of a message, which comes as bytes where it is no UTF-8."""
    if isinstance(value, bytes):
        raise RlxError(f"a name is not UTF-8: {value[:40]}")
    return value


def _opsets(message: Any) -> Mapping[str, int]:
    return {_domain(each.domain): each.version for each in message.opset_import}


def _domain(name: str) -> str:
    return "" if _text(name) == "ai.onnx" else name


def _unique(what: str, named: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, each in named:
        if name in found:
            raise RlxError(f"two {what}s are called '{name}'")
        found[name] = each
    return found


@dataclass(frozen=True)
class _Reader:
    """`folder` is where the files are that tensors may be stored in."""

    folder: Path | None

    def graph(self, message: Any) -> GraphDef:
        if len(message.sparse_initializer):
            raise RlxError("sparse initializers are not read")
        initializers = _unique("initializer", ((_text(each.name), each) for each in message.initializer))
        return GraphDef(
            _text(message.name),
            [_value(each) for each in message.input],
            [_text(each.name) for each in message.output],
            {name: array_of(each, self.folder) for name, each in initializers.items()},
            [self.node(each) for each in message.node],
        )

    def function(self, message: Any) -> FunctionDef:
        attributes: dict[str, Attribute | None] = dict.fromkeys(map(_text, message.attribute))
        attributes.update((_text(each.name), self.attribute(each)) for each in message.attribute_proto)
        nodes = [self.node(each) for each in message.node]
        return FunctionDef(
            [*map(_text, message.input)], [*map(_text, message.output)], attributes, nodes, _opsets(message)
        )

    def node(self, message: Any) -> NodeDef:
        read: dict[str, Attribute] = {}
        definition = NodeDef(
            _text(message.op_type),
            _domain(message.domain),
            _text(message.name),
            [*map(_text, message.input)],
            [*map(_text, message.output)],
            read,
        )
        try:
            attributes = _unique("attribute", ((_text(each.name), each) for each in message.attribute))
            read.update((name, self.attribute(each)) for name, each in attributes.items())
        except RlxError as problem:
            raise RlxError(f"{definition.label()}: {problem}") from None
        return definition

    def attribute(self, message: Any) -> Attribute:
        if message.ref_attr_name:
            return Reference(_text(message.ref_attr_name))
        types = message.AttributeType
        match message.type:
            case types.FLOAT:
                return message.f
            case types.INT:
                return message.i
            case types.STRING:
                return message.s.decode(errors="replace")
            case types.TENSOR:
                return array_of(message.t, self.folder)
            case types.GRAPH:
                return self.graph(message.g)
            case types.FLOATS:
                return list(message.floats)
            case types.INTS:
                return list(message.ints)
            case types.STRINGS:
                return [each.decode(errors="replace") for each in message.strings]
            case other:
                kind = types.Name(other) if other in types.values() else other
                raise RlxError(f"attribute '{message.name}' is of a type that is not read ({kind})")


def _value(message: Any) -> ValueDef:
    kind = message.type.WhichOneof("value")
    if kind not in ("tensor_type", None):
        raise RlxError(f"'{message.name}' is of type {kind.removesuffix('_type')}; only tensors are read")
    tensor = message.type.tensor_type
    dtype = None if tensor.elem_type == _UNDEFINED else element_type(tensor.elem_type)
    dims = tuple(map(_dim, tensor.shape.dim)) if tensor.HasField("shape") else None
    return ValueDef(_text(message.name), dtype, dims)


def _dim(message: Any) -> int | str | None:
    match message.WhichOneof("value"):
        case "dim_value":
            # Exporters write -1, and `?` for the name, where they know nothing.
            return None if message.dim_value == -1 else message.dim_value
        case "dim_param":
            return None if message.dim_param in _NO_NAMES else _text(message.dim_param)
        case _:
            return None
