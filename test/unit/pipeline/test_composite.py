"""`rlx-fusion` and `rlx-pipeline`: what they expand to, and that the printed string is the whole truth."""

from pathlib import Path

import pytest

from rlx_passes.budget.limits import FusionLimits
from rlx_passes.core.errors import PipelineError
from rlx_passes.core.spec import PassSpec, options_of, parse_pipeline, parse_spec, print_pipeline
from rlx_passes.pipeline.entries import fuse_passes, fusion_passes, fusion_passes_for_supported
from rlx_passes.pipeline.fusion import FusionPass
from rlx_passes.pipeline.options import FusionOptions
from rlx_passes.pipeline.row_options import DEFAULT_TUNING, SOURCES, Tuning, row_spec
from rlx_passes.pipeline.stages import STAGES, stage_specs
from rlx_passes.pipeline.target import builtin_targets, load_target
from rlx_passes.policy.conditions import Row
from rlx_passes.policy.flags import FusionFlags
from rlx_passes.policy.policy import LOWERINGS, POLICY
from rlx_passes.registry.composite import flatten
from rlx_passes.registry.instantiate import create_passes, spec_of
from rlx_passes.switches import environment
from rlx_passes.universe import PASSES, RLX_UNIVERSE


def fusion(text: str) -> tuple[PassSpec, ...]:
    made = create_passes([parse_spec(f"rlx-fusion{{{text}}}")])[0]
    assert isinstance(made, FusionPass)
    return made.expand()


def names(specs: tuple[PassSpec, ...]) -> list[str]:
    return [spec.name for spec in specs]


@pytest.mark.parametrize("target", builtin_targets())
@pytest.mark.parametrize("extra", ["", "pack-attention=true", "compat=true", "entry=fusion-passes merge-env=true"])
def test_flat_string_gives_an_equal_pipeline(target: str, extra: str):
    flat = flatten(create_passes([parse_spec(f"rlx-fusion{{target={target} {extra}}}")]))
    text = print_pipeline(map(spec_of, flat))
    assert list(create_passes(parse_pipeline(text))) == list(flat)
    assert "rlx-fusion" not in text


def test_entries():
    for target in ("cpu", "mlx", "cuda"):
        loaded = load_target(target)
        assert fusion(f"target={target}") == fuse_passes(target).specs()
        assert fusion(f"target={target} entry=fusion-passes") == fusion_passes(target).specs()
        supported = fusion_passes_for_supported(loaded.claims, FusionOptions(), loaded)
        assert fusion(f"target={target} entry=supported") == supported.specs()


def test_every_row_has_a_pass():
    names = [row.name for row in POLICY]
    assert len(set(names)) == len(names)
    for name in names:
        assert RLX_UNIVERSE.all_passes[name]().name == name


@pytest.mark.parametrize("row", POLICY, ids=lambda row: row.name)
def test_every_option_of_a_row_is_one_of_its_pass(row: Row):
    keys = options_of(RLX_UNIVERSE.all_passes[row.name]()).keys()
    assert set(row.options) <= keys


WRONG = {
    "dtypes": "f33",
    "epilogues": "reluu",
    "yield-to": "attention_blok",
    "max-tokens": "-1",
    "max-elementwise-steps": "0",
    "max-elementwise-inputs": "0",
    "kernel-min": "0",
    "max-groups": "0",
}


@pytest.mark.parametrize("name", [name for name in PASSES if name.startswith("rlx-fuse-") or "-regions" in name])
def test_values_that_no_option_takes(name: str):
    keys = options_of(RLX_UNIVERSE.all_passes[name]()).keys()
    for key in keys & WRONG.keys():
        with pytest.raises(PipelineError, match=f"option '{key}' of pass '{name}'"):
            create_passes([PassSpec(name, ((key, (WRONG[key],)),))])


def test_every_source_is_that_of_an_option():
    assert SOURCES.keys() <= {option for row in POLICY for option in row.options}


def test_names_agree_with_classes():
    for name, factory in RLX_UNIVERSE.all_passes.items():
        assert factory().name == name


def test_limits_that_a_user_writes_always_hold():
    mark = next(row for row in POLICY if row.name == "rlx-mark-elementwise-regions")
    facts = fusion_passes("cpu", FusionOptions(keep_elementwise_regions=True)).facts
    assert row_spec(mark, facts, frozenset(), DEFAULT_TUNING).option("max-elementwise-steps") == (str(2**32 - 1),)
    written = Tuning(overrides={"max-elementwise-steps": ("32",)})
    assert row_spec(mark, facts, frozenset(), written).option("max-elementwise-steps") == ("32",)
    with pytest.raises(PipelineError, match="option 'max-elementwise-inputs' of pass 'rlx-fusion' must be at least 1"):
        fusion("target=cpu max-elementwise-inputs=0")


def row_options(name: str, target: str, tuning: Tuning = DEFAULT_TUNING) -> dict[str, object]:
    row = next(row for row in POLICY if row.name == name)
    present = frozenset(row.name for row in POLICY)
    return dict(row_spec(row, fuse_passes(target).facts, present, tuning).options)


def test_environment_becomes_options(monkeypatch: pytest.MonkeyPatch):
    assert row_options("rlx-fuse-attention-block", "cpu")["max-tokens"] == ("64",)
    with environment.overriding(RLX_FUSE_ATTN_THRESHOLD="128"):
        assert row_options("rlx-fuse-attention-block", "cpu")["max-tokens"] == ("128",)
        assert "max-tokens=128" in print_pipeline(fusion("target=cpu"))
    assert row_options("rlx-fuse-attention-backward-all", "cpu")["enabled"] == ("false",)
    monkeypatch.setenv("RLX_CPU_ATTN_BWD_FUSE", "1")
    assert row_options("rlx-fuse-attention-backward-all", "cpu")["enabled"] == ("true",)


def test_peaks_only_outputs_carry_the_price_list():
    options = row_options("rlx-select-peaks-only-outputs", "metal")
    assert options == {
        "enabled": ("true",),
        "dispatch-ns": ("500",),
        "roundtrip-ns": ("5000",),
        "memory-bw": ("200",),
        "readback-bw": ("200",),
        "unified": ("true",),
        "host-penalty-ns": ("2000000",),
        "min-gain-ns": ("1000",),
    }
    assert row_options("rlx-select-peaks-only-outputs", "cpu")["enabled"] == ("false",)
    with environment.overriding(RLX_NO_IO_PEAKS_OUTPUT="1"):
        assert row_options("rlx-select-peaks-only-outputs", "metal")["enabled"] == ("false",)


def test_tee_yields_to_what_really_follows():
    row = next(row for row in POLICY if row.name == "rlx-fuse-residual-ln")
    facts = fuse_passes("rocm").facts
    both = frozenset({"rlx-fuse-ada-layer-norm", "rlx-fuse-gated-residual"})
    assert row_spec(row, facts, both, DEFAULT_TUNING).option("yield-to") == ("ada_layer_norm", "gated_residual")
    assert row_spec(row, facts, frozenset(), DEFAULT_TUNING).option("yield-to") == ()


def test_unfuse_keeps_prologues_but_on_cpu():
    assert row_options("rlx-unfuse-elementwise-regions", "cpu")["keep-prologue"] == ("false",)
    assert row_options("rlx-unfuse-elementwise-regions", "metal")["keep-prologue"] == ("true",)


@pytest.mark.parametrize(
    ("part", "row", "key", "words"),
    [
        ("epilogues", "rlx-fuse-matmul-bias-act", "epilogues", ("gelu", "silu")),
        ("epilogues", "rlx-fuse-conv-bias-act", "epilogues", ("relu",)),
        ("dtypes", "rlx-fuse-residual-ln", "dtypes", ("f32",)),
        ("tee", "rlx-fuse-residual-ln", "tee", ("false",)),
        ("conv", "rlx-fuse-conv-affine-act", "kernel-min", ("2",)),
        ("conv", "rlx-fuse-conv-affine-act", "max-groups", ("1",)),
        ("attention-block", "rlx-fuse-attention-block", "compat-attention-block", ("true",)),
        ("signatures", "rlx-dead-code-elimination", "compat-signatures", ("true",)),
    ],
)
def test_compat(part: str, row: str, key: str, words: tuple[str, ...]):
    assert row_options(row, "cuda").get(key) != words
    assert row_options(row, "cuda", Tuning(compat=frozenset({part})))[key] == words
    assert row_options(row, "cuda", Tuning(compat=frozenset({"none"}))).get(key) != words


def test_claims_and_disable():
    assert "rlx-fuse-residual-ln" not in names(fusion("target=cpu disable=FusedResidualLN"))
    listed = names(fusion("target=cpu claims=FusedResidualLN"))
    at = listed.index("rlx-lower-dot-general")
    assert listed[at + 1 : at + 3] == ["rlx-fuse-residual-ln", "rlx-fuse-rms-norm-reshape"]
    assert listed[-2:] == ["rlx-dead-code-elimination", "rlx-check-must-fuse"]
    with pytest.raises(
        PipelineError, match="option 'disable' of pass 'rlx-fusion': no op kind or pass 'FusedResidualLn'"
    ):
        fusion("target=cpu disable=FusedResidualLn")
    with pytest.raises(PipelineError, match="leaves no claim"):
        fusion("target=cpu claims=MatMul disable=MatMul")


def test_disable_takes_passes():
    assert "rlx-fuse-swiglu" not in names(fusion("target=cpu disable=rlx-fuse-swiglu"))
    assert "rlx-fuse-swiglu-dual-matmul" in names(fusion("target=cpu disable=rlx-fuse-swiglu"))
    assert "rlx-pack-attention-projections" not in names(
        fusion("target=cpu pack-attention=true disable=rlx-pack-attention-projections")
    )
    left = fusion("target=rocm disable=rlx-fuse-ada-layer-norm,FusedResidualRmsNorm")
    assert {"rlx-fuse-ada-layer-norm", "rlx-fuse-residual-rms-norm"}.isdisjoint(names(left))
    residual = next(spec for spec in left if spec.name == "rlx-fuse-residual-ln")
    assert residual.option("yield-to") == ("gated_residual",)
    with pytest.raises(PipelineError, match="no op kind or pass 'rlx-fuse-swigl'; did you mean 'rlx-fuse-swiglu'"):
        fusion("target=cpu disable=rlx-fuse-swigl")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("skip-fusion=true pack-attention=true", "'pack-attention' does nothing beside skip-fusion=true: only the two"),
        ("skip-fusion=true max-elementwise-steps=4", "'max-elementwise-steps' does nothing beside skip-fusion=true"),
        ("fk-fusion=false fuse-batch-preprocess=true", "'fuse-batch-preprocess' does nothing beside fk-fusion=false"),
        ("decompose-fusion-regions=true native-fk-regions=true", "'native-fk-regions' does nothing beside decompose"),
        ("unfuse-elementwise-regions=true max-elementwise-inputs=4", "'max-elementwise-inputs' does nothing beside"),
        (
            "entry=fk-after keep-elementwise-regions=true",
            "'keep-elementwise-regions' does nothing beside entry=fk-after",
        ),
        ("claims=MatMul disable=FusedSwiGLU", "'FusedSwiGLU' is not among claims= anyway"),
    ],
)
def test_options_that_contradict_each_other(text: str, message: str):
    with pytest.raises(PipelineError) as raised:
        fusion(f"target=rocm {text}")
    assert message in str(raised.value)


def test_a_part_of_compat_can_be_taken_back():
    listed = {spec.name: spec for spec in fusion("target=cpu compat=true compat-tee=false")}
    assert listed["rlx-fuse-residual-ln"].option("tee") == ("true",)
    assert listed["rlx-fuse-residual-ln"].option("dtypes") == ("f32",)


def test_keep_clears_the_targets_unfuse_unless_that_is_given_too():
    def options(text: str) -> FusionFlags:
        made = create_passes([parse_spec(f"rlx-fusion{{target=metal {text}}}")])[0]
        assert isinstance(made, FusionPass)
        return made.resolved().facts.options

    assert options("").unfuse_elementwise_regions
    assert not options("keep-elementwise-regions=true").unfuse_elementwise_regions
    assert options("keep-elementwise-regions=true unfuse-elementwise-regions=true").unfuse_elementwise_regions
    assert options("keep-elementwise-regions=false").unfuse_elementwise_regions
    assert not options("fk-fusion=false").fk_fusion


def test_merge_env():
    with environment.overriding(RLX_METAL_NO_FUSION="1"):
        assert names(fusion("target=cuda merge-env=true")) == [row.name for row in LOWERINGS]
        assert len(fusion("target=cuda")) > 2
        assert len(fusion("target=cuda merge-env=true skip-fusion=false")) > 2


def test_pack_attention_stands_before_the_block():
    listed = names(fusion("target=cpu pack-attention=true"))
    at = listed.index("rlx-pack-attention-projections")
    assert listed[at + 1] == "rlx-fuse-attention-block"
    assert "rlx-pack-attention-projections" not in names(fusion("target=rocm pack-attention=true"))


def test_target_file(tmp_path: Path):
    file = tmp_path / "npu.toml"
    file.write_text(
        'name = "npu"\nclaims = ["FusedMatMulBiasAct"]\nepilogues = ["relu"]\n'
        '[claim.FusedMatMulBiasAct]\ndtypes = ["bf16"]\n[limits]\nmax-elementwise-steps = 5\n'
    )
    specs = fusion(f'target-file="{file}"')
    bias = next(spec for spec in specs if spec.name == "rlx-fuse-matmul-bias-act")
    assert bias.option("epilogues") == ("relu",)
    assert bias.option("dtypes") == ("bf16",)
    assert fuse_passes(load_target(file)).facts.options.fusion_limits == FusionLimits(5, 16)
    for text in ("", f'target=cpu target-file="{file}"'):
        with pytest.raises(PipelineError, match="needs either target= or target-file="):
            fusion(text)


@pytest.mark.parametrize("target", builtin_targets())
def test_stages(target: str):
    loaded = load_target(target)
    fused = list(fuse_passes(target).specs())
    assert loaded.lowering is not None
    chip = {"cuda": " chip=sm_80", "rocm": " chip=gfx942"}
    whole = stage_specs(loaded, "codegen")
    assert list(whole[: len(fused) + 2]) == [PassSpec("convert-stablehlo-to-rlx"), PassSpec("rlx-raise"), *fused]
    assert list(whole[len(fused) + 2 : -1]) == [PassSpec("rlx-hoist-prepare"), loaded.lowering]
    assert str(whole[-1]).startswith(f"rlx-emit{{target={target}{chip.get(target, '')}")
    lengths = [len(stage_specs(loaded, stage)) for stage in STAGES]
    assert lengths == [1, 2, 2 + len(fused), 4 + len(fused), 5 + len(fused)]
    assert stage_specs(loaded, "fuse", origin="rlx") == stage_specs(loaded, "fuse")[1:]
    assert stage_specs(loaded, chip="x")[-1].option("chip") == ("x",)


def test_stage_needs_a_lowering(tmp_path: Path):
    file = tmp_path / "npu.toml"
    file.write_text('name = "npu"\n')
    assert stage_specs(load_target(file), "fuse")
    with pytest.raises(PipelineError, match=r"target 'npu' names no lowering pass \(key lower.pass"):
        stage_specs(load_target(file), "lower")
