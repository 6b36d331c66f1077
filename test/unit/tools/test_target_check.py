"""`--check-target`, `--print-target` and `--list-targets`."""

from pathlib import Path

import pytest

from rlx_dialect.ops import WelchPeaksOp
from rlx_passes.lowerings.to_linalg.convert import ConvertRlxToLinalgPass
from rlx_passes.pipeline.target import builtin_targets, load_target
from rlx_passes.tools.rlx_opt import main
from rlx_passes.tools.target_check import check_target, print_target

OWN = """
name = "npu"
claims = ["MatMul", "DotGeneral", "FusedMatMulBiasAct", "FusedConvBiasAct", "FusedResidualLN", "FusedAttentionBlock"]

[limits]
max-elementwise-steps = 8

[lower]
pass = "convert-rlx-to-linalg"

[codegen]
generator = "cpu"
"""


def write(folder: Path, text: str) -> str:
    file = folder / "npu.toml"
    file.write_text(text, encoding="utf-8")
    return str(file)


@pytest.mark.parametrize("name", builtin_targets())
def test_the_builtin_targets_keep_their_promises(name: str):
    assert check_target(name) == ()


@pytest.mark.parametrize("name", builtin_targets())
def test_a_printed_target_reads_back(name: str, tmp_path: Path):
    target = load_target(name)
    assert load_target(write(tmp_path, print_target(target))) == target


def test_one_line_a_fault_and_all_of_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    text = OWN.replace('"MatMul"', '"Matmul", "MatMul"').replace("steps = 8", 'steps = "8"') + "speed = 3\n"
    file = write(tmp_path, text + '\n[environment]\nreads = ["RLX_NO_SUCH"]\n')
    assert main(["--check-target", file]) == 1
    captured = capsys.readouterr()
    assert captured.out.splitlines() == [
        f"{file}: codegen.speed = 3: no such key",
        f"{file}: claims = ['Matmul', 'MatMul', 'DotGeneral', 'FusedMatMulBiasAct', 'FusedConvBiasAct', "
        "'FusedResidualLN', "
        "'FusedAttentionBlock']: 'Matmul' is not known here; did you mean 'MatMul'?",
        f'{file}: limits.max-elementwise-steps = "8": must be an integer',
        f"{file}: environment.reads = ['RLX_NO_SUCH']: 'RLX_NO_SUCH' is not known here",
    ]


@pytest.mark.parametrize("text", ['claims = ["x\\ny"]', '[claim."a\\nb"]', '"x\\ny" = 3'])
def test_line_breaks_in_names_stay_within_the_line(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = write(tmp_path, f'name = "npu"\n{text}\n')
    assert main(["--check-target", file]) == 1
    assert [line for line in capsys.readouterr().out.splitlines() if not line.startswith(f"{file}: ")] == []


@pytest.mark.parametrize("option", ["--check-target=", "--print-target="])
def test_no_name(option: str, capsys: pytest.CaptureFixture[str]):
    assert main([option]) == 1
    assert capsys.readouterr().err.startswith("rlx-opt: error: unknown target ''; known: cpu, ")


def test_nothing_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = write(tmp_path, OWN)
    assert main([f"--check-target={file}"]) == 0
    assert capsys.readouterr().out == f"{file}: nothing is wrong\n"


@pytest.mark.parametrize(
    ("change", "finding"),
    [
        (('"FusedResidualLN", ', ""), "claims: convert-rlx-to-linalg lowers 'FusedResidualLN', which is not claimed"),
        (('linalg"', 'linalg"\nunclaimed = ["MatMul"]'), "lower.unclaimed: 'MatMul' is claimed"),
        (
            ('linalg"', 'linalg"\nunclaimed = ["Fft"]'),
            "lower.unclaimed: convert-rlx-to-linalg has no form of its own for",
        ),
        (("convert-rlx-to-linalg", "convert-rlx-to-linag"), "lower: unknown pass 'convert-rlx-to-linag'; did you mean"),
        (('linalg"', 'linalg"\noptions = { bool-storage = "i3" }'), "lower: option 'bool-storage' of pass"),
        (('"cpu"', '"gpu"'), 'codegen.generator = "gpu": no such code generator'),
        (('generator = "cpu"', 'default-chip = "x"'), 'codegen.default-chip = "x": no code generator is called npu'),
        (
            ("steps = 8", "steps = 8\nmax-elementwise-inputs = 18"),
            "max-elementwise-inputs = 18: 8 steps read at most 17",
        ),
        (('"MatMul", ', '"MatMul", "ElementwiseRegion", '), None),
        (("steps = 8", "steps = 99999999999"), "must be at most 4294967295"),
        (
            ("[limits]", '[claim.FusedSwiGLU]\ndtypes = ["f32"]\n[limits]'),
            "claim.FusedSwiGLU: options of a kind that is",
        ),
        (
            ("[limits]", '[claim.FusedMatMulBiasAct]\ndtypes = ["f3"]\n[limits]'),
            "claim.FusedMatMulBiasAct: option 'dtypes'",
        ),
    ],
)
def test_findings(change: tuple[str, str], finding: str | None, tmp_path: Path):
    found = check_target(write(tmp_path, OWN.replace(*change, 1)))
    if finding is None:
        assert found == ()
    else:
        assert len(found) == 1
        assert finding in found[0]


def test_a_claim_without_lowering(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Every kind that can be claimed has a lowering; the check is for those of a user's own package."""
    lowers = ConvertRlxToLinalgPass.lowers() - {WelchPeaksOp}
    monkeypatch.setattr(ConvertRlxToLinalgPass, "lowers", lambda: lowers)
    file = write(tmp_path, OWN.replace('"MatMul", ', '"MatMul", "WelchPeaks", ', 1))
    assert check_target(file) == (f"{file}: claims: 'WelchPeaks' has no lowering in convert-rlx-to-linalg",)


def test_a_region_of_one_step(tmp_path: Path):
    text = OWN.replace('"MatMul", ', '"MatMul", "ElementwiseRegion", ').replace(
        "steps = 8", "steps = 1\nmax-elementwise-inputs = 3"
    )
    (found,) = check_target(write(tmp_path, text))
    assert "a region has at least two steps" in found


def test_print_and_list(capsys: pytest.CaptureFixture[str]):
    assert main(["--print-target=rocm"]) == 0
    assert 'name = "rocm"' in capsys.readouterr().out
    assert main(["--list-targets"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == list(builtin_targets())
    assert main(["--check-target=rocn"]) == 1
    assert "unknown target 'rocn'" in capsys.readouterr().err
