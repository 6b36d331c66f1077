"""Conditionals, loops and functions of ONNX models, compared with ONNX Runtime."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from tools import need_module
from xdsl.ir import Operation

from rlx_dialect.ops import IfOp, ScanOp, WhileOp
from rlx_dialect.reference import Array, run
from rlx_passes.core.errors import InputError
from rlx_passes.frontends.imported import Imported
from rlx_passes.frontends.onnx.importer import import_model
from rlx_passes.frontends.onnx.protobuf import model_of

need_module("onnx")
need_module("onnxruntime")

import onnx  # noqa: E402
import onnx.parser  # noqa: E402

HEADER = '<ir_version: 8, opset_import: ["" : 17, "f" : 1]>'


def parsed(text: str) -> Any:
    return onnx.parser.parse_model(f"{HEADER}\n{text}")


def imported(text: str) -> Imported:
    return import_model(model_of(parsed(text), "t.onnx"))


def compared(text: str, inputs: Mapping[str, Array]) -> list[type[Operation]]:
    """The import gives what ONNX Runtime gives; the kinds of the ops with regions in it."""
    from onnxruntime import InferenceSession

    session: Any = InferenceSession(parsed(text).SerializeToString(), providers=["CPUExecutionProvider"])
    expected: Sequence[Array] = session.run(None, dict(inputs))
    program = imported(text)
    got = run(program.module, inputs={**program.params, **inputs})
    for actual, wanted in zip(got.values(), expected, strict=True):
        assert (actual.dtype, actual.shape) == (wanted.dtype, wanted.shape)
        np.testing.assert_allclose(actual, wanted, rtol=1e-6)
    return [type(op) for op in program.module.walk() if isinstance(op, IfOp | ScanOp | WhileOp)]


X = np.arange(6, dtype=np.float32).reshape(2, 3)

IF = """
g (bool c, float[n, 3] x) => (float[n, 3] y)
<float[3] w = {1, 2, 3}, float two = {2}> {
  z = Mul(x, two)
  y = If (c) <
    then_branch = a () => (float[n, 3] p) { q = Add(z, w) p = Relu(q) },
    else_branch = b () => (float[n, 3] p) { p = Sub(x, w) }
  >
}
"""


@pytest.mark.parametrize("condition", [True, False])
def test_if_at_run_time(condition: bool):
    """The branches read a param, a constant, an input and a value of the graph around."""
    assert compared(IF, {"c": np.array(condition), "x": X}) == [IfOp]


def test_if_that_is_known():
    """`n > 0` is known of no run, the rank of x is."""
    text = """
    g (float[n, 3] x) => (float[n, 3] y) <int64 two = {2}> {
      s = Shape(x)
      r = Size(s)
      c = Equal(r, two)
      y = If (c) <
        then_branch = a () => (float[n, 3] p) { p = Neg(x) },
        else_branch = b () => (float[n, 3] p) { p = NoSuchThing(x) }
      >
    }
    """
    text = text.replace("NoSuchThing", "Abs")
    assert compared(text, {"x": X}) == []


def test_nested_ifs():
    text = """
    g (bool c, bool d, float[2, 3] x) => (float[2, 3] y) <float[3] w = {1, 2, 3}> {
      y = If (c) <
        then_branch = a () => (float[2, 3] p) {
          t = Add(x, w)
          p = If (d) <
            then_branch = e () => (float[2, 3] q) { q = Mul(t, w) },
            else_branch = h () => (float[2, 3] q) { q = Identity(t) }
          >
        },
        else_branch = b () => (float[2, 3] p) { p = Identity(x) }
      >
    }
    """
    for c in (True, False):
        for d in (True, False):
            assert compared(text, {"c": np.array(c), "d": np.array(d), "x": X}) == [IfOp, IfOp]


COUNTED = """
g (float[2, 3] x) => (float[2, 3] y, float[4, 2, 3] all) <int64 m = {4}, float[3] w = {1, 2, 3}> {
  y, all = Loop (m, , x) <
    body = b (int64 i, bool go, float[2, 3] v) => (bool on, float[2, 3] u, float[2, 3] out) {
      k = Cast <to = 1> (i)
      s = Mul(w, k)
      u = Add(v, s)
      out = Neg(u)
      on = Identity(go)
    }
  >
}
"""


def test_a_counted_loop_is_a_scan():
    assert compared(COUNTED, {"x": X}) == [ScanOp]


def test_a_loop_over_a_dim():
    """The number of rounds is a size that a run knows."""
    text = """
    g (float[n, 3] x) => (float[3] y) <float[3] zero = {0, 0, 0}, int64 at = {0}, bool yes = {1}> {
      s = Shape(x)
      m = Gather(s, at)
      y = Loop (m, yes, zero) <
        body = b (int64 i, bool go, float[3] v) => (bool on, float[3] u) {
          row = Gather(x, i)
          u = Add(v, row)
          on = Identity(go)
        }
      >
    }
    """
    assert compared(text, {"x": X}) == [ScanOp]


def test_a_loop_that_ends_early():
    """Doubled until it is large or the rounds are over."""
    text = """
    g (float[1] x, int64 m) => (float[1] y) <float[1] large = {100}, bool yes = {1}, float[1] two = {2}> {
      y = Loop (m, yes, x) <
        body = b (int64 i, bool go, float[1] v) => (bool on, float[1] u) {
          u = Mul(v, two)
          c = Less(u, large)
          on = Squeeze(c)
        }
      >
    }
    """
    for rounds in (3, 50, 0):
        assert compared(text, {"x": np.array([1.5], np.float32), "m": np.array(rounds)}) == [WhileOp]


def test_a_loop_that_ends_early_stacks_nothing():
    text = COUNTED.replace(
        "on = Identity(go)", "n = ReduceSum <keepdims = 0> (u) c = Cast <to = 9> (n) on = Identity(c)"
    )
    with pytest.raises(InputError, match=r"t.onnx: node of 'y' \(Loop\): a loop that may end early stacks its outputs"):
        imported(text)


@pytest.mark.parametrize("backwards", [0, 1])
@pytest.mark.parametrize("axis", [0, 1])
def test_scan(axis: int, backwards: int):
    text = f"""
    g (float[3] h, float[{"4, 3" if axis == 0 else "3, 4"}] x) => (float[3] y, float[3, 4] all) <float[3] w = {{1, 2,
        3}}> {{
      y, all = Scan <
        num_scan_inputs = 1, scan_input_axes = [{axis}], scan_input_directions = [{backwards}],
        scan_output_axes = [1], scan_output_directions = [{backwards}],
        body = b (float[3] s, float[3] e) => (float[3] t, float[3] o) {{
          a = Mul(s, w)
          t = Add(a, e)
          o = Identity(t)
        }}
      > (h, x)
    }}
    """
    x = np.arange(12, dtype=np.float32).reshape((4, 3) if axis == 0 else (3, 4))
    assert compared(text, {"h": np.ones(3, np.float32), "x": x}) == [ScanOp]


FUNCTION = """
g (float[2, 3] x) => (float[2, 3] y) <float[3] w = {1, 2, 3}> {
  y = f.affine <alpha = 2.0> (x, w)
}
<domain: "f", opset_import: ["" : 17]>
affine <alpha, beta: float = 0.5> (x, w) => (y) {
  a = Constant <value_float: float = @alpha> ()
  b = Constant <value_float: float = @beta> ()
  s = Mul(x, a)
  t = Add(s, b)
  y = Add(t, w)
}
"""


def test_a_function_with_attributes():
    assert compared(FUNCTION, {"x": X}) == []


def test_a_function_without_its_attribute():
    with pytest.raises(InputError, match=r"node of 'y' \(f\.affine\): attribute 'alpha' is left out"):
        imported(FUNCTION.replace(" <alpha = 2.0> ", " "))


def test_a_function_that_calls_itself():
    text = """
    g (float[2] x) => (float[2] y) { y = f.again(x) }
    <domain: "f", opset_import: ["" : 17, "f" : 1]>
    again (x) => (y) { y = f.again(x) }
    """
    with pytest.raises(InputError, match=r"\(f\.again\): the function calls itself"):
        imported(text)


def test_functions_in_a_long_chain():
    calls = "\n".join(
        f'<domain: "f", opset_import: ["" : 17, "f" : 1]>\nf{i} (x) => (y) {{ y = f.f{i - 1}(x) }}'
        for i in range(1, 99)
    )
    text = f"""
    g (float[2] x) => (float[2] y) {{ y = f.f98(x) }}
    {calls}
    <domain: "f", opset_import: ["" : 17]>
    f0 (x) => (y) {{ y = Identity(x) }}
    """
    with pytest.raises(InputError, match="functions call one another more than 64 deep"):
        imported(text)


def test_functions_that_multiply():
    """Thirty functions, each of which calls the one before twice, would come to a thousand million nodes."""
    calls = "\n".join(
        f'<domain: "f", opset_import: ["" : 17, "f" : 1]>\nf{i} (x) => (y) {{ t = f.f{i - 1}(x) y = f.f{i - 1}(t) }}'
        for i in range(1, 30)
    )
    text = f"""
    g (float[2] x) => (float[2] y) {{ y = f.f29(x) }}
    {calls}
    <domain: "f", opset_import: ["" : 17]>
    f0 (x) => (y) {{ y = Identity(x) }}
    """
    with pytest.raises(InputError, match="with its functions in place the model has 536870912 nodes; 1000000 are read"):
        imported(text)
