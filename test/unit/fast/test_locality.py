"""
Ops that declare their verifier local ask for nothing but types, properties and attributes: an operand that says
nothing else is enough.
"""

from dataclasses import dataclass

from exactness import OWN, TOOLS, context, read, sections, verified
from xdsl.ir import Block, Operation, SSAValue

from rlx_dialect.fast.verifier import LOCAL
from rlx_dialect.ops import ALL_OPS


@dataclass(eq=False)
class Opaque(SSAValue):
    """A value that has a type and comes from nowhere."""

    @property
    def owner(self) -> Operation | Block:
        raise AssertionError("a local verifier asked where an operand came from")


def test_local_verifiers_need_types_and_attributes_alone():
    asked: set[type[Operation]] = set()
    faults = 0
    for path in OWN:
        for name, text in sections(path):
            module = read(TOOLS.fast, text, name, context(True)).module
            for op in module.walk() if module else ():
                if not getattr(op, LOCAL, False) or op.regions or op.successors:
                    continue
                alone = op.clone_without_regions(clone_operands=False)
                alone.operands = [Opaque(operand.type) for operand in op.operands]
                error = verified(op, fast=False)
                found = verified(alone, fast=False)
                assert bool(found) == bool(error), f"{name}: {op}"
                assert "came from" not in found
                asked.add(type(op))
                faults += bool(error)
    local = {op for op in ALL_OPS if getattr(op, LOCAL, False) and not op.get_irdl_definition().regions}
    assert asked == local
    assert faults > 50
