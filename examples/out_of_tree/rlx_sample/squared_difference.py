"""`sample.squared_difference`, the fusion that makes it, and the pass of that."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Dialect, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, result_def, traits_def
from xdsl.traits import Pure

from rlx_dialect.attributes import BinaryKind
from rlx_dialect.decompose import Decomposition, plain_form
from rlx_dialect.decompose.plain import Plain
from rlx_dialect.ops import BinaryOp, RlxOp
from rlx_dialect.shapes import Shaped, broadcast, shaped
from rlx_passes.core.index import PatternPass
from rlx_passes.rewriting.legality import producer, read_only_by, require, require_dtype, require_kind
from rlx_passes.rewriting.patterns import Fusion, FusionPattern, run_patterns
from rlx_sample.reasons import SampleReason


@irdl_op_definition
class SquaredDifferenceOp(RlxOp):
    """`(lhs - rhs)^2` for each element; dims broadcast as those of `rlx.binary`."""

    name = "sample.squared_difference"

    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = "$lhs `,` $rhs attr-dict `:` functional-type(operands, results)"

    def __init__(self, lhs: SSAValue, rhs: SSAValue):
        super().__init__(operands=[lhs, rhs])

    def infer(self) -> Sequence[Shaped]:
        return [broadcast(shaped(self.lhs, "lhs"), shaped(self.rhs, "rhs"))]


@plain_form(SquaredDifferenceOp, fused=True)
def _plain_squared_difference(op: SquaredDifferenceOp) -> Decomposition:
    """What reference, lowerings and `rlx-unfuse` take the op for."""
    to = Plain()
    difference = to.minus(op.lhs, op.rhs)
    return to.done(to.times(difference, difference))


SAMPLE = Dialect("sample", [SquaredDifferenceOp])


@dataclass(frozen=True)
class SquaredDifference(FusionPattern[BinaryOp]):
    """
    %0 = rlx.binary sub %x, %y
    %1 = rlx.binary mul %0, %0    =>    %1 = sample.squared_difference %x, %y
    """

    title = "squared_difference"
    roots = (BinaryOp,)

    dtypes: Collection[str] = ("f32", "f16", "bf16")

    def considers(self, root: BinaryOp, /) -> bool:
        factors = (value.owner for value in root.operands)
        differs = any(isinstance(op, BinaryOp) and op.binary is BinaryKind.SUB for op in factors)
        return root.binary is BinaryKind.MUL and differs

    def match(self, root: BinaryOp, /) -> Fusion:
        require(root.lhs is root.rhs, SampleReason.NOT_A_SQUARE, root)
        difference = producer(root.lhs, BinaryOp)
        require_kind(difference, BinaryKind.SUB)
        require_dtype(root.result, self.dtypes)
        read_only_by(difference.result, (root,))
        return Fusion.of((difference, root), SquaredDifferenceOp(difference.lhs, difference.rhs))


@dataclass(frozen=True)
class FuseSquaredDifferencePass(PatternPass):
    """Fuse a difference with its square. `dtypes` are the element types that may be fused."""

    name = "sample-fuse-squared-difference"

    dtypes: tuple[str, ...] = ("f32", "f16", "bf16")

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        run_patterns(op, (SquaredDifference(self.dtypes),))
