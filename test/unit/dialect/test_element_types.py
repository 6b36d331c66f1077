"""What the verifier of an op takes, its reference computes: every op of the examples with every element type."""

from collections.abc import Iterator

import numpy as np
import pytest
from op_programs import templates
from xdsl.dialects.builtin import FunctionType, ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Region, SSAValue

from rlx_dialect.description.element_types import has_variants, variants
from rlx_dialect.dtypes import numpy_dtype
from rlx_dialect.ops import RlxOp
from rlx_dialect.reference import Array, run
from rlx_dialect.shapes import shaped


def examples(name: str) -> Iterator[RlxOp]:
    for op in templates()[name]:
        assert isinstance(op, RlxOp)
        if has_variants(op):
            yield op


def numbers(value: SSAValue) -> Array:
    """Integers are 0 or 1, so that they index everything."""
    rng = np.random.default_rng(0)
    dtype = numpy_dtype(shaped(value).element)
    real = np.asarray(rng.standard_normal(shaped(value).dims))
    return (real > 0).astype(dtype) if dtype.kind in "iub" else real.astype(dtype)


@pytest.mark.parametrize("name", [name for name in sorted(templates()) if any(examples(name))])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_every_element_type_runs(name: str):
    for example in examples(name):
        for _, op, block in variants(example):
            block.add_ops([op, ReturnOp(*op.results)])
            types = FunctionType.from_lists(list(block.arg_types), list(op.result_types))
            module = ModuleOp([FuncOp("f", types, Region(block))])
            module.verify()
            got = run(module, None, [numbers(argument) for argument in block.args]).values()
            for result, array in zip(op.results, got):
                assert (array.dtype, array.shape) == (numpy_dtype(shaped(result).element), shaped(result).dims), str(op)


def test_narrow_floats_and_integers_take_part():
    found = {
        (name, dtype) for name in ("rlx.matmul", "rlx.im2col") for op in examples(name) for dtype, *_ in variants(op)
    }
    assert {("rlx.matmul", "f8e4m3fn"), ("rlx.matmul", "ui32"), ("rlx.im2col", "f8e5m2"), ("rlx.im2col", "i1")} <= found
