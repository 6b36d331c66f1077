"""Region ops and control flow: what they compute, their plain forms, and what the builder makes."""

import numpy as np
import pytest
from programs import parse, random_inputs, text_of
from xdsl.dialects.builtin import ModuleOp, TensorType, f32
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.transforms.common_subexpression_elimination import cse
from xdsl.transforms.dead_code_elimination import dce

from rlx_dialect.attributes import BinaryKind, CompareKind, RegionPrologue
from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.decompose import decompose
from rlx_dialect.ops import ElementwiseRegionOp
from rlx_dialect.ops.regions import RegionOp
from rlx_dialect.reference import Array, run
from rlx_dialect.shapes import ShapeError
from rlx_dialect.signature import find_function
from rlx_dialect.xdsl_repairs import retype

X = np.arange(8, dtype=np.float32).reshape(1, 2, 2, 2) - 3


def twice(x: Array) -> Array:
    """Nearest neighbours at double size."""
    return np.kron(x, np.ones((2, 2), x.dtype))


def elementwise(prologue: RegionPrologue) -> ModuleOp:
    g = Graph("f")
    x, b = g.input("x", (1, 2, 2, 2)), g.input("b", (2, 1, 1))
    g.output("y", g.elementwise_region([x, b], lambda a, c: a.graph.relu(a * c + a), prologue))
    return g.module()


def test_elementwise_region():
    b = np.array([2, -3], np.float32).reshape(2, 1, 1)
    (plain,) = run(elementwise(RegionPrologue.NONE), "f", [X, b]).values()
    np.testing.assert_array_equal(plain, np.maximum(X * b + X, 0))
    (doubled,) = run(elementwise(RegionPrologue.RESIZE_NEAREST2X), "f", [X, b]).values()
    np.testing.assert_array_equal(doubled, np.maximum(twice(X) * b + twice(X), 0))


def transform() -> ModuleOp:
    g = Graph("f")
    x = g.input("x", (1, 2, 2, 2))
    g.output("y", g.transform_region(x, lambda a: a.graph.resize_nearest2x(a.graph.resize_nearest2x(a))))
    return g.module()


def test_transform_region():
    (got,) = run(transform(), "f", [X]).values()
    np.testing.assert_array_equal(got, twice(twice(X)))


def batch(prologue: RegionPrologue) -> ModuleOp:
    g = Graph("f")
    x, y = g.input("x", (1, 2, 2, 2)), g.input("y", (1, 2, 2, 2))
    g.output("y", g.batch_elementwise_region([y, x], lambda a: a.graph.relu(-a), prologue))
    return g.module()


def test_batch_elementwise_region():
    inputs = [X, 2 * X]
    (plain,) = run(batch(RegionPrologue.NONE), "f", inputs).values()
    np.testing.assert_array_equal(plain, np.maximum(-np.concatenate([2 * X, X]), 0))
    (doubled,) = run(batch(RegionPrologue.RESIZE_NEAREST2X), "f", inputs).values()
    np.testing.assert_array_equal(doubled, np.maximum(-np.concatenate([twice(2 * X), twice(X)]), 0))


@pytest.mark.parametrize(
    "module",
    [
        elementwise(RegionPrologue.NONE),
        elementwise(RegionPrologue.RESIZE_NEAREST2X),
        transform(),
        batch(RegionPrologue.NONE),
        batch(RegionPrologue.RESIZE_NEAREST2X),
    ],
    ids=["elementwise", "elementwise_prologue", "transform", "batch", "batch_prologue"],
)
def test_plain_form_has_the_same_value(module: ModuleOp):
    inputs = random_inputs(find_function(module))
    (before,) = run(module, "f", inputs).values()
    (op,) = [op for op in module.walk() if isinstance(op, RegionOp)]
    plain = decompose(op)
    assert plain is not None
    Rewriter.insert_op(plain.ops, InsertPoint.before(op))
    Rewriter.replace_op(op, [], plain.results)
    module.verify()
    assert not any(op.regions for op in find_function(module).body.block.ops)
    (after,) = run(module, "f", inputs).values()
    np.testing.assert_array_equal(after, before)


def choice() -> ModuleOp:
    g = Graph("f")
    p, x = g.input("p", (), "i1"), g.input("x", (3,))
    first, second = g.cond(p, [x], lambda a: (a + a, a), lambda a: (a, a * a))
    g.output("first", first)
    g.output("second", second)
    return g.module()


@pytest.mark.parametrize("condition", [True, False])
def test_if(condition: bool):
    x = np.array([1, -2, 5], np.float32)
    got = run(choice(), "f", [np.array(condition), x])
    first, second = (2 * x, x) if condition else (x, x * x)
    np.testing.assert_array_equal(got["first"], first)
    np.testing.assert_array_equal(got["second"], second)


def powers(limit: int | None) -> ModuleOp:
    """Doubles x while its one element is below `bound`."""
    g = Graph("f")
    x, bound = g.input("x", (1,)), g.input("bound", (1,))
    results = g.while_loop(
        [x],
        lambda a, b: a.graph.compare(CompareKind.LT, a, b),
        lambda a, b: a + a,
        captures=[bound],
        max_iterations=limit,
    )
    g.output("y", results[0])
    return g.module()


@pytest.mark.parametrize(("limit", "expected"), [(None, 128), (3, 8), (0, 1), (100, 128)])
def test_while(limit: int | None, expected: float):
    got = run(powers(limit), "f", [np.array([1], np.float32), np.array([100], np.float32)])
    assert got["y"] == expected


def running_sum(x_shape: tuple[int | None, ...], *, reverse: bool) -> ModuleOp:
    g = Graph("f")
    start, xs, scale = g.input("start", (2,)), g.input("xs", x_shape), g.input("scale", (2,))

    def body(total: Tensor, x: Tensor, by: Tensor) -> tuple[Tensor, Tensor]:
        after = total + x * by
        return after, after

    last, sums = g.scan([start], [xs], body, captures=[scale], reverse=reverse)
    g.output("last", last)
    g.output("sums", sums)
    return g.module()


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("rounds", [3, 0])
def test_scan(reverse: bool, rounds: int):
    start, scale = np.array([10, 20], np.float32), np.array([1, -1], np.float32)
    xs = np.arange(2 * rounds, dtype=np.float32).reshape(rounds, 2)
    got = run(running_sum((None, 2), reverse=reverse), "f", [start, xs, scale])
    order = xs[::-1] if reverse else xs
    sums = start + np.cumsum(order * scale, axis=0)
    np.testing.assert_array_equal(got["last"], sums[-1] if rounds else start)
    np.testing.assert_array_equal(got["sums"], sums[::-1] if reverse else sums)


def test_scan_of_nothing_has_a_length():
    g = Graph("f")
    last, seen = g.scan([g.input("x", (2,))], [], lambda a: (a + a, a), length=4)
    g.output("last", last)
    g.output("seen", seen)
    x = np.array([1, 3], np.float32)
    got = run(g.module(), "f", [x])
    np.testing.assert_array_equal(got["last"], 16 * x)
    np.testing.assert_array_equal(got["seen"], [x, 2 * x, 4 * x, 8 * x])


def test_scanned_operands_of_different_length():
    module = parse("""
      func.func @f(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
        %0 = rlx.scan() over(%a = %x, %b = %y) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32> {
          %1 = rlx.binary add %a, %b : (tensor<f32>, tensor<f32>) -> tensor<f32>
          rlx.yield %1 : tensor<f32>
        }
        func.return %0 : tensor<?xf32>
      }""")
    x = np.ones(3, np.float32)
    np.testing.assert_array_equal(run(module, "f", [x, x])["out0"], 2 * x)
    with pytest.raises(ValueError, match="dim 0 of input 'arg0' must be equal to dim 0 of input 'arg1', got 3 and 2"):
        run(module, "f", [x, x[:2]])


def test_control_flow_in_control_flow():
    """The factorial, and zero for what is negative."""
    g = Graph("f")
    n, one = g.input("n", (), "i64"), g.input("one", (), "i64")

    def product(n: Tensor, one: Tensor) -> Tensor:
        loop = n.graph.while_loop(
            [n, one],
            lambda k, _, one: k.graph.compare(CompareKind.GT, k, one),
            lambda k, p, one: (k - one, k * p),
            captures=[one],
        )
        return loop[1]

    positive = g.compare(CompareKind.GE, n, one)
    (result,) = g.cond(positive, [n, one], product, lambda n, one: n - n)
    g.output("y", result)
    module = g.module()
    for n, expected in ((5, 120), (1, 1), (-2, 0)):
        assert run(module, "f", [np.array(n), np.array(1)])["y"] == expected


def test_a_body_reads_nothing_from_outside():
    g = Graph("f")
    x, y = g.input("x", (3,)), g.input("y", (3,))
    with pytest.raises(ValueError, match="a tensor of graph 'f' was used in graph 'body in f'"):
        g.elementwise_region([x], lambda a: a.graph.binary(BinaryKind.ADD, a, y))


def test_a_body_that_is_no_chain():
    g = Graph("f")
    x = g.input("x", (3,))
    with pytest.raises(ShapeError, match="body must yield the result of one of its ops"):
        g.elementwise_region([x], lambda a: a)
    with pytest.raises(ShapeError, match="body must yield one value, got 2"):
        g.elementwise_region([x], lambda a: (a + a, a * a))
    with pytest.raises(ShapeError, match="operand #0 must have rank 4"):
        g.elementwise_region([x], lambda a: a + a, RegionPrologue.RESIZE_NEAREST2X)
    with pytest.raises(ShapeError, match="a prologue needs an operand"):
        g.elementwise_region([], lambda: x, RegionPrologue.RESIZE_NEAREST2X)


def test_known_sizes_go_into_the_body():
    module = parse("""
      func.func @f(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
        %0 = rlx.elementwise_region(%a = %x) : (tensor<?x4xf32>) -> tensor<?x4xf32> {
          %1 = rlx.activation relu %a : tensor<?x4xf32>
          rlx.yield %1 : tensor<?x4xf32>
        }
        func.return %0 : tensor<?x4xf32>
      }""")
    (op,) = [op for op in module.walk() if isinstance(op, ElementwiseRegionOp)]
    retype(op.inputs[0], TensorType(f32, [2, 4]))
    op.refine()
    assert [value.type for step in op.walk() for value in step.results] == [TensorType(f32, [2, 4])] * 2


def test_only_the_unread_is_dead():
    module = parse("""
      func.func @f(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
        %0 = rlx.if %p(%a = %x) : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32> {
          "test.op"() : () -> ()
          rlx.yield %a : tensor<4xf32>
        } else(%b) {
          rlx.yield %b : tensor<4xf32>
        }
        %1 = rlx.if %p(%a = %x) : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32> {
          rlx.yield %a : tensor<4xf32>
        } else(%b) {
          rlx.yield %b : tensor<4xf32>
        }
        func.return %x : tensor<4xf32>
      }""")
    dce(module)
    assert text_of(module).count("rlx.if") == 1
    assert "test.op" in text_of(module)


def test_equal_regions_are_one():
    module = parse("""
      func.func @f(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
        %0 = rlx.elementwise_region(%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
          %3 = rlx.activation relu %a : tensor<4xf32>
          rlx.yield %3 : tensor<4xf32>
        }
        %1 = rlx.elementwise_region(%b = %x) : (tensor<4xf32>) -> tensor<4xf32> {
          %3 = rlx.activation relu %b : tensor<4xf32>
          rlx.yield %3 : tensor<4xf32>
        }
        %2 = rlx.elementwise_region(%c = %x) : (tensor<4xf32>) -> tensor<4xf32> {
          %3 = rlx.activation tanh %c : tensor<4xf32>
          rlx.yield %3 : tensor<4xf32>
        }
        func.return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
      }""")
    cse(module)
    dce(module)
    assert text_of(module).count("rlx.elementwise_region") == 2
