"""The Graph builder: what it makes and what it refuses."""

import inspect
import re
import sys
from collections.abc import Callable
from typing import Any, cast

import numpy as np
import pytest

from rlx_dialect.attributes import CompareKind
from rlx_dialect.builder import Graph, Tensor
from rlx_dialect.ops import ALL_OPS, ArtifactOp, QuantizeOp
from rlx_dialect.reference import run
from rlx_dialect.shapes import DYNAMIC, ShapeError
from rlx_dialect.signature import arguments_of, find_function, find_input, find_param, find_value, results_of


def test_a_small_program():
    g = Graph("mlp")
    x, w, b = g.input("x", (4, 8)), g.param("w", (8, 16)), g.param("b", (16,))
    g.output("y", g.relu(x @ w + b))
    module = g.module()
    func = find_function(module)
    assert [(a.role, a.name) for a in arguments_of(func)] == [
        ("rlx.input", "x"),
        ("rlx.param", "w"),
        ("rlx.param", "b"),
    ]
    assert [r.name for r in results_of(func)] == ["y"]
    rng = np.random.default_rng(0)
    inputs = {n: rng.standard_normal(s).astype(np.float32) for n, s in (("x", (4, 8)), ("w", (8, 16)), ("b", (16,)))}
    expected = np.maximum(inputs["x"] @ inputs["w"] + inputs["b"], 0)
    np.testing.assert_allclose(run(module, "mlp", inputs)["y"], expected, rtol=1e-5, atol=1e-6)


def test_numbers_take_the_tensors_type():
    g = Graph()
    x = g.input("x", (2,), "f16")
    y = (1 - x) * 2 / 4 + 0.5
    assert y.dtype == "f16"
    g.output("y", -y)
    (got,) = run(g.module(), None, [np.array([1, 3], np.float16)]).values()
    assert got.tolist() == [-0.5, 0.5]


def test_names_are_unique():
    g = Graph("g")
    g.input("x", (2,))
    with pytest.raises(ValueError, match="graph 'g' has an argument 'x' already"):
        g.param("x", (2,))
    y = g.input("y", (2,))
    g.output("o", y)
    with pytest.raises(ValueError, match="graph 'g' has an output 'o' already"):
        g.output("o", y)


def test_tensors_stay_in_their_graph():
    a, b = Graph("a"), Graph("b")
    x, y = a.input("x", (2,)), b.input("y", (2,))
    with pytest.raises(ValueError, match="a tensor of graph 'b' was used in graph 'a'"):
        _ = x + y


def test_wrong_operands_fail_where_they_are_given():
    g = Graph()
    x, y = g.input("x", (2, 3)), g.input("y", (4, 5))
    with pytest.raises(ShapeError, match="the last dim of lhs and the last but one of rhs must be equal, got 3 and 4"):
        _ = x @ y
    with pytest.raises(ShapeError, match="cannot find the size -1"):
        g.reshape(x, (4, -1))
    with pytest.raises(ValueError, match="dtype must be one of"):
        g.input("z", (1,), "float32")
    with pytest.raises(ValueError, match=r"1.5 is no value of i32"):
        _ = g.input("n", (1,), "i32") + 1.5


@pytest.mark.parametrize(
    ("name", "dtypes", "parameters", "message"),
    [
        ("nope", ("f32",), {}, "no function 'nope'; known are abs, acos,"),
        ("pow", ("f32",), {}, "pow is a function of 2 operands, got 1"),
        ("asinh", ("f32", "f32"), {}, "asinh is a function of 1 operand, got 2"),
        ("cosh", (), {}, "cosh is a function of 1 operand, got 0"),
        ("sin", ("f32",), {"beta": 2.0}, "sin has no parameter 'beta' (its parameters: none)"),
        ("elu", ("f32",), {"beta": 2.0}, "elu has no parameter 'beta' (its parameters: alpha, scale, input_scale)"),
        ("celu", ("f32",), {"alpha": 0.0}, "celu divides by its alpha, which is 0"),
        ("cbrt", ("i32",), {}, "the operand of cbrt must have a float element type, got tensor<3xi32>"),
        ("softplus", ("i32",), {"beta": 2.0}, "the operand of softplus must have a float element type"),
        ("round_away", ("c64",), {}, "the operand of round_away must have a float element type"),
    ],
)
def test_functions_that_are_none(name: str, dtypes: tuple[str, ...], parameters: dict[str, float], message: str):
    g = Graph()
    operands = [g.input(f"x{i}", (3,), dtype) for i, dtype in enumerate(dtypes)]
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        g.function(name, *operands, **parameters)


def test_numbers_that_are_equal_and_not_the_same():
    g = Graph()
    x, n, z = g.input("x", (1,)), g.input("n", (1,), "i64"), g.input("z", (1,), "c64")
    outputs = {"a": x * 0.0, "b": x * -0.0, "c": n + 2**53, "d": n + (2**53 + 1), "e": z * 0.5}
    for name, tensor in outputs.items():
        g.output(name, tensor)
    got = run(g.module(), None, [np.ones(1, np.float32), np.zeros(1, np.int64), np.ones(1, np.complex64)])
    assert np.signbit([got["a"], got["b"]]).ravel().tolist() == [False, True]
    assert [int(got["c"][0]), int(got["d"][0])] == [2**53, 2**53 + 1]
    assert got["e"].tolist() == [0.5]


@pytest.mark.parametrize(
    ("shape", "value", "dtype", "message"),
    [
        ((2,), 300, "i8", "300 is no value of i8"),
        ((2,), -1, "ui32", "-1 is no value of ui32"),
        ((2,), 2, "i1", "2 is no value of i1"),
        ((2,), float("inf"), "i32", "inf is no value of i32"),
        ((2,), float("nan"), "i32", "nan is no value of i32"),
        ((2, DYNAMIC), 0, "f32", r"a constant needs sizes of 0 or more, got \[2, \?\]"),
        ((-3,), 0, "f32", r"a constant needs sizes of 0 or more, got \[-3\]"),
        ((2,), 0, "f31", "dtype must be one of"),
    ],
)
def test_constants_that_no_tensor_holds(shape: tuple[int, ...], value: float, dtype: str, message: str):
    with pytest.raises(ValueError, match=message):
        Graph().full(shape, value, dtype)


def test_what_is_no_tensor():
    g = Graph("g")
    x = g.input("x", (2, 3))
    number: Any = 1
    with pytest.raises(TypeError, match=r"^matmul: rhs must be a tensor, got 1; `\*` takes numbers$"):
        _ = x @ number
    with pytest.raises(TypeError, match=r"^matmul: lhs must be a tensor, got 2\.5; `\*` takes numbers$"):
        _ = 2.5 @ cast(Any, x)
    with pytest.raises(TypeError, match=r"^graph 'g': expected a tensor, got 1$"):
        g.relu(number)


def test_attributes_that_i64_would_hold_as_others():
    g = Graph()
    x = g.input("x", (2, 3))
    with pytest.raises(ValueError, match=r"18446744073709551615 does not fit into a signed integer of 64 bits"):
        g.softmax(x, axis=2**64 - 1)
    with pytest.raises(ValueError, match=r"18446744073709551615 does not fit into a signed integer of 64 bits"):
        g.sum(x, [2**64 - 1])


def test_a_program_needs_an_output():
    with pytest.raises(ValueError, match="has no output"):
        Graph("g").module()


def test_a_graph_ends_with_its_module():
    g = Graph("g")
    x = g.input("x", (2,))
    g.output("y", x)
    g.module()
    for use in (g.module, lambda: x + 1, lambda: g.input("z", (2,)), lambda: g.output("z", x)):
        with pytest.raises(ValueError, match="graph 'g' is finished"):
            use()


def test_open_sizes():
    g = Graph()
    x = g.input("x", (None, 8))
    g.output("y", x + 1)
    assert (x + 1).shape == (DYNAMIC, 8)
    module = g.module()
    for n in (1, 5):
        (got,) = run(module, None, [np.zeros((n, 8), np.float32)]).values()
        assert got.shape == (n, 8)


def test_values_are_found_by_name():
    g = Graph()
    x, w = g.input("x", (2,)), g.param("layer.0.weight", (2,))
    keep = g.compare(CompareKind.GT, x, w)
    keep.value.name_hint = "keep"
    g.output("y", g.where(keep, x, w))
    func = find_function(g.module())
    assert find_input(func, "x") is func.args[0]
    assert find_input(func, "layer.0.weight") is None
    assert find_param(func, "layer.0.weight") is func.args[1]
    assert find_value(func, "keep") is keep.value
    assert find_value(func, "nothing") is None


def test_constants_hold_arrays():
    g = Graph()
    g.output("a", g.constant(np.arange(6, dtype=np.int64).reshape(2, 3)))
    g.output("b", g.full((2, 2), 7, "ui8"))
    got = run(g.module(), None, [])
    assert got["a"].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert got["b"].tolist() == [[7, 7], [7, 7]]


def test_the_builder_has_every_op():
    """The ops with a method of their name, and those that the sources of the chapters make."""
    written = "".join(inspect.getsource(sys.modules[chapter.__module__]) for chapter in Graph.__mro__[:-2])
    made = set(re.findall(r"\b\w+Op(?=\()", written)) | {op.__name__ for op in ALL_OPS if hasattr(Graph, op.name[4:])}
    assert sorted({op.__name__ for op in ALL_OPS} - made - {ArtifactOp.__name__}) == []


def test_a_method_has_the_parameters_of_the_constructor():
    """Tensors for values, names for element types, and the message of the op."""
    parameters = [(each.name, each.default) for each in inspect.signature(Graph.quantize).parameters.values()]
    optional = [("dtype", "i8"), ("zero_point", None), ("axis", None), ("block", None)]
    assert parameters == [*((name, inspect.Parameter.empty) for name in ("self", "x", "scale")), *optional]
    assert Graph.quantize.__doc__ == inspect.cleandoc(QuantizeOp.__doc__ or "").partition("\n\n")[0]
    g, other = Graph("g"), Graph("other")
    x, y = g.input("x", (2, 3)), other.input("y", (2, 3))
    assert g.softmax(x, -1, accumulate="f32").dtype == "f32"
    assert [each.shape for each in g.top_k(x, 2)] == [(2, 2), (2, 2)]
    assert g.concat([x, x], 0).shape == (4, 3)
    with pytest.raises(TypeError, match=r"graph 'g': expected a tensor, got 3"):
        g.erfc(cast(Tensor, 3))
    with pytest.raises(ValueError, match=r"a tensor of graph 'other' was used in graph 'g'"):
        g.concat([x, y], 0)
    with pytest.raises(TypeError, match=r"missing a required argument: 'axis'"):
        cast("Callable[..., Tensor]", g.concat)([x])


def test_products_over_axes_of_choice():
    g = Graph()
    x, y = g.input("x", (2, 3, 4)), g.input("y", (4, 5, 2))
    g.output("z", g.dot_general(x, y, contracting=([2], [0]), batch=([0], [2])))
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((2, 3, 4)).astype(np.float32), rng.standard_normal((4, 5, 2)).astype(np.float32)
    (got,) = run(g.module(), None, [a, b]).values()
    np.testing.assert_allclose(got, np.einsum("bik,kjb->bij", a, b), rtol=1e-5)


@pytest.mark.parametrize("size", ["a", 1.5, 2**70])
def test_sizes_of_arguments_are_integers(size: Any):
    with pytest.raises(ShapeError, match=r"x: sizes must be integers of 64 bits, got \[2, "):
        Graph().input("x", (2, size))
