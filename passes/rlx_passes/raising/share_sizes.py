"""`rlx-share-sizes`: a size that is read from a value and stands there already is not read again."""

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import IndexType, ModuleOp
from xdsl.ir import Block, BlockArgument, SSAValue

from rlx_dialect.dims import Size
from rlx_dialect.known_sizes import KnownSizes
from rlx_passes.core.index import PatternPass, forget_index, index_of

DIM = "tensor.dim"
"""By its name, so that programs without one do not load its dialect."""


@dataclass(frozen=True)
class ShareSizesPass(PatternPass):
    """
    %n = tensor.dim %x, %c0
    %0 = rlx.matmul %x, %w
    %1 = tensor.dim %0, %c0             =>   %n in place of %1
    %2 = rlx.reshape %0 sizes(%1)

    A size that an earlier index value of the same block, or of one around it, comes to in every run is that value.
    What computes the tensor then has one reader fewer, and fusions that want it to have one find it.
    """

    name: ClassVar[str] = "rlx-share-sizes"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if not index_of(op).where(lambda kind: getattr(kind, "name", "") == DIM):
            return
        known = KnownSizes()
        for func in op.body.ops:
            for region in func.regions:
                for block in region.blocks:
                    share(block, known, {})


def share(block: Block, known: KnownSizes, before: dict[Size, SSAValue]) -> None:
    """Replace the sizes that are read in a block by values that stand in it or around it already."""
    given = dict(before)
    for op in list(block.ops):
        for region in op.regions:
            for inner in region.blocks:
                share(inner, known, given)
        if len(op.results) != 1 or not isinstance(op.results[0].type, IndexType):
            continue
        size = known.index(op.results[0])
        if isinstance(size, int):
            continue
        earlier = given.setdefault(size, op.results[0])
        if op.name == DIM and earlier is not op.results[0] and not isinstance(op.operands[0], BlockArgument):
            op.results[0].replace_all_uses_with(earlier)
            op.detach()
            op.erase()
            forget_index()
