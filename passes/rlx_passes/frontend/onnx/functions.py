"""Functions that nodes call: those of the model, and those by which the format defines an op."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from rlx_passes.errors import did_you_mean
from rlx_passes.frontend.onnx.model import Attribute, FunctionDef, GraphDef, ModelDef, NodeDef, Reference
from rlx_passes.frontend.onnx.node import Node, Unsupported


def function_of(model: ModelDef, node: Node) -> FunctionDef:
    """The function that a node calls, with the node's attributes in place. Raises `Unsupported` where there is none."""
    definition = node.definition
    function = model.functions.get((definition.domain, definition.op_type))
    if function is None:
        from rlx_passes.frontend.onnx.rules import RULES

        raise Unsupported(f"no rule reads this op{did_you_mean(definition.op_type, RULES)}")
    given: dict[str, Attribute | None] = {**function.attributes, **definition.attributes}
    return replace(function, nodes=[_with(each, given) for each in function.nodes])


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
