"""The names under which a caller knows inputs, results, dynamic sizes and parts of a module."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Mapping, Sequence
from typing import Any, cast


def input_names(exported: Any, module: Any) -> list[str]:
    """A name for each input: the argument of `forward`, with its place after a dot inside a list or dict."""
    parameters = list(inspect.signature(module.forward).parameters.values())
    return [_input_name(path, parameters) for path in _paths(exported.call_spec.in_spec)]


def output_names(exported: Any) -> list[str]:
    """A name for each result: its key in what `forward` returns, `out0`, `out1`, .. for one by position."""
    paths = _paths(exported.call_spec.out_spec)
    return [
        ".".join([f"out{path[0]}" if isinstance(path[0], int) else path[0], *map(str, path[1:])]) if path else "out0"
        for path in paths
    ]


def axis_names(
    exported: Any, module: Any, args: Sequence[Any], kwargs: Mapping[str, Any], dynamic_shapes: Any
) -> dict[str, str]:
    """What the caller named the symbols of dynamic sizes, by the symbols' names."""
    names: dict[str, str] = {}
    if dynamic_shapes is None:
        return names
    bound = inspect.signature(module.forward).bind(*args, **kwargs)
    if isinstance(dynamic_shapes, Mapping):
        by_name = cast("Mapping[str, Any]", dynamic_shapes)
        pairs = [(bound.arguments.get(key), each) for key, each in by_name.items()]
    else:
        pairs = list(zip(bound.arguments.values(), dynamic_shapes))
    axes = {id(tensor): sizes for value, spec in pairs for tensor, sizes in _leaves(value, spec)}
    leaves = importlib.import_module("torch.utils._pytree").tree_leaves((tuple(args), dict(kwargs)))
    inputs = [spec for spec in exported.graph_signature.input_specs if spec.kind.name == "USER_INPUT"]
    placeholders = {node.name: node for node in exported.graph.nodes if node.op == "placeholder"}
    for leaf, spec in zip(leaves, inputs):
        for axis, size in axes.get(id(leaf), {}).items():
            symbol = getattr(getattr(placeholders[spec.arg.name].meta["val"].shape[axis], "node", None), "expr", None)
            if symbol is not None and symbol.is_Symbol and isinstance(size, type | object) and _name(size):
                names.setdefault(str(symbol), _name(size))
    return names


def renamed(expression: str, names: Mapping[str, str]) -> str:
    """An expression over symbols with the names that the caller gave them."""
    return re.sub(r"[A-Za-z_]\w*", lambda word: names.get(word[0], word[0]), expression)


def place_of(node: Any) -> str:
    """The module that made a node, `encoder.layers.0 (Linear)`."""
    modules: Mapping[str, tuple[str, Any]] = node.meta.get("nn_module_stack") or {}
    stack = [each for each in modules.values() if "metadata_hook" not in each[0]]
    if not stack:
        return ""
    path, kind = stack[-1]
    name = str(kind if isinstance(kind, str) else kind.__name__).rpartition(".")[2]
    return f"{path} ({name})" if path else name


def _name(size: Any) -> str:
    name = getattr(size, "__name__", "")
    return name if isinstance(name, str) and type(size).__name__ != "_DimHint" else ""


def _leaves(value: Any, spec: Any) -> list[tuple[Any, dict[int, Any]]]:
    """Tensors with the axes that a specification of dynamic shapes names."""
    if spec is None:
        return []
    if hasattr(value, "shape"):
        items = cast("Mapping[int, Any]", spec).items() if isinstance(spec, Mapping) else enumerate(spec)
        return [(value, {axis % max(len(value.shape), 1): size for axis, size in items})]
    if isinstance(value, Mapping):
        parts = cast("Mapping[str, Any]", value)
        return [each for key, part in parts.items() for each in _leaves(part, spec.get(key))]
    if isinstance(value, list | tuple):
        several = cast("Sequence[Any]", value)
        return [each for part, inner in zip(several, spec) for each in _leaves(part, inner)]
    return []


def _paths(spec: Any) -> list[list[Any]]:
    """Where each leaf of a structure is."""
    pytree: Any = importlib.import_module("torch.utils._pytree")
    structure = pytree.tree_unflatten(list(range(spec.num_leaves)), spec)
    found, _ = pytree.tree_flatten_with_path(structure)
    return [[_step(key) for key in path] for path, _ in found]


def _step(key: Any) -> Any:
    for field in ("idx", "key", "name"):
        if hasattr(key, field):
            return getattr(key, field)
    return str(key)


def _input_name(path: Sequence[Any], parameters: Sequence[inspect.Parameter]) -> str:
    """The first step says whether an argument is positional (0) or by keyword (1), the second which."""
    if path[0] == 1:
        return ".".join(map(str, path[1:]))
    number, rest = int(path[1]), path[2:]
    for place, parameter in enumerate(parameters):
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL and number >= place:
            return ".".join(map(str, (parameter.name, number - place, *rest)))
    return ".".join(map(str, (parameters[number].name, *rest)))
