"""`--report` of the tools: where it goes, in which form, and what a terminal shows beside it."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from schema import faults, report_schema
from tools import need_module

from rlx_passes.switches import environment
from rlx_passes.tools import rlx_compile, rlx_import, rlx_opt

PROGRAM = """func.func @f(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %b: tensor<4x1xf32>) -> tensor<4x16xf32> {
  %m = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %a = rlx.binary add %m, %b : (tensor<4x16xf32>, tensor<4x1xf32>) -> tensor<4x16xf32>
  func.return %a : tensor<4x16xf32>
}
"""
FUSE = "--rlx-fuse-matmul-bias-act"

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def program(tmp_path: Path) -> str:
    file = tmp_path / "f.mlir"
    file.write_text(PROGRAM)
    return str(file)


def checked(text: str) -> Any:
    """JSON that is as the schema says."""
    data: Any = json.loads(text)
    reports: list[Any] = data if text.startswith("[") else [data]
    schema = report_schema()
    for report in reports:
        assert faults(report, schema, schema) == []
    return data


def test_f41_a_file_gets_the_report_and_standard_error_nothing(program: str, tmp_path: Path, capsys: Capture):
    path = tmp_path / "r.json"
    assert rlx_opt.main([program, FUSE, f"--report-file={path}"]) == 0
    out, err = capsys.readouterr()
    assert (out.startswith("builtin.module"), err) == (True, "")
    assert checked(path.read_text())["missed"][0]["reason"]["code"] == "RLX-F012"
    assert rlx_opt.main([program, FUSE, "--report=text", f"--report-file={path}"]) == 0
    assert path.read_text().startswith("report: 0 of 1 passes changed the program\n")


def test_f41_parts_of_a_file_give_a_list(program: str, capsys: Capture):
    Path(program).write_text(f"{PROGRAM}// -----\n{PROGRAM}")
    assert rlx_opt.main([program, FUSE, "--report=json", "--split-input-file"]) == 0
    assert len(checked(capsys.readouterr().err)) == 2


def test_f41_the_variable_is_an_alias(program: str, capsys: Capture):
    assert rlx_opt.main([program, FUSE, "--report"]) == 0
    asked = capsys.readouterr()
    with environment.overriding(RLX_FUSION_REPORT="1"):
        assert rlx_opt.main([program, FUSE]) == 0
    assert capsys.readouterr() == asked
    assert "RLX-F012" in asked.err


def test_f41_a_terminal_shows_the_line_with_a_caret(program: str, capsys: Capture, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert rlx_opt.main([program, FUSE, "--report"]) == 0
    lines = capsys.readouterr().err.splitlines()
    at = next(number for number, line in enumerate(lines) if "RLX-F012" in line)
    assert lines[at + 1].strip() == PROGRAM.splitlines()[1].strip()
    assert lines[at + 2].index("^") == lines[at + 1].index("rlx.matmul")


def test_f41_no_report_of_a_program_that_fails(program: str, capsys: Capture):
    Path(program).write_text("func.func")
    assert rlx_opt.main([program, FUSE, "--report"]) == 1
    assert "passes changed" not in capsys.readouterr().err


def test_f41_of_a_compilation(program: str, tmp_path: Path, capsys: Capture):
    need_module("llvmlite")
    arguments = [program, "--target=cpu", "--from=rlx", "-o", str(tmp_path / "bundle")]
    assert rlx_compile.main([*arguments, "--report=json"]) == 0
    data = checked(capsys.readouterr().err)
    assert (data["target"], data["after_before"], data["prices"]["dispatch_ns"]) == ("cpu", "rlx-hoist-prepare", 50)
    assert data["missed"][0]["places"][0]["line"] == 2


def test_f41_of_an_import(tmp_path: Path, capsys: Capture):
    need_module("onnx")
    from onnx import TensorProto, helper

    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [4, 8]) for name in "xy")
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"], name="act")], "g", [x], [y])
    path = tmp_path / "m.onnx"
    path.write_bytes(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]).SerializeToString())
    assert rlx_import.main([str(path), "--report"]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "report: 0 of 0 passes changed the program"
    assert lines[1].split() == ["after"]
    assert [line.split() for line in lines[2:]] == [
        ["ops", "1"],
        ["launches", "1"],
        ["bytes", "moved", "256"],
        ["flops", "32"],
    ]
    assert rlx_import.main([str(path), "--report=json", "-o", str(tmp_path / "m.mlir")]) == 0
    assert checked(capsys.readouterr().err)["before"] is None
    assert rlx_import.main([str(path), "-o", str(tmp_path / "m.mlir"), f"--report-file={tmp_path / 'm.mlir'}"]) == 1
    assert "one would be lost" in capsys.readouterr().err
