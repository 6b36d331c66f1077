"""Tensors made of dims and numbers."""

from __future__ import annotations

from typing import Any

from rlx_dialect.attributes import BinaryKind
from rlx_dialect.builder import Tensor
from rlx_dialect.dims import Dim
from rlx_passes.frontends.torch.call import FLOATS, Call
from rlx_passes.frontends.torch.registry import rule


def full(c: Call, value: Any) -> Tensor:
    """Every element `value`: a constant where the dims are known."""
    shape = c.shape(*(each for each in [c.args.get("self")] if isinstance(each, Tensor)))
    if isinstance(value, Tensor | Dim) or c.dtype == "c64":
        scalar = c.operand("fill_value", c.dtype) if "fill_value" in c.args else c.number(value, c.dtype)
        return c.g.expand(scalar, shape) if isinstance(scalar, Tensor) and shape else _tensor(c, scalar)
    number = c.number(value, c.dtype)
    assert not isinstance(number, Tensor)
    fixed = [each for each in shape if isinstance(each, int)]
    return c.g.full(fixed, number, c.dtype) if len(fixed) == len(shape) else c.g.filled(shape, number, c.dtype)


def _tensor(c: Call, value: Any) -> Tensor:
    return value if isinstance(value, Tensor) else c.g.full((), value, c.dtype)


@rule("full.default", "full_like.default", "new_full.default")
def full_(c: Call) -> Tensor:
    return full(c, c.args["fill_value"])


@rule("fill.Scalar", "fill.Tensor")
def fill(c: Call) -> Tensor:
    value = c.args["value"]
    return (
        full(c, value)
        if not isinstance(value, Tensor)
        else c.g.expand(c.cast(value, c.dtype), c.shape(c.tensor("self")))
    )


@rule("zeros.default", "zeros_like.default", "new_zeros.default")
def zeros(c: Call) -> Tensor:
    return full(c, 0)


@rule("ones.default", "ones_like.default", "new_ones.default")
def ones(c: Call) -> Tensor:
    return full(c, 1)


@rule("empty.memory_format", "empty_like.default", "new_empty.default")
def empty(c: Call) -> Tensor:
    """Elements that nobody has written may be any; here they are 0."""
    return full(c, 0)


@rule("scalar_tensor.default")
def scalar_tensor(c: Call) -> Tensor:
    return full(c, c.args["s"])


@rule("arange.start_step")
def arange(c: Call) -> Tensor:
    """`start + step i`, of floats reckoned in f64 as PyTorch does."""
    shape, dtype = c.shape(), c.dtype
    start, step = c.args["start"], c.args["step"]
    plain = start == 0 and step == 1
    inner = dtype if plain or dtype not in FLOATS else "f64"
    places = c.g.iota(shape, 0, inner)
    if step != 1:
        places = c.g.binary(BinaryKind.MUL, places, c.number(step, inner))
    if start != 0:
        places = c.g.binary(BinaryKind.ADD, places, c.number(start, inner))
    return c.cast(places, dtype)
