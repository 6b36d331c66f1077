"""What holds for every op of a class is found once, and is what xDSL finds for each."""

from programs import parse
from xdsl.dialects.builtin import ModuleOp
from xdsl.traits import is_side_effect_free, is_speculatable
from xdsl.transforms.dead_code_elimination import is_trivially_dead

from rlx_dialect.ops import ActivationOp, IfOp
from rlx_passes.rewriting.effects import is_dead, is_pure

PROGRAM = """
func.func private @g(%x: tensor<4xf32>) -> tensor<4xf32> {
  func.return %x : tensor<4xf32>
}
func.func @f(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = rlx.activation exp %x : tensor<4xf32>
  %1 = rlx.activation neg %x : tensor<4xf32>
  %2 = func.call @g(%1) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = "acme.next"() : () -> tensor<4xf32>
  %c = arith.constant dense<1.0> : tensor<4xf32>
  %4 = rlx.if %p(%a = %x) : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32> {
    rlx.yield %a : tensor<4xf32>
  } else(%b) {
    %5 = BODY
    rlx.yield %b : tensor<4xf32>
  }
  func.return %x : tensor<4xf32>
}"""


def program(body: str) -> ModuleOp:
    return parse(PROGRAM.replace("BODY", body))


def test_pure_and_dead_are_as_xdsl_says():
    """A conditional is what its regions are: never the same for all of its class."""
    for body in ("rlx.activation exp %b : tensor<4xf32>", '"acme.next"() : () -> tensor<4xf32>'):
        for op in program(body).walk():
            assert is_pure(op) == (is_side_effect_free(op) and is_speculatable(op)), op.name
            assert is_dead(op) == is_trivially_dead(op), op.name


def test_a_conditional_with_effects_inside():
    quiet, loud = program("rlx.activation exp %b : tensor<4xf32>"), program('"acme.next"() : () -> tensor<4xf32>')
    found = [[is_dead(op) for op in module.walk() if isinstance(op, IfOp)] for module in (quiet, loud)]
    assert found == [[True], [False]]


def test_an_op_that_is_read():
    exp, neg, *_ = (
        op for op in program("rlx.activation exp %b : tensor<4xf32>").walk() if isinstance(op, ActivationOp)
    )
    assert is_dead(exp)
    assert not is_dead(neg)
