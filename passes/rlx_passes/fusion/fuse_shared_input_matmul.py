"""`rlx-fuse-shared-input-matmul`"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cmp_to_key
from itertools import islice

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from rlx_dialect.ops import ConcatOp, MatMulOp, NarrowOp
from rlx_dialect.shapes import count
from rlx_passes.core.index import PatternPass
from rlx_passes.fusion.attention_forms import would_be_block
from rlx_passes.fusion.defaults import DTYPES, MAX_TOKENS
from rlx_passes.fusion.joined_weights import require_joinable
from rlx_passes.fusion.options import check_dtypes, check_max_tokens, check_words
from rlx_passes.rewriting.legality import dims_of, live_uses, require, require_dtype
from rlx_passes.rewriting.miss import Miss, Reason
from rlx_passes.rewriting.order import is_after
from rlx_passes.rewriting.patterns import Fusion, FusionPattern, late_definitions, run_patterns

ATTENTION_BLOCK = "attention_block"
"""The fusion that joined products can be left to."""

MAX_PRODUCTS = 4
"""As many products of one value are joined; more are left as they are."""

MAX_ELEMENTS = 32 * 1024 * 1024
"""As many elements may the joined weight have."""


@dataclass(frozen=True)
class SharedInputMatMul(FusionPattern[MatMulOp]):
    """
    %0 = rlx.matmul %x, %w0         %w = rlx.concat %w0, %w1 axis(1)
    %1 = rlx.matmul %x, %w1    =>   %2 = rlx.matmul %x, %w
                                    %0, %1 = two rlx.narrow of %2, side by side

    Two to four products of one block. A product whose weight depends on another one of them stays; so do all of a value
    with more products, and all whose weights do not fit together. Stands where the first product stood.
    """

    title = "shared_input_matmul"
    roots = (MatMulOp,)

    dtypes: Collection[str] = DTYPES
    yield_to: Collection[str] = ()
    max_tokens: int = MAX_TOKENS

    def considers(self, root: MatMulOp, /) -> bool:
        return len(products_of(root)) > 1

    def match(self, matmul: MatMulOp, /) -> Fusion:
        products = products_of(matmul)
        within = len(products) <= MAX_PRODUCTS
        require(within, Reason.TOO_LARGE, matmul, detail=f"more than {MAX_PRODUCTS} products of one value")
        products = independent(products)
        require_dtype(matmul.result, self.dtypes)
        require_joinable(products)
        elements = sum(count(dims_of(product.rhs)) or 0 for product in products)
        require(elements <= MAX_ELEMENTS, Reason.TOO_LARGE, matmul, detail=f"the weights have {elements} elements")

        if ATTENTION_BLOCK in self.yield_to and len(products) == 3 and would_be_block(products, self.max_tokens):
            raise Miss(
                Reason.LATER_FUSION,
                matmul,
                detail="an attention block of a second run; pack-attention=true makes it now",
            )

        first = products[0]
        weight = ConcatOp([product.rhs for product in products], axis=1)
        packed = MatMulOp(first.lhs, weight.result, accumulate=first.accumulate)
        start, slices = 0, list[NarrowOp]()
        for product in products:
            width = dims_of(product.rhs)[1]
            slices.append(NarrowOp(packed.result, axis=len(dims_of(packed.result)) - 1, start=start, length=width))
            start += width
        replaces: dict[SSAValue, SSAValue] = {old.result: new.result for old, new in zip(products, slices)}
        return Fusion(tuple(products), (weight, packed, *slices), replaces, at=first)


def products_of(matmul: MatMulOp) -> list[MatMulOp]:
    """The products in the block of `matmul` with the same left side, in order; one more than may be joined at most."""
    found = (
        op
        for use in live_uses(matmul.lhs)
        if use.index == 0 and isinstance(op := use.operation, MatMulOp) and op.parent is matmul.parent
    )
    products = islice(found, MAX_PRODUCTS + 1)
    return sorted(products, key=cmp_to_key(lambda a, b: 1 if is_after(a, b) else -1))


def independent(products: Sequence[MatMulOp]) -> list[MatMulOp]:
    """The first product and later ones whose weights depend on none before. Raises `Miss` if only one is left."""
    first, *others = products
    kept, dependent = [first], list[MatMulOp]()
    for product in others:
        (kept if is_independent(product, kept) else dependent).append(product)
    require(len(kept) > 1, Reason.DEPENDS_ON_RESULT, *dependent)
    return kept


def is_independent(product: MatMulOp, kept: Sequence[MatMulOp]) -> bool:
    """Whether the weight of `product` depends on none of `kept`. Raises `Miss` if it cannot move up to the first."""
    try:
        late: Sequence[Operation] = late_definitions((product,), kept[0])
    except Miss as miss:
        if miss.reason is not Reason.DEPENDS_ON_RESULT:
            raise
        return False
    return not any(op in kept for op in late)


@dataclass(frozen=True)
class FuseSharedInputMatMulPass(PatternPass):
    """
    Join products of one value into one product and slices of it. `dtypes` are the element types that may be fused.

    With `yield-to=attention_block` three products stay that a second run would take for an attention block of up to
    `max-tokens` rows; `rlx-pack-attention-projections` joins these in time.
    """

    name = "rlx-fuse-shared-input-matmul"

    dtypes: tuple[str, ...] = DTYPES
    yield_to: tuple[str, ...] = ()
    max_tokens: int = MAX_TOKENS

    def __post_init__(self) -> None:
        check_dtypes(self.name, self.dtypes)
        check_words(self.name, "yield-to", self.yield_to, (ATTENTION_BLOCK,))
        check_max_tokens(self.name, self.max_tokens)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        run_patterns(op, (SharedInputMatMul(self.dtypes, self.yield_to, self.max_tokens),))
