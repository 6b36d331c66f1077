"""Functions that nodes call: those of the model, and those by which the format defines an op."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from rlx_dialect.dims import Dim
from rlx_passes.core.errors import Refusal, did_you_mean
from rlx_passes.frontends.onnx.dtypes import ELEMENT_TYPES, dtype_of_array
from rlx_passes.frontends.onnx.model import Attribute, FunctionDef, GraphDef, ModelDef, NodeDef, Reference
from rlx_passes.frontends.onnx.node import Node
from rlx_passes.frontends.onnx.values import Value

INLINE_LIMIT = 1_000_000
DEPTH_LIMIT = 64


def function_of(function: FunctionDef, node: Node) -> FunctionDef:
    """The function that a node calls, with the node's attributes in place."""
    given: dict[str, Attribute | None] = {**function.attributes, **node.definition.attributes}
    if missing := [name for name, value in given.items() if value is None and name in _read(function.nodes)]:
        raise Refusal(f"attribute '{missing[0]}' is left out")
    return replace(function, nodes=[_with(each, given) for each in function.nodes])


def standard_function(node: Node) -> FunctionDef:
    """The body that the format itself gives an op. Raises `Refusal` where it gives none."""
    from onnx import FunctionProto, defs

    from rlx_passes.frontends.onnx.protobuf import function_of_message
    from rlx_passes.frontends.onnx.rules import RULES

    definition = node.definition
    try:
        schema: Any = defs.get_schema(definition.op_type, node.opset, definition.domain)
    except defs.SchemaError:
        guess = did_you_mean(definition.op_type, RULES)
        raise Refusal(f"op set {node.opset} of '{definition.domain or 'ai.onnx'}' has no such op{guess}") from None
    message: Any = schema.function_body if schema.has_function else None
    if message is None and schema.has_context_dependent_function:
        message = FunctionProto()
        message.ParseFromString(schema.get_context_dependent_function(_message(definition), _types(node)))
    if message is None or not len(message.node):
        raise Refusal("no rule reads this op")
    defaults = {name: each.default_value for name, each in schema.attributes.items() if each.default_value.name}
    return function_of_message(message, defaults)


def check_calls(model: ModelDef) -> None:
    """
    The functions of the model come to few enough nodes in all their places.

    Raises `Refusal`: thirty functions, each of which calls the one before twice, are a thousand million nodes.
    """
    counts: dict[tuple[str, str], int] = {}
    under_way: list[tuple[str, str]] = []

    def count(nodes: Sequence[NodeDef]) -> int:
        return sum(_called(node) for node in _all(nodes))

    def _called(node: NodeDef) -> int:
        key = (node.domain, node.op_type)
        if key not in model.functions:
            return 1
        if key in under_way:
            raise Refusal(f"{node.label()}: the function calls itself")
        if len(under_way) == DEPTH_LIMIT:
            raise Refusal(f"{node.label()}: functions call one another more than {DEPTH_LIMIT} deep")
        if key not in counts:
            under_way.append(key)
            counts[key] = count(model.functions[key].nodes)
            under_way.pop()
        return counts[key]

    if (total := count(model.graph.nodes)) > INLINE_LIMIT:
        raise Refusal(f"with its functions in place the model has {total} nodes; {INLINE_LIMIT} are read")


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
        raise Refusal(f"no rule reads this op, which has a graph as its attribute '{graphs[0]}'")
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
