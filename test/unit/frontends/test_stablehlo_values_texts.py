"""StableHLO and CHLO that JAX does not write today means in RLX what XLA makes of it."""

import numpy as np
import pytest
from stablehlo_values import check_text, imported, normal
from tools import need_module

X, VECTOR, SPREAD = normal(2, 3, 4), normal(3), np.abs(normal(3)) + np.float32(0.5)
COMMON = "<{epsilon = 0.001 : f32, feature_index = 1 : i64}>"
T, V = "tensor<2x3x4xf32>", "tensor<3xf32>"


def function(arguments: str, body: str, results: str) -> str:
    """A program whose last value is `%r`, or `%r#0` and so on."""
    count = results.count("tensor<")
    values = ", ".join(f"%r#{i}" for i in range(count)) if count > 1 else "%r"
    given = f"({results})" if count > 1 else results
    return f"func.func @main({arguments}) -> {given} {{\n{body}\n  return {values} : {results}\n}}"


@pytest.fixture(autouse=True)
def xla():
    need_module("jax")


def test_batch_norm_inference():
    text = function(
        f"%x: {T}, %s: {V}, %o: {V}, %m: {V}, %v: {V}",
        f'%r = "stablehlo.batch_norm_inference"(%x, %s, %o, %m, %v) {COMMON} : ({T}, {V}, {V}, {V}, {V}) -> {T}',
        T,
    )
    check_text(text, X, VECTOR, VECTOR + 1, VECTOR * 2, SPREAD, gives=("batch_norm_inference",))


def test_batch_norm_training():
    text = function(
        f"%x: {T}, %s: {V}, %o: {V}",
        f'%r:3 = "stablehlo.batch_norm_training"(%x, %s, %o) {COMMON} : ({T}, {V}, {V}) -> ({T}, {V}, {V})',
        f"{T}, {V}, {V}",
    )
    check_text(text, X, VECTOR, VECTOR + 1, gives=("batch_norm_inference", "reduce"), rtol=1e-5)


def test_batch_norm_grad():
    text = function(
        f"%x: {T}, %s: {V}, %m: {V}, %v: {V}, %g: {T}",
        f'%r:3 = "stablehlo.batch_norm_grad"(%x, %s, %m, %v, %g) {COMMON} '
        f": ({T}, {V}, {V}, {V}, {T}) -> ({T}, {V}, {V})",
        f"{T}, {V}, {V}",
    )
    mean, variance = X.mean((0, 2)), X.var((0, 2))
    check_text(text, X, VECTOR, mean, variance, normal(2, 3, 4), rtol=1e-5, atol=1e-5)


def test_a_body_for_each_element():
    body = f"""%r = "stablehlo.map"(%x, %y) <{{dimensions = array<i64: 0, 1, 2>}}> ({{
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %two = stablehlo.constant dense<2.0> : tensor<f32>
        %0 = stablehlo.multiply %a, %two : tensor<f32>
        %1 = stablehlo.compare GT, %0, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %2 = stablehlo.select %1, %two, %b : tensor<i1>, tensor<f32>
        stablehlo.return %2 : tensor<f32>
    }}) : ({T}, {T}) -> {T}"""
    check_text(function(f"%x: {T}, %y: {T}", body, T), X, X[::-1].copy())


def test_ops_of_earlier_versions():
    product = "%r = stablehlo.dot %x, %y : (tensor<4x3xf32>, tensor<3x2xf32>) -> tensor<4x2xf32>"
    check_text(
        function("%x: tensor<4x3xf32>, %y: tensor<3x2xf32>", product, "tensor<4x2xf32>"), normal(4, 3), normal(3, 2)
    )
    vectors = "%r = stablehlo.dot %x, %y : (tensor<3xf32>, tensor<3xf32>) -> tensor<f32>"
    check_text(function(f"%x: {V}, %y: {V}", vectors, "tensor<f32>"), VECTOR, SPREAD)
    repeated = f"%r = stablehlo.broadcast %x, sizes = [2, 4] : ({V}) -> tensor<2x4x3xf32>"
    check_text(function(f"%x: {V}", repeated, "tensor<2x4x3xf32>"), VECTOR)


@pytest.mark.parametrize("op", ["add", "subtract", "divide", "maximum", "power"])
@pytest.mark.parametrize(("dims", "size"), [("", 4), (" {broadcast_dimensions = array<i64: 1>}", 3)])
def test_operands_that_stretch(op: str, dims: str, size: int):
    low = f"tensor<{size}xf32>"
    body = f"%r = chlo.broadcast_{op} %x, %y{dims} : ({T}, {low}) -> {T}"
    vector = np.abs(normal(size)) + np.float32(0.5)
    if not dims:
        check_text(function(f"%x: {T}, %y: {low}", body, T), np.abs(X), vector)
        return
    module, kept = imported(function(f"%x: {T}, %y: {low}", body, T))
    assert kept == []
    from rlx_dialect.reference import run

    numpy = {"add": np.add, "subtract": np.subtract, "divide": np.divide, "maximum": np.maximum, "power": np.power}[op]
    (got,) = run(module, None, [np.abs(X), vector]).values()
    np.testing.assert_allclose(got, numpy(np.abs(X), vector[:, None]), rtol=1e-6)


def test_sizes_that_are_constants():
    body = """%s = stablehlo.constant dense<[3, 8]> : tensor<2xi64>
      %c = stablehlo.constant dense<[1, 0, 2]> : tensor<3xi64>
      %z = stablehlo.constant dense<0> : tensor<3xi64>
      %v = stablehlo.constant dense<5.0> : tensor<f32>
      %0 = stablehlo.dynamic_pad %x, %v, %c, %z, %c
          : (tensor<2x3x4xf32>, tensor<f32>, tensor<3xi64>, tensor<3xi64>, tensor<3xi64>) -> tensor<4x3x12xf32>
      %i = stablehlo.dynamic_iota %s, dim = 1 : (tensor<2xi64>) -> tensor<3x8xf32>
      %1 = stablehlo.dynamic_reshape %x, %s : (tensor<2x3x4xf32>, tensor<2xi64>) -> tensor<3x8xf32>
      %2 = stablehlo.add %i, %1 : tensor<3x8xf32>
      %3 = stablehlo.reshape %0 : (tensor<4x3x12xf32>) -> tensor<6x3x8xf32>
      %4 = stablehlo.broadcast_in_dim %2, dims = [1, 2] : (tensor<3x8xf32>) -> tensor<6x3x8xf32>
      %r = stablehlo.add %3, %4 : tensor<6x3x8xf32>"""
    text = function(f"%x: {T}", body, "tensor<6x3x8xf32>")
    module, kept = imported(text)
    assert kept == []
    from rlx_dialect.reference import run

    (got,) = run(module, None, [X]).values()
    wide = np.full((4, 3, 12), 5, np.float32)
    wide[1::2, :, 2::3] = X
    np.testing.assert_allclose(
        got, wide.reshape(6, 3, 8) + (np.arange(8, dtype=np.float32) + X.reshape(3, 8)), rtol=1e-6
    )


def test_sizes_of_run_time():
    body = "%r = stablehlo.dynamic_reshape %x, %s : (tensor<2x3x4xf32>, tensor<2xi64>) -> tensor<?x?xf32>"
    module, kept = imported(function(f"%x: {T}, %s: tensor<2xi64>", body, "tensor<?x?xf32>"))
    assert kept == []
    from rlx_dialect.reference import run

    (got,) = run(module, None, [X, np.array([4, 6])]).values()
    np.testing.assert_array_equal(got, X.reshape(4, 6))
