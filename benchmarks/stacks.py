"""Programs of any length to measure with."""

from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import ReturnOp
from xdsl.ir import SSAValue

from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.signature import find_function

TOKENS, HIDDEN, HEADS, INNER = 16, 64, 4, 128


def layer(g: Graph, x: Tensor, w: dict[str, Tensor]) -> Tensor:
    """One post-norm encoder layer on `[1, 16, 64]` with its attention in primitives: 28 ops."""

    def split(y: Tensor) -> Tensor:
        return g.transpose(g.reshape(y, (1, TOKENS, HEADS, HIDDEN // HEADS)), (0, 2, 1, 3))

    query, key, value = (split(x @ w["square"] + w["row"]) for _ in range(3))
    weights = g.softmax(query @ g.transpose(key, (0, 1, 3, 2)) * 0.25)
    merged = g.reshape(g.transpose(weights @ value, (0, 2, 1, 3)), (1, TOKENS, HIDDEN))
    x = g.layer_norm(merged @ w["square"] + w["row"] + x, w["row"], w["row"])
    inner = g.gelu(x @ w["up"] + w["wide"])
    return g.layer_norm(inner @ w["down"] + w["row"] + x, w["row"], w["row"])


def layers(ops: int) -> ModuleOp:
    """Layers until the program has about `ops` ops."""
    g = Graph("stack")
    shapes = {
        "square": (HIDDEN, HIDDEN),
        "row": (HIDDEN,),
        "up": (HIDDEN, INNER),
        "wide": (INNER,),
        "down": (INNER, HIDDEN),
    }
    weights = {name: g.param(name, shape) for name, shape in shapes.items()}
    x = g.input("x", (1, TOKENS, HIDDEN))
    for _ in range(max(1, ops // 28)):
        x = layer(g, x, weights)
    g.output("y", x)
    return g.module()


def varied(ops: int) -> ModuleOp:
    """As many products, sums and activations, each on a shape of its own, so that no two lines are alike."""
    g = Graph("varied")
    x = g.input("x", (4, 8))
    for step in range(max(1, ops // 3)):
        weight, bias = g.param(f"w{step}", (8 + step, 9 + step)), g.param(f"b{step}", (9 + step,))
        x = g.relu(x @ weight + bias)
    g.output("y", x)
    return g.module()


def repeated(module: ModuleOp, ops: int) -> None:
    """What the function of `module` does, of one result, done again and again to its first argument."""
    block = find_function(module).body.block
    body = list(block.ops)
    end = body.pop()
    assert isinstance(end, ReturnOp)
    (result,) = end.operands
    count = sum(1 for op in body for _ in op.walk())
    for _ in range(max(1, ops // count) - 1):
        values: dict[SSAValue, SSAValue] = {block.args[0]: end.operands[0]}
        for op in body:
            block.insert_op_before(op.clone(values), end)
        end.operands = [values[result]]


def onnx_layers(nodes: int) -> Any:
    """`layers` as a message of the `onnx` package, gelu and the scale of attention in several nodes as exporters do."""
    from onnx import TensorProto, helper, numpy_helper

    made: list[Any] = []
    arrays = {
        "square": np.zeros((HIDDEN, HIDDEN), np.float32),
        "row": np.ones(HIDDEN, np.float32),
        "up": np.zeros((HIDDEN, INNER), np.float32),
        "wide": np.zeros(INNER, np.float32),
        "down": np.zeros((INNER, HIDDEN), np.float32),
        "heads": np.array([1, TOKENS, HEADS, HIDDEN // HEADS]),
        "merged": np.array([1, TOKENS, HIDDEN]),
        **{str(number): np.array(number, np.float32) for number in (0.25, 0.5, 1.0, 2**0.5)},
    }

    def node(op: str, *inputs: str, **attributes: Any) -> str:
        name = f"{op}_{len(made)}"
        made.append(helper.make_node(op, inputs, [name], f"/layers/{name}", **attributes))
        return name

    def linear(x: str, weight: str, bias: str) -> str:
        return node("Add", node("MatMul", x, weight), bias)

    def split(x: str, *order: int) -> str:
        return node("Transpose", node("Reshape", linear(x, "square", "row"), "heads"), perm=order)

    def normalized(x: str, y: str) -> str:
        return node("LayerNormalization", node("Add", x, y), "row", "row")

    x = "x"
    while len(made) < nodes:
        query, key, value = split(x, 0, 2, 1, 3), split(x, 0, 2, 3, 1), split(x, 0, 2, 1, 3)
        weights = node("Softmax", node("Mul", node("MatMul", query, key), "0.25"))
        merged = node("Reshape", node("Transpose", node("MatMul", weights, value), perm=(0, 2, 1, 3)), "merged")
        x = normalized(linear(merged, "square", "row"), x)
        inner = linear(x, "up", "wide")
        half = node("Mul", inner, node("Add", node("Erf", node("Div", inner, str(2**0.5))), "1.0"))
        x = normalized(linear(node("Mul", half, "0.5"), "down", "row"), x)
    values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, (1, TOKENS, HIDDEN)) for name in ("x", x)]
    stored = [numpy_helper.from_array(array, name) for name, array in arrays.items()]
    graph = helper.make_graph(made, "layers", values[:1], values[1:], stored)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
