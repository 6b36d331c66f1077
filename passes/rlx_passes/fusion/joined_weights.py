"""When the weights of several products of one value may lie side by side in one matrix."""

from collections.abc import Sequence

from rlx_dialect.ops import MatMulOp
from rlx_dialect.shapes import DYNAMIC, Shaped, of_type, show
from rlx_passes.rewriting.legality import require, tensor_type
from rlx_passes.rewriting.miss import Reason


def require_joinable(products: Sequence[MatMulOp]) -> None:
    """
    The weights of `products` are matrices of known dims with equally many rows and one element type, and the products
    sum alike. Raises `Miss` otherwise.
    """
    first = products[0]
    rows = _weight(first).dims[:1]
    for product in products:
        weight = _weight(product)
        require(weight.rank == 2, Reason.RANK, product, detail=lambda weight=weight: f"the weight is {weight}")
        require(
            DYNAMIC not in weight.dims, Reason.DYNAMIC, product, detail=lambda weight=weight: f"the weight is {weight}"
        )
        require(
            weight.dims[:1] == rows,
            Reason.DIMS_NOT_KNOWN_EQUAL,
            product,
            detail=lambda weight=weight: f"weights of {show(rows)} and {show(weight.dims[:1])} rows",
        )
        alike = weight.element == _weight(first).element and tensor_type(product.result).element_type == weight.element
        require(alike, Reason.DTYPE, product, detail="the element types differ")
        require(product.accumulate == first.accumulate, Reason.ATTRIBUTES, product, detail="accumulate types differ")


def _weight(product: MatMulOp) -> Shaped:
    return of_type(tensor_type(product.rhs))
