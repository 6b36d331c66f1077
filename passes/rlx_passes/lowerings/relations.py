"""What a program relies on of the sizes of its runs, stated before lowering takes away the ops that say so."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp, StringAttr, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from rlx_dialect.dims import Atom, AxisSize
from rlx_dialect.known_sizes import KnownSizes
from rlx_dialect.relations import Relation, size_name
from rlx_dialect.requirements import requirements
from rlx_dialect.shapes import ShapeError
from rlx_dialect.signature import PREPARED, RELATIONS, Binding, arguments_of, is_private
from rlx_passes.rewriting.conversion import placed

Checks = Mapping[Operation, Sequence[Relation]]
"""By op: what is to be checked before it runs."""


COMPARED = {"equal to": "eq", "at least": "sge", "at most": "sle", "a multiple of": "eq"}
"""The predicate of `arith.cmpi` for each kind of relation; a remainder is compared with 0."""


def state_relations(module: ModuleOp) -> Checks:
    """
    Write onto each public function what it relies on of the sizes of its inputs and params; the rest comes back.

    Raises `Refusal` for an op whose sizes fit in no run.
    """
    checks: dict[Operation, Sequence[Relation]] = {}
    for function in module.body.ops:
        if not isinstance(function, FuncOp) or len(function.body.blocks) != 1:
            continue
        given = {} if is_private(function) else _given(function)
        try:
            found = requirements(function, KnownSizes(), given)
        except ShapeError as fault:
            raise placed(fault, function) from fault
        if found.of_callers:
            stated = [relation.to_json(_Names(given)) for relation in found.of_callers]
            function.attributes[RELATIONS] = StringAttr(json.dumps(stated))
        first = function.body.block.first_op
        checks |= {first if op is function and first else op: relations for op, relations in found.of_runs.items()}
    return checks


def _given(function: FuncOp) -> dict[SSAValue, Binding]:
    """The arguments that a caller gives, of which a run sees the sizes."""
    bound = zip(function.args, arguments_of(function))
    return {value: each for value, each in bound if isinstance(each.type, TensorType) and each.role != PREPARED}


@dataclass(frozen=True)
class _Names:
    """What sizes of arguments are called."""

    given: Mapping[SSAValue, Binding]

    def __call__(self, atom: Atom) -> str:
        assert isinstance(atom, AxisSize), "callers see axes of arguments"
        binding = self.given[atom.tensor]
        return size_name(binding.role.removeprefix("rlx."), binding.name, atom.axis)
