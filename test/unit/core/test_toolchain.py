"""Finding and running external programs."""

import os
import stat
import subprocess
from pathlib import Path
from typing import TextIO

import pytest
from tools import need_program

from rlx_passes.core.errors import CodegenError, ToolMissing
from rlx_passes.core.toolchain import ELF, MLIR_OPT, TOOLS, Tool, checked, mlir_opt, run, run_to_file


def _script(folder: Path, name: str, body: str) -> Path:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def _tool(path: Path) -> Tool:
    return Tool("helper", "RLX_HELPER", (str(path),), "to help", "Debian package 'helper'")


@pytest.mark.parametrize("tool", TOOLS.values(), ids=lambda tool: tool.name)
def test_missing_tool_says_what_and_how(tool: Tool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv(tool.variable, raising=False)
    with pytest.raises(ToolMissing) as caught:
        tool.path()
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith(f"{tool.name} was not found, it is needed {tool.purpose}: ")
    assert tool.install in message
    assert tool.variable in message


def test_variable_comes_first(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    mine = _script(tmp_path, "mine", "echo mine")
    monkeypatch.setenv(MLIR_OPT.variable, str(mine))
    assert MLIR_OPT.path() == mine
    monkeypatch.setenv(MLIR_OPT.variable, str(tmp_path / "gone"))
    with pytest.raises(ToolMissing, match=r"RLX_MLIR_OPT=.*gone names no executable"):
        MLIR_OPT.path()


def test_versioned_name_before_the_plain_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    plain = _script(tmp_path, "mlir-opt", "")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv(MLIR_OPT.variable, raising=False)
    assert MLIR_OPT.path() == plain
    versioned = _script(tmp_path, "mlir-opt-22", "")
    assert MLIR_OPT.path() == versioned


def test_run_passes_text_without_a_shell(tmp_path: Path) -> None:
    tool = _tool(_script(tmp_path, "helper", 'printf "%s|" "$@"; cat'))
    assert run(tool, ["$(touch x)", "a b", "*"], b"in") == b"$(touch x)|a b|*|in"


def test_run_caps_what_a_failed_tool_says(tmp_path: Path) -> None:
    tool = _tool(
        _script(tmp_path, "helper", "i=0; while [ $i -lt 500 ]; do echo line $i >&2; i=$((i+1)); done; exit 3")
    )
    with pytest.raises(CodegenError, match="helper failed with exit code 3") as caught:
        run(tool, [])
    assert "line 11\n... (488 more lines)" in str(caught.value)
    assert "line 12" not in str(caught.value)


def test_run_stops_in_time(tmp_path: Path) -> None:
    tool = _tool(_script(tmp_path, "helper", "exec sleep 60"))
    with pytest.raises(CodegenError, match=r"helper ran over its 0\.2 s"):
        run(tool, [], timeout=0.2)


def test_run_stops_what_a_tool_has_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit passes once the tool has a child, which holds a pipe open and writes to it if it outlives the tool."""
    os.mkfifo(tmp_path / "pipe")
    child = f"(echo started; sleep 60; echo outlived) > {tmp_path}/pipe"
    tool = _tool(_script(tmp_path, "helper", f"{child} & wait"))

    pipes: list[TextIO] = []

    def late(process: "subprocess.Popen[bytes]", *_: object) -> None:
        pipes.append((tmp_path / "pipe").open())
        assert pipes[0].readline() == "started\n"
        raise subprocess.TimeoutExpired(process.args, 300)

    monkeypatch.setattr(subprocess.Popen, "communicate", late)
    with pytest.raises(CodegenError, match=r"helper ran over its 300 s"):
        run(tool, [])
    with pipes[0] as pipe:
        assert pipe.read() == ""


def test_what_a_tool_wrote_is_looked_at(tmp_path: Path) -> None:
    output = tmp_path / "kernels.cubin"
    silent = _tool(_script(tmp_path, "silent", "exit 0"))
    with pytest.raises(CodegenError, match=r"helper \(.*silent\) ended well, but what it wrote is not"):
        run_to_file(silent, [], output, ELF)
    output.write_bytes(b"garbage")
    with pytest.raises(CodegenError, match="ended well"):
        run_to_file(silent, [], output, ELF)
    assert checked(silent, ELF + b"rest", ELF) == ELF + b"rest"


@pytest.mark.parametrize("said", ["", "garbage", r"\377\376"])
def test_a_stand_in_for_mlir_opt_is_found_out(said: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    body = f"case $1 in --version) echo LLVM version 22.1;; *) printf '{said}';; esac"
    monkeypatch.setenv(MLIR_OPT.variable, str(_script(tmp_path, "mlir-opt", body)))
    with pytest.raises(CodegenError, match=r"mlir-opt \(.*mlir-opt\) ended well, but"):
        mlir_opt("module {}", "cse")


def test_other_mlir_version_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    old = _script(tmp_path, "mlir-opt", "echo '  LLVM version 17.0.6'")
    monkeypatch.setenv(MLIR_OPT.variable, str(old))
    with pytest.raises(CodegenError, match=r"mlir-opt is of LLVM version 17, 22 is needed: install .*mlir-22-tools"):
        mlir_opt("module {}", "cse")


def test_pipeline_errors_are_short() -> None:
    need_program("mlir-opt-22", "mlir-opt")
    with pytest.raises(CodegenError, match="no-such-pass") as caught:
        mlir_opt("module {}", "no-such-pass")
    assert len(str(caught.value)) < 2500
