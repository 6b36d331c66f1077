"""Every composite op in the dialect's lit files equals its plain form; ops with a body are checked by chapter."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from programs import parse, random_inputs
from tolerances import agree
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region

from rlx_dialect.attributes import Activation
from rlx_dialect.builder import Graph
from rlx_dialect.decompose import composite_ops, decompose
from rlx_dialect.description.facts import accepted
from rlx_dialect.ops import ALL_OPS, ActivationBackwardOp
from rlx_dialect.reference import Array, run
from rlx_dialect.signature import arguments_of, find_function

FILES = Path(__file__).parents[2] / "filecheck" / "dialect"


def found() -> Iterator[tuple[str, Operation]]:
    """Each composite op of the lit files, with a name for it."""
    for path in sorted(FILES.glob("*.mlir")):
        if "invalid" in path.stem:
            continue
        for number, op in enumerate(parse("".join(accepted(path))).walk()):
            if type(op) in composite_ops() and not op.regions and decompose(op.clone()) is not None:
                yield f"{path.stem}-{number}-{op.name}", op


OPS = dict(found())


def as_function(op: Operation, plain: bool) -> ModuleOp:
    """A function of the op's operands with the op in it, or with its plain form."""
    block = Block(arg_types=[operand.type for operand in op.operands])
    copy = op.clone(dict(zip(op.operands, block.args)))
    if plain:
        parts = decompose(copy)
        assert parts is not None
        assert not any(isinstance(part, type(op)) for part in parts.ops)
        block.add_ops([*parts.ops, ReturnOp(*parts.results)])
        copy.drop_all_references()
    else:
        block.add_ops([copy, ReturnOp(*copy.results)])
    types = [argument.type for argument in block.args], [result.type for result in op.results]
    module = ModuleOp([FuncOp("f", types, Region(block))])
    module.verify()
    return module


EVEN = {"rlx.kv_append": 8, "rlx.fft": 6, "rlx.fft_q": 8, "rlx.fft_butterfly_stage": 8}
"""What a `?` is where 5 is no size of it."""


def inputs_for(module: ModuleOp, op: Operation) -> dict[str, Array]:
    """Random operands, which are also fit to be indices or variances where they have to be."""
    inputs = random_inputs(find_function(module), unknown=EVEN.get(op.name, 5))
    variance = getattr(op, "variance", None)
    for (name, value), operand in zip(list(inputs.items()), op.operands):
        if value.dtype.kind in "iu":
            inputs[name] = value % 2
        if operand is getattr(op, "filters", None):
            inputs[name] = abs(value)  # else energies cancel, and their logarithms have few digits left
        if operand is variance:
            inputs[name] = abs(value) + value.dtype.type(0.5)
    sizes = {each.name: np.array(5) for each in arguments_of(find_function(module)) if each.name not in inputs}
    return inputs | sizes


@pytest.mark.parametrize("name", OPS)
def test_plain_form_has_the_same_value(name: str):
    op = OPS[name]
    whole = as_function(op, plain=False)
    inputs = inputs_for(whole, op)
    expected = run(whole, "f", inputs)
    got = run(as_function(op, plain=True), "f", inputs)
    for key in expected:
        agree(got[key], expected[key], where=key)


def test_every_composite_op_is_tried():
    without_body = {op for op in ALL_OPS if op in composite_ops() and not op.get_irdl_definition().regions}
    assert {type(op) for op in OPS.values()} == without_body


@pytest.mark.parametrize("kind", list(Activation))
def test_derivatives(kind: Activation):
    """Also at corners, far out and at NaN."""
    x = np.array([-1e3, -6.0, -3.0, -1.0, -0.5, 0.0, 0.25, 1.0, 2.5, 3.0, 7.0, 1e3, np.nan])
    g = Graph("f")
    g.output("y", g.activation_backward(kind, g.input("x", x.shape, "f64"), g.input("g", x.shape, "f64")))
    module = g.module()
    (op,) = (each for each in module.walk() if isinstance(each, ActivationBackwardOp))
    gradient = np.linspace(-1.0, 2.0, x.size)
    expected = run(module, "f", [x, gradient])["y"]
    (got,) = run(as_function(op, plain=True), "f", [x, gradient]).values()
    np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-300)


def test_a_flat_result_of_unknown_size_keeps_its_type():
    module = parse("""
      func.func @f(%x: tensor<?x4xf32>, %s: tensor<4xf32>) -> tensor<?xf32> {
        %0 = rlx.ada_layer_norm_backward %x, %s, %s, %x epsilon(1.0e-6)
            : (tensor<?x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<?x4xf32>) -> tensor<?xf32>
        func.return %0 : tensor<?xf32>
      }""")
    (op,) = (each for each in module.walk() if type(each) in composite_ops())
    plain = decompose(op)
    assert plain is not None
    assert [each.type for each in plain.results] == list(op.result_types)
