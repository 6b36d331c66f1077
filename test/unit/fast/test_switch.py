"""The tools use the fast parser, verifier and printer, unless they are told not to."""

import gc
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from rlx_dialect.fast import FastParser, FastPrinter, verifier
from rlx_passes.core.collection import OBJECTS
from rlx_passes.switches.environment import flag, overriding
from rlx_passes.tools import rlx_compile, rlx_import, rlx_opt, rlx_run

TEXT = """func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = rlx.activation relu %x : tensor<2xf32>
  %1 = rlx.activation relu %0 : tensor<2xf32>
  func.return %1 : tensor<2xf32>
}
"""


@pytest.fixture
def used(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """Which parts were used, and after how many new objects garbage was collected at the time."""
    found: dict[str, int] = {}

    def watch(owner: type, name: str) -> None:
        stock: Callable[..., object] = getattr(owner, name)

        def watched(*arguments: object) -> object:
            found[name] = gc.get_threshold()[0]
            return stock(*arguments)

        monkeypatch.setattr(owner, name, watched)

    watch(FastParser, "_parse_block_body")
    watch(FastPrinter, "print_op")
    watch(verifier.Verifier, "verify")
    return found


@pytest.fixture
def program(tmp_path: Path) -> str:
    path = tmp_path / "in.mlir"
    path.write_text(TEXT)
    return str(path)


def test_all_parts_are_used(used: dict[str, int], program: str, capsys: pytest.CaptureFixture[str]):
    before = gc.get_threshold()
    assert rlx_opt.main([program]) == 0
    assert used == dict.fromkeys(("_parse_block_body", "verify", "print_op"), OBJECTS)
    assert gc.get_threshold() == before
    fast = capsys.readouterr().out
    used.clear()
    assert rlx_opt.main(["--stock-parser", program]) == 0
    assert not used
    assert capsys.readouterr().out == fast
    with overriding(STOCK_PARSER="1"):
        assert rlx_opt.main([program]) == 0
    assert not used
    assert rlx_opt.main([program]) == 0
    assert len(used) == 3


def test_the_garbage_of_a_process_of_its_own_is_left_to_its_end(
    program: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    ended: list[bool] = []
    monkeypatch.setattr(gc, "freeze", lambda: ended.append(True))
    assert rlx_opt.main([program]) == 0
    assert not ended
    monkeypatch.setattr(sys, "argv", ["rlx-opt", program])
    assert rlx_opt.main() == 0
    assert ended


@pytest.mark.parametrize("main", [rlx_opt.main, rlx_compile.main, rlx_import.main, rlx_run.main])
def test_every_tool_has_the_switch_for_one_run(main: Callable[[list[str]], int], capsys: pytest.CaptureFixture[str]):
    assert main(["--stock-parser", "nowhere"]) == 1
    assert "stock-parser" not in capsys.readouterr().err
    assert not flag("RLX_STOCK_PARSER")
