"""Result types of new ops are remembered by what they depend on, and by nothing less."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import pytest
from xdsl.dialects import test
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, TensorType, f16, f32, i32
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    attr_def,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    opt_result_def,
    prop_def,
    result_def,
    var_operand_def,
)

from rlx_dialect.ops import FusedResidualLNOp, MatMulOp, ReshapeOp, TransposeOp
from rlx_dialect.ops.base import Operands, RlxOp, f64_attr, i64_attr
from rlx_dialect.shapes import REMEMBERED, Shaped, ShapeError, of_type, said, shaped


@irdl_op_definition
class SegmentsOp(RlxOp):
    """Fields of every kind, with what they are unless given."""

    name = "test.segments"

    one = opt_operand_def()
    several = var_operand_def()
    kept = prop_def(IntegerAttr)
    usual = prop_def(IntegerAttr, default_value=i64_attr(1))
    absent = opt_prop_def(IntegerAttr)
    foreign = attr_def(IntegerAttr, default_value=i64_attr(2))
    result = result_def()

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    def __init__(self, operands: Operands):
        super().__init__(operands=operands, properties={"kept": i64_attr(0), "absent": None}, result_types=[f32])

    def infer(self) -> Sequence[Shaped]:
        return []


@irdl_op_definition
class OptionalResultOp(RlxOp):
    """A result that may lack after one that may not."""

    name = "test.optional_result"

    input = operand_def(TensorType)
    result = result_def()
    tee = opt_result_def()

    def infer(self) -> Sequence[Shaped]:
        return []


LATE = test.TestOp(result_types=[f32])


def value(*dims: int, element: Attribute = f32) -> SSAValue:
    return Block(arg_types=[TensorType(element, dims)]).args[0]


def test_equal_operand_types_give_one_type():
    first, second = (MatMulOp(value(4, 8), value(8, 2)).result.type for _ in range(2))
    assert first is second
    assert first == TensorType(f32, [4, 2])


def test_another_type_or_property_gives_another():
    assert MatMulOp(value(4, 8, element=f16), value(8, 2, element=f16)).result.type == TensorType(f16, [4, 2])
    assert MatMulOp(value(5, 8), value(8, 2)).result.type == TensorType(f32, [5, 2])
    for order, dims in (((0, 1), (4, 8)), ((1, 0), (8, 4))):
        assert shaped(TransposeOp(value(4, 8), order).result).dims == dims


def test_optional_results():
    x, gamma = value(4, 8), value(8)
    plain, tee = (FusedResidualLNOp(x, x, gamma, gamma, tee=tee) for tee in (False, True))
    assert [len(op.results) for op in (plain, tee)] == [1, 2]
    assert all(result.type == x.type for op in (plain, tee) for result in op.results)


@pytest.mark.parametrize(
    ("given", "types"),
    [
        ([f32, None], [f32]),
        ([f32, f16], [f32, f16]),
        ([f32, [f16]], [f32, f16]),
        ([f32, ()], [f32]),
        ([[f32], None], [f32]),
    ],
)
def test_results_are_as_xdsl_takes_them(
    given: Sequence[Attribute | Sequence[Attribute] | None], types: list[Attribute]
):
    op = OptionalResultOp(operands=[value(4)], result_types=given)
    stock = OptionalResultOp.__new__(OptionalResultOp)
    IRDLOperation.__init__(stock, operands=[value(4)], result_types=given)
    assert [*op.result_types] == [*stock.result_types] == types
    assert (op.tee is None) == (len(types) == 1)


@pytest.mark.parametrize("given", [[None, f32], [f32], [f32, None, f16]])
def test_results_that_do_not_fit_are_refused(given: Sequence[Attribute | None]):
    with pytest.raises(ValueError):
        OptionalResultOp(operands=[value(4)], result_types=given)


def test_a_class_that_looks_around_is_asked_each_time():
    dims = (4,)

    @irdl_op_definition
    class OfASetting(RlxOp):
        """Its result follows from more than its operands, and it says so."""

        name = "test.of_a_setting"
        VERIFIES_LOCALLY: ClassVar[bool] = False

        input = operand_def(TensorType)
        result = result_def(TensorType)

        def infer(self) -> Sequence[Shaped]:
            return [Shaped(dims, f32)]

    first = OfASetting(operands=[value(4)])
    dims = (5,)
    second = OfASetting(operands=[value(4)])
    assert [shaped(op.result).dims for op in (first, second)] == [(4,), (5,)]


def test_operands_that_do_not_fit_are_refused_each_time():
    for _ in range(2):
        with pytest.raises(ShapeError):
            MatMulOp(value(4, 8), value(7, 2))


def test_dims_that_are_said_are_not_remembered():
    """They are of one value, not of its type."""
    lhs, rhs = value(3, 8), value(8, 3)
    with said({lhs: (9, 8)}):
        assert shaped(MatMulOp(lhs, rhs).result).dims == (9, 3)
    assert shaped(MatMulOp(lhs, rhs).result).dims == (3, 3)


def test_more_types_than_are_remembered():
    types = [TensorType(f32, [size]) for size in range(REMEMBERED + 10)]
    assert [of_type(type).dims for type in types] == [(size,) for size in range(REMEMBERED + 10)]
    assert of_type(types[0]).dims == (0,)


def test_numbers_that_python_takes_for_equal():
    assert [str(f64_attr(number)) for number in (0.0, -0.0)] == ["0.000000e+00 : f64", "-0.000000e+00 : f64"]
    assert str(i64_attr(1)) == "1 : i64"


def test_a_given_type_that_does_not_fit_is_refused_each_time():
    for _ in range(2):
        with pytest.raises(ShapeError, match="has 32 elements"):
            ReshapeOp(value(4, 8), (5, 8))
        assert shaped(ReshapeOp(value(4, 8), (8, 4)).result).dims == (8, 4)


def test_equal_types_are_one_of_plain_integers():
    first, second = Shaped((np.int64(4), 8), f32).type, Shaped((4, 8), f32).type  # pyright: ignore[reportArgumentType]
    assert first is second
    assert [type(size) for size in first.get_shape()] == [int, int]


@pytest.mark.parametrize(
    ("operands", "sizes"),
    [
        ([None, ()], [0, 0]),
        ([value(2), ()], [1, 0]),
        ([None, [value(1), value(1)]], [0, 2]),
        ([value(2), [LATE]], [1, 1]),
    ],
)
def test_operands_are_laid_out_as_xdsl_does(
    operands: list[SSAValue | list[SSAValue | Operation] | None], sizes: list[int]
):
    """With an op in the place of a value xDSL itself does it."""
    op = SegmentsOp(operands)
    assert op.properties["operandSegmentSizes"] == DenseArrayBase.from_list(i32, sizes)
    assert list(op.properties) == ["kept", "operandSegmentSizes", "usual"]
    assert op.attributes == {"foreign": i64_attr(2)}
    assert [len(op.several), op.one is None] == [sizes[1], not sizes[0]]
    with pytest.raises(ValueError, match="Expected 2 operand"):
        SegmentsOp([None])
