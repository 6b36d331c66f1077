"""Slices of one value along axis 0 that come together again in one `rlx.concat`."""

from collections.abc import Sequence

from xdsl.ir import SSAValue

from rlx_dialect.ops import ConcatOp, NarrowOp
from rlx_dialect.shapes import normalize_axis
from rlx_passes.fusion.steps import require_equal_dims
from rlx_passes.rewriting.legality import dims_of, producer, require
from rlx_passes.rewriting.miss import Reason


def joins_a_batch(concat: ConcatOp) -> bool:
    """Whether `concat` joins two or more values along axis 0."""
    return len(concat.inputs) > 1 and is_batch_axis(concat.axis.value.data, concat.result)


def require_slices(values: Sequence[SSAValue]) -> None:
    """`values` are slices of one value along axis 0, all of the same static dims. Raises `Miss` otherwise."""
    whole = producer(values[0], NarrowOp).input
    for value in values:
        narrow = producer(value, NarrowOp)
        require(is_batch_axis(narrow.axis.value.data, narrow.input), Reason.AXIS, narrow)
        require(narrow.input is whole, Reason.NOT_PRODUCED_BY, narrow, detail="it is a slice of another value")
        require_equal_dims(value, values[0])


def is_batch_axis(axis: int, value: SSAValue) -> bool:
    return normalize_axis(axis, len(dims_of(value))) == 0
