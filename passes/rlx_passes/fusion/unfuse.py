"""`rlx-unfuse`"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from rlx_dialect.decompose import FUSED_OPS, decompose
from rlx_passes.miss import Miss, Reason
from rlx_passes.patterns import Fusion, FusionPattern, run_patterns


@dataclass(frozen=True)
class Unfuse(FusionPattern[Operation]):
    """A fused op becomes the plain ops that it stands for. One with `rlx.no_fuse` is left as it is."""

    title = "unfuse"
    fuses = False
    roots = FUSED_OPS

    def match(self, fused: Operation, /) -> Fusion:
        return taken_apart(fused)


def taken_apart(fused: Operation) -> Fusion:
    """`fused` as the plain ops that it stands for. Raises `Miss` where it has no such form."""
    plain = decompose(fused)
    if plain is None:
        raise Miss(Reason.ATTRIBUTES, fused, detail="no decomposition")
    return Fusion((fused,), tuple(plain.ops), dict(zip(fused.results, plain.results)))


@dataclass(frozen=True)
class UnfusePass(ModulePass):
    """Replace every fused op by the plain ops that it stands for, with the attributes they had."""

    name = "rlx-unfuse"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        run_patterns(op, (Unfuse(),))
