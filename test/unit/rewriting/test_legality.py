"""The guards on dims and broadcasts, case by case."""

import pytest
from programs import parse
from xdsl.ir import SSAValue

from rlx_dialect.ops import BinaryOp, ReshapeOp
from rlx_dialect.shapes import DYNAMIC as U
from rlx_passes.rewriting.constants import is_one, is_positive_zero, scalar
from rlx_passes.rewriting.legality import (
    broadcast_source,
    is_trailing,
    keeps_dims,
    neither_stretches,
    prepends_ones,
    sole_use,
)
from rlx_passes.rewriting.miss import Miss, Reason


@pytest.mark.parametrize(
    ("before", "after", "kept"),
    [
        ((4, 8), (4, 8), True),
        ((U, 8), (U, 8), True),
        ((U, 8), (4, 8), True),  # a `?` never stretches, so it was 4
        ((4, 8), (U, 8), True),  # what is known of the result is less than could be
        ((1, 8), (U, 8), False),
        ((1, 8), (4, 8), False),
        ((4, 8), (1, 4, 8), False),
        ((), (), True),
    ],
)
def test_keeps_dims(before: tuple[int, ...], after: tuple[int, ...], kept: bool):
    assert keeps_dims(before, after) is kept


@pytest.mark.parametrize(
    ("a", "b", "equal"),
    [
        ((4, 8), (4, 8), True),
        ((U, 8), (4, U), True),
        ((1, 8), (1, 8), True),
        ((1, 8), (U, 8), False),
        ((8,), (4, 8), False),
    ],
)
def test_neither_stretches(a: tuple[int, ...], b: tuple[int, ...], equal: bool):
    assert neither_stretches(a, b) is equal


@pytest.mark.parametrize(
    ("source", "dims", "trailing"),
    [
        ((3, 4), (2, 3, 4), True),
        ((1, 3, 4), (2, 3, 4), True),
        ((), (2, 3), True),
        ((1, 1), (2, 3), True),
        ((2, 1, 4), (2, 3, 4), False),
        ((U,), (2, U), False),
        ((1, 4), (2, 3, 4), True),
    ],
)
def test_is_trailing(source: tuple[int, ...], dims: tuple[int, ...], trailing: bool):
    assert is_trailing(source, dims) is trailing


def operands(text: str) -> tuple[SSAValue, SSAValue]:
    """The operands of the one binary op in a program."""
    (op,) = [op for op in parse(text).walk() if isinstance(op, BinaryOp)]
    return op.lhs, op.rhs


def test_broadcast_source_looks_through_what_only_repeats():
    full, other = operands("""
    func.func @f(%x: tensor<2x3xf32>, %b: tensor<3xf32>) -> tensor<4x2x3xf32> {
      %0 = rlx.reshape %b : tensor<3xf32> -> tensor<1x3xf32>
      %1 = rlx.expand %0 : tensor<1x3xf32> -> tensor<4x2x3xf32>
      %2 = rlx.binary add %1, %x : (tensor<4x2x3xf32>, tensor<2x3xf32>) -> tensor<4x2x3xf32>
      func.return %2 : tensor<4x2x3xf32>
    }""")
    assert broadcast_source(full).name_hint == "b"
    assert broadcast_source(other) is other


def test_a_reshape_that_does_more_is_no_broadcast():
    column, split = operands("""
    func.func @f(%b: tensor<6xf32>, %c: tensor<6xf32>) -> tensor<1x2x3xf32> {
      %0 = rlx.reshape %b : tensor<6xf32> -> tensor<6x1xf32>
      %1 = rlx.reshape %c : tensor<6xf32> -> tensor<1x2x3xf32>
      %2 = rlx.reshape %0 : tensor<6x1xf32> -> tensor<1x2x3xf32>
      %3 = rlx.binary add %2, %1 : (tensor<1x2x3xf32>, tensor<1x2x3xf32>) -> tensor<1x2x3xf32>
      func.return %3 : tensor<1x2x3xf32>
    }""")
    for value in (column, split):
        assert isinstance(value.owner, ReshapeOp)
        assert not prepends_ones(value.owner)
        assert broadcast_source(value) is value


@pytest.mark.parametrize(
    ("constant", "number"),
    [
        ("dense<1.0> : tensor<4xf32>", 1.0),
        ("dense<[1.0, 1.0, 1.0, 1.0]> : tensor<4xf32>", 1.0),
        ("dense<[1.0, 1.0, 1.0, 2.0]> : tensor<4xf32>", None),
        ("dense<-0.0> : tensor<4xf32>", -0.0),
        ("dense<[0.0, 0.0, 0.0, -0.0]> : tensor<4xf32>", None),
    ],
)
def test_uniform_constants(constant: str, number: float | None):
    value, _ = operands(f"""
    func.func @f() -> tensor<4xf32> {{
      %0 = arith.constant {constant}
      %1 = rlx.binary add %0, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      func.return %1 : tensor<4xf32>
    }}""")
    assert scalar(value) == number
    assert is_one(value) is (number == 1.0)
    assert not is_positive_zero(value)


def test_a_value_that_nothing_reads_has_no_sole_use():
    value, _ = operands("""
    func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = rlx.binary add %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      func.return %x : tensor<4xf32>
    }""")
    (user,) = {use.operation for use in value.uses if isinstance(use.operation, BinaryOp)}
    with pytest.raises(Miss) as caught:
        sole_use(user.results[0])
    assert caught.value.reason is Reason.UNUSED
