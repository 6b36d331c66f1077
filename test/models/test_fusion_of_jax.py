"""What the pipelines find in programs from JAX, for every target: values stay, and a second run changes nothing."""

from collections import Counter
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from real_models import LIMIT, TARGETS, Model, through
from xdsl.dialects.builtin import ModuleOp

from rlx_dialect.ops import FusedConvBiasActOp, FusedMatMulBiasActOp, FusedResidualRmsNormOp
from rlx_dialect.reference import run
from rlx_passes import Fuse
from rlx_passes.expansion.unfuse import UnfusePass
from rlx_passes.reading.dialects import tool_context
from rlx_passes.reading.parsing import parse
from rlx_passes.reading.source import Source
from rlx_passes.rewriting.miss import Reason

HERE = Path(__file__).parent
JOINED = {"fused_swiglu": 2, "matmul": 8, "fused_residual_rms_norm": 4, "rms_norm": 1, "rope": 4, "gated_residual": 0}
"""llama, gate and up joined as a gated unit, query, key and value joined: 2 + 2 products, 2 output and 2 down ones."""

MODULATED = {
    "fused_matmul_bias_act": 14,
    "ada_layer_norm": 4,
    "gated_residual": 4,
    "fused_residual_ln": 0,
    "layer_norm": 0,
    "matmul": 0,
}
CONVOLVED = {"fused_matmul_bias_act": 1, "fused_conv_bias_act": 0, "conv": 7}

FUSED: dict[str, dict[str, dict[str, int]]] = {
    "llama": {
        **{target: JOINED for target in ("cpu", "metal", "mlx", "wgpu")},
        **{target: JOINED | {"fused_swiglu": 0} for target in ("cuda", "rocm")},
        "tpu": JOINED | {"fused_swiglu": 0, "fused_residual_rms_norm": 0, "rms_norm": 5},
    },
    "dit": {target: MODULATED for target in TARGETS},
    "resnet": {target: CONVOLVED for target in TARGETS} | {"cuda": CONVOLVED | {"fused_conv_bias_act": 7, "conv": 0}},
}
PAIRS = [(name, target) for name, by_target in FUSED.items() for target in by_target]


@cache
def model(name: str) -> Model:
    """The program of `name` as StableHLO, all its arguments as inputs, and its recorded outputs."""
    recorded = np.load(HERE / f"{name}.npz")
    count = sum(key.startswith("arg_") and key != "arg_names" for key in recorded.files)
    outputs = sum(key.startswith("out_") for key in recorded.files)
    file = f"{name}.generic.mlir"
    return Model(
        parse(tool_context(), Source(file, (HERE / file).read_text())),
        "stablehlo",
        {},
        {f"arg{i}": recorded[f"arg_{i}"] for i in range(count)},
        {f"out{i}": recorded[f"out_{i}"] for i in range(outputs)},
    )


@cache
def fused(name: str, target: str) -> ModuleOp:
    return through(model(name), target, "fuse")


def again(module: ModuleOp, name: str, target: str) -> ModuleOp:
    """`module`, of rlx ops, through the same pipeline."""
    return through(model(name)._replace(module=module, origin="rlx"), target, "fuse")


@pytest.mark.parametrize(("name", "target"), PAIRS)
def test_counts(name: str, target: str):
    found = Counter(op.name.removeprefix("rlx.") for op in fused(name, target).walk())
    assert {kind: found[kind] for kind in FUSED[name][target]} == FUSED[name][target]


CONVOLUTIONS = {("conv_affine_act", "FusedConvBiasAct"): 6, ("conv_bias_act", "FusedConvBiasAct"): 1}
GATES = {("swiglu", "FusedSwiGLU"): 2}
SUMS = {("residual_rms_norm", "FusedResidualRmsNorm"): 4, ("matmul_residual", "FusedMatMulResidual"): 4}
UNCLAIMED: dict[str, dict[str, dict[tuple[str, str], int]]] = {
    "llama": {"cuda": GATES, "rocm": GATES, "tpu": GATES | SUMS},
    "resnet": {target: CONVOLUTIONS for target in TARGETS if target != "cuda"},
}


@pytest.mark.parametrize(("name", "target"), PAIRS)
def test_what_a_target_does_not_claim_has_that_for_a_reason(name: str, target: str):
    """The sums of llama are read twice and may be teed into a norm; if not claimed, a product could take them."""
    _, report = Fuse(target).run_with_report(through(model(name), target, "raise"))
    found = Counter((miss.pattern, miss.detail) for miss in report.misses if miss.reason is Reason.NOT_CLAIMED)
    assert found == UNCLAIMED.get(name, {}).get(target, {})


def test_sums_of_llama_are_teed():
    """Every sum but the last is read by a norm and by the next sum."""
    norms = [op for op in fused("llama", "cpu").walk() if isinstance(op, FusedResidualRmsNormOp)]
    assert [op.sum is not None for op in norms] == [True, True, True, False]


def test_gelu_of_the_diffusion_transformer_is_an_epilogue():
    products = [op for op in fused("dit", "cpu").walk() if isinstance(op, FusedMatMulBiasActOp)]
    assert [op.activation.data for op in products if op.activation is not None] == ["gelu_approx"] * 2


def test_convolutions_on_cuda():
    """Six end in relu, two with a residual; the shortcut is the residual of the one before, and has no activation."""
    convolutions = [op for op in fused("resnet", "cuda").walk() if isinstance(op, FusedConvBiasActOp)]
    assert sum(op.activation is not None and op.activation.data == "relu" for op in convolutions) == 6
    assert [op.residual is not None for op in convolutions] == [False, False, True, False, False, True, False]
    (shortcut,) = [op for op in convolutions if op.activation is None]
    assert convolutions[5].residual is shortcut.result
    assert convolutions[5].groups.value.data == 4


@pytest.mark.parametrize(("name", "target"), PAIRS)
def test_values_stay(name: str, target: str):
    """Before fusion, after it, and taken apart again."""
    one = model(name)
    plain = fused(name, target).clone()
    UnfusePass().apply(tool_context(), plain)
    for module in (through(one, target, "raise"), fused(name, target), plain):
        assert one.error(run(module, "main", one.inputs)) <= LIMIT


@pytest.mark.parametrize(("name", "target"), PAIRS)
def test_a_second_run_changes_nothing(name: str, target: str):
    once = fused(name, target)
    assert str(again(once, name, target)) == str(once)


@pytest.mark.parametrize(("name", "target"), PAIRS)
def test_fusing_what_was_taken_apart_gives_the_same_again(name: str, target: str):
    plain = fused(name, target).clone()
    UnfusePass().apply(tool_context(), plain)
    before = Counter(op.name for op in fused(name, target).walk())
    after = Counter(op.name for op in again(plain, name, target).walk())
    ignored = ("arith.constant",)
    assert {k: v for k, v in after.items() if k not in ignored} == {k: v for k, v in before.items() if k not in ignored}


OTHERS = ("attn_grad", "bert", "welch_peak")
"""Programs without counts here."""


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", OTHERS)
def test_values_of_the_other_programs(name: str, target: str):
    one = model(name)
    module = fused(name, target)
    assert not [op.name for op in module.walk() if op.name.startswith(("stablehlo.", "chlo."))]
    plain = module.clone()
    UnfusePass().apply(tool_context(), plain)
    for each in (through(one, target, "raise"), module, plain):
        assert one.error(run(each, "main", one.inputs)) <= LIMIT


@pytest.mark.parametrize("name", [*OTHERS, *FUSED])
def test_both_text_forms_are_one_program(name: str):
    """What JAX prints, and the same in generic form, are fused alike."""
    file = f"{name}.mlir"
    pretty = parse(tool_context(), Source(file, (HERE / file).read_text()))
    got = through(model(name)._replace(module=pretty), "cpu", "fuse")
    assert nameless(got) == nameless(fused(name, "cpu"))


def nameless(module: ModuleOp) -> str:
    """The text of a module with numbered values."""
    copy = module.clone()
    for op in copy.walk():
        for value in (*op.results, *(arg for region in op.regions for block in region.blocks for arg in block.args)):
            value.name_hint = None
    return str(copy)
