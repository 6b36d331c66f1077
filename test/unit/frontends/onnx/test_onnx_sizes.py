"""Shapes as values: what models reckon with them is reckoned on import, and means what ONNX Runtime makes of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from tools import need_module
from xdsl.dialects.tensor import DimOp
from xdsl.ir import Block

from rlx_dialect.reference import Array, run
from rlx_passes.core.errors import InputError
from rlx_passes.frontends.imported import Imported
from rlx_passes.frontends.onnx.importer import import_model
from rlx_passes.frontends.onnx.protobuf import model_of

need_module("onnx")
need_module("onnxruntime")

import onnx  # noqa: E402
import onnx.parser  # noqa: E402

X = np.random.default_rng(14).standard_normal((2, 6, 4)).astype(np.float32)
ONE = np.random.default_rng(15).standard_normal((1, 5, 4)).astype(np.float32)


def parsed(body: str, stored: str = "", given: str = "float[n, s, 4] x") -> Any:
    """A model that gives `y`, whose type and rank are left to whoever reads it."""
    header = '<ir_version: 8, opset_import: ["" : 18]>'
    model: Any = onnx.parser.parse_model(f"{header} g ({given}) => (float[k] y) <{stored}> {{ {body} }}")
    model.graph.output[0].ClearField("type")
    return model


def compared(model: Any, inputs: Mapping[str, Array]) -> set[str]:
    """The import gives what ONNX Runtime gives; the names of its ops."""
    from onnxruntime import InferenceSession

    session: Any = InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    (expected,) = session.run(None, dict(inputs))
    program = imported(model)
    (actual,) = run(program.module, inputs={**program.params, **inputs}).values()
    assert (actual.dtype, actual.shape) == (expected.dtype, expected.shape)
    np.testing.assert_allclose(actual, expected, rtol=1e-6)
    return {op.name for op in program.module.walk()}


def imported(model: Any) -> Imported:
    return import_model(model_of(model, "sizes.onnx"))


RECKONED: Sequence[tuple[str, str]] = [
    ("y = Shape(x)", ""),
    ("y = Shape<start=1>(x)", ""),
    ("y = Size(x)", ""),
    ("d = Shape(x) y = Identity(d)", ""),
    ("d = Shape(x) y = Gather(d, i)", "int64[2] i = {1, -1}"),
    ("d = Shape(x) y = Gather(d, i)", "int64 i = {0}"),
    ("d = Shape(x) y = GatherND(d, i)", "int64[2, 1] i = {2, 0}"),
    ("d = Shape(x) y = ScatterND(d, i, u)", "int64[1, 1] i = {2}, int64[1] u = {-1}"),
    ("d = Shape(x) y = Slice(d, a, b)", "int64[1] a = {0}, int64[1] b = {-1}"),
    (
        "d = Shape(x) y = Slice(d, a, b, c, e)",
        "int64[1] a = {-1}, int64[1] b = {-9}, int64[1] c = {0}, int64[1] e = {-1}",
    ),
    ("d = Shape(x) y, z = Split<axis=0>(d, p)", "int64[2] p = {1, 2}"),
    ("d = Shape(x) z, y = Split<axis=0, num_outputs=2>(d)", ""),
    ("d = Shape(x) y = Concat<axis=0>(d, m, d)", "int64[1] m = {-1}"),
    ("d = Shape(x) e = Unsqueeze(d, i) y = Squeeze(e)", "int64[1] i = {0}"),
    ("d = Shape(x) e = Unsqueeze(d, i) y = Squeeze(e, i)", "int64[1] i = {1}"),
    ("d = Shape(x) y = Unsqueeze(d, i)", "int64[1] i = {0}"),
    ("d = Shape(x) e = Reshape(d, i) y = Flatten<axis=0>(e)", "int64[2] i = {-1, 1}"),
    ("d = Shape(x) y = Expand(d, i)", "int64[2] i = {2, 1}"),
    ("d = Shape(x) y = Tile(d, i)", "int64[1] i = {2}"),
    ("d = Shape(x) e = Cast<to=6>(d) f = Add(e, o) y = Cast<to=7>(f)", "int32 o = {3}"),
    ("d = Shape(x) y = Cast<to=6>(d)", ""),
    ("d = Shape(x) y = Cast<to=1>(d)", ""),
    ("d = Shape(x) e = Cast<to=1>(d) f = Mul(e, o) h = Floor(f) y = Cast<to=7>(h)", "float o = {2}"),
    (
        "d = Shape(x) e = Mul(d, o) f = Cast<to=1>(e) h = Div(f, o2) i = Ceil(h) y = Cast<to=7>(i)",
        "int64 o = {6}, float o2 = {3}",
    ),
    ("d = Shape(x) y = Add(d, o)", "int64[3] o = {1, 2, 3}"),
    ("d = Shape(x) e = Add(d, o) y = Sub(e, d)", "int64 o = {1}"),
    ("d = Shape(x) y = Mul(d, d)", ""),
    ("d = Shape(x) y = Div(d, o)", "int64 o = {2}"),
    ("d = Shape(x) y = Mod(d, o)", "int64 o = {4}"),
    ("d = Shape(x) e = Neg(d) y = Abs(e)", ""),
    ("d = Shape(x) e = Add(d, o) y = Sign(e)", "int64 o = {1}"),
    ("d = Shape(x) e = Add(d, o) y = Max(d, e)", "int64 o = {1}"),
    ("d = Shape(x) e = Add(d, o) y = Min(d, e)", "int64 o = {1}"),
    ("d = Shape(x) c = Equal(d, m) y = Where(c, m, d)", "int64 m = {-1}"),
    ("d = Shape(x) c = Greater(d, m) y = Where(c, d, m)", "int64 m = {-1}"),
    ("d = Shape(x) c = Less(m, d) y = Where(c, d, m)", "int64 m = {-1}"),
    ("d = Shape(x) c = GreaterOrEqual(d, m) y = Where(c, d, m)", "int64 m = {0}"),
    ("d = Shape(x) c = LessOrEqual(m, d) y = Where(c, d, m)", "int64 m = {0}"),
    ("d = Shape(x) y = ReduceProd(d)", ""),
    ("d = Shape(x) y = ReduceProd<keepdims=0>(d, i)", "int64[1] i = {0}"),
    ("d = Shape(x) y = ReduceSum<keepdims=0>(d)", ""),
    ("d = Shape(x) a = Gather(d, i) b = Add(a, t) y = Range(a, b, o)", "int64 i = {1}, int64 t = {5}, int64 o = {2}"),
]
PLAIN = {
    *("builtin.module", "func.func", "func.return", "arith.constant", "tensor.dim", "tensor.from_elements"),
    *("arith.addi", "arith.subi", "arith.muli", "arith.divui", "arith.index_cast", "rlx.reshape", "rlx.cast"),
}
"""What sizes are reckoned with and put into tensors by."""


@pytest.mark.parametrize(("body", "stored"), RECKONED, ids=lambda each: each.replace(" ", ""))
def test_sizes_are_reckoned_on_import(body: str, stored: str):
    assert compared(parsed(body, stored), {"x": X}) <= PLAIN


UNDECIDED: Sequence[tuple[str, str]] = [
    ("d = Shape(x) y = Max(d, o)", "int64 o = {3}"),
    ("d = Shape(x) c = Equal(d, o) y = Where(c, o, d)", "int64 o = {6}"),
    ("d = Shape(x) e = Sub(d, o) y = Div(e, o)", "int64 o = {3}"),
    ("d = Shape(x) e = Cast<to=1>(d) f = Mul(e, o) h = Floor(f) y = Cast<to=7>(h)", "float o = {0.7}"),
    ("d = Shape(x) y = Cast<to=11>(d)", ""),
    ("d = Shape(x) y = Cast<to=10>(d)", ""),
]


@pytest.mark.parametrize(("body", "stored"), UNDECIDED, ids=lambda each: each.replace(" ", ""))
def test_what_a_run_decides_is_left_to_it(body: str, stored: str):
    compared(parsed(body, stored), {"x": X})


SHAPED: Sequence[tuple[str, str]] = [
    ("d = Shape(x) y = Reshape(x, d)", ""),
    (
        "d = Shape(x) a = Slice(d, z, o) b = Concat<axis=0>(a, m) y = Reshape(x, b)",
        "int64[1] z = {0}, int64[1] o = {1}, int64[1] m = {-1}",
    ),
    ("y = Reshape(x, d)", "int64[3] d = {0, 2, -1}"),
    ("d = Shape(x) e = Mul(d, f) g = Tile(x, t) y = Reshape(g, e)", "int64[3] f = {1, 2, 1}, int64[3] t = {1, 2, 1}"),
    (
        "d = Shape(x) a = Gather(d, i) b = Sub(a, o) c = Unsqueeze(b, z) y = Slice(x, z, c, o1)",
        "int64 i = {1}, int64 o = {1}, int64[1] z = {0}, int64[1] o1 = {1}",
    ),
    ("d = Shape(x) a = Slice(d, o, t) y = Slice(x, m, a, o)", "int64[1] o = {1}, int64[1] t = {2}, int64[1] m = {-3}"),
    (
        "d = Shape(x) a = Gather(d, i) h = Div(a, t) y = Slice(x, h, e, o)",
        "int64[1] i = {1}, int64[1] t = {2}, int64[1] e = {999999999999}, int64[1] o = {1}",
    ),
    ("y = Slice(x, a, b, c)", "int64[2] a = {0, -2}, int64[2] b = {9223372036854775807, -1}, int64[2] c = {0, 1}"),
    (
        "y = Slice(x, a, b, c, e)",
        "int64[1] a = {-1}, int64[1] b = {-9223372036854775807}, int64[1] c = {1}, int64[1] e = {-1}",
    ),
    (
        "y = Slice(x, a, b, c, e)",
        "int64[1] a = {1}, int64[1] b = {9223372036854775807}, int64[1] c = {1}, int64[1] e = {2}",
    ),
    ("y = Slice(x, a, b, c)", "int64[1] a = {1}, int64[1] b = {2}, int64[1] c = {1}"),
    ("y = Slice(x, a, b, c)", "int64[1] a = {5}, int64[1] b = {0}, int64[1] c = {1}"),
    ("d = Shape(x) f = ConstantOfShape<value = float[1] {2}>(d) y = Mul(x, f)", ""),
    ("d = Shape(x) e = Mul(x, x) y = Expand(e, d)", ""),
    ("s = ReduceMax<keepdims=1>(x, m) d = Shape(x) y = Expand(s, d)", "int64[1] m = {-1}"),
    ("y = Expand(x, d)", "int64[4] d = {3, 1, 1, 1}"),
    ("d = Shape(x) a = Gather(d, i) t = Concat<axis=0>(o, a, o) y = Tile(x, t)", "int64[1] i = {0}, int64[1] o = {1}"),
    (
        "d = Shape(x) a = Gather(d, i) r = Range(z, a, o) f = Cast<to=1>(r) u = Unsqueeze(f, m) y = Add(x, u)",
        "int64 i = {1}, int64 z = {0}, int64 o = {1}, int64[1] m = {-1}",
    ),
    ("d = Shape(x) a = Gather(d, i) b = Sub(a, o) y = Gather<axis=1>(x, b)", "int64[1] i = {1}, int64 o = {1}"),
    ("y = Gather<axis=1>(x, i)", "int64[2] i = {-1, 0}"),
    ("y = Gather<axis=1>(x, i)", "int64 i = {0}"),
    ("y = Gather<axis=1>(x, i)", "int64 i = {-1}"),
    (
        "a = Concat<axis=1>(x, x) d = Shape(a) b = Slice(d, o, t) y = Slice(a, o, b, o)",
        "int64[1] o = {1}, int64[1] t = {2}",
    ),
    (
        "d = Shape(x) a = Slice(d, o, t) b = Neg(a) y = Slice(x, b, f, o)",
        "int64[1] o = {1}, int64[1] t = {2}, int64[1] f = {999999999999}",
    ),
    ("y, z = Split<axis=2>(x, p)", "int64[2] p = {1, 3}"),
    (
        "d = Shape(x) a = Gather(d, i) h = Div(a, t) r = Sub(a, h) p = Concat<axis=0>(h, r) z, y = Split<axis=1>(x, p)",
        "int64[1] i = {1}, int64[1] t = {2}",
    ),
    ("y = Transpose<perm = [2, 0, 1]>(x)", ""),
    ("y = Flatten<axis=2>(x)", ""),
    ("u = Unsqueeze(x, o) y = Squeeze(u, o)", "int64[1] o = {1}"),
    (
        "u = Unsqueeze(x, z) d = Shape(x) a = Slice(d, z, t) b = Mul(a, s) e = Concat<axis=0>(b, m) "
        'i = Concat<axis=0>(o, e) y = Resize<mode="nearest", coordinate_transformation_mode="asymmetric", '
        'nearest_mode="floor">(u, , , i)',
        "int64[1] o = {1}, int64[1] z = {0}, int64[1] t = {2}, int64[2] s = {1, 3}, int64[1] m = {4}",
    ),
]


@pytest.mark.parametrize(("body", "stored"), SHAPED, ids=lambda each: each.replace(" ", ""))
@pytest.mark.parametrize("x", [X, ONE], ids=lambda x: "x".join(map(str, x.shape)))
def test_sizes_shape_tensors(body: str, stored: str, x: Array):
    ops = compared(parsed(body, stored), {"x": x})
    assert "tensor.extract" not in ops


def test_sizes_that_a_tensor_holds_are_read_when_the_program_runs():
    model = parsed("y = Reshape(x, d)", given="float[n, s, 4] x, int64[2] d")
    ops = compared(model, {"x": X, "d": np.array([8, 6])})
    assert "tensor.extract" in ops


def test_the_body_of_a_node_knows_the_sizes_around_it():
    body = """
      d = Shape(x) h = Relu(x)
      y = If (c) <
        then_branch = t () => (float[n, k] p) { f = Gather(d, i) e = Concat<axis=0>(f, m) p = Reshape(h, e) },
        else_branch = e () => (float[n, k] q) { q = Flatten(h) }
      >
    """
    model = parsed(body, "int64[1] i = {0}, int64[1] m = {-1}", "float[n, s, 4] x, bool c")
    for condition in (True, False):
        compared(model, {"x": X, "c": np.array(condition)})


def test_the_body_of_a_node_knows_a_size_that_a_tensor_held():
    body = """
      h = Reshape(x, d)
      y = If (c) <
        then_branch = t () => (float[n, k] p) { f = Shape(h) o = ConstantOfShape(f) p = Sub(h, o) },
        else_branch = e () => (float[n, k] q) { q = Relu(h) }
      >
    """
    model = parsed(body, given="float[n, s, 4] x, int64[2] d, bool c")
    for condition in (True, False):
        compared(model, {"x": X, "d": np.array([8, 6]), "c": np.array(condition)})


REFUSED: Sequence[tuple[str, str, str]] = [
    ("y = Reshape(x, d)", "int64[4] d = {0, 0, 0, 0}", "a 0 keeps a dim that the input has not: 4 sizes for 3 dims"),
    ("b = Flatten(x) y = Tile(b, d)", "int64[3] d = {1, 1, 1}", "there are 3 repeats for 2 dims"),
    ("y = Squeeze(x, i)", "int64[1] i = {2}", r"dim 2 of \[\?, \?, 4\] is not 1 and cannot be dropped"),
    ("y = Expand(x, d)", "int64[1] d = {3}", "a dim of 4 does not become one of 3"),
    ("y = Slice(x, a, b, a, a)", "int64[1] a = {0}, int64[1] b = {2}", "a step is 0"),
    (
        "y = Slice(x, a, b, c)",
        "int64[1] a = {0}, int64[1] b = {2}, int64[2] c = {1, 2}",
        "there are 1 starts, 2 axes and 1 steps",
    ),
    ("y = Slice(x, a, b)", "int64[1] a = {0}, int64[2] b = {2, 1}", "there are 1 starts and 2 ends"),
    (
        "d = Shape(x) a = Slice(d, z, o) b = Slice(d, o, t) c = Sub(b, a) y = Slice(x, z, c, o)",
        "int64[1] z = {0}, int64[1] o = {1}, int64[1] t = {2}",
        "whether a bound counts from the end is known at run time only",
    ),
    ("y = Gather<axis=2>(x, i)", "int64[1] i = {4}", "an index lies outside of the 4 entries of dim 2"),
    ("f = Flatten(x) y = DepthToSpace<blocksize=2>(f)", "", "the input must have 4 dims, got 2"),
    (
        'y = Pad<mode="around">(x, p)',
        "int64[6] p = {0, 0, 1, 0, 0, 1}",
        "mode is one of constant, reflect, edge, wrap, got 'around'",
    ),
    ("y = Pad(x, p)", "int64[4] p = {0, 0, 1, 0}", "there are 4 pads for 3 axes"),
    ("y = Unique(x)", "", "how many different elements there are is known at run time only"),
    (
        "y, z = Split<axis=2>(x, p)",
        "int64[2] p = {1, 4}",
        r"start 1 plus length 4 exceeds dim 2 of tensor<\?x\?x4xf32>",
    ),
    (
        'y = ScatterND<reduction="mean">(x, i, x)',
        "int64[1, 1] i = {0}",
        "reduction is one of none, add, mul, max, min, got 'mean'",
    ),
]


@pytest.mark.parametrize(("body", "stored", "reason"), REFUSED, ids=lambda each: each.replace(" ", ""))
def test_what_cannot_be_read(body: str, stored: str, reason: str):
    with pytest.raises(InputError, match=rf"^sizes.onnx: node of 'y' \(\w+\): (\w+: )?{reason}$"):
        imported(parsed(body, stored))


@pytest.mark.parametrize(("width", "place"), [(1, True), (2, "rlx.activation")])
def test_a_size_is_read_where_it_is_asked_for(width: int, place: bool | str):
    """
    At the argument whose size passes the convolution, else after the convolution that makes it: it would be read twice
    otherwise and could not be fused.
    """
    body = """
        c = Conv(x, w) a = Relu(c) d = Shape(a)
        f = Slice(d, i0, i1) g = Slice(d, i1, i2) h = Slice(d, i2, i3) k = Concat<axis=0>(f, h, g) y = Reshape(a, k)
    """
    weight = f"float[2, 6, {width}] w = {{{', '.join(map(str, range(12 * width)))}}}"
    model = parsed(body, ", ".join([weight, *(f"int64[1] i{i} = {{{i}}}" for i in range(4))]), "float[n, 6, s] x")
    compared(model, {"x": X})
    read = [op.operands[0] for op in imported(model).module.walk() if isinstance(op, DimOp)]
    assert [isinstance(each.owner, Block) or each.owner.name for each in read] == [True, place]
