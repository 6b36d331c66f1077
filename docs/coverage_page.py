"""`docs/coverage.md`: which targets take which op, by `test/target_coverage.py`."""

import json
import re
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from rlx_dialect.dtypes import DTYPES, is_float
from rlx_dialect.kinds import kind_of

TEST = Path(__file__).parents[1] / "test"
MEASURED = TEST / "data" / "coverage.json"
FLOATS = [name for name, dtype in DTYPES.items() if is_float(dtype.type)]
UNKNOWN = "?"

HEADER = """# Coverage

<!-- Made by docs/generate.py from test/data/coverage.json, which test/target_coverage.py measures. -->

Found by lowering each op's own examples to code, not by looking up rules: every use of an op in the lit files of the
dialect, alone in a function, with its sizes known; one of them again with every element type that the verifier lets it
have; and those with a `?` as they are. One that sums in f64, or has it beside another type, stands for f64. Kernels are
made to PTX, HSACO, SPIR-V and Metal source, code for cpu to an object file; MLX traces its source; StableHLO's own
reader checks what libtpu would get. `python test/target_coverage.py rocm` asks a target again; tests ask a part of it
each time.

An op lowers by a rule of its own or, where a backend has none, through its plain form (`rlx_dialect.decompose`). What
has neither is refused: the message names the op, its function and what to do, and the program is left as it was. A
target that it advises was asked, and takes the program.

`all`: every example and element type, sizes known or not; `static`: where sizes are known; `but`: without these element
types. An empty cell: no example.
"""


def coverage_page() -> str:
    answers: Mapping[str, Mapping[str, Mapping[str, str]]] = json.loads(MEASURED.read_text())
    sys.path.append(str(TEST))
    asked: Any = import_module("target_coverage")
    labels = {op: list(dict.fromkeys(each.label for each in mine)) for op, mine in asked.examples().items()}
    ops: list[str] = sorted(asked.OPS, key=lambda op: (_chapter(op), op))
    targets = sorted(answers)
    lines: list[str] = [*HEADER.splitlines()]
    chapter = ""
    for op in ops:
        if _chapter(op) != chapter:
            chapter = _chapter(op)
            head = ["op", "element types", *targets]
            lines += [
                "",
                f"## {chapter.capitalize()}",
                "",
                f"| {' | '.join(head)} |",
                "| --- |" + " --- |" * (len(head) - 1),
            ]
        mine = labels.get(op, [])
        cells = [_cell(mine, answers[target].get(op)) for target in targets]
        lines.append(f"| `{op}` | {_types(mine)} | {' | '.join(cells)} |")
    lines += ["", "## Why not", ""]
    for target in targets:
        lines += [f"### {target}", "", *_reasons(answers[target]), ""]
    return "\n".join(lines).rstrip() + "\n"


def _chapter(op: str) -> str:
    kind = kind_of(op)
    return "other" if kind is None else kind.chapter


def _types(labels: Sequence[str]) -> str:
    types = [label for label in DTYPES if label in labels]
    if len(types) == len(DTYPES):
        return "all"
    rest = [label for label in types if label not in FLOATS]
    return ", ".join(["floats", *rest] if set(FLOATS) <= set(types) else types)


def _cell(labels: Sequence[str], faults: Mapping[str, str] | None) -> str:
    if faults is None:
        return "not asked"
    missing = [label for label in DTYPES if label in faults]
    if not any(label in DTYPES and label not in faults for label in labels):
        return ""
    word = "static" if UNKNOWN in faults else "all"
    return f"{word} but {' '.join(missing)}" if missing else word


def _reasons(faults: Mapping[str, Mapping[str, str]]) -> list[str]:
    """Each reason with the ops and labels that it is about, the most frequent first."""
    found: dict[str, dict[str, list[str]]] = {}
    for op, mine in faults.items():
        for label, reason in mine.items():
            found.setdefault(_general(reason), {}).setdefault(label, []).append(op.removeprefix("rlx."))
    lines: list[str] = []
    for reason, by_label in sorted(found.items(), key=lambda each: (-sum(map(len, each[1].values())), each[0])):
        where = "; ".join(f"{label}: {_some(ops)}" for label, ops in sorted(by_label.items()))
        lines.append(f"- {reason.replace('|', '/')} ({where})")
    return lines or ["Nothing."]


def _general(reason: str) -> str:
    """A reason without the op and the types that it is about."""
    if any(words in reason for words in ("only known at run time", "sizes must be static", "is declared")):
        return "a size is only known at run time"
    return re.sub(r"^'[\w.]+' (in @\S+ )?|^becomes '[\w.]+', which ", "", reason)


def _some(ops: Sequence[str], most: int = 6) -> str:
    return ", ".join(ops[:most]) + (f" and {len(ops) - most} more" if len(ops) > most else "")
