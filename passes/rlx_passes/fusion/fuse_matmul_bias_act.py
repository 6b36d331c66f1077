"""`rlx-fuse-matmul-bias-act`"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import islice

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from rlx_dialect.attributes import BinaryKind
from rlx_dialect.ops import ActivationOp, BinaryOp, ExpandOp, FusedMatMulBiasActOp, MatMulOp, ReshapeOp
from rlx_dialect.shapes import DYNAMIC
from rlx_passes.core.index import PatternPass
from rlx_passes.fusion.defaults import DTYPES, EPILOGUES
from rlx_passes.fusion.epilogue import keeps_rows, sole_activation, views_of
from rlx_passes.fusion.options import check_dtypes, check_epilogues
from rlx_passes.rewriting.legality import (
    SHOWN_READERS,
    dims_of,
    keeps_dims,
    live_uses,
    only_reader,
    optional_reader,
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

    Either of bias and activation may be absent. `%b` lies along the last axis: `[N]`, `[1, .., 1, N]`, an element, or a
    broadcast of it. Reshapes between the ops come after the fused one; in front of the bias they keep the last axis. A
    product without bias that a gated linear unit activates is left to be joined with the other one. `original` wants a
    bias and no reshapes.
    """

    title = "matmul_bias_act"
    roots = (MatMulOp,)

    epilogues: Collection[str] = EPILOGUES
    dtypes: Collection[str] = DTYPES
    original: bool = False

    def match(self, matmul: MatMulOp, /) -> Fusion:
        product = matmul.result
        views = self.views(product)
        value = views[-1].result if views else product
        if not self.original and (tail := optional_reader(value, ActivationOp)) is not None:
            return self.activated(matmul, views, tail)
        add = only_reader(value, BinaryOp)
        require_kind(add, BinaryKind.ADD)
        require_dtype(product, self.dtypes)
        require(keeps_dims(dims_of(value), dims_of(add.result)), Reason.BROADCASTS_UP, add)
        source = row_vector(other_operand(add, value), add)
        for view in views:
            require(keeps_rows(view), Reason.NOT_A_ROW_VECTOR, view, detail="the view changes the last axis")
        reshaped = as_vector(source, dims_of(product if views else add.result)[-1])
        bias = reshaped[-1].results[0] if reshaped else source

        behind = self.views(add.result)
        tail = self.epilogue_of(behind[-1].result if behind else add.result)
        activation = tail.activation if tail else None
        fused = FusedMatMulBiasActOp(matmul.lhs, matmul.rhs, bias, activation, accumulate=matmul.accumulate)
        ops = (matmul, *views, add, *behind, tail) if tail else (matmul, *views, add)
        return Fusion.of(ops, *reshaped, fused, *view_again(fused.result, ops))

    def activated(self, matmul: MatMulOp, views: tuple[ReshapeOp, ...], tail: ActivationOp) -> Fusion:
        """The fusion of a product without bias."""
        require_dtype(matmul.result, self.dtypes)
        require(tail.kind.data in self.epilogues, Reason.EPILOGUE, tail, detail=tail.kind.data)
        tell_of_gate_read_elsewhere(matmul, tail)
        gated = optional_reader(tail.result, BinaryOp)
        if gated is not None and gated.kind.data == BinaryKind.MUL.value:
            other = other_operand(gated, tail.result).owner
            unit = isinstance(other, MatMulOp) and other.lhs is matmul.lhs and not views
            require(not unit, Reason.LATER_FUSION, gated, detail="a gated linear unit")
        fused = FusedMatMulBiasActOp(matmul.lhs, matmul.rhs, activation=tail.activation, accumulate=matmul.accumulate)
        ops = (matmul, *views, tail)
        return Fusion.of(ops, fused, *view_again(fused.result, ops))

    def views(self, value: SSAValue) -> tuple[ReshapeOp, ...]:
        return () if self.original else views_of(value)

    def epilogue_of(self, value: SSAValue) -> ActivationOp | None:
        """The activation that alone reads `value`, if it may be fused; else it is reported and stays outside."""
        tail = sole_activation(self.title, value)
        if tail is None:
            return None
        if tail.kind.data not in self.epilogues:
            report_miss(self.title, tail, Miss(Reason.EPILOGUE, tail, detail=f"{tail.kind.data}"))
            return None
        return tail


def tell_of_gate_read_elsewhere(matmul: MatMulOp, tail: ActivationOp) -> None:
    """A gated unit that a second reader of its gate forbids is a miss of its own: nothing is left to start from."""
    readers = list(dict.fromkeys(use.operation for use in islice(live_uses(tail.result), SHOWN_READERS)))
    if len(readers) < 2:
        return
    for reader in readers:
        if isinstance(reader, BinaryOp) and reader.kind.data == BinaryKind.MUL.value:
            other = other_operand(reader, tail.result).owner
            if isinstance(other, MatMulOp) and other.lhs is matmul.lhs:
                rest = [each for each in readers if each is not reader]
                report_miss("swiglu_dual_matmul", reader, Miss(Reason.MULTI_USE, *rest, candidate=True))


def view_again(value: SSAValue, ops: Sequence[Operation]) -> tuple[ReshapeOp, ...]:
    """`value` with the dims that the last reshape among `ops` gives, if there is one."""
    views = [op for op in ops if isinstance(op, ReshapeOp)]
    return (ReshapeOp(value, dims_of(views[-1].result), views[-1].sizes),) if views else ()


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

    `epilogues` are the activations and `dtypes` the element types that may be fused. `compat-epilogues` restores gelu
    and silu right behind a bias, `compat-dtypes` f32 alone.
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
        run_patterns(op, (MatMulBiasAct(options.epilogues, options.dtypes, self.compat_epilogues),))
