"""
The parts of `docs/cpu.md` that are shown, made anew from the programs that the page itself holds.

A block after `<!-- program -->` is a program, known by the name of its function. The block after `<!-- show NAME STAGE
FUNCTIONS -->` is that program after the pass STAGE, or its `assembly`; FUNCTIONS are those to show, if not all. The
blocks after `<!-- passes -->` and `<!-- measured -->` are made too.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import takewhile
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp, StringAttr

from rlx_dialect.xdsl_repairs import RlxParser
from rlx_passes.codegen.llvm_ir import llvm_ir
from rlx_passes.codegen.llvm_object import assembly
from rlx_passes.core.spec import parse_pipeline
from rlx_passes.reading.dialects import tool_context
from rlx_passes.registry.instantiate import create_passes

PAGE = Path(__file__).parent / "cpu.md"
MEASURED = Path(__file__).parents[1] / "benchmarks" / "cpu.json"
CHIP = "x86-64-v3"
PASSES = (
    *("convert-rlx-to-linalg", "rlx-fuse-elementwise", "rlx-bufferize"),
    *("rlx-flatten-convolutions", "rlx-parallelize"),
    *(f"rlx-pack-products{{chip={CHIP}}}", "rlx-outline-rounds", "rlx-expand-math"),
    *(f"rlx-linalg-to-loops{{chip={CHIP}}}", "rlx-unswitch-loops", "rlx-plan-buffers"),
    "rlx-convert-to-llvm",
)


def cpu_page() -> str:
    text = PAGE.read_text()
    known = programs(text)

    def show(name: str, stage: str, *functions: str) -> Iterator[str]:
        return (assembly_of if stage == "assembly" else partial(ir, stage=stage))(known[name], functions)

    made: dict[str, Callable[..., Iterator[str]]] = {"show": show, "passes": passes, "measured": measured}

    def block(match: re.Match[str]) -> str:
        word, *arguments = match["what"].split()
        return "\n".join([match["head"], *made[word](*arguments), "```"])

    return re.sub(
        rf"(?P<head><!-- (?P<what>(?:{'|'.join(made)})[^\n]*) -->\n```\w*)\n.*?```", block, text, flags=re.DOTALL
    )


def programs(text: str) -> dict[str, str]:
    """The programs of a page by name."""
    found = re.findall(r"<!-- program -->\n```mlir\n(func\.func @(\w+).*?)```", text, re.DOTALL)
    return {name: program for program, name in found}


def ir(program: str, functions: Sequence[str], *, stage: str) -> Iterator[str]:
    for op in after(program, stage).body.ops:
        name = op.properties["sym_name"]
        if not functions or (isinstance(name, StringAttr) and name.data in functions):
            yield from str(op).splitlines()


def assembly_of(program: str, functions: Sequence[str]) -> Iterator[str]:
    """The instructions of a function, without what tells an assembler about places."""
    (function,) = functions
    text = assembly(llvm_ir(after(program, "rlx-convert-to-llvm")), f"x86_64-unknown-linux-gnu:{CHIP}")
    _, _, body = text.partition(f"\n{function}:\n")
    yield f"{function}:"
    for line in takewhile(lambda line: not line.startswith(".Lfunc_end"), body.splitlines()):
        if not line.startswith("\t."):
            name, _, operands = line.strip().partition("\t")
            yield f"    {name:<12} {operands}".rstrip() if line.startswith("\t") else line


def after(program: str, stage: str) -> ModuleOp:
    """The program after the passes up to `stage`."""
    context = tool_context()
    module = RlxParser(context, program, PAGE.name).parse_module()
    names = [spec.partition("{")[0] for spec in PASSES]
    for spec in PASSES[: names.index(stage) + 1]:
        for one in create_passes(parse_pipeline(spec)):
            one.apply(context, module)
    return module


def passes() -> Iterator[str]:
    return iter((*(f"{each}," for each in PASSES[:-1]), PASSES[-1]))


def measured() -> Iterator[str]:
    """What `benchmarks/cpu.py --save` wrote: a line for each program, and the ratio to its best peer."""
    found = json.loads(MEASURED.read_text())
    yield f"{found['machine']}, {found['threads']} threads, medians of rounds in turn, ms"
    yield ""
    rows: dict[str, dict[str, dict[str, float]]] = found["rows"]
    names = list(dict.fromkeys(name for row in rows.values() for name in row))
    wide = max(map(len, rows))
    yield " ".join([" " * wide, *(f"{name:>12}" for name in names), " to the best"])
    for title, row in rows.items():
        cells = [f"{row[name]['ms']:12.3f}" if name in row else f"{'-':>12}" for name in names]
        ratio = max(row[name]["ratio"] for name in names[1:] if name in row)
        yield " ".join([f"{title:<{wide}}", *cells, f"{ratio:11.2f}x"])
