"""What a run relies on of its sizes, as assertions beside the ops that do."""

from collections.abc import Iterator, Sequence

from xdsl.dialects import arith, cf
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation, SSAValue

from rlx_dialect.decompose.plain import Plain
from rlx_dialect.dims import Atom, AxisSize, Dim, IndexSize
from rlx_dialect.known_sizes import KnownSizes, Unfit, own_sizes
from rlx_dialect.ops import ControlOp, RegionOp
from rlx_dialect.relations import Relation
from rlx_dialect.requirements import is_certain, relied_on
from rlx_passes.lowerings.relations import COMPARED, Checks


class _Sizes(Plain):
    """Sizes as index values, those of the program among them."""

    def _atom(self, atom: Atom) -> int | SSAValue:
        return atom.value if isinstance(atom, IndexSize) else super()._atom(atom)

    def check(self, relation: Relation, op: Operation) -> None:
        """Ends a run of which `relation` does not hold."""
        left, right = self.made(relation.left), self.made(relation.right)
        if relation.kind == "a multiple of":
            left, right = self.add(arith.RemUIOp(left, right)).result, self.index(0)
        holds = self.add(arith.CmpiOp(left, right, COMPARED[relation.kind])).result
        self.add(cf.AssertOp(holds, StringAttr(f"{op.name}: {relation}")))


def add_checks(checks: Checks) -> None:
    """Puts what is to be checked in front of the op that relies on it, or behind it where it speaks of its results."""
    for op, relations in checks.items():
        place = op
        while isinstance(around := place.parent_op(), RegionOp):
            place = around
        if isinstance(place.parent_op(), ControlOp):
            relations = _inside(place)
        before, after = _Sizes(), _Sizes()
        for relation in relations:
            of_results = any(_value(atom).owner is place for atom in _atoms(relation))
            (after if of_results else before).check(relation, op)
        block = place.parent
        assert block is not None
        block.insert_ops_before(before.ops, place)
        block.insert_ops_after(after.ops, place)


def _inside(op: Operation) -> Sequence[Relation]:
    """What an op of a branch or a body relies on, by what is seen there: it sees no sizes from outside."""
    known, block = KnownSizes(), op.parent
    for argument in block.args if block is not None else ():
        known.say(argument, own_sizes(argument))
    try:
        found = list(relied_on(op, known))
    except Unfit as fault:
        found = [fault.relation]
    return [relation for relation in found if not is_certain(relation)]


def _atoms(relation: Relation) -> Iterator[Atom]:
    for size in (relation.left, relation.right):
        if isinstance(size, Dim):
            yield from (atom for atom in size.atoms() if isinstance(atom, AxisSize | IndexSize))


def _value(atom: Atom) -> SSAValue:
    match atom:
        case AxisSize(value, _) | IndexSize(value):
            return value
        case _:
            raise TypeError(f"{atom} is no size of a value")
