"""Shapes of ops that many StableHLO ops share; names of fields are those of the specification."""

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar, cast

from xdsl.dialects.builtin import I1, I64, ComplexType, DenseArrayBase, IntegerType, TensorType, i1, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    BaseAttr,
    IRDLOperation,
    ParsePropInAttrDict,
    VarConstraint,
    operand_def,
    opt_prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from rlx_passes.dialects.stablehlo.syntax import HeadedOp

T = VarConstraint("T", BaseAttr(TensorType))
"""For operands and results of one type."""

I64_ARRAY = DenseArrayBase.constr(I64)
I1_ARRAY = DenseArrayBase.constr(I1)


def ints(values: Sequence[int]) -> DenseArrayBase:
    """`array<i64: 1, 2>`"""
    return DenseArrayBase.from_list(i64, values)


def flags(values: Sequence[bool]) -> DenseArrayBase:
    """`array<i1: true, false>`"""
    return DenseArrayBase.from_list(i1, [int(value) for value in values])


def tensor(value: SSAValue, op: Operation, name: str) -> "TensorType[Attribute]":
    """The type of a field, checked to be a ranked tensor."""
    type: Attribute = value.type
    if not isinstance(type, TensorType):
        raise VerifyException(f"{op.name}: {name} must be a ranked tensor, got {type}")
    return cast("TensorType[Attribute]", type)


def require_dims(op: Operation, name: str, dims: Sequence[int], type: "TensorType[Attribute]") -> None:
    """`dims` are different dims of `type`. Raises `VerifyException` otherwise."""
    if len(set(dims)) != len(dims) or not all(0 <= dim < type.get_num_dims() for dim in dims):
        raise VerifyException(f"{op.name}: {name} {list(dims)} must name distinct dims of {type}")


def require_per_dim(
    op: Operation, name: str, values: DenseArrayBase[IntegerType] | None, type: "TensorType[Attribute]"
) -> None:
    """There is a number for each dim of `type`, if there are any. Raises `VerifyException` otherwise."""
    if values is not None and len(values) != type.get_num_dims():
        raise VerifyException(
            f"{op.name}: {name} {list(values.get_values())} must have an entry for each dim of {type}"
        )


class UnaryOp(IRDLOperation, ABC):
    """An elementwise op of one operand; the result has its type."""

    operand = operand_def(T)
    result_accuracy = opt_prop_def()
    result = result_def(T)

    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$operand attr-dict `:` type($operand)"

    def __init__(self, operand: SSAValue):
        super().__init__(operands=[operand], result_types=[operand.type])


class PartOp(HeadedOp, ABC):
    """An elementwise op of one operand; the result has its dims, and another element type."""

    ONE_TYPE: ClassVar[bool] = True

    operand = operand_def(TensorType)
    result = result_def(TensorType)

    traits = traits_def(Pure())

    def __init__(self, operand: SSAValue, result_type: Attribute):
        super().__init__(operands=[operand], result_types=[result_type])

    def verify_(self) -> None:
        operand, result = tensor(self.operand, self, "operand"), tensor(self.result, self, "result")
        if operand.get_shape() != result.get_shape():
            raise VerifyException(f"{self.name}: operand {operand} and result {result} must have the same dims")


class BinaryOp(IRDLOperation, ABC):
    """An elementwise op of two operands of one type, which is the result's; nothing is broadcast."""

    lhs = operand_def(T)
    rhs = operand_def(T)
    result = result_def(T)

    traits = traits_def(Pure())
    assembly_format = "$lhs `,` $rhs attr-dict `:` type($lhs)"

    def __init__(self, lhs: SSAValue, rhs: SSAValue):
        super().__init__(operands=[lhs, rhs], result_types=[lhs.type])


def is_complex(type: Attribute) -> bool:
    """Whether a tensor type holds complex numbers."""
    return isinstance(type, TensorType) and isinstance(cast("TensorType[Attribute]", type).element_type, ComplexType)
