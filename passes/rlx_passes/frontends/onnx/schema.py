"""What the format itself says of a node: how many inputs an op takes, and which attributes of which kind."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from rlx_passes.core.errors import Refusal, did_you_mean
from rlx_passes.frontends.onnx.model import Attribute, GraphDef, NodeDef, Reference

KINDS: Mapping[str, tuple[type, str]] = {
    "INT": (int, "an integer"),
    "FLOAT": (float, "a float"),
    "STRING": (str, "text"),
    "TENSOR": (np.ndarray, "a tensor"),
    "GRAPH": (GraphDef, "a graph"),
    "INTS": (int, "a list of integers"),
    "FLOATS": (float, "a list of floats"),
    "STRINGS": (str, "a list of text"),
}

AHEAD: Mapping[str, int] = {"LayerNormalization": 17}
"""Ops that the optimiser of ONNX Runtime writes in any op set, in the form of the version that has them first."""


def check_form(node: NodeDef, opset: int) -> None:
    """
    Raises `Refusal` for an attribute that the op has not in this op set, that is of another kind or that is missing,
    and for a wrong number of inputs. Nothing is known of ops of other domains, nor if no op set is named (`opset` 0).
    """
    schema = _schema(node.op_type, opset) if opset and not node.domain else None
    if schema is None:
        return
    if isinstance(schema, str):
        raise Refusal(schema)
    if not schema.min_input <= len(node.inputs) <= schema.max_input:
        few = len(node.inputs) < schema.min_input
        bound = f"at least {schema.min_input}" if few else f"at most {schema.max_input}"
        raise Refusal(f"it has {bound} inputs, got {len(node.inputs)}")
    for name, value in node.attributes.items():
        if name not in schema.attributes:
            raise Refusal(f"it has no attribute '{name}' in op set {opset}{did_you_mean(name, schema.attributes)}")
        kind = schema.attributes[name].type.name
        if kind in KINDS and not _is(value, kind):
            raise Refusal(f"attribute '{name}' must be {KINDS[kind][1]}")
    for name, attribute in schema.attributes.items():
        if attribute.required and name not in node.attributes:
            raise Refusal(f"attribute '{name}' is missing")


@cache
def _schema(op_type: str, opset: int) -> Any:
    """The newest form of the op in the op set; None for an op of no op set, a text for one that only others have."""
    defs: Any = importlib.import_module("onnx").defs
    opset = max(opset, AHEAD.get(op_type, opset))
    try:
        return defs.get_schema(op_type, opset, "") if defs.has(op_type) else None
    except defs.SchemaError:
        return f"op set {opset} has no such op; {defs.get_schema(op_type).since_version} has"


def _is(value: Attribute, kind: str) -> bool:
    if isinstance(value, Reference):
        return True
    if not kind.endswith("S"):
        return isinstance(value, KINDS[kind][0])
    return (
        isinstance(value, Sequence)
        and not isinstance(value, str)
        and all(isinstance(each, KINDS[kind][0]) for each in value)
    )
