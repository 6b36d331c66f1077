"""
Helpers for what MLX has no function for. The functions a program calls, as `lib.<name>`, are copied into its source.

Operands are float32 or float64 unless a function says otherwise. On float64 MLX computes its fast functions in single
precision only, so these are written out for it. Every function uses `mx` and other functions of this file, nothing
else. Functions of one element are not here: they are written from the formulas.
"""

# The stubs of MLX leave arrays of NumPy, which some methods take as well, half untyped.
# pyright: reportUnknownMemberType=false

import mlx.core as mx


def magnitude(x: mx.array) -> mx.array:
    """The absolute value of integers, in the unsigned type of their width, so that the lowest one has a place."""
    unsigned = {mx.int8: mx.uint8, mx.int16: mx.uint16, mx.int32: mx.uint32, mx.int64: mx.uint64}
    return mx.abs(x).astype(unsigned.get(x.dtype, x.dtype))


def integer_divide(a: mx.array, b: mx.array) -> mx.array:
    """The quotient of integers, towards zero; 0 for a zero divisor."""
    quotient = (magnitude(a) // mx.maximum(magnitude(b), 1)).astype(a.dtype)
    return mx.where(b == 0, 0, mx.where((a < 0) != (b < 0), -quotient, quotient))


def integer_remainder(a: mx.array, b: mx.array) -> mx.array:
    """The rest of `integer_divide`, with the sign of `a`; 0 for a zero divisor."""
    rest = mx.remainder(magnitude(a), mx.maximum(magnitude(b), 1)).astype(a.dtype)
    return mx.where(a < 0, -rest, rest)


def integer_power(a: mx.array, b: mx.array) -> mx.array:
    """`a^b` of integers, wrapped; a negative power gives 0, but for the bases 1 and -1."""
    power = mx.power(a, mx.maximum(b, 0))
    inverse = mx.where(a == 1, 1, mx.where(mx.abs(a) == 1, mx.where(b % 2 == 0, a * a, a), 0))
    return mx.where(b < 0, inverse, power)


def shift_left(a: mx.array, b: mx.array) -> mx.array:
    """Integers shifted; by their width or more, or by a negative number, gives 0."""
    bits = 8 * a.itemsize
    inside = (b >= 0) & (b < bits)
    return mx.where(inside, mx.left_shift(a, mx.where(inside, b, 0)), 0)


def shift_right(a: mx.array, b: mx.array) -> mx.array:
    """Integers shifted, signed ones arithmetically; a shift by the width or more, or below 0, leaves only the sign."""
    bits = 8 * a.itemsize
    inside = (b >= 0) & (b < bits)
    moved = mx.right_shift(a, mx.where(inside, b, bits - 1))
    return moved if mx.issubdtype(a.dtype, mx.signedinteger) else mx.where(inside, moved, 0)


def narrowed(x: mx.array, *, dtype: mx.Dtype) -> mx.array:
    """float64 as a float of 16 bits, rounded once: from a number cut short whose last bit says that some were lost."""
    last = 1 << 40
    pattern = x.view(mx.int64)
    odd = mx.where((pattern & (last - 1)) == 0, pattern, (pattern & -last) | last)
    return odd.view(mx.float64).astype(mx.float32).astype(dtype)


def to_integer(x: mx.array, *, dtype: mx.Dtype) -> mx.array:
    """Floats truncated; NaN as 0, and what does not fit into `dtype` as the nearest number that does."""
    bits = 8 * dtype.size - (1 if mx.issubdtype(dtype, mx.signedinteger) else 0)
    least, most = (0 if bits == 8 * dtype.size else -(1 << bits)), (1 << bits) - 1
    inside = (x > least) & (x < 2.0**bits)
    whole = mx.where(inside, x, mx.zeros_like(x)).astype(dtype)
    beyond = mx.where(x > 0, mx.array(most, dtype=dtype), mx.array(least, dtype=dtype))
    return mx.where(inside | mx.isnan(x), whole, beyond)


def filled(x: mx.array, *, axis: list[int], initial: float) -> mx.array:
    """
    `x`, with one entry of `initial` along each of `axis` where it has no elements.

    A reduction of no elements does not always end in MLX (0.32); one of `initial` gives the same.
    """
    if 0 not in x.shape:
        return x
    return mx.pad(x, [(0, int(i in axis)) for i in range(x.ndim)], constant_values=mx.array(initial, dtype=x.dtype))


def integer_matmul(lhs: mx.array, rhs: mx.array) -> mx.array:
    """The matrix product of integers or truth values, wrapped to their type; leading dims broadcast."""
    products = lhs[..., :, :, None] * rhs[..., None, :, :]
    summed = products.ndim - 2
    return mx.sum(filled(products, axis=[summed], initial=0), axis=summed).astype(lhs.dtype)


def integer_einsum(subscripts: str, lhs: mx.array, rhs: mx.array) -> mx.array:
    """`mx.einsum` of two integer arrays, whose letters are distinct, wrapped to their type."""
    operands, output = subscripts.split("->")
    left, right = operands.split(",")
    order = output + "".join(letter for letter in left if letter not in output)

    def aligned(x: mx.array, letters: str) -> mx.array:
        present = [letter for letter in order if letter in letters]
        moved = mx.transpose(x, [letters.index(letter) for letter in present])
        return mx.expand_dims(moved, [i for i, letter in enumerate(order) if letter not in letters])

    products = aligned(lhs, left) * aligned(rhs, right)
    summed = list(range(len(output), len(order)))
    return mx.sum(filled(products, axis=summed, initial=0), axis=summed).astype(lhs.dtype)


def complex_of(real: mx.array, imaginary: mx.array) -> mx.array:
    """Complex numbers of their parts, put together bit by bit: a product with `1j` would mix infinities."""
    return mx.stack([real, imaginary], axis=-1).view(mx.complex64).squeeze(-1)


def softmax(x: mx.array, *, axis: int) -> mx.array:
    """`e^(x - max) / sum(e^(x - max))`."""
    if x.shape[axis] == 0:
        return x
    shifted = x - mx.max(x, axis=axis, keepdims=True)
    # In float64 `mx.exp` has the digits of single precision, a power has its own.
    powers = mx.power(2.718281828459045, shifted) if x.dtype == mx.float64 else mx.exp(shifted)
    return powers / mx.sum(powers, axis=axis, keepdims=True)


def layer_norm(x: mx.array, weight: mx.array | None, bias: mx.array | None, eps: float) -> mx.array:
    """`mx.fast.layer_norm`: `(x - mean) / sqrt(var + eps) * weight + bias` over the last axis."""
    normed = rms_norm(x - mx.mean(x, axis=-1, keepdims=True), weight, eps)
    return normed if bias is None else normed + bias


def rms_norm(x: mx.array, weight: mx.array | None, eps: float) -> mx.array:
    """`mx.fast.rms_norm`: `x / sqrt(mean(x^2) + eps) * weight` over the last axis."""
    normed = x / mx.sqrt(mx.mean(x * x, axis=-1, keepdims=True) + eps)
    return normed if weight is None else normed * weight


def visible_keys(
    query: mx.array,
    key: mx.array,
    *,
    offset: int | None = None,
    end: bool = False,
    left: int | None = None,
    right: int | None = None,
) -> mx.array:
    """
    `[S_q, S_k]`: whether query i may see key j, for `[.., S, D]` queries and keys.

    Causal with an `offset`, or where the last query sees the last key (`end`): `j <= i + offset`. The window keeps
    `i + offset - left <= j <= i + offset + right`.
    """
    queries, keys = query.shape[-2], key.shape[-2]
    causal = end or offset is not None
    shift = keys - queries if end else offset or 0
    distance = mx.arange(keys)[None, :] - mx.arange(queries)[:, None] - shift
    seen = distance <= 0 if causal else mx.ones(distance.shape, dtype=mx.bool_)
    if left is not None:
        seen = seen & (distance >= -left)
    return seen if right is None else seen & (distance <= right)


def attention(
    query: mx.array,
    key: mx.array,
    value: mx.array,
    mask: mx.array | None = None,
    *,
    scale: float,
    softcap: float | None = None,
) -> mx.array:
    """`mx.fast.scaled_dot_product_attention` with a cap on the scores; a query that sees no key gives NaN."""
    group = query.shape[1] // key.shape[1]
    key, value = mx.repeat(key, group, axis=1), mx.repeat(value, group, axis=1)
    scores = scale * (query @ mx.swapaxes(key, -1, -2))
    if softcap is not None:
        scores = softcap * mx.tanh(scores / softcap)
    if mask is not None and mask.dtype == mx.bool_:
        scores = mx.where(mask, scores, -mx.inf)
    elif mask is not None:
        scores = mx.where(mask == -mx.inf, mask, scores + mask)
    return softmax(scores, axis=-1) @ value


def iota(*, shape: list[int], axis: int, dtype: mx.Dtype) -> mx.array:
    """Each element its place on `axis`."""
    line = mx.arange(shape[axis], dtype=mx.int64).astype(dtype)
    return mx.broadcast_to(line.reshape([size if i == axis else 1 for i, size in enumerate(shape)]), shape)


def strided(x: mx.array, *, starts: list[int], steps: list[int], shape: list[int]) -> mx.array:
    """The elements `start`, `start + step`, .. of each axis, as many as `shape` says."""
    for axis, (start, step, size) in enumerate(zip(starts, steps, shape)):
        if (start, step, size) != (0, 1, x.shape[axis]):
            x = mx.take(x, mx.arange(size) * step + start, axis=axis)
    return x


def reverse(x: mx.array, *, axes: list[int]) -> mx.array:
    """`x` with the order of its elements on `axes` turned round."""
    return x[tuple(slice(None, None, -1 if axis in axes else 1) for axis in range(x.ndim))]


def place(start: mx.array, most: int) -> mx.array:
    """Integers as places in `[0, most]`."""
    if start.dtype == mx.uint64:
        start = mx.minimum(start, mx.array(2**62, dtype=mx.uint64))
    return mx.clip(start.astype(mx.int64), 0, most)


def held(shape: list[int]) -> list[int]:
    """`shape`, of no more elements than there is memory for: where there is none, MLX ends the process."""
    count = 1
    for size in shape:
        count *= size
    if count > 2**24:
        try:
            bytearray(4 * count)
        except (MemoryError, OverflowError):
            raise MemoryError(f"no memory holds a tensor of {count} elements") from None
    return shape


def within(indices: mx.array, table: mx.array, *, axis: int) -> mx.array:
    """Indices into an axis of `table`, those outside moved to the nearest entry: MLX reads wherever they say."""
    return place(indices, table.shape[axis] - 1)


def dynamic_slice(x: mx.array, *starts: mx.array, lengths: list[int]) -> mx.array:
    """`lengths` elements of each axis from a start that is moved so that they lie inside."""
    for axis, (start, length) in enumerate(zip(starts, lengths)):
        x = mx.take(x, place(start, x.shape[axis] - length) + mx.arange(length), axis=axis)
    return x


def dynamic_update_slice(x: mx.array, update: mx.array, *starts: mx.array) -> mx.array:
    """`x` with `update` in it, from a start that is moved so that it lies inside."""
    if update.size == 0 or x.ndim == 0:
        return update if x.ndim == 0 else x
    at = [place(start, size - length) for start, size, length in zip(starts, x.shape, update.shape)]
    return mx.slice_update(x, update, mx.stack(at).astype(mx.int32), axes=list(range(x.ndim)))


def places(
    indices: mx.array,
    dims: tuple[int, ...],
    other: tuple[int, ...],
    last: list[int] | None,
    offset: list[int],
    collapsed: list[int],
    batching: list[int],
    indices_batching: list[int],
    start_map: list[int],
    vector_dim: int,
) -> list[mx.array]:
    """
    For each dim of an array of `dims` the place of each element of the other side; they broadcast to its dims, `other`.

    The numbers are those of a gather of StableHLO; `last` are the last places that a slice may start at.
    """

    def along(x: mx.array, axes: list[int]) -> mx.array:
        return x.reshape([x.shape[axes.index(i)] if i in axes else 1 for i in range(len(other))])

    if indices.dtype == mx.uint64:
        indices = mx.minimum(indices, mx.array(2**62, dtype=mx.uint64))
    entries = indices.astype(mx.int64)
    entries = mx.moveaxis(entries, vector_dim, -1) if vector_dim < entries.ndim else entries[..., None]
    batch = [axis for axis in range(len(other)) if axis not in offset]
    kept = [axis for axis in range(len(dims)) if axis not in collapsed and axis not in batching]
    result: list[mx.array] = []
    for axis in range(len(dims)):
        start = mx.zeros([1] * len(other), dtype=mx.int64)
        if axis in batching:
            source = indices_batching[batching.index(axis)]
            to = batch[source - (source > vector_dim)]
            start = along(mx.arange(other[to], dtype=mx.int64), [to])
        elif axis in start_map:
            start = along(entries[..., start_map.index(axis)], batch)
        if last is not None and axis not in batching:
            start = mx.clip(start, 0, last[axis])
        if axis in kept:
            to = offset[kept.index(axis)]
            start = start + along(mx.arange(other[to], dtype=mx.int64), [to])
        result.append(start)
    return result


def general_gather(
    x: mx.array,
    indices: mx.array,
    *,
    offset: list[int],
    collapsed: list[int],
    batching: list[int],
    indices_batching: list[int],
    start_map: list[int],
    vector_dim: int,
    slice_sizes: list[int],
) -> mx.array:
    """StableHLO's gather."""
    rank = len(offset) + indices.ndim - (vector_dim < indices.ndim)
    batch = iter([size for axis, size in enumerate(indices.shape) if axis != vector_dim])
    walked = iter([size for axis, size in enumerate(slice_sizes) if axis not in collapsed and axis not in batching])
    dims = tuple([next(walked) if axis in offset else next(batch) for axis in range(rank)])
    if 0 in dims or x.ndim == 0:
        return mx.broadcast_to(x, dims) if x.ndim == 0 else mx.zeros(dims, dtype=x.dtype)
    last = [size - length for size, length in zip(x.shape, slice_sizes)]
    found = places(indices, x.shape, dims, last, offset, collapsed, batching, indices_batching, start_map, vector_dim)
    return mx.broadcast_to(x[tuple(found)], dims)


def general_scatter(
    x: mx.array,
    indices: mx.array,
    updates: mx.array,
    *,
    reduction: str,
    offset: list[int],
    collapsed: list[int],
    batching: list[int],
    indices_batching: list[int],
    start_map: list[int],
    vector_dim: int,
) -> mx.array:
    """StableHLO's scatter; what lies outside of `x` is skipped, of updates without a reduction the last holds."""
    if updates.size == 0 or x.size == 0:
        return x
    found = places(
        indices, x.shape, updates.shape, None, offset, collapsed, batching, indices_batching, start_map, vector_dim
    )
    flat, inside = mx.zeros(updates.shape, dtype=mx.int64), mx.ones(updates.shape, dtype=mx.bool_)
    for at, size in zip(found, x.shape):
        flat, inside = flat * size + at, inside & (at >= 0) & (at < size)
    # One more element takes what lies outside.
    where = mx.where(inside, flat, x.size).reshape(-1)
    target, new = mx.concatenate([x.reshape(-1), x.reshape(-1)[:1]]), updates.reshape(-1)
    if reduction == "none":
        order = mx.full([x.size + 1], -1, dtype=mx.int32).at[where].maximum(mx.arange(new.size, dtype=mx.int32))
        target = mx.where(order >= 0, new[mx.maximum(order, 0)], target)
    elif reduction == "add":
        target = target.at[where].add(new)
    elif reduction == "mul":
        target = target.at[where].multiply(new)
    else:
        extreme = target.at[where].maximum(new) if reduction == "max" else target.at[where].minimum(new)
        if mx.issubdtype(x.dtype, mx.inexact):  # a NaN is the result there, which MLX passes over
            added = mx.zeros(target.shape, dtype=mx.int32).at[where].add(mx.isnan(new).astype(mx.int32))
            extreme = mx.where(mx.isnan(target) | (added > 0), float("nan"), extreme)
        target = extreme
    return target[: x.size].reshape(x.shape)


def stacked(entries: list[mx.array], *, shape: list[int], dtype: mx.Dtype) -> mx.array:
    """What the rounds of a loop gave, on a new first axis; of no rounds an array of `shape`."""
    return mx.stack(entries) if entries else mx.zeros(shape, dtype=dtype)


def windows_of(x: mx.array, low: list[int], high: list[int], input_dilation: list[int]) -> mx.array:
    """`[N, C, ..]` with zeros between its elements and around them; a negative pad takes elements away."""
    for i, (before, after, apart) in enumerate(zip(low, high, input_dilation)):
        axis, size = 2 + i, x.shape[2 + i]
        if apart > 1 and size > 1:
            gaps = mx.pad(
                mx.expand_dims(x, axis + 1), [(0, apart - 1 if at == axis + 1 else 0) for at in range(x.ndim + 1)]
            )
            merged = gaps.reshape([*x.shape[:axis], size * apart, *x.shape[axis + 1 :]])
            x = mx.take(merged, mx.arange((size - 1) * apart + 1), axis=axis)
        x = mx.pad(x, [(max(before, 0), max(after, 0)) if at == axis else (0, 0) for at in range(x.ndim)])
        kept = mx.arange(max(-before, 0), max(x.shape[axis] + min(after, 0), max(-before, 0)))
        x = x if before >= 0 and after >= 0 else mx.take(x, kept, axis=axis)
    return x


def conv(
    x: mx.array,
    weight: mx.array,
    *,
    stride: list[int],
    low: list[int],
    high: list[int],
    dilation: list[int],
    input_dilation: list[int],
    groups: int,
) -> mx.array:
    """A convolution of `[N, C, ..]` with `[M, C / groups, ..]`; integers wrap to their type."""
    x = windows_of(x, low, high, input_dilation)
    kernel, count, rows = weight.shape[2:], x.shape[0], weight.shape[0]
    spans = [(size - 1) * apart + 1 for size, apart in zip(kernel, dilation)]
    places = [max(0, (size - span) // step + 1) for size, span, step in zip(x.shape[2:], spans, stride)]
    if 0 in (x.size, weight.size, *places):
        return mx.zeros([count, rows, *places], dtype=x.dtype)
    if x.dtype == mx.float32 and len(kernel) in (1, 2):
        last, filters = mx.moveaxis(x, 1, -1), mx.moveaxis(weight, 1, -1)
        made = mx.conv_general(last, filters, stride=stride, padding=0, kernel_dilation=dilation, groups=groups)
        return mx.moveaxis(made, -1, 1)
    product = mx.matmul if mx.issubdtype(x.dtype, mx.inexact) else integer_matmul
    channels, inside = x.shape[1] // groups, 1
    for size in kernel:
        inside *= size
    filters = weight.reshape(groups, rows // groups, channels, inside)
    total = mx.zeros([1], dtype=x.dtype)
    for number in range(inside):
        cut, rest = [slice(None), slice(None)], number
        for size, apart, step, many in reversed(list(zip(kernel, dilation, stride, places))):
            start = rest % size * apart
            cut.insert(2, slice(start, start + (many - 1) * step + 1, step))
            rest //= size
        part = x[tuple(cut)].reshape(count, groups, channels, -1)
        total = total + product(filters[None, ..., number], part)
    return total.reshape(count, rows, *places)
