"""
Random programs of all ops: what is printed reads back as the same program, and passes that keep meaning keep every bit.

`RLX_PROGRAMS` says how many programs are tried, 40 by default; the same ones every time.
"""

import os
from io import StringIO

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from op_programs import program, templates
from programs import context, parse
from tools import sampled
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.printer import Printer
from xdsl.transforms.common_subexpression_elimination import CommonSubexpressionElimination
from xdsl.transforms.dead_code_elimination import DeadCodeElimination

from rlx_dialect.dtypes import numpy_dtype
from rlx_dialect.ops import ALL_OPS, ArtifactOp, CustomOp, YieldOp
from rlx_dialect.reference import Array, run
from rlx_dialect.shapes import shaped
from rlx_dialect.signature import find_function
from rlx_dialect.xdsl_repairs import verify_dominance
from rlx_passes.simplify.canonicalize import CanonicalizePass
from rlx_passes.simplify.infer_shapes import InferShapesPass

PROGRAMS = int(os.environ.get("RLX_PROGRAMS", "40"))
PASSES: tuple[ModulePass, ...] = (
    CanonicalizePass(),
    InferShapesPass(),
    CommonSubexpressionElimination(),
    DeadCodeElimination(),
)
SPECIAL = (np.nan, np.inf, -np.inf, -0.0)
STEPS = st.tuples(st.sampled_from(sorted(templates())), st.integers(0, 2**16))

Outcome = tuple[bytes, ...] | str


def printed(module: ModuleOp, *, generic: bool = False, attributes: bool = False) -> str:
    out = StringIO()
    Printer(out, print_generic_format=generic, print_properties_as_attributes=attributes).print_op(module)
    return out.getvalue()


def inputs_of(module: ModuleOp, special: bool) -> list[Array]:
    """Random inputs, if `special` with NaN, infinities and -0.0; integers are 0 or 1, so that they index everything."""
    rng = np.random.default_rng(len(find_function(module).args))
    arrays: list[Array] = []
    for argument in find_function(module).args:
        value = shaped(argument)
        numbers = rng.standard_normal(value.dims) if value.dims else np.array(0.5)
        if special:
            numbers = np.where(rng.random(value.dims) < 0.1, rng.choice(SPECIAL, value.dims), numbers)
        dtype = numpy_dtype(value.element)
        arrays.append((numbers > 0).astype(dtype) if dtype.kind in "iub" else numbers.astype(dtype))
    return arrays


def outcome(module: ModuleOp, special: bool) -> Outcome:
    """Every bit of the results, or the error of the run."""
    try:
        return tuple(array.tobytes() for array in run(module, None, inputs_of(module, special)).values())
    except (ArithmeticError, LookupError, ValueError) as error:
        return f"{type(error).__name__}: {error}"


def check(module: ModuleOp, special: bool = False) -> Outcome:
    text, expected = printed(module), outcome(module, special)
    for again in (
        parse(text),
        parse(printed(module, generic=True)),
        parse(printed(module, generic=True, attributes=True)),
    ):
        assert printed(again) == text
        assert outcome(again, special) == expected
    for transform in PASSES:
        other = module.clone()
        transform.apply(context(), other)
        other.verify()
        verify_dominance(other)
        assert outcome(other, special) == expected, transform.name
    return expected


def test_every_op_takes_part():
    without_meaning = {ArtifactOp.name, CustomOp.name, YieldOp.name}
    assert sorted({op.name for op in ALL_OPS} - without_meaning - set(templates())) == []


@sampled(5)
@pytest.mark.parametrize("name", sorted(templates()))
def test_programs_with(name: str):
    """The op reads arguments, and then its own results and those of a sum; the run ends well."""
    module = program([(name, 1), ("rlx.binary", 7), (name, 2), (name, 3)])
    assert not isinstance(check(module), str)


@settings(max_examples=PROGRAMS)
@given(st.lists(STEPS, min_size=1, max_size=10))
def test_random_programs(steps: list[tuple[str, int]]):
    check(program(steps), special=True)
