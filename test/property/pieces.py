"""What random programs are made of: a piece around each fusion pattern, with obstacles to the pattern thrown in."""

from pieces_attention import attention_block
from pieces_common import EPSILONS, biased, dims_of, product
from pieces_raised import channel_norm, clamped_line, rotary
from random_programs import TAME, Piece, Program, truth
from xdsl.dialects.builtin import f16, f32, f64, i1
from xdsl.dialects.scf import IfOp as ScfIfOp
from xdsl.dialects.scf import YieldOp as ScfYieldOp
from xdsl.ir import Block, OpResult, Region, SSAValue

from rlx_dialect.attributes import (
    Activation,
    BinaryKind,
    CompareKind,
    ReduceKind,
)
from rlx_dialect.ops import (
    ActivationOp,
    BinaryOp,
    CastOp,
    CompareOp,
    ConcatOp,
    ConvConfig,
    ConvOp,
    DotGeneralOp,
    ExpandOp,
    LayerNormOp,
    MatMulOp,
    NarrowOp,
    ReduceOp,
    ReshapeOp,
    ResizeNearest2xOp,
    RmsNormOp,
    SoftmaxOp,
    TransposeOp,
    WhereOp,
)
from rlx_dialect.shapes import DYNAMIC


def matmul_bias_act(p: Program) -> None:
    value = biased(p, p.value())
    if p.chance(0.7):
        p.maybe_read(value)
        value = p.activation(value, *TAME)
    p.keep(value)


def gain_and_shift(p: Program, size: int) -> tuple[SSAValue, SSAValue]:
    return p.vector(size, 1.0 if p.chance(0.8) else 2.0), p.vector(size, 0.0 if p.chance(0.8) else -0.0)


def norm(p: Program, x: SSAValue, axis: int = -1, *, plain: bool = False) -> OpResult:
    sizes = dims_of(x)
    size = sizes[axis]
    gamma, beta = (p.constant((size,), 1.0), p.constant((size,), 0.0)) if plain else gain_and_shift(p, size)
    kind = p.one_of((LayerNormOp, RmsNormOp))
    accumulate = f64 if p.chance(0.03) else None
    return p.emit(kind(x, gamma, beta, epsilon=p.one_of(EPSILONS), axis=axis, accumulate=accumulate))


def residual_norm(p: Program) -> None:
    x = p.value()
    other = p.value() if p.chance(0.8) else p.broadcast_form(dims_of(x))
    total = p.add(x, other)
    p.maybe_read(total, probability=0.25)
    if p.chance(0.05):
        x = p.add(total, p.value())
        total = x
    p.keep(norm(p, total, -1 if p.chance(0.9) else 0))
    if p.chance(0.1):
        p.keep(norm(p, total))


def ada_layer_norm(p: Program) -> None:
    x = p.value()
    if p.chance(0.4):
        x = p.add(x, p.value())
        p.maybe_read(x, probability=0.4)
    normed = norm(p, x, plain=p.chance(0.85))
    dims = dims_of(x)

    def modulation() -> SSAValue:
        if len(dims) == 3 and p.chance(0.5):
            return p.argument((dims[0] if dims[0] != DYNAMIC else 1, 1, dims[2]))
        return p.broadcast_form(dims)

    scale = modulation()
    if p.chance(0.3):
        scaled = p.add(normed, p.mul(normed, scale))
    else:
        one = p.constant(
            dims_of(scale) if p.chance(0.5) and DYNAMIC not in dims_of(scale) else (), 1.0 if p.chance(0.9) else 2.0
        )
        gain = p.add(one, scale)
        p.maybe_read(gain)
        scaled = p.mul(normed, gain)
    p.maybe_read(normed, scaled)
    p.keep(p.add(scaled, modulation()))


def gated_residual(p: Program) -> None:
    x, y = p.value(), p.value()
    gate = p.broadcast_form(dims_of(x))
    gated = p.mul(y if p.chance(0.95) else x, gate)
    p.maybe_read(gated)
    total = p.add(x, gated)
    if p.chance(0.3):
        p.maybe_read(total, probability=0.5)
        total = norm(p, total)
    p.keep(total)


def flattened_norm(p: Program) -> None:
    x = p.value()
    dims = dims_of(x)
    if DYNAMIC in dims:
        return
    normed = norm(p, x)
    rows = 1
    for d in dims[:-1]:
        rows *= d
    p.maybe_read(normed)
    shape = (rows, dims[-1]) if p.chance(0.8) else (dims[-1], rows)
    flat = p.emit(ReshapeOp(normed, shape))
    p.keep(flat if p.chance(0.3) else p.activation(flat))


def dual_matmul(p: Program) -> None:
    x = p.value()
    width = p.pick(4, 2)
    up = product(p, x, width)
    gate = product(p, x if p.chance(0.9) else p.value(), width if p.chance(0.9) else 1)
    p.maybe_read(up, gate, probability=0.04)
    p.keep(p.mul(up, p.activation(gate, *((Activation.SILU,) * 4), Activation.GELU)))


def swiglu(p: Program) -> None:
    x = p.value()
    dims = dims_of(x)
    axis = len(dims) - 1 if p.chance(0.9) else 0
    size = dims[axis]
    if size == DYNAMIC or size < 2:
        packed = product(p, x, 4)
        axis, size = len(dims) - 1, 4
    else:
        packed = x
    half = size // 2 if p.chance(0.9) else 1
    starts = (0, half) if p.chance(0.5) else (half, 0)
    if p.chance(0.05):
        starts = (0, 0)
    up, gate = (p.emit(NarrowOp(packed, axis=axis, start=start, length=half)) for start in starts)
    p.maybe_read(up, gate, probability=0.04)
    p.keep(p.mul(up, p.activation(gate, *((Activation.SILU,) * 5), Activation.TANH)))


def shared_input(p: Program) -> None:
    x = p.value()
    last: SSAValue | None = None
    for _ in range(p.pick(2, 2, 3, 4, 5)):
        if last is not None and p.chance(0.05) and len(dims_of(last)) == 2 and dims_of(last)[0] == dims_of(x)[-1]:
            last = p.emit(MatMulOp(x, last))
        else:
            last = product(p, x, p.pick(1, 2, 4))
        p.keep(last)


def matmul_residual(p: Program) -> None:
    x = p.value()
    value = product(p, x, p.width)
    residual = p.value() if p.chance(0.8) else p.broadcast_form(dims_of(value))
    p.maybe_read(value)
    p.keep(p.add(value, residual))


def chain(p: Program) -> None:
    value = p.value()
    for _ in range(int(p.rng.integers(2, 7))):
        value = step(p, value)
        p.maybe_read(value, probability=0.05)
    p.keep(value)


def step(p: Program, value: OpResult | SSAValue) -> OpResult:
    """An elementwise op on `value`."""
    dims = dims_of(value)
    match int(p.rng.integers(7)):
        case 0 | 1:
            return p.activation(value)
        case 2:
            return p.binary(p.one_of((BinaryKind.ADD, BinaryKind.SUB, BinaryKind.MUL)), value, p.broadcast_form(dims))
        case 3:
            return p.binary(p.one_of((BinaryKind.MAX, BinaryKind.MIN, BinaryKind.ADD)), value, p.value())
        case 4:
            return p.emit(CastOp(value, p.element))
        case 5:
            condition = truth(p, dims) if p.chance(0.5) else compared(p)
            return p.emit(WhereOp(condition, value, p.broadcast_form(dims)))
        case _:
            return p.mul(value, value) if p.chance(0.5) else p.add(value, p.activation(value))


def compared(p: Program) -> OpResult:
    """A comparison of arguments: one of computed values would jump where a rounding differs."""
    dims = (*p.rows, p.width)
    kind = p.one_of((CompareKind.LT, CompareKind.GE, CompareKind.EQ, CompareKind.NE))
    return p.emit(CompareOp(kind, p.argument(dims), p.broadcast_form(dims)))


def batch_slices(p: Program) -> None:
    x = p.argument((4, 2, p.width)) if p.chance(0.7) else p.argument((4, 2, 2, 2))
    length = p.pick(1, 1, 2)
    starts = list(range(0, 4, length))[: p.pick(2, 4)]
    if p.chance(0.2):
        starts.reverse()
    kind = p.one_of(TAME)
    prologue = len(dims_of(x)) == 4 and p.chance(0.4)
    parts: list[SSAValue] = []
    for start in starts:
        part: SSAValue = p.emit(
            NarrowOp(
                x, axis=0 if p.chance(0.97) else 1, start=min(start, 1) if p.chance(0.05) else start, length=length
            )
        )
        if prologue:
            part = p.emit(ResizeNearest2xOp(part))
        part = p.emit(ActivationOp(kind if p.chance(0.95) else Activation.TANH, part))
        if p.chance(0.2):
            part = p.emit(ActivationOp(Activation.TANH, part))
        p.maybe_read(part, probability=0.04)
        parts.append(part)
    p.keep(p.emit(ConcatOp(parts, axis=0)))


def resized(p: Program) -> None:
    value: SSAValue = p.argument((p.pick(1, 2), 2, 2, p.pick(1, 3)))
    for _ in range(p.pick(1, 1, 2)):
        value = p.emit(ResizeNearest2xOp(value))
        p.maybe_read(value, probability=0.08)
    for _ in range(p.pick(0, 1, 2)):
        value = p.activation(value) if p.chance(0.5) else p.add(value, p.broadcast_form(dims_of(value)))
    p.keep(value)


def convolution(p: Program) -> None:
    channels = p.pick(2, 4)
    groups = 2 if p.chance(0.2) else 1
    kernel = p.pick(1, 3)
    x = p.argument((p.pick(1, 2), 4, 4, 3))
    pads = (kernel // 2,) * 2
    value = p.emit(
        ConvOp(x, p.argument((channels, 4 // groups, kernel, kernel)), ConvConfig(low=pads, high=pads, groups=groups))
    )
    dims = dims_of(value)

    def along_channels() -> SSAValue:
        form = p.pick(0, 0, 0, 1, 2, 3)
        if form == 0:
            return p.argument((1, channels, 1, 1))
        if form == 1:
            return p.emit(ReshapeOp(p.argument((channels,)), (channels, 1, 1)))
        if form == 2:
            return p.emit(ExpandOp(p.argument((channels, 1, 1)), dims))
        return p.broadcast_form(dims)

    p.maybe_read(value)
    if p.chance(0.4):
        value = p.mul(value, along_channels())
    value = p.add(value, along_channels())
    p.maybe_read(value)
    if p.chance(0.4):
        value = p.add(value, p.argument(dims) if p.chance(0.8) else p.broadcast_form(dims))
    if p.chance(0.6):
        value = p.activation(value)
    p.keep(value)


def dot_general(p: Program) -> None:
    x = p.value()
    rank = len(dims_of(x))
    contracted = rank - 1 if p.chance(0.8) else 0
    size = dims_of(x)[contracted]
    if size == DYNAMIC:
        return
    weight = p.argument((size, 4)) if p.chance(0.6) else p.argument((4, size))
    side = 0 if dims_of(weight)[0] == size else 1
    p.keep(p.emit(DotGeneralOp(x, weight, lhs_contracting=[contracted], rhs_contracting=[side])))


def mixed_dtypes(p: Program) -> None:
    """A detour through another element type, which no fusion may shorten."""
    other = p.one_of((f16, f32, f64))
    value = p.emit(CastOp(p.value(), other))
    value = p.activation(value)
    p.keep(p.emit(CastOp(value, p.element)))


def shapes(p: Program) -> None:
    x = p.value()
    dims = dims_of(x)
    match p.pick(0, 1, 2, 3):
        case 0:
            back = tuple(range(len(dims)))[::-1]
            p.keep(p.emit(TransposeOp(p.activation(p.emit(TransposeOp(x, back))), back)))
        case 1:
            p.keep(p.emit(ReduceOp(p.one_of((ReduceKind.SUM, ReduceKind.MAX)), x, [len(dims) - 1], keep_dims=True)))
        case 2:
            p.keep(p.emit(SoftmaxOp(x)))
        case _:
            p.keep(p.add(x, p.emit(ReduceOp(ReduceKind.MEAN, x, [len(dims) - 1], keep_dims=True))))


def branches(p: Program) -> None:
    """Ops in other blocks: one half of a pattern outside and one inside of an `scf.if`."""
    x = p.value()
    outside = product(p, x, p.width)
    bias = p.argument((p.width,))
    then, otherwise = Block(), Block()
    total = BinaryOp(BinaryKind.ADD, outside, bias)
    inner = MatMulOp(x, p.argument((p.width, p.width)))
    inner_sum = BinaryOp(BinaryKind.ADD, inner.result, bias)
    tail = ActivationOp(Activation.RELU, inner_sum.result)
    then.add_ops([total, ScfYieldOp(total.result)])
    otherwise.add_ops([inner, inner_sum, tail, ScfYieldOp(tail.result)])
    condition = p.block.insert_arg(i1, len(p.block.args))
    p.keep(p.emit(ScfIfOp(condition, [total.result.type], Region(then), Region(otherwise))))


PIECES: tuple[Piece, ...] = (
    *(matmul_bias_act, matmul_bias_act, residual_norm, residual_norm, ada_layer_norm, ada_layer_norm, gated_residual),
    *(flattened_norm, dual_matmul, swiglu, shared_input, matmul_residual, attention_block, chain, chain, batch_slices),
    *(resized, convolution, dot_general, mixed_dtypes, shapes, branches, rotary, clamped_line, channel_norm),
)
"""What `make_program` draws from; a piece listed twice comes twice as often."""
