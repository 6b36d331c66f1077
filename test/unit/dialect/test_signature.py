"""Handles: inputs, params and values are found by name, before passes and after them."""

import pytest
from programs import context, parse
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from rlx_dialect.ops import RlxOp
from rlx_dialect.signature import (
    arguments_of,
    dims_of,
    find_function,
    find_input,
    find_param,
    find_value,
    is_private,
    results_of,
)
from rlx_passes.core.spec import parse_pipeline
from rlx_passes.pipeline.target import builtin_targets
from rlx_passes.registry.composite import flatten
from rlx_passes.registry.instantiate import create_passes

PROGRAM = """
func.func @main(%x: tensor<4x8xf32> {rlx.input = "tokens"}, %w: tensor<8x8xf32> {rlx.param = "w"},
                %b: tensor<8xf32> {rlx.param = "b"}, %g: tensor<8xf32> {rlx.param = "gamma"},
                %unread: tensor<3xf32> {rlx.input = "unread"}, %plain: tensor<8xf32>)
    -> (tensor<4x8xf32> {rlx.output = "hidden"}, tensor<4x8xf32>) {
  %one = arith.constant dense<1.0> : tensor<f32>
  %product = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %biased = rlx.binary add %product, %b : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %hidden = rlx.activation gelu %biased : tensor<4x8xf32>
  %same = rlx.binary mul %hidden, %one : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %sum = rlx.binary add %same, %x : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %norm = rlx.layer_norm %sum, %g, %plain epsilon(1.0e-5) axis(-1)
      : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  func.return %norm, %hidden : tensor<4x8xf32>, tensor<4x8xf32>
}
"""

PIPELINES = (
    *(f"rlx-fusion{{target={target}}}" for target in builtin_targets()),
    *("rlx-canonicalize", "canonicalize", "rlx-infer-shapes", "cse", "dce", "rlx-dead-code-elimination", "rlx-raise"),
    "rlx-fusion{target=cuda},rlx-unfuse,rlx-canonicalize,cse",
)


def main_of(module: ModuleOp) -> FuncOp:
    return find_function(module, "main")


def check_handles(func: FuncOp) -> None:
    args = func.args
    for find, name, at in (
        (find_input, "tokens", 0),
        (find_param, "w", 1),
        (find_param, "b", 2),
        (find_param, "gamma", 3),
        (find_input, "unread", 4),
        (find_input, "arg5", 5),
        (find_value, "tokens", 0),
        (find_value, "gamma", 3),
    ):
        assert find(func, name) is args[at], name
    # A role is part of a handle, and so is a name.
    assert find_input(func, "w") is None
    assert find_param(func, "tokens") is None
    assert find_param(func, "hidden") is None
    assert find_value(func, "nothing") is None
    assert [binding.name for binding in results_of(func)] == ["hidden", "out1"]


@pytest.mark.parametrize("pipeline", ["", *PIPELINES])
def test_handles_stay(pipeline: str):
    module = parse(PROGRAM)
    before = [(binding.role, binding.name, binding.type) for binding in arguments_of(main_of(module))]
    for one in flatten(create_passes(parse_pipeline(pipeline))):
        one.apply(context(), module)
    module.verify()
    func = main_of(module)
    assert [(binding.role, binding.name, binding.type) for binding in arguments_of(func)] == before
    check_handles(func)


@pytest.mark.parametrize("pipeline", ["", *PIPELINES])
def test_a_returned_value_keeps_its_name(pipeline: str):
    """An op in the place of a named one takes its name over."""
    module = parse(PROGRAM)
    for one in flatten(create_passes(parse_pipeline(pipeline))):
        one.apply(context(), module)
    func = main_of(module)
    last = func.body.block.last_op
    assert last is not None
    for name, returned in zip(("norm", "hidden"), last.operands):
        assert find_value(func, name) is returned
        assert isinstance(returned.owner, RlxOp)


def test_the_first_of_a_name_is_found():
    module = parse("""
    func.func @f(%a: tensor<2xf32> {rlx.input = "x"}, %x: tensor<2xf32> {rlx.input = "x"}) -> tensor<2xf32> {
      %y = rlx.activation relu %x : tensor<2xf32>
      %y_1 = rlx.activation exp %y : tensor<2xf32>
      func.return %y_1 : tensor<2xf32>
    }
    """)
    func = find_function(module)
    assert find_input(func, "x") is find_value(func, "x") is func.args[0]
    assert find_value(func, "y") is next(iter(func.body.block.ops)).results[0]


def test_dims_and_visibility():
    module = parse("""
    func.func private @f(%a: tensor<?x8xf32> {rlx.dims = ["batch", 8]}, %b: tensor<2xf32>) {
      func.return
    }
    """)
    func = find_function(module, "f")
    assert is_private(func)
    assert not is_private(main_of(parse(PROGRAM)))
    assert dims_of(func) == [["batch", 8], None]


@pytest.mark.parametrize("dims", ['["batch"]', '["batch", 8, 1]', '"batch"', '["batch", 1.0]'])
def test_wrong_dims(dims: str):
    func = find_function(parse(f"func.func @f(%a: tensor<?x8xf32> {{rlx.dims = {dims}}}) {{ func.return }}"), "f")
    with pytest.raises(ValueError, match="must have a name or a size for each dim of tensor<\\?x8xf32>"):
        dims_of(func)
