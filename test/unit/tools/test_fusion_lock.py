"""`--fusion-lock`: written where it is absent, held against the program where it is there."""

import json
from pathlib import Path

import pytest

from rlx_passes.tools import rlx_compile, rlx_opt

PROGRAM = """
func.func @mlp(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %b: tensor<16xf32>) -> tensor<4x16xf32> {
  %0 = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %1 = rlx.binary add %0, %b : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
  func.return %1 : tensor<4x16xf32>
}
func.func private @plain(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  func.return %x : tensor<4x8xf32>
}
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    file = tmp_path / "mlp.mlir"
    file.write_text(PROGRAM)
    return file


def run(program: Path, lock: Path, *more: str, fusion: str = "target=cpu") -> int:
    return rlx_opt.main([f"--rlx-fusion={fusion}", f"--fusion-lock={lock}", *more, str(program)])


def test_written_then_held(program: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    lock = tmp_path / "fusion.lock"
    assert run(program, lock) == 0
    wanted = {"@mlp": {"fused_matmul_bias_act": 1}, "@plain": {}}
    assert json.loads(lock.read_text()) == {"format": 1, "functions": wanted}
    assert run(program, lock) == 0
    capsys.readouterr()

    assert run(program, lock, fusion="target=cpu disable=FusedMatMulBiasAct") == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.splitlines() == [
        f"error: {lock}: @mlp: fused_matmul_bias_act: 1 locked, 0 now",
        "note: if this is as it should be, run again with --update-fusion-lock",
    ]
    assert json.loads(lock.read_text())["functions"] == wanted

    assert run(program, lock, "--update-fusion-lock", fusion="target=cpu disable=FusedMatMulBiasAct") == 0
    assert json.loads(lock.read_text())["functions"] == {"@mlp": {}, "@plain": {}}


def test_functions_that_come_and_go(program: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    lock = tmp_path / "fusion.lock"
    assert run(program, lock) == 0
    program.write_text(PROGRAM.replace("@plain", "@other"))
    capsys.readouterr()
    assert run(program, lock) == 1
    assert capsys.readouterr().err.splitlines()[:2] == [
        f"error: {lock}: @other: in the program, and not locked",
        f"error: {lock}: @plain: locked, and not in the program",
    ]


def test_the_lock_is_taken_where_fusion_ends(program: Path, tmp_path: Path):
    """Lowering leaves no fused op, so a lock taken at the very end would be empty."""
    lock = tmp_path / "fusion.lock"
    assert rlx_opt.main(["--rlx-pipeline=target=cpu stage=lower from=rlx", f"--fusion-lock={lock}", str(program)]) == 0
    assert json.loads(lock.read_text())["functions"]["@mlp"] == {"fused_matmul_bias_act": 1}


def test_no_bundle_where_the_lock_differs(program: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    lock = tmp_path / "fusion.lock"
    lock.write_text(json.dumps({"format": 1, "functions": {"@mlp": {"fused_swiglu": 1}, "@plain": {}}}))
    out = tmp_path / "out"
    given = [str(program), "--from=rlx", "--target=cpu", "-o", str(out), f"--fusion-lock={lock}"]
    assert rlx_compile.main(given) == 1
    assert not out.exists()
    assert f"error: {lock}: @mlp: fused_swiglu: 1 locked, 0 now" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["{", "[]", '{"format": 2}', '{"format": 1, "functions": {"@f": {"a": "b"}}}'])
def test_files_that_are_no_locks(text: str, program: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    lock = tmp_path / "fusion.lock"
    lock.write_text(text)
    assert run(program, lock) == 1
    assert "not a fusion lock" in capsys.readouterr().err


def test_flags_that_make_no_sense(program: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    lock = tmp_path / "fusion.lock"
    assert rlx_opt.main(["--update-fusion-lock", str(program)]) == 1
    assert "--update-fusion-lock needs --fusion-lock" in capsys.readouterr().err
    assert rlx_opt.main([f"--fusion-lock={lock}", "--cse", str(program)]) == 1
    assert "no pass of this pipeline fuses anything" in capsys.readouterr().err
    assert run(program, lock, "--split-input-file") == 1
    assert "--fusion-lock is for one program" in capsys.readouterr().err
    assert not lock.exists()
