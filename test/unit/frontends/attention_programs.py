"""Attention written in one form or another, for JAX and for ONNX, and what it computes."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf, prod
from typing import Any, Protocol, TypeAlias

import numpy as np

from rlx_dialect.reference import Array

BATCH, HEADS, KV_HEADS, WIDTH, QUERIES, KEYS = 2, 4, 2, 8, 3, 5
LOWEST = {"float32": float(np.finfo(np.float32).min), "float16": -65504.0, "bfloat16": -3.3895313892515355e38}
CAP = 2.0

Value: TypeAlias = Any
Shape: TypeAlias = Sequence[int]


class Writer(Protocol):
    """The ops of which the programs are made."""

    def matmul(self, a: Value, b: Value) -> Value: ...
    def transpose(self, x: Value, axes: Shape) -> Value: ...
    def reshape(self, x: Value, shape: Shape) -> Value: ...
    def expand(self, x: Value, shape: Shape) -> Value: ...
    def repeat(self, x: Value, count: int, axis: int, shape: Shape) -> Value: ...
    def mul(self, x: Value, number: float) -> Value: ...
    def div(self, x: Value, number: float) -> Value: ...
    def add(self, x: Value, y: Value) -> Value: ...
    def from_one(self, x: Value) -> Value: ...
    def both(self, a: Value, b: Value) -> Value: ...
    def keep(self, condition: Value, x: Value, number: float) -> Value: ...
    def drop(self, condition: Value, x: Value) -> Value: ...
    def isnan(self, x: Value) -> Value: ...
    def tanh(self, x: Value) -> Value: ...
    def softmax(self, x: Value) -> Value: ...
    def cast(self, x: Value, dtype: str) -> Value: ...
    def lower(self, queries: int, keys: int, offset: int) -> Value: ...


class Jax:
    """Writes by tracing."""

    def __init__(self) -> None:
        self.jnp: Any = importlib.import_module("jax.numpy")

    def matmul(self, a: Value, b: Value) -> Value:
        return a @ b

    def transpose(self, x: Value, axes: Shape) -> Value:
        return self.jnp.transpose(x, axes)

    def reshape(self, x: Value, shape: Shape) -> Value:
        return self.jnp.reshape(x, shape)

    def expand(self, x: Value, shape: Shape) -> Value:
        return self.jnp.broadcast_to(x, shape)

    def repeat(self, x: Value, count: int, axis: int, shape: Shape) -> Value:
        return self.jnp.repeat(x, count, axis)

    def mul(self, x: Value, number: float) -> Value:
        return x * number

    def div(self, x: Value, number: float) -> Value:
        return x / number

    def add(self, x: Value, y: Value) -> Value:
        return x + y

    def from_one(self, x: Value) -> Value:
        return 1.0 - x

    def both(self, a: Value, b: Value) -> Value:
        return a & b

    def keep(self, condition: Value, x: Value, number: float) -> Value:
        return self.jnp.where(condition, x, number)

    def drop(self, condition: Value, x: Value) -> Value:
        return self.jnp.where(condition, 0.0, x)

    def isnan(self, x: Value) -> Value:
        return self.jnp.isnan(x)

    def tanh(self, x: Value) -> Value:
        return self.jnp.tanh(x)

    def softmax(self, x: Value) -> Value:
        return importlib.import_module("jax").nn.softmax(x, axis=-1)

    def cast(self, x: Value, dtype: str) -> Value:
        return x.astype(dtype)

    def lower(self, queries: int, keys: int, offset: int) -> Value:
        lax: Any = importlib.import_module("jax.lax")
        rows, columns = (lax.broadcasted_iota("int32", (queries, keys), axis) for axis in (0, 1))
        return columns <= rows + offset


@dataclass
class Onnx:
    """
    Writes the text of a graph's nodes. Numbers are of the type of the program, `dtype`, until a cast.

    `dynamic`: the first two sizes of a reshape are those of its input.
    """

    dtype: str
    dynamic: bool = False
    lines: list[str] = field(default_factory=list[str])

    def node(self, op: str, *operands: str, attributes: str = "") -> str:
        name = f"t{len(self.lines)}"
        self.lines.append(f"{name} = {op} {attributes} ({', '.join(operands)})")
        return name

    def number(self, number: float) -> str:
        one = self.node("Constant", attributes=f"<value = float {{{_text(number)}}}>")
        return one if self.dtype == "float32" else self.cast(one, self.dtype)

    def integers(self, numbers: Shape) -> str:
        return self.node("Constant", attributes=f"<value_ints = [{', '.join(map(str, numbers))}]>")

    def matmul(self, a: Value, b: Value) -> Value:
        return self.node("MatMul", a, b)

    def transpose(self, x: Value, axes: Shape) -> Value:
        return self.node("Transpose", x, attributes=f"<perm = [{', '.join(map(str, axes))}]>")

    def reshape(self, x: Value, shape: Shape) -> Value:
        return self.node("Reshape", x, self.integers((0, 0, *shape[2:]) if self.dynamic else shape))

    def expand(self, x: Value, shape: Shape) -> Value:
        return self.node("Expand", x, self.integers(shape))

    def repeat(self, x: Value, count: int, axis: int, shape: Shape) -> Value:
        wide = [*shape[: axis + 1], count, *shape[axis + 1 :]]
        wide[axis] = shape[axis] // count
        inner = self.node("Unsqueeze", x, self.integers([axis + 1]))
        return self.reshape(self.expand(inner, wide), shape)

    def mul(self, x: Value, number: float) -> Value:
        return self.node("Mul", x, self.number(number))

    def div(self, x: Value, number: float) -> Value:
        return self.node("Div", x, self.number(number))

    def add(self, x: Value, y: Value) -> Value:
        return self.node("Add", x, y)

    def from_one(self, x: Value) -> Value:
        return self.node("Sub", self.number(1.0), x)

    def both(self, a: Value, b: Value) -> Value:
        return self.node("And", a, b)

    def keep(self, condition: Value, x: Value, number: float) -> Value:
        return self.node("Where", condition, x, self.number(number))

    def drop(self, condition: Value, x: Value) -> Value:
        return self.node("Where", condition, self.number(0.0), x)

    def isnan(self, x: Value) -> Value:
        return self.node("IsNaN", x)

    def tanh(self, x: Value) -> Value:
        return self.node("Tanh", x)

    def softmax(self, x: Value) -> Value:
        return self.node("Softmax", x, attributes="<axis = -1>")

    def cast(self, x: Value, dtype: str) -> Value:
        self.dtype = dtype
        return self.node("Cast", x, attributes=f"<to = {ONNX_TYPES[dtype]}>")

    def lower(self, queries: int, keys: int, offset: int) -> Value:
        zero, one = (self.node("Constant", attributes=f"<value_int = {i}>") for i in (0, 1))
        columns = self.node("Range", zero, self.node("Constant", attributes=f"<value_int = {keys}>"), one)
        ends = (self.node("Constant", attributes=f"<value_int = {i}>") for i in (offset, queries + offset))
        rows = self.reshape(self.node("Range", *ends, one), (queries, 1))
        return self.node("LessOrEqual", columns, rows)


ONNX_TYPES = {"float32": 1, "float16": 10, "bfloat16": 16, "bool": 9}
NAMES = {"float32": "float", "float16": "float16", "bfloat16": "bfloat16", "bool": "bool"}


def _text(number: float) -> str:
    return repr(number) if abs(number) != inf else ("inf" if number > 0 else "-inf")


@dataclass(frozen=True)
class Form:
    """
    How an attention is written.

    `layout`: how its sides come in: `bhsd` and `bshd` with a head axis, `bsm` with heads packed, `rows` with batch and
    heads as one axis, `single` of rank 2. `masked` names the mask, `scaled` where the scale is, `grouped` how two
    key heads become four.
    """

    layout: str = "bhsd"
    masked: str = "none"
    scaled: str = "scores"
    capped: bool = False
    grouped: str = "no"
    dtype: str = "float32"
    guarded: bool = False

    def __str__(self) -> str:
        flags = ("capped" * self.capped, "guarded" * self.guarded)
        return "-".join(filter(None, (self.layout, self.masked, self.scaled, self.grouped, self.dtype, *flags)))

    @property
    def kv_heads(self) -> int:
        return HEADS if self.grouped == "no" else KV_HEADS

    @property
    def offset(self) -> int | None:
        """The causal offset: the last query sees the last key where there are more keys than queries."""
        return {"causal": 0, "cached": KEYS - QUERIES, "causal+keys": KEYS - QUERIES, "causal&keys": 0}.get(self.masked)

    @property
    def hidden(self) -> float:
        """What a hidden score becomes."""
        return -inf if self.guarded else LOWEST["float32" if self.dtype == "float32" else self.dtype]

    @property
    def scale(self) -> float:
        return 1.0 if self.scaled == "no" else WIDTH**-0.5

    @property
    def axes(self) -> tuple[int, ...]:
        """The sizes in front of query and key."""
        return {"rows": (BATCH * HEADS,), "single": ()}.get(self.layout, (BATCH, HEADS))


def inputs(form: Form) -> dict[str, Array]:
    """The arrays that a form reads by name. In the last row of the batch all keys are padding."""
    rng = np.random.default_rng(5)
    dtype = _dtype(form.dtype)

    def side(heads: int, length: int) -> Array:
        shapes = {
            "bhsd": (BATCH, heads, length, WIDTH),
            "bshd": (BATCH, length, heads, WIDTH),
            "bsm": (BATCH, length, heads * WIDTH),
            "rows": (BATCH * heads, length, WIDTH),
            "single": (length, WIDTH),
        }
        return rng.standard_normal(shapes[form.layout]).astype(np.float32).astype(dtype)

    found = {"q": side(HEADS, QUERIES), "k": side(form.kv_heads, KEYS), "v": side(form.kv_heads, KEYS)}
    if form.masked == "bias":
        found["mask"] = rng.standard_normal((*form.axes, QUERIES, KEYS)).astype(np.float32).astype(dtype)
    elif "keys" in form.masked or "added" in form.masked:
        leading = (*form.axes[:1], *(1 for _ in form.axes[1:]), 1)
        shown = np.arange(prod(leading) * KEYS).reshape(*leading, KEYS) % 3 != 1
        if form.axes:
            shown[-1] = False
        found["mask"] = shown
    return found


def _dtype(name: str) -> np.dtype[Any]:
    return np.dtype(getattr(importlib.import_module("ml_dtypes"), name) if name == "bfloat16" else name)


def write(form: Form, on: Writer, q: Value, k: Value, v: Value, mask: Value = None) -> Value:
    """The program of a form."""
    by_head = form.layout in ("bhsd", "bshd", "bsm")
    lengths = (QUERIES, KEYS, KEYS)
    sides = [q, k, v]
    if form.layout == "bsm":
        heads = (HEADS, form.kv_heads, form.kv_heads)
        sides = [on.reshape(x, (BATCH, n, h, WIDTH)) for x, n, h in zip(sides, lengths, heads)]
    if form.layout in ("bsm", "bshd"):
        sides = [on.transpose(x, (0, 2, 1, 3)) for x in sides]
    q, k, v = sides
    if form.scaled in ("query", "split"):
        q = on.mul(q, WIDTH ** (-0.5 if form.scaled == "query" else -0.25))
    if form.scaled == "split":
        k = on.mul(k, WIDTH**-0.25)
    k, v = (grouped(form, on, x) for x in (k, v))
    rank = 4 if by_head else len(form.axes) + 2
    scores = on.matmul(q, on.transpose(k, (*range(rank - 2), rank - 1, rank - 2)))
    if form.scaled == "scores":
        scores = on.mul(scores, WIDTH**-0.5)
    elif form.scaled == "divided":
        scores = on.div(scores, WIDTH**0.5)
    if form.capped:
        scores = on.mul(on.tanh(on.div(scores, CAP)), CAP)
    scores = masked(form, on, scores, mask)
    narrow = form.dtype != "float32"
    weights = on.softmax(on.cast(scores, "float32") if narrow else scores)
    if form.guarded:
        weights = on.drop(on.isnan(weights), weights)
    result = on.matmul(on.cast(weights, form.dtype) if narrow else weights, v)
    if form.layout in ("bsm", "bshd"):
        result = on.transpose(result, (0, 2, 1, 3))
    return on.reshape(result, (BATCH, QUERIES, HEADS * WIDTH)) if form.layout == "bsm" else result


def grouped(form: Form, on: Writer, x: Value) -> Value:
    """Keys or values with as many heads as queries have."""
    group = HEADS // KV_HEADS
    if form.grouped == "repeated":
        return on.repeat(x, group, 1, (BATCH, HEADS, KEYS, WIDTH))
    if form.grouped == "stretched":
        single = on.reshape(x, (BATCH, KV_HEADS, 1, KEYS, WIDTH))
        return on.reshape(on.expand(single, (BATCH, KV_HEADS, group, KEYS, WIDTH)), (BATCH, HEADS, KEYS, WIDTH))
    return x


def masked(form: Form, on: Writer, scores: Value, mask: Value) -> Value:
    """The scores under the mask of a form."""
    if form.masked == "bias":
        return on.add(scores, mask)
    if form.masked.startswith("added"):
        number = -1e9 if form.masked == "added" else LOWEST[form.dtype]
        return on.add(scores, on.mul(on.from_one(on.cast(mask, form.dtype)), number))
    lower = None if form.offset is None else on.lower(QUERIES, KEYS, form.offset)
    if form.masked == "causal&keys":
        return on.keep(on.both(lower, mask), scores, form.hidden)
    for condition in (lower, mask):
        if condition is not None:
            scores = on.keep(condition, scores, form.hidden)
    return scores


def wanted(form: Form, arrays: Mapping[str, Array]) -> Array:
    """What a form computes, by NumPy in float64."""
    q, k, v = (arrays[name].astype(np.float64) for name in "qkv")
    if form.layout == "bsm":
        q, k, v = (x.reshape(BATCH, x.shape[1], -1, WIDTH) for x in (q, k, v))
    if form.layout in ("bsm", "bshd"):
        q, k, v = (x.swapaxes(1, 2) for x in (q, k, v))
    if form.grouped != "no":
        k, v = (np.repeat(x, HEADS // KV_HEADS, 1) for x in (k, v))
    scores = q @ k.swapaxes(-1, -2) * form.scale
    if form.capped:
        scores = CAP * np.tanh(scores / CAP)
    seen = np.ones((QUERIES, KEYS), bool)
    if form.offset is not None:
        seen = np.tril(seen, form.offset)
    if form.masked == "bias":
        scores = scores + arrays["mask"].astype(np.float64)
    elif "mask" in arrays:
        seen = seen & arrays["mask"]
    scores = np.where(seen, scores, -inf if form.guarded else -1e300)
    with np.errstate(invalid="ignore"):
        powers = np.exp(scores - scores.max(-1, keepdims=True))
    weights = powers / powers.sum(-1, keepdims=True)
    result = np.where(np.isnan(weights), 0, weights) @ v
    if form.layout in ("bsm", "bshd"):
        result = result.swapaxes(1, 2)
    return result.reshape(BATCH, QUERIES, -1) if form.layout == "bsm" else result
