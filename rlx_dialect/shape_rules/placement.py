"""Shape rules of the ops that place elements elsewhere: slices, pads, repetitions."""

from collections.abc import Sequence

from rlx_dialect.attributes import PadMode
from rlx_dialect.dims import larger, smaller
from rlx_dialect.relations import can_be
from rlx_dialect.shape_rules.windows import LARGEST
from rlx_dialect.shapes import DYNAMIC, Shaped, ShapeError, known, require_element, require_integers, require_rank, show


def require_per_axis(values: Sequence[int], value: Shaped, name: str) -> None:
    """One entry for each axis of `value`."""
    if len(values) != value.rank:
        raise ShapeError(f"{name} needs an entry for each dim of {value}, got {list(values)}")


def check_slice(value: Shaped, starts: Sequence[int], steps: Sequence[int], result: Shaped) -> None:
    """`result` holds the entries `start`, `start + step`, .. of each axis, all of them inside."""
    require_element(value.element, result.element, "result")
    require_rank(result, value.rank, "result")
    require_per_axis(starts, value, "starts")
    require_per_axis(steps, value, "steps")
    if 0 in steps:
        raise ShapeError(f"steps must not be 0, got {list(steps)}")
    for axis, (size, start, step, length) in enumerate(zip(value.dims, starts, steps, result.dims)):
        last = start + (0 if length == DYNAMIC else larger(length, 1) - 1) * step
        ends = LARGEST if size == DYNAMIC else size - (0 if length == DYNAMIC else smaller(length, 1))
        least, most = (start, last) if step > 0 else (last, start)
        if not (can_be(least, "at least", 0) and can_be(ends, "at least", most)):
            entries = "?" if length == DYNAMIC else length
            raise ShapeError(f"{entries} entries from {start} in steps of {step} leave dim {axis} of {value}")


def dynamic_slice(value: Shaped, lengths: Sequence[int]) -> Shaped:
    """`lengths` entries of each axis, wherever they start."""
    require_per_axis(lengths, value, "lengths")
    for axis, (size, length) in enumerate(zip(value.dims, lengths)):
        if length < 0 or not can_be(size, "at least", length):
            raise ShapeError(f"length {length} does not fit into dim {axis} of {value}")
    return value.with_dims(lengths)


def check_update(value: Shaped, update: Shaped) -> None:
    """`update` fits into `value`."""
    require_element(value.element, update.element, "update")
    require_rank(update, value.rank, "update")
    for axis, (size, length) in enumerate(zip(value.dims, update.dims)):
        if not can_be(size, "at least", length):
            raise ShapeError(f"dim {axis} of update {update} does not fit into {value}")


def pad(value: Shaped, low: Sequence[int], high: Sequence[int], mode: PadMode) -> Shaped:
    """Each axis with `low` more entries before it and `high` more after."""
    require_per_axis(low, value, "low")
    require_per_axis(high, value, "high")
    dims: list[int] = []
    for axis, (size, before, after) in enumerate(zip(value.dims, low, high)):
        if mode is not PadMode.CONSTANT and min(before, after) < 0:
            raise ShapeError(f"{mode} cannot take entries away, got {before} and {after} for dim {axis}")
        if size == DYNAMIC:
            dims.append(size)
            continue
        if problem := unfit(size, before, after, mode):
            raise ShapeError(f"dim {axis} of {value} {problem}")
        dims.append(size + before + after)
    return value.with_dims(dims)


def unfit(size: int, before: int, after: int, mode: PadMode) -> str:
    """Why an axis of `size` entries cannot be padded; empty where it can."""
    total = size + before + after
    if (known(total) and total > LARGEST) or not can_be(total, "at least", 0):
        return f"would get the size {total}"
    longest = max(before, after)
    if mode is PadMode.REFLECT and longest and not can_be(size, "at least", longest + 1):
        return f"has {larger(size - 1, 0)} entries to mirror, not {longest}"
    if mode is not PadMode.CONSTANT and longest and not can_be(size, "at least", 1):
        return "has no entry to repeat"
    return ""


def tile(value: Shaped, repeats: Sequence[int]) -> Shaped:
    """Each axis repeated as a whole."""
    require_per_axis(repeats, value, "repeats")
    if any(n < 0 for n in repeats):
        raise ShapeError(f"repeats must not be negative, got {show(repeats)}")
    # Zero times an unknown size is known.
    dims = [n and (size if size == DYNAMIC else size * n) for size, n in zip(value.dims, repeats)]
    if any(known(d) and d > LARGEST for d in dims):
        raise ShapeError(f"{value} repeated {show(repeats)} times has a dim beyond {LARGEST}")
    return value.with_dims(dims)


def require_starts(starts: Sequence[Shaped], value: Shaped) -> None:
    """One scalar start for each axis of `value`; they are of one type."""
    if len(starts) != value.rank:
        raise ShapeError(f"needs one start for each dim of {value}, {value.rank}, got {len(starts)}")
    if starts:
        require_rank(starts[0], 0, "start 0")
        require_integers(starts[0], "start 0")


def sources(size: int, low: int, high: int, mode: PadMode) -> list[int]:
    """Which entry of an axis is at each place of the padded one, for the modes that repeat entries."""
    places = range(-low, size + high)
    match mode:
        case PadMode.CIRCULAR:
            return [place % size for place in places]
        case PadMode.REFLECT:
            # Up and down again, the ends once.
            period = max(2 * (size - 1), 1)
            return [min(place % period, period - place % period) if size > 1 else 0 for place in places]
        case _:
            return [min(max(place, 0), size - 1) for place in places]
