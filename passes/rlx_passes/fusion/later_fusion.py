"""What the passes that follow a residual norm would take, so that it can leave that to them."""

from collections.abc import Collection

from rlx_dialect.attributes import BinaryKind
from rlx_dialect.ops import BinaryOp, NormOp, RmsNormOp
from rlx_passes.fusion.modulation import gated_sum, is_kind, modulated_norm
from rlx_passes.rewriting.legality import dims_of, neither_stretches, optional_reader
from rlx_passes.rewriting.miss import Miss

ADA_LAYER_NORM, GATED_RESIDUAL = "ada_layer_norm", "gated_residual"
LATER = (ADA_LAYER_NORM, GATED_RESIDUAL)
"""The fusions that a residual norm can yield to."""


def feeds_ada_layer_norm(norm: NormOp, dtypes: Collection[str]) -> bool:
    """Whether an adaptive layer norm could take `norm` and what reads it."""
    try:
        modulated_norm(norm, dtypes)
    except Miss:
        return False
    return True


def ends_ada_layer_norm(add: BinaryOp, dtypes: Collection[str], *, taken_before: bool = False) -> bool:
    """
    Whether `add` is the shift of an adaptive layer norm, which takes it together with the norm before it.

    `taken_before` says that residual RMS norms leave nothing to adaptive ones.
    """
    parts = (value.owner for value in add.operands if isinstance(value.owner, BinaryOp))
    norms = (value.owner for part in parts for value in part.operands if isinstance(value.owner, NormOp))
    for norm in norms:
        if taken_before and _ends_residual_rms_norm(norm):
            continue
        try:
            if modulated_norm(norm, dtypes).ops[-1] is add:
                return True
        except Miss:
            continue
    return False


def _ends_residual_rms_norm(norm: NormOp) -> bool:
    """Whether the pass for residual RMS norms, which comes before that for adaptive ones, could take `norm`."""
    add = norm.input.owner
    if not (isinstance(norm, RmsNormOp) and isinstance(add, BinaryOp) and is_kind(add, BinaryKind.ADD)):
        return False
    return neither_stretches(dims_of(add.lhs), dims_of(add.rhs)) and (optional_reader(add.result, RmsNormOp) is norm)


def gated_product(add: BinaryOp, dtypes: Collection[str]) -> BinaryOp | None:
    """The addend of `x + gate * y` that is `gate * y`, if a gated residual could take the sum."""
    try:
        return gated_sum(add, dtypes).product
    except Miss:
        return None
