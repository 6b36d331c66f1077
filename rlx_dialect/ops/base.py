"""What all ops of the dialect share: results inferred from operands, and verification built on the same rule."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import ClassVar, TypeVar, cast

from xdsl.dialects.builtin import (
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
    i64,
)
from xdsl.interfaces import HasCanonicalizationPatternsInterface
from xdsl.ir import Attribute, BlockArgument, Operation, OpResult, Region, SSAValue
from xdsl.irdl import BaseAttr, OptionalDef, VarConstraint, VariadicDef
from xdsl.pattern_rewriter import RewritePattern
from xdsl.utils.exceptions import VerifyException

from rlx_dialect.declared import DeclaredOp
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


_inferred: dict[tuple[object, ...], tuple[Attribute, ...]] = {}


@cache
def _is_plain(op: "type[RlxOp]", operands: int, results: int) -> bool:
    """Whether ops of a class have so many operands and results, one each for every field, and no regions."""
    fields = op.get_irdl_definition()
    several = (OptionalDef, VariadicDef)
    counts = len(fields.operands), len(fields.results), len(fields.regions), len(fields.successors)
    single = not any(isinstance(field, several) for _, field in (*fields.operands, *fields.results))
    return counts == (operands, results, 0, 0) and single and not fields.options


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
        values = tuple(operand for operand in operands if type(operand) is OpResult or type(operand) is BlockArgument)
        if len(values) == len(operands) and not regions and _is_plain(type(self), len(values), len(result_types)):
            Operation.__init__(
                self,
                operands=values,
                result_types=cast("Sequence[Attribute]", result_types),
                properties={name: value for name, value in (properties or {}).items() if value is not None},
            )
        else:
            super().__init__(operands=operands, properties=properties, result_types=result_types, regions=regions)
        if inferred:
            self.take_inferred()

    def take_inferred(self) -> None:
        """`refine` for a new op of placeholder results, once for all of its class, operand types and properties."""
        if self.regions or self.size_operands or not self.VERIFIES_LOCALLY or is_said():
            self.refine()
            return
        given = (shaped(value) if isinstance(value.type, TensorType) else value.type for value in self.operands)
        key = (type(self), len(self.results), *given, *self.properties.items())
        known = _inferred.get(key)
        if known is not None:
            for result, new in zip(self.results, known):
                retype(result, new)
            return
        self.refine()
        if len(_inferred) >= REMEMBERED:
            _inferred.clear()
        _inferred[key] = tuple(result.type for result in self.results)

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
