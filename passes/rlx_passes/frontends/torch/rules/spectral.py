"""Complex numbers and Fourier transforms."""

from __future__ import annotations

from math import prod

from rlx_dialect.attributes import BinaryKind, FftNorm
from rlx_dialect.builder import Tensor
from rlx_passes.core.errors import Refusal
from rlx_passes.frontends.torch.call import Call
from rlx_passes.frontends.torch.registry import rule

NONE, BY_ROOT, BY_N = range(3)
"""How PyTorch counts the scalings of a transform."""


def norm_of(c: Call, inverse: bool) -> tuple[FftNorm, bool]:
    """The scaling of the op, and whether a factor 1/N is left."""
    kind = c.integer("normalization")
    if kind == BY_N:
        return (FftNorm.BY_N_ON_INVERSE, False) if inverse else (FftNorm.NONE, True)
    return (FftNorm.ORTHO if kind == BY_ROOT else FftNorm.NONE), False


def on_last(c: Call, x: Tensor, axis: int) -> tuple[Tensor, list[int]]:
    """`x` with `axis` in the last place, and the way back."""
    order = [each for each in range(len(x.shape)) if each != axis] + [axis]
    if order == sorted(order):
        return x, order
    return c.g.transpose(x, order), [order.index(each) for each in range(len(order))]


def back(c: Call, x: Tensor, order: list[int]) -> Tensor:
    return x if order == sorted(order) else c.g.transpose(x, order)


def lessened(c: Call, x: Tensor, points: int) -> Tensor:
    return c.g.binary(BinaryKind.MUL, x, c.number(1 / points, x.dtype))


@rule("_fft_r2c.default")
def rfft(c: Call) -> Tensor:
    """The spectrum of real numbers, the last of several dims first."""
    x = c.tensor("self")
    axes = [axis % len(x.shape) for axis in c.integers("dim")]
    norm, left = norm_of(c, False)
    points = prod(x.shape[axis] for axis in axes)
    if c.flag("onesided"):
        moved, order = on_last(c, x, axes[-1])
        z = back(c, c.g.rfft(moved, norm), order)
        axes = axes[:-1]
    else:
        z = c.cast(x, "c64")
    z = transformed(c, z, axes, norm, inverse=False)
    return lessened(c, z, points) if left else z


@rule("_fft_c2r.default")
def irfft(c: Call) -> Tensor:
    """The real numbers of a spectrum, the last of several dims last."""
    z = c.tensor("self")
    axes = [axis % len(z.shape) for axis in c.integers("dim")]
    norm, left = norm_of(c, True)
    if left:
        raise Refusal("normalization")
    z = transformed(c, z, axes[:-1], norm, inverse=True)
    moved, order = on_last(c, z, axes[-1])
    return back(c, c.g.irfft(moved, c.integer("last_dim_size"), norm), order)


@rule("_fft_c2c.default")
def fft(c: Call) -> Tensor:
    z = c.tensor("self")
    axes = [axis % len(z.shape) for axis in c.integers("dim")]
    inverse = not c.flag("forward")
    norm, left = norm_of(c, inverse)
    result = transformed(c, z, axes, norm, inverse=inverse)
    return lessened(c, result, prod(z.shape[axis] for axis in axes)) if left else result


def transformed(c: Call, z: Tensor, axes: list[int], norm: FftNorm, *, inverse: bool) -> Tensor:
    for axis in axes:
        moved, order = on_last(c, z, axis)
        z = back(c, c.g.fft(moved, inverse=inverse, norm=norm), order)
    return z


@rule("view_as_real.default")
def view_as_real(c: Call) -> Tensor:
    """Real and imaginary part on a new last axis."""
    z = c.tensor("self")
    dims = [*c.sizes.sizes(c.sizes.dims(z), [z]), 1]
    return c.g.concat([c.g.reshape(part, dims) for part in (c.g.real(z), c.g.imag(z))], len(dims) - 1)


@rule("view_as_complex.default")
def view_as_complex(c: Call) -> Tensor:
    x = c.tensor("self")
    rank = len(x.shape)
    parts = (c.g.narrow(x, rank - 1, i, 1) for i in (0, 1))
    return c.g.complex(*(c.g.reshape(part, c.shape(x)) for part in parts))


@rule("_conj.default")
def conj(c: Call) -> Tensor:
    return c.g.conjugate(c.tensor("self"))


@rule("angle.default")
def angle(c: Call) -> Tensor:
    z = c.tensor("self")
    if z.dtype != "c64":
        raise Refusal("the angle of real numbers")
    return c.g.binary(BinaryKind.ATAN2, c.g.imag(z), c.g.real(z))


@rule("polar.default")
def polar(c: Call) -> Tensor:
    from rlx_dialect.attributes import Activation

    size, angle = c.tensor("abs"), c.tensor("angle")
    return c.g.complex(size * c.g.activation(Activation.COS, angle), size * c.g.activation(Activation.SIN, angle))
