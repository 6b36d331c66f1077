"""Keys for ops that print and verify alike."""

from operator import attrgetter
from typing import cast

from xdsl.dialects import builtin
from xdsl.ir import Attribute, Operation

_FLOATS = {builtin.BFloat16Type, builtin.Float16Type, builtin.Float32Type, builtin.Float64Type}
_SCALARS = frozenset({builtin.IntegerType, builtin.IndexType, *_FLOATS})
_OTHERS = {builtin.StringAttr, builtin.IntegerAttr, builtin.FloatAttr, builtin.UnitAttr, builtin.DenseArrayBase}

_PATIENCE = 64
"""After how many ops of a class in a row that are like none before keys are not worth their time."""

_TRIES = 256
_TYPE = attrgetter("type")


def _is_plain(attribute: Attribute) -> bool:
    """
    Whether an equal attribute prints the same. Dictionaries, which any attribute may hold, are equal in another order
    too.
    """
    kind = type(attribute)
    if kind is builtin.TensorType:
        tensor = cast("builtin.TensorType[Attribute]", attribute)
        return type(tensor.element_type) in _SCALARS and type(tensor.encoding) is builtin.NoneAttr
    return kind in _SCALARS or kind in _OTHERS


class Identities:
    """
    Numbers for ops that are alike: of one class, with the same types, properties and attributes, which are one object
    or equal ones of the common kinds that print what they are equal by.
    """

    def __init__(self):
        self._keys: dict[tuple[object, ...], int] = {}
        self._equal_keys: dict[tuple[object, ...], int] = {}
        self._numbers: dict[object, int] = {}
        self._equal: dict[Attribute, int] = {}
        self._kept: list[Attribute] = []  # so that no other object gets the id of one
        self._tries = self._finds = 0
        self._misses: dict[type[Operation], int] = {}

    def key(self, op: Operation) -> int:
        """The number of an op without regions and successors; 0 where those of its class are hardly ever alike."""
        kind = type(op)
        missed = self._misses.get(kind, 0)
        if missed >= _PATIENCE:
            return 0
        properties, attributes = op.properties, op.attributes
        types = *map(id, map(_TYPE, op.operands)), None, *map(id, map(_TYPE, op.results))
        held = *properties, *map(id, properties.values()), None, *attributes, *map(id, attributes.values())
        objects = (kind, *types, *held)
        found = self._keys.get(objects)
        if found is None:
            for attribute in (*op.operand_types, *op.result_types, *properties.values(), *attributes.values()):
                if id(attribute) not in self._numbers:
                    self._numbers[id(attribute)] = self._number(attribute)
            fresh = len(self._equal_keys) + 1
            equal = tuple([self._numbers.get(each, each) for each in objects])
            found = self._keys[objects] = self._equal_keys.setdefault(equal, fresh)
            self._misses[kind] = missed + 1 if found == fresh else 0
        elif missed:
            self._misses[kind] = 0
        return found

    def _number(self, attribute: Attribute) -> int:
        self._kept.append(attribute)
        number = fresh = len(self._kept)
        # Where attributes are shared already, or all different, hardly an equal one is found: give up.
        if (self._tries < _TRIES or self._finds * 4 > self._tries) and _is_plain(attribute):
            number = self._equal.setdefault(attribute, fresh)
            self._tries += 1
            self._finds += number != fresh
        return number
