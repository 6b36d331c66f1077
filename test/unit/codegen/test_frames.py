"""Windows after a convolution on cpu: values in a frame of one number, which IREE gets wrong as a fill."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from programs import parse
from tools import need_module, sampled
from xdsl.dialects import tensor
from xdsl.dialects.linalg.ops import FillOp

from rlx_dialect.reference import run
from rlx_passes.bundle.folder import write_bundle
from rlx_passes.codegen.emit import generator
from rlx_passes.codegen.frames import pad_frames
from rlx_passes.core.numerics import difference
from rlx_passes.lowerings.to_linalg import lower_to_linalg
from rlx_passes.runtime.program import load_bundle

CASES = {
    "pads": ("1x2x4", "rlx.conv %r, %v pad([1], [1])", "1x2x4"),
    "pads_and_stride": ("1x2x5", "rlx.conv %r, %v stride [2] pad([1], [1])", "1x2x3"),
    "batch": ("?x2x4", "rlx.conv %r, %v pad([2], [1])", "?x2x5"),
    "gaps": ("1x2x4", "rlx.conv %r, %v pad([1], [1]) input_dilation [2]", "1x2x7"),
    "less_than_no_pad": ("1x2x6", "rlx.conv %r, %v pad([-1], [1])", "1x2x4"),
    # Of which nothing is left over that the window does not reach: a loop over one window is no loop to IREE.
    "one_window": ("1x2x2", "rlx.conv %r, %v stride [2] pad([1], [1])", "1x2x1"),
    "pool": ("1x2x4", "rlx.pool max %r kernel [3] stride [2] pad([1], [1])", "1x3x2"),
}


def program(case: str) -> str:
    """A convolution that keeps the size, relu, and the op of the case."""
    x, op, y = CASES[case]
    middle = x.replace("x2x", "x3x")
    operands = f"tensor<{middle}xf32>" + (", tensor<2x3x3xf32>" if "%v" in op else "")
    typed = f"({operands}) ->" if "%v" in op else f"{operands} ->"
    return f"""
    func.func @main(%x: tensor<{x}xf32> {{rlx.input = "x"}}, %w: tensor<3x2x3xf32> {{rlx.param = "w"}},
                    %v: tensor<2x3x3xf32> {{rlx.param = "v"}}) -> (tensor<{y}xf32> {{rlx.output = "y"}}) {{
      %c = rlx.conv %x, %w pad([1], [1]) : (tensor<{x}xf32>, tensor<3x2x3xf32>) -> tensor<{middle}xf32>
      %r = rlx.activation relu %c : tensor<{middle}xf32>
      %y = {op} : {typed} tensor<{y}xf32>
      func.return %y : tensor<{y}xf32>
    }}"""


@sampled(3)
@pytest.mark.parametrize("case", CASES)
def test_values_behind_a_convolution(case: str, tmp_path: Path):
    need_module("iree.compiler")
    need_module("iree.runtime")
    rng = np.random.default_rng(21)
    dims = [2 if size == "?" else int(size) for size in CASES[case][0].split("x")]
    x, w, v = (rng.standard_normal(shape).astype(np.float32) for shape in (dims, (3, 2, 3), (2, 3, 3)))
    module = parse(program(case))
    wanted = run(module, "main", {"x": x, "w": w, "v": v})["y"]
    lower_to_linalg(module)
    write_bundle(tmp_path / "bundle", generator("cpu", "iree")(module))
    assert difference(load_bundle(tmp_path / "bundle").load({"w": w, "v": v})({"x": x})["y"], wanted) is None


@pytest.mark.parametrize(("case", "pads", "splats"), [("pads", 2, 0), ("batch", 2, 0), ("gaps", 1, 1), ("pool", 2, 0)])
def test_no_frame_is_a_fill(case: str, pads: int, splats: int):
    module = parse(program(case))
    lower_to_linalg(module)
    pad_frames(module)
    module.verify()
    ops = list(module.walk())
    kinds = [type(op) for op in ops]
    assert (kinds.count(tensor.PadOp), kinds.count(tensor.SplatOp)) == (pads, splats)
    assert not [op for op in ops if isinstance(op, tensor.InsertSliceOp) and isinstance(op.dest.owner, FillOp)]
