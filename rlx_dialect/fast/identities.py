"""Keys for ops that print and verify alike."""

from collections.abc import Hashable
from typing import cast

from xdsl.dialects import builtin
from xdsl.dialects.builtin import NoneAttr, TensorType
from xdsl.ir import Attribute, Operation

_FLOATS = {builtin.BFloat16Type, builtin.Float16Type, builtin.Float32Type, builtin.Float64Type}
_SCALARS = frozenset({builtin.IntegerType, builtin.IndexType, *_FLOATS})
_PLAIN = _SCALARS | {
    builtin.StringAttr,
    builtin.IntegerAttr,
    builtin.FloatAttr,
    builtin.UnitAttr,
    builtin.DenseArrayBase,
}

_PATIENCE = 64
"""After how many ops of a class in a row that are like none before keys are not worth their time."""

_TRIES = 256


def _is_plain(attribute: Attribute) -> bool:
    """
    Whether an equal attribute prints the same. Dictionaries, which any attribute may hold, are equal in another order
    too.
    """
    kind = type(attribute)
    if kind is TensorType:
        tensor = cast("TensorType[Attribute]", attribute)
        return type(tensor.element_type) in _SCALARS and type(tensor.encoding) is NoneAttr
    return kind in _PLAIN


class Identities:
    """
    Numbers for attributes: one for the same object, and for equal ones of the common kinds that print what they are
    equal by.
    """

    def __init__(self):
        self._numbers: dict[int, int] = {}
        self._equal: dict[Attribute, int] = {}
        self._kept: list[Attribute] = []  # so that no other object gets the id of one
        self._tries = self._finds = 0
        self._misses: dict[type[Operation], int] = {}

    def _number(self, attribute: Attribute) -> int:
        self._kept.append(attribute)
        number = fresh = len(self._kept)
        # Where attributes are shared already, or all different, hardly an equal one is found: give up.
        if (self._tries < _TRIES or self._finds * 4 > self._tries) and _is_plain(attribute):
            number = self._equal.setdefault(attribute, fresh)
            self._tries += 1
            self._finds += number != fresh
        self._numbers[id(attribute)] = number
        return number

    def are_worth(self, op: Operation) -> bool:
        """Whether an op may be like another one."""
        return self._misses.get(type(op), 0) < _PATIENCE

    def count(self, op: Operation, *, known: bool) -> None:
        """Tell whether the key of an op was known."""
        self._misses[type(op)] = 0 if known else self._misses.get(type(op), 0) + 1

    def key(self, op: Operation) -> Hashable:
        """The class, types, properties and attributes of an op without regions and successors."""
        numbers, number = self._numbers, self._number
        key: list[object] = [type(op)]
        for value in op.operands:
            key.append(numbers.get(id(value.type)) or number(value.type))
        key.append(None)
        for value in op.results:
            key.append(numbers.get(id(value.type)) or number(value.type))
        for held in (op.properties, op.attributes):
            key.append(None)
            for name, attribute in held.items():
                key += (name, numbers.get(id(attribute)) or number(attribute))
        return tuple(key)
