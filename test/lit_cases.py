"""The lit files of passes as cases for pytest: programs, passes of their RUN lines, misses that comments expect."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from programs import check_uses, context, parse
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from rlx_passes.core.spec import PassSpec
from rlx_passes.registry.composite import flatten
from rlx_passes.registry.instantiate import create_passes
from rlx_passes.rewriting.miss import Miss, listening
from rlx_passes.tools.arguments import split_arguments
from rlx_passes.universe import PASSES

FILECHECK = Path(__file__).parent / "filecheck"

_RUN = re.compile(r"^// RUN: rlx-opt (.*?)\s*(?:\||$)", re.MULTILINE)
_EXPECTED = re.compile(r"((?:^//.*\n)+)^func\.func (?:private )?@(\w+)", re.MULTILINE)
_MISS = re.compile(r"^// MISS: (.+)$", re.MULTILINE)
_NO_RUN = ("--print-pass-pipeline", "--verify-diagnostics")


@dataclass(frozen=True)
class LitCase:
    """One part of a lit file under one of its RUN lines. `misses` says which reasons a function must give."""

    name: str
    text: str
    specs: tuple[PassSpec, ...]
    misses: dict[str, tuple[str, ...]]

    def module(self) -> ModuleOp:
        return parse(self.text, self.name)

    def passes(self) -> tuple[ModulePass, ...]:
        return tuple(flatten(create_passes(self.specs)))

    def run(self, module: ModuleOp) -> dict[str, list[str]]:
        """Run the passes over `module`; the reasons that came up, by function."""
        heard: dict[str, list[str]] = {}

        def listen(pattern: str, root: Operation, miss: Miss) -> None:
            heard.setdefault(function_of(root), []).append(str(miss.reason))

        with listening(listen):
            for pass_ in self.passes():
                pass_.apply(context(), module)
                check_uses(module)
        return heard


def function_of(op: Operation) -> str:
    """The name of the function around `op`."""
    current: Operation | None = op
    while current is not None and not isinstance(current, FuncOp):
        current = current.parent_op()
    return "" if current is None else current.sym_name.data


def lit_cases(*folders: str) -> Iterator[LitCase]:
    """The cases of all lit files in `folders` of test/filecheck, or below, that run passes of this project."""
    for folder in folders:
        whole = FILECHECK / folder
        for path in sorted(whole.rglob("*.mlir")) if whole.is_dir() else [whole]:
            yield from _cases_of(path)


def _cases_of(path: Path) -> Iterator[LitCase]:
    text = path.read_text()
    for number, line in enumerate(_RUN.findall(text)):
        words = [word for word in shlex.split(line.replace("2>&1", "")) if word != "%s"]
        specs = split_arguments(words, PASSES).specs
        if not specs or any(word in _NO_RUN for word in words):
            continue
        for part, program in enumerate(re.split(r"^// -----.*$", text, flags=re.MULTILINE)):
            misses = {name: tuple(_MISS.findall(comment)) for comment, name in _EXPECTED.findall(program)}
            name = f"{path.relative_to(FILECHECK).with_suffix('')}:{number}" + (f":{part}" if part else "")
            yield LitCase(name, program, specs, {f: reasons for f, reasons in misses.items() if reasons})
