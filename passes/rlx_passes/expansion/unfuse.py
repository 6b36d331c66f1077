"""`rlx-unfuse`"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from rlx_dialect.decompose import decompose, fused_ops
from rlx_dialect.decompose.plain import Plain
from rlx_dialect.ops import FusedConvBiasActOp
from rlx_passes.core.index import PatternPass
from rlx_passes.rewriting.legality import only_reader, producer, require
from rlx_passes.rewriting.miss import Miss, Reason
from rlx_passes.rewriting.patterns import Fusion, FusionPattern, run_patterns


@dataclass(frozen=True)
class Unfuse(FusionPattern[Operation]):
    """A fused op, or any op of another package, becomes its plain ops; one with `rlx.no_fuse` is left as it is."""

    title = "unfuse"
    fuses = False
    roots = (Operation,)

    def considers(self, root: Operation, /) -> bool:
        return isinstance(root, fused_ops())

    def match(self, fused: Operation, /) -> Fusion:
        return taken_apart(fused)


def taken_apart(fused: Operation) -> Fusion:
    """`fused` as the plain ops that it stands for. Raises `Miss` where it has no such form."""
    plain = decompose(fused)
    if plain is None:
        raise Miss(Reason.ATTRIBUTES, fused, detail="no decomposition")
    return Fusion((fused,), tuple(plain.ops), dict(zip(fused.results, plain.results)))


@dataclass(frozen=True)
class MeetingConvolutions(FusionPattern[FusedConvBiasActOp]):
    """
    A fused convolution whose residual is another one that only it reads: the first becomes sum and activation after
    both, and precedes the second. Fusing gives the sum to the convolution that comes first; so that one gets it.
    """

    title = "unfuse_meeting_convolutions"
    fuses = False
    roots = (FusedConvBiasActOp,)

    def considers(self, root: FusedConvBiasActOp, /) -> bool:
        return root.residual is not None and isinstance(root.residual.owner, FusedConvBiasActOp)

    def match(self, root: FusedConvBiasActOp, /) -> Fusion:
        if root.residual is None:
            raise Miss(Reason.ATTRIBUTES, root, detail="no residual")
        other = producer(root.residual, FusedConvBiasActOp)
        require(only_reader(other.result, FusedConvBiasActOp) is root, Reason.NOT_CONSUMED_BY, root)
        first = FusedConvBiasActOp(root.input, root.weight, root.bias, root.config)
        second = other.clone()
        to = Plain()
        value = to.plus(first.result, second.result)
        if root.epilogue is not None:
            to.activated(root.epilogue, value)
        return Fusion.of((other, root), first, second, *to.ops)


@dataclass(frozen=True)
class UnfusePass(PatternPass):
    """Replace every fused op by the plain ops that it stands for, with the attributes they had."""

    name = "rlx-unfuse"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        run_patterns(op, (MeetingConvolutions(),))
        run_patterns(op, (Unfuse(),))
