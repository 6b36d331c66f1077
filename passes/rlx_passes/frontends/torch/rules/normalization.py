"""Norms and softmax."""

from __future__ import annotations

from math import prod

from rlx_dialect.attributes import Activation, CompareKind, ReduceKind
from rlx_dialect.builder import Tensor
from rlx_passes.core.errors import Refusal
from rlx_passes.frontends.torch.call import Call
from rlx_passes.frontends.torch.registry import rule

EPSILON = {"f32": 2.0**-23, "f64": 2.0**-52, "f16": 2.0**-23, "bf16": 2.0**-23}
"""What an RMS norm adds where nothing is said: the distance of 1 to the next number of the type that it computes in."""


def vector(c: Call, name: str, size: int, value: float, dtype: str) -> Tensor:
    """A gain or shift `[size]`, `value` where there is none."""
    given = c.optional(name)
    if given is None:
        return c.g.full((size,), value, dtype)
    flat = given if len(given.shape) == 1 else c.g.reshape(given, (size,))
    return c.cast(flat, dtype)


@rule("layer_norm.default")
def layer_norm(c: Call) -> Tensor:
    return over_last(c, "layer")


@rule("native_layer_norm.default")
def native_layer_norm(c: Call) -> tuple[Tensor, None, None]:
    """The statistics are there for gradients and have no form."""
    return over_last(c, "layer"), None, None


@rule("rms_norm.default")
def rms_norm(c: Call) -> Tensor:
    return over_last(c, "rms")


def over_last(c: Call, kind: str) -> Tensor:
    """A norm over the last dims, which are one for the op."""
    x, shape = c.tensor("input"), c.integers("normalized_shape")
    size, several = prod(shape), len(shape) > 1
    flat = x
    if several:
        dims = c.sizes.dims(x)[: len(x.shape) - len(shape)]
        flat = c.laid(x, (*dims, size))
    gamma = vector(c, "weight", size, 1.0, x.dtype)
    if kind == "layer":
        result = c.g.layer_norm(flat, gamma, vector(c, "bias", size, 0.0, x.dtype), c.real("eps"))
    else:
        epsilon = c.real("eps") if c.given("eps") else EPSILON[x.dtype]
        result = c.g.rms_norm(flat, gamma, c.g.full((size,), 0.0, x.dtype), epsilon)
    return c.reshaped(result, x) if several else result


def channels(x: Tensor) -> int:
    if x.shape[1] < 0:
        raise Refusal("a number of channels known at run time only")
    return x.shape[1]


@rule("group_norm.default")
def group_norm(c: Call) -> Tensor:
    x = c.tensor("input")
    gain, shift = (vector(c, name, channels(x), value, x.dtype) for name, value in (("weight", 1.0), ("bias", 0.0)))
    return c.g.group_norm(x, gain, shift, c.integer("num_groups"), c.real("eps"))


@rule("native_group_norm.default")
def native_group_norm(c: Call) -> tuple[Tensor, None, None]:
    """The statistics are there for gradients and have no form."""
    x = c.tensor("input")
    gain, shift = (vector(c, name, channels(x), value, x.dtype) for name, value in (("weight", 1.0), ("bias", 0.0)))
    return c.g.group_norm(x, gain, shift, c.integer("group"), c.real("eps")), None, None


@rule("instance_norm.default")
def instance_norm(c: Call) -> Tensor:
    """A group norm of one channel a group, or a batch norm where statistics are given."""
    x = c.tensor("input")
    if not c.flag("use_input_stats"):
        return batch_norm(c)
    gain, shift = (vector(c, name, channels(x), value, x.dtype) for name, value in (("weight", 1.0), ("bias", 0.0)))
    return c.g.group_norm(x, gain, shift, channels(x), c.real("eps"))


def batch_norm(c: Call) -> Tensor:
    """With the statistics of training."""
    x, size = c.tensor("input"), channels(c.tensor("input"))
    gain, shift = vector(c, "weight", size, 1.0, x.dtype), vector(c, "bias", size, 0.0, x.dtype)
    mean, variance = vector(c, "running_mean", size, 0.0, x.dtype), vector(c, "running_var", size, 1.0, x.dtype)
    return c.g.batch_norm_inference(x, gain, shift, mean, variance, c.real("eps"), 1)


@rule("_native_batch_norm_legit_no_training.default")
def batch_norm_inference(c: Call) -> tuple[Tensor, None, None]:
    """The statistics are those of training, and have no form as results."""
    return batch_norm(c), None, None


@rule("_native_batch_norm_legit.no_stats")
def batch_norm_without_statistics(c: Call) -> tuple[Tensor, None, None]:
    """With the statistics of the batch itself: one group norm over batch and places of each channel."""
    x = c.tensor("input")
    axes = [0, *range(2, len(x.shape))]
    centred = x - c.g.mean(x, axes, keep_dims=True)
    variance = c.g.mean(centred * centred, axes, keep_dims=True)
    norm = centred * c.g.activation(Activation.RSQRT, variance + c.real("eps"))
    tail = [1] * (len(x.shape) - 2)
    for name in ("weight", "bias"):
        row = c.optional(name)
        if row is not None:
            row = c.g.reshape(row, (*row.shape, *tail))
            norm = norm * row if name == "weight" else norm + row
    return norm, None, None


@rule("_softmax.default")
def softmax(c: Call) -> Tensor:
    x = c.cast(c.tensor("self"), c.dtype)
    return c.g.softmax(x, c.axis("dim", len(x.shape))) if x.shape else c.g.full((), 1.0, c.dtype)


@rule("_safe_softmax.default")
def safe_softmax(c: Call) -> Tensor:
    """0 in rows of -inf."""
    x = c.cast(c.tensor("self"), c.dtype)
    axis = c.axis("dim", len(x.shape))
    greatest = c.g.reduce(ReduceKind.MAX, x, (axis,), keep_dims=True)
    return c.g.where(c.g.compare(CompareKind.EQ, greatest, float("-inf")), 0.0, c.g.softmax(x, axis))


@rule("_log_softmax.default")
def log_softmax(c: Call) -> Tensor:
    """`x - max - log(sum(e^(x - max)))`"""
    x = c.cast(c.tensor("self"), c.dtype)
    if not x.shape:
        return x - x
    axis = c.axis("dim", len(x.shape))
    shifted = x - c.g.reduce(ReduceKind.MAX, x, (axis,), keep_dims=True)
    total = c.g.sum(c.g.exp(shifted), (axis,), keep_dims=True)
    return shifted - c.g.activation(Activation.LOG, total)
