"""Verification that does not look twice at what verifies alike."""

from collections.abc import Callable, Sequence
from functools import cache
from inspect import getclosurevars
from typing import Any

from xdsl.ir import Block, ErasedSSAValue, Operation
from xdsl.traits import OpTrait

from rlx_dialect.fast.identities import Identities

LOCAL = "VERIFIES_LOCALLY"
"""
The class attribute by which an op declares that its own `verify_` asks for nothing but types, properties and
attributes. It says nothing of ops with regions or successors, which are always verified.
"""


def verify(root: Operation) -> Sequence[Operation]:
    """
    The same as `root.verify()`, which speaks where anything is wrong; faster where ops are alike.

    Returns the ops that read a value from elsewhere than before them in their block.
    """
    verifier = Verifier()
    try:
        verifier.verify(root)
    except Exception:
        root.verify()
        return tuple(root.walk())
    return verifier.reaching


class Verifier:
    """Raises whatever it comes upon where anything is wrong; what that is, xDSL says."""

    def __init__(self):
        self._identities = Identities()
        self._verified: set[int] = set()
        self.reaching: list[Operation] = []
        """The ops that read a value from elsewhere than before them in their block."""

    def verify(self, op: Operation) -> None:
        """Verify `op` and what it holds."""
        for region in op.regions:
            for block in region.blocks:
                if block.parent is not region:
                    raise ValueError
                self._verify_block(block)
        op.verify(verify_nested_ops=False)

    def _verify_block(self, block: Block) -> None:
        if (last := block.last_op) is None:
            block.verify()
        here = set(map(id, block.args))
        for op in block.ops:
            if op.parent is not block:
                raise ValueError
            erased = False
            if not here.issuperset(map(id, op.operands)):
                self.reaching.append(op)
                erased = ErasedSSAValue in map(type, op.operands)
            if op.regions or op.successor_uses or op is last or erased:
                self.verify(op)
            elif not self._is_known(op):
                op.verify(verify_nested_ops=False)
            here.update(map(id, op.results))

    def _is_known(self, op: Operation) -> bool:
        """Whether an op like this one verified, and so do those traits of it that look around."""
        if not (key := self._identities.key(op)) or (traits := _own_checks(type(op))) is None:
            return False
        if key not in self._verified:
            op.verify(verify_nested_ops=False)
            self._verified.add(key)
        for trait in traits:
            trait.verify(op)
        return True


@cache
def _own_checks(cls: type[Operation]) -> list[OpTrait] | None:
    """
    The traits that look at more than what ops that verify alike share, or None where the op itself may, or has no
    verifier.
    """
    if (
        cls.verify is not Operation.verify
        or cls.verify_ is Operation.verify_
        or not (getattr(cls, LOCAL, False) or _is_generated(cls.verify_))
    ):
        return None
    return [trait for trait in cls.traits if type(trait).verify is not OpTrait.verify]


def _is_generated(verify_: Callable[..., Any]) -> bool:
    """Whether a verifier is none but what IRDL makes of the fields of an op."""
    if verify_ is Operation.verify_:
        return True
    held = getclosurevars(verify_).nonlocals
    return set(held) == {"op_def", "custom_verify"} and _is_generated(held["custom_verify"])
