"""
Run the commands of the README, docs/tool.md and docs/report.md again and write what they print in place of what is
there.

    python docs/refresh_readme.py

`test/unit/test_readme.py` says which blocks are run, and fails where one is out of date.
"""

import os
import re
import runpy
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
BEFORE = "making .venv\ninstalling rlx-dialect with the extra demo (about 700 MB, once)\n"
"""What `make demo` says the first time, before the demo itself."""


def main() -> None:
    sys.path.insert(0, str(ROOT / "test"))
    tests: dict[str, Any] = runpy.run_path(str(ROOT / "test" / "unit" / "test_readme.py"))
    output_of: Callable[[str, Path], str] = tests["output_of"]

    def run(match: re.Match[str]) -> str:
        lines: list[str] = []
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            for line in match[1].splitlines():
                if line.startswith("$ "):
                    lines += [line, *output_of(line[2:], Path(folder)).splitlines()]
            os.chdir(ROOT)
        return "<!-- run -->\n```console\n" + "\n".join(lines) + "\n```"

    environment: dict[str, str] = tests["_environment"]()
    demo = subprocess.run(
        [sys.executable, ROOT / "examples" / "demo.py"], capture_output=True, text=True, check=True, env=environment
    ).stdout
    readme: Path = ROOT / "README.md"
    pages: tuple[Path, ...] = tests["PAGES"]
    blocks = re.compile(r"<!-- run -->\n```console\n(.*?)```", flags=re.DOTALL)
    for page in pages:
        page.write_text(blocks.sub(run, page.read_text()))
    text = blocks.sub(run, readme.read_text())
    shown = f"<!-- demo -->\n```console\n$ make demo\n{BEFORE}{demo}```"
    text = re.sub(r"<!-- demo -->\n```console\n.*?```", lambda _: shown, text, flags=re.DOTALL)
    readme.write_text(text)


if __name__ == "__main__":
    main()
