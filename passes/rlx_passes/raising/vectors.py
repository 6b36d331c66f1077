"""Values that lie along one axis of those they meet: gains, shifts and statistics of channels."""

from dataclasses import dataclass

from xdsl.ir import SSAValue

from rlx_dialect.attributes import BinaryKind
from rlx_dialect.decompose.plain import Plain
from rlx_dialect.ops import BinaryOp, ReshapeOp
from rlx_dialect.shapes import DYNAMIC
from rlx_passes.raising.norms import is_weight, other
from rlx_passes.rewriting.legality import broadcast_source, dims_of, only_reader, require
from rlx_passes.rewriting.miss import Miss, Reason


@dataclass(frozen=True)
class Vector:
    """`source` less its broadcasts, with `size` elements along `axis`, counted from the end, and ones elsewhere."""

    source: SSAValue
    axis: int
    size: int

    def row(self, to: Plain) -> SSAValue:
        """The elements as `[size]`."""
        value = self.source
        while isinstance(value.owner, ReshapeOp) and dims_of(value) != (self.size,):
            value = value.owner.input
        if dims_of(value) == (self.size,):
            return value
        return to.add(ReshapeOp(self.source, (self.size,))).result


def along(value: SSAValue) -> Vector | None:
    """`value` as a vector, or None where it lies along several axes, along none, or is as long as nobody knows."""
    source = broadcast_source(value)
    dims = dims_of(source)
    places = [axis for axis, d in enumerate(dims) if d != 1]
    if len(places) != 1 or dims[places[0]] == DYNAMIC:
        return None
    return Vector(source, places[0] - len(dims), dims[places[0]])


def require_along(value: SSAValue, like: Vector) -> Vector:
    """`value` as a vector that lies as `like` does. Raises `Miss` where it is none."""
    found = along(value)
    lies = found is not None and (found.axis, found.size) == (like.axis, like.size)
    require(lies, Reason.AXIS, value, detail=lambda: f"{like.size} elements along axis {like.axis} are wanted")
    assert found is not None, "required above"
    return found


def vector_reader(value: SSAValue, kind: BinaryKind, like: Vector) -> tuple[BinaryOp, Vector] | None:
    """The op of `kind` that alone reads `value`, and the weight beside it laid out as `like`; None without one."""
    try:
        reader = only_reader(value, BinaryOp)
        require(reader.binary is kind and reader.result.type == value.type, Reason.NOT_CONSUMED_BY, reader)
        found = require_along(other(reader, value), like)
    except Miss:
        return None
    return (reader, found) if is_weight(found.source) else None
