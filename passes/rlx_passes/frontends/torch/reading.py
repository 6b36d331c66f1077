"""An `ExportedProgram` as plain values."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from typing import Any, cast

from rlx_dialect.dims import Dim, Size, Symbol, Undecided, larger, product, smaller, total
from rlx_passes.frontends.torch.errors import TorchError
from rlx_passes.frontends.torch.export import torch_package
from rlx_passes.frontends.torch.naming import axis_names, input_names, output_names, place_of
from rlx_passes.frontends.torch.program import ArgumentSource, Body, Node, Output, Program, Ref, Spec

DTYPES = {
    "float32": "f32",
    "float16": "f16",
    "bfloat16": "bf16",
    "float64": "f64",
    "int8": "i8",
    "int16": "i16",
    "int32": "i32",
    "int64": "i64",
    "uint8": "ui8",
    "uint32": "ui32",
    "bool": "i1",
    "complex64": "c64",
    "float8_e4m3fn": "f8e4m3fn",
    "float8_e5m2": "f8e5m2",
}
"""The dialect's names of PyTorch's element types."""


def program_of(
    exported: Any, module: Any, args: Sequence[Any], kwargs: Mapping[str, Any], dynamic_shapes: Any
) -> Program:
    """
    The exported form of `module` with its caller's names. What it writes to an input is a result with the name of that.
    Raises `TorchError` if the module writes to its state.
    """
    signature = exported.graph_signature
    name_of = type(module).__name__
    written = [spec for spec in signature.output_specs if "MUTATION" in spec.kind.name]
    if state := [spec.target for spec in written if spec.kind.name != "USER_INPUT_MUTATION"]:
        raise TorchError(
            f"{name_of}.forward writes to {', '.join(map(repr, state))}, which a program cannot; make it an input, "
            "or call module.eval(), which keeps the statistics of batch norms as they are"
        )
    placeholders = {node.name: node for node in exported.graph.nodes if node.op == "placeholder"}
    names = iter(input_names(exported, module))
    sources: list[ArgumentSource] = []
    for spec in signature.input_specs:
        name = next(names) if spec.kind.name == "USER_INPUT" else str(spec.target)
        if type(spec.arg).__name__ == "TensorArgument":
            sources.append(source(spec, placeholders[spec.arg.name], name, exported))
        elif spec.kind.name == "USER_INPUT" and type(spec.arg).__name__ == "SymIntArgument":
            raise TorchError(f"input '{name}' is a dynamic integer; make it a tensor, or give it no dynamic shape")
    given = [spec.arg for spec in signature.output_specs if spec.kind.name == "USER_OUTPUT"]
    kinds = [type(each).__name__ for each in given]
    if "SymIntArgument" in kinds:
        raise TorchError(f"{name_of}.forward returns a size, which is no tensor; return the tensor instead")
    named = zip(output_names(exported), given, kinds)
    outputs = [Output(name, Ref(each.name)) for name, each, kind in named if kind == "TensorArgument"]
    by_node = {each.node: each.name for each in sources}
    taken = {output.name for output in outputs}
    for spec in written:
        name = by_node[spec.target]
        outputs.append(Output(f"{name}.new" if name in taken else name, Ref(spec.arg.name), donor=spec.target))
    if not outputs:
        raise TorchError(f"{name_of}.forward returns no tensor, and writes to none")
    body = Body(_tied(sources), list(nodes_of(exported.graph_module)), outputs)
    return Program(body, axis_names(exported, module, args, kwargs, dynamic_shapes))


def source(spec: Any, node: Any, name: str, exported: Any) -> ArgumentSource:
    """An argument of the graph: an input, a parameter or buffer, or a constant."""
    kind = spec.kind.name
    made = spec_of(node.meta["val"])
    if kind == "USER_INPUT":
        return ArgumentSource(node.name, "input", name, made)
    where = exported.constants if kind == "CONSTANT_TENSOR" else {**exported.constants, **exported.state_dict}
    return ArgumentSource(
        node.name, "constant" if kind == "CONSTANT_TENSOR" else "param", name, made, array(where[spec.target])
    )


def array(tensor: Any) -> Any:
    """The elements of a tensor as NumPy has them, shared with it if it lies on the CPU in row-major order."""
    import numpy as np

    torch = torch_package()
    plain = tensor.detach().cpu().resolve_conj().resolve_neg().contiguous()
    by_hand = {torch.bfloat16: "bfloat16", torch.float8_e4m3fn: "float8_e4m3fn", torch.float8_e5m2: "float8_e5m2"}
    if plain.dtype not in by_hand:
        return plain.numpy()
    import ml_dtypes

    bits = plain.view(torch.int16 if plain.element_size() == 2 else torch.uint8).numpy()
    return bits.view(np.dtype(getattr(ml_dtypes, by_hand[plain.dtype])))


def _tied(sources: Sequence[ArgumentSource]) -> list[ArgumentSource]:
    """Tied weights as one: those of the same memory get the name of the first."""
    first: dict[Any, ArgumentSource] = {}
    result: list[ArgumentSource] = []
    for each in sources:
        if each.role == "param" and each.array is not None and each.array.size:
            place = each.array.__array_interface__
            key = (place["data"][0], each.array.shape, each.array.strides, each.spec.dtype)
            owner = first.setdefault(key, each)
            each = ArgumentSource(each.node, each.role, owner.name, each.spec, owner.array)
        result.append(each)
    return result


def nodes_of(graph_module: Any) -> Iterator[Node]:
    """The calls of a graph in order, less those that only check, or compute sizes, which are read from tensors."""
    torch = torch_package()
    for node in graph_module.graph.nodes:
        if node.op == "call_function" and isinstance(node.meta.get("val"), torch.Tensor | list | tuple):
            yield call_of(node, graph_module)


def call_of(node: Any, graph_module: Any) -> Node:
    value = node.meta.get("val")
    many = isinstance(value, list | tuple)
    values = cast("Sequence[Any]", value) if many else (value,)
    outs = tuple(spec_of(each) if hasattr(each, "shape") else None for each in values)
    args = {name: plain(each, graph_module) for name, each in arguments(node)}
    return Node(node.name, target_of(node), args, outs, many, place_of(node), common_type(node))


def target_of(node: Any) -> str:
    return "getitem" if node.target is operator.getitem else str(node.target)


def arguments(node: Any) -> Iterator[tuple[str, Any]]:
    """The arguments of a call by the names of its schema, those left out with what they are then."""
    schema = getattr(node.target, "_schema", None)
    if schema is None:
        yield from ((str(i), each) for i, each in enumerate(node.args))
        yield from node.kwargs.items()
        return
    for i, each in enumerate(schema.arguments):
        if i < len(node.args) and not each.kwarg_only:
            yield each.name, node.args[i]
        elif each.name in node.kwargs:
            yield each.name, node.kwargs[each.name]
        else:
            yield each.name, each.default_value if each.has_default_value() else None


def plain(value: Any, graph_module: Any) -> Any:
    """An argument of a call without PyTorch's classes: tensors as references, dtypes as their names."""
    torch = torch_package()
    if isinstance(value, torch.fx.Node):
        if value.op == "get_attr":
            inner = getattr(graph_module, value.target)
            return body_of(inner) if isinstance(inner, torch.fx.GraphModule) else Ref(value.name)
        known = value.meta.get("val")
        return size_of(known) if isinstance(known, torch.SymInt | int) else Ref(value.name)
    if isinstance(value, list | tuple):
        return [plain(each, graph_module) for each in cast("Sequence[Any]", value)]
    if isinstance(value, torch.SymInt):
        return size_of(value)
    if isinstance(value, torch.dtype):
        return dtype_of(value)
    if isinstance(value, torch.device | torch.layout | torch.memory_format):
        return None
    return value


def body_of(graph_module: Any) -> Body:
    """A graph that another calls: a branch or the body of a loop."""
    found = [node for node in graph_module.graph.nodes if node.op == "placeholder"]
    sources = [ArgumentSource(node.name, "input", node.name, spec_of(node.meta["val"])) for node in found]
    (last,) = (node for node in graph_module.graph.nodes if node.op == "output")
    given = last.args[0] if isinstance(last.args[0], list | tuple) else (last.args[0],)
    outputs = [Output(f"out{i}", Ref(each.name)) for i, each in enumerate(given)]
    return Body(sources, list(nodes_of(graph_module)), outputs)


def spec_of(value: Any) -> Spec:
    """Dims and dtype of a tensor; a tensor of PyTorch's fake kind has symbols for dims."""
    return Spec(tuple(map(size_of, value.shape)), dtype_of(value.dtype))


def size_of(size: Any) -> Size:
    if isinstance(size, int):
        return size
    return _size_of(size.node.expr)


def _size_of(expression: Any) -> Size:
    """An expression of sympy; a symbol stands for what has no counterpart."""
    if expression.is_Integer:
        return int(expression)
    parts = list(map(_size_of, expression.args))
    try:
        match type(expression).__name__:
            case "Add":
                return total(parts)
            case "Mul":
                return product(parts)
            case "Pow" if isinstance(parts[1], int) and parts[1] > 0:
                return product([parts[0]] * parts[1])
            case "FloorDiv" | "CleanDiv":
                return parts[0] // parts[1]
            case "Mod" | "PythonMod":
                return parts[0] % parts[1]
            case "Max":
                return reduce(larger, parts)
            case "Min":
                return reduce(smaller, parts)
            case _:
                pass
    except Undecided:
        pass
    return Dim.of(Symbol(str(expression)))


def dtype_of(dtype: Any) -> str:
    return DTYPES.get(str(dtype).removeprefix("torch."), str(dtype))


def common_type(node: Any) -> str | None:
    """In which element type `self` and `other` of a call meet."""
    named = dict(arguments(node)) if hasattr(node.target, "_schema") else {}
    if "self" not in named or "other" not in named:
        return None
    torch = torch_package()
    values = [each.meta["val"] if isinstance(each, torch.fx.Node) else each for each in (named["self"], named["other"])]
    if not all(isinstance(each, torch.Tensor | int | float | bool | complex) for each in values):
        return dtype_of(values[0].dtype)
    return dtype_of(torch.result_type(*values))
