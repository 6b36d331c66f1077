"""What the attention passes share: a projection, and the slices of a packed one."""

from typing import NamedTuple

from xdsl.ir import SSAValue

from rlx_dialect.attributes import AttentionLayout
from rlx_dialect.ops import AttentionOp, FusedMatMulBiasActOp, MatMulOp, NarrowOp
from rlx_dialect.shapes import Dims, normalize_axis, show
from rlx_passes.legality import dims_of, only_reader, producer, require
from rlx_passes.miss import Reason

ProjectionOp = MatMulOp | FusedMatMulBiasActOp
PROJECTIONS: tuple[type[MatMulOp] | type[FusedMatMulBiasActOp], ...] = (MatMulOp, FusedMatMulBiasActOp)


def bias_of(projection: ProjectionOp) -> SSAValue | None:
    return projection.bias if isinstance(projection, FusedMatMulBiasActOp) else None


def require_projection(projection: ProjectionOp) -> None:
    """`projection` ends in no activation and its weight has rank 2."""
    activation = projection.activation if isinstance(projection, FusedMatMulBiasActOp) else None
    require(activation is None, Reason.EPILOGUE, projection, detail="a projection has no activation")
    dims = dims_of(projection.rhs)
    require(len(dims) == 2, Reason.RANK, projection, detail=lambda: f"the weight has dims {show(dims)}")


def require_packed_heads(attention: AttentionOp) -> None:
    layout = attention.lies
    require(layout is AttentionLayout.BSM, Reason.LAYOUT, attention, detail=lambda: f"layout {layout}")


class Packed(NamedTuple):
    """Query, key and value as slices of one product, in this order."""

    projection: ProjectionOp
    slices: tuple[NarrowOp, NarrowOp, NarrowOp]


def packed_projection(attention: AttentionOp, widths: Dims) -> Packed:
    """The one product that query, key and value slice, side by side and read by nothing else. Raises `Miss` where there is none."""
    query, key, value = (producer(operand, NarrowOp) for operand in (attention.query, attention.key, attention.value))
    slices = (query, key, value)
    product = query.input
    start = 0
    for piece, width in zip(slices, widths):
        require(piece.input is product, Reason.NOT_A_PARTITION, piece, detail="the slices are of different values")
        only_reader(piece.result, AttentionOp)
        rank = len(dims_of(product))
        on_last = normalize_axis(piece.axis.value.data, rank) == rank - 1
        require(on_last, Reason.AXIS, piece)
        place = (piece.start.value.data, piece.length.value.data)
        require(
            place == (start, width),
            Reason.NOT_A_PARTITION,
            piece,
            detail=lambda place=place, wanted=(start, width): (
                f"starts at {place[0]} with {place[1]}, not at {wanted[0]} with {wanted[1]}"
            ),
        )
        start += width
    size = dims_of(product)[-1]
    require(size == start, Reason.NOT_A_PARTITION, query, detail=lambda: f"{show((size,))} packed, {start} used")
    return Packed(producer(product, PROJECTIONS), slices)
