"""Roundings that raising takes away: told in the report, or kept."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from programs import random_inputs
from xdsl.dialects.builtin import ModuleOp

from rlx_dialect.attributes import Activation, ReduceKind
from rlx_dialect.builder import Graph
from rlx_dialect.reference import run
from rlx_dialect.signature import find_function
from rlx_passes import build_pipeline
from rlx_passes.raising.raise_pass import RaisePass
from rlx_passes.reading.dialects import tool_context
from rlx_passes.registry.composite import flatten
from rlx_passes.report.parts import Rounded
from rlx_passes.report.recording import Recording

Written = Callable[[Graph, str], None]


def attention(g: Graph, dtype: str) -> None:
    """Scores and weights are rounded, the softmax is wide."""
    q, k, v = (g.input(name, (2, 3, 8), dtype) for name in "qkv")
    scores = g.cast(g.matmul(q, g.transpose(k, (0, 2, 1))), "f32")
    g.output("y", g.matmul(g.cast(g.softmax(scores), dtype), v))


def norm(g: Graph, dtype: str) -> None:
    x, gain = g.input("x", (4, 16), dtype), g.input("gain", (16,), dtype)
    square = g.reduce(ReduceKind.MEAN, x * x, (1,), keep_dims=True)
    g.output("y", x * g.activation(Activation.RSQRT, square + 1e-3) * gain)


def gelu(g: Graph, dtype: str) -> None:
    x = g.input("x", (4, 16), dtype)
    g.output("y", 0.5 * x * (1.0 + g.activation(Activation.ERF, x * 0.7071067811865476)))


def softmax(g: Graph, dtype: str) -> None:
    x = g.input("x", (4, 16), dtype)
    e = g.activation(Activation.EXP, x - g.reduce(ReduceKind.MAX, x, (1,), keep_dims=True))
    g.output("y", e / g.reduce(ReduceKind.SUM, e, (1,), keep_dims=True))


def made(written: Written, dtype: str) -> ModuleOp:
    g = Graph()
    written(g, dtype)
    return g.module()


def raised(module: ModuleOp, exact: bool) -> tuple[ModuleOp, tuple[Rounded, ...]]:
    after, recording = module.clone(), Recording()
    recording.run(flatten((RaisePass(exact_rounding=exact),)), tool_context(), after)
    after.verify()
    return after, recording.report().rounded


@pytest.mark.parametrize("dtype", ["bf16", "f16"])
@pytest.mark.parametrize("written", [attention, norm, gelu, softmax])
def test_f10_roundings_that_go_are_told_and_those_that_are_kept_stay_to_the_bit(written: Written, dtype: str):
    before = made(written, dtype)
    free, told = raised(before, exact=False)
    assert written.__name__ in {line.pattern.removeprefix("rms_") for line in told}
    assert {line.dtypes for line in told} == {(dtype,)}
    assert str(free) != str(before)

    exact, none = raised(before, exact=True)
    assert none == ()
    inputs = random_inputs(find_function(before))
    for name, wanted in run(before, None, inputs).items():
        assert np.array_equal(run(exact, None, inputs)[name], wanted)


@pytest.mark.parametrize("written", [norm, gelu, softmax])
def test_f10_floats_of_32_bits_are_found_either_way(written: Written):
    before = made(written, "f32")
    (free, told), (exact, _) = (raised(before, exact) for exact in (False, True))
    assert told == ()
    assert str(free) == str(exact) != str(before)


def test_f10_a_whole_pipeline_keeps_roundings_too():
    module = made(attention, "bf16")
    for exact, count in ((False, 1), (True, 0)):
        after = module.clone()
        for one in build_pipeline("cpu", stage="fuse", origin="rlx", exact_rounding=exact):
            one.apply(tool_context(), after)
        assert sum(op.name == "rlx.attention" for op in after.walk()) == count
