"""Results are written piece by piece, and are there whole or not at all."""

import io
import sys
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.printer import Printer

from rlx_passes.tools.output import write_with
from rlx_passes.tools.rlx_opt import main

LINE = "  func.func private @a_function_with_a_long_name() -> tensor<4x8xf32>\n"


@pytest.fixture
def program(tmp_path: Path) -> str:
    file = tmp_path / "in.mlir"
    lines = (LINE.replace("@a", f"@a{number}") for number in range(2000))
    file.write_text(f"builtin.module {{\n{''.join(lines)}}}\n")
    return str(file)


class Counted(io.BytesIO):
    """A file that knows how often it was written to, and how much at most."""

    writes = 0
    largest = 0

    def write(self, data: "bytes | memoryview", /) -> int:  # pyright: ignore[reportIncompatibleMethodOverride]
        self.writes += 1
        self.largest = max(self.largest, len(data))
        return super().write(data)


def test_standard_output_gets_pieces_of_some_size(program: str, monkeypatch: pytest.MonkeyPatch):
    raw = Counted()
    stdout = io.TextIOWrapper(raw, encoding="utf-8", write_through=True)
    monkeypatch.setattr(sys, "stdout", stdout)
    assert main([program]) == 0
    text = raw.getvalue()
    assert text.decode() == Path(program).read_text()
    assert 5 < raw.writes < 100
    assert raw.largest < len(text) / 5


def test_a_text_that_breaks_off_leaves_the_old_file(
    program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    def broken(self: Printer, op: ModuleOp) -> None:
        self.print_string("builtin.module {")
        raise RuntimeError("no more")

    out = tmp_path / "out.mlir"
    out.write_text("old")
    out.chmod(0o640)
    monkeypatch.setattr(Printer, "print_op", broken)
    assert main([program, "-o", str(out)]) == 1
    assert capsys.readouterr().err.startswith("rlx-opt: internal error: RuntimeError: no more")
    assert (out.read_text(), sorted(path.name for path in tmp_path.iterdir())) == ("old", ["in.mlir", "out.mlir"])
    monkeypatch.undo()
    assert main([program, "-o", str(out)]) == 0
    assert out.stat().st_mode & 0o777 == 0o640
    assert out.read_text() == Path(program).read_text()


def test_any_stream_does(monkeypatch: pytest.MonkeyPatch):
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stdout", stream)
    write_with("-", lambda out: out.write("text"))
    assert stream.getvalue() == "text"
