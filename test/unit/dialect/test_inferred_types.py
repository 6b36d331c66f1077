"""Result types of new ops are remembered by what they depend on, and by nothing less."""

from collections.abc import Sequence
from typing import ClassVar

import pytest
from xdsl.dialects.builtin import TensorType, f16, f32
from xdsl.ir import Attribute, Block, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, result_def

from rlx_dialect.ops import FusedResidualLNOp, MatMulOp, RlxOp, TransposeOp
from rlx_dialect.ops.base import f64_attr, i64_attr
from rlx_dialect.shapes import REMEMBERED, Shaped, ShapeError, of_type, said, shaped


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
