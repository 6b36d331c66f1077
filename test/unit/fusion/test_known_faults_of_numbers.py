"""What went wrong in other fusers with numbers that not every type has, one test per fault, named by its id."""

import numpy as np
import pytest
from programs import parse
from programs_of_fusion import apply, names, run
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import ModuleOp

from rlx_dialect import reference
from rlx_dialect.constants import array_of
from rlx_dialect.ops import CastOp
from rlx_passes.fusion.mark_elementwise_regions import MarkElementwiseRegionsPass
from rlx_passes.simplify.canonicalize import CanonicalizePass

CAPPED = """
func.func @f(%x: tensor<4xf16>) -> tensor<4xf16> {
  %c = arith.constant dense<0x7C00> : tensor<f16>
  %0 = rlx.binary min %x, %c : (tensor<4xf16>, tensor<f16>) -> tensor<4xf16>
  %1 = rlx.activation relu %0 : tensor<4xf16>
  func.return %1 : tensor<4xf16>
}"""


def test_k17_an_infinite_operand_of_a_region_is_kept():
    marked, _ = run(CAPPED, MarkElementwiseRegionsPass())
    simpler, _ = run(CAPPED, CanonicalizePass(), MarkElementwiseRegionsPass())
    assert "rlx.elementwise_region" in names(marked)
    assert [array_of(op.value).item() for op in marked.walk() if isinstance(op, ConstantOp)] == [np.inf]
    x = np.array([np.inf, -np.inf, np.nan, 65504], np.float16)
    (wanted,) = reference.run(parse(CAPPED), "f", [x]).values()
    for module in (marked, simpler):
        np.testing.assert_array_equal(reference.run(module, "f", [x])["out0"], wanted)


def masked(number: float, dtype: str) -> ModuleOp:
    return parse(f"""
    func.func @f(%x: tensor<4x{dtype}>) -> tensor<4x{dtype}> {{
      %c = arith.constant dense<[{number}, 0.0, 1.0, 0x7F800000]> : tensor<4xf32>
      %m = rlx.cast %c : tensor<4xf32> -> tensor<4x{dtype}>
      %y = rlx.binary add %x, %m : (tensor<4x{dtype}>, tensor<4x{dtype}>) -> tensor<4x{dtype}>
      func.return %y : tensor<4x{dtype}>
    }}""")


@pytest.mark.parametrize(
    ("number", "dtype", "fits"), [(-1e12, "f16", False), (-65504.0, "f16", True), (-1e12, "bf16", True)]
)
def test_k17_a_mask_that_does_not_fit_its_type_is_not_folded(number: float, dtype: str, fits: bool):
    module = masked(number, dtype)
    misses = apply(module, CanonicalizePass())
    casts = [op for op in module.walk() if isinstance(op, CastOp)]
    assert len(casts) == (0 if fits else 1)
    wanted = [] if fits else [("canonicalize", "RLX-F025 constant", "it does not fit the new type")]
    assert [(miss.pattern, str(miss.reason), miss.detail) for miss in misses] == wanted
