"""Rotary position embeddings and the key-value cache."""

import math
from abc import ABC
from collections.abc import Sequence

from xdsl.dialects.builtin import I64, DenseArrayBase, FloatAttr, IntegerAttr, TensorType, f64, i64
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from rlx_dialect.attributes import RopeStyle, RopeTable, WordOf, word_of
from rlx_dialect.directives import Real, Word
from rlx_dialect.ops.base import SAME_TYPE, RlxOp, f64_attr, i64_attr, i64s, word
from rlx_dialect.relations import can_be
from rlx_dialect.shapes import (
    DYNAMIC,
    Shaped,
    ShapeError,
    concat,
    meet,
    narrow,
    normalize_axis,
    require_element,
    require_floats,
    require_rank,
    same,
    shaped,
)


def positions(value: Shaped, axis: int) -> int:
    """The axis of the positions from the start. Raises `ShapeError` unless whole heads of known width come after it."""
    require_floats(value, "input")
    if value.rank < 2:
        raise ShapeError(f"input must have rank 2 or more, got {value}")
    axis = normalize_axis(axis, value.rank)
    if axis == value.rank - 1:
        raise ShapeError(f"axis must not be the last, which holds the heads, got {axis}")
    if value.dims[-1] == DYNAMIC:
        raise ShapeError(f"the last dim of input must be known, got {value}")
    return axis


class RotaryOp(RlxOp, ABC):
    """
    Pairs of elements (i, j) of each head turned by the angles that `cos` and `sin` hold for its position.

    input `[.., D]` of floats, positions on `axis`, heads on the last axis. The first `n_rot` elements of a head are
    rotated, the others copied: `neox` pairs i with i + n_rot/2, `gptj` 2i with 2i + 1. The tables are `[S, W]`, or
    `[B, S, W]` with positions for each index of dim 0; `half` holds one entry for each pair (W = n_rot/2), `full` one
    for each element (W = n_rot).
    """

    input = operand_def(TensorType)
    cos = operand_def(TensorType)
    sin = operand_def(TensorType)
    style = prop_def(WordOf(RopeStyle))
    table = prop_def(WordOf(RopeTable))
    n_rot = prop_def(IntegerAttr.constr(i64))
    axis = prop_def(IntegerAttr.constr(i64))
    result = result_def(TensorType)

    traits = traits_def(Pure())
    custom_directives = (Word,)
    assembly_format = (
        "$input `,` $cos `,` $sin `style` `(` custom<Word>($style) `)` `table` `(` custom<Word>($table) `)` "
        "`n_rot` `(` $n_rot `)` `axis` `(` $axis `)` attr-dict `:` functional-type(operands, results)"
    )

    def __init__(
        self,
        input: SSAValue,
        cos: SSAValue,
        sin: SSAValue,
        *,
        n_rot: int,
        axis: int,
        style: RopeStyle = RopeStyle.NEOX,
        table: RopeTable = RopeTable.HALF,
    ):
        super().__init__(
            operands=[input, cos, sin],
            properties={
                "style": word(style),
                "table": word(table),
                "n_rot": i64_attr(n_rot),
                "axis": i64_attr(axis),
            },
        )

    @property
    def pairs(self) -> RopeStyle:
        return word_of(self.style, RopeStyle)

    @property
    def entries(self) -> RopeTable:
        return word_of(self.table, RopeTable)

    def infer(self) -> Sequence[Shaped]:
        value = shaped(self.input, "input")
        axis = positions(value, self.axis.value.data)
        n_rot = self.n_rot.value.data
        if n_rot < 2 or n_rot % 2 or n_rot > value.dims[-1]:
            raise ShapeError(f"n_rot must be even, from 2 to the {value.dims[-1]} elements of a head, got {n_rot}")
        table = same(shaped(self.cos, "cos"), shaped(self.sin, "sin"), "cos", "sin")
        require_element(value.element, table.element, "cos")
        if table.rank not in (2, 3):
            raise ShapeError(f"cos must have rank 2 or 3, got {table}")
        width = n_rot if self.entries is RopeTable.FULL else n_rot // 2
        meet(table.dims[-1], width, f"the last dim of cos {table} and the width of the table")
        meet(table.dims[-2], value.dims[axis], f"the positions of cos {table} and input {value}")
        if table.rank == 3:
            if axis == 0:
                raise ShapeError("cos must have rank 2 where axis is 0")
            meet(table.dims[0], value.dims[0], f"dim 0 of cos {table} and input {value}")
        return [value]


@irdl_op_definition
class RopeOp(RotaryOp):
    """
    The rotary embedding of each head: for a pair (i, j)

        result_i = input_i * cos_i - input_j * sin_i
        result_j = input_j * cos_j + input_i * sin_j

    where `half` tables have one entry for i and j. Operands and attributes as `RotaryOp` has them.
    """

    name = "rlx.rope"


@irdl_op_definition
class RopeBackwardOp(RotaryOp):
    """
    The gradient of `rlx.rope` by its input, `input` being that of its result: for a pair (i, j)

        result_i = input_i * cos_i + input_j * sin_j
        result_j = input_j * cos_j - input_i * sin_i
    """

    name = "rlx.rope_backward"


@irdl_op_definition
class AxialRope2dOp(RlxOp):
    """
    The rotary embedding of a picture's tiles, rows and columns each on half of a head.

    input `[.., D]` of floats with D a multiple of 4 and the tiles, row by row of a `grid` [height, width], on `axis`;
    an axis of several grids repeats the positions. The tile s lies at x = s mod width, y = (s div width) mod height.
    Pair p of neighbours (2p, 2p + 1) turns by `x * theta^(-4p/D)` for p < D/4 and by `y * theta^(-4(p - D/4)/D)` for
    the others; formula of a turn as in `rlx.rope`.
    """

    name = "rlx.axial_rope2d"

    input = operand_def(SAME_TYPE)
    axis = prop_def(IntegerAttr.constr(i64))
    grid = prop_def(DenseArrayBase.constr(I64))
    theta = prop_def(FloatAttr.constr(f64))
    result = result_def(SAME_TYPE)

    traits = traits_def(Pure())
    custom_directives = (Real,)
    assembly_format = (
        "$input `axis` `(` $axis `)` `grid` $grid `theta` `(` custom<Real>($theta) `)` attr-dict `:` type($input)"
    )

    def __init__(self, input: SSAValue, *, axis: int, grid: tuple[int, int], theta: float = 10000.0):
        super().__init__(
            operands=[input],
            properties={"axis": i64_attr(axis), "grid": i64s(grid), "theta": f64_attr(theta)},
        )

    def infer(self) -> Sequence[Shaped]:
        value = shaped(self.input, "input")
        axis = positions(value, self.axis.value.data)
        grid = self.grid.get_values()
        if len(grid) != 2 or min(grid) < 1:
            raise ShapeError(f"grid must be a height and a width of at least 1, got {list(grid)}")
        if value.dims[axis] == DYNAMIC or value.dims[axis] % (grid[0] * grid[1]):
            raise ShapeError(f"dim {axis} of input must be known and hold whole grids of {list(grid)}, got {value}")
        if not 0 < self.theta.value.data < math.inf:
            raise ShapeError(f"theta must be positive and finite, got {self.theta.value.data}")
        if value.dims[-1] % 4:
            raise ShapeError(f"the last dim of input must be a multiple of 4, got {value}")
        return [value]


@irdl_op_definition
class KvAppendOp(RlxOp):
    """
    The first `position` entries of `cache` on `axis`, followed by `rows`: what attention reads after a step.

    cache and rows have equal dims but for `axis`; the rows must fit into the cache after `position`. The cache itself
    does not change; code may write the rows into it in place where nothing reads the old ones.
    """

    name = "rlx.kv_append"

    cache = operand_def(TensorType)
    rows = operand_def(TensorType)
    axis = prop_def(IntegerAttr.constr(i64))
    position = prop_def(IntegerAttr.constr(i64))
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = (
        "$cache `,` $rows `axis` `(` $axis `)` `position` `(` $position `)` attr-dict "
        "`:` functional-type(operands, results)"
    )

    def __init__(self, cache: SSAValue, rows: SSAValue, *, axis: int, position: int):
        super().__init__(operands=[cache, rows], properties={"axis": i64_attr(axis), "position": i64_attr(position)})

    def infer(self) -> Sequence[Shaped]:
        cache, rows = shaped(self.cache, "cache"), shaped(self.rows, "rows")
        require_rank(rows, cache.rank, "rows")
        axis, start = normalize_axis(self.axis.value.data, cache.rank, "cache"), self.position.value.data
        size, added = cache.dims[axis], rows.dims[axis]
        if start < 0:
            raise ShapeError(f"position must not be negative, got {start}")
        if not can_be(size, "at least", start if added == DYNAMIC else start + added):
            raise ShapeError(f"rows {rows} at position {start} exceed dim {axis} of cache {cache}")
        return [concat([narrow(cache, axis, 0, start), rows], axis)]
