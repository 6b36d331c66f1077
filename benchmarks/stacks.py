"""Programs of any length to measure with, written by the Graph builder."""

from xdsl.dialects.builtin import ModuleOp

from rlx_dialect.builder import Graph, Tensor

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
