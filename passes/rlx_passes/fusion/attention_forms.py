"""What the attention passes share: a projection, the slices of a packed one, and the sizes up to which a block pays."""

from collections.abc import Sequence
from math import isclose, prod
from typing import NamedTuple

from xdsl.dialects.builtin import TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from rlx_dialect.attributes import AttentionLayout, MaskKind
from rlx_dialect.ops import AttentionConfig, AttentionLike, AttentionOp, FusedMatMulBiasActOp, MatMulOp, NarrowOp
from rlx_dialect.shapes import DYNAMIC, Dims, normalize_axis, show
from rlx_dialect.signature import INPUT, arguments_of
from rlx_passes.rewriting.legality import dims_of, only_reader, producer, require
from rlx_passes.rewriting.miss import Miss, Reason

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
    """The one product that query, key and value slice, side by side and alone. Raises `Miss` otherwise."""
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


def require_small(op: Operation, rows: Dims, max_tokens: int) -> None:
    """The program has at most `max_tokens` rows, `rows` being batch and sequence. Raises `Miss` otherwise."""
    require(DYNAMIC not in rows, Reason.DYNAMIC, op, detail=lambda: f"the input has rows {show(rows)}")
    tokens = prod(rows)
    require(tokens <= max_tokens, Reason.TOO_LARGE, op, detail=lambda: f"{tokens} tokens, at most {max_tokens}")


def would_be_block(products: Sequence[MatMulOp], max_tokens: int) -> bool:
    """
    Whether an attention block can take these products, were they one: query, key and value of an attention, no biases.

    The weights are matrices, so that `[B, S]` rows are those of packed heads.
    """
    try:
        attention, *_ = [only_reader(product.result, AttentionOp) for product in products]
        operands = (attention.query, attention.key, attention.value)
        require(tuple(product.result for product in products) == operands, Reason.NOT_A_PARTITION, attention)
        require(only_reader(attention.result, MatMulOp).lhs is attention.result, Reason.NOT_CONSUMED_BY, attention)
        rows = dims_of(products[0].lhs)[:-1]
        require(len(rows) == 2, Reason.RANK, attention)
        require_small(attention, rows, max_tokens)
    except Miss:
        return False
    return True


def require_original(attention: AttentionLike) -> None:
    """Raises `Miss` unless the attention has a mask of keys and nothing else out of the ordinary."""
    config = attention.config
    keys = attention.masking is MaskKind.KEYS
    require(keys, Reason.ATTRIBUTES, attention, detail="a mask of keys is wanted")
    ordinary = AttentionConfig.make(config.heads, config.head_dim)
    same_scale = isclose(config.scale, ordinary.scale, rel_tol=1e-6)
    plain = config._replace(scale=ordinary.scale, masked_rows=ordinary.masked_rows, accumulate=None) == ordinary
    require(same_scale and plain, Reason.ATTRIBUTES, attention, detail="default scale and equal widths are wanted")


def smallest_input(op: Operation) -> int:
    """The fewest rows, first dim times second, of an input of the function around `op`. Raises `Miss` if unknown."""
    func = op.parent_op()
    while func is not None and not isinstance(func, FuncOp):
        func = func.parent_op()
    sizes = [
        dims[0] * dims[1]
        for binding, argument in (zip(arguments_of(func), func.args) if func is not None else ())
        if binding.role == INPUT and isinstance(argument.type, TensorType)
        for dims in [dims_of(argument)]
        if len(dims) >= 2 and DYNAMIC not in dims[:2]
    ]
    if not sizes:
        raise Miss(Reason.DYNAMIC, op, detail="no input of the function has known rows")
    return min(sizes)
