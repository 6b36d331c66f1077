"""Layers of known models with one thing changed: the report says what is in the way, and its advice helps."""

from typing import NamedTuple

import pytest
from xdsl.dialects.builtin import ModuleOp

from rlx_passes.core.spec import parse_pipeline
from rlx_passes.pipeline.reports import recording_of
from rlx_passes.reading.dialects import tool_context
from rlx_passes.reading.parsing import parse
from rlx_passes.reading.source import Source
from rlx_passes.registry.composite import flatten
from rlx_passes.registry.context import fresh_context
from rlx_passes.registry.instantiate import create_passes
from rlx_passes.report.model import Report

PIPELINE = "rlx-raise,rlx-fusion{target=cpu}"

X, H, W, V, P = "tensor<4x16xf32>", "tensor<4x32xf32>", "tensor<16x32xf32>", "tensor<32x16xf32>", "tensor<32xf32>"


def _unit(gate: str, read: str = "%a") -> str:
    """A gated unit whose activation is computed by `gate`, and a mean of `read` added to it."""
    return f"""func.func @f(%x: {X}, %wg: {W}, %wu: {W}, %wd: {V}) -> ({X}, tensor<4x1xf32>) {{
      %g = rlx.matmul %x, %wg : ({X}, {W}) -> {H}
      %u = rlx.matmul %x, %wu : ({X}, {W}) -> {H}
      {gate}
      %p = rlx.binary mul %a, %u : ({H}, {H}) -> {H}
      %m = rlx.reduce mean {read} axes [1] keep_dims : {H} -> tensor<4x1xf32>
      %y = rlx.matmul %p, %wd : ({H}, {V}) -> {X}
      func.return %y, %m : {X}, tensor<4x1xf32>
    }}"""


def _forward(tail: str) -> str:
    """A product with a bias, and `tail` from %b to %y."""
    return f"""func.func @f(%x: {X}, %w: {W}, %v: {P}) -> {H} {{
      %0 = rlx.matmul %x, %w : ({X}, {W}) -> {H}
      %b = rlx.binary add %0, %v : ({H}, {P}) -> {H}
      {tail}
      func.return %y : {H}
    }}"""


def _residual(made: str) -> str:
    """A norm of %s, made of two addends of bf16 or f32 by `made`."""
    return f"""func.func @f(%x: {X}, %r: {X}, %w: tensor<16xf32>, %b: tensor<16xf32>) -> {X} {{
      {made}
      %y = rlx.rms_norm %s, %w, %b epsilon(1.0e-05) axis(1) : ({X}, tensor<16xf32>, tensor<16xf32>) -> {X}
      func.return %y : {X}
    }}"""


S, Q = "tensor<2x4x6x6xf32>", "tensor<2x4x6x8xf32>"


def _attention(weights: str, result: str = "%o = rlx.matmul %p, %v") -> str:
    """Attention whose weights %p are made of the softmax %e by `weights`; %k holds what is kept of them."""
    return f"""func.func @f(%q: {Q}, %k: tensor<2x4x8x6xf32>, %v: {Q}, %kept: {S}, %gain: tensor<4x1x1xf32>) -> {Q} {{
      %s = rlx.matmul %q, %k : ({Q}, tensor<2x4x8x6xf32>) -> {S}
      {weights}
      {result} : ({S}, {Q}) -> {Q}
      func.return %o : {Q}
    }}"""


NARROW = "tensor<4x32xbf16>"
CLAMPED = f"%c = rlx.clamp %g low(-3.0) high(3.0) : {H}"
TO_BF16 = f"rlx.cast %{{0}} : {H} -> {NARROW}"
BEHIND = "move {} in front of these ops, or behind them"


class Near(NamedTuple):
    """A program, the line of the report on it, and the program after the edit that the line asks for."""

    text: str
    pattern: str
    code: str
    blockers: tuple[str, ...]
    to_fuse: str
    mended: str
    family: str


CASES = {
    "gate of llama read twice": Near(
        _unit(f"%a = rlx.activation silu %g : {H}"),
        "swiglu_dual_matmul",
        "RLX-F002",
        ("rlx.reduce",),
        "let rlx.reduce %m read a value computed apart",
        _unit(
            f"""%a = rlx.activation silu %g : {H}
      %g2 = rlx.matmul %x, %wg : ({X}, {W}) -> {H}
      %a2 = rlx.activation silu %g2 : {H}""",
            "%a2",
        ),
        "fused_swiglu",
    ),
    "clamp before the gate of llama": Near(
        _unit(f"{CLAMPED}\n%a = rlx.activation silu %c : {H}", "%u"),
        "swiglu_dual_matmul",
        "RLX-F006",
        ("rlx.clamp",),
        BEHIND.format("rlx.clamp %c"),
        _unit(f"%a = rlx.activation silu %g : {H}", "%p").replace(
            "%y = rlx.matmul %p,", f"%c = rlx.clamp %p low(-3.0) high(3.0) : {H}\n      %y = rlx.matmul %c,"
        ),
        "fused_swiglu",
    ),
    "cast before the activation of gpt2": Near(
        _forward(
            f"""%c = rlx.cast %b : {H} -> {NARROW}
      %a = rlx.activation gelu %c : {NARROW}
      %y = rlx.cast %a : {NARROW} -> {H}"""
        ),
        "matmul_bias_act",
        "RLX-F006",
        ("rlx.cast",),
        BEHIND.format("rlx.cast %c"),
        _forward(
            f"""%a = rlx.activation gelu %b : {H}
      %c = rlx.cast %a : {H} -> {NARROW}
      %y = rlx.cast %c : {NARROW} -> {H}"""
        ),
        "fused_matmul_bias_act",
    ),
    "casts between the sum and the norm of bert": Near(
        _residual(
            f"""%a = rlx.binary add %x, %r : ({X}, {X}) -> {X}
      %c = rlx.cast %a : {X} -> tensor<4x16xf16>
      %s = rlx.cast %c : tensor<4x16xf16> -> {X}"""
        ),
        "residual_rms_norm",
        "RLX-F006",
        ("rlx.cast",),
        BEHIND.format("rlx.cast %s"),
        _residual(
            f"""%c = rlx.cast %x : {X} -> tensor<4x16xf16>
      %d = rlx.cast %c : tensor<4x16xf16> -> {X}
      %s = rlx.binary add %d, %r : ({X}, {X}) -> {X}"""
        ),
        "fused_residual_rms_norm",
    ),
    "dropped weights in an attention": Near(
        _attention(
            f"""%e = rlx.softmax %s axis(3) : {S}
      %p = rlx.binary mul %e, %kept : ({S}, {S}) -> {S}"""
        ),
        "attention",
        "RLX-F005",
        ("rlx.binary",),
        "have rlx.binary %p read what the whole pattern gives, not a part of it",
        _attention(
            f"%p = rlx.softmax %s axis(3) : {S}",
            f"%n = rlx.matmul %p, %v : ({S}, {Q}) -> {Q}\n%o = rlx.binary mul %n, %gain",
        ).replace(
            f"%o = rlx.binary mul %n, %gain : ({S}, {Q})", f"%o = rlx.binary mul %n, %gain : ({Q}, tensor<4x1x1xf32>)"
        ),
        "attention",
    ),
    "softmax of another axis": Near(
        _attention(f"%p = rlx.softmax %s axis(2) : {S}"),
        "attention",
        "RLX-F016",
        (),
        "transpose so that the op works on the axis that is wanted",
        _attention(f"%p = rlx.softmax %s axis(3) : {S}"),
        "attention",
    ),
}


def report_of(text: str) -> tuple[Report, ModuleOp]:
    asked = create_passes(parse_pipeline(PIPELINE))
    recording = recording_of(asked)
    module = parse(tool_context(), Source("f.mlir", text))
    recording.run(tuple(flatten(asked)), fresh_context(), module)
    return recording.report(), module


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_report_names_what_is_in_the_way(case: Near):
    lines = [line for line in report_of(case.text)[0].missed if line.pattern == case.pattern]
    assert [(line.reason.code, tuple(each.op for each in line.blockers), line.to_fuse) for line in lines] == [
        (case.code, case.blockers, case.to_fuse)
    ]


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_its_advice_makes_the_fusion(case: Near):
    report, module = report_of(case.mended)
    assert case.pattern not in {line.pattern for line in report.missed}
    kinds = [op.name.removeprefix("rlx.") for op in module.walk()]
    assert kinds.count(case.family) == 1


def test_an_expanded_addend_is_no_advice():
    """`rlx-raise` takes the expand away, so that the report must not ask for one."""
    small = "tensor<1x16xf32>"
    text = f"""func.func @f(%x: {X}, %r: {small}, %w: tensor<16xf32>, %b: tensor<16xf32>) -> {X} {{
      %e = rlx.expand %r : {small} -> {X}
      %s = rlx.binary add %x, %e : ({X}, {X}) -> {X}
      %y = rlx.rms_norm %s, %w, %b epsilon(1.0e-05) axis(1) : ({X}, tensor<16xf32>, tensor<16xf32>) -> {X}
      func.return %y : {X}
    }}"""
    (line,) = report_of(text)[0].missed
    assert line.to_fuse == "add values of equal dims; `rlx-raise` takes away an expand of one of them"


def test_several_readers_share_the_advice():
    weights = f"""%e = rlx.softmax %s axis(3) : {S}
      %t = rlx.reduce sum %e axes [2] keep_dims : {S} -> tensor<2x4x1x6xf32>
      %p = rlx.binary div %e, %t : ({S}, tensor<2x4x1x6xf32>) -> {S}"""
    (line,) = (line for line in report_of(_attention(weights))[0].missed if line.pattern == "attention")
    assert {each.op for each in line.blockers} == {"rlx.reduce", "rlx.binary"}
    assert line.to_fuse == "let one of these read the value, and compute it apart for the others"


def test_a_split_before_a_transpose_is_no_near_miss():
    """Heads that are split, moved and joined are not axes that were joined and split again."""
    text = """func.func @f(%x: tensor<2x6x32xf32>) -> tensor<2x24x8xf32> {
      %0 = rlx.reshape %x : tensor<2x6x32xf32> -> tensor<2x6x4x8xf32>
      %1 = rlx.transpose %0 [0, 2, 1, 3] : tensor<2x6x4x8xf32> -> tensor<2x4x6x8xf32>
      %2 = rlx.reshape %1 : tensor<2x4x6x8xf32> -> tensor<2x24x8xf32>
      func.return %2 : tensor<2x24x8xf32>
    }"""
    assert report_of(text)[0].missed == ()
