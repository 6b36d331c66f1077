"""What a region may hold, and how its body is made: the rules that the passes over region ops share."""

from collections.abc import Mapping, Sequence

from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from rlx_dialect.attributes import REGION_ACTIVATIONS, REGION_BINARIES
from rlx_dialect.kinds import KINDS
from rlx_dialect.ops import ActivationOp, BinaryOp, CastOp, CompareOp, RegionOp, WhereOp, YieldOp
from rlx_dialect.shapes import DYNAMIC, Dims, known_equal, show
from rlx_passes.rewriting.legality import NO_FUSE, dims_of, is_trailing, require, tensor_type
from rlx_passes.rewriting.miss import Miss, Reason

Step = ActivationOp | CastOp | BinaryOp | CompareOp | WhereOp
STEPS = (ActivationOp, CastOp, BinaryOp, CompareOp, WhereOp)
"""The ops that go into regions, as far as their kind allows."""

UnaryStep = ActivationOp | CastOp
UNARY_STEPS = (ActivationOp, CastOp)

BOUNDARY = frozenset(
    KINDS[kind].op
    for kind in (
        *("MatMul", "DotGeneral", "DenseSolve", "BatchedDenseSolve", "Conv", "Im2Col", "ConvTranspose2d", "Conv3d"),
        *("ConvTranspose3d", "FusedMatMulBiasAct", "FusedConvBiasAct", "FusedMatMulResidual", "GroupedMatMul"),
        *("DequantGroupedMatMul", "DequantGroupedMatMulMlx", "DequantMoEWeights", "LoraMatMul", "DequantMatMul"),
        *("QMatMul", "QConv2d", "ScaledMatMul", "GaussianSplatRender", "GaussianSplatPrepare"),
        *("GaussianSplatRasterize", "GaussianSplatRenderBackward"),
    )
)
"""The ops, by name, after which no chain goes on."""


def require_step(op: Step) -> None:
    """`op` may be a step of a region: its kind, static dims, trailing operands. Raises `Miss` otherwise."""
    require(NO_FUSE not in op.attributes, Reason.NO_FUSE, op)
    require(_is_plain(op), Reason.NOT_A_STEP, op)
    dims = dims_of(op.result)
    require(DYNAMIC not in dims, Reason.DYNAMIC, op)
    for operand in op.operands:
        _require_trailing(operand, dims)


def _require_trailing(operand: SSAValue, dims: Dims) -> None:
    source = dims_of(operand)
    require(is_trailing(source, dims), Reason.NOT_TRAILING, operand, detail=lambda: f"{show(source)} in {show(dims)}")


def _is_plain(op: Step) -> bool:
    match op:
        case ActivationOp():
            return op.activation in REGION_ACTIVATIONS
        case BinaryOp():
            return op.binary in REGION_BINARIES
        case CastOp():
            return tensor_type(op.input).element_type == tensor_type(op.result).element_type
        case CompareOp() | WhereOp():
            return True


def may_be_step(op: Operation) -> bool:
    """`require_step` as a question."""
    if not isinstance(op, STEPS):
        return False
    try:
        require_step(op)
    except Miss:
        return False
    return True


def require_equal_dims(value: SSAValue, other: SSAValue) -> None:
    """Both have the same static dims. Raises `Miss`: dims-not-known-equal."""
    require(known_equal(dims_of(value), dims_of(other)), Reason.DIMS_NOT_KNOWN_EQUAL, value, other)


def body_of(steps: Sequence[Operation], inputs: Sequence[SSAValue], types: Mapping[SSAValue, Attribute]) -> Region:
    """
    A body of copies of `steps` that yields the result of the last, with an argument for each of `inputs`.

    `types` says what the argument for an input is where it has not the input's own type, as after a prologue.
    """
    block = Block(arg_types=[types.get(value, value.type) for value in inputs])
    value_of: dict[SSAValue, SSAValue] = dict(zip(inputs, block.args))
    for value, argument in zip(inputs, block.args):
        argument.name_hint = value.name_hint
    for step in steps:
        block.add_op(step.clone(value_of))
    block.add_op(YieldOp(value_of[steps[-1].results[0]]))
    return Region(block)


def copied_body(op: RegionOp, order: Sequence[int] = ()) -> Region:
    """A copy of the body, its arguments in `order` where one is given: entry i is the old place of argument i."""
    block, old = Block(), op.body.block
    value_of: dict[SSAValue, SSAValue] = {}
    for place in order or range(len(old.args)):
        argument = block.insert_arg(old.args[place].type, len(block.args))
        argument.name_hint = old.args[place].name_hint
        value_of[old.args[place]] = argument
    for step in old.ops:
        block.add_op(step.clone(value_of))
    return Region(block)


def same_bodies(a: RegionOp, b: RegionOp) -> bool:
    """Whether two bodies compute the same from arguments of the same types."""
    return a.body.is_structurally_equivalent(b.body)
