"""`rlx-fuse-matmul-bias-act`"""

from collections.abc import Collection
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from rlx_dialect.attributes import BinaryKind
from rlx_dialect.ops import ActivationOp, BinaryOp, ExpandOp, FusedMatMulBiasActOp, MatMulOp, ReshapeOp
from rlx_dialect.shapes import DYNAMIC
from rlx_passes.core.index import PatternPass
from rlx_passes.fusion.defaults import DTYPES, EPILOGUES
from rlx_passes.fusion.epilogue import sole_activation
from rlx_passes.fusion.options import check_dtypes, check_epilogues
from rlx_passes.rewriting.legality import (
    dims_of,
    keeps_dims,
    only_reader,
    other_operand,
    require,
    require_dtype,
    require_kind,
    row_vector,
)
from rlx_passes.rewriting.miss import Miss, Reason, report_miss
from rlx_passes.rewriting.patterns import Fusion, FusionPattern, run_patterns
from rlx_passes.switches.original import restored


@dataclass(frozen=True)
class MatMulBiasAct(FusionPattern[MatMulOp]):
    """
    %0 = rlx.matmul %x, %w
    %1 = rlx.binary add %0, %b        =>    %2 = rlx.fused_matmul_bias_act %x, %w, %b activation(gelu)
    %2 = rlx.activation gelu %1

    The activation is optional. `%b` lies along the last axis: `[N]`, `[1, .., 1, N]`, an element, or a broadcast of it.
    """

    title = "matmul_bias_act"
    roots = (MatMulOp,)

    epilogues: Collection[str] = EPILOGUES
    dtypes: Collection[str] = DTYPES

    def match(self, matmul: MatMulOp, /) -> Fusion:
        product = matmul.result
        add = only_reader(product, BinaryOp)
        require_kind(add, BinaryKind.ADD)
        require_dtype(product, self.dtypes)
        require(keeps_dims(dims_of(product), dims_of(add.result)), Reason.BROADCASTS_UP, add)
        source = row_vector(other_operand(add, product), add)
        reshaped = as_vector(source, dims_of(add.result)[-1])
        bias = reshaped[-1].results[0] if reshaped else source

        tail = self.epilogue_of(add)
        activation = tail.activation if tail else None
        fused = FusedMatMulBiasActOp(matmul.lhs, matmul.rhs, bias, activation, accumulate=matmul.accumulate)
        return Fusion.of((matmul, add, tail) if tail else (matmul, add), *reshaped, fused)

    def epilogue_of(self, add: BinaryOp) -> ActivationOp | None:
        """The activation that alone reads the sum, if it may be fused; else it is reported and stays outside."""
        tail = sole_activation(self.title, add.result)
        if tail is None:
            return None
        if tail.kind.data not in self.epilogues:
            report_miss(self.title, tail, Miss(Reason.EPILOGUE, tail, detail=f"{tail.kind.data}"))
            return None
        return tail


def as_vector(source: SSAValue, size: int) -> tuple[Operation, ...]:
    """The ops that make `[size]` of a row vector, if any. Raises `Miss` where an unknown size is needed for it."""
    dims = dims_of(source)
    length = dims[-1] if dims else 1
    stretches = length == 1 != size
    require(len(dims) == 1 or length != DYNAMIC, Reason.DYNAMIC, source, detail="a reshape to a vector needs its size")
    require(
        not stretches or size != DYNAMIC, Reason.DYNAMIC, source, detail="one element cannot stretch to an unknown size"
    )

    ops: list[Operation] = []
    if len(dims) != 1:
        ops.append(ReshapeOp(source, (length,)))
    if stretches:
        ops.append(ExpandOp(ops[-1].results[0] if ops else source, (size,)))
    return tuple(ops)


@dataclass(frozen=True)
class FuseMatMulBiasActPass(PatternPass):
    """
    Fuse a matrix product with the bias that is added to it and the activation that follows.

    `epilogues` are the activations and `dtypes` the element types that may be fused; `compat-epilogues` and
    `compat-dtypes` restore gelu and silu, and f32 alone.
    """

    name = "rlx-fuse-matmul-bias-act"

    epilogues: tuple[str, ...] = EPILOGUES
    dtypes: tuple[str, ...] = DTYPES
    compat_epilogues: bool = False
    compat_dtypes: bool = False

    def __post_init__(self) -> None:
        check_epilogues(self.name, self.epilogues)
        check_dtypes(self.name, self.dtypes)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        options = restored(self)
        run_patterns(op, (MatMulBiasAct(options.epilogues, options.dtypes),))
