"""Functions that nodes call: those of the model, and those by which the format defines an op."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from rlx_passes.errors import did_you_mean
from rlx_passes.frontend.dims import Dim
from rlx_passes.frontend.onnx.dtypes import ELEMENT_TYPES, dtype_of_array
from rlx_passes.frontend.onnx.model import Attribute, FunctionDef, GraphDef, ModelDef, NodeDef, Reference
from rlx_passes.frontend.onnx.node import Node, Unsupported, Value


def function_of(function: FunctionDef, node: Node) -> FunctionDef:
    """The function that a node calls, with the node's attributes in place."""
    given: dict[str, Attribute | None] = {**function.attributes, **node.definition.attributes}
    if missing := [name for name, value in given.items() if value is None and name in _read(function.nodes)]:
        raise Unsupported(f"attribute '{missing[0]}' is left out")
    return replace(function, nodes=[_with(each, given) for each in function.nodes])


def standard_function(node: Node) -> FunctionDef:
    """The body that the format itself gives an op. Raises `Unsupported` where it gives none."""
    from onnx import FunctionProto, defs

    from rlx_passes.frontend.onnx.protobuf import function_of_message
    from rlx_passes.frontend.onnx.rules import RULES

    definition = node.definition
    try:
        schema: Any = defs.get_schema(definition.op_type, node.opset, definition.domain)
    except defs.SchemaError:
        guess = did_you_mean(definition.op_type, RULES)
        raise Unsupported(f"op set {node.opset} of '{definition.domain or 'ai.onnx'}' has no such op{guess}") from None
    message: Any = schema.function_body if schema.has_function else None
    if message is None and schema.has_context_dependent_function:
        message = FunctionProto()
        message.ParseFromString(schema.get_context_dependent_function(_message(definition), _types(node)))
    if message is None or not len(message.node):
        raise Unsupported("no rule reads this op")
    defaults = {name: each.default_value for name, each in schema.attributes.items() if each.default_value.name}
    return function_of_message(message, defaults)


def missing_ops(model: ModelDef, read: Mapping[str, object]) -> Iterator[NodeDef]:
    """The first node of each op that nothing reads: no rule of `read`, no function of the model, none of the format."""
    from onnx import defs

    seen: set[tuple[str, str]] = set()
    for nodes, opsets in [(model.graph.nodes, model.opsets), *((f.nodes, f.opsets) for f in model.functions.values())]:
        for node in _all(nodes):
            key = (node.domain, node.op_type)
            if key in seen or key in model.functions or qualified(node) in read:
                continue
            seen.add(key)
            try:
                schema: Any = defs.get_schema(node.op_type, opsets.get(node.domain, 1), node.domain)
            except (defs.SchemaError, TypeError):
                yield node
                continue
            if not (schema.has_function or schema.has_context_dependent_function):
                yield node


def qualified(node: NodeDef) -> str:
    """The op type, with its domain unless that is the default one."""
    return f"{node.domain}.{node.op_type}" if node.domain else node.op_type


def _all(nodes: Sequence[NodeDef]) -> Iterator[NodeDef]:
    for node in nodes:
        yield node
        for value in node.attributes.values():
            if isinstance(value, GraphDef):
                yield from _all(value.nodes)


def _read(nodes: Sequence[NodeDef]) -> set[str]:
    """The attributes of the function that its nodes cannot do without."""
    return {
        value.name
        for node in _all(nodes)
        for value in node.attributes.values()
        if isinstance(value, Reference) and node.op_type == "Constant"
    }


def _with(node: NodeDef, given: Mapping[str, Attribute | None]) -> NodeDef:
    """The node with the attributes of the function in place of the references to them."""
    attributes: dict[str, Attribute] = {}
    for name, value in node.attributes.items():
        found = given.get(value.name) if isinstance(value, Reference) else value
        if isinstance(found, GraphDef):
            found = replace(found, nodes=[_with(each, given) for each in found.nodes])
        if found is not None:
            attributes[name] = found
    return replace(node, attributes=attributes)


def _message(definition: NodeDef) -> bytes:
    from onnx import helper

    graphs = [name for name, value in definition.attributes.items() if isinstance(value, GraphDef | Reference)]
    if graphs:
        raise Unsupported(f"no rule reads this op, which has a graph as its attribute '{graphs[0]}'")
    inputs, outputs = list(definition.inputs), list(definition.outputs)
    attributes: dict[str, Any] = dict(definition.attributes)
    node: Any = helper.make_node(definition.op_type, inputs, outputs, domain=definition.domain, **attributes)
    return node.SerializeToString()


def _types(node: Node) -> list[bytes]:
    return [b"" if value is None else _type(node, at, value) for at, value in enumerate(node.inputs)]


def _type(node: Node, at: int, value: Value) -> bytes:
    from onnx import helper

    dtype = (
        node.required(at).dtype if value.known is None or value.known.dtype == object else dtype_of_array(value.known)
    )
    number = next(number for number, name in ELEMENT_TYPES.items() if name == dtype)
    dims = [None if isinstance(size, Dim) else size for size in node.dims(at)]
    return helper.make_tensor_type_proto(number, dims).SerializeToString()
