"""What fusions make: the families of fused ops that reports and fusion locks count."""

from collections import Counter
from collections.abc import Mapping

from xdsl.ir import Operation

from rlx_dialect.decompose import FUSED_OPS
from rlx_dialect.ops import RegionOp
from rlx_passes.pipeline.extensions import foreign_kinds

FUSED = (*FUSED_OPS, RegionOp)


def family(op: Operation) -> str:
    """The family of a fused op or region: its name, of ours without the dialect. Empty for any other op."""
    if isinstance(op, FUSED):
        return op.name.partition(".")[2]
    return op.name if op.name in foreign_kinds().values() else ""


def families(root: Operation) -> Mapping[str, int]:
    """How many ops of each family there are below `root`."""
    return Counter(name for op in root.walk() if (name := family(op)))
