"""Scans that may have no rounds, whose outputs have sizes all the same."""

from collections.abc import Sequence

from xdsl.ir import SSAValue

from rlx_dialect.decompose.plain import Plain
from rlx_dialect.dims import AxisSize, Dim, Size
from rlx_dialect.known_sizes import KnownSizes, Sizes, own_sizes
from rlx_dialect.ops import ScanOp
from rlx_dialect.shapes import DYNAMIC, shaped
from rlx_passes.lowerings.to_mlx.calls import Calls
from rlx_passes.rewriting.conversion import Rules


def _scan(op: ScanOp, calls: Calls) -> Sequence[SSAValue]:
    """Stays. Where nothing was stacked, sizes that operands tell are said afterwards."""
    sizes = _sizes(op)
    loop = op.clone()
    calls.keep(loop)
    return [_told(value, sizes[at], calls) if at in sizes else value for at, value in enumerate(loop.results)]


def _sizes(op: ScanOp) -> dict[int, Sizes]:
    """By result, the sizes of outputs that there may be none of, where the operands tell all of them."""
    if op.rounds() not in (DYNAMIC, 0):
        return {}
    known, operands = KnownSizes(), set(op.operands)
    for operand in op.operands:
        known.say(operand, own_sizes(operand))
    sizes = {at: known.of(value) for at, value in enumerate(op.results) if DYNAMIC in shaped(value).dims[1:]}

    def is_told(size: Size) -> bool:
        atoms = size.atoms() if isinstance(size, Dim) else ()
        return all(isinstance(atom, AxisSize) and atom.tensor in operands for atom in atoms)

    return {at: each for at, each in sizes.items() if all(map(is_told, each))}


def _told(value: SSAValue, sizes: Sizes, calls: Calls) -> SSAValue:
    to, plain = shaped(value), Plain()
    made = [plain.made(size) for size, dim in zip(sizes, to.dims) if dim == DYNAMIC]
    for each in plain.ops:
        calls.add(each)
    return calls.call("mx.reshape", value, *made, to=to, shape=to.dims)


RULES: Rules = {ScanOp: _scan}
