"""
A lit format that runs `rlx-opt ... | filecheck %s` inside lit's worker: starting Python is most of a test's cost.

Lines of other shapes run as lit always runs them. `lit -D processes=1` turns this format off.
"""

import io
import re
import shlex
import sys
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import lit.formats
import lit.TestRunner
from lit.Test import FAIL, PASS, Result

if TYPE_CHECKING:
    from lit.LitConfig import LitConfig
    from lit.Test import Test

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportMissingTypeStubs=false, reportMissingImports=false, reportUntypedBaseClass=false
# (lit has no types)

_SHELL = re.compile(r"[<>;&`$*?()]|%(?!s\b)")


@dataclass(frozen=True)
class Stage:
    """One command of a pipe: `[not] rlx-opt ARGUMENTS [2>&1]` or `filecheck ARGUMENTS`."""

    tool: str
    arguments: tuple[str, ...]
    fails: bool = False
    merged: bool = False


def plan(line: str, path: str) -> tuple[Stage, ...] | None:
    """The stages of a RUN line, or None for a line that needs a shell."""
    stages: list[Stage] = []
    for part in _split_pipe(line):
        words = [word.replace("%s", path) for word in shlex.split(part.replace("2>&1", ""))]
        fails = words[:1] == ["not"]
        tool, *arguments = words[1:] if fails else words
        if tool not in ("rlx-opt", "filecheck") or (fails and tool != "rlx-opt"):
            return None
        unquoted = re.sub(r"'[^']*'|\"[^\"]*\"", "", part.replace("2>&1", ""))
        if _SHELL.search(unquoted):
            return None
        stages.append(Stage(tool, tuple(arguments), fails, "2>&1" in part))
    return tuple(stages)


def _split_pipe(line: str) -> Sequence[str]:
    """Cut at the `|` that stand outside of quotes."""
    return [piece for piece in re.split(r"\|(?=(?:[^'\"]|'[^']*'|\"[^\"]*\")*$)", line) if piece.strip()]


def run_rlx_opt(stage: Stage, stdin: str) -> tuple[str, str, int]:
    """Run the tool in this process; gives standard output, standard error and the exit code."""
    from rlx_passes.tools.rlx_opt import main

    out, err = io.StringIO(), io.StringIO()
    before = sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8")
    try:
        with redirect_stdout(out), redirect_stderr(out if stage.merged else err):
            code = main(stage.arguments)
    finally:
        sys.stdin = before
    return out.getvalue(), err.getvalue(), code


def run_filecheck(stage: Stage, text: str) -> tuple[str, int]:
    """Check `text` as the filecheck program would; gives its report and exit code."""
    from filecheck.finput import FInput
    from filecheck.matcher import Matcher
    from filecheck.options import parse_argv_options
    from filecheck.parser import Parser

    report = io.StringIO()
    with redirect_stdout(report), redirect_stderr(report):
        options = parse_argv_options(["filecheck", *stage.arguments])
        code = Matcher(options, FInput("<stdin>", text), Parser.from_opts(options)).run()
    return report.getvalue(), code


class InProcess(lit.formats.ShTest):
    """See the module's text."""

    def execute(self, test: "Test", litConfig: "LitConfig") -> Any:
        script: Any = lit.TestRunner.parseIntegratedTestScript(test)
        if isinstance(script, Result):
            return script
        plans: list[tuple[str, tuple[Stage, ...]]] = []
        for directive in script:
            line = re.sub(r"^%dbg\(.*?\)\s*", "", getattr(directive, "command", directive))
            stages = plan(line, test.getSourcePath())
            if stages is None:
                return super().execute(test, litConfig)
            plans.append((line, stages))
        for line, stages in plans:
            if problem := _run(stages):
                return Result(FAIL, f"$ {line}\n{problem}")
        return Result(PASS, "")


def _run(stages: Sequence[Stage]) -> str:
    """Run a pipe; gives what went wrong, or nothing."""
    text = ""
    for stage in stages:
        if stage.tool == "filecheck":
            report, code = run_filecheck(stage, text)
            if code:
                return f"{report}\ninput was:\n{text}"
            continue
        text, errors, code = run_rlx_opt(stage, text)
        if bool(code) != stage.fails:
            wanted = "failure" if stage.fails else "success"
            return f"rlx-opt ended with {code}, {wanted} was expected\n{errors or text}"
    return ""
