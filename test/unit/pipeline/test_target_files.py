"""Target files: the built-in ones, one of a user's own, and every way in which one can be wrong."""

from pathlib import Path

import pytest

from rlx_passes.budget.limits import FusionLimits
from rlx_passes.core.errors import TargetError
from rlx_passes.core.spec import parse_spec
from rlx_passes.pipeline.target import builtin_targets, load_target

OWN = """
name = "npu"
claims = ["MatMul", "FusedMatMulBiasAct", "ElementwiseRegion"]
dtypes = ["f16"]
epilogues = ["relu"]

[limits]
max-elementwise-steps = 8

[claim.FusedMatMulBiasAct]
dtypes = ["f16", "f32"]

[lower]
pass = "convert-rlx-to-gpu"
options = { target = "cuda" }

[codegen]
generator = "cuda"
default-chip = "sm_90"
"""


def write(folder: Path, text: str) -> Path:
    file = folder / "npu.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_own_target(tmp_path: Path):
    target = load_target(write(tmp_path, OWN))
    assert target.name == "npu"
    assert target.limits == FusionLimits(8, 16)
    assert target.claim_options["FusedMatMulBiasAct"] == {"dtypes": ("f16", "f32")}
    assert target.lowering == parse_spec("convert-rlx-to-gpu{target=cuda}")
    assert target.supports("MatMul")
    assert not target.supports("FusedSwiGLU")


def test_empty_table_claims_everything(tmp_path: Path):
    assert load_target(write(tmp_path, 'name = "any"')).supports("FusedSwiGLU")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("name", "nmae"), "nmae = \"npu\": no such key; did you mean 'name'?"),
        (('name = "npu"', ""), "name is missing; it must be a string"),
        (('name = "npu"', 'name = " "'), 'name = " ": must not be empty'),
        (('name = "npu"', "name = 3"), "name = 3: must be a string"),
        (('"MatMul"', '"Matmul"'), "'Matmul' is not known here; did you mean 'MatMul'"),
        (('"MatMul"', "7"), "must be a list of strings, and 7 is none"),
        (('claims = ["MatMul", "FusedMatMulBiasAct", "ElementwiseRegion"]', 'claims = "MatMul"'), "must be a list"),
        (('["f16"]', '["float16"]'), "'float16' is not known here"),
        (('["relu"]', '["rely"]'), "'rely' is not known here; did you mean 'relu'"),
        (("steps = 8", "steps = 0"), "limits.max-elementwise-steps = 0: must be at least 1"),
        (("steps = 8", "steps = true"), "limits.max-elementwise-steps = true: must be an integer"),
        (("max-elementwise-steps", "max-steps"), "limits.max-steps = 8: no such key"),
        (
            ("[claim.FusedMatMulBiasAct]\ndtypes", "[claim.FusedMatMulBiasAct]\nkernel"),
            "claim.FusedMatMulBiasAct.kernel",
        ),
        (("[claim.FusedMatMulBiasAct]", "[claim.FusedMatmul]"), "claim.FusedMatmul"),
        (('pass = "convert-rlx-to-gpu"', ""), "lower.pass is missing"),
        (("[limits]", "[regions]\nunfuse = 'sometimes'\n[limits]"), "must be one of never, always, unless-kept"),
        (("[limits]", "[io]\ndispatch-ns = -1\n[limits]"), "io.dispatch-ns = -1: must be a number"),
        (("[limits]", "limits = 3\n[other]"), "no such key"),
        (("[limits]", "[limits"), "not a TOML file"),
        (("[limits]", f"deep = {'[' * 10_000}\n[limits]"), "too many brackets in each other"),
    ],
)
def test_malformed(tmp_path: Path, change: tuple[str, str], message: str):
    file = write(tmp_path, OWN.replace(*change, 1))
    with pytest.raises(TargetError) as raised:
        load_target(file)
    assert str(raised.value).startswith(f"{file}: ")
    assert message in str(raised.value)


def test_unknown_and_missing(tmp_path: Path):
    with pytest.raises(TargetError, match=r"unknown target 'rocn'; known: cpu, .*; did you mean 'rocm'\?"):
        load_target("rocn")
    with pytest.raises(TargetError, match=r"none\.toml: cannot read the target file: No such file"):
        load_target(tmp_path / "none.toml")


def test_builtin_files_are_complete():
    for name in builtin_targets():
        target = load_target(name)
        assert target.name == name
        assert target.summary
        assert target.lowering is not None
        assert target == load_target(Path(__file__).parents[3] / f"passes/rlx_passes/pipeline/targets/{name}.toml")
