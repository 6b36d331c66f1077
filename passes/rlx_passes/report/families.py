"""What fusions make: the families of fused ops that reports and fusion locks count."""

from collections import Counter
from collections.abc import Mapping

from xdsl.ir import Operation

from rlx_dialect.decompose import fused_ops
from rlx_dialect.ops import RegionOp
from rlx_passes.policy.extensions import foreign_kinds


def family(op: Operation) -> str:
    """The family of a fused op or region: its name, of ours without the dialect. Empty for any other op."""
    made = isinstance(op, (*fused_ops(), RegionOp)) or op.name in foreign_kinds().values()
    return op.name.removeprefix("rlx.") if made else ""


def families(root: Operation) -> Mapping[str, int]:
    """How many ops of each family there are below `root`."""
    return Counter(name for op in root.walk() if (name := family(op)))
