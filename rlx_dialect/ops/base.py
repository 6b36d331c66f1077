"""What all ops of the dialect share: results inferred from operands, and verification built on the same rule."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from typing import ClassVar, NamedTuple, TypeVar, cast

from xdsl.dialects.builtin import (
    UNKNOWN_LOC,
    DenseArrayBase,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    Signedness,
    StringAttr,
    TensorType,
    bf16,
    f16,
    f32,
    f64,
    i1,
    i32,
    i64,
)
from xdsl.interfaces import HasCanonicalizationPatternsInterface
from xdsl.ir import Attribute, BlockArgument, Operation, OpResult, Region, SSAValue
from xdsl.irdl import AttrSizedOperandSegments, BaseAttr, OptionalDef, VarConstraint, VariadicDef
from xdsl.pattern_rewriter import RewritePattern
from xdsl.utils.exceptions import VerifyException

from rlx_dialect.declared import DeclaredOp, read_at_speed
from rlx_dialect.dtypes import dtype_of
from rlx_dialect.late import CANONICALIZATION
from rlx_dialect.shapes import (
    DYNAMIC,
    REMEMBERED,
    Shaped,
    ShapeError,
    compatible,
    is_said,
    of_type,
    require_size,
    shaped,
)
from rlx_dialect.xdsl_repairs import retype, signed64

IntLike = int | IntegerAttr
Operands = Sequence[SSAValue | Operation | Sequence[SSAValue | Operation] | None]

SAME_TYPE = VarConstraint("T", BaseAttr(TensorType))
"""For an operand and a result of one type, so that the text names it once."""


ACCUMULATORS = frozenset({f32, f16, bf16, f64})
"""What sums may go on in, where an op has an attribute `accumulate`."""


_BETWEEN = frozenset({IndexType(), *(IntegerType(width, Signedness.UNSIGNED) for width in (16, 64))})
"""Positions may be of type index, and imported programs hold unsigned integers of other widths between our ops."""


def _check_type(type: Attribute) -> None:
    """Raises `ValueError` for too large a tensor, or an element type neither of the dialect nor in `_BETWEEN`."""
    if not isinstance(type, TensorType):
        return
    value = of_type(cast("TensorType[Attribute]", type))
    if value.element not in _BETWEEN:
        dtype_of(value.element)
    require_size(value)


PLACEHOLDER: TensorType[Attribute] = TensorType(i1, [])
"""The type of a result until it is inferred."""


@lru_cache(1024, typed=True)
def i64_attr(value: int) -> IntegerAttr:
    """Raises `ValueError` for a number that a signed integer of 64 bits does not hold."""
    return IntegerAttr(signed64(value), i64)


def i64s(values: Sequence[int]) -> DenseArrayBase:
    """The same for a list."""
    return _i64s(*values)


@lru_cache(1024, typed=True)
def _i64s(*values: int) -> DenseArrayBase:
    return DenseArrayBase.from_list(i64, [signed64(value) for value in values])


def f64_attr(value: float) -> FloatAttr:
    return _f64_of(float(value).hex())


@lru_cache
def _f64_of(digits: str) -> FloatAttr:
    """Found by text, which tells zeros of either sign apart."""
    return FloatAttr(float.fromhex(digits), f64)


@lru_cache
def word(value: str | None) -> StringAttr | None:
    """The attribute of an enumeration's member; None stays None."""
    return None if value is None else StringAttr(str(value))


OpT = TypeVar("OpT", bound=Operation)

ELEMENTWISE_STEPS: list[type[Operation]] = []
"""The ops that the body of an elementwise region may hold."""


def elementwise_step(op: type[OpT]) -> type[OpT]:
    """Marks an op that makes each result element from one element of each operand: elementwise regions may hold it."""
    ELEMENTWISE_STEPS.append(op)
    return op


class _Layout(NamedTuple):
    """What a constructor asks of the fields of its class."""

    operands: tuple[bool | None, ...]
    """For each field whether it takes several values; None where it takes one or none."""
    results: tuple[bool, ...]
    """For each whether it is optional."""
    segments: bool
    """Whether a property says how many values each field has."""


@cache
def _layout(op: "type[RlxOp]") -> _Layout | None:
    """None for ops of regions, successors, or any number of results: xDSL makes those."""
    fields = op.get_irdl_definition()
    segments = list(fields.options) == [AttrSizedOperandSegments(as_property=True)]
    if fields.regions or fields.successors:
        return None
    if any(isinstance(field, VariadicDef) and not isinstance(field, OptionalDef) for _, field in fields.results):
        return None
    if fields.options and not segments:
        return None
    return _Layout(
        tuple(None if isinstance(each, OptionalDef) else isinstance(each, VariadicDef) for _, each in fields.operands),
        tuple(isinstance(field, OptionalDef) for _, field in fields.results),
        segments,
    )


Defaults = Sequence[tuple[str, Attribute]]


@cache
def _defaults(op: "type[RlxOp]") -> tuple[Defaults, Defaults]:
    """The properties and the attributes that an op has unless they are given."""
    fields = op.get_irdl_definition()
    properties, attributes = (
        [
            (name, field.default_value)
            for name, field in kind.items()
            if field.default_value is not None and not isinstance(field, OptionalDef)
        ]
        for kind in (fields.properties, fields.attributes)
    )
    return properties, attributes


def _values(operands: Operands, several: Sequence[bool | None]) -> tuple[list[SSAValue], list[int]] | None:
    """The operands one after the other, and how many each field has; None where xDSL must look at them."""
    if len(operands) != len(several):
        return None
    values: list[SSAValue] = []
    counts: list[int] = []
    for given, many in zip(operands, several):
        kind = type(given)
        if kind is OpResult or kind is BlockArgument:
            values.append(cast("SSAValue", given))
            counts.append(1)
        elif given is None and many is None:
            counts.append(0)
        elif many and isinstance(given, Sequence) and all(type(each) in _VALUES for each in given):
            values += cast("Sequence[SSAValue]", given)
            counts.append(len(values) - sum(counts))
        else:
            return None
    return values, counts


_VALUES = (OpResult, BlockArgument)


def _given(types: Sequence[Attribute | Sequence[Attribute] | None], optional: Sequence[bool]) -> list[Attribute] | None:
    """The types of the results that an op has; None where xDSL must look at them."""
    if len(types) != len(optional):
        return None
    given: list[Attribute] = []
    for type, may_lack in zip(types, optional):
        if type is None and may_lack:
            continue
        if type is None or isinstance(type, list | tuple):
            return None
        given.append(cast("Attribute", type))
    return given


@lru_cache
def _segments(*counts: int) -> DenseArrayBase:
    return DenseArrayBase.from_list(i32, counts)


_alike: dict[tuple[object, ...], tuple[Sequence[Attribute], Sequence[Attribute]]] = {}
"""The result types of new ops by class, types and properties, which go by identity and are held here for that."""


class RlxOp(DeclaredOp, HasCanonicalizationPatternsInterface, ABC):
    """
    An op whose results follow from its operands and attributes.

    `infer` is the one rule: constructors take the result types from it, the verifier compares the declared types with
    it, and shape inference refines them by it.
    """

    VERIFIES_LOCALLY: ClassVar[bool] = True
    """
    `infer` asks for nothing but types, properties and attributes, unless the op has regions: the verifier
    (`rlx_dialect/fast/verifier.py`) and constructors remember what it gave. A class where it asks for more, say for
    attributes of the ops around, sets this to False.
    """

    def __init__(
        self,
        *,
        operands: Operands,
        properties: Mapping[str, Attribute | None] | None = None,
        result_types: Sequence[Attribute | Sequence[Attribute] | None] | None = None,
        regions: Sequence[Region] | None = None,
    ):
        """Raises `ShapeError` where the operands do not fit and no result types are given."""
        inferred = result_types is None
        if result_types is None:
            result_types = [PLACEHOLDER]
        layout = None if regions else _layout(type(self))
        types = _given(result_types, layout.results) if layout else None
        found = _values(operands, layout.operands) if layout and types is not None else None
        if layout is None or found is None or types is None:
            super().__init__(operands=operands, properties=properties, result_types=result_types, regions=regions)
        else:
            given = {name: value for name, value in properties.items() if value is not None} if properties else {}
            if layout.segments:
                given[AttrSizedOperandSegments.attribute_name] = _segments(*found[1])
            Operation.__init__(self, operands=found[0], result_types=types, properties=given, location=UNKNOWN_LOC)
        if inferred:
            self.take_inferred()

    def __post_init__(self) -> None:
        """What xDSL does for each op, with what it finds of the class remembered."""
        read_at_speed(type(self))
        properties, attributes = _defaults(type(self))
        for name, value in properties:
            self.properties.setdefault(name, value)
        for name, value in attributes:
            self.attributes.setdefault(name, value)

    def take_inferred(self) -> None:
        """`refine` for a new op of placeholder results, once for all of its class, operand types and properties."""
        if self.regions or self.size_operands or not self.VERIFIES_LOCALLY or is_said():
            self.refine()
        else:
            for result, new in zip(self.results, self._once(self.refine)):
                retype(result, new)

    def check(self) -> None:
        """
        Raises `ShapeError` where `infer` does, for a new op whose result types are given: once for all of its class,
        types and properties.
        """
        if self.regions or not self.VERIFIES_LOCALLY or is_said():
            self.infer()
        else:
            self._once(self.infer)

    def _once(self, work: Callable[[], object]) -> Sequence[Attribute]:
        """The types that the results have after `work`, which is not done again where they are known."""
        held = [value.type for value in (*self.operands, *self.results)]
        held += self.properties.values()
        key = (type(self), len(self.results), *map(id, held), *self.properties)
        known = _alike.get(key)
        if known is None:
            work()
            if len(_alike) >= REMEMBERED:
                _alike.clear()
            known = _alike[key] = held, [result.type for result in self.results]
        return known[1]

    @abstractmethod
    def infer(self) -> Sequence[Shaped]:
        """
        The dims and element type of each result. Raises `ShapeError` where the operands do not fit together.

        Without regions it depends on operand types and properties alone, and what it gives is remembered, unless the
        class says otherwise by `VERIFIES_LOCALLY`.
        """

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        """What xDSL's `canonicalize` runs for this op."""
        return tuple(pattern for patterns in CANONICALIZATION for pattern in patterns())

    @property
    def size_operands(self) -> Sequence[SSAValue]:
        """The last operands of an op that takes one size for each `?` of its result."""
        fields = self.get_irdl_definition().operands
        return self.operands[len(fields) - 1 :] if fields and fields[-1][0] == "sizes" else ()

    def give(self, result: OpResult, new: Shaped) -> None:
        """A result gets a type that leaves no more sizes open; operands for those that it knows go."""
        if sizes := self.size_operands:
            taken = (axis for axis, size in enumerate(shaped(result).dims) if size == DYNAMIC)
            kept = [size for axis, size in zip(taken, sizes) if new.dims[axis] == DYNAMIC]
            self.operands = [*self.operands[: len(self.operands) - len(sizes)], *kept]
        retype(result, new.type)

    def refine(self) -> None:
        """Give each result the inferred type."""
        for result, rule in zip(self.results, self.infer()):
            require_size(rule)
            self.give(result, rule)

    def verify_(self) -> None:
        try:
            for value in (*self.operands, *self.results):
                _check_type(value.type)
            accumulate = self.properties.get("accumulate")
            if accumulate is not None and accumulate not in ACCUMULATORS:
                raise ShapeError(f"accumulate must be one of f32, f16, bf16, f64, got {accumulate}")
            inferred = self.infer()
            for rule in inferred:
                require_size(rule)
        except ValueError as error:
            raise VerifyException(f"{self.name}: {error}") from error
        for i, (result, rule) in enumerate(zip(self.results, inferred)):
            try:
                declared = shaped(result, f"result #{i}")
            except ShapeError as error:
                raise VerifyException(f"{self.name}: {error}") from error
            if (
                declared.element != rule.element
                or declared.rank != rule.rank
                or not all(map(compatible, declared.dims, rule.dims))
            ):
                raise VerifyException(f"{self.name}: result #{i} must be {rule}, got {declared}")
