"""What fusions make: the families of fused ops that reports and fusion locks count."""

from collections import Counter
from collections.abc import Mapping
from functools import cache

from xdsl.ir import Operation

from rlx_dialect.decompose import is_fused
from rlx_dialect.ops import RegionOp
from rlx_passes.policy.extensions import foreign_kinds


def family(op: Operation) -> str:
    """The family of a fused op or region: its name, of ours without the dialect. Empty for any other op."""
    return _family(type(op), frozenset(foreign_kinds().values()))


@cache
def _family(kind: type[Operation], foreign: frozenset[str]) -> str:
    made = is_fused(kind) or issubclass(kind, RegionOp) or kind.name in foreign
    return kind.name.removeprefix("rlx.") if made else ""


def families(root: Operation) -> Mapping[str, int]:
    """How many ops of each family there are below `root`."""
    foreign = frozenset(foreign_kinds().values())
    found = Counter[str]()
    for kind, number in Counter(map(type, root.walk())).items():
        if name := _family(kind, foreign):
            found[name] += number
    return found
