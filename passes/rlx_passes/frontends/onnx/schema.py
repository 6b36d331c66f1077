"""What the format itself says of a node: how many inputs an op takes, and which attributes of which kind."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

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
    if not schema.fewest <= len(node.inputs) <= schema.most:
        few = len(node.inputs) < schema.fewest
        bound = f"at least {schema.fewest}" if few else f"at most {schema.most}"
        raise Refusal(f"it has {bound} inputs, got {len(node.inputs)}")
    for name, value in node.attributes.items():
        kind = schema.attributes.get(name)
        if kind is None:
            raise Refusal(f"it has no attribute '{name}' in op set {opset}{did_you_mean(name, schema.attributes)}")
        if kind in KINDS and not _is(value, kind):
            raise Refusal(f"attribute '{name}' must be {KINDS[kind][1]}")
    for name in schema.required:
        if name not in node.attributes:
            raise Refusal(f"attribute '{name}' is missing")


class _Schema(NamedTuple):
    """What the format says of an op: how many inputs it has, the kind of each attribute, those that must be there."""

    fewest: int
    most: int
    attributes: Mapping[str, str]
    required: Sequence[str]


@cache
def _schema(op_type: str, opset: int) -> _Schema | str | None:
    """The newest form of the op in the op set; None for an op of no op set, a text for one that only others have."""
    defs: Any = importlib.import_module("onnx").defs
    opset = max(opset, AHEAD.get(op_type, opset))
    if not defs.has(op_type):
        return None
    try:
        found: Any = defs.get_schema(op_type, opset, "")
    except defs.SchemaError:
        return f"op set {opset} has no such op; {defs.get_schema(op_type).since_version} has"
    attributes: Mapping[str, Any] = found.attributes
    kinds = {name: each.type.name for name, each in attributes.items()}
    return _Schema(
        found.min_input, found.max_input, kinds, [name for name, each in attributes.items() if each.required]
    )


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
