"""What the passes that fuse convolutions share: vectors along channels, the tail of a chain, and target limits."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from rlx_dialect.attributes import Activation, BinaryKind
from rlx_dialect.decompose.plain import Plain
from rlx_dialect.ops import BinaryOp, ConvOp, ExpandOp, FusedConvBiasActOp, ReshapeOp
from rlx_dialect.shape_rules.windows import channel_axis
from rlx_dialect.shapes import DYNAMIC, show
from rlx_passes.core.errors import PipelineError
from rlx_passes.core.index import PatternPass
from rlx_passes.fusion.defaults import DTYPES, EPILOGUES
from rlx_passes.fusion.epilogue import sole_activation
from rlx_passes.fusion.options import check_dtypes, check_epilogues
from rlx_passes.rewriting.legality import (
    NO_FUSE,
    broadcast_source,
    dims_of,
    keeps_dims,
    neither_stretches,
    optional_reader,
    other_operand,
    require,
    require_dtype,
)
from rlx_passes.rewriting.miss import Miss, Reason, report_miss
from rlx_passes.rewriting.patterns import Fusion, FusionPattern, run_patterns
from rlx_passes.switches.original import restored


@dataclass(frozen=True)
class ConvLimits:
    """
    Which convolutions may be fused, and what may follow them.

    `kernel_min` is the smallest kernel size of any axis, `max_groups` the largest number of groups (None: any).
    `original` takes two spatial dims only; `all_or_nothing` fuses nothing before an activation outside `epilogues`.
    """

    epilogues: Collection[str] = EPILOGUES
    dtypes: Collection[str] = DTYPES
    kernel_min: int = 1
    max_groups: int | None = None
    original: bool = False
    all_or_nothing: bool = False

    def check(self, conv: ConvOp) -> None:
        """Raises `Miss` for a convolution outside of the limits."""
        require_dtype(conv.result, self.dtypes)
        kernel, groups = conv.kernel, conv.config.groups
        within = min(kernel) >= self.kernel_min and (not self.original or len(kernel) == 2)
        require(within, Reason.OUT_OF_LIMITS, conv, detail=lambda: f"a kernel of {show(kernel)}")
        few = self.max_groups is None or groups <= self.max_groups
        require(few, Reason.OUT_OF_LIMITS, conv, detail=lambda: f"{groups} groups, at most {self.max_groups}")


@dataclass(frozen=True)
class ConvPass(PatternPass):
    """What the passes of convolutions share: the options, and the run of `pattern` within the limits that they set."""

    pattern: ClassVar[Callable[[ConvLimits], FusionPattern[ConvOp]]]

    epilogues: tuple[str, ...] = EPILOGUES
    dtypes: tuple[str, ...] = DTYPES
    kernel_min: int = 1
    max_groups: int | None = None
    compat_conv: bool = False
    compat_epilogues: bool = False

    def __post_init__(self) -> None:
        check_epilogues(self.name, self.epilogues)
        check_dtypes(self.name, self.dtypes)
        for option, value in (("kernel-min", self.kernel_min), ("max-groups", self.max_groups)):
            if value is not None and value < 1:
                raise PipelineError(f"option '{option}' of pass '{self.name}' must be at least 1, not {value}")

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        options = restored(self)
        limits = ConvLimits(
            options.epilogues,
            options.dtypes,
            options.kernel_min,
            options.max_groups,
            self.compat_conv,
            self.compat_epilogues,
        )
        run_patterns(op, (type(self).pattern(limits),))


def channel_vector(value: SSAValue, conv: ConvOp, op: Operation) -> SSAValue:
    """
    The broadcast source of an operand of `op` that lies along the channels of `conv`, or is one element. Raises `Miss`
    for any other dims.
    """
    source = broadcast_source(value)
    dims, rank = dims_of(source), len(dims_of(conv.result))
    axis = channel_axis(conv.config.layout, rank)
    padded = (1,) * (rank - len(dims)) + dims
    along = len(padded) == rank and all(d == 1 for i, d in enumerate(padded) if i != axis)
    require(along, Reason.NOT_ALONG_CHANNELS, op, detail=lambda: f"an operand has dims {show(dims)}")
    return source


def as_vector(to: Plain, source: SSAValue, channels: int) -> SSAValue:
    """`source`, as `channel_vector` gives it, as `[channels]`. Raises `Miss` where an unknown size is needed for it."""
    dims = dims_of(source)
    owner = source.owner
    if isinstance(owner, ReshapeOp) and dims_of(owner.input) == (channels,):
        return owner.input
    if len(dims) == 1 and (dims[0] != 1 or channels == 1):
        return source
    length = channels if any(d != 1 for d in dims) else 1
    require(
        DYNAMIC not in (length, channels), Reason.DYNAMIC, source, detail="a vector of the channels needs their number"
    )
    vector = source if dims == (length,) else to.add(ReshapeOp(source, (length,))).result
    return vector if length == channels else to.add(ExpandOp(vector, (channels,))).result


class Tail(NamedTuple):
    """What follows a value with a bias: the sum with a residual and the activation, each if there is one, in `ops`."""

    ops: tuple[Operation, ...]
    residual: SSAValue | None = None
    activation: Activation | None = None


def tail_of(title: str, value: SSAValue, limits: ConvLimits, residuals: bool = True) -> Tail:
    """
    What may be fused after `value`. An activation outside of the table is reported and stays outside, or raises `Miss`
    where it is all or nothing.
    """
    ops: tuple[Operation, ...] = ()
    residual = None
    add = optional_reader(value, BinaryOp) if residuals else None
    if add is not None and _adds_residual(add, value):
        ops, residual, value = (add,), other_operand(add, value), add.result

    act = sole_activation(title, value)
    if act is None:
        return Tail(ops, residual)
    if act.kind.data in limits.epilogues:
        return Tail((*ops, act), residual, act.activation)
    miss = Miss(Reason.EPILOGUE, act, detail=act.kind.data)
    if limits.all_or_nothing:
        raise miss
    report_miss(title, act, miss)
    return Tail(ops, residual)


def _adds_residual(add: BinaryOp, value: SSAValue) -> bool:
    other = other_operand(add, value)
    is_sum = add.kind.data == BinaryKind.ADD.value and NO_FUSE not in add.attributes
    return is_sum and neither_stretches(dims_of(other), dims_of(value))


def require_same_dims(conv: ConvOp, op: BinaryOp) -> None:
    """The result of `op`, which reads the result of `conv`, has its dims."""
    require(keeps_dims(dims_of(conv.result), dims_of(op.result)), Reason.BROADCASTS_UP, op)


def fused_conv(
    conv: ConvOp, absorbed: Sequence[Operation], to: Plain, weight: SSAValue, bias: SSAValue | None, tail: Tail
) -> Fusion:
    """The fusion of `conv`, the ops between and the tail; `to` holds the ops that make weight and bias."""
    fused = FusedConvBiasActOp(conv.input, weight, bias, conv.config, tail.activation, residual=tail.residual)
    return Fusion.of((conv, *absorbed, *tail.ops), *to.ops, fused)
